/* Calls functions and their changed copies on equal memory, each in a process of its own, and compares all memory.
 *
 * `program check` runs the originals (built with sanitizers) and prints a checksum for every run that is valid;
 * `program run GOOD` runs the variants on those inputs, where the checksums of the original are the same again (it reads
 * nothing uninitialised), with several numbers of threads and schedules. Where a change reaches beyond one function, it is
 * compiled alone: `original dump GOOD RESULTS` writes what the original gives, `changed against GOOD RESULTS` compares. */

#define _GNU_SOURCE
#include "runtime.h"
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef ARCHER /* ThreadSanitizer watches for races, in memory where it has room for them, and takes its time */
static void *clz_race;
static void clz_watch(void) {}
#define ARENA ((char *)0x3000000000)
#define SLOWER 10
#else
extern void *clz_race;
void clz_watch(void);
#define ARENA ((char *)0x300000000000)
#define SLOWER 1
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

#define ARENA_BYTES (1L << 28)
#define GAP 4096
#define MOST_BYTES (1L << 25)
#define ELEMENTS 8192
#define LEAD 64
#define MILLISECONDS (40 * SLOWER)

/* --- inputs: one row for each run */

enum sizes { EQUAL, MIXED };
enum integers { BELOW, SIGNED_SMALL, RISING, PERMUTED };
enum floats { QUARTERS, LONG_FRACTIONS, ZEROS };
enum overlap { APART, SAME, SHIFTED };

static const struct trial {
    enum sizes sizes;
    int least, most;
    enum integers integers;
    enum floats floats;
    enum overlap overlap;
    int all_schedules;
} trials[] = {
    {EQUAL, 6, 6, BELOW, QUARTERS, APART, 0},       {EQUAL, 13, 13, RISING, LONG_FRACTIONS, APART, 1},
    {MIXED, 0, 9, SIGNED_SMALL, LONG_FRACTIONS, APART, 0}, {MIXED, 5, 25, BELOW, ZEROS, APART, 1},
    {EQUAL, 1, 1, PERMUTED, QUARTERS, APART, 0},    {EQUAL, 40, 40, PERMUTED, LONG_FRACTIONS, APART, 0},
    {MIXED, 1, 40, RISING, QUARTERS, APART, 0},     {EQUAL, 13, 13, BELOW, LONG_FRACTIONS, SAME, 0},
    {MIXED, 3, 20, PERMUTED, QUARTERS, SHIFTED, 0}, {EQUAL, 0, 0, BELOW, QUARTERS, APART, 0},
    {EQUAL, 24, 24, RISING, QUARTERS, APART, 1},
};
enum { TRIALS = sizeof trials / sizeof *trials };

static const struct trial *trial;
static unsigned long state;

static unsigned random_below(unsigned n)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return n ? (unsigned)(state >> 20) % n : 0;
}

static long a_size(void)
{
    return trial->least + (trial->sizes == MIXED ? random_below(trial->most - trial->least + 1) : 0);
}

static long an_integer(unsigned long k)
{
    unsigned bound = trial->most > 1 ? trial->most : 2;
    switch (trial->integers) {
    case BELOW: return random_below(bound);
    case SIGNED_SMALL: return (long)random_below(16) - 4;
    case RISING: return k < LEAD ? 0 : (long)(k - LEAD) + (random_below(2) & k);
    default: return (long)((k * 7 + 3) % (bound | 1));
    }
}

static double a_number(void)
{
    switch (trial->floats) {
    case QUARTERS: return ((int)random_below(65) - 32) / 4.0;
    case LONG_FRACTIONS: return ((int)random_below(2000001) - 1000000) / 777.0;
    default: return (double[]){0.0, -0.0, 1.25, -3.0 / 7}[random_below(4)];
    }
}

/* --- memory: regions in the order in which they are registered */

static struct region {
    char *at;
    const struct clz_type *type;
    unsigned long count;
    const char *name;
    unsigned long lead; /* elements before the one that a pointer leads to */
} regions[4096];
static int number_of_regions;
static unsigned long total;
static char *top;
static struct region *last_apart;

static void region(void *at, const struct clz_type *type, unsigned long count, const char *name)
{
    if (number_of_regions < 4096) {
        regions[number_of_regions++] = (struct region){at, type, count, name, 0};
        total += type->size * count;
    }
}

