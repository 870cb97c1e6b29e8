/* Short loops, branches on data, triangles, code that was unrolled by hand, pointers that may overlap. */

void small_products(long n, const double *restrict a, const double *restrict b, double *restrict c)
{
    for (long e = 0; e < n; e++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                double s = 0;
                for (int k = 0; k < 4; k++)
                    s += a[16 * e + 4 * i + k] * b[16 * e + 4 * k + j];
                c[16 * e + 4 * i + j] = s;
            }
}

void short_rows(long n, long m, const double *restrict a, double *restrict s)
{
    for (long i = 0; i < n; i++) {
        double t = 0;
        for (long j = 0; j < m; j++)
            t += a[i * m + j];
        s[i] = t;
    }
}

void clip(long n, double limit, double *a)
{
    for (long i = 0; i < n; i++)
        if (a[i] > limit)
            a[i] = limit;
}

long count_above(long n, double limit, const double *a)
{
    long found = 0;
    for (long i = 0; i < n; i++)
        if (a[i] > limit)
            found++;
    return found;
}

long compact(long n, double limit, const double *restrict a, double *restrict b)
{
    long at = 0;
    for (long i = 0; i < n; i++)
        if (a[i] > limit)
            b[at++] = a[i];
    return at;
}

void two_ways(long n, double limit, const double *restrict a, double *restrict b)
{
    for (long i = 0; i < n; i++)
        if (a[i] > limit)
            b[i] = a[i] / (1.0 + a[i]);
        else
            b[i] = a[i] * a[i] + 2.0 * a[i];
}

void triangle(long n, const double *restrict a, double *restrict b)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j <= i; j++)
            b[i * n + j] = a[i * n + j] + a[j];
}

void unrolled(long n, double s, const double *restrict x, double *restrict y)
{
    for (long i = 0; i < n; i += 4) {
        y[i] += s * x[i];
        y[i + 1] += s * x[i + 1];
        y[i + 2] += s * x[i + 2];
        y[i + 3] += s * x[i + 3];
    }
}

void may_overlap(long n, double s, const double *x, double *y)
{
    for (long i = 0; i < n; i++)
        y[i] = y[i] + s * x[i];
}

void pairs_of_particles(long n, const double *restrict x, const double *restrict y, double *restrict f)
{
    for (long i = 0; i < n; i++) {
        double s = 0;
        for (long j = 0; j < n; j++) {
            double dx = x[j] - x[i], dy = y[j] - y[i];
            double r = dx * dx + dy * dy + 0.001;
            s += dx / (r * r);
        }
        f[i] = s;
    }
}

long sift(long n, unsigned char *composite)
{
    long found = 0;
    for (long i = 2; i < n; i++) {
        if (composite[i])
            continue;
        found++;
        for (long j = 2 * i; j < n; j += i)
            composite[j] = 1;
    }
    return found;
}
