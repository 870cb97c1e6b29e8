/* Stand-in for <math.h>. */
#ifndef BOATHULL_MATH_H
#define BOATHULL_MATH_H
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define HUGE_VAL 1e999
#define INFINITY 1e999f
#define NAN (0.0f / 0.0f)
#define BOATHULL_REAL(name)      \
  double name(double x);         \
  float name##f(float x);        \
  long double name##l(long double x)
#define BOATHULL_REAL2(name)               \
  double name(double x, double y);         \
  float name##f(float x, float y);         \
  long double name##l(long double x, long double y)
BOATHULL_REAL(acos);
BOATHULL_REAL(acosh);
BOATHULL_REAL(asin);
BOATHULL_REAL(asinh);
BOATHULL_REAL(atan);
BOATHULL_REAL(atanh);
BOATHULL_REAL(cbrt);
BOATHULL_REAL(ceil);
BOATHULL_REAL(cos);
BOATHULL_REAL(cosh);
BOATHULL_REAL(erf);
BOATHULL_REAL(erfc);
BOATHULL_REAL(exp);
BOATHULL_REAL(exp2);
BOATHULL_REAL(expm1);
BOATHULL_REAL(fabs);
BOATHULL_REAL(floor);
BOATHULL_REAL(lgamma);
BOATHULL_REAL(log);
BOATHULL_REAL(log10);
BOATHULL_REAL(log1p);
BOATHULL_REAL(log2);
BOATHULL_REAL(logb);
BOATHULL_REAL(nearbyint);
BOATHULL_REAL(rint);
BOATHULL_REAL(round);
BOATHULL_REAL(sin);
BOATHULL_REAL(sinh);
BOATHULL_REAL(sqrt);
BOATHULL_REAL(tan);
BOATHULL_REAL(tanh);
BOATHULL_REAL(tgamma);
BOATHULL_REAL(trunc);
BOATHULL_REAL2(atan2);
BOATHULL_REAL2(copysign);
BOATHULL_REAL2(fdim);
BOATHULL_REAL2(fmax);
BOATHULL_REAL2(fmin);
BOATHULL_REAL2(fmod);
BOATHULL_REAL2(hypot);
BOATHULL_REAL2(nextafter);
BOATHULL_REAL2(pow);
BOATHULL_REAL2(remainder);
double fma(double x, double y, double z);
float fmaf(float x, float y, float z);
double ldexp(double x, int exponent);
float ldexpf(float x, int exponent);
double frexp(double x, int *exponent);
double modf(double x, double *whole);
long lrint(double x);
long lround(double x);
long long llrint(double x);
long long llround(double x);
double j0(double x);
double j1(double x);
double jn(int n, double x);
int isnan(double x);
int isinf(double x);
int isfinite(double x);
int signbit(double x);
#undef BOATHULL_REAL
#undef BOATHULL_REAL2
#endif