static void fill(char *at, const struct clz_type *type, unsigned long k, int depth, int size_like, const char *name);

static char *reserve(const struct clz_type *type, unsigned long count)
{
    unsigned long bytes = type->size * count;
    char *at = top;
    if (top + bytes + 2 * GAP > ARENA + ARENA_BYTES)
        return 0;
    ASAN_UNPOISON_MEMORY_REGION(at, bytes);
    top += (bytes + GAP + 63) / 64 * 64;
    return at;
}

static char *made(const struct clz_type *type, unsigned long count, int depth, const char *name)
{
    char *at = reserve(type, count);
    if (!at)
        return 0;
    region(at, type, count, name);
    for (unsigned long k = 0; k < count; k++)
        fill(at + k * type->size, type, k, depth, 0, name);
    return at;
}

static const struct clz_type *linked; /* the structure whose elements are being filled */
static char *link_to;

static int holds_pointers(const struct clz_type *type)
{
    int found = type->kind == clz_POINTER;
    for (unsigned long k = 0; type->kind == clz_STRUCT && k < type->count && !found; k++)
        found = holds_pointers(type->members[k].type);
    return found;
}

static void fill_pointer(char **at, const struct clz_type *to, int depth, const char *name)
{
    *at = 0;
    if (to && to == linked)
        *at = link_to;
    else if (to && depth < 3) {
        int records = to->kind == clz_STRUCT || to->kind == clz_POINTER;
        *at = made(to, records ? holds_pointers(to) ? depth ? 8 : 48 : 256 : depth > 1 ? 256 : 2048, depth + 1, name);
    }
}

static void fill_structure(char *at, const struct clz_type *type, unsigned long k, int depth, const char *name)
{
    const struct clz_type *outer = linked;
    char *outer_link = link_to;
    int size_like = holds_pointers(type);
    linked = type;
    link_to = k % 8 == 7 ? 0 : at + type->size;
    for (unsigned long m = 0; m < type->count; m++) {
        const struct clz_member *x = type->members + m;
        for (unsigned long j = 0; j < x->count; j++)
            fill(at + x->offset + j * x->type->size, x->type, x->count > 1 ? j + LEAD : k, depth, size_like && x->count == 1, name);
    }
    linked = outer;
    link_to = outer_link;
}

static void fill(char *at, const struct clz_type *type, unsigned long k, int depth, int size_like, const char *name)
{
    long value;
    switch (type->kind) {
    case clz_FLOATING: {
        double x = size_like ? 0.75 : a_number();
        if (type->size == sizeof(float)) *(float *)at = (float)x;
        else if (type->size == sizeof(double)) *(double *)at = x;
        else *(long double *)at = x;
        return;
    }
    case clz_SIGNED:
        value = size_like ? a_size() : an_integer(k);
        memcpy(at, &value, type->size <= 8 ? type->size : 8);
        return;
    case clz_UNSIGNED:
        value = size_like ? a_size() : labs(an_integer(k));
        memcpy(at, &value, type->size <= 8 ? type->size : 8);
        return;
    case clz_BOOLEAN: *at = (char)random_below(2); return;
    case clz_RAW:
        for (unsigned long b = 0; b < type->size; b++)
            at[b] = (char)random_below(4);
        return;
    case clz_POINTER: fill_pointer((char **)at, type->to, depth, name); return;
    case clz_STRUCT: fill_structure(at, type, k, depth, name); return;
    }
}

void *clz_buffer(const struct clz_type *type, unsigned long least, int kept_apart, const char *name)
{
    unsigned long lead = type->kind == clz_STRUCT || type->kind == clz_POINTER ? 0 : LEAD;
    unsigned long count = type->kind == clz_POINTER ? 64 : holds_pointers(type) ? 16 : type->kind == clz_STRUCT ? 1024 : ELEMENTS;
    if (!kept_apart && last_apart && trial->overlap != APART && last_apart->type == type)
        return last_apart->at + (lead + (trial->overlap == SHIFTED ? 1 + random_below(3) : 0)) * type->size;
    if (count < least && least * type->size <= MOST_BYTES)
        count = least;
    int mine = number_of_regions;
    char *at = made(type, count + 2 * lead, 0, name);
    if (at)
        regions[mine].lead = lead;
    if (at && !kept_apart)
        last_apart = regions + mine;
    return at ? at + lead * type->size : 0;
}

