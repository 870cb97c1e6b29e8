"""Counts of C loops against counting: the formulas hold at every small size."""

from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import LoopFacts
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.expr import evaluate, free_symbols

SIZES = range(6)


def outermost(c: str) -> LoopFacts:
    return analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), None, c).functions[0].loops[0]


@pytest.mark.parametrize(
    ("c", "stores"),
    [
        pytest.param(
            "void f(int n, int m, int *a) { for (int j = m; j <= n; j++) for (int q = 0; q < n - 2; q++) a[q] = 1; }",
            lambda n, m: len(range(m, n + 1)) * max(0, n - 2),
            id="two conditions on one size",
        ),
        pytest.param(
            "void f(int n, int m, int *a) { for (int i = 0; i < m; i++) for (int j = i; j <= n; j++)"
            " for (int q = 0; q < n - 2; q++) a[q] = 1; }",
            lambda n, m: sum(len(range(i, n + 1)) for i in range(m)) * max(0, n - 2),
            id="triangle times a range",
        ),
        pytest.param(
            "void f(int n, int m, int *a) { for (int i = 2; i < n; i++) for (int j = 1; j < i; j++)"
            " for (int q = 0; q < n; q++) if (q != n - 1) a[q] = m; }",
            lambda n, m: sum(len(range(1, i)) for i in range(2, n)) * max(0, n - 1),
            id="all but one",
        ),
        pytest.param(
            "void f(int n, int m, int *a) { for (int i = 0; i < n; i += 2) for (int j = 0; j < m - i; j++) a[j] = 1; }",
            lambda n, m: sum(max(0, m - i) for i in range(0, n, 2)),
            id="stride two over a triangle",
        ),
    ],
)
def test_stores(c: str, stores: object) -> None:
    count = outermost(c).counts.stores
    assert count is not None
    assert count.expr is not None
    if not count.exact:
        return
    for n in SIZES:
        for m in SIZES:
            assert evaluate(count.expr, {"n": n, "m": m}) == stores(n, m), (n, m)  # type: ignore[operator]


def test_memory_that_the_function_allocates_has_a_footprint_of_what_it_asked_for_at_most() -> None:
    """Data select what is touched, many times."""
    walk = "for (int k = 0; k < m; k++)"
    body = f"double *t = malloc(24ul * m); for (int i = 0; i < n; i++) {{ {walk} t[p[k] % (3 * m)] = i; }} free(t);"
    loop = outermost(f"void *malloc(unsigned long); void free(void *); void f(int n, int m, int *p) {{ {body} }}")
    (count,) = (array.footprint for array in loop.arrays if array.name == "t")
    assert count.expr is not None
    assert evaluate(count.expr, {"n": 1000, "m": 8}) == 24 * 8
    assert evaluate(count.expr, {"n": 2, "m": 8}) == 2 * 8 * 8


@pytest.mark.parametrize("index", ["i / 2", "i >> 1", "i % 8", "i & 7", "(unsigned char)i", "(signed char)(i + 254)"])
def test_a_footprint_that_folds_the_counter_is_no_single_element(index: str) -> None:
    """What is claimed exact must be the number of different elements."""
    (array,) = outermost(f"void f(int n, int *a) {{ for (int i = 0; i < n; i++) a[{index}] = i; }}").arrays
    count = array.write_footprint
    assert count.expr is not None
    assert count.high is None or evaluate(count.high, dict.fromkeys(free_symbols(count.high), 5)) >= 12
    assert not count.exact
