"""Preconditions of trip counts and values of variables: arithmetic that stays in the range of its type.

*Decides*: for each loop the conditions (`ir.Wrap`) under which its variables have the values start + step * k in the
iterations, and under which its test, read over the integers, ends it when C's does; and which of them are broken for
certain, all numbers being known. Whether the others hold is proved, assumed or refused later
(`dependence.obligations`).

    for (unsigned char i = 0; i < 253; i += 10)        after 250 comes 4: 51 iterations, not 26
    for (unsigned i = a; i != b; i++)                  b - a iterations if that is >= 0
"""

from ..base.places import Place
from ..ir import nodes as ir
from ..ir.arithmetic import may_wrap, value_range
from ..ir.polynomials import ZERO, Poly, Symbol, number, symbol
from ..source.ctypes import Integer
from . import trips
from .induction import Lowered, Placeholder, as_tested, start_of
from .substitute import Substitution
from .values import IntegerValue


def values(
    moving: dict[int, Placeholder],
    steps: dict[int, Poly],
    counter: Symbol,
    tested: frozenset[int],
    lowered: Lowered,
    circular: bool,
    substitution: Substitution,
) -> dict[int, tuple[Poly, ...]]:
    """By variable, its values that have to be in range: that in iteration k, and of one that the test is about also the
    next one, or else the test sees another value, and the loop goes on; the first one that it sees, too. Where it
    counts round (`circular`), any value may end it, and only the one that enters the body matters."""
    found = {}
    for key, holder in moving.items():
        value = start_of(holder) + symbol(counter) * steps[key]
        others: tuple[Poly, ...] = (value + steps[key],) if key in tested else ()
        if key in tested and circular:
            entering = lowered.entering.get(key)
            others = (substitution.poly(entering.poly),) if isinstance(entering, IntegerValue) else ()
        elif key in tested and _stepped(holder, lowered):
            others = (*others, value + steps[key] * 2, start_of(holder) + steps[key])
        found[key] = tuple(dict.fromkeys((value, *others)))
    return found


def conditions(
    moving: dict[int, Placeholder], values: dict[int, tuple[Poly, ...]], tested: frozenset[int], place: Place
) -> tuple[ir.Wrap, ...]:
    """An unsigned or narrow variable grows evenly only while it stays in the range of its type. A narrow one that no
    test is about may well be meant to wrap (`explicit`)."""
    wraps = []
    for key, holder in moving.items():
        type_, name = holder.variable.type, holder.variable.name
        if isinstance(type_, Integer) and may_wrap(type_):
            explicit = type_.size < 4 and key not in tested
            wraps += [ir.Wrap(v, *value_range(type_), name, place, explicit) for v in values[key]]
    return tuple(wraps)


def meeting(
    test: ir.Predicate, counter: Symbol, moving: dict[int, Placeholder], tested: frozenset[int], place: Place
) -> tuple[ir.Wrap, ...]:
    """That `i != limit` ends before i wraps: the limit does not lie behind the start. `test`: in terms of the counter.
    A signed variable that does not wrap meets the limit, or what it does is undefined; but as an unsigned number it may
    meet one that lies behind, too."""
    types = {h.variable.name: h.variable.type for k, h in moving.items() if k in tested}
    wraps = []
    for ahead, modulus in trips.ahead(test, counter):
        for name, type_ in types.items():
            if isinstance(type_, Integer) and (may_wrap(type_) or modulus):
                wraps.append(ir.Wrap(ahead, 0, (modulus or 1 << 8 * type_.size) - 1, name, place))
                break
    return tuple(wraps)


def step_conditions(holders: list[Placeholder], lowered: Lowered, steps: dict[int, Poly]) -> tuple[ir.Wrap, ...]:
    """What the steps themselves rest on: after `unsigned a; ... p += a + 1`, that a + 1 is not 0. (That the variable
    itself stays in its range: `range_conditions`.)"""
    found: dict[ir.Wrap, None] = {}
    for holder in holders:
        end = lowered.end.get(holder.variable.key)
        if holder.variable.key in steps and holder.value is not None and end is not None:
            new = (w for w in end.wraps if w not in holder.value.wraps and holder.head not in w.value.symbols)
            found |= dict.fromkeys(new)
    return tuple(found)


def leaving_range(
    moving: dict[int, Placeholder],
    conditions: tuple[ir.Wrap, ...],
    bounds: tuple[ir.Ratio, ...],
    at_least: int,
    counter: Symbol,
) -> frozenset[int]:
    """The keys of the variables that so many iterations take out of their range for certain: all of it is known in
    numbers."""
    found = trips.last_iteration(bounds)
    if found is None or found.constant is None or max(found.constant, at_least - 1) < 0:
        return frozenset()
    last = number(max(found.constant, at_least - 1))
    values = ((w, w.value.substitute({counter: last}).constant) for w in conditions)
    names = {w.text for w, v in values if v is not None and not w.low <= v <= w.high}
    return frozenset(key for key, h in moving.items() if h.variable.name in names)


def wraps_in_first_test(moving: dict[int, Placeholder], lowered: Lowered, steps: dict[int, Poly]) -> bool:
    """Whether a narrow variable starts again at the other end of its type before it is tested for the first time:
    `unsigned char i = 255; while (++i <= 1)` makes two iterations."""
    for holder in moving.values():
        type_ = holder.variable.type
        if isinstance(type_, Integer) and _stepped(holder, lowered):
            low, high = value_range(type_)
            first = (start_of(holder) + steps[holder.variable.key]).constant
            if first is not None and not low <= first <= high:
                return True
    return False


def _stepped(holder: Placeholder, lowered: Lowered) -> bool:
    """Whether the test is about what is left of a narrow variable that has made its step: `++i < n`."""
    seen = as_tested(holder, lowered)
    return seen is not None and seen[1] is not None


def starts_outside(conditions: tuple[ir.Wrap, ...], counter: Symbol) -> bool:
    """Whether the first test already breaks one of its conditions: `for (int i = -1; i < n; i++)` for an unsigned n,
    where -1 is larger than any n, and no iteration is made."""
    values = ((w, w.value.substitute({counter: ZERO}).constant) for w in conditions)
    return any(v is not None and not w.low <= v <= w.high for w, v in values)
