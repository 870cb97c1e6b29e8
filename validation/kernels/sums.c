/* Sums: in order, as C has them, unless the compiler may reorder; integers may always be. */

double sum(long n, const double *a)
{
    double s = 0;
    for (long i = 0; i < n; i++)
        s += a[i];
    return s;
}

float sum_float(long n, const float *a)
{
    float s = 0;
    for (long i = 0; i < n; i++)
        s += a[i];
    return s;
}

double dot(long n, const double *a, const double *b)
{
    double s = 0;
    for (long i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}

double four_sums(long n, const double *a)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (long i = 0; i < n; i++) {
        s0 += a[4 * i];
        s1 += a[4 * i + 1];
        s2 += a[4 * i + 2];
        s3 += a[4 * i + 3];
    }
    return s0 + s1 + s2 + s3;
}

int sum_of_integers(long n, const int *a)
{
    int s = 0;
    for (long i = 0; i < n; i++)
        s += a[i];
    return s;
}

double largest(long n, const double *a)
{
    double most = a[0];
    for (long i = 1; i < n; i++)
        if (a[i] > most)
            most = a[i];
    return most;
}

double norm_of_difference(long n, const double *a, const double *b)
{
    double s = 0;
    for (long i = 0; i < n; i++) {
        double d = a[i] - b[i];
        s += d * d;
    }
    return s;
}

void row_sums(long n, long m, const double *restrict a, double *restrict s)
{
    for (long i = 0; i < n; i++) {
        s[i] = 0;
        for (long j = 0; j < m; j++)
            s[i] += a[i * m + j];
    }
}

void column_sums(long n, long m, const double *restrict a, double *restrict s)
{
    for (long j = 0; j < m; j++) {
        double t = 0;
        for (long i = 0; i < n; i++)
            t += a[i * m + j];
        s[j] = t;
    }
}

double product_of_factors(long n, const double *a)
{
    double p = 1;
    for (long i = 0; i < n; i++)
        p *= a[i];
    return p;
}
