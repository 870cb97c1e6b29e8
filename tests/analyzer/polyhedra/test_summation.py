"""Closed forms against enumeration: random nests of affine loops, at sizes from nothing to a few."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.base.places import Place
from analyzer.ir.nodes import Counter, Entry, Quotient, Remainder, Variable
from analyzer.ir.polynomials import Poly, Symbol, number, symbol
from analyzer.ir.symbols import program
from analyzer.polyhedra.powers import Fractional, faulhaber
from analyzer.polyhedra.signs import Region
from analyzer.polyhedra.summation import Atoms, NotClosedError, closed_form, total
from analyzer.source.ctypes import Integer

INT = Integer("int", 4, True)


def size(key: int, name: str) -> Symbol:
    return program(key, name, Entry(Variable(name, key, INT, "parameter", Place("t.c", 1))), None, None)


N, M = size(100, "n"), size(101, "m")
n, m = symbol(N), symbol(M)
K = [program(i, f"k{i}", Counter(i)) for i in range(4)]
k = [symbol(s) for s in K]
ONE = Fractional(number(1))


def evaluated(poly: Poly, values: dict[Symbol, int], atoms: Atoms) -> int:
    """The value of a polynomial whose symbols may be extremes and quotients of others."""
    known = dict(values)
    for s in poly.symbols:
        if s in known:
            continue
        if s in atoms.parts:
            kind, parts = atoms.parts[s]
            inner = [evaluated(p, values, atoms) for p in parts]
            known[s] = max(inner) if kind == "max" else min(inner)
        else:
            assert isinstance(s.origin, Quotient)
            known[s] = evaluated(s.origin.value, values, atoms) // s.origin.divisor
    return poly.evaluate(known)


def closed(region: Region, value: Fractional, values: dict[Symbol, int]) -> Fraction:
    atoms = Atoms()
    result = Fraction(0)
    for piece in total(region, value, atoms):
        if all(evaluated(c, values, atoms) >= 0 for c in piece.conditions):
            result += Fraction(evaluated(piece.value.poly, values, atoms), piece.value.over)
    return result


def enumerated(region: Region, value: Poly, values: dict[Symbol, int], reach: int = 12) -> int:
    result = 0
    for point in product(range(-1, reach), repeat=len(region.counters)):
        here = values | dict(zip(region.counters, point, strict=True))
        for s in {s for p in (*region.constraints, value) for s in p.symbols} - here.keys():
            assert isinstance(s.origin, Quotient | Remainder)
            inner = s.origin.value.evaluate(here)
            here[s] = (
                inner // s.origin.divisor if isinstance(s.origin, Quotient) else inner % s.origin.divisor
            )
        if all(c.evaluate(here) >= 0 for c in region.constraints):
            result += value.evaluate(here)
    return result


SIZES = [{N: a, M: b} for a in (0, 1, 2, 5, 6) for b in (0, 1, 3, 4)]

REGIONS = {
    "box": Region(tuple(K[:2]), (k[0], n - 1 - k[0], k[1], m - 1 - k[1])),
    "interior": Region((K[0],), (k[0], n - 3 - k[0])),
    "triangle": Region(tuple(K[:2]), (k[0], n - 1 - k[0], k[1], n - 2 - k[0] - k[1])),
    "lower triangle": Region(tuple(K[:2]), (k[0], n - 1 - k[0], k[1], k[0] - k[1])),
    "shifted guard": Region(tuple(K[:2]), (k[0], n - 1 - k[0], k[1], k[0] - 4 - k[1])),
    "stride": Region((K[0],), (k[0], n - 1 - k[0] * 3)),
    "stride in a triangle": Region(tuple(K[:2]), (k[0], n - 1 - k[0], k[1], n - 1 - k[0] - k[1] * 2)),
    "tiles": Region(tuple(K[:2]), (k[0], n - 1 - k[0] * 4, k[1], number(3) - k[1], n - 1 - k[0] * 4 - k[1])),
    "two upper bounds": Region((K[0],), (k[0], n - 1 - k[0], m - 1 - k[0])),
    "trapezoid": Region(tuple(K[:2]), (k[0], n - 1 - k[0], k[1], k[0] + m - k[1])),
    "band": Region(tuple(K[:2]), (k[0], n - 1 - k[0], k[1], n - 1 - k[1], k[1] - k[0] + 1, k[0] - k[1] + 1)),
    "diagonal": Region(tuple(K[:2]), (k[0], n - 1 - k[0], k[1], m - 1 - k[1], k[0] - k[1], k[1] - k[0])),
    "pyramid": Region(tuple(K[:3]), (k[0], n - 1 - k[0], k[1], k[0] - k[1], k[2], k[1] - 1 - k[2])),
    "nothing": Region((K[0],), (k[0], number(-1) - k[0])),
}


@pytest.mark.parametrize("name", REGIONS)
def test_known_shapes(name: str) -> None:
    for values in SIZES:
        assert closed(REGIONS[name], ONE, values) == enumerated(REGIONS[name], number(1), values), values


def test_a_triangle_is_one_piece_without_conditions() -> None:
    pieces = total(REGIONS["lower triangle"], ONE, Atoms())
    assert [p.conditions for p in pieces] == [()]
    assert pieces[0].value == Fractional(n * n + n, 2)


def test_a_sum_of_values() -> None:
    for values in SIZES:
        expected = enumerated(REGIONS["pyramid"], k[0] * k[2] + 2, values)
        assert closed(REGIONS["pyramid"], Fractional(k[0] * k[2] + 2), values) == expected


def test_quotients_and_remainders_of_counters() -> None:
    half = program(50, "i / 2", Quotient(k[0], 2, True))
    third = program(51, "i % 3", Remainder(k[0], 3, True), 0, 2)
    up_to_half = Region(tuple(K[:2]), (k[0], n - 1 - k[0], k[1], symbol(half) - k[1]))
    multiples = Region((K[0],), (k[0], n - 1 - k[0], -symbol(third)))
    for region in (up_to_half, multiples):
        for values in SIZES:
            assert closed(region, ONE, values) == enumerated(region, number(1), values), values


@pytest.mark.parametrize(
    "region",
    [
        Region((K[0],), (k[0], n - 1 - k[0] * m)),
        Region((K[0],), (k[0],)),
        Region(tuple(K[:2]), (k[0], n - 1 - k[0], k[1], n - k[0] - k[1] * 17)),
    ],
    ids=["symbolic stride", "no upper bound", "long stride"],
)
def test_refuses(region: Region) -> None:
    with pytest.raises(NotClosedError):
        closed_form(region, ONE, Atoms(), Region())


@pytest.mark.parametrize("exponent", range(6))
def test_faulhaber(exponent: int) -> None:
    coefficients = faulhaber(exponent)
    for x in range(-4, 9):
        value = sum(c * x**power for power, c in enumerate(coefficients))
        assert value == (
            sum(j**exponent for j in range(x)) if x >= 0 else -sum(j**exponent for j in range(x, 0))
        )


@st.composite
def affine(draw: st.DrawFn, depth: int) -> Poly:
    """A bound in the sizes and the outer counters."""
    poly = number(draw(st.integers(-3, 4)))
    poly += n * draw(st.integers(0, 1)) + m * draw(st.integers(0, 1))
    for outer in range(depth):
        poly += k[outer] * draw(st.sampled_from([-1, 0, 0, 1]))
    return poly


@st.composite
def nests(draw: st.DrawFn) -> Region:
    depth = draw(st.integers(1, 3))
    region = Region()
    for level in range(depth):
        stride = draw(st.sampled_from([1, 1, 1, 2, 3]))
        region = region.inside(K[level], k[level], draw(affine(level)) - 1 - k[level] * stride)
        if draw(st.integers(0, 3)) == 0:
            region = region.also(draw(affine(level + 1)))
    return region


@settings(derandomize=True, max_examples=120, deadline=None)
@given(nests(), st.integers(0, 4), st.integers(0, 3))
def test_random_nests(region: Region, first: int, second: int) -> None:
    values = {N: first, M: second}
    try:
        found = closed(region, ONE, values)
    except NotClosedError:
        return
    assert found == enumerated(region, number(1), values, 24 if len(region.counters) < 3 else 18)
