"""How many elements an index can select at most, and subscripts that only count up."""

import pytest

from analyzer.counts.arrays import arrays
from analyzer.counts.nest import build
from models.expr import evaluate

from ..c_text import answers, functions, loops

SIZES = {"n": 10**6, "k": 700}

FEW = {
    "unsigned char": ("t[u[i]]++;", 4 * 256),
    "short, with an offset": ("t[w[i] + 40000]++;", 4 * 65536),
    "mask": ("t[x[i] & 255]++;", 4 * 256),
    "rest by a number": ("t[x[i] % 1000]++;", 4 * 1000),
    "rest by a size": ("t[x[i] % k]++;", 4 * 700),
    "rest of a signed": ("t[y[i] % 10 + 9]++;", 4 * 19),
    "highest bits": ("t[x[i] >> 24]++;", 4 * 256),
    "two of them": ("t[256 * u[i] + u[i + 1]]++;", 4 * 65536),
    "two places": ("t[u[i]] = t[u[i + 1]];", 2 * 4 * 256),
    "any value": ("t[y[i]]++;", None),
    "with the counter": ("t[u[i] + i]++;", None),
    "a product": ("t[u[i] * y[i]]++;", None),
}


@pytest.mark.parametrize("name", FEW)
def test_elements_that_an_index_can_select(name: str) -> None:
    statement, most = FEW[name]
    text = f"""
    void f(long n, unsigned k, const unsigned char *restrict u, const short *restrict w, const unsigned *restrict x,
           const int *restrict y, int *restrict t) {{
        for (long i = 0; i < n; i++) {{ {statement} }}
    }}"""
    function = functions(text)["f"]
    ((loop, around),) = loops(function)
    found = {a.name: a for a in arrays(build(function, loop, around), answers(function))}["t"]
    assert found.footprint.expr is not None
    bytes_ = evaluate(found.footprint.expr, SIZES)
    assert not found.footprint.exact
    assert bytes_ == most if most is not None else bytes_ >= 4 * SIZES["n"]


WALKS = {
    "if (a[i] > 0) b[at++] = a[i];": "unit",
    "if (a[i] > 0) { b[at] = a[i]; at++; }": "unit",
    "if (a[i] > 0) b[at--] = a[i];": "unit",
    "if (a[i] > 0) b[at += 2] = a[i];": "irregular",
    "if (a[i] > 0) { b[at++] = a[i]; } else at = 0;": "irregular",
    "if (a[i] > 0) { at++; } b[at * m] = a[i];": "irregular",
    "b[c[i]] = a[i];": "irregular",
}


@pytest.mark.parametrize("statement", WALKS)
def test_a_subscript_that_counts_goes_through_neighbours(statement: str) -> None:
    text = f"""
    void f(long n, long m, long at, const double *restrict a, double *restrict b, const int *restrict c) {{
        for (long i = 0; i < n; i++) {{ {statement} }}
    }}"""
    function = functions(text)["f"]
    ((loop, around),) = loops(function)
    found = {a.name: a for a in arrays(build(function, loop, around), answers(function))}["b"]
    assert found.walk == WALKS[statement]
