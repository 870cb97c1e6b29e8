/* Stencils of one to three dimensions, below and above each cache. */

void smooth_1d(long n, const double *restrict a, double *restrict b)
{
    for (long i = 1; i < n - 1; i++)
        b[i] = (a[i - 1] + a[i] + a[i + 1]) * 0.33333;
}

void five_points(long n, long m, const double *restrict a, double *restrict b)
{
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < m - 1; j++)
            b[i * m + j] = 0.2 * (a[i * m + j] + a[i * m + j - 1] + a[i * m + j + 1] + a[(i - 1) * m + j] + a[(i + 1) * m + j]);
}

void nine_points_float(long n, long m, const float *restrict a, float *restrict b)
{
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < m - 1; j++)
            b[i * m + j] = 0.25f * a[i * m + j]
                + 0.125f * (a[i * m + j - 1] + a[i * m + j + 1] + a[(i - 1) * m + j] + a[(i + 1) * m + j])
                + 0.0625f * (a[(i - 1) * m + j - 1] + a[(i - 1) * m + j + 1] + a[(i + 1) * m + j - 1] + a[(i + 1) * m + j + 1]);
}

void seven_points(long n, const double *restrict a, double *restrict b)
{
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < n - 1; j++)
            for (long k = 1; k < n - 1; k++)
                b[(i * n + j) * n + k] = 0.4 * a[(i * n + j) * n + k]
                    + 0.1 * (a[((i - 1) * n + j) * n + k] + a[((i + 1) * n + j) * n + k] + a[(i * n + j - 1) * n + k]
                             + a[(i * n + j + 1) * n + k] + a[(i * n + j) * n + k - 1] + a[(i * n + j) * n + k + 1]);
}

void filter(long n, long m, const float *restrict f, const float *restrict a, float *restrict b)
{
    for (long i = 0; i < n; i++) {
        float s = 0;
        for (long k = 0; k < m; k++)
            s += f[k] * a[i + k];
        b[i] = s;
    }
}

void erode(long n, long m, const unsigned char *restrict a, unsigned char *restrict b)
{
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < m - 1; j++) {
            unsigned char least = 255;
            for (long y = -1; y <= 1; y++)
                for (long x = -1; x <= 1; x++)
                    if (a[(i + y) * m + j + x] < least)
                        least = a[(i + y) * m + j + x];
            b[i * m + j] = least;
        }
}

void wave(long n, long m, double c, const double *restrict now, double *restrict past)
{
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < m - 1; j++) {
            double l = now[(i - 1) * m + j] + now[(i + 1) * m + j] + now[i * m + j - 1] + now[i * m + j + 1] - 4 * now[i * m + j];
            past[i * m + j] = 2 * now[i * m + j] - past[i * m + j] + c * l;
        }
}
