"""The classes of "The Boat Hull Model" (listing 1, tables 1 and 4) and the species of the definitions, from C.

Sizes are symbols where the paper has letters. Where the paper's class differs from the definitions the test says so."""

import pytest

from analyzer import species
from analyzer.counts.nest import build
from analyzer.species import classes
from models.notation import parse_class

from ..c_text import answers, functions, loops

C = """
void listing_1_2(int K, double *restrict B, const double *restrict A) {
    for (int i = 0; i < K; i++) B[i] = 2 * A[i] + 5;
}
void listing_4_5(int K, double *restrict B, const double *restrict A) {
    A++;  /* A[-1] is the first element */
    for (int i = 0; i < K; i++) B[i] = 0.3 * A[i - 1] + 0.4 * A[i] + 0.3 * A[i + 1];
}
int X[10][10], Y[10][10];
void listing_7_12(void) {
    for (int a = 0; a < 10; a++)
        for (int b = 0; b < 10; b++) { int value = X[a][b]; if (value > 255) value = 255; Y[a][b] = value; }
}
double listing_14_15(int K, const double *A) { double B = 0; for (int i = 0; i < K; i++) B = B + A[i]; return B; }

void binarization(int A, int B, int in[A][B], int out[A][B]) {
    for (int i = 0; i < A; i++) for (int j = 0; j < B; j++) out[i][j] = in[i][j] > 128;
}
void xy_mirroring(int A, int B, int in[A][B], int out[A][B]) {
    for (int i = 0; i < A; i++) for (int j = 0; j < B; j++) out[A - 1 - i][B - 1 - j] = in[i][j];
}
void x_projection(int A, int B, int in[A][B], int *out) {
    for (int i = 0; i < A; i++) { int s = 0; for (int j = 0; j < B; j++) s += in[i][j]; out[i] = s; }
}
void y_projection(int A, int B, int in[A][B], int *out) {
    for (int j = 0; j < B; j++) { int s = 0; for (int i = 0; i < A; i++) s += in[i][j]; out[j] = s; }
}
int large[480][640], small[120][320];
void scale_down(void) {
    for (int i = 0; i < 120; i++) for (int j = 0; j < 320; j++) {
        int s = 0;
        for (int u = 0; u < 4; u++) for (int v = 0; v < 2; v++) s += large[4 * i + u][2 * j + v];
        small[i][j] = s / 8;
    }
}
int coded[480][640], table[8][8];
void transform_2d(void) {
    for (int i = 0; i < 60; i++) for (int j = 0; j < 80; j++) {
        int before = 0;
        for (int u = 0; u < 8; u++) for (int v = 0; v < 8; v++) {
            coded[8 * i + u][8 * j + v] = large[8 * i + u][8 * j + v] - before;
            before = large[8 * i + u][8 * j + v];
        }
    }
}
void enlarge(void) {
    for (int i = 0; i < 120; i++) for (int j = 0; j < 320; j++) {
        int pixel = small[i][j];
        large[4 * i][2 * j] = large[4 * i + 1][2 * j] = large[4 * i + 2][2 * j] = large[4 * i + 3][2 * j] = pixel;
        large[4 * i][2 * j + 1] = large[4 * i + 1][2 * j + 1] = large[4 * i + 2][2 * j + 1] = pixel;
        large[4 * i + 3][2 * j + 1] = pixel;
    }
}
void enlarge_element_by_element(void) {
    for (int i = 0; i < 120; i++) for (int j = 0; j < 320; j++)
        for (int u = 0; u < 4; u++) for (int v = 0; v < 2; v++) large[4 * i + u][2 * j + v] = small[i][j];
}
void convolution_2d(int A, int B, double in[A + 2][B + 4], double out[A][B], double w[3][5]) {
    for (int i = 0; i < A; i++) for (int j = 0; j < B; j++) {
        double s = 0;
        for (int u = 0; u < 3; u++) for (int v = 0; v < 5; v++) s += in[i + u][j + v];
        out[i][j] = s;
    }
}
void convolution_1d(int A, int B, double in[A][B + 2], double out[A][B]) {
    for (int i = 0; i < A; i++) for (int j = 0; j < B; j++) out[i][j] = in[i][j] + 2 * in[i][j + 1] + in[i][j + 2];
}
long sum(int A, int B, int in[A][B]) {
    long s = 0; for (int i = 0; i < A; i++) for (int j = 0; j < B; j++) s += in[i][j]; return s;
}
int bins[256];
void histogram(int A, int B, int in[A][B]) {
    for (int i = 0; i < A; i++) for (int j = 0; j < B; j++) bins[in[i][j] & 255]++;
}
void differencing(int A, int B, int in[A][B], int other[A][B], int out[A][B]) {
    for (int i = 0; i < A; i++) for (int j = 0; j < B; j++) out[i][j] = in[i][j] - other[i][j];
}

int image[1024][1024], shown[1024][1024], rows[1024], columns[1024], scores[262144], hist[256];
void case_histogram(void) { for (int y = 0; y < 1024; y++) for (int x = 0; x < 1024; x++) hist[image[y][x] & 255]++; }
int case_maximum(void) { int m = 0; for (int i = 0; i < 262144; i++) if (scores[i] > m) m = scores[i]; return m; }
void case_threshold(int level) {
    for (int y = 0; y < 1024; y++) for (int x = 0; x < 1024; x++) shown[y][x] = image[y][x] > level ? 255 : 0;
}
void case_erode(void) {
    for (int y = 0; y < 1024; y++) for (int x = 0; x < 1024; x++) {
        int low = 255;
        for (int v = -3; v <= 3; v++) for (int u = -3; u <= 3; u++)
            if (y + v >= 0 && y + v < 1024 && x + u >= 0 && x + u < 1024 && image[y + v][x + u] < low)
                low = image[y + v][x + u];
        shown[y][x] = low;
    }
}
void case_x_projection(void) {
    for (int y = 0; y < 1024; y++) { int s = 0; for (int x = 0; x < 1024; x++) s += image[y][x]; rows[y] = s; }
}
void case_y_projection(void) {
    for (int x = 0; x < 1024; x++) { int s = 0; for (int y = 0; y < 1024; y++) s += image[y][x]; columns[x] = s; }
}

void matrix_vector(int N, int M, double A[N][M], const double *x, double *y) {
    for (int i = 0; i < N; i++) { y[i] = 0; for (int j = 0; j < M; j++) y[i] += A[i][j] * x[j]; }
}
void stencil(int N, double *restrict B, const double *restrict A) {
    for (int i = 1; i <= N - 2; i++) B[i] = A[i - 1] + A[i] + A[i + 1];
}
void counting(int N, const unsigned char *A) { for (int i = 0; i < N; i++) hist[A[i]]++; }
void filling(int N, double *A) { for (int i = 0; i < N; i++) A[i] = 1; }
"""

