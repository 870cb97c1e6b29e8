/* Two steps of a 5-point stencil on n x n doubles in strips of rows; the rows at the borders of a strip go to the
   neighbours. P divides n. */
#include "timing.h"

static void exchange(double *u, int rows, int n, int up, int down) {
  MPI_Sendrecv(u + n, n, MPI_DOUBLE, up, 0, u + (rows + 1) * n, n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(u + rows * n, n, MPI_DOUBLE, down, 1, u, n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* `before`: rows of the processes before this one. The first and last row of all stay as they are. */
static void relax(const double *restrict u, double *restrict v, int before, int rows, int n) {
  for (int i = 1; i <= rows; i++)
    if (before + i > 1 && before + i < n)
      for (int j = 1; j < n - 1; j++)
        v[i * n + j] = 0.25 * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1]);
}

static void stencil(double *restrict u, double *restrict v, int n) {
  int rank, np;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  int rows = n / np;
  int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < np - 1 ? rank + 1 : MPI_PROC_NULL;
  exchange(u, rows, n, up, down);
  relax(u, v, rank * rows, rows, n);
  exchange(v, rows, n, up, down);
  relax(v, u, rank * rows, rows, n);
}

/* A linear function, which the mean of four neighbours does not change. */
int main(int argc, char **argv) {
  int rank, np, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  int n = atoi(argv[1]), rows = n / np;
  double *u = calloc((size_t)(rows + 2) * n, sizeof(double)), *v = calloc((size_t)(rows + 2) * n, sizeof(double));
  for (int i = 1; i <= rows; i++)
    for (int j = 0; j < n; j++)
      u[i * n + j] = v[i * n + j] = 2.0 * (rank * rows + i) + 3.0 * j;
  TIMED(seconds, stencil(u, v, n))
  for (int i = 1; i <= rows; i++)
    for (int j = 0; j < n; j++)
      wrong += u[i * n + j] != 2.0 * (rank * rows + i) + 3.0 * j;
  report(wrong, seconds);
  MPI_Finalize();
  return 0;
}
