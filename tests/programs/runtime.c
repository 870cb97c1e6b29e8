/* Runs functions of a generated program and their changed copies on equal memory, each in a child of the process that has
 * prepared it, and compares all memory: what the callers hand over, the variables of the program and the static ones of its files.
 *
 * For every copy and input it prints
 *
 *     run LOOP INPUT BROKEN original|... held GUARDED forced
 *
 * as `key=value` words: how the original ends, whether it wrote to stderr, whether the conditions held each time that
 * the loop was reached, what came out where the conditions decide (guarded), and where the loop is parallel whatever
 * they say (forced; only where they did not hold). */

#define _GNU_SOURCE
#include "runtime.h"
#include "shapes.h"
#include <fcntl.h>
#include <math.h>
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern void *clz_race;
void clz_watch(void);

enum { LEAD = 64, ELEMENTS = 256, RACE = 77, STOPPED = 78, SECONDS = 3 };

/* The variables that every generated program has. */
extern double g_scale, g_sum, g_table[ELEMENTS], *g_buf;
extern int g_n, g_count, g_flag, g_map[ELEMENTS];
extern struct field g_field;
extern struct cell g_cells[ELEMENTS];

int clz_n, clz_m;
double clz_x, clz_result;
double *clz_a, *clz_b;
int *clz_idx, *clz_ptr;
struct field *clz_s, *clz_t;
struct cell *clz_c;

/* --- inputs */

enum order { IDENTITY, PERMUTED, BACKWARDS, REPEATED, CONSTANT, ENDS }; /* ENDS: the last value is the first one again */
enum { PARAMETERS = 1, MEMBERS = 2 }; /* what overlaps although it should not */
enum { FALLS, RISES, LAST_FALLS };

static const struct input {
    int n, m;
    enum order order;
    int rises;    /* whether row pointers fall */
    int negative; /* some data are */
    int broken;
    int shift;    /* how far apart arrays begin that overlap: n - 1 where they have one element in common */
    int chained;  /* they overlap with members, too: those of one line of `chain` with those of the next */
} inputs[] = {
    {0, 3, PERMUTED, RISES},    {1, 1, PERMUTED, RISES, 1},  {7, 5, PERMUTED, RISES},
    {32, 4, IDENTITY, RISES, 1}, {13, 6, REPEATED, FALLS},    {20, 2, BACKWARDS, FALLS, 1},
    {16, 0, CONSTANT, RISES},   {11, 7, REPEATED, RISES, 1}, {10, 10, ENDS, LAST_FALLS},
    {12, 3, PERMUTED, RISES, 0, PARAMETERS, 1},
    {9, 4, IDENTITY, RISES, 0, MEMBERS, 1},
    {14, 5, PERMUTED, RISES, 1, PARAMETERS | MEMBERS, 1},
    {10, 10, PERMUTED, RISES, 0, PARAMETERS | MEMBERS, 9},
    {10, 10, PERMUTED, RISES, 1, PARAMETERS | MEMBERS, 9, 1},
};
enum { INPUTS = sizeof inputs / sizeof *inputs };

static double a[LEAD + ELEMENTS], b[ELEMENTS], buffer[ELEMENTS];
static int idx[ELEMENTS], ptr[ELEMENTS];
static struct cell cells[ELEMENTS];
static struct shape {
    struct field field;
    double u[ELEMENTS], v[ELEMENTS];
    int map[ELEMENTS];
    struct cell cells[ELEMENTS];
} first, second, third;

static unsigned long state;

static unsigned below(unsigned n)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (unsigned)(state >> 20) % n;
}

static void numbers(double *p, const struct input *in)
{
    for (int k = 0; k < ELEMENTS; k++)
        p[k] = ((int)below(48) - (in->negative ? 16 : 0)) / 4.0;
}

static int place(int k, const struct input *in)
{
    switch (in->order) {
    case ENDS: return k == LEAD + in->n - 1 ? LEAD & 31 : k & 31;
    case IDENTITY: return k & 31;
    case PERMUTED: return (k * 7 + 3) & 31;
    case BACKWARDS: return 31 - (k & 31);
    case REPEATED: return (int)below(32);
    default: return 5;
    }
}

static void places(int *p, const struct input *in)
{
    for (int k = 0; k < ELEMENTS; k++)
        p[k] = place(k, in);
}

static void fill_cells(struct cell *p, const struct input *in)
{
    for (int k = 0; k < ELEMENTS; k++)
        p[k] = (struct cell){(int)below(48) / 4.0 - 4 * in->negative, (int)below(16) / 4.0, place(k, in)};
}

