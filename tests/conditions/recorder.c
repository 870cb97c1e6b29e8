/* Counts how often conditional loops are reached, what their checks say, and in how many runs of a loop a line is reached
   that is not to be: see insert.py. When the program ends, a line per condition is appended to $CONDITIONS_LOG,
       NUMBER reached held failed
   and `NUMBER crashed` where the program gets a signal while it evaluates a check. A line counts in the thread that has
   reached the loop. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "numbers.h" /* CONDITIONS, LOOPS, LOOP_OF: the loop of each condition */

static const int loop_of[CONDITIONS + 1] = LOOP_OF;
static long reached[LOOPS + 1], held[CONDITIONS + 1], failed[CONDITIONS + 1];
static _Thread_local long entered[LOOPS + 1], active[LOOPS + 1], last[CONDITIONS + 1];
static _Thread_local volatile int evaluated;
static volatile int handled;

static void count(long *counter)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static FILE *log_file(void)
{
    const char *path = getenv("CONDITIONS_LOG");
    return path ? fopen(path, "a") : NULL;
}

__attribute__((destructor)) static void write_counts(void)
{
    FILE *out = log_file();
    if (!out)
        return;
    for (int k = 1; k <= CONDITIONS; k++)
        fprintf(out, "%d %ld %ld %ld\n", k, reached[loop_of[k]], held[k], failed[k]);
    fclose(out);
}

static void crashed(int number)
{
    FILE *out = evaluated ? log_file() : NULL;
    if (out) {
        fprintf(out, "%d crashed\n", evaluated);
        fclose(out);
    }
    write_counts();
    signal(number, SIG_DFL);
    raise(number);
}

void conditions_begin(int condition)
{
    if (!handled) {
        handled = 1;
        signal(SIGSEGV, crashed);
        signal(SIGBUS, crashed);
        signal(SIGFPE, crashed);
        signal(SIGABRT, crashed);
    }
    evaluated = condition;
}

void conditions_test(int condition, int holds)
{
    evaluated = 0;
    count(holds ? &held[condition] : &failed[condition]);
}

int conditions_enter(int loop)
{
    count(&reached[loop]);
    entered[loop]++;
    active[loop]++;
    return loop;
}

/* The recorder's variable ends: the loop is left, in whatever way. The number is negative after an ordinary end. */
void conditions_leave(int *loop)
{
    active[*loop < 0 ? -*loop : *loop]--;
}

/* Once for each run of the loop; 0. */
int conditions_reach(int condition)
{
    int loop = loop_of[condition];
    if (active[loop] > 0 && last[condition] != entered[loop]) {
        last[condition] = entered[loop];
        count(&failed[condition]);
    }
    return 0;
}
