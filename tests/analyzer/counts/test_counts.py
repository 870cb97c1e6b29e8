"""Counts against enumeration: known nests at small sizes, then random ones. What is called exact must be
equal."""

from collections.abc import Iterator

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from analyzer import counts
from analyzer.counts.nest import build
from analyzer.facts.loop import Count
from analyzer.ir.nodes import All, Any, Branch, Compare, Loop, Ratio, Statement
from analyzer.ir.polynomials import Poly, Symbol, number, symbol
from models.expr import evaluate, free_symbols

from .enumeration import (
    INT,
    Literal,
    M,
    N,
    access,
    counter,
    function,
    loop,
    m,
    n,
    nests,
    place,
    pointer,
    run,
    section,
    store,
    trip,
    when,
)

A, B, C, D = (pointer(name, 2000 + i) for i, name in enumerate("ABCD"))
i, j, k = (symbol(counter(key)) for key in range(3))

NESTS: dict[str, Loop] = {
    "stream": loop(0, n, store(access(B, i), access(A, i))),
    "interior": loop(0, n - 2, store(access(B, i + 1), access(A, i), access(A, i + 2))),
    "reversed": loop(0, n, store(access(B, n - 1 - i), access(A, i))),
    "strided": loop(0, (Ratio(n, 3),), store(access(A, i * 3))),
    "two of three": loop(0, n, store(access(B, i * 3), access(A, i * 3 + 1), access(A, i * 3 + 2))),
    "in place": loop(0, n, store(access(A, i), access(A, i), access(B, i))),
    "recurrence": loop(0, n - 1, store(access(A, i + 1), access(A, i))),
    "rectangle": loop(0, n, loop(1, m, store(access(B, i, j), access(A, j, i)))),
    "five points": loop(
        0,
        n - 2,
        loop(
            1,
            m - 2,
            store(
                access(B, i + 1, j + 1),
                *(access(A, i + a, j + b) for a, b in ((1, 1), (0, 1), (2, 1), (1, 0), (1, 2))),
            ),
        ),
    ),
    "nine points": loop(
        0,
        n - 2,
        loop(
            1, m - 2, store(access(B, i, j), *(access(A, i + a, j + b) for a in range(3) for b in range(3)))
        ),
    ),
    "gap": loop(0, n, store(access(B, i), access(A, i), access(A, i + 3))),
    "window": loop(0, n, loop(1, 3, store(access(B, i), access(A, i + j)))),
    "wide window": loop(0, n, loop(1, m, store(access(B, i), access(A, i + j)))),
    "matrix vector": loop(
        0,
        n,
        store(access(C, i)),
        loop(1, m, store(access(C, i), access(C, i), access(A, i, j), access(B, j))),
    ),
    "matrix matrix": loop(
        0,
        n,
        loop(
            1, m, store(access(C, i, j)), loop(2, n, store(access(C, i, j), access(A, i, k), access(B, k, j)))
        ),
    ),
    "triangle": loop(0, n, loop(1, i + 1, store(access(A, i, j)))),
    "strict triangle": loop(0, n, loop(1, n - 1 - i, store(access(A, i, i + j + 1), access(B, j)))),
    "linearised": loop(0, n, loop(1, m, store(access(B, i * m + j), access(A, j * n + i)))),
    "padded": loop(0, n, loop(1, 4, store(access(B, i * 7 + j), access(A, i * 4 + j)))),
    "diagonal": loop(0, n, loop(1, m, when(i - j, (store(access(A, i, j)),), relation="=="))),
    "off diagonal": loop(0, n, loop(1, m, when(i - j, (store(access(A, i, j)),), relation="!="))),
    "guarded": loop(0, n, when(i - 3, (store(access(A, i)),), (store(access(B, i)),))),
    "both branches": loop(0, n, when(i - 3, (store(access(A, i)),), (store(access(A, i), access(B, i)),))),
    "border": loop(
        0,
        n,
        loop(
            1,
            3,
            Branch(
                Literal(1, INT),
                All((Compare(i + j - 1, ">="), Compare(n - i - j, ">="))),
                (store(access(B, i), access(A, i + j - 1)),),
                (),
                place(),
                "if",
            ),
        ),
    ),
    "either": loop(
        0,
        n,
        Branch(
            Literal(1, INT),
            Any((Compare(i - 4, ">="), Compare(-i + 1, ">="))),
            (store(access(B, i)),),
            (),
            place(),
            "if",
        ),
    ),
    "imperfect": loop(
        0, n, store(access(B, i)), loop(1, m, store(access(A, i, j), access(B, i))), store(access(C, i))
    ),
    "tiles": loop(
        0,
        (Ratio(n, 4),),
        loop(1, (Ratio(number(4)), Ratio(n - i * 4)), store(access(A, i * 4 + j), access(B, j))),
    ),
    "broadcast": loop(0, n, store(access(B, i), access(A, 5))),
    "one element": loop(0, n, store(access(B, 2), access(A, i))),
    "row by row temporary": loop(
        0,
        n,
        loop(1, m, store(access(D, j), access(A, i, j))),
        loop(2, m, store(access(B, i, k), access(D, k))),
    ),
    "do while": loop(0, n, store(access(A, i)), at_least=1),
}

