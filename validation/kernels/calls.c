/* Loops that call functions of the same file: small ones, ones with loops of their own, ones that stay calls. */

static void fill(double *a, long n, double value)
{
    for (long i = 0; i < n; i++) a[i] = value;
}

void fill_often(long t, long n, double *a)
{
    for (long k = 0; k < t; k++) fill(a, n, (double)k);
}

static void scale_row(double *row, long m, double factor)
{
    for (long j = 0; j < m; j++) row[j] *= factor;
}

void scale_rows(long n, long m, double *a, const double *factors)
{
    for (long i = 0; i < n; i++) scale_row(a + i * m, m, factors[i]);
}

static double product(const double *a, const double *x, long m)
{
    double s = 0;
    for (long j = 0; j < m; j++) s += a[j] * x[j];
    return s;
}

void products_of_rows(long n, long m, const double *a, const double *x, double *y)
{
    for (long i = 0; i < n; i++) y[i] = product(a + i * m, x, m);
}

static inline double at(const double *a, long m, long i, long j) { return a[i * m + j]; }

void smooth_by_getter(long n, long m, const double *restrict a, double *restrict b)
{
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < m - 1; j++)
            b[i * m + j] = 0.25 * (at(a, m, i - 1, j) + at(a, m, i + 1, j) + at(a, m, i, j - 1) + at(a, m, i, j + 1));
}

static double clamped(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

void clamp(long n, double *a)
{
    for (long i = 0; i < n; i++) a[i] = clamped(a[i], 0.7, 1.2);
}

static double horner(const double *c, double x)
{
    double s = c[7];
    for (int k = 6; k >= 0; k--) s = s * x + c[k];
    return s;
}

void polynomials_by_call(long n, const double *c, const double *x, double *y)
{
    for (long i = 0; i < n; i++) y[i] = horner(c, x[i]);
}

/* Too large to be put in the place of two calls. */
static double moved(const double *p, double dt)
{
    double x = p[0], y = p[1], z = p[2];
    double u = p[3], v = p[4], w = p[5];
    double r = x * x + y * y + z * z + 0.1;
    double s = u * u + v * v + w * w + 0.1;
    double e = 0.5 * s - 1.0 / r;
    double lx = y * w - z * v, ly = z * u - x * w, lz = x * v - y * u;
    double l = lx * lx + ly * ly + lz * lz;
    double a = (x * u + y * v + z * w) * dt;
    double b = (l * e + a * r) / (s + l);
    double q = a * b + (e - l) * (r - s) + dt * (lx + ly * b + lz * a);
    double f = (x * b - y * a) * (u - v * e) + (z - l * a) * (w + b);
    double g = (lx * e - v * a) * (x - w * f) + (ly - s * b) * (y + lz * e);
    double h = (x + u * dt) * (y + v * dt) + (z + w * dt) * (x + v * dt) + (y + w * dt) * (z + u * dt);
    double i = (f * x - g * y) * (h * z - f * u) + (g * v - h * w) * (f + g * h);
    double j = (q - f * l) * (r + i * s) + (g - h * a) * (b - i * e) + (f * q - g * h) * (x - i);
    double k = (j + i * x) * (h - g * y) + (f - q * z) * (i + j * u) + (q + h * v) * (g - f * w);
    return q + f * (g + dt * h) + i * (j + dt * k) + (lx * i - ly * j + lz * k) * (1.0 + q * f);
}

void orbits(long n, double dt, const double *p, double *e)
{
    for (long i = 0; i < n; i++) e[i] = moved(p + 6 * i, dt);
}

double energy(long n, double dt, const double *p)
{
    double s = 0;
    for (long i = 0; i < n; i++) s += moved(p + 6 * i, dt);
    return s;
}

static void relaxed(long n, const double *from, double *to)
{
    for (long i = 1; i < n - 1; i++) to[i] = 0.3 * from[i - 1] + 0.4 * from[i] + 0.3 * from[i + 1];
}

void relax_by_calls(long t, long n, double *a, double *b)
{
    for (long k = 0; k < t; k++) {
        relaxed(n, a, b);
        relaxed(n, b, a);
    }
}

static double norm(const double *v)
{
    double s = 0;
    for (int k = 0; k < 3; k++) s += v[k] * v[k];
    return s;
}

void norms(long n, const double *v, double *r)
{
    for (long i = 0; i < n; i++) r[i] = norm(v + 3 * i);
}

static void add_row(double *restrict c, const double *restrict b, double factor, long m)
{
    for (long j = 0; j < m; j++) c[j] += factor * b[j];
}

static void add_rows(double *restrict c, const double *restrict a, const double *restrict b, long n, long m)
{
    for (long k = 0; k < n; k++) add_row(c, b + k * m, a[k], m);
}

void product_by_rows(long n, const double *restrict a, const double *restrict b, double *restrict c)
{
    for (long i = 0; i < n; i++) add_rows(c + i * n, a + i * n, b, n, n);
}

struct state {
    unsigned seed;
    long count;
};

static unsigned next(struct state *s)
{
    s->seed ^= s->seed << 13;
    s->seed ^= s->seed >> 17;
    s->seed ^= s->seed << 5;
    s->count++;
    return s->seed;
}

void draws(long n, unsigned *r)
{
    struct state s = {2463534242u, 0};
    for (long i = 0; i < n; i++) r[i] = next(&s);
}
