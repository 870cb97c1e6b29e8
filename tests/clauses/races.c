/* Stands in for the run-time library of -fsanitize=thread: two threads of one parallel loop that touch the same byte, one of
 * them writing, are a race, whether or not it shows in this run. What is between barriers is ordered, and so are reductions,
 * which the compiler combines by atomic operations or under a lock. */

#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 1 << 20, TOGETHER = 128, SEVERAL = 255 }; /* slots of neighbours fill a page, so that few pages are used */

static struct slot {
    uintptr_t word;
    int epoch;
    unsigned char writer[8], reader[8]; /* number of the thread, from 1 on */
} *slots;

void *clz_race; /* where the first one is */
static int watching;
static volatile int epoch, region = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int locked, finished;

void clz_watch(void)
{
    slots = calloc(SLOTS, sizeof *slots);
    watching = slots != 0;
}

static struct slot *slot(uintptr_t word)
{
    uintptr_t group = word / TOGETHER * 0x9E3779B97F4A7C15u >> 32;
    for (int k = 0; k < 64; k++, group++) {
        struct slot *s = slots + group % (SLOTS / TOGETHER) * TOGETHER + word % TOGETHER;
        if (s->epoch != epoch) {
            memset(s, 0, sizeof *s);
            s->word = word, s->epoch = epoch;
            return s;
        }
        if (s->word == word)
            return s;
    }
    return 0;
}

static void touch(const void *p, size_t size, int write)
{
    if (!watching || clz_race || locked || finished == region || omp_get_num_threads() < 2)
        return;
    unsigned char me = (unsigned char)(omp_get_thread_num() + 1);
    pthread_mutex_lock(&lock);
    for (uintptr_t at = (uintptr_t)p; at < (uintptr_t)p + size && !clz_race; at++) {
        struct slot *s = slot(at >> 3);
        if (!s)
            break;
        unsigned char *w = s->writer + (at & 7), *r = s->reader + (at & 7);
        if ((*w && *w != me) || (write && *r && *r != me))
            clz_race = (void *)at;
        if (write)
            *w = me;
        else
            *r = *r && *r != me ? SEVERAL : me;
    }
    pthread_mutex_unlock(&lock);
}

#define ACCESS(n)                                                                 \
    void __tsan_read##n(void *p) { touch(p, n, 0); }                              \
    void __tsan_write##n(void *p) { touch(p, n, 1); }                             \
    void __tsan_unaligned_read##n(void *p) { touch(p, n, 0); }                    \
    void __tsan_unaligned_write##n(void *p) { touch(p, n, 1); }                   \
    void __tsan_volatile_read##n(void *p) { touch(p, n, 0); }                     \
    void __tsan_volatile_write##n(void *p) { touch(p, n, 1); }                    \
    void __tsan_unaligned_volatile_read##n(void *p) { touch(p, n, 0); }           \
    void __tsan_unaligned_volatile_write##n(void *p) { touch(p, n, 1); }
ACCESS(1) ACCESS(2) ACCESS(4) ACCESS(8) ACCESS(16)

void __tsan_read_range(void *p, size_t n) { touch(p, n, 0); }
void __tsan_write_range(void *p, size_t n) { touch(p, n, 1); }
void __tsan_init(void) {}
void __tsan_func_entry(void *p) { (void)p; }
void __tsan_func_exit(void) {}
void __tsan_vptr_update(void **p, void *v) { (void)p, (void)v; }
void __tsan_atomic_thread_fence(int order) { (void)order; __atomic_thread_fence(5); }
void __tsan_atomic_signal_fence(int order) { (void)order; }

#define UPDATE(bits, type, name)                                                                        \
    type __tsan_atomic##bits##_fetch_##name(volatile type *p, type v, int order)                        \
    {                                                                                                   \
        (void)order;                                                                                    \
        return __atomic_fetch_##name(p, v, 5);                                                          \
    }
#define ATOMIC(bits, type)                                                                              \
    type __tsan_atomic##bits##_load(const volatile type *p, int o) { (void)o; return __atomic_load_n(p, 5); }    \
    void __tsan_atomic##bits##_store(volatile type *p, type v, int o) { (void)o; __atomic_store_n(p, v, 5); }    \
    type __tsan_atomic##bits##_exchange(volatile type *p, type v, int o) { (void)o; return __atomic_exchange_n(p, v, 5); } \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile type *p, type *c, type v, int a, int b)  \
    {                                                                                                   \
        (void)a, (void)b;                                                                               \
        return __atomic_compare_exchange_n(p, c, v, 0, 5, 5);                                           \
    }                                                                                                   \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile type *p, type *c, type v, int a, int b)    \
    {                                                                                                   \
        (void)a, (void)b;                                                                               \
        return __atomic_compare_exchange_n(p, c, v, 0, 5, 5);                                           \
    }                                                                                                   \
    UPDATE(bits, type, add) UPDATE(bits, type, sub) UPDATE(bits, type, and) UPDATE(bits, type, or)      \
    UPDATE(bits, type, xor) UPDATE(bits, type, nand)
