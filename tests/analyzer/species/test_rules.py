"""The rules of species one by one: C text beside the species that the definition gives, worked out by hand."""

import pytest

from analyzer import species
from analyzer.counts.nest import build
from analyzer.species import classes

from ..c_text import answers, functions, loops

C = """
double M[96][64], row[64], image[1024 * 768], sharp[1024 * 768], frame[64][64];
int start[101], column[5000];
double value[5000], vector[100], product[100], part[10];
struct field { int n; double *cells; double scale[4]; };

/* extents: variables of parallel loops at 0, those of inner loops over all of the nest */
void triangle(int n, double A[n][n], double *restrict y) {
    for (int i = 0; i < n; i++) for (int j = i; j < n; j++) A[i][j] = A[j][i] + y[j];
}
void column_of_triangle(int n, double A[n][n], double *restrict y, const double *restrict x) {
    for (int i = 0; i < n; i++) { double s = 0; for (int k = i + 1; k < n; k++) s += A[k][i] * x[k]; y[i] = s; }
}
void tile(int n, double *restrict y, const double *restrict x) {
    for (int t = 0; t < 8 * n; t += 8) { double s = 0; for (int i = t; i < t + 8; i++) s += x[i]; y[t] = s; }
}
void around(int n, double *restrict y, const double *restrict x) {
    for (int i = 1; i < n - 1; i++) { double s = 0; for (int k = i - 1; k <= i + 1; k++) s += x[k]; y[i] = s; }
}
void radius(int n, int r, double *restrict y, const double *restrict x, const double *restrict w) {
    for (int i = r; i < n - r; i++) { double s = 0; for (int k = -r; k <= r; k++) s += w[k + r] * x[i + k]; y[i] = s; }
}
void overlap(int n, double *restrict y, const double *restrict x) {
    for (int t = 0; t < n; t++) { double s = 0; for (int k = 0; k < 12; k++) s += x[8 * t + k]; y[t] = s; }
}
void odd(int n, double *restrict y, const double *restrict x) {
    for (int i = 1; i < 2 * n; i += 2) y[i] = x[i - 1] + x[i + 1];
}

/* conditions on loop variables narrow the domain */
void border(int n, double *restrict y, const double *restrict x) {
    for (int i = 0; i < n; i++) { double s = x[i]; if (i > 0) s += x[i - 1]; if (i < n - 1) s += x[i + 1]; y[i] = s; }
}
void upper_half(void) {
    for (int i = 0; i < 64; i++) for (int j = 0; j < 64; j++) if (i >= 32) frame[i][j] = row[j];
}

/* what merges */
void backwards(int n, double *restrict y, const double *restrict x) {
    for (int i = 0; i < n; i++) y[i] = x[i] + x[n - 1 - i];
}
void halves(double *x) { for (int i = 0; i < 64; i++) { double t = x[i]; x[i] = x[i + 64]; x[i + 64] = t; } }
void two_rows(int i, int j, int n, double A[n][n], double *restrict y) {
    for (int k = 0; k < n; k++) y[k] = A[i][k] + A[j][k];
}
void stripes(int n, double *restrict A) { for (int i = 0; i < n; i++) { A[4 * i] = 0; A[4 * i + 3] = 1; } }
void apart(int n, double *restrict A) { for (int i = 0; i < n; i++) { A[2 * i] = 0; A[2 * i + 5] = 1; } }

/* linearised arrays: the same dimensions in every reference and at every level */
void product_(int n, double *restrict c, const double *restrict a, const double *restrict b) {
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {
        double s = 0; for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j]; c[i * n + j] = s; }
}
void sharpen(void) {
    for (int y = 1; y < 767; y++) for (int x = 1; x < 1023; x++)
        sharp[y * 1024 + x] = 5 * image[y * 1024 + x] - image[(y - 1) * 1024 + x] - image[(y + 1) * 1024 + x]
            - image[y * 1024 + x - 1] - image[y * 1024 + x + 1];
}
void plain_too(int n, int m, double *restrict c, const double *restrict a) {
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) c[i * m + j] = a[i * m + j] + a[i];
}
void pitch(int n, int m, int p, double *restrict a) { if (p < m) return;
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i * p + j] = 0;
}
void padded(double *restrict a) { for (int i = 0; i < 100; i++) for (int j = 0; j < 100; j++) a[101 * i + j] = 1; }

/* reads of what the iteration has written itself */
void recurrence(int n, double A[n][n], double B[n][n]) {
    for (int i = 0; i < n; i++) { A[i][0] = 1; for (int j = 1; j < n; j++) A[i][j] = A[i][j - 1] * B[i][j]; }
}
void without_start(int n, double A[n][n], double B[n][n]) {
    for (int i = 0; i < n; i++) for (int j = 1; j < n; j++) A[i][j] = A[i][j - 1] * B[i][j];
}
void both_ends(int n, double A[n][n], double *restrict y) {
    for (int i = 0; i < n; i++) {
        A[i][0] = 0; A[i][n - 1] = 0; for (int j = 1; j < n - 1; j++) A[i][j] = 1;
        double s = 0; for (int j = 0; j < n; j++) s += A[i][j]; y[i] = s; }
}
void maybe(int n, double A[n][n], const double *restrict x) {
    for (int i = 0; i < n; i++) { if (x[i] > 0) A[i][0] = 1; for (int j = 1; j < n; j++) A[i][j] = A[i][j - 1]; }
}

/* members, rows, bounds */
void members(struct field *s, double *restrict y) { for (int i = 0; i < s->n; i++) y[i] = s->scale[2] * s->cells[i]; }
void rows(int n, int m, double **A) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) A[i][j] = 0; }
void sparse(void) {
    for (int r = 0; r < 100; r++) {
        double s = 0;
        for (int k = start[r]; k < start[r + 1]; k++) s += value[k] * vector[column[k]];
        product[r] = s; }
}
void shifted(void) {
    for (int r = 0; r < 100; r++) {
        double s = 0;
        for (int k = start[r]; k < start[r + 1]; k++) s += value[k - 1];
        product[r] = s; }
}
void rows_of_one_plane(void) {
    for (int p = 0; p < 10; p++) {
        double s = 0;
        for (int r = 0; r < 100; r++)
            for (int k = start[r]; k < start[r + 1]; k++) s += value[k];
        part[p] = s; }
}
void in_another_order(void) {
    for (int r = 0; r < 100; r++) {
        double s = 0;
        for (int k = start[column[r]]; k < start[column[r] + 1]; k++) s += value[k];
        product[r] = s; }
}
void every_second(void) {
    for (int r = 0; r < 100; r += 2) {
        double s = 0;
        for (int k = start[r]; k < start[r + 1]; k++) s += value[k];
        product[r] = s; }
}
void rows_backwards(void) {
    for (int r = 0; r < 100; r++) {
        double s = 0;
        for (int k = start[r + 1] - 1; k >= start[r]; k--) s += value[k];
        product[r] = s; }
}
void ends_of_another(void) {
    for (int r = 0; r < 100; r++) {
        double s = 0;
        for (int k = start[r]; k < column[r + 1]; k++) s += value[k];
        product[r] = s; }
}
"""

