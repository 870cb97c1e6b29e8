/* What the measured kernels are called with, and how long a call takes. Each generated driver includes this file.
 *
 * Time is that of the thread itself (CLOCK_THREAD_CPUTIME_ID): a machine that also does something else takes the thread
 * off the processor, which is no time of the kernel. `WALL` measures by the wall instead: threads of a team.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef WALL
#define CLOCK CLOCK_MONOTONIC
#else
#define CLOCK CLOCK_THREAD_CPUTIME_ID
#endif
#define LONG_ENOUGH 0.004 /* s */

typedef double f64;
typedef float f32;
typedef int32_t i32;
typedef uint32_t u32;
typedef int16_t i16;
typedef uint8_t u8;

static uint64_t state = 88172645463325252u;

static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static double fraction(void) { return (double)(next_random() >> 11) / 9007199254740992.0; }

static void *block(size_t bytes)
{
    void *found = NULL;
    if (posix_memalign(&found, 4096, bytes + 4096) != 0) exit(3);
    memset(found, 0, bytes + 4096);
    return found;
}

/* A permutation of 0 .. length - 1 within blocks of `width`. */
static void permute(i32 *a, long length, long width)
{
    for (long k = 0; k < length; k++) a[k] = (i32)k;
    for (long start = 0; start < length; start += width) {
        long of = length - start < width ? length - start : width;
        for (long k = of - 1; k > 0; k--) {
            long other = (long)(next_random() % (uint64_t)(k + 1));
            i32 kept = a[start + k];
            a[start + k] = a[start + other], a[start + other] = kept;
        }
    }
}

/* One cycle through all elements: a[k] is what follows k (Sattolo). */
static void make_cycle(i32 *a, long length)
{
    for (long k = 0; k < length; k++) a[k] = (i32)k;
    for (long k = length - 1; k > 0; k--) {
        long other = (long)(next_random() % (uint64_t)k);
        i32 kept = a[k];
        a[k] = a[other], a[other] = kept;
    }
}

#define FILL(a, length, value) for (long k = 0; k < (length); k++) (a)[k] = (value)

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define MEASURE(call, samples)                                          \
    do {                                                                \
        long rounds = 1;                                                \
        double spent;                                                   \
        for (;;) {                                                      \
            double start = now();                                       \
            for (long r = 0; r < rounds; r++) { call; }                 \
            spent = now() - start;                                      \
            if (spent >= LONG_ENOUGH) break;                            \
            rounds = spent < LONG_ENOUGH / 16 ? rounds * 8 : rounds * 2; \
        }                                                               \
        for (int s = 0; s < (samples); s++) {                           \
            double start = now();                                       \
            for (long r = 0; r < rounds; r++) { call; }                 \
            printf("%.6e\n", (now() - start) / (double)rounds);         \
        }                                                               \
    } while (0)