CLASSES = {
    "listing_1_2": "K|element → K|element",
    "listing_4_5": "(K + 2)|neighbourhood(3) → K|element",  # the paper writes K|neighbourhood(3)
    "listing_7_12": "10x10|element → 10x10|element",
    "listing_14_15": "K|element → 1|shared",
    "binarization": "AxB|element → AxB|element",
    "xy_mirroring": "unordered AxB|element → AxB|element",
    "x_projection": "AxB|tile(1xB) → A|element",
    "y_projection": "AxB|tile(Ax1) → B|element",
    "scale_down": "480x640|tile(4x2) → 120x320|element",
    "enlarge": "120x320|element → 480x640|tile(4x2)",
    "enlarge_element_by_element": "120x320|element → 480x640|element",  # four parallel loops: P is all of them
    "transform_2d": "480x640|tile(8x8) → 480x640|tile(8x8)",
    "convolution_2d": "(A + 2)x(B + 4)|neighbourhood(3x5) → AxB|element",  # the paper's borders are part of A x B
    "convolution_1d": "Ax(B + 2)|neighbourhood(1x3) → AxB|element",  # the paper writes neighbourhood(3)
    "sum": "AxB|element → 1|shared",
    "histogram": "AxB|element → 256|shared",
    "differencing": "AxB|element ∧ AxB|element → AxB|element",
    "case_histogram": "1024x1024|element → 256|shared",
    "case_maximum": "262144|element → 1|shared",
    "case_threshold": "1024x1024|element → 1024x1024|element",
    "case_erode": "1024x1024|neighb(7x7) → 1024x1024|element",
    "case_x_projection": "1024x1024|tile(1x1024) → 1024|element",
    "case_y_projection": "1024x1024|tile(1024x1) → 1024|element",
}

SPECIES = {
    "matrix_vector": "A[0:N-1,0:M-1]|chunk(0:0,0:M-1) ^ x[0:M-1]|full -> y[0:N-1]|element",
    "stencil": "A[0:N-1]|neighbourhood(-1:1) -> B[1:N-2]|element",
    "counting": "A[0:N-1]|element -> hist[0:255]|shared",
    "filling": "0:0|void -> A[0:N-1]|element",
    "binarization": "in[0:A-1,0:B-1]|element -> out[0:A-1,0:B-1]|element",
}


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_of_the_paper(name: str) -> None:
    function = functions(C)[name]
    loop, around = loops(function)[0]
    found = classes.algorithm_class(build(function, loop, around), answers(function))
    assert found is not None
    assert parse_class(str(found)) == parse_class(CLASSES[name])


@pytest.mark.parametrize("name", SPECIES)
def test_a_species_of_the_definitions(name: str) -> None:
    function = functions(C)[name]
    loop, around = loops(function)[0]
    assert str(species.species(build(function, loop, around), answers(function))) == SPECIES[name]
