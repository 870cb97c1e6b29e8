"""Which other forms of nests are legal: known ones beside ones that only look like them, and random ones that are
run."""

import random
from collections.abc import Callable, Iterator

import pytest

from analyzer.counts.nest import build
from analyzer.ir.nodes import Function, Loop
from analyzer.ir.nodes import loops as nested
from analyzer.settings.options import AnalysisOptions
from analyzer.transformations import exchange
from analyzer.transformations.distribution import Distributed, distributed
from analyzer.transformations.exchange import Exchanged, exchanged
from analyzer.transformations.fusion import Fused, bodies, fused, runs

from ..c_text import answers, functions
from ..mapping.machine import Machine, Memory

HEAD = (
    "void f(int n, int m, int l, double x[restrict 40][40], double y[restrict 40][40], double z[restrict 40][40],"
    " double v[restrict 40], double w[restrict 40]) "
)
SIZES = {"n": 5, "m": 4, "l": 3}
OPTIONS = AnalysisOptions()


def function(body: str) -> Function:
    return functions(HEAD + "{ int i, j, k; double t; " + body + " }")["f"]


def roots(f: Function) -> list[Loop]:
    return [s for s in f.body if isinstance(s, Loop)]


def exchanges(body: str) -> list[Exchanged]:
    f = function(body)
    return list(exchanged(build(f, roots(f)[0], ()), answers(f)))


def orders(body: str) -> list[str]:
    """The loops of each exchange, from outside in."""
    return [" ".join(each.variable or "?" for each in nested(made.roots)) for made in exchanges(body)]


PRODUCT = "for (k = 0; k < l; k++) x[i][j] += y[i][k] * z[k][j];"


@pytest.mark.parametrize(
    ("body", "order"),
    [
        ("for (j = 0; j < m; j++) for (i = 0; i < n; i++) x[i][j] = 1;", "i j"),
        (f"for (i = 0; i < n; i++) for (j = 0; j < m; j++) {PRODUCT}", "i k j"),
        (f"for (i = 0; i < n; i++) for (j = 0; j < m; j++) {{ x[i][j] = 0; {PRODUCT} }}", "i j k j"),
        (
            "for (i = 0; i < n; i++) for (j = 0; j < m; j++)"
            "{ double s = 0; for (k = 0; k < l; k++) s += y[i][k] * z[k][j]; x[i][j] = s; }",
            "i j k j j",
        ),
        (f"for (j = 0; j < m; j++) for (i = 0; i < n; i++) {PRODUCT}", "i k j"),
        ("for (j = 0; j < m; j++) for (i = 1; i < n; i++) x[i][j] = x[i - 1][j] * 2;", "i j"),
    ],
)
def test_the_loop_along_which_memory_lies_becomes_the_innermost(body: str, order: str) -> None:
    assert orders(body)[:1] == [order]


@pytest.mark.parametrize(
    "body",
    [
        "for (i = 0; i < n; i++) for (j = 0; j < m; j++) x[i][j] = 1;",
        "for (j = 1; j < m; j++) for (i = 0; i < n - 1; i++) x[i][j] = x[i + 1][j - 1];",
        "for (j = 0; j < m; j++) for (i = 0; i < j; i++) x[i][j] = 1;",
        "for (j = 0; j < m; j++) { for (i = 0; i < n; i++) x[i][j] = 1; for (i = 0; i < n; i++) y[i][j] = 1; }",
        "for (j = 0; j < m; j++) for (i = 0; i < n; i++) { if (y[i][j] > 0) break; x[i][j] = 1; }",
        "for (j = 0; j < m; j++) { int s = 0; for (i = 0; i < n; i++) { s += 2; x[i][j] = s; } w[s] = 1; }",
        "for (j = 0; j < m; j++) for (i = 0; i < n; i++) x[i][j] = 1; v[0] = j;",
        "for (j = 0; j < m; j++) for (i = 0; i < 8; i++) x[i][j] = 1;",
        "for (j = 0; j < m; j++) if (v[j] > 0) for (i = 1; i < n; i++) x[i][j] = x[i - 1][j] + y[i][j];",
        "for (j = 0; j < m; j++) { w[j] = 0; if (v[j] > 0) { for (i = 0; i < n; i++) x[i][j] = 1; } else w[j] = 1; }",
    ],
    ids=[
        "in order", "carried", "a triangle", "two loops", "an exit", "an integer", "a counter is read", "unrolled",
        "under a condition", "in one of two branches",
    ],
)  # fmt: skip
def test_other_loops_stay(body: str) -> None:
    assert orders(body) == []