static void fill_shape(struct shape *s, const struct input *in)
{
    int aliased = in->broken & MEMBERS;
    numbers(s->u, in), numbers(s->v, in), places(s->map, in), fill_cells(s->cells, in);
    s->field = (struct field){in->n, s->u + LEAD, (aliased ? s->u + in->shift : s->v) + LEAD, s->map + LEAD, 1.5, s->cells + LEAD};
}

static void chain(double *at, int shift)
{
    g_field.v = at;
    g_buf = at + shift;
    clz_a = first.field.v = g_field.u = at + 2 * shift;
    clz_b = at + 3 * shift;
}

static void prepare(const struct input *in)
{
    int overlap = in->broken & PARAMETERS;
    state = 88172645463325252UL + 1000003UL * (in - inputs);
    numbers(a + LEAD, in), numbers(b, in), numbers(buffer, in), numbers(g_table, in);
    places(idx, in), places(g_map, in);
    fill_cells(cells, in), fill_cells(g_cells, in);
    fill_shape(&first, in), fill_shape(&second, in), fill_shape(&third, in);
    for (int k = 0, row = 0; k < ELEMENTS; k++, row += k > LEAD ? (int)below(3) : 0)
        ptr[k] = in->rises ? row > 60 ? 60 : row : (int)below(32);
    if (in->rises == LAST_FALLS)
        ptr[LEAD + in->n - 1] = 0;
    clz_n = in->n, clz_m = in->m, clz_x = 2.25, clz_result = 0;
    clz_a = a + 2 * LEAD, clz_b = overlap ? clz_a + in->shift : b + LEAD, clz_idx = idx + LEAD, clz_ptr = ptr + LEAD;
    clz_s = &first.field, clz_t = overlap ? clz_s : &second.field, clz_c = (overlap ? first.cells + in->shift - 1 : cells) + LEAD;
    g_n = in->n, g_count = 0, g_flag = in->negative, g_scale = 1.25, g_sum = 0.5;
    g_buf = overlap ? clz_a - in->shift : buffer + LEAD;
    if (in->chained)
        chain(first.field.u, in->shift);
    g_field = third.field;
    if (overlap)
        g_field.cells = first.cells + LEAD;
}

/* --- all memory that calls may change */

static struct region {
    void *at;
    unsigned long bytes;
    const char *name;
} regions[256];
static int number_of_regions;
static unsigned long total;

void clz_region(void *at, unsigned long bytes, const char *name)
{
    regions[number_of_regions++] = (struct region){at, bytes, name};
    total += bytes;
}

#define REGION(x) clz_region((void *)&x, sizeof x, #x)

static void all_regions(void)
{
    REGION(a), REGION(b), REGION(buffer), REGION(idx), REGION(ptr), REGION(cells), REGION(first), REGION(second),
        REGION(third), REGION(clz_result), REGION(g_scale), REGION(g_sum), REGION(g_table), REGION(g_buf), REGION(g_n),
        REGION(g_count), REGION(g_flag), REGION(g_map), REGION(g_field), REGION(g_cells);
    clz_own_variables();
}

/* --- runs */

enum { LEFT = 75 }; /* what rewriting.py makes of a jump out of a loop */

static struct outcome {
    int finished, errors; /* 1: the call returned; bytes on stderr */
    int held, failed;     /* how often the loop was reached with its conditions true, or not */
    int reached;          /* how often a copy of a helper stood in for it */
    void *race;
    char memory[];
} *reference, *now;

static int deciding, forced;

int clz_decide(int loop, int holds)
{
    if (loop == deciding)
        holds ? now->held++ : now->failed++;
    return holds || forced;
}

int clz_on(int loop)
{
    return loop == deciding && ++now->reached;
}

/* All threads on one processor, where it takes fewer switches to watch each access: a race need not happen to be seen. */
static void on_one_processor(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
}

static int stderr_file;

