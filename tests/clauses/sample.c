/* One loop for each clause and each rewrite; what is written at it stands in test_clauses.py. */

#include <stdlib.h>

struct total {
    double sum;
    int hits;
};

double scratch[16];
double shared_scale;
int cursor;

void temporary(int n, const double *restrict b, double *restrict a)
{
    double t;
    for (int i = 0; i < n; i++) {
        t = b[i] * b[i];
        a[i] = t + 1.0;
    }
}

double last_value(int n, const double *restrict b, double *restrict a)
{
    double t = 0;
    for (int i = 0; i < n; i++) {
        t = b[i] * 3;
        a[i] = t;
    }
    return t;
}

void first_value(int n, int k, double *restrict a)
{
    int t[2] = {k, 0};
    for (int i = 0; i < n; i++) {
        t[1] = i;
        a[i] = t[0] + t[1];
    }
}

double sum(int n, const double *a)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}

void histogram(int n, const unsigned char *restrict b, int *restrict h)
{
    for (int i = 0; i < n; i++)
        h[b[i] & 7]++;
}

void every_second(int n, double *restrict a, const double *restrict b, int *restrict out)
{
    int k = 3;
    for (int i = 0; i < n; i++) {
        a[k] = b[i];
        k += 2;
    }
    *out = k;
}

void moving_pointer(int n, double *restrict p)
{
    while (n-- > 0)
        *p++ = 1;
}

void member_sum(int n, const double *restrict a, struct total *restrict q)
{
    for (int i = 0; i < n; i++)
        q->sum += a[i];
}

static void put(int i, double x)
{
    scratch[i & 15] = x;
    shared_scale = 2 * x;
}

void global_scratch(int n, const double *restrict b, double *restrict a)
{
    for (int i = 0; i < n; i++) {
        put(i, b[i]);
        a[i] = scratch[i & 15] + shared_scale;
    }
}

static double kept(double x)
{
    static double t;
    t = x * x;
    return t + 1;
}

void static_local(int n, const double *restrict b, double *restrict a)
{
    for (int i = 0; i < n; i++)
        a[i] = kept(b[i]);
}

void allocated(int n, int m, const double *restrict b, double *restrict a)
{
    double *w = malloc((m + 1) * sizeof *w), *v = w;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < m; k++)
            w[k] = b[i] + k;
        a[i] = 0;
        for (int k = 0; k < m; k++)
            a[i] += v[k];
    }
    free(w);
}

void member_histogram(int n, const unsigned char *restrict b, struct total *restrict t)
{
    for (int i = 0; i < n; i++)
        t[b[i] & 3].hits += 2;
}

static double at_cursor(const double *b)
{
    return b[cursor];
}

void global_counter(int n, const double *restrict b, double *restrict a)
{
    for (cursor = 0; cursor < n; cursor++)
        a[cursor] = at_cursor(b);
}

void prefix(int n, double *a)
{
    for (int i = 1; i < n; i++)
        a[i] += a[i - 1];
}

double divides(int n, const int *a)
{
    int s = 0;
    for (int i = 0; i <= n; i++)
        s += a[i] / (n - i);
    return s;
}

static _Thread_local double table_of_thread[64];

void filled_table(int n, const double *restrict b, double *restrict a)
{
    for (int i = 0; i < 64; i++)
        table_of_thread[i] = 2 * b[i % n];
    for (int i = 0; i < n; i++)
        a[i] = table_of_thread[i % 64];
}
