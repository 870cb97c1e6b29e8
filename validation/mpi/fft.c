/* A Fourier transform of n = length * length complex numbers in four steps: transforms of columns, twiddle factors, a
   transpose over all processes, transforms of rows. length = 2^(2 * pairs); P divides it. */
#include "timing.h"
#include <math.h>

typedef struct {
  double re, im;
} Complex;

/* Stage `stage` of a transform of `length` elements (Stockham's order), of `width` of them side by side. */
static void butterflies(const Complex *restrict x, Complex *restrict y, const Complex *restrict wave, int length,
                        int stage, int width) {
  int half = length / 2;
  for (int i = 0; i < half; i++) {
    int low = i % (1 << stage), high = i - low;
    Complex w = wave[high];
    for (int j = 0; j < width; j++) {
      Complex a = x[i * width + j], b = x[(i + half) * width + j];
      double re = a.re - b.re, im = a.im - b.im;
      y[(high + i) * width + j].re = a.re + b.re;
      y[(high + i) * width + j].im = a.im + b.im;
      y[(high + i + (1 << stage)) * width + j].re = re * w.re - im * w.im;
      y[(high + i + (1 << stage)) * width + j].im = re * w.im + im * w.re;
    }
  }
}

static void transform(Complex *restrict x, Complex *restrict y, const Complex *restrict wave, int length, int pairs,
                      int width) {
  for (int pair = 0; pair < pairs; pair++) {
    butterflies(x, y, wave, length, 2 * pair, width);
    butterflies(y, x, wave, length, 2 * pair + 1, width);
  }
}

/* `x`: rows of the input, of each the part of this process; then columns of the result. */
static void fft(Complex *restrict x, Complex *restrict y, const Complex *restrict wave,
                const Complex *restrict twiddle, int length, int pairs) {
  int np;
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  int width = length / np;
  transform(x, y, wave, length, pairs, width);
  for (int i = 0; i < length * width; i++) {
    Complex a = x[i], w = twiddle[i];
    x[i].re = a.re * w.re - a.im * w.im;
    x[i].im = a.re * w.im + a.im * w.re;
  }
  MPI_Alltoall(x, 2 * width * width, MPI_DOUBLE, y, 2 * width * width, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int source = 0; source < np; source++)
    for (int k = 0; k < width; k++)
      for (int j = 0; j < width; j++)
        x[(source * width + j) * width + k] = y[(source * width + k) * width + j];
  transform(x, y, wave, length, pairs, width);
}

static Complex turned(double turns) {
  Complex z = {cos(-6.283185307179586 * turns), sin(-6.283185307179586 * turns)};
  return z;
}

/* One wave of frequency 5: a single peak. The calls that are timed transform what is left of it. */
static int check(Complex *x, Complex *y, const Complex *wave, const Complex *twiddle, int length,
                 int pairs) {
  int rank, np, wrong = 0, frequency = 5;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  int width = length / np;
  double n = (double)length * length;
  for (int i = 0; i < length; i++)
    for (int j = 0; j < width; j++)
      x[i * width + j] = turned(-frequency * ((double)i * length + rank * width + j) / n);
  fft(x, y, wave, twiddle, length, pairs);
  for (int j = 0; j < length; j++)
    for (int k = 0; k < width; k++) {
      double expected = j * length + rank * width + k == frequency ? n : 0.0;
      wrong += fabs(x[j * width + k].re - expected) > 1e-6 * n || fabs(x[j * width + k].im) > 1e-6 * n;
    }
  return wrong;
}

int main(int argc, char **argv) {
  int rank, np;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  int length = atoi(argv[1]), pairs = atoi(argv[2]), width = length / np;
  size_t part = (size_t)length * width * sizeof(Complex);
  Complex *x = malloc(part), *y = malloc(part), *twiddle = malloc(part), *wave = malloc(length * sizeof(Complex));
  for (int i = 0; i < length; i++)
    wave[i] = turned((double)i / length);
  for (int k = 0; k < length; k++)
    for (int j = 0; j < width; j++)
      twiddle[k * width + j] = turned((double)k * (rank * width + j) / ((double)length * length));
  int wrong = check(x, y, wave, twiddle, length, pairs);
  for (int i = 0; i < length * width; i++)
    x[i].re = x[i].im = 0.0; /* repeated transforms must not overflow */
  TIMED(seconds, fft(x, y, wave, twiddle, length, pairs))
  report(wrong, seconds);
  MPI_Finalize();
  return 0;
}
