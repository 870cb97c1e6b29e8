/* Dot product of two vectors of n doubles in blocks. P divides n. */
#include "timing.h"

static double ddot(const double *restrict x, const double *restrict y, int n) {
  int np;
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  int length = n / np;
  double part = 0.0, sum;
  for (int i = 0; i < length; i++)
    part += x[i] * y[i];
  MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

int main(int argc, char **argv) {
  int np;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  int n = atoi(argv[1]), length = n / np;
  double *x = malloc(length * sizeof(double)), *y = malloc(length * sizeof(double)), sum = 0.0;
  for (int i = 0; i < length; i++) {
    x[i] = 2.0;
    y[i] = 3.0;
  }
  TIMED(seconds, sum = ddot(x, y, n))
  report(sum != 6.0 * n, seconds);
  MPI_Finalize();
  return 0;
}
