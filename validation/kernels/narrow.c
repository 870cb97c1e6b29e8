/* Data of 8 and 16 bits, mixed types, fixed point, bits. */

void brighten(long n, int by, unsigned char *a)
{
    for (long i = 0; i < n; i++) {
        int v = a[i] + by;
        a[i] = v > 255 ? 255 : v;
    }
}

void grey(long n, const unsigned char *restrict rgb, unsigned char *restrict g)
{
    for (long i = 0; i < n; i++)
        g[i] = (77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8;
}

int dot_of_shorts(long n, const short *a, const short *b)
{
    int s = 0;
    for (long i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}

void to_double(long n, const float *restrict a, double *restrict b)
{
    for (long i = 0; i < n; i++)
        b[i] = a[i] * 0.5;
}

void quantise(long n, double step, const double *restrict a, int *restrict q)
{
    for (long i = 0; i < n; i++)
        q[i] = (int)(a[i] / step);
}

void mix(long n, const unsigned *restrict a, unsigned *restrict b)
{
    for (long i = 0; i < n; i++) {
        unsigned v = a[i];
        v ^= v >> 16;
        v *= 0x7feb352du;
        v ^= v >> 15;
        v *= 0x846ca68bu;
        v ^= v >> 16;
        b[i] = v;
    }
}

unsigned long checksum(long n, const unsigned char *a)
{
    unsigned long s = 5381;
    for (long i = 0; i < n; i++)
        s = s * 33 + a[i];
    return s;
}

long bits(long n, const unsigned *a)
{
    long s = 0;
    for (long i = 0; i < n; i++)
        s += __builtin_popcount(a[i]);
    return s;
}