/* Behind the elements of the last buffer that a call is given. */
void *clz_end_of_last(const struct clz_type *type)
{
    if (!number_of_regions || regions[number_of_regions - 1].type != type)
        return 0;
    return regions[number_of_regions - 1].at + (LEAD + trial->most) * type->size;
}

void clz_object(void *at, const struct clz_type *type, unsigned long count, int filled, const char *name)
{
    region(at, type, count, name);
    for (unsigned long k = 0; filled && k < count; k++)
        fill((char *)at + k * type->size, type, k + LEAD, 0, count == 1, name);
}

void clz_argument(void *at, const struct clz_type *type)
{
    fill(at, type, 0, 0, 1, "argument");
}

static void prepare(int c, int t)
{
    ASAN_POISON_MEMORY_REGION(ARENA, top - ARENA);
    trial = trials + t;
    state = 88172645463325252UL + 1000003UL * t;
    number_of_regions = 0, total = 0, top = ARENA + GAP, last_apart = 0;
    clz_cases[c].prepare();
}

/* --- results */

static char *shared[2];
static long shared_bytes;

static void need(long bytes)
{
    if (bytes <= shared_bytes)
        return;
    for (int k = 0; k < 2; k++) {
        if (shared[k]) munmap(shared[k], shared_bytes);
        shared[k] = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    shared_bytes = bytes;
}

static void save(char *to)
{
    for (int r = 0; r < number_of_regions; r++) {
        memcpy(to, regions[r].at, regions[r].type->size * regions[r].count);
        to += regions[r].type->size * regions[r].count;
    }
}

static int in_arena(const void *p)
{
    return (const char *)p >= ARENA && (const char *)p < ARENA + ARENA_BYTES;
}

static double number(const char *at, unsigned long size)
{
    return size == sizeof(float) ? *(const float *)at : size == sizeof(double) ? *(const double *)at : (double)*(const long double *)at;
}

static int close_enough(const char *a, const char *b, unsigned long size)
{
    double x = number(a, size), y = number(b, size), large = fmax(1, fmax(fabs(x), fabs(y)));
    if (!isfinite(x) || !isfinite(y))
        return 1; /* a partial product or sum overflows where the whole does not: docs/soundness.md, fp-reorder */
    return x == y || fabs(x - y) <= (size == sizeof(float) ? 1e-2 : 1e-6) * large;
}

static int equal(const char *a, const char *b, const struct clz_type *type, int reorders)
{
    if (type->kind != clz_STRUCT && !memcmp(a, b, type->size == 16 && type->kind == clz_FLOATING ? 10 : type->size))
        return 1;
    switch (type->kind) {
    case clz_FLOATING: {
        double x = number(a, type->size), y = number(b, type->size);
        return (isnan(x) && isnan(y)) || (reorders && close_enough(a, b, type->size));
    }
    case clz_POINTER: return *(void **)a && *(void **)b && !in_arena(*(void **)a) && !in_arena(*(void **)b);
    case clz_STRUCT:
        for (unsigned long m = 0; m < type->count; m++) {
            const struct clz_member *x = type->members + m;
            for (unsigned long j = 0; j < x->count; j++)
                if (!equal(a + x->offset + j * x->type->size, b + x->offset + j * x->type->size, x->type, reorders))
                    return 0;
        }
        return 1;
    default: return 0;
    }
}

static unsigned long mixed(unsigned long sum, const char *at, const struct clz_type *type)
{
    switch (type->kind) {
    case clz_POINTER:
        return sum * 31 + (in_arena(*(void **)at) ? (unsigned long)(*(char **)at - ARENA) : !*(void **)at);
    case clz_STRUCT:
        for (unsigned long m = 0; m < type->count; m++)
            for (unsigned long j = 0; j < type->members[m].count; j++)
                sum = mixed(sum, at + type->members[m].offset + j * type->members[m].type->size, type->members[m].type);
        return sum;
    case clz_FLOATING:
        if (isnan(number(at, type->size)))
            return sum * 31 + 7;
        /* fall through */
    default:
        for (unsigned long k = 0; k < (type->size == 16 && type->kind == clz_FLOATING ? 10 : type->size); k++)
            sum = (sum ^ (unsigned char)at[k]) * 1099511628211UL;
        return sum;
    }
}

static unsigned long checksum(const char *saved)
{
    unsigned long sum = 14695981039346656037UL;
    for (int r = 0; r < number_of_regions; r++)
        for (unsigned long k = 0; k < regions[r].count; k++, saved += regions[r].type->size)
            sum = mixed(sum, saved, regions[r].type);
    return sum;
}

static void show(const char *at, const struct clz_type *type)
{
    long value = 0;
    if (type->kind == clz_FLOATING) { printf("%.17g", number(at, type->size)); return; }
    memcpy(&value, at, type->size < 8 ? type->size : 8);
    printf(type->kind == clz_POINTER || type->kind == clz_RAW || type->kind == clz_STRUCT ? "%#lx" : "%ld", value);
}

/* Prints the first difference behind this heading; whether there is one. */
static int differs(const char *a, const char *b, int reorders, const char *heading)
{
    for (int r = 0; r < number_of_regions; r++)
        for (unsigned long k = 0; k < regions[r].count; k++, a += regions[r].type->size, b += regions[r].type->size)
            if (!equal(a, b, regions[r].type, reorders)) {
                printf("%s%s[%ld] is ", heading, regions[r].name, (long)(k - regions[r].lead));
                show(b, regions[r].type);
                printf(" instead of ");
                show(a, regions[r].type);
                printf("\n");
                return 1;
            }
    return 0;
}

/* --- runs */

static const struct schedule {
    int threads;
    const char *name;
    int watched; /* for races */
} schedules[] = {
    {7, "static,1", 1}, {7, "dynamic,1"}, {1, "static"}, {2, "static,1"}, {7, "static"}, {2, "dynamic,1"},
};
enum { REPORT = 66, LEFT = 75, RACE = 77, SCHEDULES = sizeof schedules / sizeof *schedules, FEW = 2 };

static void schedule(const struct schedule *s)
{
#ifdef _OPENMP
    omp_set_num_threads(s->threads);
    if (s->watched)
        clz_watch();
    omp_set_schedule(s->name[0] == 'd' ? omp_sched_dynamic : omp_sched_static, strchr(s->name, ',') ? 1 : 0);
#endif
}

/* What the child ended with; its memory is in `to`. */
static int run(int c, int which, const struct schedule *s, char *to, long milliseconds)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_RDWR);
        struct itimerval limit = {{0, 0}, {milliseconds / 1000, milliseconds % 1000 * 1000}};
        dup2(null, 0), dup2(null, 1), dup2(null, 2);
        setitimer(ITIMER_PROF, &limit, 0);
        alarm(100);
        if (s) schedule(s);
        clz_cases[c].call(which);
        save(to);