def _fused(f: Function) -> Iterator[Fused]:
    known = answers(f)
    every = (f.body, *(body for root in roots(f) for body in bodies(root)))
    return (made for body in every for run in runs(body, known) for made in fused(f, run, known, OPTIONS))


FIRST = "for (i = 0; i < n; i++) v[i] = w[i] + 1;"


@pytest.mark.parametrize(
    ("body", "count"),
    [
        (f"{FIRST} for (i = 0; i < n; i++) w[i] = v[i] * 2;", 2),
        (f"{FIRST} for (i = 0; i < n; i++) w[i] = v[i] * 2; for (j = 0; j < n; j++) x[0][j] = v[j];", 3),
        (f"{FIRST} for (i = 0; i < n; i++) {{ double s = v[i]; w[i] = s * 2; }}", 2),
        (f"{FIRST} for (i = 0; i < n - 1; i++) w[i] = v[i + 1];", 0),
        ("for (i = 1; i < n; i++) v[i] = w[i]; for (i = 1; i < n; i++) x[0][i] = v[i - 1];", 0),
        ("for (i = 1; i < n; i++) v[i] = w[i]; for (i = 1; i < n; i++) w[i + 1] = v[i];", 0),
        ("for (i = 0; i < n; i++) { t = v[i]; w[i] = t; } for (i = 0; i < n; i++) x[0][i] = w[i] + t;", 0),
        (f"{FIRST} for (i = 0; i < n; i++) x[0][i] = y[0][i];", 0),
        (f"{FIRST} v[0] = 2; for (i = 0; i < n; i++) w[i] = v[i] * 2;", 0),
        (f"{FIRST} for (j = 0; j < n; j++) x[0][j] = v[j] + i;", 0),
        (f"{FIRST} for (i = 1; i < n + 1; i++) w[i] = v[i];", 0),
    ],
)
def test_loops_become_one(body: str, count: int) -> None:
    assert [len(made.loops) for made in _fused(function(body))] == ([count] if count else [])


def division(body: str) -> list[str]:
    """Of each part, whether it is parallel."""
    f = function(body)
    made = distributed(build(f, roots(f)[0], ()), answers(f), OPTIONS)
    if made is None:
        return []
    return [made.answers[part.key].verdict.value for part in made.parts]


@pytest.mark.parametrize(
    ("body", "verdicts"),
    [
        ("x[0][i] = 2 * y[0][i];\n v[i] = v[i - 1] + x[0][i];", ["yes", "no"]),
        ("v[i] = v[i - 1] + w[i];\n x[0][i] = v[i] * 2;", ["no", "yes"]),
        ("double s = y[0][i] * 3;\n v[i] = v[i - 1] + s;\n x[0][i] = s;", ["yes", "no", "yes"]),
        ("x[0][i] = v[i - 1];\n v[i] = v[i - 1] + x[0][i];", []),
        ("t = y[0][i];\n v[i] = v[i - 1] + t;", []),
        ("v[i] = v[i - 1] + w[i];\n w[i - 1] = 3;", ["no", "yes"]),
        ("v[i] = v[i - 1] + w[i];\n w[i + 1] = 3;", []),
        ("x[0][i] = y[0][i]; v[i] = v[i - 1] + x[0][i];", []),
    ],
)
def test_a_loop_is_divided(body: str, verdicts: list[str]) -> None:
    found = division(f"for (i = 1; i < n; i++) {{\n {body}\n }}")
    assert found == verdicts


# --- random nests, run


def test_forms_leave_what_the_program_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "_better", lambda nest, loop, innermost: ("x",))
    r = random.Random(5)
    assert checked(r, 150, _columns, _exchanges) > 60
    assert checked(r, 150, _neighbours, _fusions) > 15
    assert checked(r, 150, _pieces, _divisions) > 25


