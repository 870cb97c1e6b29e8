/* What the golden reports are of: one function for each thing that a report says. Größe: ä, ö, ü. */
#include <stdio.h>
#include "nowhere.h"

#define EACH(i) for (int i = 0; i < 64; i++)

static float image[4096][4096], result[4096][4096];

void smooth(void) {
  for (int t = 0; t < 100; t++)
    for (int i = 1; i < 4095; i++)
      for (int j = 1; j < 4095; j++)
        result[i][j] = 0.2f * (image[i][j] + image[i - 1][j] + image[i + 1][j] + image[i][j - 1] + image[i][j + 1]);
}

void polynomial(float *restrict a) {
  for (int i = 0; i < 10000000; i++)
    for (int k = 0; k < 1000; k++)
      a[i] = a[i] * 0.5f + 1.0f;
}

double sum(int n, const double *x) {
  double s = 0, last = 0;
  for (int i = 0; i < n; i++) {
    last = x[i] * x[i];
    s += last;
  }
  return s + last;
}

void columns(int n, double (*restrict to)[n], double (*restrict from)[n]) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      to[i][j] = from[i][j] * 2;
}

void gather(double *restrict a, const double *restrict b, const int *restrict k) {
  for (int i = 0; i < 10000000; i++)
    a[i] = b[k[i]];
}

void chain(int n, double *x) {
  // analyze: ignore[DEP001] a scan, ported later
  for (int i = 1; i < n; i++)
    x[i] += x[i - 1];
  for (int i = 2; i < n; i++) {
    double before = x[i - 2];
    x[i] += before;
  }
}

void shows(int n, const double *x) {
  for (int i = 0; i < n; i++)
    printf("%g\n", x[i]);
}

void small(float *x) {
  EACH(k) x[k] = 0; // analyze: ignor[OFF006] misspelt
}

void broken(int n, double *x) {
  for (int i = 0; i < n; i++)
    x[i] = unknown_t (x[i]) y;
}

void told(int n, double *x, void (*tell)(double *)) {
  for (int i = 0; i < n; i++)
    tell(x);
}
