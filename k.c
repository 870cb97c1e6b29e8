void f(double *restrict a, const double *restrict c, int n, int *b) {
    while (n-- > 0)
        *a++ = *c++;
    b[0] = n;
}
