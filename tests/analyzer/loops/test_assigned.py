"""What is foreseen of a loop spares a second lowering of its body, and never changes what comes out of it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from analyzer.ir import nodes as ir
from analyzer.loops import assigned as foresight
from analyzer.loops import attempts, lower_function
from analyzer.loops import invariant_loads as steady
from analyzer.settings.options import SourceOptions
from analyzer.source import load_unit

from .picture import lowered, picture

HEAD = """
struct node { struct node *next; int *a; int len; };
int size; void report(int); void touch(int *); int *fresh(int);
static void both(int i) { size++; touch(&size); }
static void checked(int i) { if (i < 0) { report(i); exit(1); } }
static void deep7(int i) { size += i; }
static void deep6(int i) { deep7(i); }
static void deep5(int i) { deep6(i); }
static void deep4(int i) { deep5(i); }
static void deep3(int i) { deep4(i); }
static void deep2(int i) { deep3(i); }
static void deep1(int i) { deep2(i); }
static int digits(int n) { return n < 10 ? 1 : 1 + digits(n / 10); }
"""

FORESEEN = {
    "a list": "int f(struct node *p) { int n = 0; while (p) { n += p->len; p = p->next; } return n; }",
    "rows": "void f(int **t, int n) { int *p = t[0]; for (int i = 0; i < n; i++) { p = t[i]; p[0] = i; } }",
    "a result": "void f(int n) { int *p = 0; for (int i = 0; i < n; i++) { p = fresh(i); p[0] = i; } }",
    "a call": "void f(int *a, int n) { for (int i = 0; i < n; i++) { a[i] = size; report(i); } }",
    "an address": "void f(int *a, int n) { int x = 0; for (int i = 0; i < n; i++) { a[i] = x; touch(&x); } }",
    "a call in a callee": "void f(int *a, int n) { for (int i = 0; i < n; i++) { a[i] = size; both(i); } }",
    "a call in an inner loop": """void f(int *a, int n) { int x = 0; touch(&x);
        for (int i = 0; i < n; i++) for (int j = 0; j < x; j++) { a[j] = x; report(i); } }""",
    "nothing": """void f(int *a, int n) {
        for (int i = 0; i < n; i++) if (a[i]) { report(i); return; } else a[i] = size; }""",
    "a call before the program ends": """void f(int *a, int n) {
        for (int i = 0; i < n; i++) { if (a[i] < 0) { report(i); exit(1); } a[i] = size; } }""",
    "such a call in a callee": "void f(int *a, int n) { for (int i = 0; i < n; i++) { checked(i); a[i] = size; } }",
    "bounds in memory and such a call": """void f(int *t, double *a) { int i, j; for (i = 0; i < t[0]; i++)
        { checked(i); for (j = 0; j < t[1]; j++) a[j] += i; } }""",
    "another pointer": "void f(int *a, int *b, int n) { for (int i = 0; i < n; i++) { a = b + i; a[0] = 1; } }",
    "one of two": """void f(struct node *s, int *b, int n) { int *p;
        for (int i = 0; i < n; i++) { p = i ? s->a + i : b; p[0] = 1; } }""",
    "an element": """void f(struct node **s, int n) { struct node *p;
        for (int i = 0; i < n; i++) { p = &s[0][i]; p->len = 1; } }""",
    "calls that lie too deep": "void f(int *a, int n) { for (int i = 0; i < n; i++) { a[i] = size; deep1(i); } }",
    "a member that may be set again": """void f(struct node *s, int n) { int *p = s->a;
        for (int i = 0; i < n; i++) { s->a[i] = p[i]; report(i); } }""",
    "a label": """void f(int *a, int *b, int n) { int *p = a; for (int i = 0; i < n; i++) { if (a[i]) goto on;
        b[i] = 1; on: p[i] = size; } }""",
    "a closed function": "void f(int *a, int n) { for (int i = 0; i < n; i++) a[i] = digits(i) + size; }",
    "bounds in memory": """void f(int *t, double *a) { int i, j; for (i = 0; i < t[0]; i++)
        for (j = 0; j < t[1]; j++) a[j] += i; }""",
    "known functions": "void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] = __builtin_sqrt(a[i]) + size; }",
}
UNFORESEEN = {
    "bounds in memory that change": """void f(int *t, int *a) { int i, j; for (i = 0; i < 9; i++)
        for (j = 0; j < t[1]; j++) { a[j] = i; t[1] = i; } }""",
    "swapped pointers": """void f(int *a, int *b, int n) { for (int t = 0; t < n; t++)
        { for (int i = 0; i < n; i++) b[i] = a[i]; int *c = a; a = b; b = c; } }""",
}
REFUTED = {
    "the same object": """void f(struct node *s, int n) { int *p = s->a;
        for (int i = 0; i < n; i++) { p = s->a; p[i] = 1; } }""",
    "another of that name": """void f(struct node *s, int *p, int n) {
        for (int i = 0; i < n; i++) { p[i] = 1; { int *p; p = s->a; p[i] = 2; } } }""",
    "never called": "void f(int *a, int n) { for (int i = 0; i < n; i++) { if (0) report(i); a[i] = size; } }",
    "a member that stays": """void f(struct node *s, struct node *t, int n) { int *p = s->a;
        for (int i = 0; i < n; i++) { t->len = p[i] + t->a[i]; if (0) report(i); } }""",
    "only on the way out": """int f(struct node *s, int *p, int n) { for (int i = 0; i < n; i++)
        { p[i] = 1; if (p[i] > n) { p = s->a; return p[0]; } } return 0; }""",
}
EVERY = {**FORESEEN, **UNFORESEEN, **REFUTED}


def lowerings(c: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """How often bodies of loops are lowered for function f of a text, and the loops in it."""
    done: list[int] = []
    attempt: Callable[..., object] = attempts._attempt
    with monkeypatch.context() as patched:
        patched.setattr(attempts, "_attempt", lambda *a: (done.append(1), attempt(*a))[1])
        function = lowered(HEAD + c)
    return len(done), sum(1 for _ in ir.loops(function.body))


@pytest.mark.parametrize("name", FORESEEN)
def test_what_is_foreseen_is_lowered_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done, loops = lowerings(FORESEEN[name], monkeypatch)
    assert done == loops


@pytest.mark.parametrize("name", {**UNFORESEEN, **REFUTED})
def test_what_comes_otherwise_is_lowered_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done, loops = lowerings(EVERY[name], monkeypatch)
    assert done > loops


@pytest.mark.parametrize("name", EVERY)
def test_foresight_changes_no_answer(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with_it = picture(HEAD + EVERY[name])
    for foretelling in (foresight, steady):
        monkeypatch.setattr(foretelling, "foreseen", lambda *_: frozenset())
    assert picture(HEAD + EVERY[name]) == with_it


def fixtures() -> Iterator[Path]:
    yield from sorted((Path(__file__).parents[3] / "fixtures" / "c").glob("*.c"))[::6]


def shapes(path: Path) -> list[object]:
    """Of every loop what a reader sees of it, in its own function."""
    unit = load_unit(path, SourceOptions())
    own = [d for d in unit.functions if d.own and d.node is not None]
    found = [loop for d in own for loop in ir.loops(lower_function(unit, d).body)]
    return [(loop.place, str(loop.trip), str(loop.first), str(loop.step), len(loop.body)) for loop in found]


def test_foresight_changes_no_loop_of_the_fixtures(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = list(fixtures())
    with_it = [shapes(path) for path in paths]
    for foretelling in (foresight, steady):
        monkeypatch.setattr(foretelling, "foreseen", lambda *_: frozenset())
    assert [shapes(path) for path in paths] == with_it
    assert any(with_it)