SIZES = [{N: a, M: b} for a in (0, 1, 2, 3, 5, 6) for b in (0, 1, 2, 3, 5)]


def by_name(values: dict[Symbol, int], around: tuple[Loop, ...]) -> dict[str, int]:
    return {s.name: v for s, v in values.items()} | {o.variable or "": values[o.counter] for o in around}


def check(
    nest: Loop, sizes: list[dict[Symbol, int]], around: tuple[Loop, ...] = (), root: Loop | None = None
) -> None:
    """Every count of the nest at these sizes; inner loops at every iteration of the outer ones."""
    f = function(root or nest)
    found = counts.count(build(f, nest, around), {})
    arrays = counts.arrays(build(f, nest, around), {})
    for here in (c for values in sizes for c in contexts(around, values)):
        truth = run(nest, here)
        names = by_name(here, around)
        agree(found.trip_count, trip(nest, here), names, "trip")
        agree(found.iterations, truth.iterations, names, "iterations")
        agree(found.loads, truth.loads, names, "loads")
        agree(found.stores, truth.stores, names, "stores")
        agree(found.flops_fp64, truth.flops, names, "flops")
        agree(found.bytes_loaded, 8 * truth.loads, names, "bytes loaded")
        for a in arrays:
            object_ = next(o for o in (A, B, C, D) if str(o) == a.name)
            read, written = truth.read[object_], truth.written[object_]
            agree(a.read_footprint, len(read), names, f"{a.name} read", upper=True)
            agree(a.write_footprint, len(written), names, f"{a.name} written", upper=True)
            agree(a.footprint, len(read | written), names, f"{a.name} footprint", upper=True)
            agree(a.transfer_out, section(written), names, f"{a.name} out", upper=True)
            needed = truth.exposed[object_]
            if len(written) != section(written) or a.transfer_in.expr is None:
                agree(a.transfer_in, section(needed | written), names, f"{a.name} in", upper=True)
            else:
                allowed = {section(needed), section(needed | written)}
                value = value_of(a.transfer_in, names)
                assert value in allowed if a.transfer_in.exact else value >= section(needed), (
                    f"{a.name} in {names}"
                )


def value_of(found: Count | None, names: dict[str, int]) -> int:
    assert found is not None
    assert found.expr is not None
    return evaluate(found.expr, names)  # type: ignore[no-any-return]


def agree(found: Count | None, truth: int, names: dict[str, int], what: str, upper: bool = False) -> None:
    """Exact: equal. A bound: low <= truth <= high, and the value not below the truth where it is an `upper`
    bound."""
    assert found is not None, what
    if found.expr is None:
        assert not found.exact, what
        return
    weighted = not found.exact and free_symbols(found.expr) - names.keys()
    value = None if weighted else value_of(found, names)  # with a weight only the bounds say something
    if found.exact:
        assert value == truth, f"{what}: {found.expr} is {value}, truly {truth} at {names}"
        return
    if upper and value is not None:
        assert value >= truth, f"{what}: bound {found.expr} is {value}, truly {truth} at {names}"
    if found.low is not None:
        assert evaluate(found.low, names) <= truth, f"{what}: low"
    if found.high is not None:
        assert evaluate(found.high, names) >= truth, f"{what}: high"


def contexts(around: tuple[Loop, ...], values: dict[Symbol, int]) -> Iterator[dict[Symbol, int]]:
    if not around:
        yield values
        return
    for step in range(trip(around[0], values)):
        yield from contexts(around[1:], values | {around[0].counter: step})


