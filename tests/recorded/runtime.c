/* Records what loops do: the hooks of gcc's -fsanitize=thread, one for every access to memory, and those of
   instrument.py, which say where loops begin, iterate and end. No part of the sanitizer's own runtime is linked.

   Each entry of a loop (the first ones of each, then those whose number is a power of two) becomes a line:
       LOOP trips iterations loads stores bytes_loaded bytes_stored footprint read written stack symbol...
   `stack`: accesses to local variables; a symbol without a value is `-`. An entry with more accesses than there is room
   for becomes `LOOP dropped`. One thread only. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime.h"

#define ROOM (6u << 20)     /* accesses kept at a time */
#define DEPTH 4096          /* loops entered at a time */
#define SYMBOLS 64
#define FIRST 10            /* entries of each loop that are all recorded */
#define MOST 65536          /* entries after which a loop is left alone */
#define BITS 22             /* of the table of words */
#define WORDS (1u << BITS)

typedef struct { uintptr_t at; uint32_t size, written; } Access;
typedef struct {
    int loop, unit, live, symbols, begun;
    long long values[SYMBOLS];
    uintptr_t frame;
    size_t start;
    uint64_t trips, iterations;
} Entry;
typedef struct { uintptr_t at; size_t size; } Scalar;

void *recorded_jump[5];
static Access *accesses;
static size_t kept;
static Entry entries[DEPTH];
static int depth, live, quiet = 1;
static uint64_t *entered;
static long long pending[SYMBOLS];
static int pending_count;
static Scalar *scalars;
static size_t scalar_count;
static uintptr_t *words;
static unsigned char *masks[2];
static uint32_t *used;
static FILE *out;

static void *zeroed(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p)
        abort();
    return p;
}

/* A symbol cannot be read here: its pointer leads nowhere yet. */
static void fault(int number)
{
    if (quiet)
        __builtin_longjmp(recorded_jump, 1);
    signal(number, SIG_DFL);
}

static void read_scalars(const char *path)
{
    FILE *in = path ? fopen(path, "r") : NULL;
    unsigned long at, size;
    while (in && fscanf(in, "%lu %lu", &at, &size) == 2) {
        scalars = realloc(scalars, (scalar_count + 1) * sizeof *scalars);
        if (!scalars)
            abort();
        scalars[scalar_count++] = (Scalar){at, size};
    }
    if (in)
        fclose(in);
}

__attribute__((constructor)) static void start(void)
{
    struct sigaction action = {0};
    accesses = zeroed(ROOM, sizeof *accesses);
    entered = zeroed(RECORDED_LOOPS + 1, sizeof *entered);
    words = zeroed(WORDS, sizeof *words);
    used = zeroed(WORDS, sizeof *used);
    masks[0] = zeroed(WORDS, 1);
    masks[1] = zeroed(WORDS, 1);
    read_scalars(getenv("RECORDED_SCALARS"));
    out = fopen(getenv("RECORDED_LOG"), "w");
    if (!out)
        abort();
    setvbuf(out, NULL, _IOLBF, 1 << 16);
    action.sa_handler = fault;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGFPE, &action, NULL);
    quiet = 0;
}

