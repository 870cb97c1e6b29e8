/* Neighbourhoods at the borders of images, which real programs ask for, cut off or continue; and what else only some
 * iterations do. */

void edges_kept(long n, long m, const float *restrict a, float *restrict b)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            if (i > 0 && i < n - 1 && j > 0 && j < m - 1)
                b[i * m + j] = 0.25f * (a[(i - 1) * m + j] + a[(i + 1) * m + j] + a[i * m + j - 1] + a[i * m + j + 1]);
            else
                b[i * m + j] = a[i * m + j];
}

void mean_inside(long n, long m, const float *restrict a, float *restrict b)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++) {
            float s = 0;
            for (int y = -1; y <= 1; y++)
                for (int x = -1; x <= 1; x++)
                    if (i + y >= 0 && i + y < n && j + x >= 0 && j + x < m)
                        s += a[(i + y) * m + j + x];
            b[i * m + j] = s;
        }
}

void darkest_inside(long n, long m, const int *restrict a, int *restrict b)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++) {
            int least = 255;
            for (int x = -2; x <= 2; x++)
                if (j + x >= 0 && j + x < m)
                    if (a[i * m + j + x] < least)
                        least = a[i * m + j + x];
            b[i * m + j] = least;
        }
}

void clamped_mean(long n, long m, const float *restrict a, float *restrict b)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++) {
            float s = 0;
            for (long x = -2; x <= 2; x++) {
                long k = j + x < 0 ? 0 : j + x > m - 1 ? m - 1 : j + x;
                s += a[i * m + k];
            }
            b[i * m + j] = s;
        }
}

void differences_in_a_ring(long n, const double *restrict a, double *restrict b)
{
    for (long i = 0; i < n; i++) {
        long left = i > 0 ? i - 1 : n - 1, right = i < n - 1 ? i + 1 : 0;
        b[i] = a[right] - a[left];
    }
}

void scale_some(long n, double limit, const double *restrict a, double *restrict b)
{
    for (long i = 0; i < n; i++)
        if (a[i] > limit)
            b[i] = 2.0 * a[i];
}

void every_other(long n, const double *restrict a, double *restrict b)
{
    for (long i = 0; i < n; i++)
        b[i] = i % 2 == 0 ? a[i] + 1.0 : a[i] * 3.0;
}

long place_of_largest(long n, const double *restrict a)
{
    double most = a[0];
    long place = 0;
    for (long i = 1; i < n; i++)
        if (a[i] > most) {
            most = a[i];
            place = i;
        }
    return place;
}

void sort_pairs(long n, int *a)
{
    for (long i = 0; i < n - 1; i += 2)
        if (a[i] > a[i + 1]) {
            int t = a[i];
            a[i] = a[i + 1];
            a[i + 1] = t;
        }
}

void sum_selected(long n, double limit, const double *restrict a, double *restrict s)
{
    double t = 0;
    for (long i = 0; i < n; i++)
        if (a[i] > limit)
            t += a[i];
    s[0] = t;
}
