/* What others measured on devices, as plain C: validation/published says what was timed there, and with which sizes. */

#include <math.h>

void fill(long n, double *a)
{
    for (long i = 0; i < n; i++)
        a[i] = 1.5;
}

void copy(long n, const double *restrict a, double *restrict c)
{
    for (long i = 0; i < n; i++)
        c[i] = a[i];
}

void scale(long n, const double *restrict a, double *restrict c)
{
    for (long i = 0; i < n; i++)
        c[i] = 1.2 * a[i];
}

void scale_float(long n, const float *restrict a, float *restrict c)
{
    for (long i = 0; i < n; i++)
        c[i] = 1.2f * a[i];
}

void add(long n, const double *restrict a, const double *restrict b, double *restrict c)
{
    for (long i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

void add_float(long n, const float *restrict a, const float *restrict b, float *restrict c)
{
    for (long i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

void triad(long n, const double *restrict a, const double *restrict b, double *restrict c)
{
    for (long i = 0; i < n; i++)
        c[i] = a[i] + 1.2 * b[i];
}

void three_points(long n, const double *restrict a, double *restrict c)
{
    for (long i = 1; i < n - 1; i++)
        c[i] = a[i - 1] + a[i] + a[i + 1];
}

void five_points(long n, const double *restrict a, double *restrict c)
{
    for (long i = 2; i < n - 2; i++)
        c[i] = a[i - 2] + a[i - 1] + a[i] + a[i + 1] + a[i + 2];
}

float sum_float(long n, const float *a)
{
    float sum = 0;
    for (long i = 0; i < n; i++)
        sum += a[i];
    return sum;
}

int sum_int(long n, const int *a)
{
    int sum = 0;
    for (long i = 0; i < n; i++)
        sum += a[i];
    return sum;
}

/* Sixteen floats for each thread: neighbours read, or write, beside each other, or each in a line of its own. */

void read_beside(long n, const float *restrict a, float *restrict b)
{
    for (long i = 0; i < n; i++) {
        float sum = 0;
        for (long j = 0; j < 16; j++)
            sum += a[j * n + i];
        b[i] = sum;
    }
}

void write_beside(long n, float *a)
{
    for (long i = 0; i < n; i++) {
        a[i] = a[n + i] = a[2 * n + i] = a[3 * n + i] = a[4 * n + i] = a[5 * n + i] = a[6 * n + i] = a[7 * n + i] = 0;
        a[8 * n + i] = a[9 * n + i] = a[10 * n + i] = a[11 * n + i] = 0;
        a[12 * n + i] = a[13 * n + i] = a[14 * n + i] = a[15 * n + i] = 0;
    }
}

void read_apart(long n, const float *restrict a, float *restrict b)
{
    for (long i = 0; i < n; i++) {
        const float *own = a + 16 * i;
        b[i] = own[0] + own[1] + own[2] + own[3] + own[4] + own[5] + own[6] + own[7] + own[8] + own[9] + own[10]
            + own[11] + own[12] + own[13] + own[14] + own[15];
    }
}

void write_apart(long n, float *a)
{
    for (long i = 0; i < n; i++) {
        float *own = a + 16 * i;
        own[0] = own[1] = own[2] = own[3] = own[4] = own[5] = own[6] = own[7] = 0;
        own[8] = own[9] = own[10] = own[11] = own[12] = own[13] = own[14] = own[15] = 0;
    }
}

/* Matrices of `h` rows and `w` columns. */

void add_rows(long h, long w, const unsigned *restrict a, const unsigned *restrict b, unsigned *restrict c)
{
    for (long y = 0; y < h; y++)
        for (long x = 0; x < w; x++)
            c[y * w + x] = a[y * w + x] + b[y * w + x];
}

void add_columns(long h, long w, const unsigned *restrict a, const unsigned *restrict b, unsigned *restrict c)
{
    for (long x = 0; x < w; x++)
        for (long y = 0; y < h; y++)
            c[y * w + x] = a[y * w + x] + b[y * w + x];
}

void laplace(long h, long w, const float *restrict a, float *restrict b)
{
    for (long y = 1; y < h - 1; y++)
        for (long x = 1; x < w - 1; x++)
            b[y * w + x] = 0.25f * (a[y * w + x + 1] + a[y * w + x - 1] + a[(y - 1) * w + x] + a[(y + 1) * w + x]);
}

void copy_inside(long h, long w, const float *restrict a, float *restrict b)
{
    for (long y = 1; y < h - 1; y++)
        for (long x = 1; x < w - 1; x++)
            b[y * w + x] = a[y * w + x];
}

void transpose(long h, long w, const float *restrict a, float *restrict b)
{
    for (long y = 0; y < h; y++)
        for (long x = 0; x < w; x++)
            b[x * h + y] = a[y * w + x];
}

void product_float(long n, long m, long k, const float *restrict a, const float *restrict b, float *restrict c)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++) {
            float sum = 0;
            for (long l = 0; l < k; l++)
                sum += a[i * k + l] * b[l * m + j];
            c[i * m + j] = sum;
        }
}

void product(long n, long m, long k, const double *restrict a, const double *restrict b, double *restrict c)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++) {
            double sum = 0;
            for (long l = 0; l < k; l++)
                sum += a[i * k + l] * b[l * m + j];
            c[i * m + j] = sum;
        }
}

