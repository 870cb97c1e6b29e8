"""Emptiness of integer systems against enumeration."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.base.places import Place
from analyzer.ir.nodes import Computed, Quotient, Remainder
from analyzer.ir.polynomials import Poly, Symbol, number, symbol
from analyzer.ir.symbols import program
from analyzer.polyhedra.elimination import eliminate
from analyzer.polyhedra.isl import is_empty
from analyzer.polyhedra.system import (
    Constraint,
    Feasibility,
    System,
    at_least,
    either,
    equal,
    feasible,
    negated,
    proves,
    system,
)

EMPTY, NONEMPTY = Feasibility.EMPTY, Feasibility.NONEMPTY
FREE = Computed("test", Place("t.c", 1))


def named(key: int, low: int | None = None, high: int | None = None) -> Symbol:
    return program(key, f"x{key}", FREE, low, high)


FOUR = [named(k) for k in (1, 2, 3, 4)]
i, j, n, m = (symbol(s) for s in FOUR)
SMALL = [named(k, -4, 4) for k in (1, 2, 3)]
RANGE = range(-4, 5)


@pytest.mark.parametrize(
    ("constraints", "expected"),
    [
        pytest.param((equal(i * 2 - j * 2 - 1),), EMPTY, id="gcd"),
        pytest.param((equal(i * 6 + j * 15 - 9),), NONEMPTY, id="gcd-divides"),
        pytest.param((equal(i * 6 + j * 10 + n * 15 - 1),), NONEMPTY, id="coprime-only-together"),
        pytest.param((at_least(i), at_least(n - i - 1), equal(i - n)), EMPTY, id="beyond-symbolic-end"),
        pytest.param((at_least(i), at_least(n - i - 1), equal(i - n + 1)), NONEMPTY, id="last-iteration"),
        pytest.param((at_least(i * 2 - 1), at_least(-i * 2 + 1)), EMPTY, id="no-integer-between"),
        pytest.param((at_least(i * 3 - j * 2), at_least(j * 2 - i * 3), equal(i * 2 - 1)), EMPTY, id="half"),
        pytest.param((equal(number(1)),), EMPTY, id="false"),
        pytest.param((), NONEMPTY, id="nothing"),
        pytest.param(
            (at_least(i * 27 - j * -11 - 27), at_least(-i * 11 - j * 13 + 45), at_least(i * 7 - j * 9 + 10)),
            NONEMPTY,
            id="omega-paper-like",
        ),
    ],
)
def test_feasible(constraints: tuple[Constraint, ...], expected: Feasibility) -> None:
    assert feasible(system(*constraints)) is expected


def test_the_gap_of_the_omega_paper_needs_isl() -> None:
    # Pugh 1991, section 2.3: real solutions and no integer ones.
    rows = (
        at_least(i * 11 + j * 13 - 27),
        at_least(-i * 11 - j * 13 + 45),
        at_least(i * 7 - j * 9 + 10),
        at_least(-i * 7 + j * 9 + 4),
    )
    assert eliminate(rows) is Feasibility.POSSIBLE
    assert is_empty(rows) is EMPTY
    assert feasible(system(*rows)) is EMPTY


def polys(symbols: list[Symbol]) -> st.SearchStrategy[Poly]:
    coefficients = st.lists(st.integers(-5, 5), min_size=len(symbols), max_size=len(symbols))
    return st.builds(
        lambda cs, c: sum((symbol(s) * k for s, k in zip(symbols, cs, strict=True)), number(c)),
        coefficients,
        st.integers(-12, 12),
    )


def constraints_over(symbols: list[Symbol]) -> st.SearchStrategy[tuple[Constraint, ...]]:
    return st.lists(st.builds(Constraint, polys(symbols), st.booleans()), min_size=1, max_size=4).map(tuple)


def satisfied(constraint: Constraint, values: dict[Symbol, int]) -> bool:
    value = constraint.value.evaluate(values)
    return value == 0 if constraint.equal else value >= 0


@settings(max_examples=400, derandomize=True, deadline=None)
@given(constraints_over(SMALL))
def test_feasible_equals_enumeration(constraints: tuple[Constraint, ...]) -> None:
    exists = any(
        all(satisfied(c, dict(zip(SMALL, point, strict=True))) for c in constraints)
        for point in product(RANGE, repeat=3)
    )
    boxed = tuple(c for s in SMALL for c in (at_least(symbol(s) + 4), at_least(-symbol(s) + 4)))
    assert feasible(system(*constraints, *boxed)) is (NONEMPTY if exists else EMPTY)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(constraints_over(SMALL[:2]), constraints_over(SMALL[:2]), constraints_over(SMALL[:2]))
def test_choices_equal_enumeration(
    a: tuple[Constraint, ...], b: tuple[Constraint, ...], c: tuple[Constraint, ...]
) -> None:
    points = [dict(zip(SMALL, p, strict=False)) for p in product(RANGE, repeat=2)]
    exists = any(
        (all(satisfied(x, p) for x in a) or all(satisfied(x, p) for x in b)) and not satisfied(c[0], p)
        for p in points
    )
    boxed = tuple(c for s in SMALL[:2] for c in (at_least(symbol(s) + 4), at_least(-symbol(s) + 4)))
    wanted = either(a, b) + negated(c[0]) + system(*boxed)
    assert feasible(wanted) is (NONEMPTY if exists else EMPTY)


@settings(max_examples=250, derandomize=True, deadline=None)
@given(polys(SMALL[:1]), st.integers(2, 5), st.booleans(), st.booleans(), st.integers(-3, 3), st.integers(-2, 2))
def test_quotients_and_remainders_are_those_of_c(
    value: Poly, divisor: int, floor: bool, remainder: bool, wanted: int, slope: int
) -> None:
    origin = (Remainder if remainder else Quotient)(value, divisor, floor)
    derived = program(9, "q", origin)
    constraint = equal(symbol(derived) + symbol(SMALL[0]) * slope - wanted)

    def c_value(v: int) -> int:
        quotient = v // divisor if floor else int(v / divisor)
        return v - quotient * divisor if remainder else quotient

    exists = any(c_value(value.evaluate({SMALL[0]: x})) + slope * x == wanted for x in RANGE)
    boxed = (at_least(symbol(SMALL[0]) + 4), at_least(-symbol(SMALL[0]) + 4))
    assert feasible(system(constraint, *boxed)) is (NONEMPTY if exists else EMPTY)


ROW = (at_least(i), at_least(j), at_least(n - 1 - j))


@pytest.mark.parametrize(
    ("context", "claim"),
    [
        pytest.param(system(*ROW), at_least(n - 1), id="trip-bounds-its-symbol"),
        pytest.param(system(*ROW, at_least(i - 1)), at_least(i * n + j - n), id="next-row"),
        pytest.param(system(*ROW, at_least(m - 1 - i)), at_least(m * n - 1 - i * n - j), id="inside-matrix"),
    ],
)
def test_proves(context: System, claim: Constraint) -> None:
    assert proves(context, claim)


@pytest.mark.parametrize(
    ("context", "claim"),
    [
        pytest.param(system(*ROW), at_least(n - 2), id="one-too-strong"),
        pytest.param(system(*ROW[:2]), at_least(i * n + j), id="sign-of-n-unknown"),
        pytest.param(System(exact=False), at_least(n), id="nothing-known"),
    ],
)
def test_does_not_prove(context: System, claim: Constraint) -> None:
    assert not proves(context, claim)


def test_rows_of_a_linearised_matrix_do_not_meet() -> None:
    # a[i*n + j] = a[(i + d)*n + k] with 0 <= j, k < n and d >= 1
    d, k = symbol(named(5)), symbol(named(6))
    rows = (*ROW, at_least(k), at_least(n - 1 - k), at_least(d - 1))
    assert feasible(system(*rows, equal(d * n + k - j))) is EMPTY
    assert feasible(system(*rows, equal(d * n + k - j - n))) is Feasibility.POSSIBLE


def test_planes_of_a_linearised_volume_do_not_meet() -> None:
    # a[(i*m + j)*n + k], carried by the outermost loop
    d, j2, k, k2 = (symbol(named(s)) for s in (5, 6, 7, 8))
    rows = [at_least(d - 1)]
    for x, end in ((j, m), (j2, m), (k, n), (k2, n)):
        rows += [at_least(x), at_least(end - 1 - x)]
    assert feasible(system(*rows, equal(d * m * n + (j2 - j) * n + k2 - k))) is EMPTY
    assert feasible(system(*rows, equal(d * m * n + (j2 - j) * n + k2 - k - n))) is not EMPTY


def test_contradictory_products_are_not_claimed_to_exist() -> None:
    # x*x = -1 has no solution, but nothing here may claim that it has one
    assert feasible(system(equal(i * i + 1))) is Feasibility.POSSIBLE
