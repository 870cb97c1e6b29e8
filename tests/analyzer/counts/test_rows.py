"""Arrays whose rows nobody declares (`a[i*lda + k]`): what is presumed of them, and counts against counting."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import ArrayFacts, Count
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.expr import evaluate

SIZES = {"n": range(5), "m": range(5), "p": range(7), "q": range(4)}
HEAD = "void f(int n, int m, int p, int q, float *restrict a)"

# the loops, and the same as ranges: the elements that a run touches
WALKS = {
    "rows": ("for (int i = 0; i < n; i++) for (int k = 0; k < m; k++) a[i * p + k] = 0;", "i * p + k", "m <= p"),
    "a part of rows": ("for (int i = 0; i < n; i++) for (int k = 1; k < m; k++) a[i * p + k - 1] = 0;",
                       "i * p + k - 1 if k >= 1 else None", "m <= p + 1"),
    "two columns": ("for (int i = 0; i < n; i++) for (int k = 0; k < m; k++) a[i * p + k] = a[i * p + k + 1];",
                    "i * p + k", "m <= p - 1"),
    "a triangle": ("for (int i = 0; i < n; i++) for (int k = 0; k <= i; k++) a[i * p + k] = 0;",
                   "i * p + k if k <= i else None", "n <= p"),
    "planes of rows": ("for (int j = 0; j < q; j++) for (int i = 0; i < n; i++) for (int k = 0; k < m; k++)"
                       " a[(j * n + i) * p + k] = 0;", "(j * n + i) * p + k", "m <= p"),
}  # fmt: skip


def array(loops: str) -> ArrayFacts:
    code = f"{HEAD} {{ {loops} }}"
    facts = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), None, code)
    return facts.functions[0].loops[0].arrays[0]


def runs(index: str) -> Iterator[tuple[dict[str, int], set[int]]]:
    """Sizes, and the elements that are stored to at these sizes."""
    for values in product(*SIZES.values()):
        sizes = dict(zip(SIZES, values, strict=True))
        most = max(sizes["n"], sizes["m"])
        planes = range(sizes["q"]) if "j" in index else range(1)
        columns = range(most) if "k <= i" in index else range(sizes["m"])
        found = {
            eval(index, {}, {**sizes, "i": i, "j": j, "k": k})
            for j in planes for i in range(sizes["n"]) for k in columns
        }  # fmt: skip
        yield sizes, found - {None}


def value(count: Count | None, sizes: dict[str, int]) -> float:
    assert count is not None
    assert count.expr is not None
    return float(evaluate(count.expr, {**sizes}))


@pytest.mark.parametrize("name", WALKS)
def test_what_is_stored(name: str) -> None:
    loops, index, holds = WALKS[name]
    found = array(loops)
    stored = found.write_footprint
    assert (stored.exact, stored.assumptions, stored.high) == (False, ("in-bounds(a)",), stored.expr)
    compared = 0
    for sizes, elements in runs(index):
        assert value(stored, sizes) >= 4 * len(elements), sizes
        if elements and not eval(holds, {}, sizes):
            continue
        section = max(elements) - min(elements) + 1 if elements else 0
        assert value(stored, sizes) == 4 * len(elements), sizes
        assert value(found.transfer_out, sizes) == 4 * section, sizes
        compared += bool(elements)
    assert compared > 50


@pytest.mark.parametrize(
    "loops",
    [
        "for (int i = 0; i < n; i++) for (int k = 0; k < m; k++) a[i * p + k * q] = 0;",  # rows of p, or of q?
        "for (int i = 0; i < n; i++) for (int k = 0; k < p + 2; k++) a[i * p + k] = 0;",  # overlaps its neighbours
        "for (int i = 0; i < n; i++) a[i * p + 2] = 0;",  # one column is none
        "for (int i = 0; i < n; i++) for (int k = 0; k < m; k++) a[i * p + k - 1] = 0;",  # begins before its row
    ],
)
def test_where_rows_are_not_presumed(loops: str) -> None:
    stored = array(loops).write_footprint
    assert not stored.exact
    assert "in-bounds(a)" not in stored.assumptions


def test_rows_of_two_lengths_are_not_compared() -> None:
    """Element (1, 0) of rows of 3 is another one than that of rows of m."""
    found = array("if (m >= 3) for (int i = 0; i < n; i++) for (int k = 0; k < 3; k++) a[i * 3 + k] = a[i * m + k];")
    assert not found.footprint.exact


# --- one block of memory, or several


@pytest.mark.parametrize(
    ("loops", "is_one"),
    [
        ("float *b = other(); for (int i = 0; i < n; i++) b[i] = 0;", True),  # whichever it is, it stays
        ("float *b = n > m ? a : a + m; for (int i = 0; i < n; i++) b[i] = 0;", True),
        ("for (int i = 0; i < n; i++) { float *b = other(); b[0] = 0; }", False),
        ("struct n { float x; struct n *next; } *b = first(); while (b) { b->x = 0; b = b->next; }", False),
        ("float **b = table(); for (int i = 0; i < n; i++) b[i][0] = 0;", False),
    ],
)
def test_what_is_one_block_of_memory(loops: str, is_one: bool) -> None:
    before = "float *other(void), **table(void); void *first(void);\n"
    code = f"{before}{HEAD} {{ {loops} }}"
    facts = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), None, code)
    written = [a for a in facts.functions[0].loops[0].arrays if "w" in a.access]
    assert [a.contiguous for a in written] == [is_one]