#ifdef _OPENMP
        if (clz_race) {
            memcpy(to, &clz_race, sizeof clz_race);
            _exit(RACE);
        }
#endif
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

static const char *race(void *at)
{
    static char text[256];
    for (int r = 0; r < number_of_regions; r++)
        if ((char *)at >= regions[r].at && (char *)at < regions[r].at + regions[r].type->size * regions[r].count) {
            long k = ((char *)at - regions[r].at) / (long)regions[r].type->size;
            snprintf(text, sizeof text, "race on %s[%ld]", regions[r].name, k - (long)regions[r].lead);
            return text;
        }
    return "race on a local variable or memory that was allocated";
}

static const char *ending(int status)
{
    static char text[64];
    if (WIFEXITED(status) && WEXITSTATUS(status) == RACE) {
        void *at;
        memcpy(&at, shared[1], sizeof at);
        return race(at);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == REPORT)
        return "race, by ThreadSanitizer";
    if (WIFEXITED(status)) {
        snprintf(text, sizeof text, "exit %d", WEXITSTATUS(status));
        return WEXITSTATUS(status) ? text : 0;
    }
    if (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGALRM)
        return "too long";
    return strsignal(WTERMSIG(status));
}

static void check(void)
{
    for (int c = 0; c < clz_number_of_cases; c++)
        for (int t = 0; t < TRIALS; t++) {
            prepare(c, t);
            need(total);
            const char *end = ending(run(c, 0, 0, shared[0], 12 * MILLISECONDS));
            if (end)
                printf("bad %d %d %s\n", c, t, end);
            else
                printf("good %d %d %lu\n", c, t, checksum(shared[0]));
        }
}

