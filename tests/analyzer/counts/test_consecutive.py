"""Rows of entries between two values of an index array: how neighbours and one thread go through them."""

import pytest

from analyzer.counts.arrays import arrays
from analyzer.counts.nest import build

from ..c_text import answers, functions, loops

C = """
void product(int n, const int *restrict ptr, const int *restrict col, const double *restrict val,
             const double *restrict x, double *restrict y) {
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int k = ptr[i]; k < ptr[i + 1]; k++) s += val[k] * x[col[k]];
        y[i] = s; }
}
struct csr { int n; int *ptr; double *val; };
void of_members(const struct csr *restrict a, double *restrict y) {
    for (int i = 0; i < a->n; i++) {
        double s = 0;
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++) s += a->val[k];
        y[i] = s; }
}
void pairs(int n, const int *restrict ptr, const double *restrict val, double *restrict y) {
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int k = ptr[i]; k < ptr[i + 1]; k++) s += val[2 * k];
        y[i] = s; }
}
void in_another_order(int n, const int *restrict p, const int *restrict ptr, const double *restrict val,
                      double *restrict y) {
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int k = ptr[p[i]]; k < ptr[p[i] + 1]; k++) s += val[k];
        y[i] = s; }
}
void moved(int n, int *ptr, const double *restrict val) {
    for (int i = 0; i < n; i++)
        for (int k = ptr[i]; k < ptr[i + 1]; k++) ptr[i + 2] += val[k] > 0;
}
"""

PATTERNS = {
    ("product", "val"): ("strided(trip@6)", "unit"),
    ("product", "col"): ("strided(trip@6)", "unit"),
    ("product", "x"): ("irregular", "irregular"),
    ("product", "y"): ("unit", "unit"),
    ("of_members", "a.val"): ("strided(trip@13)", "unit"),
    ("pairs", "val"): ("irregular", "irregular"),
    ("in_another_order", "val"): ("irregular", "irregular"),
    ("moved", "val"): ("irregular", "irregular"),
}


@pytest.mark.parametrize(("name", "array"), PATTERNS)
def test_how_rows_of_entries_lie(name: str, array: str) -> None:
    """Rows one behind the other are one stretch for a thread, and a mean row apart for neighbours."""
    function = functions(C)[name]
    loop, around = loops(function)[0]
    found = {a.name: a for a in arrays(build(function, loop, around), answers(function))}
    assert (found[array].coalescing, found[array].walk) == PATTERNS[name, array]
