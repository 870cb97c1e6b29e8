/* y = A x with A in blocks of rows; every process gets the parts of all others. P divides n. */
#include "timing.h"

static void dgemv(const double *restrict a, double *restrict x, double *restrict y, int n) {
  int np;
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  int rows = n / np;
  for (int i = 0; i < rows; i++) {
    double sum = 0.0;
    for (int j = 0; j < n; j++)
      sum += a[i * n + j] * x[j];
    y[i] = sum;
  }
  MPI_Allgather(y, rows, MPI_DOUBLE, x, rows, MPI_DOUBLE, MPI_COMM_WORLD);
}

/* Every element of A is 1 / n, so a vector of ones stays one. */
int main(int argc, char **argv) {
  int np, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  int n = atoi(argv[1]), rows = n / np;
  double *a = malloc((size_t)rows * n * sizeof(double)), *x = malloc(n * sizeof(double));
  double *y = malloc(rows * sizeof(double));
  for (int i = 0; i < rows * n; i++)
    a[i] = 1.0 / n;
  for (int j = 0; j < n; j++)
    x[j] = 1.0;
  TIMED(seconds, dgemv(a, x, y, n))
  for (int j = 0; j < n; j++)
    wrong += x[j] < 0.999 || x[j] > 1.001;
  report(wrong, seconds);
  MPI_Finalize();
  return 0;
}
