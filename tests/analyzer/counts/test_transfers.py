"""What has to be copied before and after a loop: nothing that is read, or seen later, may be missing."""

from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import ArrayFacts, Count
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.expr import evaluate

PROLOGUE = """struct view { double *q; int n; };
double a[64], b[64], shared[64]; void see(double *);
static void put(int i, double x) { shared[i] = x; }
static double *pick(double *x, double *y, int c) { return c ? x : y; }
"""


def arrays(code: str, loop: int = 0) -> list[ArrayFacts]:
    functions = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), None, PROLOGUE + code).functions
    return list(functions[-1].loops[loop].arrays)


def size(count: Count) -> float:
    assert count.expr is not None
    return float(evaluate(count.expr, {"n": 16}))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("double *p = c ? t : u;", "p[3]"),
        ("double *p = pick(t, u, c);", "p[3]"),
        ("struct view s = { t, n };", "s.q[3]"),
        ("struct view s[2] = { { t, n } };", "s[0].q[3]"),
        ("double *p[2] = { t, t + 4 };", "p[1][3]"),
        ("struct view s; s = (struct view){ .q = t };", "s.q[3]"),
        ("struct view s; s.q = t;", "s.q[3]"),
        ("long at = (long)t;", "*(double *)at"),
        ("see(t);", "(see(u), a[3])"),
        ("", "t[3]"),
    ],
)
def test_an_array_of_which_the_address_is_kept_is_copied_back(before: str, after: str) -> None:
    body = f"double t[64], u[64]; {before} for (int i = 0; i < n; i++) t[i] = b[i]; return {after};"
    (t,) = (x for x in arrays(f"double f(int n, int c) {{ {body} }}") if x.name == "t")
    assert size(t.transfer_out) == 128


@pytest.mark.parametrize("before", ["", "double s = b[c ? 1 : 2];", "double *p = c ? b : a; see(p);", "see(t);"])
def test_an_array_that_nobody_reads_again_is_not_copied_back(before: str) -> None:
    body = f"double t[64]; {before} for (int i = 0; i < n; i++) t[i] = b[i]; return 0;"
    (t,) = (x for x in arrays(f"double f(int n, int c) {{ {body} }}") if x.name == "t")
    assert size(t.transfer_out) == 0


@pytest.mark.parametrize("jump", ["if (c--) goto again;", ""])
def test_an_array_that_is_read_before_the_loop_is_copied_back_where_a_jump_leads_there(jump: str) -> None:
    body = f"""double t[64] = {{ 0 }}, s = 0;
    again: s += t[2];
    for (int i = 0; i < n; i++) t[i] = b[i] + s;
    {jump} return s;"""
    (t,) = (x for x in arrays(f"double f(int n, int c) {{ {body} }}") if x.name == "t")
    assert size(t.transfer_out) == (128 if jump else 0)


@pytest.mark.parametrize(("name", "expected"), [("shared", [0, 128]), ("own", [0, 128])])
def test_a_private_array_is_not_the_one_of_the_same_name_in_the_file(name: str, expected: list[float]) -> None:
    body = f"""double {name}[4];
    for (int i = 0; i < n; i++) {{
        for (int j = 0; j < 4; j++) {name}[j] = b[i + j];
        put(i, a[i]); a[i] = {name}[2];
    }}"""
    found = [x for x in arrays(f"void f(int n) {{ {body} }}") if x.name in (name, "shared")]
    assert [size(x.transfer_out) for x in found] == expected


@pytest.mark.parametrize(("read", "copied"), [("((unsigned char *)shared)[i]", 16), ("shared[i]", 0)])
def test_what_is_written_to_element_i_is_not_what_is_read_from_byte_i(read: str, copied: int) -> None:
    body = f"for (int i = n - 1; i >= 0; i--) {{ shared[i] = 0; a[i] = {read}; }}"
    (x,) = (x for x in arrays(f"void f(int n) {{ {body} }}") if x.name == "shared")
    assert size(x.transfer_in) == copied


def test_a_section_does_not_depend_on_the_order_of_its_accesses() -> None:
    """Was: a bound, where accesses that differ by numbers were not joined before those under other conditions."""
    inner = " ".join(f"for (int k = {first}; k <= c; k++) s += x[i] + x[i - 1];" for first in (2, 1))
    body = f"double s = 0; for (int i = 1; i < n; i++) {{ {inner} }} return s;"
    (x,) = (x for x in arrays(f"double f(int n, int c, const double *x) {{ {body} }}") if x.name == "x")
    assert x.transfer_in.exact
    assert x.transfer_in.expr is not None
    assert [evaluate(x.transfer_in.expr, {"n": 16, "c": c}) for c in (0, 1, 2)] == [0, 128, 128]
