/* Variables that threads share, and that they should not. */
#include <math.h>

void wrong_temporary(double *restrict a, const double *restrict b, int n) {
    double t;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        t = b[i] * b[i];
        a[i] = t + 1;
    }
}

void right_temporary(double *restrict a, const double *restrict b, int n) {
    double t;
#pragma omp parallel for private(t)
    for (int i = 0; i < n; i++) {
        t = b[i] * b[i];
        a[i] = t + 1;
    }
}

void wrong_counter(double (*a)[100], int n) {
    int i, j;
#pragma omp parallel for
    for (i = 0; i < n; i++)
        for (j = 0; j < 100; j++) a[i][j] = i + j;
}

void right_counter(double (*a)[100], int n) {
    int i, j;
#pragma omp parallel for private(j)
    for (i = 0; i < n; i++)
        for (j = 0; j < 100; j++) a[i][j] = i + j;
}

void wrong_sum(const double *a, int n, double *out) {
    double s = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++) s += a[i];
    *out = s;
}

void right_sum(const double *a, int n, double *out) {
    double s = 0;
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++) s += a[i];
    *out = s;
}

int wrong_maximum(const int *a, int n) {
    int best = a[0];
#pragma omp parallel for
    for (int i = 1; i < n; i++)
        if (a[i] > best) best = a[i];
    return best;
}

int right_maximum(const int *a, int n) {
    int best = a[0];
#pragma omp parallel for reduction(max : best)
    for (int i = 1; i < n; i++)
        if (a[i] > best) best = a[i];
    return best;
}

int wrong_last(int *a, int n) {
    int x = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        x = i;
        a[i] = 1;
    }
    return x;
}

int right_last(int *a, int n) {
    int x = 0;
#pragma omp parallel for lastprivate(x)
    for (int i = 0; i < n; i++) {
        x = i;
        a[i] = 1;
    }
    return x;
}

void wrong_step(double *a, int n) {
    int k = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        a[k] = i;
        k += 2;
    }
}

void right_step(double *a, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        int k = 2 * i;
        a[k] = i;
    }
}

void wrong_flag(const int *a, int n, int *out) {
    int found = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        if (a[i] == 7) found = 1;
    *out = found;
}

void right_flag(const int *a, int n, int *out) {
    int found = 0;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        if (a[i] == 7) {
#pragma omp atomic write
            found = 1;
        }
    *out = found;
}

static double last_seen;
static double keep(double x) {
    last_seen = x;
    return sqrt(x);
}

void wrong_global(double *a, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] = keep(a[i]);
}

void right_global(double *a, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] = sqrt(a[i]);
}

void wrong_scratch(double *restrict a, const double *restrict b, int n) {
    double t[4];
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++) t[k] = b[4 * i + k];
        a[i] = t[0] + t[3];
    }
}

void right_scratch(double *restrict a, const double *restrict b, int n) {
    double t[4];
#pragma omp parallel for private(t)
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++) t[k] = b[4 * i + k];
        a[i] = t[0] + t[3];
    }
}

static int calls;
static int calls_of_mine;
#pragma omp threadprivate(calls_of_mine)

void wrong_static(int *a, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        a[i] = i;
        calls++;
    }
}

void right_static(int *a, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        a[i] = i;
        calls_of_mine++;
    }
}
