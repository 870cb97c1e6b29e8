/* Data of constructs that run on a device. */
#define N 1000

void unmapped_result(double *restrict a, const double *restrict b, int n) {
#pragma omp target teams distribute parallel for map(to : a[0 : n], b[0 : n])
    for (int i = 0; i < n; i++) a[i] = b[i];
}

void mapped_result(double *restrict a, const double *restrict b, int n) {
#pragma omp target teams distribute parallel for map(from : a[0 : n]) map(to : b[0 : n])
    for (int i = 0; i < n; i++) a[i] = b[i];
}

void unmapped_values(double *a, int n) {
#pragma omp target teams distribute parallel for map(from : a[0 : n])
    for (int i = 0; i < n; i++) a[i] = 2 * a[i];
}

void mapped_values(double *a, int n) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
    for (int i = 0; i < n; i++) a[i] = 2 * a[i];
}

void unmapped_pointer(double *restrict a, const double *restrict b, int n) {
#pragma omp target map(from : a[0 : n])
#pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] = b[i];
}

void mapped_pointer(double *restrict a, const double *restrict b, int n) {
#pragma omp target map(from : a[0 : n]) map(to : b[0 : n])
#pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] = b[i];
}

void unmapped_new(double *restrict a, const double *restrict b, int n) {
#pragma omp target map(alloc : a[0 : n]) map(to : b[0 : n])
    for (int i = 0; i < n; i++) a[i] += b[i];
}

void mapped_around(double *restrict c, const double *restrict b, int n) {
#pragma omp target data map(tofrom : c[0 : n])
    {
#pragma omp target map(alloc : c[0 : n]) map(to : b[0 : n])
        for (int i = 0; i < n; i++) c[i] += b[i];
    }
}

void unmapped_acc(double *restrict a, const double *restrict b, int n) {
#pragma acc parallel loop copyin(a[0 : n], b[0 : n])
    for (int i = 0; i < n; i++) a[i] = b[i];
}

void mapped_acc(double *restrict a, const double *restrict b, int n) {
#pragma acc parallel loop copyout(a[0 : n]) copyin(b[0 : n])
    for (int i = 0; i < n; i++) a[i] = b[i];
}

void mapped_array(const double *b) {
    double t[N];
#pragma omp target map(to : b[0 : N])
    for (int i = 0; i < N; i++) t[i] = b[i];
}
