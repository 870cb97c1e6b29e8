/* An iteration needs what the one before it has made: the latency of that path bounds the loop. */

void first_order(long n, double f, const double *restrict b, double *restrict x)
{
    for (long i = 1; i < n; i++)
        x[i] = f * x[i - 1] + b[i];
}

void running_sum(long n, const double *restrict a, double *restrict s)
{
    double t = 0;
    for (long i = 0; i < n; i++) {
        t += a[i];
        s[i] = t;
    }
}

void tridiagonal(long n, const double *restrict a, const double *restrict b, const double *restrict c,
                 const double *restrict d, double *restrict p, double *restrict q)
{
    for (long i = 1; i < n; i++) {
        double w = 1.0 / (b[i] - a[i] * p[i - 1]);
        p[i] = c[i] * w;
        q[i] = (d[i] - a[i] * q[i - 1]) * w;
    }
}

void second_order_filter(long n, double p, double q, const double *restrict x, double *restrict y)
{
    double y1 = 0, y2 = 0;
    for (long i = 0; i < n; i++) {
        double v = x[i] + p * y1 + q * y2;
        y2 = y1;
        y1 = v;
        y[i] = v;
    }
}

double polynomial(long n, double x, const double *a)
{
    double p = 0;
    for (long i = 0; i < n; i++)
        p = p * x + a[i];
    return p;
}

void lower_triangle_solve(long n, const double *l, const double *b, double *x)
{
    for (long i = 0; i < n; i++) {
        x[i] = b[i];
        for (long j = 0; j < i; j++)
            x[i] -= l[i * n + j] * x[j];
        x[i] = x[i] / l[i * n + i];
    }
}

void gauss_seidel(long n, long m, double *u)
{
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < m - 1; j++)
            u[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
}

unsigned random_numbers(long n, unsigned seed, unsigned *x)
{
    for (long i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = seed;
    }
    return seed;
}

void carried_four_apart(long n, const double *restrict b, double *restrict x)
{
    for (long i = 4; i < n; i++)
        x[i] = 0.5 * x[i - 4] + b[i];
}
