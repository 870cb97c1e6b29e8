"""Species and classes of C loops: the examples of the papers, and nests that have none."""

import pytest

from analyzer import species
from analyzer.counts.nest import build
from analyzer.dependence.chain import parallel_chain
from analyzer.species import classes

from ..c_text import answers, functions, loops

C = """
#define K 1024
int A[K], B[K], hist[256], image[1024][1024], result[1024][1024], rows[1024], columns[1024], scores[262144];
double M[96][64], x[64], y[96], X[100][100], Y[100][100], Z[100][100], in[K], out[K];
int key[K];

void listing_1(void) { for (int i = 0; i < K; i++) B[i] = 2 * A[i] + 5; }
void listing_2(void) { for (int i = 1; i < K - 1; i++) out[i] = 0.3*in[i-1] + 0.4*in[i] + 0.3*in[i+1]; }
int listing_4(void) { int s = 0; for (int i = 0; i < K; i++) s = s + A[i]; return s; }

void histogram(void) { for (int a = 0; a < 1024; a++) for (int b = 0; b < 1024; b++) hist[image[a][b] &
255]++; } int maximum(void) { int best = 0; for (int i = 0; i < 262144; i++) if (scores[i] > best) best =
scores[i]; return best; } void threshold(void) { for (int a = 0; a < 1024; a++) for (int b = 0; b < 1024;
b++) result[a][b] = image[a][b] > 100 ? 255 : 0; } void erode(void) { for (int a = 3; a < 1021; a++) for
(int b = 3; b < 1021; b++) { int low = 255; for (int v = -3; v <= 3; v++) for (int u = -3; u <= 3; u++) if
(image[a + v][b + u] < low) low = image[a + v][b + u]; result[a][b] = low; } } void project_x(void) { for
(int a = 0; a < 1024; a++) { int s = 0; for (int b = 0; b < 1024; b++) s += image[a][b]; rows[a] = s; } }
void project_y(void) { for (int b = 0; b < 1024; b++) { int s = 0; for (int a = 0; a < 1024; a++) s +=
image[a][b]; columns[b] = s; } } void mirror(void) { for (int a = 0; a < 100; a++) for (int b = 0; b < 100;
b++) Y[b][a] = X[a][b]; } void flip(void) { for (int i = 0; i < K; i++) B[i] = A[K - 1 - i]; } void
difference(void) { for (int i = 0; i < K; i++) out[i] = in[i] - A[i]; } void matvec(void) { for (int i = 0;
i < 96; i++) { double s = 0; for (int j = 0; j < 64; j++) s += M[i][j] * x[j]; y[i] = s; } } void
matmul(void) { for (int i = 0; i < 100; i++) for (int j = 0; j < 100; j++) { double s = 0; for (int k = 0; k
< 100; k++) s += X[i][k] * Y[k][j]; Z[i][j] = s; } } void fill(void) { for (int i = 0; i < K; i++) B[i] = 7;
} void gather(void) { for (int i = 0; i < K; i++) out[i] = in[key[i]]; } void tiles(void) { for (int t = 0;
t < 100; t += 10) for (int i = t; i < t + 10; i++) Z[0][i] = X[0][i]; } void symbolic(int n, int m, double
*restrict to, const double *restrict from) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) to[i *
m + j] = from[i * m + j]; } void temporary(void) { for (int i = 0; i < 100; i++) { double t[100]; for (int j
= 0; j < 100; j++) t[j] = X[i][j]; for (int j = 0; j < 100; j++) Y[i][j] = t[99 - j]; } }

void in_place(void) {
    for (int i = 0; i < 100; i++) for (int j = 0; j < i; j++) {
        double t = X[i][j]; X[i][j] = X[j][i]; X[j][i] = t;
    }
}
void scan(void) { for (int i = 1; i < K; i++) B[i] = B[i - 1] + A[i]; }
void unbounded(double *restrict to, const double *restrict from) { for (int i = 0; i < K; i++) to[i] =
from[key[i]]; } int search(void) { for (int i = 0; i < K; i++) if (A[i] == 7) return i; return -1; } void
in_time(void) { for (int t = 0; t < 10; t++) for (int i = 1; i < 99; i++) Y[t + 1][i] = Y[t][i - 1] + Y[t][i
+ 1]; } """