/* Bodies that all pull at each other: x, y, z and mass of each. */

void bodies_float(long n, const float *restrict p, float *restrict a)
{
    for (long i = 0; i < n; i++) {
        float ax = 0, ay = 0, az = 0;
        for (long j = 0; j < n; j++) {
            float dx = p[4 * j] - p[4 * i], dy = p[4 * j + 1] - p[4 * i + 1], dz = p[4 * j + 2] - p[4 * i + 2];
            float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float pull = p[4 * j + 3] * inverse * inverse * inverse;
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        a[4 * i] = ax;
        a[4 * i + 1] = ay;
        a[4 * i + 2] = az;
    }
}

void bodies(long n, const double *restrict p, double *restrict a)
{
    for (long i = 0; i < n; i++) {
        double ax = 0, ay = 0, az = 0;
        for (long j = 0; j < n; j++) {
            double dx = p[4 * j] - p[4 * i], dy = p[4 * j + 1] - p[4 * i + 1], dz = p[4 * j + 2] - p[4 * i + 2];
            double inverse = 1.0 / sqrt(dx * dx + dy * dy + dz * dz + 0.01);
            double pull = p[4 * j + 3] * inverse * inverse * inverse;
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        a[4 * i] = ax;
        a[4 * i + 1] = ay;
        a[4 * i + 2] = az;
    }
}

/* One step of a lattice Boltzmann method with 19 velocities and one relaxation time, in a cube of n^3 cells: each takes
   the densities that flow to it from its neighbours, and leaves its own. */

#define FROM(q, dx, dy, dz) f[(q) * cells + at - (dx) - (dy) * n - (dz) * n * n]
#define RELAX(q, old, weight, along) \
    g[(q) * cells + at] = old + omega * (weight * rho * (1 + (along) * (3 + 4.5f * (along)) - square) - old)

void lattice_boltzmann(long n, float omega, const float *restrict f, float *restrict g)
{
    long cells = n * n * n;
    for (long z = 1; z < n - 1; z++)
        for (long y = 1; y < n - 1; y++)
            for (long x = 1; x < n - 1; x++) {
                long at = (z * n + y) * n + x;
                float f0 = f[at], f1 = FROM(1, 1, 0, 0), f2 = FROM(2, -1, 0, 0), f3 = FROM(3, 0, 1, 0);
                float f4 = FROM(4, 0, -1, 0), f5 = FROM(5, 0, 0, 1), f6 = FROM(6, 0, 0, -1), f7 = FROM(7, 1, 1, 0);
                float f8 = FROM(8, -1, -1, 0), f9 = FROM(9, 1, 0, 1), f10 = FROM(10, -1, 0, -1);
                float f11 = FROM(11, 0, 1, 1), f12 = FROM(12, 0, -1, -1), f13 = FROM(13, 1, -1, 0);
                float f14 = FROM(14, -1, 1, 0), f15 = FROM(15, 1, 0, -1), f16 = FROM(16, -1, 0, 1);
                float f17 = FROM(17, 0, 1, -1), f18 = FROM(18, 0, -1, 1);
                float rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8 + f9 + f10 + f11 + f12 + f13 + f14 + f15 + f16
                    + f17 + f18;
                float u = (f1 - f2 + f7 - f8 + f9 - f10 + f13 - f14 + f15 - f16) / rho;
                float v = (f3 - f4 + f7 - f8 + f11 - f12 + f14 - f13 + f17 - f18) / rho;
                float w = (f5 - f6 + f9 - f10 + f11 - f12 + f16 - f15 + f18 - f17) / rho;
                float square = 1.5f * (u * u + v * v + w * w);
                RELAX(0, f0, 0.33333333f, 0.0f);
                RELAX(1, f1, 0.05555556f, u);
                RELAX(2, f2, 0.05555556f, -u);
                RELAX(3, f3, 0.05555556f, v);
                RELAX(4, f4, 0.05555556f, -v);
                RELAX(5, f5, 0.05555556f, w);
                RELAX(6, f6, 0.05555556f, -w);
                RELAX(7, f7, 0.02777778f, u + v);
                RELAX(8, f8, 0.02777778f, -u - v);
                RELAX(9, f9, 0.02777778f, u + w);
                RELAX(10, f10, 0.02777778f, -u - w);
                RELAX(11, f11, 0.02777778f, v + w);
                RELAX(12, f12, 0.02777778f, -v - w);
                RELAX(13, f13, 0.02777778f, u - v);
                RELAX(14, f14, 0.02777778f, v - u);
                RELAX(15, f15, 0.02777778f, u - w);
                RELAX(16, f16, 0.02777778f, w - u);
                RELAX(17, f17, 0.02777778f, v - w);
                RELAX(18, f18, 0.02777778f, w - v);
            }
}
