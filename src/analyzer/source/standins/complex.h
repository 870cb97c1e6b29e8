/* Stand-in for <complex.h>. */
#ifndef BOATHULL_COMPLEX_H
#define BOATHULL_COMPLEX_H
#define complex _Complex
#define _Complex_I (1.0iF)
#define I _Complex_I
double creal(double _Complex z);
double cimag(double _Complex z);
double cabs(double _Complex z);
double carg(double _Complex z);
double _Complex conj(double _Complex z);
double _Complex cexp(double _Complex z);
double _Complex clog(double _Complex z);
double _Complex cpow(double _Complex z, double _Complex w);
double _Complex csqrt(double _Complex z);
double _Complex csin(double _Complex z);
double _Complex ccos(double _Complex z);
float crealf(float _Complex z);
float cimagf(float _Complex z);
float cabsf(float _Complex z);
float _Complex conjf(float _Complex z);
float _Complex cexpf(float _Complex z);
float _Complex csqrtf(float _Complex z);
#endif
