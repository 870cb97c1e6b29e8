/* Vectors, teams on a device, OpenACC. */
#define N 1024

void wrong_simd(double *a, int n) {
#pragma omp simd
    for (int i = 1; i < n; i++) a[i] = a[i - 1] + 1;
}

void right_simd(double *a, int n) {
#pragma omp simd
    for (int i = 0; i < n; i++) a[i] = a[i] + 1;
}

void wrong_safelen(double *a, int n) {
#pragma omp simd safelen(8)
    for (int i = 4; i < n; i++) a[i] = a[i - 4] + 1;
}

void right_safelen(double *a, int n) {
#pragma omp simd safelen(4)
    for (int i = 4; i < n; i++) a[i] = a[i - 4] + 1;
}

void wrong_simd_sum(const double *a, int n, double *out) {
    double s = 0;
#pragma omp simd
    for (int i = 0; i < n; i++) s += a[i];
    *out = s;
}

void right_simd_sum(const double *a, int n, double *out) {
    double s = 0;
#pragma omp simd reduction(+ : s)
    for (int i = 0; i < n; i++) s += a[i];
    *out = s;
}

void wrong_target(double *a) {
#pragma omp target map(tofrom : a[0 : N])
#pragma omp parallel for
    for (int i = 1; i < N; i++) a[i] = a[i - 1];
}

void right_target(double *a) {
#pragma omp target map(tofrom : a[0 : N])
#pragma omp parallel for
    for (int i = 1; i < N; i++) a[i] = 2 * a[i];
}

void wrong_distribute(double *a, int n) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
    for (int i = 0; i < n - 1; i++) a[i] = a[i + 1];
}

void right_distribute(double *restrict a, double *restrict b, int n) {
#pragma omp target teams distribute parallel for map(from : a[0 : n]) map(to : b[0 : n])
    for (int i = 0; i < n - 1; i++) a[i] = b[i + 1];
}

void wrong_teams(double *a, double *s) {
    double sum = 0;
#pragma omp target teams map(tofrom : sum) map(to : a[0 : N])
#pragma omp distribute parallel for
    for (int i = 0; i < N; i++) sum += a[i];
    *s = sum;
}

void right_teams(double *a, double *s) {
    double sum = 0;
#pragma omp target teams map(tofrom : sum) map(to : a[0 : N]) reduction(+ : sum)
#pragma omp distribute parallel for reduction(+ : sum)
    for (int i = 0; i < N; i++) sum += a[i];
    *s = sum;
}

void wrong_two_levels(double (*a)[N], int n) {
#pragma omp target teams distribute map(tofrom : a[0 : n])
    for (int i = 1; i < n; i++) {
#pragma omp parallel for
        for (int j = 0; j < N; j++) a[i][j] = a[i - 1][j];
    }
}

void right_two_levels(double (*a)[N], int n) {
#pragma omp target teams distribute map(tofrom : a[0 : n])
    for (int i = 1; i < n; i++) {
#pragma omp parallel for
        for (int j = 0; j < N; j++) a[i][j] = 2 * a[i][j];
    }
}

void wrong_acc(double *a, int n) {
#pragma acc parallel loop copy(a[0 : n])
    for (int i = 1; i < n; i++) a[i] = a[i - 1];
}

void right_acc(double *restrict a, double *restrict b, int n) {
#pragma acc parallel loop copyin(b[0 : n]) copyout(a[0 : n])
    for (int i = 1; i < n; i++) a[i] = b[i - 1];
}

void wrong_acc_loop(double *a, int n) {
#pragma acc parallel copy(a[0 : n])
    {
#pragma acc loop
        for (int i = 0; i < n; i++) a[i / 2] = i;
    }
}

void right_acc_loop(double *a, int n) {
#pragma acc parallel copy(a[0 : n])
    {
#pragma acc loop
        for (int i = 0; i < n; i++) a[i] = i;
    }
}

/* An iteration whose iterations are divided again. */
void wrong_gangs_of_vectors(double a[64][64]) {
#pragma acc parallel loop gang copy(a[0 : 64])
    for (int i = 1; i < 64; i++) {
#pragma acc loop vector
        for (int j = 0; j < 64; j++) a[i][j] = a[i - 1][j] / 2;
    }
}

void right_gangs_of_vectors(double a[64][64]) {
#pragma acc parallel loop gang copy(a[0 : 64])
    for (int i = 1; i < 64; i++) {
#pragma acc loop vector
        for (int j = 0; j < 64; j++) a[i][j] = a[i][j] / 2;
    }
}

