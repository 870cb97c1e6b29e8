"""Counts of loops of which a part is not understood, or not seen: what is known is a lower bound, and called that."""

from pathlib import Path

import pytest

from analyzer.analysis import analyze_file
from analyzer.options import AnalysisOptions, SourceOptions

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