static unsigned long good[4096][TRIALS]; /* 0: not valid */

/* Sums of quarters are exact in any order, so that no rounding decides what a program does with them next. */
static int suits(const struct clz_variant *v, const struct trial *t)
{
    if (v->reorders && t->floats != QUARTERS)
        return 0;
    return (v->plain || t->overlap == APART) && (!v->rows || (t->sizes == EQUAL && t->most > 0 && t->most % 8 == 0));
}

static FILE *results;
static enum { ORIGINAL_HERE, WRITE, READ } mode;

/* What the original gives, in shared[0]; whether it is valid. */
static int reference(int c, int t)
{
    int head[2];
    long bytes;
    prepare(c, t);
    need(total);
    if (mode == READ)
        return fread(head, sizeof head, 1, results) == 1 && head[0] == c && head[1] == t &&
               fread(&bytes, sizeof bytes, 1, results) == 1 && bytes == (long)total &&
               fread(shared[0], 1, bytes, results) == total;
    const char *end = ending(run(c, 0, 0, shared[0], 4 * MILLISECONDS));
    if (end || checksum(shared[0]) != good[c][t]) {
        printf("uninitialised %d %d %s\n", c, t, end ? end : "");
        return good[c][t] = 0;
    }
    return 1;
}

static void dump(void)
{
    for (int c = 0; c < clz_number_of_cases; c++)
        for (int t = 0; t < TRIALS; t++)
            if (good[c][t] && reference(c, t)) {
                fwrite((int[]){c, t}, sizeof(int), 2, results);
                fwrite((long[]){(long)total}, sizeof(long), 1, results);
                fwrite(shared[0], 1, total, results);
            }
}

/* How many runs; -1 where one differs. */
static int compare(const struct clz_variant *v, int t)
{
    int runs = 0, most = trials[t].all_schedules ? SCHEDULES : FEW;
    for (int k = 0; k < most; k++, runs++) {
        int status = run(v->of, v->number, schedules + k, shared[1], 100 * MILLISECONDS);
        if (WIFEXITED(status) && WEXITSTATUS(status) == LEFT)
            return runs; /* a condition does not hold */
        const char *end = ending(status);
        if (!end && !memcmp(shared[0], shared[1], total))
            continue;
        char heading[128];
        snprintf(heading, sizeof heading, "differs %d input %d, %d threads, %s: ", v->number, t, schedules[k].threads,
                 schedules[k].name);
        if (end)
            printf("%s%s\n", heading, end);
        if (end || differs(shared[0], shared[1], v->reorders, heading))
            return -1;
    }
    return runs;
}

static void all(void)
{
    static int done[4096];
    for (int c = 0; c < clz_number_of_cases; c++)
        for (int t = 0; t < TRIALS; t++) {
            int ready = mode == READ && good[c][t] && reference(c, t);
            for (int k = 0; good[c][t] && k < clz_number_of_variants; k++) {
                const struct clz_variant *v = clz_variants + k;
                if (v->of != c || done[k] < 0 || !suits(v, trials + t))
                    continue;
                if (!ready && (mode == READ || !(ready = reference(c, t))))
                    break;
                int runs = compare(v, t);
                done[k] = runs < 0 ? -1 : done[k] + runs;
            }
        }
    for (int k = 0; k < clz_number_of_variants; k++)
        printf("variant %d %d\n", clz_variants[k].number, done[k]);
}

static void read_good(const char *path)
{
    FILE *in = fopen(path, "r");
    char line[256];
    int c, t;
    unsigned long sum;
    while (in && fgets(line, sizeof line, in))
        if (sscanf(line, "good %d %d %lu", &c, &t, &sum) == 3)
            good[c][t] = sum ? sum : 1;
    if (in) fclose(in);
}

int main(int argc, char **argv)
{
    void *at = mmap(ARENA, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (at != ARENA)
        return 2;
    top = ARENA + 2 * GAP;
    ASAN_POISON_MEMORY_REGION(ARENA, ARENA_BYTES);
    if (argc > 2)
        read_good(argv[2]);
    if (argc > 3)
        mode = strcmp(argv[1], "dump") ? READ : WRITE, results = fopen(argv[3], mode == READ ? "rb" : "wb");
    if (argc < 3)
        check();
    else if (mode == WRITE)
        dump(), fclose(results);
    else
        all();
    return 0;
}