def checked(
    r: random.Random, count: int, body: Callable[[random.Random], str], forms: Callable[[Function], list[list[Loop]]]
) -> int:
    """How many forms of so many random functions there are; each is run."""
    found = 0
    for _ in range(count):
        text = body(r)
        f = function(text)
        wanted = _left(f, roots(f))
        for form in forms(f):
            found += 1
            assert _left(f, form) == wanted, text
    return found


def _left(f: Function, loops: list[Loop]) -> Memory:
    """The memory after these loops, but for arrays that a form brings along."""
    machine = Machine(SIZES)
    for loop in loops:
        machine.run(loop)
    return {place: value for place, value in machine.memory.items() if not place[0].endswith("_")}


def _exchanges(f: Function) -> list[list[Loop]]:
    return [list(made.roots) for made in exchanged(build(f, roots(f)[0], ()), answers(f))]


def _fusions(f: Function) -> list[list[Loop]]:
    return [[s for s in made.function.body if isinstance(s, Loop)] for made in _fused(f)]


def _divisions(f: Function) -> list[list[Loop]]:
    made: Distributed | None = distributed(build(f, roots(f)[0], ()), answers(f), OPTIONS)
    return [] if made is None else [list(made.parts)]


def _columns(r: random.Random) -> str:
    def at() -> str:
        return r.choice(("[i][j]", "[j][i]", "[k][j]", "[i][k]", "[k][i]", "[i][j + 1]", "[i + 1][j]"))

    update = f"{r.choice('xy')}{at()} {r.choice(('=', '+='))} {r.choice('xz')}{at()} * {r.choice('yz')}{at()};"
    match r.randrange(4):
        case 0:
            inner = f"for (k = 0; k < l; k++) {{ {update} }}"
        case 1:
            inner = f"double s = w[j]; for (k = 0; k < l; k++) s += x{at()} * y{at()}; z[i][j] = s;"
        case 2:
            inner = f"z[i][j] = 0; for (k = 0; k < l; k++) {{ {update} }} y[i][j] += z[i][j];"
        case _:
            inner = f"double s = 1; for (k = 1; k < l; k++) {{ double q = s * x{at()}; s = q + 1; z[k][j] = q; }}"
    first, second = r.choice((("i", "j"), ("j", "i")))
    ends = {"i": "n", "j": "m"}
    rows = f"for ({second} = 0; {second} < {ends[second]}; {second}++) {{ {inner} }}"
    return f"for ({first} = 0; {first} < {ends[first]}; {first}++) {{ {rows} }}"


def _element(r: random.Random) -> str:
    return f"{r.choice('vw')}[i{r.choice(('', '', '', ' - 1', ' + 1'))}]"


def _statement(r: random.Random) -> str:
    value = f"{_element(r)} {r.choice('+-*')} {_element(r)}"
    match r.randrange(5):
        case 0:
            return f"x[{r.choice(('0', 'i'))}][i] = {value};"
        case 1:
            return f"{_element(r)} = x[0][i] * {_element(r)};"
        case _:
            return f"{_element(r)} = {value};"


def _neighbours(r: random.Random) -> str:
    return " ".join(f"for (i = 1; i < n; i++) {{ {_statement(r)} }}" for _ in range(r.choice((2, 2, 3))))


def _pieces(r: random.Random) -> str:
    lines = ["double s = w[i] * 2;"] if r.randrange(2) else []
    lines += [_statement(r) for _ in range(r.choice((2, 3, 4)))]
    lines += ["y[0][i] = s;"] if lines[0].startswith("double") else []
    return "for (i = 1; i < n; i++) {\n" + "\n".join(lines) + "\n}"


def test_the_machine_tells_an_illegal_form() -> None:
    f = function("for (i = 1; i < n; i++) { v[i] = w[i - 1]; w[i] = v[i] * 2; }")
    (loop,) = roots(f)
    g = function("for (i = 1; i < n; i++) v[i] = w[i - 1]; for (i = 1; i < n; i++) w[i] = v[i] * 2;")
    assert _left(f, [loop]) != _left(g, roots(g))
