"""How many elements an index can select at most, and subscripts that only count up."""

import pytest

from analyzer.counts.arrays import arrays
from analyzer.counts.nest import build
from models.expr import evaluate, num

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


BLOCKS = {
    "columns that data select": ("for (int l = 0; l < 7; l++) b[i * m + c[l]] = 1;", True),
    "a counter that begins at 0 again": ("for (unsigned char l = 1; l < 254; l += 5) b[i * m + l] = 1;", False),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_only_columns_that_data_select_lie_in_their_rows(name: str) -> None:
    statement, in_rows = BLOCKS[name]
    text = f"""
    void f(long n, long m, double *restrict b, const int *restrict c) {{
        for (long i = 0; i < n; i++) {{ {statement} }}
    }}"""
    function = functions(text)["f"]
    loop, around = next(each for each in loops(function) if not each[1])
    (found,) = (a for a in arrays(build(function, loop, around), answers(function)) if a.name == "b")
    assert ("in-bounds(b)" in found.footprint.assumptions) == in_rows


def test_a_place_that_a_later_loop_moves_on_is_not_the_one_of_an_earlier_loop() -> None:
    text = """
    void f(long n, long m, short *restrict b, int *restrict at) {
        for (long i = 0; i < n; i++) {
            for (long j = 0; j < m; j++) b[at[i]] += 1;
            for (int l = 0; l != 7; l++) { b[at[i]] = 2; at[i] = l; }
        }
    }"""
    function = functions(text)["f"]
    loop, around = [*loops(function)][-1]
    (found,) = (a for a in arrays(build(function, loop, around), answers(function)) if a.name == "b")
    assert not found.write_footprint.exact
    assert evaluate(found.write_footprint.expr or num(0), {"n": 3, "m": 3}) == 7 * 2
