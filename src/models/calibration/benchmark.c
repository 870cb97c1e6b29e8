/* Measures one machine for `boathull calibrate`.
 *
 * usage: benchmark CORES L1 L2 L3 ARRAY REPETITIONS       caches and the length of the streamed arrays in bytes, L3 0: none
 *
 * Prints KEY VALUE once per repetition, in SI units: rates in bytes/s and operations/s, clocks in Hz, times in s. Each
 * repetition is long enough for the clock, and starts all threads at once, each on a core of its own. Needs POSIX threads
 * and vector extensions of GNU C (gcc, clang); uses OpenMP where the compiler has it.
 */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#if defined(__AVX512F__)
#define WIDTH 64
#elif defined(__AVX__)
#define WIDTH 32
#else
#define WIDTH 16
#endif

/* The compiler must compute `v` here, and knows nothing of its value afterwards. */
#if defined(__AVX512F__)
#define KEEP(v) __asm__ volatile("" : "+v"(v))
#elif defined(__x86_64__)
#define KEEP(v) __asm__ volatile("" : "+x"(v))
#elif defined(__aarch64__)
#define KEEP(v) __asm__ volatile("" : "+w"(v))
#else
#error "only x86-64 and 64-bit Arm can be measured"
#endif
#define KEEP_INTEGER(v) __asm__ volatile("" : "+r"(v))
#define MEMORY_CHANGES() __asm__ volatile("" : : : "memory")

#define LONG_ENOUGH 0.02 /* s */

