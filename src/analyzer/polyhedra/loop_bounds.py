"""What a polynomial never passes over all iterations of the loops around it.

    i*m + j  in  for (i < n) for (j < m)      never exceeds  (n - 1)*m + m - 1
    i%4*n + i/4  in  for (i < 8*n)            never exceeds  3*n + (8*n - 1)/4
"""

from collections.abc import Iterator

from msgspec import Struct

from ..ir.nodes import (
    Computed,
    Counter,
    Loop,
    Passed,
    Quotient,
    Remainder,
    Rest,
    Share,
    TrianglePlace,
    TriangleRow,
    meaning_of,
    nested_symbols,
)
from ..ir.polynomials import Poly, Symbol, number, symbol
from ..ir.symbols import Kind, derived, division
from ..ir.triangles import rows_of
from .system import Conjunction, at_least, equal

MOST_ENDS = 8
"""Bounds of one value."""

MOST_PARTS = 16
"""Quotients and remainders in one value: the end of one may have others in it."""


class End(Struct, frozen=True):
    """A polynomial in sizes that a value never passes, given these constraints on the sizes."""

    value: Poly
    given: Conjunction = ()


def extremes(value: Poly, loops: tuple[Loop, ...], sign: int) -> tuple[End, ...]:
    """What the value never exceeds (sign +1), or never falls below (-1), over all iterations of the loops: one for each
    bound of a loop that ends at the nearest of several, one for sizes that are a whole number of steps, and one for all
    others; none where none is known.

    Example: j of `for (jj = 0; jj < n; jj += 8) for (j = jj; j < jj + 8 && j < n; j++)` never exceeds n + 6, nor n - 1;
    without `j < n` it never exceeds n - 1 either, given that n is a multiple of 8."""
    found = [*_without_walks(End(value), sign)]
    for depth in range(len(loops), 0, -1):
        around, loop = loops[:depth], loops[depth - 1]
        found = [end for before in found for end in _without_parts(before, around, sign)][:MOST_ENDS]
        found = [end for before in found for end in _ends(before, loop, sign)][:MOST_ENDS]
    return tuple(found)


def _without_walks(before: End, sign: int) -> Iterator[End]:
    """The same where nothing in it has got anywhere yet, or everything as far as it can."""
    walks = ((s, of) for s in before.value.symbols if isinstance(of := meaning_of(s), Passed))
    walk, way = next(walks, (None, None))
    if walk is None or way is None:
        yield before
        return
    slope = before.value.coefficient(walk)
    if any(map(counts, slope.symbols)) or not before.value.is_linear_in((walk,)):
        return
    given = before.given if slope.constant is not None else (*before.given, at_least(slope))  # a stride goes forwards
    rest, rises = before.value.without(walk), slope.constant is None or slope.constant > 0
    end = End(rest + way.most * slope, (*given, *_possible(way.most))) if rises == (sign > 0) else End(rest, given)
    yield from _without_walks(end, sign)


def _possible(most: Poly) -> Conjunction:
    """That so many iterations may be made: not said of those that have been made."""
    made = all(c > 0 and all(isinstance(s.origin, Counter) for s in m) for m, c in most.terms)
    return () if made else (at_least(most),)


def _without_parts(before: End, loops: tuple[Loop, ...], sign: int, most: int = MOST_PARTS) -> Iterator[End]:
    """The same where the quotients and remainders in it that change with the innermost loop are at their own ends: not
    those that the bounds of this loop may take away again, as in `for (j = i % 2; j < n; j += 2)`. `most`: so many of
    them; none is known of a value with more."""
    part = next(iter(_moving_parts(before.value, loops[-1])), None)
    if part is None:
        yield before
        return
    for end in _at_end_of_part(before, part, loops, sign) if most else ():
        yield from _without_parts(end, loops, sign, most - 1)


def _ends_of_rising(before: End, loop: Loop, sign: int) -> Iterator[End]:
    """The same of a value that only rises with all counters in it, as far as sizes are not negative: `i*i + i*n`."""
    rising = [(m, c) for m, c in before.value.terms if loop.counter in m]
    if any(c < 0 for _, c in rising):
        return
    sizes = dict.fromkeys(s for m, _ in rising for s in m if not isinstance(s.origin, Counter))
    given = (*before.given, *(at_least(symbol(s)) for s in sizes))
    if sign < 0:
        yield End(before.value.substitute({loop.counter: number(0)}), given)
        return
    for trip in loop.trip or ():
        if trip.denominator == 1:
            last = trip.numerator - 1
            yield End(before.value.substitute({loop.counter: last}), (*given, at_least(last)))


def _moving_parts(value: Poly, loop: Loop) -> Iterator[Symbol]:
    """Quotients and remainders in a value that change with the counter of a loop."""
    parts = (s for s in value.symbols if is_quotient(s) or _is_remainder(s))
    return (s for s in parts if loop.counter in nested_symbols((s,)))


