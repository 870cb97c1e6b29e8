/* Threads that wait for each other without a race. */
#include <omp.h>

double part[64], apart[64][8];

void slow_neighbours(const double *a, int n) {
#pragma omp parallel
    {
        int me = omp_get_thread_num();
#pragma omp for
        for (int i = 0; i < n; i++) part[me] += a[i];
    }
}

void fast_neighbours(const double *a, int n) {
#pragma omp parallel
    {
        int me = omp_get_thread_num();
#pragma omp for
        for (int i = 0; i < n; i++) apart[me][0] += a[i];
    }
}

double slow_turns(const double *a, int n) {
    double s = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp critical
        s += a[i] * a[i];
    }
    return s;
}

double fast_turns(const double *a, int n) {
    double s = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        double x = a[i] * a[i];
        if (x > 100) {
#pragma omp critical
            s += x;
        }
    }
    return s;
}

void fast_once(double *a) {
#pragma omp parallel
    part[omp_get_thread_num()] = a[omp_get_thread_num()];
}
