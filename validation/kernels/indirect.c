/* Subscripts from memory: gathers with few and many distinct lines, scatters, histograms, sparse matrices. */

void gather(long n, const int *restrict idx, const double *restrict a, double *restrict c)
{
    for (long i = 0; i < n; i++)
        c[i] = a[idx[i]];
}

void scatter(long n, const int *restrict idx, const double *restrict a, double *restrict c)
{
    for (long i = 0; i < n; i++)
        c[idx[i]] = a[i];
}

void histogram(long n, const unsigned char *restrict a, int *restrict bins)
{
    for (long i = 0; i < n; i++)
        bins[a[i]]++;
}

void add_at(long n, const int *restrict idx, const double *restrict a, double *restrict c)
{
    for (long i = 0; i < n; i++)
        c[idx[i]] += a[i];
}

void sparse_times_vector(long n, const int *restrict ptr, const int *restrict col, const double *restrict v,
                         const double *restrict x, double *restrict y)
{
    for (long i = 0; i < n; i++) {
        double s = 0;
        for (int k = ptr[i]; k < ptr[i + 1]; k++)
            s += v[k] * x[col[k]];
        y[i] = s;
    }
}

void padded_rows_times_vector(long n, long w, const int *restrict col, const double *restrict v,
                              const double *restrict x, double *restrict y)
{
    for (long i = 0; i < n; i++) {
        double s = 0;
        for (long k = 0; k < w; k++)
            s += v[k * n + i] * x[col[k * n + i]];
        y[i] = s;
    }
}

void table(long n, const unsigned char *restrict a, const unsigned char *restrict t, unsigned char *restrict c)
{
    for (long i = 0; i < n; i++)
        c[i] = t[a[i]];
}

int chase(long n, int first, const int *next)
{
    int at = first;
    for (long i = 0; i < n; i++)
        at = next[at];
    return at;
}