def is_quotient(s: Symbol) -> bool:
    """Whether a symbol is a value divided by a number or a size, or the row of an element of a triangle."""
    of_element = isinstance(meaning_of(s), Share | TriangleRow)
    return of_element or isinstance(s.origin, Quotient)


def counts(s: Symbol) -> bool:
    """Whether a symbol counts iterations, all or some, or is a part of a value: a counter, a quotient, a remainder."""
    return isinstance(s.origin, Counter) or is_quotient(s) or _is_remainder(s) or isinstance(meaning_of(s), Passed)


def _is_remainder(s: Symbol) -> bool:
    of_element = isinstance(meaning_of(s), Rest | TrianglePlace)
    return of_element or isinstance(s.origin, Remainder)


def _at_end_of_part(before: End, part: Symbol, loops: tuple[Loop, ...], sign: int) -> Iterator[End]:
    """What bounds the value where a quotient or remainder in it is at its own end."""
    slope = before.value.coefficient(part)
    if any(map(counts, slope.symbols)) or not before.value.is_linear_in((part,)):
        return
    rises = slope.constant is None or slope.constant > 0  # a stride is taken to go forwards
    given = before.given if slope.constant is not None else (*before.given, at_least(slope))
    for end in _ends_of_part(part, loops, sign if rises else -sign):
        yield End(before.value.without(part) + end.value * slope, (*given, *end.given))


def _ends_of_part(part: Symbol, loops: tuple[Loop, ...], sign: int) -> Iterator[End]:
    match part.origin:
        case Quotient(value=value) as quotient:
            for end in extremes(value, loops, sign):
                yield End(_divided(part, quotient, end.value), end.given)
        case Computed(meaning=Share(value=value, divisor=length)):
            yield from _of_share(value, length, loops, sign)
        case Remainder(value=value, divisor=divisor, floor=True):
            yield from _of_remainder(value, number(divisor), loops, sign, ())
        case Remainder(value=value, divisor=divisor):
            for given in _not_negative(value, loops):
                yield from _of_remainder(value, number(divisor), loops, sign, given)
        case Computed(meaning=Rest(value=value, divisor=length)):
            for given in _not_negative(value, loops):
                yield from _of_remainder(value, length, loops, sign, (*given, at_least(length - 1)))
        case Computed(meaning=TriangleRow(value=element) | TrianglePlace(value=element)):
            yield from _in_triangle(element, loops, sign)
        case _:
            return


def _in_triangle(element: Poly, loops: tuple[Loop, ...], sign: int) -> Iterator[End]:
    """Ends of the rows and of the places in them, where the elements are those of whole rows."""
    if sign < 0:
        yield End(number(0))
        return
    for end in extremes(element, loops, sign):
        rows = rows_of(end.value + 1)
        if rows is not None:
            yield End(rows - 1, (*end.given, at_least(rows)))


def _not_negative(value: Poly, loops: tuple[Loop, ...]) -> Iterator[Conjunction]:
    """What it takes that a value is never below 0, by each of its lower ends."""
    for end in extremes(value, loops, -1):
        lowest = end.value.constant
        if lowest is None or lowest >= 0:
            yield (*end.given, *(() if lowest is not None else (at_least(end.value),)))


def _of_share(value: Poly, length: Poly, loops: tuple[Loop, ...], sign: int) -> Iterator[End]:
    for given in _not_negative(value, loops):
        known = (*given, at_least(length - 1))
        if sign < 0:
            yield End(number(0), known)
            continue
        for end in extremes(value, loops, sign):
            whole = (end.value + 1).divided_by(length)  # the last element of the last row
            yield End(end.value if whole is None else whole - 1, (*known, *end.given))


def _of_remainder(value: Poly, length: Poly, loops: tuple[Loop, ...], sign: int, given: Conjunction) -> Iterator[End]:
    if sign < 0:
        yield End(number(0), given)
        return
    yield End(length - 1, given)
    for positive in _not_negative(value, loops):
        for end in extremes(value, loops, sign):
            yield End(end.value, (*given, *positive, *end.given))


def _divided(part: Symbol, quotient: Quotient, end: Poly) -> Poly:
    """The quotient of an end of its dividend: division by a number never turns values round."""
    if end.constant is None:
        return symbol(division(part, Quotient(end, quotient.divisor, quotient.floor), False))
    down = quotient.floor or end.constant >= 0
    return number(end.constant // quotient.divisor if down else -(-end.constant // quotient.divisor))


def _ends(before: End, loop: Loop, sign: int) -> Iterator[End]:
    """What bounds the value over the iterations of one loop."""
    slope = before.value.coefficient(loop.counter).constant
    if slope is None or not before.value.is_linear_in((loop.counter,)):
        yield from _ends_of_rising(before, loop, sign)
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
            if not any(map(counts, n.symbols)):
                last_iteration = symbol(division(loop.counter, Quotient(n - 1, step), False))
                yield End(first + last_iteration * slope, (*before.given, at_least(n - 1)))
