/* Iterations that use each other's elements. */
#define N 1000

void wrong_flow(double *a, int n) {
#pragma omp parallel for
    for (int i = 1; i < n; i++) a[i] = a[i - 1] + 1.0;
}

void right_flow(double *restrict a, const double *restrict b, int n) {
#pragma omp parallel for
    for (int i = 1; i < n; i++) a[i] = b[i - 1] + 1.0;
}

void wrong_anti(double *a, int n) {
#pragma omp parallel for
    for (int i = 0; i < n - 1; i++) a[i] = a[i + 1] + 1.0;
}

void right_anti(double *a, int n) {
#pragma omp parallel for
    for (int i = 0; i < n - 1; i += 2) a[i] = a[i + 1] + 1.0;
}

void wrong_output(int *a, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) a[i / 2] = i;
}

void right_output(int *a, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) a[2 * i] = i;
}

void wrong_distance(double *a) {
#pragma omp parallel for
    for (int i = 0; i < N - 10; i++) a[i + 10] = 2.0 * a[i];
}

void right_distance(double *a) {
#pragma omp parallel for
    for (int i = 0; i < N / 2; i++) a[i + N / 2] = 2.0 * a[i];
}

void wrong_inner(double a[N][N], int n) {
    int j;
#pragma omp parallel for private(j)
    for (int i = 1; i < n; i++)
        for (j = 0; j < n; j++) a[i][j] += a[i - 1][j];
}

void right_inner(double a[N][N], int n) {
    int j;
#pragma omp parallel for private(j)
    for (int i = 0; i < n; i++)
        for (j = 1; j < n; j++) a[i][j] += a[i][j - 1];
}

void wrong_collapse(double a[N][N], int n) {
#pragma omp parallel for collapse(2)
    for (int i = 0; i < n; i++)
        for (int j = 1; j < n; j++) a[i][j] += a[i][j - 1];
}

void right_collapse(double a[N][N], double b[N][N], int n) {
#pragma omp parallel for collapse(2)
    for (int i = 0; i < n; i++)
        for (int j = 1; j < n; j++) a[i][j] += b[i][j - 1];
}

void wrong_transposed(double a[N][N], int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i][j] = a[j][i];
}

void right_transposed(double a[N][N], double b[N][N], int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i][j] = b[j][i];
}

void wrong_last_element(double *a, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) a[i] = a[n - 1] * 0.5;
}

void right_last_element(double *a, int n) {
#pragma omp parallel for
    for (int i = 0; i < n - 1; i++) a[i] = a[n - 1] * 0.5;
}

static void step(double *p, int i) { p[i] = p[i + 1]; }
static void own(double *p, int i) { p[i] = 2 * p[i]; }

void wrong_called(double *a, int n) {
#pragma omp parallel for
    for (int i = 0; i < n - 1; i++) step(a, i);
}

void right_called(double *a, int n) {
#pragma omp parallel for
    for (int i = 0; i < n - 1; i++) own(a, i);
}

struct body { double x, v, f[3]; };

void wrong_members(struct body *p, int n) {
#pragma omp parallel for
    for (int i = 1; i < n; i++) p[i].x = p[i - 1].x + p[i].v;
}

void right_members(struct body *p, int n) {
#pragma omp parallel for
    for (int i = 1; i < n; i++) p[i].x = p[i - 1].v + p[i].f[1];
}

int main(void) {
    int i, a[100], len = 100;
    for (i = 0; i < len; i++) a[i] = i;
#pragma omp parallel for
    for (i = 0; i < len - 1; i++) a[i + 1] = a[i] + 1;
    return a[5];
}
