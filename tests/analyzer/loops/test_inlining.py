"""Calls in a loop that lead to what nobody can look into are followed only where something is found on the way."""

import pytest

from analyzer.ir import nodes as ir

from .picture import lowered

UNSEEN = """
void hook(int);
int printf(const char *, ...);
static void reports(int *p) { if (*p < 0) hook(*p); *p += 1; }
static void writes(int *p) { *p += 1; }
static void leads(int *p) { writes(p); reports(p); }
"""


def calls(c: str) -> list[ir.Call]:
    function = lowered(UNSEEN + c)
    return [e for s in ir.statements(function.body) for e in ir.evaluated(s) if isinstance(e, ir.Call)]


@pytest.mark.parametrize(
    ("helper", "call", "why"),
    [
        ("", "reports(a + i)", "`reports` (line 4) calls `hook`, which is not visible here: it may do anything"),
        ("", "leads(a + i)", "`leads` (line 6) calls `hook`, which is not visible here: it may do anything"),
        (
            "static void asks(int *p, void (*f)(int)) { f(*p); }",
            "asks(a + i, hook)",
            "`asks` (line 7) calls `f`, a pointer: any function may be called",
        ),
        (
            "static void again(int *p) { if (*p) { --*p; again(p); } } static void once(int *p) { again(p); }",
            "once(a + i)",
            "`once` (line 7) calls `again`, which calls itself: what it does is not followed",
        ),
    ],
)
def test_what_leads_to_an_unseen_call_is_not_followed(helper: str, call: str, why: str) -> None:
    (kept,) = calls(f"{helper}\nvoid f(int n, int *a) {{ for (int i = 0; i < n; i++) {call}; }}")
    assert kept.unseen == why
    assert kept.place.line == 8


MAYBE = "static void maybe(int *p, int v) { if (v) hook(*p); *p = v; } static void zero(int *p) { maybe(p, 0); }"


@pytest.mark.parametrize(
    ("helper", "body", "left"),
    [
        pytest.param("", "writes(a + i);", [], id="to its end"),
        pytest.param("", "reports(a + i); for (int j = 0; j < i; j++) a[j] = 0;", ["hook"], id="a loop inside"),
        pytest.param(MAYBE, "maybe(a + i, 0);", [], id="never called"),
        pytest.param(MAYBE, "zero(a + i);", [], id="never called below"),
        pytest.param(
            "static void tells(int *p) { printf(\"%d\", *p); hook(*p); }",
            "tells(a + i);",
            ["printf", "hook"],
            id="output",
        ),
    ],
)
def test_followed_where_something_is_found(helper: str, body: str, left: list[str]) -> None:
    loop = f"for (int i = 0; i < n; i++) {{ {body} }}"
    assert [call.name for call in calls(f"{helper} void f(int n, int *a) {{ {loop} }}")] == left


def test_followed_outside_of_loops() -> None:
    (kept,) = calls("void f(int n, int *a) { reports(a); for (int i = 0; i < n; i++) a[i] = 0; }")
    assert kept.name == "hook"


EACH = "static void each(int *a, int n, void (*f)(int *)) { FIRST for (int i = 0; i < n; i++) f(a + i); }"
WITHIN = "static void all(int *a, int n, void (*g)(int *)) { each(a, n, g); }"


@pytest.mark.parametrize("call", ["each(a, n, writes)", "each(a, n, &writes)", "all(a, n, writes)"])
def test_a_parameter_leads_to_the_function_that_the_call_gives(call: str) -> None:
    helpers = EACH.replace("FIRST", "") + WITHIN
    assert calls(f"{helpers}\nvoid f(int n, int *a) {{ {call}; }}") == []


@pytest.mark.parametrize("first", ["if (n > 3) f = reports;", "void (**p)(int *) = &f; hook(*(int *)p);"])
def test_a_parameter_that_may_be_set_leads_anywhere(first: str) -> None:
    kept = calls(f"{EACH.replace('FIRST', first)}\nvoid f(int n, int *a) {{ each(a, n, writes); }}")
    assert "f" in {call.name for call in kept}
