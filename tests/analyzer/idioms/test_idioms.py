"""Idioms of C statements: for each the code that has it beside code that only looks like it."""

import pytest

from analyzer import idioms
from analyzer.counts.nest import build
from analyzer.facts.loop import Idiom

from ..c_text import functions, loops

C = """
#define N 100
#include <math.h>
double A[N], B[N], D[N], P[N][N], Q[N][N], R[N][N];
int C[N], H[N], key[N], next[N];
double *rows[N];
struct node { double weight; struct node *next; };

void stream_copy(void) { double t; for (int i = 0; i < N; i++) { t = B[i]; A[i] = t; } }
void stream_update(void) { for (int i = 0; i < N; i++) A[i] = A[i] + B[i]; }
void stream_fill(void) { for (int i = 0; i < N; i++) A[i] = 0; }
void stream_stride(int s) { for (int i = 0; i < N; i++) A[2 * i] = B[i]; }
void same_element(void) { for (int i = 0; i < N; i++) A[3] = B[i]; }
void row_pointers(void) { for (int i = 0; i < N; i++) rows[i][0] = 1; }

void transpose(void) { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) P[i][j] = Q[j][i]; }
void transpose_linear(int n, int m, double *restrict a, const double *restrict b) {
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i * m + j] = b[j * n + i];
}
void both_transposed(void) { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) P[j][i] = Q[j][i]; }

void gather(void) { for (int i = 0; i < N; i++) A[i] = B[C[i]]; }
void gather_by_scalar(void) { for (int i = 0; i < N; i++) { int at = C[i]; A[i] = B[at]; } }
void spmv(int n, const int *start, const int *col, const double *v, const double *x, double *y) {
    for (int r = 0; r < n; r++) { double s = 0; for (int k = start[r]; k < start[r + 1]; k++) s += v[k] *
    x[col[k]]; y[r] = s; }
}
void scatter(void) { for (int i = 0; i < N; i++) A[C[i]] = B[i]; }
void histogram(void) { for (int i = 0; i < N; i++) H[key[i]]++; }
void weighted_histogram(void) { for (int i = 0; i < N; i++) A[key[i]] += B[i]; }

double reduction(void) { double s = 0; for (int i = 0; i < N; i++) s += A[i]; return s; }
double reduction_max_if(void) { double s = 0; for (int i = 0; i < N; i++) if (A[i] > s) s = A[i]; return s; }
double reduction_max_call(void) { double s = 0; for (int i = 0; i < N; i++) s = fmax(s, A[i]); return s; }
double reduction_min_choice(void) { double s = 0; for (int i = 0; i < N; i++) s = A[i] < s ? A[i] : s;
return s; } void reduction_in_memory(void) { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) A[i] +=
P[i][j]; } void clamp(void) { for (int i = 0; i < N; i++) { double v = A[i]; if (v > 255) v = 255; B[i] = v;
} } double last(void) { double s = 0; for (int i = 0; i < N; i++) s = A[i]; return s; } double horner(double
x) { double s = 0; for (int i = 0; i < N; i++) s = s * x + A[i]; return s; }

void stencil(void) { for (int i = 1; i < N - 1; i++) D[i] = A[i - 1] + A[i + 1]; }
void stencil_in_place(void) { for (int i = 1; i < N - 1; i++) A[i] = A[i - 1] + A[i + 1]; }
void stencil_by_scalars(void) { for (int i = 1; i < N; i++) { double l = A[i - 1], r = A[i]; D[i] = l + r; } }
void window(void) {
    for (int i = 0; i < N - 5; i++) { double s = 0; for (int k = 0; k < 5; k++) s += A[i + k] * B[k]; D[i] =
    s; }
}
void fixed_elements(void) { for (int i = 0; i < N; i++) D[i] = A[3] + A[4]; }

void scan(void) { for (int i = 1; i < N; i++) A[i] = A[i - 1] + A[i]; }
void running_sum(void) { double s = 0; for (int i = 0; i < N; i++) { s += A[i]; B[i] = s; } }
void sum_kept_once(void) { for (int i = 0; i < N; i++) { double s = 0; s += A[i]; B[i] = s; } }
void two_back(void) { for (int i = 2; i < N; i++) A[i] = A[i - 2] + B[i]; }

void matmul(void) {
    for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++) R[i][j] += P[i][k] *
    Q[k][j];
}
void matmul_scaled(double alpha) {
    for (int i = 0; i < N; i++) for (int k = 0; k < N; k++) for (int j = 0; j < N; j++) R[i][j] += alpha *
    P[i][k] * Q[k][j];
}
void matvec(void) {
    for (int i = 0; i < N; i++) { double s = 0; for (int j = 0; j < N; j++) s += P[i][j] * B[j]; A[i] = s; }
}
void matvec_transposed(void) { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) A[j] += P[i][j] *
B[i]; } void outer_product(void) { for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) P[i][j] += A[i] *
B[j]; } double dot(void) { double s = 0; for (int i = 0; i < N; i++) s += A[i] * B[i]; return s; }

double chase(const struct node *p) { double s = 0; while (p) { s += p->weight; p = p->next; } return s; }
int chase_index(int i) { int n = 0; while (i >= 0) { i = next[i]; n++; } return n; }
double walk(const double *p) { double s = 0; for (int i = 0; i < N; i++) s += *p++; return s; }
"""

