/* Parallel regions: what every thread does, divided loops in a row, barriers. */
#include <omp.h>
#define N 1000

void wrong_all_store(int *a) {
#pragma omp parallel
    {
        a[0] = omp_get_thread_num();
    }
}

void right_all_store(int *a) {
#pragma omp parallel
    {
        a[omp_get_thread_num()] = 1;
    }
}

int wrong_count(void) {
    int threads = 0;
#pragma omp parallel
    threads++;
    return threads;
}

int right_count(void) {
    int threads = 0;
#pragma omp parallel
    {
#pragma omp critical
        threads++;
    }
    return threads;
}

void wrong_nowait(double *restrict a, double *restrict b, int n) {
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < n; i++) a[i] = i;
#pragma omp for
        for (int i = 1; i < n; i++) b[i] = a[i - 1];
    }
}

void right_nowait(double *restrict a, double *restrict b, int n) {
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < n; i++) a[i] = i;
#pragma omp for nowait
        for (int i = 1; i < n; i++) b[i] = a[i - 1];
    }
}

void wrong_single(double *a, int n) {
    double scale = 0;
#pragma omp parallel
    {
#pragma omp single nowait
        scale = a[n];
#pragma omp for
        for (int i = 0; i < n; i++) a[i] *= scale;
    }
}

void right_single(double *a, int n) {
    double scale = 0;
#pragma omp parallel
    {
#pragma omp single
        scale = a[n];
#pragma omp for
        for (int i = 0; i < n; i++) a[i] *= scale;
    }
}

void wrong_master(double *a, int n) {
    double scale = 0;
#pragma omp parallel
    {
#pragma omp master
        scale = a[n];
#pragma omp for
        for (int i = 0; i < n; i++) a[i] *= scale;
    }
}

void right_master(double *a, int n) {
    double scale = 0;
#pragma omp parallel
    {
#pragma omp master
        scale = a[n];
#pragma omp barrier
#pragma omp for
        for (int i = 0; i < n; i++) a[i] *= scale;
    }
}

void wrong_time_steps(double *restrict a, double *restrict b, int n, int steps) {
#pragma omp parallel
    for (int t = 0; t < steps; t++) {
#pragma omp for
        for (int i = 1; i < n; i++) b[i] = a[i] + a[i - 1];
#pragma omp for nowait
        for (int i = 1; i < n; i++) a[i] = b[i];
    }
}

void right_time_steps(double *restrict a, double *restrict b, int n, int steps) {
#pragma omp parallel
    for (int t = 0; t < steps; t++) {
#pragma omp for
        for (int i = 1; i < n; i++) b[i] = a[i] + a[i - 1];
#pragma omp for
        for (int i = 1; i < n; i++) a[i] = b[i];
    }
}

void wrong_own_part(double *a, int n) {
#pragma omp parallel
    {
        int me = omp_get_thread_num(), all = omp_get_num_threads();
        for (int i = me; i < n - 1; i += all) a[i] = a[i + 1];
    }
}

void right_own_part(double *a, int n) {
#pragma omp parallel
    {
        int me = omp_get_thread_num(), all = omp_get_num_threads();
        for (int i = me; i < n; i += all) a[i] = 2 * a[i];
    }
}

void wrong_shared_in_region(double *restrict a, const double *restrict b, int n) {
    int i;
    double t;
#pragma omp parallel
    {
#pragma omp for
        for (i = 0; i < n; i++) {
            t = b[i];
            a[i] = t * t;
        }
    }
}

void right_shared_in_region(double *restrict a, const double *restrict b, int n) {
    int i;
    double t;
#pragma omp parallel private(t)
    {
#pragma omp for
        for (i = 0; i < n; i++) {
            t = b[i];
            a[i] = t * t;
        }
    }
}

void wrong_sequential_loop(double (*a)[N], int n) {
    int i, j;
#pragma omp parallel
    {
        for (i = 0; i < n; i++) {
#pragma omp for
            for (j = 0; j < N; j++) a[i][j] = 1;
        }
    }
}

void right_sequential_loop(double (*a)[N], int n) {
    int i, j;
#pragma omp parallel private(i)
    {
        for (i = 0; i < n; i++) {
#pragma omp for
            for (j = 0; j < N; j++) a[i][j] = 1;
        }
    }
}

static void part(double *a, int n) {
#pragma omp for
    for (int i = 1; i < n; i++) a[i] = i;
}

void wrong_orphan(double *a, int n) {
#pragma omp parallel
    {
        part(a, n);
        a[5] = 3;
    }
}

void right_orphan(double *a, int n) {
#pragma omp parallel
    {
        part(a, n);
#pragma omp single
        a[5] = 3;
    }
}

void wrong_barrier_in_branch(double *a, int n, int wait) {
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < n; i++) a[i] = i;
        if (wait) {
#pragma omp barrier
        }
#pragma omp single
        a[0] = 2;
    }
}

void right_barrier_in_branch(double *a, int n, int wait) {
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < n; i++) a[i] = i;
#pragma omp barrier
#pragma omp single
        a[0] = 2;
    }
}

void wrong_reduction_read(const double *a, int n, double *out) {
    double s = 0;
#pragma omp parallel
    {
#pragma omp for reduction(+ : s) nowait
        for (int i = 0; i < n; i++) s += a[i];
#pragma omp single
        *out = s;
    }
}

void right_reduction_read(const double *a, int n, double *out) {
    double s = 0;
#pragma omp parallel
    {
#pragma omp for reduction(+ : s)
        for (int i = 0; i < n; i++) s += a[i];
#pragma omp single
        *out = s;
    }
}

void wrong_static_parts(double *restrict a, double *restrict b, int n) {
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < n; i++) a[i] = i;
#pragma omp for schedule(static, 4) nowait
        for (int i = 0; i < n; i++) b[i] = a[i];
    }
}

void right_static_parts(double *restrict a, double *restrict b, int n) {
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < n; i++) a[i] = i;
#pragma omp for schedule(static) nowait
        for (int i = 0; i < n; i++) b[i] = a[i];
    }
}

void wrong_rounds(double *a, int n, int steps) {
#pragma omp parallel
    for (int t = 0; t < steps; t++) {
        if (t % 10 == 0) {
#pragma omp for nowait
            for (int i = 0; i < n; i++) a[i] *= 2;
        }
#pragma omp for
        for (int i = 1; i < n; i++) a[i - 1] += 1;
    }
}

void right_rounds(double *a, int n, int steps) {
#pragma omp parallel
    for (int t = 0; t < steps; t++) {
        if (t % 10 == 0) {
#pragma omp for
            for (int i = 0; i < n; i++) a[i] *= 2;
        }
#pragma omp for
        for (int i = 1; i < n; i++) a[i - 1] += 1;
    }
}