SPECIES = {
    "listing_1": "A[0:1023]|element -> B[0:1023]|element",
    "listing_2": "in[0:1023]|neighbourhood(-1:1) -> out[1:1022]|element",
    "listing_4": "A[0:1023]|element -> s[0:0]|shared",
    "histogram": "image[0:1023,0:1023]|element -> hist[0:255]|shared",
    "maximum": "scores[0:262143]|element -> best[0:0]|shared",
    "threshold": "image[0:1023,0:1023]|element -> result[0:1023,0:1023]|element",
    "erode": "image[0:1023,0:1023]|neighbourhood(-3:3,-3:3) -> result[3:1020,3:1020]|element",
    "project_x": "image[0:1023,0:1023]|chunk(0:0,0:1023) -> rows[0:1023]|element",
    "project_y": "image[0:1023,0:1023]|chunk(0:1023,0:0) -> columns[0:1023]|element",
    "matvec": "M[0:95,0:63]|chunk(0:0,0:63) ^ x[0:63]|full -> y[0:95]|element",
    "fill": "0:0|void -> B[0:1023]|element",
    "unbounded": "from[0:length@from-1]|full ^ key[0:1023]|element -> to[0:1023]|element",
    "gather": "in[0:1023]|full ^ key[0:1023]|element -> out[0:1023]|element",
    "symbolic": "from[0:n-1,0:m-1]|element -> to[0:n-1,0:m-1]|element",
    "temporary": "X[0:99,0:99]|chunk(0:0,0:99) -> Y[0:99,0:99]|chunk(0:0,0:99)",
}

CLASSES = {
    "listing_1": "1024|element → 1024|element",
    # the paper writes K → K; lengths are those of what is touched, K + 2 of the output
    "listing_2": "1024|neighbourhood(3) → 1022|element",
    "listing_4": "1024|element → 1|shared",
    # Table 4 of the boat hull paper
    "histogram": "1024x1024|element → 256|shared",
    "maximum": "262144|element → 1|shared",
    "threshold": "1024x1024|element → 1024x1024|element",
    "erode": "1024x1024|neighbourhood(7x7) → 1018x1018|element",
    "project_x": "1024x1024|tile(1x1024) → 1024|element",
    "project_y": "1024x1024|tile(1024x1) → 1024|element",
    # Table 1
    "in_place": "unordered 100x100|element → 100x100|element",
    "mirror": "unordered 100x100|element → 100x100|element",
    "flip": "unordered 1024|element → 1024|element",
    "difference": "1024|element ∧ 1024|element → 1024|element",
    "matvec": "96x64|tile(1x64) ∧ 64|full → 96|element",
    "matmul": "100x100|tile(1x100) ∧ 100x100|tile(100x1) → 100x100|element",
    "fill": "void → 1024|element",
    "unbounded": "length@from|full ∧ 1024|element → 1024|element",
    "gather": "1024|full ∧ 1024|element → 1024|element",
}


@pytest.mark.parametrize("name", SPECIES)
def test_species(name: str) -> None:
    function = functions(C)[name]
    loop, around = loops(function)[0]
    assert str(species.species(build(function, loop, around), answers(function))) == SPECIES[name]


@pytest.mark.parametrize("name", CLASSES)
def test_class(name: str) -> None:
    function = functions(C)[name]
    loop, around = loops(function)[0]
    assert str(classes.algorithm_class(build(function, loop, around), answers(function))) == CLASSES[name]


@pytest.mark.parametrize("name", ["scan", "search", "in_time"])
def test_no_class(name: str) -> None:
    """A carried dependence, an early exit, a sequential outer loop."""
    function = functions(C)[name]
    loop, around = loops(function)[0]
    assert species.species(build(function, loop, around), answers(function)) is None
    assert classes.algorithm_class(build(function, loop, around), answers(function)) is None


def test_inside_a_sequential_loop_the_outer_variable_is_a_symbol() -> None:
    function = functions(C)["in_time"]
    loop, around = loops(function)[1]
    found = species.species(build(function, loop, around), answers(function))
    assert str(found) == "Y[t:t,0:99]|neighbourhood(t:t,-1:1) -> Y[t+1:t+1,1:98]|element"


def test_the_chain_of_parallel_loops_stops_at_the_reduction_of_one_row() -> None:
    chains = {}
    for name in ("matmul", "project_x", "histogram"):
        function = functions(C)[name]
        loop, _ = loops(function)[0]
        chains[name] = len(parallel_chain(loop, answers(function)))
    assert chains == {"matmul": 2, "project_x": 1, "histogram": 2}


def test_nothing_is_parallel_without_an_answer() -> None:
    loop, _ = loops(functions(C)["fill"])[0]
    assert parallel_chain(loop, {}) == ()
