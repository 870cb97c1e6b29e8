/* Measures one machine for `boathull calibrate`.
 *
 * usage: benchmark CORES L1 L2 L3 ARRAY REPETITIONS       caches and the length of the streamed arrays in bytes, L3 0: none
 *
 * Prints KEY VALUE once per repetition, in SI units: rates in bytes/s and operations/s, clocks in Hz, times in s. Each
 * repetition is long enough for the clock, and starts all threads at once. Needs POSIX threads and vector extensions of
 * GNU C (gcc, clang).
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

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

/* --- threads */

typedef struct {
    Work *work;
    size_t length;
    int arrays;
    long rounds;
    pthread_barrier_t *gate;
    double start, end, amount;
} Job;

static double *array(size_t length)
{
    double *found = NULL;
    if (length == 0) return NULL;
    if (posix_memalign((void **)&found, 4096, length * sizeof(double)) != 0) exit(3);
    for (size_t i = 0; i < length; i++) found[i] = 1.0; /* the thread that uses it touches it first */
    return found;
}

static void *run(void *argument)
{
    Job *job = argument;
    Data data = {array(job->length), NULL, NULL, job->length};
    if (job->arrays == 3) data.b = array(job->length), data.c = array(job->length);
    pthread_barrier_wait(job->gate);
    job->start = now();
    job->amount = job->work(&data, job->rounds) * (double)job->rounds;
    job->end = now();
    free(data.a), free(data.b), free(data.c);
    return NULL;
}

/* Seconds from the first start to the last end; `amount`: of all threads. */
static double together(int threads, Work *work, int arrays, size_t length, long rounds, double *amount)
{
    pthread_t *made = calloc((size_t)threads, sizeof *made);
    Job *jobs = calloc((size_t)threads, sizeof *jobs);
    pthread_barrier_t gate;
    double start = 1e300, end = 0;
    if (made == NULL || jobs == NULL) exit(3);
    pthread_barrier_init(&gate, NULL, (unsigned)threads);
    for (int k = 0; k < threads; k++) {
        jobs[k] = (Job){.work = work, .length = length, .arrays = arrays, .rounds = rounds, .gate = &gate};
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
    free(made), free(jobs);
    return end - start;
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

/* --- waking a team that waits, and waiting for its last member */

enum { REGIONS = 200 };

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
    if (l3 != 0) measure("cache.l3_rate.core", 1, loads, 1, (l2 + l3) / 2 / sizeof(double), repetitions);
    team(cores, repetitions);
    return 0;
}
