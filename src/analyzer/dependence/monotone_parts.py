"""Ends of parts of a range, `t*n / nt`: those of a later iteration do not lie before those of an earlier one.

*Decides*: of values that are one function of different numbers, and that can only rise with it, or only fall, in which
order they are: which of the two it does follows from the signs of `n` and `nt`, and is the same for all of them.
*Method*: quotients of integers that drop the fraction, and products and quotients in `double` that are truncated, are
monotone in each operand that is in no divisor, as every single operation is (rounding, too: IEEE 754). Where two values
differ in one such operand only, by a multiple of something that has a known sign for every distance of iterations, they
are ordered. *Errs toward* nothing that is known. *Does not handle*: floating sums, several operands that differ.

    lo = t*n / nt, hi = (t + 1)*n / nt           ->  hi <= lo' and lo <= hi, or hi >= lo' and lo >= hi
    hi = (long)((t + 1) * (double)n / nt)        ->  likewise
"""

from collections.abc import Iterable, Iterator
from itertools import combinations
from math import gcd
from typing import TypeAlias

from ..ir.nodes import Computed, Scaled, Share, meaning_of, nested_symbols
from ..ir.polynomials import Poly, Symbol, symbol
from ..polyhedra.system import System, at_least, either, equal, together
from .iterations import EARLIER, LATER, TwoIterations

Terms: TypeAlias = tuple[object, ...]
"""Operands and operators in postfix order, of which the last one says in what they compute."""


def ordered(two: TwoIterations, earlier: Iterable[Symbol], later: Iterable[Symbol]) -> System:
    """What is known of the order of such values among the symbols of an earlier and of a later iteration. Example: see
    the module."""
    found = {**dict(_values(two, earlier, EARLIER)), **dict(_values(two, later, LATER))}
    values = sorted(found.items(), key=lambda value: value[0].key)
    total, functions = System(), dict[Terms, list[Poly]]()
    for (s, a), (t, b) in combinations(values, 2):
        if a == b:
            total += System((equal(symbol(t) - symbol(s)),))
        elif (compared := _compared(two, a, b)) is not None:
            function, sign = compared
            functions.setdefault(function, []).append((symbol(t) - symbol(s)) * sign)
    for s, a in values if functions else ():
        for function, sign in _above_zero(two, a):
            if function in functions:
                functions[function].append(symbol(s) * sign)
    return total + together(_either_way(gaps) for gaps in functions.values())


def _either_way(gaps: list[Poly]) -> System:
    """None of them is below 0, or none is above."""
    return either(tuple(at_least(gap) for gap in gaps), tuple(at_least(-gap) for gap in gaps))


def _values(two: TwoIterations, symbols: Iterable[Symbol], side: int) -> Iterator[tuple[Symbol, Terms]]:
    """Those among the symbols, as they are in one of the two iterations, with what they are computed from there."""
    for s in nested_symbols(symbols):
        if isinstance(meaning_of(s), Share | Scaled):
            (there,) = two.rename(symbol(s), side).symbols
            match there.origin:
                case Computed(meaning=Share(value=value, divisor=divisor)):
                    yield there, (value, divisor, "/", "integer")
                case Computed(meaning=Scaled(terms=terms)):
                    yield there, (*terms, "double")
                case _:
                    pass


def _compared(two: TwoIterations, a: Terms, b: Terms) -> tuple[Terms, int] | None:
    """The function of which both are values, and the sign of the number of the second less that of the first."""
    differing = [k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y]
    if len(a) != len(b) or len(differing) != 1:
        return None
    (k,) = differing
    x, y = a[k], b[k]
    return _function(two, a, k, y - x) if isinstance(x, Poly) and isinstance(y, Poly) else None


def _above_zero(two: TwoIterations, value: Terms) -> Iterator[tuple[Terms, int]]:
    """The functions of which it is a value, all of which are 0 at 0, and the sign of the number."""
    for k, operand in enumerate(value):
        found = _function(two, value, k, operand) if isinstance(operand, Poly) else None
        if found is not None:
            yield found


def _function(two: TwoIterations, terms: Terms, operand: int, difference: Poly) -> tuple[Terms, int] | None:
    """What such values are a function of, with one operand in place of which others may stand, and the sign of a
    difference of that operand; None where nothing is known of it."""
    found = _multiple(two, difference) if difference.terms else None
    if found is None or _is_in_divisor(terms, operand):
        return None
    unit, sign = found
    return (*terms[:operand], unit, "", *terms[operand + 1 :]), sign


def _is_in_divisor(terms: Terms, operand: int) -> bool:
    stack: list[bool] = []
    for k, term in enumerate(terms[:-1]):
        if term in ("*", "/"):
            right, left = stack.pop(), stack.pop()
            if right and term == "/":
                return True
            stack.append(left or right)
        else:
            stack.append(k == operand)
    return False


def _multiple(two: TwoIterations, value: Poly) -> tuple[Poly, int] | None:
    """What the value is a multiple of, and the sign of how often it is that in all iterations: of `n - distance*n` the
    unit is n and the sign -1 (or 0 times, which is either)."""
    distance, counter = two.distance, two.loop.counter
    moving, counting = value.coefficient(distance), value.coefficient(counter)
    fixed = value.without(distance).without(counter)
    if value != fixed + moving * symbol(distance) + counting * symbol(counter):
        return None
    unit = _primitive(next(part for part in (moving, counting, fixed) if part.terms))
    times = [_times(part, unit) for part in (fixed + moving, moving, counting)]  # the distance is 1 at least
    known = [n for n in times if n is not None]
    if len(known) < len(times) or min(known) < 0 < max(known):
        return None
    return unit, 1 if max(known) > 0 else -1


def _primitive(value: Poly) -> Poly:
    """The value without the number that divides it, and with a first coefficient above 0."""
    common = gcd(*(c for _, c in value.terms))
    exact = value.divided_by(common if value.terms[0][1] > 0 else -common)
    assert exact is not None
    return exact


def _times(value: Poly, unit: Poly) -> int | None:
    """How often the unit is in the value; None: no whole number of times."""
    if not value.terms:
        return 0
    times = value.terms[0][1] // unit.terms[0][1]
    return times if unit * times == value else None
