/* A small program of all that the recorder knows: nests, jumps out, a do loop, calls, structures and unreadable sizes. */
#include <stdio.h>
#include <stdlib.h>

#define N 12

struct grid {
    int rows, columns;
    double *cells;
};

static float table[N][N], line[N];
static int total, pair[2];

static void fill(struct grid *g)
{
    for (int i = 0; i < g->rows; i++)
        for (int j = 0; j < g->columns; j++)
            g->cells[i * g->columns + j] = i - j;
}

static double sum(const double *a, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}

static void triangle(int n)
{
    int i, j;
    for (i = 0; i < n; i++) {
        line[i] = 0;
        for (j = 0; j <= i; j++)
            line[i] += table[i][j];
    }
}

static int first_negative(const double *a, int n)
{
    for (int i = 0; i < n; i++) {
        if (a[i] < 0)
            return i;
    }
    return n;
}

static void backwards(int n, int *a)
{
    do {
        a[--n] = n;
        total += a[n] & 1;
    } while (n > 0);
}

static void every_other(int n, short *a, const short *b)
{
    int k = 0;
    while (k < n) {
        a[k] = b[k / 2];
        k += 2;
    }
}

static void pairs(int n)
{
    for (int i = 0; i < n; i++)
        pair[i & 1] += i;
}

/* No address of these locals is taken, so that nothing but the recorder's own marks puts them in memory. */
static double turned(int n)
{
    struct { double re, im; } u = {0.5, 2};
    double window[N] = {0};
    for (int i = 0; i < n; i++)
        window[i] = u.re * line[i] - u.im;
    return window[n - 1];
}

static int endless(int n)
{
    int k = 0;
    for (;;)
        if (pair[0] + k++ > n)
            return k;
}

int main(void)
{
    struct grid g = {5, 7, malloc(35 * sizeof(double))};
    int a[N];
    short s[N], t[N] = {0};
    fill(&g);
    for (int n = 1; n <= N; n++) {
        triangle(n);
        backwards(n, a);
        every_other(n, s, t);
        pairs(n);
        line[0] += turned(n) + endless(n);
    }
    printf("%g %d %d %d\n", sum(g.cells, 35), first_negative(g.cells, 35), total, pair[1]);
    free(g.cells);
    return 0;
}