SPECIES = {
    "triangle": "A[0:n-1,0:n-1]|element ^ y[0:n-1]|element -> A[0:n-1,0:n-1]|element",
    "column_of_triangle": "A[1:n-1,0:n-2]|chunk(1:n-1,0:0) ^ x[1:n-1]|full -> y[0:n-1]|element",
    "tile": "x[0:n-1,0:7]|chunk(0:0,0:7) -> y[0:8*n-8]|element",
    "around": "x[0:n-1]|neighbourhood(-1:1) -> y[1:n-2]|element",
    "radius": "w[0:2*r]|full ^ x[0:n-1]|neighbourhood(-r:r) -> y[r:n-r-1]|element",
    "overlap": "x[0:8*n+3]|neighbourhood(0:11) -> y[0:n-1]|element",
    "odd": "x[0:2*n]|neighbourhood(-1:1) -> y[1:2*n-1]|element",
    "border": "x[0:n-1]|neighbourhood(-1:1) -> y[0:n-1]|element",
    "upper_half": "row[0:63]|element -> frame[32:63,0:63]|element",
    "backwards": "x[0:n-1]|element ^ x[0:n-1]|element -> y[0:n-1]|element",
    "halves": "x[0:63]|element ^ x[64:127]|element -> x[0:63]|element ^ x[64:127]|element",
    "two_rows": "A[i:i,0:n-1]|element ^ A[j:j,0:n-1]|element -> y[0:n-1]|element",
    "stripes": "0:0|void -> A[0:4*n-1]|chunk(0:3)",
    "apart": "0:0|void -> A[0:2*n-2]|element ^ A[5:2*n+3]|element",
    "product_": "a[0:n-1,0:n-1]|chunk(0:0,0:n-1) ^ b[0:n-1,0:n-1]|chunk(0:n-1,0:0) -> c[0:n-1,0:n-1]|element",
    "sharpen": "image[0:767,0:1023]|neighbourhood(-1:1,-1:1) -> sharp[1:766,1:1022]|element",
    "plain_too": "a[0:m*n-1]|element -> c[0:n-1,0:m-1]|element",
    "pitch": "0:0|void -> a[0:n*p+m-p-1]|element",
    "padded": "0:0|void -> a[0:99,0:99]|element",
    "recurrence": "B[0:n-1,1:n-1]|chunk(0:0,1:n-1) -> A[0:n-1,0:n-1]|chunk(0:0,0:n-1)",
    "without_start": "A[0:n-1,0:n-2]|chunk(0:0,0:n-2) ^ B[0:n-1,1:n-1]|chunk(0:0,1:n-1) "
    "-> A[0:n-1,1:n-1]|chunk(0:0,1:n-1)",
    "both_ends": "0:0|void -> A[0:n-1,0:n-1]|chunk(0:0,0:n-1) ^ y[0:n-1]|element",
    "maybe": "A[0:n-1,0:n-2]|chunk(0:0,0:n-2) ^ x[0:n-1]|element -> A[0:n-1,0:n-1]|chunk(0:0,0:n-1)",
    "members": "s.cells[0:s->n-1]|element ^ s.scale[2:2]|full -> y[0:s->n-1]|element",
    "rows": "0:0|void -> A[0:n-1,0:m-1]|element",
    "sparse": "column[start[0]:start[0]+100*trip@89-1]|chunk(start[0]:start[0]+trip@89-1) "
    "^ start[0:100]|neighbourhood(0:1) ^ value[start[0]:start[0]+100*trip@89-1]|chunk(start[0]:start[0]+trip@89-1) "
    "^ vector[0:99]|full -> product[0:99]|element",
    "shifted": "start[0:100]|neighbourhood(0:1) "
    "^ value[start[0]-1:start[0]+100*trip@95-2]|chunk(start[0]-1:start[0]+trip@95-2) -> product[0:99]|element",
    "rows_of_one_plane": "start[0:100]|full "
    "^ value[start[0]:start[0]+100*trip@102-1]|full -> part[0:9]|element",
    "in_another_order": "column[0:99]|element ^ start[0:100]|full ^ value[0:4999]|full -> product[0:99]|element",
    "every_second": "start[0:99]|chunk(0:1) ^ value[0:4999]|full -> product[0:98]|element",
    "rows_backwards": "start[0:100]|neighbourhood(0:1) ^ value[0:4999]|full -> product[0:99]|element",
    "ends_of_another": "column[1:100]|element ^ start[0:99]|element ^ value[0:4999]|full -> product[0:99]|element",
}

