/* Counts how often conditional loops are reached, what their checks say, and in how many runs of a loop a line is reached
   that is not to be: see insert.py. When the program ends, a line per condition is appended to $CONDITIONS_LOG,
       NUMBER reached held failed
   and `NUMBER crashed` where the program gets a signal while it evaluates a check. For one thread. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "numbers.h" /* CONDITIONS, LOOPS, LOOP_OF: the loop of each condition */

static const int loop_of[CONDITIONS + 1] = LOOP_OF;
static long reached[LOOPS + 1], active[LOOPS + 1];
static long held[CONDITIONS + 1], failed[CONDITIONS + 1], last[CONDITIONS + 1];
static volatile int evaluated, handled;

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
    ++*(holds ? &held[condition] : &failed[condition]);
}

int conditions_enter(int loop)
{
    reached[loop]++;
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
    if (active[loop] > 0 && last[condition] != reached[loop]) {
        last[condition] = reached[loop];
        failed[condition]++;
    }
    return 0;
}
