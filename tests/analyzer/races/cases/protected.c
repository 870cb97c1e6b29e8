/* Critical sections, atomic updates, locks, order. */
#include <omp.h>

void wrong_histogram(int *restrict h, const int *restrict a, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) h[a[i]]++;
}

void right_histogram(int *restrict h, const int *restrict a, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp atomic
        h[a[i]]++;
    }
}

double wrong_critical(const double *a, int n) {
    double s = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp critical(one)
        s += a[i];
        if (s > 100) {
#pragma omp critical(two)
            s = 100;
        }
    }
    return s;
}

double right_critical(const double *a, int n) {
    double s = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp critical(one)
        s += a[i];
    }
    return s;
}

int wrong_atomic_read(int *a, int n) {
    int count = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp atomic
        count++;
        a[i] = count;
    }
    return count;
}

int right_atomic_read(int *a, int n) {
    int count = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int mine;
#pragma omp atomic capture
        mine = count++;
        a[i] = mine;
    }
    return count;
}

int wrong_atomic_mixed(const int *a, int n) {
    int count = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        if (a[i] > 0) {
#pragma omp atomic
            count += a[i];
        } else
            count -= a[i];
    }
    return count;
}

int right_atomic_mixed(const int *a, int n) {
    int count = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        if (a[i] > 0) {
#pragma omp atomic
            count += a[i];
        } else {
#pragma omp atomic
            count -= a[i];
        }
    }
    return count;
}

double wrong_lock(const double *a, int n) {
    double s = 0;
    omp_lock_t l, m;
    omp_init_lock(&l);
    omp_init_lock(&m);
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        omp_set_lock(&l);
        s += a[i];
        omp_unset_lock(&l);
        omp_set_lock(&m);
        s *= 0.5;
        omp_unset_lock(&m);
    }
    return s;
}

double right_lock(const double *a, int n) {
    double s = 0;
    omp_lock_t l;
    omp_init_lock(&l);
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        omp_set_lock(&l);
        s += a[i];
        omp_unset_lock(&l);
    }
    omp_destroy_lock(&l);
    return s;
}

void wrong_ordered(int *a, int n) {
    int x = 0;
#pragma omp parallel for ordered
    for (int i = 0; i < n; i++) {
#pragma omp ordered
        x++;
        a[i] = x;
    }
}

void right_ordered(int *a, int n) {
    int x = 0;
#pragma omp parallel for ordered
    for (int i = 0; i < n; i++) {
#pragma omp ordered
        {
            x++;
            a[i] = x;
        }
    }
}

static void add(double *s, double x) {
#pragma omp critical
    *s += x;
}

void wrong_critical_called(double *s, const double *a, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        add(s, a[i]);
        *s -= 1;
    }
}

void right_critical_called(double *restrict s, const double *restrict a, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) add(s, a[i]);
}