INNER = {
    ("product_", 1): "a[i:i,0:n-1]|full ^ b[0:n-1,0:n-1]|chunk(0:n-1,0:0) -> c[i:i,0:n-1]|element",
    ("product_", 2): "a[i:i,0:n-1]|element ^ b[0:n-1,j:j]|element -> s[0:0]|shared",
    ("sharpen", 1): "image[y-1:y+1,0:1023]|neighbourhood(y-1:y+1,-1:1) -> sharp[y:y,1:1022]|element",
    ("column_of_triangle", 1): "A[i+1:n-1,i:i]|element ^ x[i+1:n-1]|element -> s[0:0]|shared",
}


@pytest.mark.parametrize("name", SPECIES)
def test_a_rule(name: str) -> None:
    function = functions(C)[name]
    loop, around = loops(function)[0]
    assert str(species.species(build(function, loop, around), answers(function))) == SPECIES[name]


@pytest.mark.parametrize(("name", "level"), INNER)
def test_at_inner_levels_outer_variables_are_symbols(name: str, level: int) -> None:
    function = functions(C)[name]
    loop, around = loops(function)[level]
    assert str(species.species(build(function, loop, around), answers(function))) == INNER[name, level]


UNKNOWN = """
void columns(int n, double *restrict y, double *const *restrict x, const int *p) {
    for (int i = 0; i < n; i++) y[i] = x[0][p[i]];
}
void gather(int n, double *restrict y, const double *restrict x, const int *p) {
    for (int i = 0; i < n; i++) y[i] = x[p[i]];
}
void bounded(int n, double *restrict y, const double x[100], const int *p) {
    for (int i = 0; i < n; i++) y[i] = x[p[i]];
}
void nothing(int n, const double *x) { for (int i = 0; i < n; i++) { double t = x[i]; (void)t; } }
int search(int n, const int *x) { for (int i = 0; i < n; i++) if (x[i]) return i; return -1; }
"""


@pytest.mark.parametrize(
    ("name", "code"), [("columns", "non-affine-access"), ("nothing", "too-complex"), ("search", None)]
)
def test_a_parallel_loop_without_a_class_says_why(name: str, code: str | None) -> None:
    function = functions(UNKNOWN)[name]
    loop, around = loops(function)[0]
    found = species.refusal(build(function, loop, around), answers(function))
    assert (found.code if found is not None else None) == code
    assert classes.algorithm_class(build(function, loop, around), answers(function)) is None


def test_a_loop_with_a_class_has_no_reason() -> None:
    function = functions(C)["sparse"]
    loop, around = loops(function)[0]
    assert species.refusal(build(function, loop, around), answers(function)) is None
