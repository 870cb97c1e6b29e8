/* A program for test_conditions.py: each condition holds, and fails once. With an argument nothing fails. */
#include <stdio.h>

void complain(int code, const char *text);

void scatter(int n, const int *idx, double *y, const double *x)
{
    int i;
    if (n > 0)
        for (i = 0; i < n; i++)
            y[idx[i]] = x[i];
    else
        y[0] = 0;
}

#define PRAGMAS 1

int first_negative(int n, const double *x, double *y)
{
#if PRAGMAS
#pragma GCC ivdep
#endif
    for (int i = 0; i < n; i++) {  // left in the second run
        if (x[i] < -100)
            return -1;
        y[i] = 2 * x[i];
    }
    return 0;
}

void checked(int n, const int *type, double *y)
{
    for (int i = 0; i < n; i++) {  // told something in the second run, twice
        if (type[i] > 5)
            complain(1, "bad type");
        y[i] = type[i];
    }
}

int main(int arguments, char **names)
{
    int once[4] = {3, 1, 0, 2}, twice[4] = {1, 2, 1, 0}, type[4] = {1, 2, 9, 9};
    double x[4] = {1, 2, 3, 4}, y[4];
    scatter(4, once, y, x);
    scatter(4, once, y, x);
    first_negative(4, x, y);
    checked(2, type, y);
    if (arguments > 1 && names)
        return 0;
    scatter(4, twice, y, x);
    x[2] = -200;
    first_negative(4, x, y);
    checked(4, type, y);
    return 0;
}
