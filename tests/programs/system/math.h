#ifndef MATH_H
#define MATH_H
double fabs(double x) __attribute__((__nothrow__, __const__));
double sqrt(double x) __attribute__((__nothrow__));
double floor(double x) __attribute__((__nothrow__, __const__));
#endif
