/* Nests of several loops, whose data goes through all caches in more than one way. */

void decompose(long n, double *a)
{
    for (long k = 0; k < n; k++)
        for (long i = k + 1; i < n; i++) {
            a[i * n + k] /= a[k * n + k] + 1000.0;
            for (long j = k + 1; j < n; j++)
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
}

void relax(long t, long n, double *restrict a, double *restrict b)
{
    for (long s = 0; s < t; s++) {
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++)
                b[i * n + j] = 0.25 * (a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j]);
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++)
                a[i * n + j] = b[i * n + j];
    }
}

void products_of_columns(long n, long m, const double *restrict a, double *restrict c)
{
    for (long i = 0; i < m; i++)
        for (long j = i; j < m; j++) {
            double s = 0;
            for (long k = 0; k < n; k++)
                s += a[k * m + i] * a[k * m + j];
            c[i * m + j] = c[j * m + i] = s;
        }
}

void orthogonal_columns(long n, long m, double *a)
{
    for (long k = 0; k < m; k++) {
        double norm = 0.001;
        for (long i = 0; i < n; i++)
            norm += a[i * m + k] * a[i * m + k];
        for (long i = 0; i < n; i++)
            a[i * m + k] = a[i * m + k] / norm;
        for (long j = k + 1; j < m; j++) {
            double s = 0;
            for (long i = 0; i < n; i++)
                s += a[i * m + k] * a[i * m + j];
            for (long i = 0; i < n; i++)
                a[i * m + j] -= a[i * m + k] * s;
        }
    }
}

void shortest_paths(long n, int *d)
{
    for (long k = 0; k < n; k++)
        for (long i = 0; i < n; i++)
            for (long j = 0; j < n; j++)
                d[i * n + j] = d[i * n + j] < d[i * n + k] + d[k * n + j] ? d[i * n + j] : d[i * n + k] + d[k * n + j];
}

void rows_and_columns(long t, long n, double *restrict u, double *restrict v)
{
    for (long s = 0; s < t; s++) {
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++)
                v[i * n + j] = 0.5 * v[i * n + j - 1] + u[j * n + i];
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++)
                u[i * n + j] = 0.5 * u[i * n + j - 1] + v[i * n + j];
    }
}

void two_fields(long t, long n, double *restrict e, double *restrict h)
{
    for (long s = 0; s < t; s++) {
        for (long i = 1; i < n; i++)
            for (long j = 1; j < n; j++)
                e[i * n + j] += 0.1 * (h[i * n + j] - h[(i - 1) * n + j] - h[i * n + j - 1]);
        for (long i = 0; i < n - 1; i++)
            for (long j = 0; j < n - 1; j++)
                h[i * n + j] -= 0.1 * (e[(i + 1) * n + j] + e[i * n + j + 1] - e[i * n + j]);
    }
}

void lower_times_full(long n, long m, const double *restrict l, double *restrict b)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            for (long k = i + 1; k < n; k++)
                b[i * m + j] += l[k * n + i] * b[k * m + j];
}

void longest_common(long n, const unsigned char *restrict a, const unsigned char *restrict b, int *restrict l)
{
    for (long i = 1; i < n; i++)
        for (long j = 1; j < n; j++)
            l[i * n + j] = a[i] == b[j] ? l[(i - 1) * n + j - 1] + 1
                : l[(i - 1) * n + j] > l[i * n + j - 1] ? l[(i - 1) * n + j] : l[i * n + j - 1];
}

void rank_two_update(long n, long m, const double *restrict a, const double *restrict b, double *restrict c)
{
    for (long i = 0; i < n; i++)
        for (long k = 0; k < m; k++)
            for (long j = 0; j <= i; j++)
                c[i * n + j] += a[j * m + k] * b[i * m + k] + b[j * m + k] * a[i * m + k];
}
