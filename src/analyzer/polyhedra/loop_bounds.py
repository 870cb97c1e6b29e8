"""What a polynomial never passes over all iterations of the loops around it.

    i*m + j  in  for (i < n) for (j < m)      never exceeds  (n - 1)*m + m - 1
"""

from collections.abc import Iterator

from msgspec import Struct

from ..ir.nodes import Loop
from ..ir.polynomials import Poly, number, symbol
from ..ir.symbols import Kind, derived
from .system import Conjunction, equal

MOST_ENDS = 8
"""Bounds of one value."""


class End(Struct, frozen=True):
    """A polynomial in sizes that a value never passes, given these constraints on the sizes."""

    value: Poly
    given: Conjunction = ()


def extremes(value: Poly, loops: tuple[Loop, ...], sign: int) -> tuple[End, ...]:
    """What the value never exceeds (sign +1), or never falls below (-1), over all iterations of the loops: one for each
    bound of a loop that ends at the nearest of several, and one for sizes that are a whole number of steps; none where
    none is known.

    Example: j of `for (jj = 0; jj < n; jj += 8) for (j = jj; j < jj + 8 && j < n; j++)` never exceeds n + 6, nor n - 1;
    without `j < n` it never exceeds n - 1 either, given that n is a multiple of 8."""
    found = [End(value)]
    for loop in reversed(loops):
        found = [end for before in found for end in _ends(before, loop, sign)][:MOST_ENDS]
    return tuple(found)


def _ends(before: End, loop: Loop, sign: int) -> Iterator[End]:
    """What bounds the value over the iterations of one loop."""
    slope = before.value.coefficient(loop.counter).constant
    if slope is None or not before.value.is_linear_in((loop.counter,)):
        return
    first = before.value.without(loop.counter)
    if slope * sign <= 0:
        yield End(first, before.given)
        return
    for which, trip in enumerate(loop.trip or ()):
        n, step = trip.numerator, trip.denominator
        if n.constant is not None:
            yield End(first + number(slope) * (-(-n.constant // step) - 1), before.given)
            continue
        if slope % step == 0:
            yield End(first + (n - 1) * (slope // step), before.given)
        if step > 1:
            name = f"steps of line {loop.place.line}"
            steps = symbol(derived(Kind.STEPS, loop.counter, loop.counter.origin, name, 0, which=which))
            last = (n - step) * (slope // step) if slope % step == 0 else (steps - 1) * slope
            yield End(first + last, (*before.given, equal(n - steps * step)))
