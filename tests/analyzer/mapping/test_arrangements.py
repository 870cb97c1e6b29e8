"""Which loops of a nest may be threads together: known nests beside ones that only look like them, and random ones
that are run."""

import random
from collections.abc import Iterable, Iterator

import pytest

from analyzer.facts.loop import Parallelism
from analyzer.ir.nodes import Function, Loop
from analyzer.mapping.arrangements import Arrangement, Search
from analyzer.settings.options import AnalysisOptions

from ..c_text import answers, functions, loops
from .machine import Machine

HEAD = "void f(int n, int m, int l, double x[40][40], double y[40][40], double z[40][40], double v[40], double w[40]) "


def search(body: str) -> Search:
    """Of the first loop of a function with this body."""
    function = functions(HEAD + "{ int i, j, k; double t; " + body + " }")["f"]
    return Search(function, loops(function)[0][0], answers(function), AnalysisOptions())


def threads(found: Iterable[Arrangement]) -> list[str]:
    return [" ".join(loop.variable or "?" for loop in each.threads) for each in found]


def whole(body: str, *, turned: bool = False) -> list[str]:
    return threads(search(body).whole(lambda: turned))


PRODUCT = "for (k = 0; k < l; k++) for (j = 0; j < m; j++) x[i][j] += y[i][k] * z[k][j];"


def test_a_loop_moves_out_of_one_that_carries_all_dependences() -> None:
    assert whole(f"for (i = 0; i < n; i++) {{ {PRODUCT} }}") == ["i", "i j"]


def test_a_loop_beside_it_with_the_same_iterations_is_fused() -> None:
    start = "for (j = 0; j < m; j++) x[i][j] *= 3;"
    found = tuple(search(f"for (i = 0; i < n; i++) {{ {start} {PRODUCT} }}").whole(lambda: False))
    assert threads(found) == ["i", "i j"]
    assert [move.taken for move in found[1].moves] == [2]


@pytest.mark.parametrize(
    ("inner", "why"),
    [
        ("for (k = 0; k < l; k++) for (j = 1; j < m; j++) x[i][j] += x[i][j - 1];", "distance (0, +, 1)"),
        ("for (k = 1; k < l; k++) for (j = 1; j < m; j++) x[i][j] = 2 * x[i][m - j];", "met in another k"),
        ("for (k = 0; k < l; k++) for (j = 0; j < k; j++) x[i][j] += y[i][k];", "the bound of j changes with k"),
        ("for (k = 0; k < l; k++) { y[i][k] = 2; for (j = 0; j < m; j++) x[i][j] += w[k]; }", "every j would store it"),
        ("for (k = 0; k < l; k++) { for (j = 0; j < m; j++) { if (y[i][j] > 0) break; x[i][j] += 1; } }", "an exit"),
    ],
)
def test_a_loop_stays_where_it_is(inner: str, why: str) -> None:
    assert whole(f"for (i = 0; i < n; i++) {{ {inner} }}") in (["i"], []), why


def test_loops_that_run_equally_often_but_on_other_elements_are_not_fused() -> None:
    shifted = (
        "for (j = 1; j < m; j++) x[i][j] *= 3; for (k = 0; k < l; k++) for (j = 0; j < m - 1; j++) x[i][j] += z[k][j];"
    )
    assert whole(f"for (i = 0; i < n; i++) {{ {shifted} }}") == ["i"]


def test_a_scalar_in_between_is_computed_by_every_thread() -> None:
    inner = "for (k = 0; k < l; k++) { t = 2 * y[i][k]; for (j = 0; j < m; j++) x[i][j] += t * z[k][j]; }"
    found = tuple(search(f"for (i = 0; i < n; i++) {{ {inner} }}").whole(lambda: False))
    assert threads(found) == ["i", "i j"]
    assert len(found[1].moves[0].repeated) == 2  # t and k


def test_a_sum_in_between_is_not_repeated() -> None:
    inner = "for (k = 0; k < l; k++) { t += y[i][k]; for (j = 0; j < m; j++) x[i][j] += z[k][j]; }"
    assert whole(f"t = 0; for (i = 0; i < n; i++) {inner} w[0] = t;") == ["i"]


def test_a_triangle_moves_as_far_as_its_bound_allows() -> None:
    inner = "for (k = 0; k < l; k++) for (j = 0; j <= i; j++) x[i][j] += y[i][k] * z[j][k];"
    assert whole(f"for (i = 0; i < n; i++) {{ {inner} }}", turned=True) == ["i", "i j", "k"]


def test_another_loop_becomes_the_outermost() -> None:
    updates = "for (i = 0; i < n; i++) for (j = 0; j < m; j++) v[j] += x[i][j] * w[i];"
    assert whole(updates, turned=True) == ["i", "j"]
    assert whole(updates, turned=False) == ["i"]


def test_loops_of_equal_trip_counts_are_told_apart() -> None:
    assert whole("for (i = 0; i < n; i++) for (j = 0; j < n; j++) x[j][i] = y[j][i];", turned=True) == ["i j", "j i"]