/* Plain scalars do not count, wherever they live; the table is sorted. */
static int is_scalar(uintptr_t at)
{
    size_t low = 0, high = scalar_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (scalars[middle].at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low && at - scalars[low - 1].at < scalars[low - 1].size;
}

static void drop(Entry *e)
{
    if (e->live)
        fprintf(out, "%d dropped\n", e->loop);
    e->live = 0;
}

static void keep(void *p, uint32_t size, uint32_t written)
{
    if (!live || quiet || is_scalar((uintptr_t)p))
        return;
    if (kept == ROOM) {
        for (int i = 0; i < depth; i++)
            drop(&entries[i]);
        live = 0;
        kept = 0;
        return;
    }
    accesses[kept++] = (Access){(uintptr_t)p, size, written};
}

/* The place of a word of 8 bytes in the table. */
static uint32_t place(uintptr_t word, size_t *count)
{
    uint32_t h = (uint32_t)((word * 0x9E3779B97F4A7C15ull) >> (64 - BITS));
    while (words[h] && words[h] != word)
        h = (h + 1) & (WORDS - 1);
    if (!words[h]) {
        words[h] = word;
        used[(*count)++] = h;
    }
    return h;
}

static void report(Entry *e)
{
    uint64_t number[2] = {0, 0}, bytes[2] = {0, 0}, touched[2] = {0, 0}, either = 0, stack = 0;
    uintptr_t here = (uintptr_t)&number;
    size_t count = 0;
    for (size_t i = e->start; i < kept && count < WORDS / 2; i++) {
        Access a = accesses[i];
        number[a.written]++;
        bytes[a.written] += a.size;
        stack += a.at > here;
        for (uintptr_t b = a.at; b < a.at + a.size && count < WORDS / 2; b++)
            masks[a.written][place(b >> 3, &count)] |= 1u << (b & 7);
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t h = used[i];
        touched[0] += __builtin_popcount(masks[0][h]);
        touched[1] += __builtin_popcount(masks[1][h]);
        either += __builtin_popcount(masks[0][h] | masks[1][h]);
        words[h] = 0;
        masks[0][h] = masks[1][h] = 0;
    }
    if (count == WORDS / 2) {
        drop(e);
        return;
    }
    fprintf(out, "%d %lu %lu %lu %lu %lu %lu %lu %lu %lu %lu", e->loop, e->trips, e->iterations, number[0], number[1],
            bytes[0], bytes[1], either, touched[0], touched[1], stack);
    for (int i = 0; i < e->symbols; i++)
        if (e->values[i] == RECORDED_NONE)
            fprintf(out, " -");
        else
            fprintf(out, " %lld", e->values[i]);
    fprintf(out, "\n");
}

static void pop(void)
{
    Entry *e = &entries[--depth];
    if (e->live) {
        report(e);
        live--;
    }
    if (!live)
        kept = 0;
}

/* Loops of functions that were left by a jump are over. */
static void unwind(uintptr_t frame)
{
    while (depth && entries[depth - 1].frame < frame)
        pop();
}

/* Nothing is recorded until recorded_enter: values of symbols are read in between. */
int recorded_quiet(void)
{
    quiet = 1;
    pending_count = 0;
    return 0;
}

int recorded_value(long long value)
{
    if (pending_count < SYMBOLS)
        pending[pending_count++] = value;
    return 0;
}

int recorded_enter(int loop, int unit)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(1);
    unwind(frame);
    if (depth == DEPTH)
        abort();
    Entry *e = &entries[depth++];
    uint64_t n = ++entered[loop];
    e->loop = loop;
    e->unit = unit || depth == 1 ? unit : e[-1].unit; /* of a header: of whoever calls it */
    e->live = n <= MOST && (n <= FIRST || (n & (n - 1)) == 0);
    e->symbols = pending_count;
    e->begun = 0;
    memcpy(e->values, pending, sizeof pending);
    e->frame = frame;
    e->start = kept;
    e->trips = e->iterations = 0;
    live += e->live;
    quiet = 0;
    return 1;
}

/* Before the condition of a `for`: what its initialisation did is not the loop's. */
int recorded_first(int loop)
{
    if (depth && entries[depth - 1].loop == loop && !entries[depth - 1].begun) {
        entries[depth - 1].begun = 1;
        entries[depth - 1].start = kept;
        entries[depth - 1].iterations = 0;
    }
    return 1;
}

/* The nest of a loop is in its own source: what functions of other ones iterate is not seen by it. */
int recorded_iteration(int loop, int innermost)
{
    while (depth && entries[depth - 1].loop != loop)
        pop();
    if (!depth)
        return 1;
    Entry *e = &entries[depth - 1];
    e->trips++;
    for (int i = 0; innermost && i < depth; i++)
        if (entries[i].unit == e->unit)
            entries[i].iterations++;
    return 1;
}

int recorded_leave(int loop)
{
    while (depth && entries[depth - 1].loop != loop)
        pop();
    if (depth)
        pop();
    return 0;
}

void __tsan_init(void) {}
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) { unwind((uintptr_t)__builtin_frame_address(1) + 1); }

#define HOOKS(kind, n)                                        \
    void __tsan_##kind##read##n(void *p) { keep(p, n, 0); }   \
    void __tsan_##kind##write##n(void *p) { keep(p, n, 1); }
#define SIZES(kind) HOOKS(kind, 1) HOOKS(kind, 2) HOOKS(kind, 4) HOOKS(kind, 8) HOOKS(kind, 16)
SIZES()
SIZES(unaligned_)
SIZES(volatile_)
void __tsan_read_range(void *p, unsigned long n) { keep(p, (uint32_t)n, 0); }
void __tsan_write_range(void *p, unsigned long n) { keep(p, (uint32_t)n, 1); }