EXPECTED: dict[str, set[str]] = {
    "stream_copy": {"stream"},
    "stream_update": {"stream"},
    "stream_fill": {"stream"},
    "stream_stride": {"stream"},
    "same_element": set(),
    "row_pointers": set(),
    "transpose": {"transpose"},
    "transpose_linear": {"transpose"},
    "both_transposed": {"stream"},
    "gather": {"gather"},
    "gather_by_scalar": {"gather"},
    "spmv": {"gather", "reduction"},
    "scatter": {"scatter"},
    "histogram": {"histogram"},
    "weighted_histogram": {"histogram"},
    "reduction": {"reduction"},
    "reduction_max_if": {"reduction"},
    "reduction_max_call": {"reduction"},
    "reduction_min_choice": {"reduction"},
    "reduction_in_memory": {"reduction"},
    "clamp": {"stream"},
    "last": set(),
    "horner": set(),
    "stencil": {"stencil"},
    "stencil_in_place": {"stencil"},
    "stencil_by_scalars": {"stencil"},
    "window": {"stencil", "reduction"},
    "fixed_elements": {"stream"},
    "scan": {"scan"},
    "running_sum": {"scan", "reduction"},
    "sum_kept_once": {"stream"},
    "two_back": {"stream"},
    "matmul": {"matrix-matrix", "reduction"},
    "matmul_scaled": {"matrix-matrix"},
    "matvec": {"matrix-vector", "reduction"},
    "matvec_transposed": {"matrix-vector"},
    "outer_product": {"stream"},
    "dot": {"reduction"},
    "chase": {"pointer-chase", "reduction"},
    "chase_index": {"pointer-chase"},
    "walk": {"reduction"},
}


@pytest.mark.parametrize("name", EXPECTED)
def test_the_idioms_of_a_nest(name: str) -> None:
    function = functions(C)[name]
    loop, around = loops(function)[0]
    assert {i.idiom for i in idioms.recognise(build(function, loop, around))} == EXPECTED[name]


def test_an_instance_names_line_and_code() -> None:
    """Table I of the paper: file, line, function, idiom, code."""
    function = functions(C)["gather"]
    loop, around = loops(function)[0]
    assert idioms.recognise(build(function, loop, around)) == (Idiom("gather", loop.place.line, "A[i] = B[C[i]]"),)


def test_an_inner_loop_is_judged_on_its_own() -> None:
    """Of a matrix product with the columns innermost, the inner loop alone is a stream, the two inner ones a
    matrix-vector product."""
    function = functions(C)["matmul_scaled"]
    names = [{i.idiom for i in idioms.recognise(build(function, loop, around))} for loop, around in loops(function)]
    assert names == [{"matrix-matrix"}, {"matrix-vector"}, {"stream"}]
