/* Well-known nests of linear algebra and of finite differences, written for the tests of `polybench.toml`: the loops of
 * a function have the species that the table gives under its name. */

#include <math.h>

/* C = beta C + alpha A B, a row at a time */
void gemm(int ni, int nj, int nk, double alpha, double beta, double C[ni][nj], double A[ni][nk], double B[nk][nj])
{
    for (int i = 0; i < ni; ++i) {
        for (int j = 0; j < nj; ++j)
            C[i][j] = beta * C[i][j];
        for (int k = 0; k < nk; ++k)
            for (int j = 0; j < nj; ++j)
                C[i][j] = C[i][j] + (alpha * A[i][k]) * B[k][j];
    }
}

/* two matrix-vector products, one with the transpose */
void mvt(int n, double *x1, double *x2, const double *y_1, const double *y_2, double A[n][n])
{
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            x1[i] += y_1[j] * A[i][j];
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            x2[i] += y_2[j] * A[j][i];
}

/* y = A' (A x) in one sweep over A */
void atax(int m, int n, double A[m][n], const double *x, double *y, double *tmp)
{
    int i, j;
    for (i = 0; i != n; ++i)
        y[i] = 0.0;
    for (i = 0; i != m; ++i) {
        tmp[i] = 0.0;
        for (j = 0; j != n; ++j)
            tmp[i] += x[j] * A[i][j];
        for (j = 0; j != n; ++j)
            y[j] += tmp[i] * A[i][j];
    }
}

/* y = alpha A x + beta B x */
void gesummv(int n, double alpha, double beta, double A[n][n], double B[n][n], double *tmp, const double *x, double *y)
{
    for (int i = 0; i < n; ++i) {
        y[i] = tmp[i] = 0;
        for (int j = 0; j < n; ++j) {
            tmp[i] += x[j] * A[i][j];
            y[i] += x[j] * B[i][j];
        }
        y[i] = beta * y[i] + alpha * tmp[i];
    }
}

/* the lower triangle of C = beta C + alpha A A' */
void syrk(int n, int m, double alpha, double beta, double C[n][n], double A[n][m])
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i + 1; ++j)
            C[i][j] = beta * C[i][j];
        for (int k = 0; k < m; ++k)
            for (int j = 0; j < i + 1; ++j)
                C[i][j] += A[j][k] * A[i][k] * alpha;
    }
}

/* B = alpha A' B in place, A lower triangular with a unit diagonal */
void trmm(int m, int n, double alpha, double A[m][m], double B[m][n])
{
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            for (int k = i + 1; k < m; ++k)
                B[i][j] += B[k][j] * A[k][i];
            B[i][j] *= alpha;
        }
}

/* D = beta D + alpha (A B) C */
void twomm(int ni, int nj, int nk, int nl, double alpha, double beta, double tmp[ni][nj], double A[ni][nk],
    double B[nk][nj], double C[nj][nl], double D[ni][nl])
{
    for (int i = 0; i < ni; ++i)
        for (int j = 0; j < nj; ++j) {
            tmp[i][j] = 0;
            for (int k = 0; k < nk; ++k)
                tmp[i][j] += B[k][j] * A[i][k] * alpha;
        }
    for (int i = 0; i < ni; ++i)
        for (int j = 0; j < nl; ++j) {
            D[i][j] = beta * D[i][j];
            for (int k = 0; k < nj; ++k)
                D[i][j] += C[k][j] * tmp[i][k];
        }
}

/* a contraction over the last dimension, through one row of scratch memory of the caller */
void doitgen(int nr, int nq, int np, double A[nr][nq][np], double C4[np][np], double sum[np])
{
    for (int r = 0; r < nr; ++r)
        for (int q = 0; q < nq; ++q) {
            for (int p = 0; p < np; ++p) {
                sum[p] = 0;
                for (int s = 0; s < np; ++s)
                    sum[p] += C4[s][p] * A[r][q][s];
            }
            for (int p = 0; p < np; ++p)
                A[r][q][p] = sum[p];
        }
}

/* Doolittle's factors in place, row by row */
void lu(int n, double A[n][n])
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            for (int k = 0; k < j; ++k)
                A[i][j] -= A[k][j] * A[i][k];
            A[i][j] = A[i][j] / A[j][j];
        }
        for (int j = i; j < n; ++j)
            for (int k = 0; k < i; ++k)
                A[i][j] -= A[k][j] * A[i][k];
    }
}

void cholesky(int n, double A[n][n])
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            for (int k = 0; k < j; ++k)
                A[i][j] -= A[j][k] * A[i][k];
            A[i][j] = A[i][j] / A[j][j];
        }
        for (int k = 0; k < i; ++k)
            A[i][i] -= A[i][k] * A[i][k];
        A[i][i] = sqrt(A[i][i]);
    }
}

/* forward substitution */
void trisolv(int n, double L[n][n], double *x, const double *b)
{
    for (int i = 0; i < n; ++i) {
        x[i] = b[i];
        for (int j = 0; j < i; ++j)
            x[i] -= x[j] * L[i][j];
        x[i] /= L[i][i];
    }
}

/* Levinson and Durbin's recursion for a Toeplitz system */
void durbin(int n, const double *r, double *y, double *z)
{
    double alpha = -r[0], beta = 1;
    y[0] = alpha;
    for (int k = 1; k < n; ++k) {
        double sum = 0;
        beta *= 1 - alpha * alpha;
        for (int i = 0; i < k; ++i)
            sum += y[i] * r[k - 1 - i];
        alpha = -(sum + r[k]) / beta;
        for (int i = 0; i < k; ++i)
            z[i] = alpha * y[k - 1 - i] + y[i];
        for (int i = 0; i < k; ++i)
            y[i] = z[i];
        y[k] = alpha;
    }
}

