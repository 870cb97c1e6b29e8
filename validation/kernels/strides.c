/* Neighbouring iterations access what is apart: columns, every k-th element, members of structures, transposes. */

struct particle { double x, y, z, vx, vy, vz, mass, charge; };

void every_fourth(long n, const double *restrict a, double *restrict c)
{
    for (long i = 0; i < n; i++)
        c[i] = 2.0 * a[4 * i];
}

double every_line(long n, const double *a)
{
    double s0 = 0, s1 = 0;
    for (long i = 0; i < n; i += 2) {
        s0 += a[8 * i];
        s1 += a[8 * i + 8];
    }
    return s0 + s1;
}

void transpose(long n, long m, const double *restrict a, double *restrict b)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            b[j * n + i] = a[i * m + j];
}

void matrix_times_vector(long n, long m, const double *restrict a, const double *restrict x, double *restrict y)
{
    for (long i = 0; i < n; i++) {
        double s = 0;
        for (long j = 0; j < m; j++)
            s += a[i * m + j] * x[j];
        y[i] = s;
    }
}

void transposed_times_vector(long n, long m, const double *restrict a, const double *restrict x, double *restrict y)
{
    for (long j = 0; j < m; j++)
        y[j] = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < m; j++)
            y[j] += a[i * m + j] * x[i];
}

void product_ijk(long n, const double *restrict a, const double *restrict b, double *restrict c)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double s = 0;
            for (long k = 0; k < n; k++)
                s += a[i * n + k] * b[k * n + j];
            c[i * n + j] = s;
        }
}

void product_ikj(long n, const double *restrict a, const double *restrict b, double *restrict c)
{
    for (long i = 0; i < n; i++)
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void product_with_transposed(long n, const float *restrict a, const float *restrict b, float *restrict c)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            float s = 0;
            for (long k = 0; k < n; k++)
                s += a[i * n + k] * b[j * n + k];
            c[i * n + j] = s;
        }
}

void move_particles(long n, double dt, struct particle *p)
{
    for (long i = 0; i < n; i++) {
        p[i].x += dt * p[i].vx;
        p[i].y += dt * p[i].vy;
        p[i].z += dt * p[i].vz;
    }
}

void reversed(long n, const double *restrict a, double *restrict c)
{
    for (long i = 0; i < n; i++)
        c[i] = a[n - 1 - i];
}