static double now_by(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(void) { return now_by(CLOCK_MONOTONIC); }

/* What one thread does is measured by the time that it ran itself: other programs take the processor from it. */
static double ran(void) { return now_by(CLOCK_THREAD_CPUTIME_ID); }

/* --- what one thread does; each returns how much it did in one round */

typedef struct {
    double *a, *b, *c;
    size_t length; /* elements of each array */
} Data;

typedef double Work(Data *data, long rounds);

/* Twelve independent chains: more than latency times units of any core there is. */
#define TWELVE(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
#define START(i) r[i] = x; KEEP(r[i]);
#define MULTIPLY_ADD(i) r[i] = r[i] * x + y; KEEP(r[i]);
#define ADD(i) r[i] = r[i] + x; KEEP(r[i]);

#define PEAK(NAME, TYPE, STEP, OPERATIONS)                                             \
    static double NAME(Data *data, long rounds)                                       \
    {                                                                                 \
        typedef TYPE V __attribute__((vector_size(WIDTH)));                           \
        V r[12], x = (V){0} + 1, y = (V){0};                                          \
        (void)data;                                                                   \
        KEEP(x);                                                                      \
        KEEP(y);                                                                      \
        TWELVE(START)                                                                 \
        for (long k = 0; k < rounds; k++) { TWELVE(STEP) }                            \
        return 12.0 * OPERATIONS * (WIDTH / sizeof(TYPE));                            \
    }

PEAK(peak_fp64, double, MULTIPLY_ADD, 2)
PEAK(peak_fp32, float, MULTIPLY_ADD, 2)
PEAK(peak_int32, int32_t, ADD, 1)

/* One addition after the other: one for each clock cycle. */
static double cycles(Data *data, long rounds)
{
    uint64_t value = 0, one = 1;
    (void)data;
    KEEP_INTEGER(one);
    for (long k = 0; k < rounds; k++) {
#define STEP(i) value += one; KEEP_INTEGER(value);
        TWELVE(STEP)
#undef STEP
    }
    return 12.0;
}

/* a = b + s c: two arrays read, one written, as STREAM counts it. */
static double triad(Data *data, long rounds)
{
    double *restrict a = data->a;
    const double *restrict b = data->b, *restrict c = data->c;
    double s = 3.0;
    for (long k = 0; k < rounds; k++) {
        for (size_t i = 0; i < data->length; i++) a[i] = b[i] + s * c[i];
        MEMORY_CHANGES();
    }
    return 3.0 * sizeof(double) * (double)data->length;
}

/* Loads of whole vectors, which nothing is done with. */
static double loads(Data *data, long rounds)
{
    typedef double V __attribute__((vector_size(WIDTH)));
    const V *p = (const V *)data->a;
    size_t length = data->length * sizeof(double) / WIDTH / 8 * 8;
    for (long k = 0; k < rounds; k++)
        for (size_t i = 0; i < length; i += 8) {
            V r[8];
#define LOAD(i_) r[i_] = p[i + i_]; KEEP(r[i_]);
            LOAD(0) LOAD(1) LOAD(2) LOAD(3) LOAD(4) LOAD(5) LOAD(6) LOAD(7)
#undef LOAD
        }
    return (double)(length * WIDTH);
}

/* --- one after the other: what waits for the one before, and what takes a unit for long; seconds for each */

#define CHAIN(NAME, TYPE, CONSTRAINT, BEGIN, OTHER, DO)                                \
    static double NAME(Data *data, long rounds)                                       \
    {                                                                                 \
        TYPE v = BEGIN, x = OTHER;                                                    \
        (void)data;                                                                   \
        CONSTRAINT(v);                                                                \
        CONSTRAINT(x);                                                                \
        for (long k = 0; k < rounds; k++) {                                           \
            DO; CONSTRAINT(v); DO; CONSTRAINT(v); DO; CONSTRAINT(v); DO; CONSTRAINT(v); \
        }                                                                             \
        return 4.0;                                                                   \
    }

CHAIN(chain_add, double, KEEP, 1.0, 1e-9, v = v + x)
CHAIN(chain_multiply, double, KEEP, 1.0, 1.0, v = v * x)
CHAIN(chain_fused, double, KEEP, 1.0, 1.0, v = v * x + 1e-300)
CHAIN(chain_divide, double, KEEP, 1.5, 1.0000001, v = v / x)
CHAIN(chain_root, double, KEEP, 1.5, 1.0, v = __builtin_sqrt(v + x))
CHAIN(chain_compare, double, KEEP, 1.5, 1.0, v = v > x ? v : x)
CHAIN(chain_product, uint32_t, KEEP_INTEGER, 3, 5, v = v * x)
CHAIN(chain_quotient, uint32_t, KEEP_INTEGER, 3000000000u, 1, v = v / x)

/* A value through memory: stored, and loaded by what follows. */
static double chain_memory(Data *data, long rounds)
{
    double *p = data->a;
    for (long k = 0; k < 4 * rounds; k++) {
        *p += 1e-9;
        MEMORY_CHANGES();
    }
    return 4.0;
}

#define DO_DIVIDE(i) r[i] = y / r[i]; KEEP(r[i]);
#define DO_ROOT(i) r[i] = __builtin_sqrt(r[i]); KEEP(r[i]);
#define EACH(NAME, TYPE, CONSTRAINT, BEGIN, STEP)                                      \
    static double NAME(Data *data, long rounds)                                       \
    {                                                                                 \
        TYPE r[12], x = BEGIN, y = BEGIN;                                             \
        (void)data;                                                                   \
        CONSTRAINT(x);                                                                \
        CONSTRAINT(y);                                                                \
        TWELVE(START_)                                                                \
        for (long k = 0; k < rounds; k++) { TWELVE(STEP) }                            \
        return 12.0;                                                                  \
    }
#define START_(i) r[i] = x; KEEP(r[i]);
EACH(each_divide, double, KEEP, 1.5, DO_DIVIDE)
EACH(each_divide_float, float, KEEP, 1.5f, DO_DIVIDE)
EACH(each_root, double, KEEP, 1.5, DO_ROOT)
#define DO_QUOTIENT(i) r[i] = y / r[i]; KEEP_INTEGER(r[i]);
#undef START_
#define START_(i) r[i] = x; KEEP_INTEGER(r[i]);
EACH(each_quotient, int32_t, KEEP_INTEGER, 77, DO_QUOTIENT)
#undef START_

/* Divisions in a loop that the compiler makes vectors of, with the vectors it chooses: per element. */
#define DIVISIONS(NAME, TYPE)                                                          \
    static double NAME(Data *data, long rounds)                                       \
    {                                                                                 \
        TYPE *restrict a = (TYPE *)data->a;                                           \
        for (long k = 0; k < rounds; k++) {                                           \
            for (int i = 0; i < 1024; i++) a[i] = (TYPE)1.5 / a[i];                   \
            MEMORY_CHANGES();                                                         \
        }                                                                             \
        return 1024.0;                                                                \
    }
DIVISIONS(divisions_fp64, double)
DIVISIONS(divisions_fp32, float)

#define FUNCTION(NAME, TYPE, CALL)                                                     \
    static double NAME(Data *data, long rounds)                                       \
    {                                                                                 \
        double s = 0;                                                                 \
        (void)data;                                                                   \
        for (long k = 0; k < rounds; k++)                                             \
            for (int i = 0; i < 64; i++) { TYPE x = (TYPE)(0.5 + 0.01 * i); KEEP(x); s += (double)CALL; } \
        KEEP(s);                                                                      \
        return 64.0;                                                                  \
    }
FUNCTION(call_exp, double, exp(-x))
FUNCTION(call_log, double, log(x))
FUNCTION(call_sin, double, sin(x))
FUNCTION(call_pow, double, pow(x, 1.3))
FUNCTION(call_expf, float, expf(-x))
FUNCTION(call_logf, float, logf(x))

static uint64_t random_state = 88172645463325252u;

enum { COUNTERS = 256 };

static uint64_t random_number(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

enum { WAYS = 1 << 22 }; /* fewer are learnt by heart */

/* A branch that no processor foresees, half of the time the other way: every second one is foreseen wrong. */
static double branches(Data *data, long rounds)
{
    const unsigned char *way = (const unsigned char *)data->a;
    long taken = 0;
    for (long k = 0; k < rounds; k++)
        for (long i = 0; i < WAYS; i++)
            if (way[i]) { taken++; __asm__ volatile("" : "+r"(taken)); }
    KEEP_INTEGER(taken);
    return WAYS / 2;
}

enum { NEXT = 8 }; /* one element of a line */

/* Each load needs the one before: a random cycle through one element of each line. */
static double chase(Data *data, long rounds)
{
    const uint64_t *next = (const uint64_t *)data->a;
    uint64_t at = 0;
    for (long k = 0; k < 64 * rounds; k++) at = next[at];
    KEEP_INTEGER(at);
    return 64.0;
}

/* Loads that are independent of each other, at places that are drawn by chance and known early (`b` holds them). */
static double gather(Data *data, long rounds)
{
    const uint32_t *at = (const uint32_t *)data->b;
    const double *a = data->a;
    double s = 0;
    for (long k = 0; k < rounds; k++) {
        double r[4] = {0};
        for (long i = 0; i < 4096; i += 4)
            for (int j = 0; j < 4; j++) r[j] += a[at[(k * 4096 + i + j) & 0xfffff]];
        s += r[0] + r[1] + r[2] + r[3];
    }
    KEEP(s);
    return 4096.0;
}

/* Atomic additions at places drawn by chance, known early: to counters of its own, or to a few that all threads have. */
static double add_atomically(uint32_t *counters, const uint32_t *at, long rounds)
{
    for (long k = 0; k < rounds; k++)
        for (long i = 0; i < 4096; i++)
            __atomic_fetch_add(&counters[at[(k * 4096 + i) & 0xfffff] % COUNTERS], 1, __ATOMIC_RELAXED);
    return 4096.0;
}

static double own_updates(Data *data, long rounds)
{
    return add_atomically((uint32_t *)data->a, (const uint32_t *)data->b, rounds);
}

static double shared_updates(Data *data, long rounds)
{
    static uint32_t counters[COUNTERS] __attribute__((aligned(64)));
    return add_atomically(counters, (const uint32_t *)data->b, rounds);
}

enum { FROM_PAGE_TO_PAGE = (2 * 4096 + 64) / 8, FEW_PAGES = 512, LEAST_MANY = 4096, MANY_PAGES = 8192 };

/* One element of every second page, over and over, as in a column: the lines of many pages fit into the second cache, their
 * addresses nowhere. Not of every page: a TLB may keep several that lie side by side as one. */
static double pages(Data *data, long rounds)
{
    const double *a = data->a;
    const long number = (long)(data->length / FROM_PAGE_TO_PAGE);
    double s = 0;
    for (long k = 0; k < rounds; k++) {
        double r[4] = {0};
        for (long i = 0; i + 4 <= number; i += 4)
            for (int j = 0; j < 4; j++) r[j] += a[(i + j) * FROM_PAGE_TO_PAGE];
        s += r[0] + r[1] + r[2] + r[3];
        MEMORY_CHANGES();
    }
    KEEP(s);
    return (double)(number / 4 * 4);
}

/* --- threads */

/* Keeps the thread on the k-th of the cores that the process may use. Two threads that the system has put on one core
 * otherwise stay there for some milliseconds: they would be measured as one. */
static void stay_on_core(int k)
{
    cpu_set_t all, own;
    CPU_ZERO(&own);
    if (sched_getaffinity(0, sizeof all, &all) != 0) return;
    for (int core = 0; core < CPU_SETSIZE; core++)
        if (CPU_ISSET(core, &all) && k-- == 0) {
            CPU_SET(core, &own);
            pthread_setaffinity_np(pthread_self(), sizeof own, &own);
            return;
        }
}

typedef struct {
    Work *work;
    size_t length;
    int arrays, core; /* core: -1 for any */
    long rounds;
    pthread_barrier_t *gate;
    double start, end, ran, amount;
} Job;

static double *array(size_t length)
{
    double *found = NULL;
    if (length == 0) return NULL;
    if (posix_memalign((void **)&found, 4096, length * sizeof(double)) != 0) exit(3);
    for (size_t i = 0; i < length; i++) found[i] = 1.0; /* the thread that uses it touches it first */
    return found;
}

static void make_cycle(uint64_t *next, size_t lines)
{
    uint32_t *order = malloc(lines * sizeof *order);
    if (order == NULL) exit(3);
    for (size_t k = 0; k < lines; k++) order[k] = (uint32_t)k;
    for (size_t k = lines - 1; k > 1; k--) { /* the first stays where it is */
        size_t other = 1 + random_number() % k;
        uint32_t kept = order[k];
        order[k] = order[other], order[other] = kept;
    }
    for (size_t k = 0; k < lines; k++) next[(size_t)order[k] * NEXT] = (uint64_t)order[(k + 1) % lines] * NEXT;
    free(order);
}

static void choose_ways(unsigned char *way)
{
    for (int k = 0; k < WAYS; k++) way[k] = (unsigned char)(random_number() >> 40 & 1);
}

static void draw_places(uint32_t *at, size_t length)
{
    for (int k = 0; k < 1 << 20; k++) at[k] = (uint32_t)(random_number() % length);
}

static void *run(void *argument)
{
    Job *job = argument;
    if (job->core >= 0) stay_on_core(job->core);
    Data data = {array(job->length), NULL, NULL, job->length};
    if (job->arrays == 3) data.b = array(job->length), data.c = array(job->length);
    if (job->work == chase) make_cycle((uint64_t *)data.a, job->length / NEXT);
    if (job->work == branches) choose_ways((unsigned char *)data.a);
    if (job->work == gather || job->work == own_updates || job->work == shared_updates) data.b = array(1 << 19), draw_places((uint32_t *)data.b, job->length);
    pthread_barrier_wait(job->gate);
    job->start = now();
    job->ran = ran();
    job->amount = job->work(&data, job->rounds) * (double)job->rounds;
    job->ran = ran() - job->ran;
    job->end = now();
    free(data.a), free(data.b), free(data.c);
    return NULL;
}

/* Seconds from the first start to the last end, or those that a single thread ran; `amount`: of all threads. */
static double together(int threads, Work *work, int arrays, size_t length, long rounds, double *amount)
{
    pthread_t *made = calloc((size_t)threads, sizeof *made);
    Job *jobs = calloc((size_t)threads, sizeof *jobs);
    pthread_barrier_t gate;
    double start = 1e300, end = 0;
    if (made == NULL || jobs == NULL) exit(3);
    pthread_barrier_init(&gate, NULL, (unsigned)threads);
    for (int k = 0; k < threads; k++) {
        jobs[k] = (Job){work, length, arrays, threads == 1 ? -1 : k, rounds, &gate, 0, 0, 0, 0};
        if (pthread_create(&made[k], NULL, run, &jobs[k]) != 0) exit(3);
    }
    *amount = 0;
    for (int k = 0; k < threads; k++) {
        pthread_join(made[k], NULL);
        *amount += jobs[k].amount;
        if (jobs[k].start < start) start = jobs[k].start;
        if (jobs[k].end > end) end = jobs[k].end;
    }
    pthread_barrier_destroy(&gate);
    if (threads == 1) start = 0, end = jobs[0].ran;
    free(made), free(jobs);
    return end - start;
}

static int by_size(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* More pages than a TLB has, of which the second cache holds a line each. */
static long many_pages(size_t l2)
{
    long held = (long)(l2 / 2 / 64);
    return held < LEAST_MANY ? LEAST_MANY : held > MANY_PAGES ? MANY_PAGES : held;
}

/* Seconds for an access to one of so many pages: the median of three, each in memory that is taken anew, since which pages a
 * TLB keeps depends on where the system puts them. */
static double of_pages(long number)
{
    double amount, seconds, found[3];
    for (int k = 0; k < 3; k++) {
        long rounds = 1;
        while ((seconds = together(1, pages, 1, (size_t)number * FROM_PAGE_TO_PAGE, rounds, &amount)) < LONG_ENOUGH / 4)
            rounds *= 2;
        found[k] = seconds / amount;
    }
    qsort(found, 3, sizeof *found, by_size);
    return found[1];
}

/* As many pages as it takes until an access takes so long. */
static long pages_until(double seconds, long found, long lost)
{
    while (lost - found > FEW_PAGES / 8) {
        long middle = (found + lost) / 2;
        if (of_pages(middle) < seconds) found = middle;
        else lost = middle;
    }
    return (found + lost) / 2;
}

/* Pages as many as it takes until a tenth, half and three quarters of the accesses wait for an address. */
static void count_pages(long many, int repetitions)
{
    const struct { const char *key; double part; } wait[] = {{".found", 0.1}, {"", 0.5}, {".lost", 0.75}};
    for (int k = 0; k < repetitions; k++) {
        double none = of_pages(FEW_PAGES), all = of_pages(many);
        for (size_t i = 0; i < sizeof wait / sizeof *wait; i++)
            printf("core.pages%s %.6e\n", wait[i].key, (double)pages_until(none + wait[i].part * (all - none), FEW_PAGES, many));
    }
    fflush(stdout);
}

/* Seconds for each, of all that the threads do. */
static void measure_each(const char *key, int threads, Work *work, size_t length, int repetitions)
{
    long rounds = 1;
    double amount;
    while (together(threads, work, 1, length, rounds, &amount) < LONG_ENOUGH) rounds *= 2;
    for (int k = 0; k < repetitions; k++) {
        double seconds = together(threads, work, 1, length, rounds, &amount);
        printf("%s %.6e\n", key, seconds / amount);
    }
    fflush(stdout);
}

static void measure(const char *key, int threads, Work *work, int arrays, size_t length, int repetitions)
{
    long rounds = 1;
    double amount;
    while (together(threads, work, arrays, length, rounds, &amount) < LONG_ENOUGH) rounds *= 2;
    for (int k = 0; k < repetitions; k++) {
        double seconds = together(threads, work, arrays, length, rounds, &amount);
        printf("%s %.6e\n", key, amount / seconds);
    }
    fflush(stdout);
}

/* --- starting a team, and waiting for its last member */

enum { REGIONS = 200, PAUSES = 5 };
#define PAUSE 0.02 /* s: longer than any team waits with its eyes open */

#ifdef _OPENMP
static void region(void)
{
#pragma omp parallel
    MEMORY_CHANGES();
}

/* Seconds of a region without work, one after the other; and, as the last value, after a pause (the median: the
 * system may need milliseconds until both threads have a core). */
static void team(int threads, int repetitions)
{
    double slept[PAUSES], start;
    (void)threads;
#pragma omp parallel
    stay_on_core(omp_get_thread_num()); /* also makes the team */
    for (int r = 0; r <= repetitions; r++) {
        start = now();
        for (int k = 0; k < REGIONS; k++) region();
        if (r != 0) printf("threads.start %.6e\n", (now() - start) / REGIONS);
    }
    for (int r = 0; r < PAUSES; r++) {
        struct timespec pause = {0, (long)(1e9 * PAUSE)};
        nanosleep(&pause, NULL);
        start = now();
        region();
        slept[r] = now() - start;
    }
    qsort(slept, PAUSES, sizeof *slept, by_size);
    printf("threads.start %.6e\n", slept[PAUSES / 2]);
}
#else
static void *member(void *argument)
{
    pthread_barrier_t *gate = argument;
    for (int k = 0; k < REGIONS; k++) {
        pthread_barrier_wait(gate);
        pthread_barrier_wait(gate);
    }
    return NULL;
}

static void team(int threads, int repetitions)
{
    pthread_t *made = calloc((size_t)threads, sizeof *made);
    if (made == NULL) exit(3);
    for (int r = 0; r < repetitions; r++) {
        pthread_barrier_t gate;
        pthread_barrier_init(&gate, NULL, (unsigned)threads);
        for (int k = 1; k < threads; k++)
            if (pthread_create(&made[k], NULL, member, &gate) != 0) exit(3);
        double start = now();
        member(&gate);
        printf("threads.start %.6e\n", (now() - start) / REGIONS);
        for (int k = 1; k < threads; k++) pthread_join(made[k], NULL);
        pthread_barrier_destroy(&gate);
    }
    free(made);
}
#endif

int main(int count, char **arguments)
{
    size_t given[7] = {0};
    if (count != 7) return 2;
    for (int k = 1; k < 7; k++) given[k] = (size_t)strtoull(arguments[k], NULL, 10);
    int cores = (int)given[1], repetitions = (int)given[6];
    size_t l1 = given[2], l2 = given[3], l3 = given[4], stream = given[5];
    if (cores < 1 || repetitions < 1 || l1 == 0 || stream == 0) return 2;
    const int each[2] = {1, cores};
    const char *names[2] = {"one_core", "all_cores"};

    printf("vector %d\n", 8 * WIDTH);
#if defined(__FMA__) || defined(__aarch64__)
    printf("fused 1\n");
#else
    printf("fused 0\n");
#endif
    for (int k = 0; k < 2; k++) {
        char key[64];
#define MEASURE(PREFIX, WORK, ARRAYS, LENGTH)                                \
    snprintf(key, sizeof key, PREFIX "%s", names[k]);                        \
    measure(key, each[k], WORK, ARRAYS, LENGTH, repetitions);
        MEASURE("clock.", cycles, 0, 0)
        MEASURE("compute.fp64.", peak_fp64, 0, 0)
        MEASURE("compute.fp32.", peak_fp32, 0, 0)
        MEASURE("compute.int32.", peak_int32, 0, 0)
        MEASURE("memory.", triad, 3, stream / sizeof(double) / (size_t)each[k])
    }
    measure("cache.l1_rate", 1, loads, 1, l1 / 2 / sizeof(double), repetitions);
    if (l2 != 0) measure("cache.l2_rate.core", 1, loads, 1, (l1 + l2) / 2 / sizeof(double), repetitions);
    if (l3 != 0) measure("cache.l3_rate.core", 1, loads, 1, l3 / 4 / sizeof(double), repetitions);
    const struct { const char *key; Work *work; size_t length; } each_of[] = {
        {"core.add", chain_add, 0}, {"core.multiply", chain_multiply, 0}, {"core.fused", chain_fused, 0},
        {"core.divide", chain_divide, 0}, {"core.root", chain_root, 0}, {"core.compare", chain_compare, 0},
        {"core.integer_multiply", chain_product, 0}, {"core.integer_divide", chain_quotient, 0},
        {"core.forward", chain_memory, 8},
        {"core.each_divide", each_divide, 0}, {"core.each_divide.fp32", each_divide_float, 0},
        {"core.each_root", each_root, 0}, {"core.each_integer_divide", each_quotient, 0},
        {"core.each_divide.vector", divisions_fp64, 1024}, {"core.each_divide.fp32.vector", divisions_fp32, 1024},
        {"core.exp", call_exp, 0}, {"core.log", call_log, 0}, {"core.sin", call_sin, 0}, {"core.pow", call_pow, 0},
        {"core.exp.fp32", call_expf, 0}, {"core.log.fp32", call_logf, 0},
        {"core.branch", branches, WAYS / sizeof(double)},
        {"core.page", pages, (size_t)many_pages(l2) * FROM_PAGE_TO_PAGE},
        {"core.load.l1", chase, l1 / 2 / sizeof(double)},
        {"core.load.l2", chase, l2 / 2 / sizeof(double)},
        {"core.load.l3", chase, l3 / 4 / sizeof(double)},
        {"core.load.memory", chase, stream / sizeof(double)},
        {"core.random.l2", gather, l2 / 2 / sizeof(double)},
        {"core.random.l3", gather, l3 / 4 / sizeof(double)},
        {"core.random.memory", gather, stream / sizeof(double)},
        {"core.atomic", own_updates, COUNTERS},
    };
    for (size_t k = 0; k < sizeof each_of / sizeof *each_of; k++) {
        if (strstr(each_of[k].key, ".l2") != NULL && l2 == 0) continue;
        if (strstr(each_of[k].key, ".l3") != NULL && l3 == 0) continue;
        measure_each(each_of[k].key, 1, each_of[k].work, each_of[k].length, repetitions);
    }
    count_pages(many_pages(l2), repetitions);
    measure_each("threads.atomic", cores, shared_updates, COUNTERS, repetitions);
    team(cores, repetitions);
    return 0;
}