/* Gram and Schmidt's orthogonalisation, columns to the right at once */
void gramschmidt(int m, int n, double A[m][n], double R[n][n], double Q[m][n])
{
    for (int k = 0; k < n; ++k) {
        double nrm = 0;
        for (int i = 0; i < m; ++i)
            nrm += A[i][k] * A[i][k];
        R[k][k] = sqrt(nrm);
        for (int i = 0; i < m; ++i)
            Q[i][k] = A[i][k] / R[k][k];
        for (int j = k + 1; j < n; ++j) {
            R[k][j] = 0;
            for (int i = 0; i < m; ++i)
                R[k][j] += A[i][j] * Q[i][k];
            for (int i = 0; i < m; ++i)
                A[i][j] -= R[k][j] * Q[i][k];
        }
    }
}

/* the symmetric matrix of covariances, one triangle computed and mirrored */
void covariance(int m, int n, double data[n][m], double cov[m][m], double *mean)
{
    for (int j = 0; j < m; ++j) {
        mean[j] = 0;
        for (int i = 0; i < n; ++i)
            mean[j] += data[i][j];
        mean[j] = mean[j] / n;
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j)
            data[i][j] = data[i][j] - mean[j];
    for (int i = 0; i < m; ++i)
        for (int j = i; j < m; ++j) {
            cov[i][j] = 0;
            for (int k = 0; k < n; ++k)
                cov[i][j] += data[k][j] * data[k][i];
            cov[i][j] = cov[i][j] / (n - 1);
            cov[j][i] = cov[i][j];
        }
}

/* shortest paths between all pairs */
void floyd_warshall(int n, double path[n][n])
{
    for (int k = 0; k < n; ++k)
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                path[i][j] = path[i][k] + path[k][j] < path[i][j] ? path[i][k] + path[k][j] : path[i][j];
}

void jacobi_2d(int steps, int n, double A[n][n], double B[n][n])
{
    for (int t = 0; t < steps; ++t) {
        for (int i = 1; i < n - 1; ++i)
            for (int j = 1; j < n - 1; ++j)
                B[i][j] = (A[i - 1][j] + A[i][j - 1] + A[i][j] + A[i][j + 1] + A[i + 1][j]) / 5;
        for (int i = 1; i < n - 1; ++i)
            for (int j = 1; j < n - 1; ++j)
                A[i][j] = (B[i - 1][j] + B[i][j - 1] + B[i][j] + B[i][j + 1] + B[i + 1][j]) / 5;
    }
}

/* Gauss and Seidel: the same sweep in place */
void seidel_2d(int steps, int n, double A[n][n])
{
    for (int t = 0; t < steps; ++t)
        for (int i = 1; i < n - 1; ++i)
            for (int j = 1; j < n - 1; ++j)
                A[i][j] = (A[i - 1][j] + A[i][j - 1] + A[i][j] + A[i][j + 1] + A[i + 1][j]) / 5;
}

/* Maxwell's equations in two dimensions, electric and magnetic field in turn */
void fdtd_2d(int steps, int nx, int ny, double ex[nx][ny], double ey[nx][ny], double hz[nx][ny], const double *_fict_)
{
    for (int t = 0; t < steps; ++t) {
        for (int j = 0; j < ny; ++j)
            ey[0][j] = _fict_[t];
        for (int i = 1; i < nx; ++i)
            for (int j = 0; j < ny; ++j)
                ey[i][j] += (hz[i - 1][j] - hz[i][j]) / 2;
        for (int i = 0; i < nx; ++i)
            for (int j = 1; j < ny; ++j)
                ex[i][j] += (hz[i][j - 1] - hz[i][j]) / 2;
        for (int i = 0; i + 1 < nx; ++i)
            for (int j = 0; j + 1 < ny; ++j)
                hz[i][j] += (ex[i][j] - ex[i][j + 1] + ey[i][j] - ey[i + 1][j]) * 0.7;
    }
}

/* Alternating directions: a tridiagonal solve along every column, then along every row, each by Thomas' algorithm. */
void adi(int steps, int n, double a, double b, double u[n][n], double v[n][n], double p[n][n], double q[n][n])
{
    for (int t = 0; t < steps; ++t) {
        for (int i = 1; i < n - 1; ++i) {
            v[0][i] = 1;
            p[i][0] = 0;
            q[i][0] = v[0][i];
            for (int j = 1; j < n - 1; ++j) {
                p[i][j] = a / (b - a * p[i][j - 1]);
                q[i][j] = (a * q[i][j - 1] + u[j][i - 1] - 2 * u[j][i] + u[j][i + 1]) / (b - a * p[i][j - 1]);
            }
            v[n - 1][i] = 1;
            for (int j = n - 2; j > 0; --j)
                v[j][i] = q[i][j] + p[i][j] * v[j + 1][i];
        }
        for (int i = 1; i < n - 1; ++i) {
            u[i][0] = 1;
            p[i][0] = 0;
            q[i][0] = u[i][0];
            for (int j = 1; j < n - 1; ++j) {
                p[i][j] = a / (b - a * p[i][j - 1]);
                q[i][j] = (a * q[i][j - 1] + v[i - 1][j] - 2 * v[i][j] + v[i + 1][j]) / (b - a * p[i][j - 1]);
            }
            u[i][n - 1] = 1;
            for (int j = n - 2; j > 0; --j)
                u[i][j] = q[i][j] + p[i][j] * u[i][j + 1];
        }
    }
}
