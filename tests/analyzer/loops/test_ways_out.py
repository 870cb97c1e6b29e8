"""Helpers with several ways out, and with variables that outlive the call: what the caller gets from them."""

import pytest

from analyzer.ir import nodes as ir

from .picture import lowered

ALWAYS = """void f(int x, int c, double *a) { int m = pick(x, c); for (int i = 0; i < m; i++) a[i] = 0; }"""

OPEN = {
    "in a block before more": "if (c) { if (x) return 1; } else return 7; return 7;",
    "in a switch in a block": "if (c) { switch (x) { case 0: return 1; case 1: c = 3; } } else return 7; return 7;",
    "in the block of a case": "switch (x) { case 0: { x = 2; return 1; } default: x = 3; } return 7;",
    "behind a declaration": "if (c) { int z = x; if (z) return 1; } else return 7; return 7;",
    "at the end of a block": "if (c) { int z = x; if (z) return 1; return 3; } else c = 4; return 7;",
    "in a block of its own": "{ if (c) return 1; } return 7;",
}
CLOSED = {
    "the same in each": "if (c) { if (x) return 7; } else return 7; return 7;",
    "at the end of it": "{ int z = 7; return z; }",
}


@pytest.mark.parametrize("body", OPEN.values(), ids=OPEN)
def test_no_way_out_is_forgotten(body: str) -> None:
    """1 and 7 are both possible, so the number of iterations is no number."""
    function = lowered(f"static int pick(int x, int c) {{ {body} }} {ALWAYS}")
    (loop,) = ir.loops(function.body)
    assert loop.trip is not None
    assert loop.trip[0].numerator.constant is None


@pytest.mark.parametrize("body", CLOSED.values(), ids=CLOSED)
def test_what_is_the_same_on_each_is_known(body: str) -> None:
    function = lowered(f"static int pick(int x, int c) {{ {body} }} {ALWAYS}")
    (loop,) = ir.loops(function.body)
    assert loop.trip == (ir.Ratio(ir.number(7)),)


def test_ways_out_become_branches() -> None:
    """Every helper is looked into, also where a name declared in a block may not reach what follows it."""
    for name, body in OPEN.items():
        function = lowered(f"static int pick(int x, int c) {{ {body} }} {ALWAYS}")
        assert not any(isinstance(s, ir.Exit) for s in ir.statements(function.body))
        calls = [e for s in ir.statements(function.body) for x in ir.expressions(s) for e in ir.walk(x)]
        assert not any(isinstance(e, ir.Call) for e in calls), name


STATIC = "static int *cell(void) { static int kept; return &kept; }"


@pytest.mark.parametrize(
    "body",
    [
        "*p = 1; if (c) *p = x;",
        "*p = 1; for (int k = 0; k < x; k++) (*p)++;",
        "*p = 1; *cell() = x;",
        "switch (x) { case 0: { if (c) { if (x) break; c = 1; } *p = 1; break; } default: *p = 1; }",
    ],
)
def test_a_static_variable_of_a_helper_changes_as_others_do(body: str) -> None:
    function = lowered(
        f"{STATIC} void f(int x, int c, double *a) {{ int *p = cell(); {body} for (int i = 0; i < *p; i++) a[i] = 0; }}"
    )
    *_, loop = ir.loops(function.body)
    assert loop.trip is None or loop.trip[0].numerator.constant is None


def test_a_static_variable_is_one_object() -> None:
    function = lowered(
        f"{STATIC} void f(int x, int *a) {{ for (int i = 0; i < x; i++) {{ a[i] = *cell(); *cell() = i; }} }}"
    )
    read = {
        e.variable
        for s in ir.statements(function.body)
        for x in ir.expressions(s)
        for e in ir.walk(x)
        if isinstance(e, ir.Use) and e.variable.name == "kept"
    }
    set_ = {
        s.target
        for s in ir.statements(function.body)
        if isinstance(s, ir.Assign) and isinstance(s.target, ir.Variable) and s.target.name == "kept"
    }
    assert len(read) == 1
    assert read == set_


def test_a_break_that_is_not_followed() -> None:
    """It may be taken before y is set."""
    function = lowered(
        """void f(int n, int c, int d, double *a) { int y = 2;
        switch (n) { case 0: { if (c) { if (d) { c = 2; if (n > d) break; } c = 1; } y = 1; break; } default: y = 1; }
        for (int i = 0; i < y; i++) a[i] = 0; }"""
    )
    *_, loop = ir.loops(function.body)
    assert loop.trip is not None
    assert loop.trip[0].numerator.constant is None
