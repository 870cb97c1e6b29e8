"""Idioms statement by statement: every statement of a function beside the idioms it has, hits and refusals."""

import time

import pytest

from analyzer import idioms
from analyzer.counts.nest import build

from ..c_text import functions, loops

C = """
#define N 100
double A[N][N], B[N][N], D[N][N], T[8][N][N], x[N], y[N], z[N];
int key[N], next[N];

/* the columns of a triangle are named by one variable: no window */
void factor(void) {
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N; j++) {
            for (int k = 0; k < i; k++) A[i][j] -= A[i][k] * A[k][j];
            A[j][i] = A[i][j];
        }
}
void window(void) {
    for (int i = 2; i < N - 2; i++) { double s = 0; for (int k = i - 2; k <= i + 2; k++) s += x[k]; y[i] = s; }
}
/* both factors move with i and k in one dimension: a row of correlations, no matrix */
void lags(void) { for (int k = 0; k < N; k++) for (int i = 0; i < N - k; i++) y[k] += x[i] * x[i + k]; }

/* no iteration reads what another one reads */
void halves(void) { for (int i = 0; i < 50; i++) y[i] = x[i] + x[i + 50]; }
void pairs(void) { for (int i = 0; i < 50; i++) y[i] = x[2 * i] + x[2 * i + 1]; }
void shifted(void) { for (int i = 0; i < 50; i++) y[i] = x[i] + x[i + 49]; }
void two_rows(void) { for (int i = 1; i < N; i++) y[i] = A[0][i] + A[1][i]; }

/* data says how far the index moves */
void compaction(void) { int n = 0; for (int i = 0; i < N; i++) if (key[i] > 0) x[n++] = y[i]; z[0] = n; }
void expansion(void) { int n = 0; for (int i = 0; i < N; i++) if (key[i] > 0) x[i] = y[n++]; z[0] = n; }
void positives(void) { int n = 0; for (int i = 0; i < N; i++) if (x[i] > 0) n++; z[0] = n; }

void shortest_paths(void) {
    for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++)
        if (A[i][k] + B[k][j] < D[i][j]) D[i][j] = A[i][k] + B[k][j];
}
void not_what_was_compared(void) {
    for (int i = 0; i < N; i++) for (int k = 0; k < N; k++) if (A[i][k] < x[i]) x[i] = A[k][i];
}

/* sums of products */
void batch(void) {
    for (int b = 0; b < 8; b++) for (int i = 0; i < N; i++) for (int j = 0; j < N; j++)
        for (int k = 0; k < N; k++) T[b][i][j] += A[i][k] * B[k][j];
}
void through_scratch(void) {
    for (int b = 0; b < 8; b++) for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) { y[j] = 0; for (int k = 0; k < N; k++) y[j] += T[b][i][k] * A[k][j]; }
        for (int j = 0; j < N; j++) T[b][i][j] = y[j];
    }
}
void rank_one(void) { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) A[i][j] -= x[i] * y[j]; }
void rows_dot(void) { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) y[i] += A[i][j] * B[i][j]; }
double everything(void) {
    double s = 0; for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) s += A[i][j] * x[j]; return s;
}

/* rows i and k of one array are at no fixed distance */
void paths(void) {
    for (int k = 0; k < N; k++) for (int i = 0; i < N; i++) for (int j = 0; j < N; j++)
        D[i][j] = D[i][k] + D[k][j] < D[i][j] ? D[i][k] + D[k][j] : D[i][j];
}
/* a scalar brings the value it has here, not what it gets later */
void reused(void) { for (int i = 1; i < N; i++) { double t = z[i]; x[i] = t + y[i - 1]; t = x[i] * 2; y[i] = t; } }
void diagonal(void) {
    for (int i = 0; i < N; i++) { double s = 0; for (int j = 0; j < N; j++) s += A[j][i]; B[i][i] = s; }
}

/* recurrences */
void linear(void) { for (int i = 1; i < N; i++) x[i] = y[i] * x[i - 1] + z[i]; }
void from_the_end(void) { for (int i = N - 2; i >= 0; i--) x[i] = z[i] - y[i] * x[i + 1]; }
void squares(void) { for (int i = 1; i < N; i++) x[i] = x[i - 1] * x[i - 1] + z[i]; }
void reciprocal(void) { for (int i = 1; i < N; i++) x[i] = y[i] / (z[i] - x[i - 1]); }

/* counting folds nothing, a condition is folded */
int steps(int n) { int count = 0; while (n > 1) { n = n % 2 ? 3 * n + 1 : n / 2; count++; } return count; }
int positive(void) { int count = 0; for (int i = 0; i < N; i++) if (x[i] > 0) count++; return count; }
double integral(double h) { double s = 0; for (int i = 0; i < N; i++) { double t = i * h; s += t * t; } return s; }

/* several on one statement */
void sparse(int *start, int *column, double *v) {
    for (int r = 0; r < N; r++) for (int k = start[r]; k < start[r + 1]; k++) y[r] += v[k] * x[column[k]];
}
"""

EXPECTED: dict[str, list[list[str]]] = {
    "factor": [["matrix-matrix", "reduction"], ["transpose"]],
    "window": [["stencil", "reduction"]],
    "lags": [["reduction"]],
    "batch": [["matrix-matrix", "reduction"]],
    "through_scratch": [["stream"], ["matrix-matrix", "reduction"], ["stream"]],
    "rank_one": [["stream"]],
    "rows_dot": [["reduction"]],
    "everything": [["reduction"]],
    "paths": [["stream"]],
    "reused": [["stream"], ["stream"]],
    "diagonal": [["reduction"]],
    "linear": [["scan"]],
    "from_the_end": [["scan"]],
    "halves": [["stream"]],
    "pairs": [["stream"]],
    "shifted": [["stencil"]],
    "two_rows": [["stream"]],
    "compaction": [["scatter"]],
    "expansion": [],
    "positives": [["reduction"]],
    "shortest_paths": [["reduction"]],
    "not_what_was_compared": [],
    "squares": [["stream"]],
    "reciprocal": [["stream"]],
    "steps": [],
    "positive": [["reduction"]],
    "integral": [["reduction"]],
    "sparse": [["gather", "reduction"]],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_the_idioms_of_each_statement(name: str) -> None:
    function = functions(C)[name]
    loop, around = loops(function)[0]
    statements: dict[str, list[str]] = {}
    for found in idioms.recognise(build(function, loop, around)):
        statements.setdefault(found.code, []).append(found.idiom)
    assert list(statements.values()) == EXPECTED[name]


def test_many_assignments_to_one_scalar_are_followed_once() -> None:
    """Each of 60 conditional updates may see every other: following every path would never end."""
    updates = "".join(f"if (x[i] > {n}) t = t * {n} + u; if (x[i] < {n}) u = u + t;" for n in range(30))
    text = (
        f"double run(const double *x) {{ double t = 0, u = 0; for (int i = 0; i < 9; i++) {{ {updates} }} return t; }}"
    )
    function = functions(text)["run"]
    loop, around = loops(function)[0]
    before = time.process_time()
    assert [i.idiom for i in idioms.recognise(build(function, loop, around))] == ["reduction"]
    assert time.process_time() - before < 20
