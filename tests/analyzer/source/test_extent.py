"""Where statements end, whatever was asked about the same code before."""

from itertools import permutations

import pytest

from analyzer.source.extent import Closings, statement_end

CODE = """for (i = 0; i < f(a[i], ")"); i++) {
  while (x) { do { y[g(1)] = '}'; } while (h(y)); }
  if (a) { b(); } else if (c) { for (;;) k(); } else d();
}
z();"""
STARTS = [CODE.index(w) for w in ("for (i", "while (x", "do {", "if (a", "for (;;", "k();", "z();")]


def test_ends() -> None:
    ends = [CODE[start : statement_end(CODE, start) + 1] for start in STARTS]
    assert ends[0] == CODE[: CODE.index("\nz")]
    assert ends[2] == "do { y[g(1)] = '}'; } while (h(y));"
    assert ends[3].endswith("else d();")
    assert ends[4:] == ["for (;;) k();", "k();", "z();"]


def test_what_was_read_before_changes_nothing() -> None:
    fresh = [statement_end(CODE, start) for start in STARTS]
    for order in permutations(range(len(STARTS)), 3):
        known: Closings = {}
        assert [statement_end(CODE, STARTS[k], known) for k in order] == [fresh[k] for k in order]


@pytest.mark.parametrize("code", ["while (x {", "while (x) { a[; }", "if (a) ] b;", "for (((("])
def test_brackets_that_do_not_match(code: str) -> None:
    known: Closings = {}
    assert statement_end(code, 0, known) == statement_end(code, 0, known) == statement_end(code, 0)