static void run(void (*call)(void), struct outcome *to, int threads, omp_sched_t kind)
{
    memset(to, 0, sizeof *to);
    now = to;
    ftruncate(stderr_file, 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct itimerval limit = {{0, 0}, {SECONDS, 0}};
        dup2(open("/dev/null", O_RDWR), 1), dup2(stderr_file, 2);
        setitimer(ITIMER_PROF, &limit, 0);
        alarm(20);
        if (threads) {
            omp_set_num_threads(threads);
            omp_set_schedule(kind, 1);
            if (kind == omp_sched_static)
                on_one_processor(), clz_watch();
        }
        call();
        for (int r = 0, at = 0; r < number_of_regions; at += regions[r].bytes, r++)
            memcpy(to->memory + at, regions[r].at, regions[r].bytes);
        to->race = threads ? clz_race : 0;
        to->finished = 1;
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    to->errors = (int)lseek(stderr_file, 0, SEEK_END);
    if (!WIFEXITED(status))
        to->finished = -WTERMSIG(status);
    else if (WEXITSTATUS(status) == LEFT)
        to->finished = LEFT;
}

static const char *place_of(const void *at)
{
    static char text[256];
    for (int r = 0; r < number_of_regions; r++) {
        const char *begin = regions[r].at;
        if ((const char *)at >= begin && (const char *)at < begin + regions[r].bytes) {
            snprintf(text, sizeof text, "%s+%ld", regions[r].name, (long)((const char *)at - begin));
            return text;
        }
    }
    return "local";
}

/* Doubles that a reduction has added up in another order; all data are multiples of a quarter, so few ever differ. */
static int close_enough(const char *one, const char *two)
{
    double x, y;
    memcpy(&x, one, sizeof x), memcpy(&y, two, sizeof y);
    return !isfinite(x) || !isfinite(y) || fabs(x - y) <= 1e-6 * fmax(1, fmax(fabs(x), fabs(y)));
}

static const char *difference(const char *one, const char *two, int reorders)
{
    static char text[300];
    if (!memcmp(one, two, total))
        return "equal";
    for (int r = 0; r < number_of_regions; one += regions[r].bytes, two += regions[r].bytes, r++)
        for (unsigned long k = 0; k + 4 <= regions[r].bytes; k += 4) {
            unsigned long whole = k / 8 * 8;
            if (!memcmp(one + k, two + k, 4))
                continue;
            if (reorders && whole + 8 <= regions[r].bytes && close_enough(one + whole, two + whole))
                continue;
            snprintf(text, sizeof text, "differs:%s", place_of((char *)regions[r].at + k));
            return text;
        }
    return "equal";
}

static const char *compared(int reorders)
{
    static char text[300];
    if (now->race) {
        snprintf(text, sizeof text, "race:%s", place_of(now->race));
        return text;
    }
    if (now->finished != reference->finished) {
        snprintf(text, sizeof text, "ends:%d", now->finished);
        return text;
    }
    return now->finished == 1 ? difference(reference->memory, now->memory, reorders) : "equal";
}

static const char *parallel(const struct clz_variant *v)
{
    run(v->call, now, 4, omp_sched_static);
    const char *said = compared(v->reorders);
    struct outcome seen = *now;
    if (now->finished != 1) { /* a thread may have ended in an iteration that comes after the one that leaves the loop */
        run(v->call, now, 1, omp_sched_static);
        if (now->finished == LEFT)
            return "left";
    }
    if (strcmp(said, "equal"))
        return said;
    run(v->call, now, 3, omp_sched_dynamic);
    now->held = seen.held, now->failed = seen.failed, now->reached = seen.reached;
    return compared(v->reorders);
}

static void try(const struct clz_variant *v, const struct input *in)
{
    char guarded[300];
    deciding = v->number, forced = 0;
    strcpy(guarded, parallel(v));
    int held = now->held, failed = now->failed, reached = now->reached;
    printf("run %d %d broken=%d original=%d errors=%d held=%d failed=%d reached=%d guarded=%s", v->number, (int)(in - inputs),
           in->broken, reference->finished, reference->errors, held, failed, reached, guarded);
    if (failed) {
        forced = 1;
        printf(" forced=%s", parallel(v));
    }
    printf("\n");
}

int main(void)
{
    all_regions();
    long bytes = 2 * (long)(sizeof *now + total + 64);
    char *shared = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    stderr_file = memfd_create("stderr", 0);
    for (int t = 0; t < INPUTS; t++) {
        prepare(inputs + t);
        for (int k = 0, last = -1; k < clz_number_of_variants; k++) {
            const struct clz_variant *v = clz_variants + k;
            reference = (void *)shared, deciding = -1;
            if (v->of != last)
                run(clz_originals[v->of], reference, 0, omp_sched_static);
            last = v->of;
            now = (void *)(shared + bytes / 2 / 16 * 16);
            try(v, inputs + t);
        }
    }
    return 0;
}
