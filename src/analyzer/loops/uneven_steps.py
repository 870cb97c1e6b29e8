"""Trip counts of loops whose variable does not step evenly.

*Decides*: the number of iterations of a loop whose variable starts at a number and goes on by any rule (`trip`), by
following it until the test fails; and how slowly a variable moves that takes steps of several sizes (`slowest`), which
bounds the number. *Method*: the value at the end of an iteration is a polynomial in the one at its start, with
quotients and remainders by constants, or one of several such values. *Does not handle*: variables that depend on each
other, walks of more than `MOST_STEPS` iterations, symbolic starts of other rules than a sum (`i *= 2`).

    for (i = 0x80; i > 0; i /= 2)                                 8 iterations
    for (i = 2; i < n; i++) if (t[i] == 0) i++;                   n - 2 iterations at most
"""

from ..ir import arithmetic
from ..ir import nodes as ir
from ..ir.polynomials import Poly, Symbol, number, symbol
from ..source.ctypes import Integer
from .induction import Lowered, Placeholder, start_of
from .values import IntegerValue

MOST_STEPS = 128
"""More than any walk over the bits of a word takes."""

DEEPEST_MERGE = 24
"""Branches in a row that change a variable."""

MOST_GAINS = 16
"""Different sizes of the steps of one variable."""


class _UnknownError(Exception):
    """Something else than the variable is in a value."""


def trip(holders: list[Placeholder], lowered: Lowered, after_body: bool) -> tuple[tuple[ir.Ratio, ...], bool]:
    """The bounds of a loop as in `trips.ratios`: one number, or none."""
    for holder in holders:
        try:
            steps = _followed(holder, lowered, after_body)
        except _UnknownError:
            continue
        if steps is not None:
            return (ir.Ratio(number(steps)),), True
    return (), False


def _followed(holder: Placeholder, lowered: Lowered, after_body: bool) -> int | None:
    key, end = holder.variable.key, lowered.end.get(holder.variable.key)
    start = holder.start.poly.constant if isinstance(holder.start, IntegerValue) else None
    if start is None or holder.head is None or not isinstance(end, IntegerValue):
        return None
    if any(c.get(key) != lowered.body_end.get(key) for c in lowered.continues):
        return None
    assert isinstance(holder.variable.type, Integer)
    low, high = arithmetic.value_range(holder.variable.type)
    value = start
    for done in range(MOST_STEPS):
        if not after_body and not _holds(lowered.test, {holder.head: value}):
            return done
        following = _value(end.poly, {holder.head: value})
        if not low <= following <= high or following == value:
            return None
        if after_body and not _holds(lowered.test, {holder.head: value}):
            return done + 1
        value = following
    return None


def _holds(test: ir.Predicate, known: dict[Symbol, int]) -> bool:
    match test:
        case ir.Compare(value=poly, relation=relation):
            value = _value(poly, known)
            return value >= 0 if relation == ">=" else (value == 0) == (relation == "==")
        case ir.All(parts=parts):
            return all([_holds(p, known) for p in parts])
        case ir.Any(parts=parts):
            return any([_holds(p, known) for p in parts])
        case ir.Data():
            raise _UnknownError


def _value(poly: Poly, known: dict[Symbol, int]) -> int:
    return poly.evaluate({s: known[s] if s in known else _of_symbol(s, known) for s in poly.symbols})


def _of_symbol(s: Symbol, known: dict[Symbol, int]) -> int:
    match s.origin:
        case ir.Quotient(value=inner, divisor=d, floor=floor):
            value = _value(inner, known)
            return value // d if floor or value >= 0 else -(-value // d)
        case ir.Remainder(value=inner, divisor=d, floor=floor):
            value = _value(inner, known)
            return value % d if floor or value >= 0 else -(-value % d)
        case _:
            raise _UnknownError


# --- steps of several sizes


def slowest(
    holders: list[Placeholder], lowered: Lowered, steps: dict[int, Poly], counter: Symbol
) -> dict[Symbol, Poly]:
    """For variables that move on by one of several amounts of one sign: the value that they have passed at the least by
    iteration k. In a test that fails sooner the further they are, it bounds the number of iterations."""
    found = {}
    for holder in holders:
        end = lowered.end.get(holder.variable.key)
        if holder.variable.key in steps or holder.head is None or not isinstance(end, IntegerValue):
            continue
        gains = _gains(end.poly, holder.head, {}, DEEPEST_MERGE) | _of_continues(holder, lowered, end)
        if gains and None not in gains:
            known = [g for g in gains if g is not None]
            least = min(known) if min(known) > 0 else max(known) if max(known) < 0 else 0
            if least and _moves_towards(lowered.test, holder.head, least):
                found[holder.head] = start_of(holder) + symbol(counter) * least
    return found


def _gains(
    end: Poly, head: Symbol, seen: dict[Symbol, frozenset[int | None]], depth: int
) -> frozenset[int | None]:
    """The amounts by which `end` may lie beyond `head`; None among them: nobody knows."""
    shift = end - end.constant_term
    match shift.terms:
        case (((s,), 1),) if s == head:
            return frozenset((end.constant_term,))
        case (((s,), 1),) if depth and isinstance(s.origin, ir.Computed):
            if s not in seen:
                seen[s] = _gains_of(s.origin, head, seen, depth)
            return frozenset(None if g is None else g + end.constant_term for g in seen[s])
        case _:
            return frozenset((None,))


def _gains_of(
    origin: ir.Computed, head: Symbol, seen: dict[Symbol, frozenset[int | None]], depth: int
) -> frozenset[int | None]:
    match origin.meaning:
        case ir.Either(values=parts) | ir.Outermost(values=parts):
            found = frozenset(g for part in parts for g in _gains(part, head, seen, depth - 1))
            return found if len(found) <= MOST_GAINS else frozenset((None,))
        case _:
            return frozenset((None,))


def _of_continues(holder: Placeholder, lowered: Lowered, end: IntegerValue) -> frozenset[int | None]:
    """The amounts in iterations that a `continue` ends: the update of the loop still follows."""
    name, head = holder.variable.key, holder.head
    body_end = lowered.body_end.get(name)
    update = (end.poly - body_end.poly).constant if isinstance(body_end, IntegerValue) else None
    found: frozenset[int | None] = frozenset()
    for left in lowered.continues:
        value = left.get(name)
        if update is None or head is None or not isinstance(value, IntegerValue):
            return frozenset((None,))
        found |= _gains(value.poly + update, head, {}, DEEPEST_MERGE)
    return found


def _moves_towards(test: ir.Predicate, head: Symbol, step: int) -> bool:
    """Whether a test that speaks of the variable can only become false as it moves by steps of this sign."""
    match test:
        case ir.Compare(value=value, relation=">="):
            factor = value.coefficient(head).constant
            return head not in value.symbols or (factor is not None and factor * step < 0)
        case ir.Compare(value=value):
            return head not in value.symbols
        case ir.All(parts=parts):
            return all(_moves_towards(p, head, step) for p in parts)
        case ir.Any() | ir.Data():
            return True