ATOMIC(8, uint8_t) ATOMIC(16, uint16_t) ATOMIC(32, uint32_t) ATOMIC(64, uint64_t)

/* --- what orders threads, and what moves memory without an access that is seen: the linker's --wrap leads here */

#define NEXT (__atomic_fetch_add(&epoch, 1, 5))

void __real_GOMP_barrier(void);
void __wrap_GOMP_barrier(void)
{
    NEXT;
    __real_GOMP_barrier();
}

void __real_GOMP_atomic_start(void);
void __wrap_GOMP_atomic_start(void)
{
    __real_GOMP_atomic_start();
    locked++;
}

void __real_GOMP_atomic_end(void);
void __wrap_GOMP_atomic_end(void)
{
    locked--;
    __real_GOMP_atomic_end();
}

#define REGION(name)                                                                        \
    void __real_##name(void (*f)(void *), void *data, unsigned threads, unsigned flags);    \
    void __wrap_##name(void (*f)(void *), void *data, unsigned threads, unsigned flags)     \
    {                                                                                       \
        NEXT, region++;                                                                     \
        __real_##name(f, data, threads, flags);                                             \
        NEXT;                                                                               \
    }
#define LOOP_REGION(name)                                                                                        \
    void __real_##name(void (*f)(void *), void *data, unsigned threads, long a, long b, long c, unsigned flags);  \
    void __wrap_##name(void (*f)(void *), void *data, unsigned threads, long a, long b, long c, unsigned flags)   \
    {                                                                                                            \
        NEXT, region++;                                                                                          \
        __real_##name(f, data, threads, a, b, c, flags);                                                         \
        NEXT;                                                                                                    \
    }
REGION(GOMP_parallel)
LOOP_REGION(GOMP_parallel_loop_runtime)
LOOP_REGION(GOMP_parallel_loop_nonmonotonic_runtime)
LOOP_REGION(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

/* A thread that has no further iteration only hands over its lastprivate variables and reductions: the compiler sees to
 * that, and where a loop has no iteration at all, each thread hands over what is there already. */
#define DONE(more) ((more) ? 1 : (finished = region, 0))
#define ITERATIONS(name, type, ...)                                                          \
    _Bool __real_GOMP_loop_##name##_start(__VA_ARGS__ type a, type b, type c, type *d, type *e);   \
    _Bool __real_GOMP_loop_##name##_next(type *d, type *e);                                  \
    _Bool __wrap_GOMP_loop_##name##_next(type *d, type *e)                                   \
    {                                                                                        \
        return DONE(__real_GOMP_loop_##name##_next(d, e));                                   \
    }
#define SIGNED(name)                                                                         \
    ITERATIONS(name, long, )                                                                 \
    _Bool __wrap_GOMP_loop_##name##_start(long a, long b, long c, long *d, long *e)          \
    {                                                                                        \
        return DONE(__real_GOMP_loop_##name##_start(a, b, c, d, e));                         \
    }
typedef unsigned long long wide;
#define WIDE(name)                                                                           \
    ITERATIONS(ull_##name, wide, _Bool up, )                                                 \
    _Bool __wrap_GOMP_loop_ull_##name##_start(_Bool up, wide a, wide b, wide c, wide *d, wide *e)  \
    {                                                                                        \
        return DONE(__real_GOMP_loop_ull_##name##_start(up, a, b, c, d, e));                 \
    }
SIGNED(runtime) SIGNED(nonmonotonic_runtime) SIGNED(maybe_nonmonotonic_runtime)
WIDE(runtime) WIDE(nonmonotonic_runtime) WIDE(maybe_nonmonotonic_runtime)

void *__real_memcpy(void *to, const void *from, size_t n);
void *__wrap_memcpy(void *to, const void *from, size_t n)
{
    touch(from, n, 0), touch(to, n, 1);
    return __real_memcpy(to, from, n);
}

void *__real_memmove(void *to, const void *from, size_t n);
void *__wrap_memmove(void *to, const void *from, size_t n)
{
    touch(from, n, 0), touch(to, n, 1);
    return __real_memmove(to, from, n);
}

void *__real_memset(void *to, int c, size_t n);
void *__wrap_memset(void *to, int c, size_t n)
{
    touch(to, n, 1);
    return __real_memset(to, c, n);
}

/* Memory that one thread has freed must not come back as another one's. */
void __real_free(void *p);
void __wrap_free(void *p)
{
    if (!watching)
        __real_free(p);
}
