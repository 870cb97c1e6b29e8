"""Lowering one function takes a bounded number of steps, whatever the code; what is left out then is said."""

import pytest

from analyzer.ir import nodes as ir
from analyzer.loops import effort, lower
from analyzer.loops.context import Context
from analyzer.loops.inlining import TINY

from .picture import lowered

HELPERS = """
static void add(int *p, int k) { for (int i = 0; i < k; i++) p[i] += k; }
static int *step(int *p, int k) { return p + k%s; }
""" % (" + (k & 7) - (k & 7)" * (TINY // 8))
"""Larger than what is always followed."""


def nest(depth: int) -> str:
    """Every level swaps two pointers of its own, so that it is gone through twice, and all levels in it again."""
    c = "void f(int n, int *a0, int *b0) {\n"
    for k in range(depth):
        own = f"int *a{k + 1} = a{k}, *b{k + 1} = b{k}; int *c{k} = a{k}; a{k} = b{k}; b{k} = c{k};"
        c += f"for (int i{k} = 0; i{k} < n; i{k}++) {{ a{k}[i{k}] = b{k}[i{k}]; {own}\n"
    return c + "}" * (depth + 1)


def switches(count: int, cases: int = 3) -> str:
    """What follows each `switch` is the other way in all of its cases."""
    c = "int f(int n, int *x, int *a) { int y = 0;\n"
    for k in range(count):
        others = " ".join(f"case {j}: y += {j}; break;" for j in range(1, cases))
        c += f"switch (x[{k}]) {{ case 0: return {k}; {others} }}\n"
    return c + "for (int i = 0; i < n; i++) a[i] = y; return y; }"


def falling(cases: int, depth: int) -> str:
    body = "y++;"
    for _ in range(depth):
        body = "switch (x[y]) {" + " ".join(f"case {j}: {body}" for j in range(cases)) + "}"
    return f"void f(int n, int *x) {{ int y = 0; for (int i = 0; i < n; i++) {{ {body} }} }}"


def callers(count: int) -> str:
    return (
        HELPERS
        + "void f(int n, int *a) {\n"
        + "\n".join(f"for (int i = 0; i < n; i++) {{ int *p = step(a, i); add(p, {k}); }}" for k in range(count))
        + "\nfor (int i = 0; i < n; i++) a[i] = 0;\n}"
    )


def spent(c: str, monkeypatch: pytest.MonkeyPatch) -> tuple[effort.Effort, ir.Function]:
    """The steps that function f takes, and what comes out."""
    made: list[Context] = []

    def new(*args: object, **named: object) -> Context:
        made.append(Context(*args, **named))  # type: ignore[arg-type]
        return made[-1]

    with monkeypatch.context() as patched:
        patched.setattr(lower, "Context", new)
        function = lowered(c)
    return made[0].effort, function


def refusals(function: ir.Function) -> list[ir.Refused]:
    return [s for s in ir.statements(function.body) if isinstance(s, ir.Refused)]


def unseen(function: ir.Function) -> list[ir.Call]:
    calls = (e for s in ir.statements(function.body) for x in ir.expressions(s) for e in ir.walk(x))
    return [e for e in calls if isinstance(e, ir.Call) and e.unseen]


@pytest.mark.parametrize("depth", [3, 20, 40, 60])
def test_loops_that_are_gone_through_again_and_again(depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    used, function = spent(nest(depth), monkeypatch)
    assert used.steps < 2 * (used.once + effort.MOST_STEPS) + 2 * used.once
    assert len(list(ir.loops(function.body))) == depth
    targets = [s.target for s in ir.statements(function.body) if isinstance(s, ir.Assign)]
    stores = [t.object for t in targets if isinstance(t, ir.Access)]
    assert bool(refusals(function)) == used.is_overspent == (depth == 60)
    assert refusals(function) or all(isinstance(o, ir.Anything) for o in stores)


def test_a_loop_that_is_given_up_is_refused_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    _, function = spent(nest(60), monkeypatch)
    refused = [s for loop in ir.loops(function.body) for s in loop.body if isinstance(s, ir.Refused)]
    assert refused
    assert {r.code for r in refused} == {"too-complex"}
    assert not function.complete


@pytest.mark.parametrize("count", [2, 6, 40])
def test_what_follows_a_switch_with_a_return(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few copies are made; where they would be many, the `return` stays a way out."""
    used, function = spent(switches(count), monkeypatch)
    assert used.steps <= used.once < effort.MOST_COPIED + 400 * count
    exits = [s for s in ir.statements(function.body) if isinstance(s, ir.Exit) and s.kind == "return"]
    assert bool(exits) == (count > 2)


def test_cases_that_fall_through_in_each_other() -> None:
    few, many = lowered(falling(4, 2)), lowered(falling(12, 3))
    assert few.complete
    assert len(list(ir.loops(few.body))) == 1
    assert [r.code for r in refusals(many)] == ["too-complex"]
    assert "written as branches" in refusals(many)[0].message


def test_calls_are_followed_up_to_a_number_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    _, whole = spent(callers(8), monkeypatch)
    assert not unseen(whole)
    monkeypatch.setattr(effort, "MOST_STEPS", -80)
    used, function = spent(callers(8), monkeypatch)
    assert used.is_spent
    loops = list(ir.loops(function.body))
    first, last = loops[0], loops[-1]
    assert not any(e in unseen(function) for s in first.body for x in ir.expressions(s) for e in ir.walk(x))
    kept = unseen(function)
    assert {c.name for c in kept} == {"step"}  # of `add` there is a summary
    assert all(
        c.unseen.endswith("is not looked into: what `f` calls is too much to be followed to its end") for c in kept
    )
    assert last.trip == loops[0].trip
    assert last.exact_trip


def test_loops_lose_what_they_could_lose_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is gone through again: a pointer that the loop sets, and what a call could change, is not followed."""
    monkeypatch.setattr(effort, "MOST_STEPS", -10_000)
    _, function = spent(
        """int size; void report(int);
        void f(int n, int *a, int *b) {
            for (int i = 0; i < n; i++) { b[i] = size; int *c = a; a = b; b = c; }
            for (int i = 0; i < n; i++) { a[i] = size; report(i); }
        }""",
        monkeypatch,
    )
    first, second = ir.loops(function.body)
    stores = [s.target for loop in (first, second) for s in loop.body if isinstance(s, ir.Assign)]
    assert [type(t.object) for t in stores if isinstance(t, ir.Access)] == [ir.Anything, ir.Anything]
    assert first.exact_trip
    assert second.exact_trip
    assert not refusals(function)
