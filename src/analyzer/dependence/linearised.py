"""`a[i*n + j]` read as `a[i][j]` with rows of n elements: one subscript as the digits of a number in mixed radix.

*Decides*: the digits of two subscripts over the same radices, and whether assuming that every digit stays in its row
(`in-bounds`) is honest: it can be true for all iterations at once, for some sizes.
*Does not handle*: radices that are sums (`i*(n + 1) + j`), or that occur squared.

    a[(i*m + j)*n + k]  ->  digits i, j, k with extents m for j and n for k
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from ..loops.ir import Counter, Loop
from ..polyhedra.poly import ZERO, Poly, Symbol, number
from ..polyhedra.system import Constraint, Feasibility, System, at_least, feasible, proves

Radix: TypeAlias = tuple[Symbol, ...]
"""Lengths of rows, innermost first."""


class Digit(Struct, frozen=True):
    """0 <= value < extent is what being in the row means; the leading digit has no extent."""

    value: Poly
    extent: Poly | None


def radices(index: Poly) -> Iterator[Radix]:
    """Candidate radices: sizes that multiply counters."""
    products = [m for m, _ in index.terms if len(m) > 1]
    sizes = sorted({s for m in products for s in m if not isinstance(s.origin, Counter)}, key=lambda s: s.key)
    if not products:
        yield ()
        return
    for size in sizes:
        if all(m.count(size) <= 1 for m in products):
            for rest in radices(index.coefficient(size)):
                yield (size, *rest)


def digits(index: Poly, radix: Radix) -> tuple[Digit, ...] | None:
    """The digits over these radices, innermost first; None when something nonlinear is left in one."""
    found: list[Digit] = []
    for size in radix:
        if any(m.count(size) > 1 for m, _ in index.terms):
            return None
        found.append(Digit(index.without(size), Poly((((size,), 1),))))
        index = index.coefficient(size)
    found.append(Digit(index, None))
    return tuple(found) if all(d.value.is_affine for d in found) else None


class Walk(Struct, frozen=True):
    """The digits of one access, and the loops around it."""

    digits: tuple[Digit, ...]
    loops: tuple[Loop, ...]

    @property
    def started(self) -> list[Constraint]:
        """What is true of sizes where the access happens at all."""
        running = [at_least(r.numerator - 1) for loop in self.loops for r in loop.trip or () if r.numerator.is_affine]
        return [c for c in running if not any(isinstance(s.origin, Counter) for s in c.value.symbols)]

    def in_row(self, digit: Digit) -> list[Constraint] | None:
        """That the digit stays in its row throughout the loops; None where its ends are unknown."""
        assert digit.extent is not None
        low, high = extreme(digit.value, self.loops, -1), extreme(digit.value, self.loops, 1)
        return None if low is None or high is None else [at_least(low), at_least(digit.extent - 1 - high)]

    def witness(self, position: int) -> list[Constraint]:
        """What is true of sizes where a digit runs along its row and stays in it; empty where it does not run."""
        digit = self.digits[position]
        inside = self.in_row(digit) if _moves(digit.value, self.loops) else None
        return [] if inside is None else [*self.started, *inside]


def honest(walk: Walk, beside: Sequence[Walk]) -> bool:
    """Whether some sizes keep every digit of an access in its row throughout the loops; `beside`: other accesses to the
    array. `a[i*n + 1]` alone says nothing of a row: n may be 0 or 1. Beside `a[i*n + j]` with j in its row it does."""
    started = walk.started
    wanted = []
    for position, digit in enumerate(walk.digits):
        if digit.extent is None:
            continue
        if not _moves(digit.value, walk.loops) and not (
            _surely_inside(digit, started)
            or any(_surely_inside(digit, [*started, *w]) for each in beside if (w := each.witness(position)))
        ):
            return False
        inside = walk.in_row(digit)
        if inside is None:
            return False
        wanted += inside
    return feasible(System((*wanted, *started))) is Feasibility.NONEMPTY


def surely_inside(found: tuple[Digit, ...], around: System) -> bool:
    """Whether every digit provably stays in its row."""
    return all(
        proves(around, at_least(d.value)) and proves(around, at_least(d.extent - 1 - d.value))
        for d in found
        if d.extent is not None
    )


def _moves(value: Poly, loops: tuple[Loop, ...]) -> bool:
    return any(loop.counter in value.symbols for loop in loops)


def _surely_inside(digit: Digit, started: list[Constraint]) -> bool:
    """Whether a place that is the same in all iterations lies in its row for all sizes with which the loops run."""
    assert digit.extent is not None
    outside = (at_least(-digit.value - 1), at_least(digit.value - digit.extent))
    return all(feasible(System((*started, o))) is Feasibility.EMPTY for o in outside)


def extreme(value: Poly, loops: tuple[Loop, ...], sign: int) -> Poly | None:
    """The smallest (sign -1) or largest (+1) value over all iterations of the loops, as a polynomial in sizes."""
    for loop in reversed(loops):
        slope = value.coefficient(loop.counter).constant
        if slope is None or not value.is_linear_in((loop.counter,)):
            return None
        if slope == 0:
            continue
        end: Poly = ZERO
        if slope * sign > 0:
            if loop.trip is None or len(loop.trip) != 1:
                return None
            (trip,) = loop.trip
            known = trip.numerator.constant
            if trip.denominator != 1 and known is None:
                return None
            end = trip.numerator - 1 if known is None else number(-(-known // trip.denominator) - 1)
        value = value.without(loop.counter) + number(slope) * end
    return value
