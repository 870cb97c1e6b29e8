/* Operations that are dear: divisions, roots, functions of the mathematics library; and many that are cheap. */
#include <math.h>

void add(long n, const double *restrict a, const double *restrict b, double *restrict c)
{
    for (long i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

void triad(long n, double s, const double *restrict b, const double *restrict c, double *restrict a)
{
    for (long i = 0; i < n; i++)
        a[i] = b[i] + s * c[i];
}

void triad_float(long n, float s, const float *restrict b, const float *restrict c, float *restrict a)
{
    for (long i = 0; i < n; i++)
        a[i] = b[i] + s * c[i];
}

void scale(long n, double s, double *a)
{
    for (long i = 0; i < n; i++)
        a[i] *= s;
}

void set(long n, double s, double *a)
{
    for (long i = 0; i < n; i++)
        a[i] = s;
}

void divide(long n, const double *restrict a, const double *restrict b, double *restrict c)
{
    for (long i = 0; i < n; i++)
        c[i] = a[i] / b[i];
}

void divide_float(long n, const float *restrict a, const float *restrict b, float *restrict c)
{
    for (long i = 0; i < n; i++)
        c[i] = a[i] / b[i];
}

void divide_integers(long n, const int *restrict a, const int *restrict b, int *restrict c)
{
    for (long i = 0; i < n; i++)
        c[i] = a[i] / b[i];
}

void roots(long n, const double *restrict a, double *restrict c)
{
    for (long i = 0; i < n; i++)
        c[i] = sqrt(a[i]);
}

void exponentials(long n, const double *restrict a, double *restrict c)
{
    for (long i = 0; i < n; i++)
        c[i] = exp(-a[i]);
}

void sines(long n, const double *restrict a, double *restrict c)
{
    for (long i = 0; i < n; i++)
        c[i] = sin(a[i]);
}

void powers(long n, double e, const double *restrict a, double *restrict c)
{
    for (long i = 0; i < n; i++)
        c[i] = pow(a[i], e);
}

void logarithms_float(long n, const float *restrict a, float *restrict c)
{
    for (long i = 0; i < n; i++)
        c[i] = logf(a[i]);
}

void polynomials(long n, const double *restrict x, double *restrict y)
{
    for (long i = 0; i < n; i++) {
        double v = x[i];
        y[i] = ((((((((0.1 * v + 0.2) * v + 0.3) * v + 0.4) * v + 0.5) * v + 0.6) * v + 0.7) * v + 0.8) * v + 0.9) * v + 1;
    }
}

void complex_products(long n, const double *restrict a, const double *restrict b, double *restrict c)
{
    for (long i = 0; i < n; i++) {
        c[2 * i] = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1];
        c[2 * i + 1] = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i];
    }
}

void distances(long n, const double *restrict x, const double *restrict y, const double *restrict z, double *restrict r)
{
    for (long i = 0; i < n; i++)
        r[i] = 1.0 / sqrt(x[i] * x[i] + y[i] * y[i] + z[i] * z[i] + 0.01);
}
