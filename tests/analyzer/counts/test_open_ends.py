"""Counts of loops of which a part is not understood, or not seen: what is known is a lower bound, and called that."""

from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.expr import evaluate

PARTS = {
    "a case in a block": "switch (c[i]) { case 0: if (m) { case 1: y[i + 5] = x[i + 7]; } default: y[i] = 2; }",
    "assembly": 'asm("nop" ::: "memory");',
    "a function that is not seen": "unseen(x, y);",
}


@pytest.mark.parametrize("part", PARTS)
def test_what_else_is_touched_is_open(part: str) -> None:
    code = f"""void unseen(const double *, double *);
    void f(int n, int m, const int *c, const double *x, double *y)
    {{ for (int i = 0; i < n; i++) {{ y[i] = x[i]; {PARTS[part]} }} }}"""
    (loop,) = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), None, code).functions[0].loops
    assert loop.arrays
    for array in loop.arrays:
        for count in (array.footprint, array.read_footprint, array.write_footprint):
            assert (count.exact, count.low, count.high) == (False, count.expr, None)
        assert not array.transfer_in.exact
        assert not array.transfer_out.exact
    whole = loop.counts.footprint
    assert whole is not None
    assert (whole.exact, whole.low, whole.high) == (False, whole.expr, None)


@pytest.mark.parametrize(("condition", "exact"), [("", "8*n"), ("if (c[i])", "4*n")])
def test_what_may_be_the_same_memory_is_surely_touched_once(condition: str, exact: str) -> None:
    """`p` may lead to `a`: of both arrays together no more is certain than of the larger part."""
    code = f"""double *found(void);
    void f(int n, const int *c, double *a)
    {{ double *p = found(); for (int i = 0; i < n; i++) {condition} a[i] = p[i]; }}"""
    (loop,) = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), None, code).functions[0].loops
    whole = loop.counts.footprint
    assert whole is not None
    assert not whole.exact
    assert str(whole.low) == f"max(0, {exact})" or str(whole.low) == exact


def test_reads_of_rows_before_and_after_a_call_are_surely_touched_once() -> None:
    code = """void see(void);
    void f(int n, double **z, double *best)
    { for (int i = 0; i < n; i++) { if (z[3][i] > best[0]) see(); if (z[3][i] < best[1]) see(); } }"""
    (loop,) = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), None, code).functions[0].loops
    whole = loop.counts.read_footprint
    assert whole is not None
    assert whole.low is not None
    assert evaluate(whole.low, {"n": 100}) <= 8 + 2 * 8 + 100 * 8


@pytest.mark.parametrize("jump", ["if (m--) goto again;", ""])
def test_a_jump_back_may_enter_a_loop_again(jump: str) -> None:
    code = f"void f(int n, int m, int *a) {{ again: for (int i = 0; i < n; i++) a[i] = m; {jump} }}"
    (loop,) = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), None, code).functions[0].loops
    entered = loop.counts.executions
    assert entered is not None
    assert (entered.exact, str(entered.expr), entered.high is None) == (not jump, "1", True)
    assert str(entered.low) == ("1" if jump else "None")


@pytest.mark.parametrize(("body", "exact"), [("x++;", True), ("while (x) x--;", False), ("other();", False)])
def test_iterations_of_what_is_not_followed_are_left_out(body: str, exact: bool) -> None:
    """A function that is visible, and has loops: how often those run is in no count."""
    code = f"""void unseen(int); static int x; static void other(void) {{ for (int i = 0; i < x; i++) unseen(i); }}
    static void g(int y) {{ unseen(y); {body} }}
    void f(int n) {{ for (int i = 0; i < n; i++) g(i); }}"""
    loops = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), None, code).functions[-1].loops
    (found,) = (loop.counts.iterations for loop in loops)
    assert found is not None
    assert (str(found.expr), found.exact) == ("n", exact)