@pytest.mark.parametrize("name", NESTS)
def test_known_nests(name: str) -> None:
    for nest, around in nests(NESTS[name]):
        check(nest, SIZES, around, NESTS[name])


@pytest.mark.parametrize("name", sorted(NESTS.keys() - {"recurrence"}))
def test_known_nests_are_exact(name: str) -> None:
    """None of these shapes may fall back to a bound on what is executed."""
    found = counts.count(build(function(NESTS[name]), NESTS[name], ()), {})
    for what in ("trip_count", "iterations", "loads", "stores"):
        count = getattr(found, what)
        assert count is not None, what
        assert count.exact, what


BOUNDS = {
    "recurrence": {"transfer_in"},
    "strict triangle": set(),
    "tiles": {"transfer_in", "transfer_out"},
    "row by row temporary": set(),
    "window": set(),
    "border": set(),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_which_footprints_are_exact(name: str) -> None:
    found = counts.count(build(function(NESTS[name]), NESTS[name], ()), {})
    names = ("read_footprint", "write_footprint", "footprint", "transfer_in", "transfer_out")
    assert {x for x in names if not getattr(found, x).exact} == BOUNDS[name]


def test_executions_sum_over_dependent_loops() -> None:
    inner = loop(2, 3, store(access(A, k)))
    middle = loop(1, i + 1, inner)
    outer = loop(0, n, middle)
    found = counts.count(build(function(outer), inner, (outer, middle)), {})
    for size in range(5):
        assert value_of(found.executions, {"n": size}) == size * (size + 1) // 2
    assert value_of(counts.count(build(function(outer), outer, ()), {}).executions, {}) == 1


def test_inner_formulas_use_the_c_variable_of_the_outer_loop() -> None:
    inner = loop(1, i * 2 + 1, store(access(A, j)))
    outer = loop(0, n, inner, variable="row", first=number(5), step=number(-2))
    found = counts.count(build(function(outer), inner, (outer,)), {})
    # row = 5 - 2 * counter, so the counter is (5 - row) / 2
    assert [value_of(found.trip_count, {"row": row}) for row in (5, 3, 1)] == [1, 3, 5]


# --- random nests


@st.composite
def affine(draw: st.DrawFn, depth: int, sizes: bool = True) -> Poly:
    poly = number(draw(st.integers(-2, 3)))
    if sizes:
        poly += draw(st.sampled_from([number(0), n, m, n]))
    for outer in range(depth):
        poly += symbol(counter(outer)) * draw(st.sampled_from([0, 0, 1, -1, 2]))
    return poly


@st.composite
def accesses(draw: st.DrawFn, depth: int) -> object:
    object_ = draw(st.sampled_from([A, B]))
    rank = 1 if object_ is A else 2
    return access(object_, *(draw(affine(depth, sizes=False)) for _ in range(rank)))


@st.composite
def blocks(draw: st.DrawFn, depth: int) -> tuple[Statement, ...]:
    statements: list[Statement] = []
    for _ in range(draw(st.integers(1, 2))):
        reads = [draw(accesses(depth)) for _ in range(draw(st.integers(0, 2)))]
        made: Statement = store(draw(accesses(depth)), *reads)  # type: ignore[arg-type]
        if draw(st.integers(0, 3)) == 0:
            made = when(draw(affine(depth)), (made,), relation=draw(st.sampled_from([">=", "==", "!="])))
        statements.append(made)
    if depth < 3 and draw(st.booleans()):
        statements.insert(draw(st.integers(0, len(statements))), draw(random_loops(depth)))
    return tuple(statements)


@st.composite
def random_loops(draw: st.DrawFn, depth: int = 0) -> Loop:
    ratio = Ratio(draw(affine(depth)), draw(st.sampled_from([1, 1, 1, 2])))
    body = draw(blocks(depth + 1))
    # loops of one depth share a counter in this generator, so at most one of them stands in a body
    return loop(depth, (ratio,), *body)


@settings(derandomize=True, max_examples=60, deadline=None, phases=[Phase.generate])
@given(random_loops())
def test_random_nests(nest: Loop) -> None:
    check(nest, [{N: a, M: b} for a, b in ((0, 0), (0, 2), (1, 1), (2, 3), (4, 2), (3, 0))])