void wrong_behind_vectors(double a[64][64], double b[64][64], double v) {
#pragma acc parallel loop gang copy(a[0 : 64], b[0 : 64])
    for (int i = 1; i < 64; i++) {
#pragma acc loop vector
        for (int j = 0; j < 64; j++) a[i][j] = v;
#pragma acc loop vector
        for (int j = 0; j < 64; j++) b[i][j] = a[i - 1][j];
    }
}

void right_behind_vectors(double (*restrict a)[64], double (*restrict b)[64], double v) {
#pragma acc parallel loop gang copy(a[0 : 64], b[0 : 64])
    for (int i = 1; i < 64; i++) {
#pragma acc loop vector
        for (int j = 0; j < 64; j++) a[i][j] = v;
#pragma acc loop vector
        for (int j = 1; j < 64; j++) b[i][j] = a[i][j - 1];
    }
}

void wrong_loop_in_a_loop(double a[64][64]) {
#pragma omp parallel
#pragma omp loop
    for (int i = 1; i < 64; i++) {
#pragma omp loop
        for (int j = 0; j < 64; j++) a[i][j] = a[i - 1][j] / 2;
    }
}

void right_loop_in_a_loop(double a[64][64]) {
#pragma omp parallel
#pragma omp loop
    for (int i = 1; i < 64; i++) {
#pragma omp loop
        for (int j = 0; j < 64; j++) a[i][j] = a[i][j] / 2;
    }
}

void wrong_around_lanes(double a[64][64]) {
#pragma omp parallel for
    for (int i = 1; i < 64; i++) {
#pragma omp simd
        for (int j = 0; j < 64; j++) a[i][j] = a[i - 1][j] / 2;
    }
}

void right_around_lanes(double a[64][64]) {
#pragma omp parallel for
    for (int i = 1; i < 64; i++) {
#pragma omp simd
        for (int j = 0; j < 64; j++) a[i][j] = a[i][j] / 2;
    }
}

void wrong_loops_of_gangs(const double *restrict a, double *restrict b, double *restrict c, int n) {
#pragma acc parallel copyin(a[0 : n]) copy(b[0 : n], c[0 : n])
    {
#pragma acc loop gang
        for (int i = 0; i < n; i++) b[i] = a[i];
#pragma acc loop gang
        for (int i = 1; i < n; i++) c[i] = b[i - 1];
    }
}

void right_loops_of_gangs(const double *restrict a, double *restrict b, double *restrict c, int n) {
#pragma acc data copyin(a[0 : n]) copy(b[0 : n], c[0 : n])
    {
#pragma acc parallel loop gang
        for (int i = 0; i < n; i++) b[i] = a[i];
#pragma acc parallel loop gang
        for (int i = 1; i < n; i++) c[i] = b[i - 1];
    }
}

void wrong_gangs_with_vectors(const double *restrict a, double *restrict b, double *restrict c, int n) {
#pragma acc parallel copyin(a[0 : n]) copy(b[0 : n], c[0 : n])
    {
#pragma acc loop gang vector
        for (int i = 0; i < n; i++) b[i] = a[i];
#pragma acc loop gang vector
        for (int i = 0; i < n - 1; i++) c[i] = b[i + 1];
    }
}

void right_vectors_one_by_one(double *restrict b, double *restrict c, int n, int m) {
#pragma acc parallel loop gang copy(b[0 : n * m], c[0 : n * m])
    for (int i = 0; i < n; i++) {
#pragma acc loop vector
        for (int j = 0; j < m; j++) b[i * m + j] *= 2;
#pragma acc loop vector
        for (int j = 1; j < m; j++) c[i * m + j] = b[i * m + j - 1];
    }
}

void right_gangs_with_vectors(const double *restrict a, double *restrict b, double *restrict c, int n) {
#pragma acc parallel copyin(a[0 : n]) copy(b[0 : n], c[0 : n])
    {
#pragma acc loop gang vector
        for (int i = 0; i < n; i++) {
            b[i] = a[i];
            c[i] = b[i];
        }
    }
}

void wrong_vectors_one_by_one(double *restrict b, double *restrict c, int n, int m) {
#pragma acc parallel loop gang copy(b[0 : n * m], c[0 : n * m])
    for (int i = 0; i < n - 1; i++) {
#pragma acc loop vector
        for (int j = 0; j < m; j++) b[i * m + j] *= 2;
#pragma acc loop vector
        for (int j = 0; j < m; j++) c[i * m + j] = b[(i + 1) * m + j];
    }
}
