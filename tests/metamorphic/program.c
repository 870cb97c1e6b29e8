/* A program that prints what its loops compute: every rewrite finds a place in it, and must not change what it prints. */
#include <stdio.h>

#define N 48

static double a[N], b[N], m[N][N], w[N];
static int c[N], p[N];

static void fill(void)
{
    for (int i = 0; i < N; i++) {
        a[i] = (i * 7 % 11) - 4;
        b[i] = (i * 5 % 13) - 6;
        c[i] = i * 3 % 7;
        p[i] = (i * 11 + 5) % N;
        w[i] = 0;
        for (int j = 0; j < N; j++)
            m[i][j] = (i * 3 + j * 5) % 17;
    }
}

static void print(const char *name)
{
    double sum = 0;
    for (int i = 0; i < N; i++) {
        sum += (i + 1) * (a[i] + 2 * b[i] + 3 * c[i] + 5 * w[i]);
        for (int j = 0; j < N; j++)
            sum += (i + 2 * j) * m[i][j];
    }
    printf("%s %.3f\n", name, sum);
}

void parallel_scale(int n, double *x, const double *y)
{
    for (int i = 2; i < n - 1; i++)
        x[i] = 2 * y[i + 1] + i;
}

void parallel_down(int n, double *x)
{
    for (int i = n - 1; i >= 3; i--)
        x[i] += i;
}

void recurrence(int n, double *x)
{
    for (int i = 1; i <= n - 1; i += 2) {
        x[i] += x[i - 1] * 0.5;
        if (x[i] > 2)
            x[i - 1] = 1;
    }
}

void branches(int n, double *x, const int *s)
{
    double last = 0, least = 100;
    for (int i = 0; i < n; i++) {
        double t;
        if (s[i] > 3 && x[i] < 2)
            t = x[i];
        else
            t = 1;
        if (x[i] < least)
            least = x[i];
        last = s[i] == 2 ? x[i] : last;
        x[i] = s[i] > 4 ? t + last : t - least;
        if (s[i] > 1 && i > 3)
            x[i] *= 1.25;
        if (s[i] != 5) {
            last += 1;
            x[i] -= last;
        }
    }
}

void matrices(double x[N][N], double y[N][N], const double *v)
{
    for (int i = 0; i < 48; i++) {
        for (int j = 0; j < 48; j++)
            x[i][j] += y[j][i] * v[j];
        for (int j = 1; j < 48; j++)
            x[i][j] -= x[i][j - 1] / 3;
    }
}

void gathered(int n, double *x, const double *y, const int *at)
{
    for (int i = 0; i < n; i++)
        x[i] = y[at[i]];
    for (int i = 0; i < n; i++)
        x[at[i]] *= 1.5;
}

void strips(double *x, const double *y)
{
    for (int i = 0; i < 40; i++)
        x[i + 3] = y[i] + x[i + 5];
    double s = 0;
    for (int i = 4; i < 44; i++)
        s += x[i] * y[i];
    x[0] = s;
}

void single(int n, double *x)
{
    for (int i = 1; i < n; i++)
        x[i] = 2.5;
}

/* Nothing calls it, so that its parameters may become those of a structure. */
void alone(int n, double *x, double y[][N])
{
    for (int i = 1; i < n; i++)
        x[i] = y[i][n - 1];
}

int main(void)
{
    fill();
    parallel_scale(N, a, b);
    print("parallel_scale");
    parallel_down(N, b);
    print("parallel_down");
    recurrence(N, a);
    print("recurrence");
    branches(N, b, c);
    print("branches");
    matrices(m, m, a);
    print("matrices");
    gathered(N, w, b, p);
    print("gathered");
    single(N / 2, w);
    print("single");
    strips(a, w);
    print("strips");
    return 0;
}
