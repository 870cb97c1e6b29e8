/* What one process can do while all others do the same: peak arithmetic, memory bandwidth, network bandwidth and latency,
   as Cardwell 2019 measures them (section 2.3.3), with the arithmetic of this folder in place of a library's. Prints
   Gop/s of the product in summa.c at the size where it is fastest; GB/s of the best of STREAM's four loops; GB/s of a
   ping-pong of LONG bytes and more (a link that is shaped lets the first bytes after a pause through at once); us of half
   a ping-pong of 8 bytes. */
#define SHORTEST 0.0005 /* peaks are what is left where nothing disturbs; the messages are long */
#include "timing.h"

#define LARGE (8 << 20)
#define LONG (256 << 10)
#define LONGEST (1 << 20)

static void multiply(const double *restrict a, const double *restrict b, double *restrict c, int n) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

static void copy(const double *restrict a, double *restrict c) {
  for (int i = 0; i < LARGE; i++)
    c[i] = a[i];
}

static void scale(const double *restrict c, double *restrict b) {
  for (int i = 0; i < LARGE; i++)
    b[i] = 3.0 * c[i];
}

static void add(const double *restrict a, const double *restrict b, double *restrict c) {
  for (int i = 0; i < LARGE; i++)
    c[i] = a[i] + b[i];
}

static void triad(double *restrict a, const double *restrict b, const double *restrict c) {
  for (int i = 0; i < LARGE; i++)
    a[i] = b[i] + 3.0 * c[i];
}

/* There and back between the first two processes. */
static void ping_pong(char *data, int bytes, int rank) {
  if (rank == 0) {
    MPI_Send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
}

static double most(double a, double b) { return a > b ? a : b; }

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double *a = malloc(LARGE * sizeof(double)), *b = malloc(LARGE * sizeof(double)), *c = malloc(LARGE * sizeof(double));
  for (int i = 0; i < LARGE; i++) {
    a[i] = 1.0;
    b[i] = 2.0;
    c[i] = 0.0;
  }
  double peak = 0.0, network = 0.0;
  for (int n = 32; n <= 512; n *= 2) {
    TIMED(seconds, multiply(a, b, c, n))
    peak = most(peak, 2.0 * n * n * n / seconds);
  }
  double bytes = (double)LARGE * sizeof(double);
  TIMED(copied, copy(a, c))
  TIMED(scaled, scale(c, b))
  TIMED(added, add(a, b, c))
  TIMED(both, triad(a, b, c))
  double memory = most(most(2 * bytes / copied, 2 * bytes / scaled), most(3 * bytes / added, 3 * bytes / both));
  for (int length = LONG; length <= LONGEST; length *= 2) {
    TIMED(there_and_back, ping_pong((char *)a, length, rank))
    network = most(network, length / (there_and_back / 2));
  }
  TIMED(short_one, ping_pong((char *)a, 8, rank))
  if (rank == 0)
    printf("%.4g %.4g %.4g %.4g\n", peak / 1e9, memory / 1e9, network / 1e9, short_one / 2 * 1e6);
  MPI_Finalize();
  return 0;
}
