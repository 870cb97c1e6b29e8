/* SUMMA: C = C + A B for n x n doubles on a grid of `rows` x `columns` processes, rows a divisor of columns, columns of n.
   In step (r, p) a column panel of A goes along the rows of the grid and a row panel of B along its columns. */
#include "timing.h"
#include <string.h>

static void multiply(const double *restrict a, const double *restrict b, double *restrict c, int m, int width) {
  for (int i = 0; i < m; i++)
    for (int k = 0; k < width; k++)
      for (int j = 0; j < width; j++)
        c[i * width + j] += a[i * width + k] * b[k * width + j];
}

static void summa(const double *restrict a, const double *restrict b, double *restrict c, double *restrict a_panel,
                  double *restrict b_panel, int n, int rows, MPI_Comm row, MPI_Comm column) {
  int rank, np;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  int columns = np / rows, panels = columns / rows, m = n / rows, width = n / columns;
  for (int r = 0; r < rows; r++)
    for (int p = 0; p < panels; p++) {
      if (rank % columns == r * panels + p)
        memcpy(a_panel, a, (size_t)m * width * sizeof(double));
      if (rank / columns == r)
        memcpy(b_panel, b + p * width * width, (size_t)width * width * sizeof(double));
      MPI_Bcast(a_panel, m * width, MPI_DOUBLE, r * panels + p, row);
      MPI_Bcast(b_panel, width * width, MPI_DOUBLE, r, column);
      multiply(a_panel, b_panel, c, m, width);
    }
}

/* All elements of A are 1 and of B 2, so every call adds 2 n. */
int main(int argc, char **argv) {
  int rank, np, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  int n = atoi(argv[1]), rows = atoi(argv[2]);
  int columns = np / rows, m = n / rows, width = n / columns;
  MPI_Comm row, column;
  MPI_Comm_split(MPI_COMM_WORLD, rank / columns, rank % columns, &row);
  MPI_Comm_split(MPI_COMM_WORLD, rank % columns, rank / columns, &column);
  size_t part = (size_t)m * width * sizeof(double);
  double *a = malloc(part), *b = malloc(part), *c = calloc(1, part), *a_panel = malloc(part), *b_panel = malloc(part);
  for (int i = 0; i < m * width; i++) {
    a[i] = 1.0;
    b[i] = 2.0;
  }
  TIMED(seconds, summa(a, b, c, a_panel, b_panel, n, rows, row, column))
  for (int i = 0; i < m * width; i++)
    wrong += c[i] != c[0] || (long)c[i] % (2 * n) != 0;
  report(wrong, seconds);
  MPI_Finalize();
  return 0;
}