def test_a_nest_is_divided_between_its_loops() -> None:
    body = (
        "v[i] = 0; for (j = 0; j < m; j++) v[i] += x[i][j] * w[j]; for (j = 0; j < m; j++) y[0][j] += x[i][j] * v[i];"
    )
    parts = search(f"for (i = 0; i < n; i++) {{ {body} }}").parts(lambda: True)
    assert [threads(part) for part in parts] == [["i"], ["i", "j"]]


@pytest.mark.parametrize(
    "body",
    [
        "t = x[i][0]; for (j = 0; j < m; j++) y[i][j] = t; for (j = 0; j < m; j++) z[i][j] = t;",
        "double u[40]; for (j = 0; j < m; j++) u[j] = x[i][j]; for (j = 0; j < m; j++) y[i][j] = u[m - 1 - j];",
        "for (j = 0; j < m; j++) y[i][j] = 1;",
    ],
    ids=["a scalar of each iteration", "an array of each iteration", "one loop"],
)
def test_a_nest_stays_whole(body: str) -> None:
    assert search(f"for (i = 0; i < n; i++) {{ {body} }}").parts(lambda: True) == ()


def test_no_more_conditions_than_the_loop_has() -> None:
    function = functions(HEAD + "{ for (int i = 0; i < n; i++) { int k, j; " + PRODUCT + " } }")["f"]
    loop, found = loops(function)[0][0], answers(function)
    assert isinstance(found[loop.key], Parallelism)
    assert threads(Search(function, loop, found, AnalysisOptions(assume="none")).whole(lambda: False)) == ["i"]


# --- random nests, run

SIZES = {"n": 5, "m": 4, "l": 3}


def nests(r: random.Random) -> Iterator[str]:
    """Nests of up to three loops over small arrays, which conflict in all kinds of ways."""
    while True:
        yield _loop(r, "i", [_inside(r) for _ in range(r.choice((1, 1, 2)))])


def _loop(r: random.Random, name: str, body: list[str], bound: str = "") -> str:
    limit = bound or {"i": "n", "j": "m", "k": "l"}[name]
    return f"for ({name} = {r.choice((0, 0, 1))}; {name} < {limit}; {name}++) {{ {' '.join(body)} }}"


def _inside(r: random.Random) -> str:
    a, b = r.choice((("k", "j"), ("j", "k")))
    match r.randrange(4):
        case 0:
            return _loop(r, a, [_statement(r, a)])
        case 1:
            return _loop(r, a, [f"t = 2 * v[{a}];", _loop(r, b, [_statement(r, a + b)])])
        case 2:
            return _loop(r, a, [_loop(r, b, [_statement(r, a + b)], r.choice(("", "", "i + 1")))])
        case _:
            return _loop(r, a, [_loop(r, b, [_statement(r, a + b), _statement(r, a + b)])])


def _statement(r: random.Random, inner: str) -> str:
    def index() -> str:
        name = r.choice(("i", *inner, *inner))
        return name + r.choice(("", "", "", " + 1", " + 2"))

    def element() -> str:
        name = r.choice("xxyzv")
        return f"v[{index()}]" if name == "v" else f"{name}[{r.choice(('i', 'i', index()))}][{index()}]"

    target = element()
    operation = r.choice(("=", "+=", "="))
    return f"{target} {operation} {r.choice(('3 *', '5 *', ''))} {element()} {r.choice('+-*')} {element()};"


@pytest.mark.parametrize("seed", range(3))
def test_threads_in_any_order_leave_what_the_program_leaves(seed: int) -> None:
    assert checked(seed, 40) > 5


def checked(seed: int, count: int) -> int:
    """How many of this many random nests could be rearranged; each way is run."""
    r, moved = random.Random(seed), 0
    stream = nests(r)
    for _ in range(count):
        body = next(stream)
        one = search(body)
        answer = one.answers[one.loop.key]
        if not answer.is_parallel or any(s.role != "private" for s in answer.separated if s.role != "counter"):
            continue
        wanted = Machine(SIZES).run(one.loop)
        for found in one.whole(lambda: True):
            moved += bool(found.moves)
            assert Machine(SIZES).run_threads(found.root, found.threads, r) == wanted, (body, threads((found,)))
        parts = tuple(tuple(part) for part in one.parts(lambda: True))
        for at in range(3 if parts else 0):
            machine = Machine(SIZES)
            for part in parts:
                chosen = part[at % len(part)]
                machine.run_threads(chosen.root, chosen.threads, r)
            assert machine.memory == wanted, (body, at)
    return moved


def test_the_machine_tells_an_illegal_mapping() -> None:
    function: Function = functions(HEAD + "{ for (int i = 0; i < n; i++) v[i + 1] = 2 * v[i] + 1; }")["f"]
    loop: Loop = loops(function)[0][0]
    wanted = Machine(SIZES).run(loop)
    assert Machine(SIZES).run_threads(loop, (loop,), random.Random(1)) != wanted
