"""Trip counts of loops whose variable does not step evenly.

*Decides*: the number of iterations of a loop whose variable starts at a number and goes on by any rule (`trip`), by
following it until the test fails; how slowly a variable moves that takes steps of several sizes (`slowest`), which
bounds the number; and how far one has come (`come_so_far`, `come_to`), a pointer among them (`walking`). *Method*: the
value at the end of an iteration is a polynomial in the one at its start, with quotients and remainders by constants, or
one of several such values. *Does not handle*: variables that depend on each other, walks of more than `MOST_STEPS`
iterations, symbolic starts of other rules than a sum (`i *= 2`).

    for (i = 0x80; i > 0; i /= 2)                                 8 iterations
    for (i = 2; i < n; i++) if (t[i] == 0) i++;                   n - 2 iterations at most
    p = ptr[i]; for (k = 0; k < m; k++) if (x[k]) list[p++] = k;  p is from ptr[i] to ptr[i] + k
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from ..ir import arithmetic
from ..ir import nodes as ir
from ..ir.formula_names import version
from ..ir.invariance import computed_in
from ..ir.polynomials import ZERO, Poly, Symbol, number, symbol
from ..source.ctypes import Integer, Pointer
from .context import Context
from .induction import Lowered, Placeholder, number_of_iterations_at_most, start_of
from .values import Address, IntegerValue, Value, displacement
from .wrapped_values import surely_fits

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
        if holder.variable.key in steps or holder.head is None:
            continue
        known = _steps_of(holder, lowered)
        if known:
            least = min(known) if min(known) > 0 else max(known) if max(known) < 0 else 0
            if least and _moves_towards(lowered.test, holder.head, least):
                found[holder.head] = start_of(holder) + symbol(counter) * least
    return found


def walks(ctx: Context, holders: list[Placeholder], lowered: Lowered) -> list[tuple[Placeholder, int]]:
    """The variables that go up or stay, or down or stay, from where a loop around says, or from 0, with the largest of
    their steps."""
    begin = (h for h in holders if _begins_anew(ctx, h) or _begins_at_0(h))
    return [(h, largest) for h in begin if (largest := _largest_step(h, lowered))]


Walks: TypeAlias = Sequence[tuple[Placeholder, int]]


def come_so_far(ctx: Context, walks: Walks, loop: ir.Loop) -> dict[Symbol, Poly]:
    """Per placeholder of such a variable what it has come to in an iteration, no further than the largest step in each
    of those before. (Of those that count from 0 the placeholder says so.)"""
    found = {}
    for holder, largest in walks:
        head = holder.head
        if head is not None and isinstance(head.origin, ir.Computed) and _begins_anew(ctx, holder):
            way = replace(head.origin, meaning=ir.Passed(symbol(loop.counter) * abs(largest)))
            found[head] = start_of(holder) + _come(ctx, holder.variable.name, way, largest)
    return found


def come_to(ctx: Context, walks: Walks, lowered: Lowered, loop: ir.Loop) -> dict[int, Value]:
    """What such variables, by their keys, have come to behind the loop: not those that its test moves, which is made
    once more."""
    most = number_of_iterations_at_most(lowered, loop)
    found: dict[int, Value] = {}
    for holder, largest in walks:
        variable = holder.variable
        if most is not None and lowered.entering.get(variable.key) == holder.value:
            name = variable.name if _begins_at_0(holder) and largest > 0 else f"{variable.name}_steps"
            way = ir.Computed("steps", loop.place, tuple(ctx.loops), ir.Passed(most * abs(largest)), falls=holder.falls)
            found[variable.key] = _moved(holder, _come(ctx, version(name, loop.end_line), way, largest))
    return found


def _begins_at_0(holder: Placeholder) -> bool:
    return isinstance(holder.start, IntegerValue) and holder.start.poly == ZERO


def _begins_anew(ctx: Context, holder: Placeholder) -> bool:
    """Whether a variable begins where an iteration of a loop around says, not where the one before came to, or is a
    pointer."""
    match holder.start:
        case IntegerValue(poly=first):
            followed = not any(isinstance(s.origin, ir.Computed) and s.origin.meaning is None for s in first.symbols)
            return followed and any(computed_in(first, key) for key in ctx.loops)
        case start:
            return isinstance(start, Address)


def _come(ctx: Context, name: str, way: ir.Computed, step: int) -> Poly:
    come = symbol(replace(ctx.new_symbol(name, way), low=0))
    return come if step > 0 else -come


def _moved(holder: Placeholder, by: Poly) -> Value:
    match holder.start:
        case IntegerValue(poly=first, wraps=wraps):
            return IntegerValue(first + by, wraps)
        case Address(subscripts=(*rows, last)) as start:
            return replace(start, subscripts=(*rows, replace(last, index=last.index + by)))
        case _:
            raise AssertionError(holder)


def walking(holders: list[Placeholder], lowered: Lowered) -> set[int]:
    """The pointers, by their keys, that walk through one object one way, by one of several amounts, and fill it:
    `*to++ = x[k];` under a condition. (Where one of a text decides how far the next one is, it is no cursor.)"""
    tested = ir.tested_symbols(lowered.test)
    stores = (s.target for s in ir.statements(tuple(lowered.block)) if isinstance(s, ir.Assign))
    filled = {target.object for target in stores if isinstance(target, ir.Access)}
    walked = (h for h in holders if isinstance(h.value, Address) and h.value.object in filled and h.head not in tested)
    return {h.variable.key for h in walked if _largest_step(h, lowered)}


def _largest_step(holder: Placeholder, lowered: Lowered) -> int | None:
    """Of a variable that nothing but its steps changes, without overflow, in whichever way an iteration ends."""
    variable, type_ = holder.variable, holder.variable.type
    own = variable.scope in ("local", "parameter") and not variable.addressed
    counts = isinstance(type_, Pointer) or (isinstance(type_, Integer) and not arithmetic.may_wrap(type_))
    if not (own and counts) or not isinstance(holder.start, IntegerValue | Address) or holder.start.wraps:
        return None
    known = _steps_of(holder, lowered, lowered.breaks)
    if isinstance(type_, Integer) and not all(surely_fits(number(step), type_) for step in known):
        return None  # what is added to an `int` may be 4294967295: that takes 1 away
    return None if not known or min(known) < 0 < max(known) else max(known, key=abs)


Ends: TypeAlias = Sequence[Mapping[int, Value | None]]


def _steps_of(holder: Placeholder, lowered: Lowered, others: Ends = ()) -> frozenset[int]:
    """All amounts by which an iteration may move a variable on; none where nobody knows. `others`: what variables hold
    where it ends otherwise than at its end, or by a `continue`."""
    ends = [lowered.end, *others]
    gains = frozenset[int | None]().union(*(_gains_to(holder, end.get(holder.variable.key)) for end in ends))
    gains |= _of_continues(holder, lowered)
    return frozenset() if None in gains else frozenset(g for g in gains if g is not None)


UNKNOWN: frozenset[int | None] = frozenset((None,))


def _gains_to(holder: Placeholder, end: Value | None, update: int = 0) -> frozenset[int | None]:
    """The amounts by which `end`, and what the update of the loop adds, may lie beyond the start of an iteration; None
    among them: nobody knows."""
    match holder.value, end:
        case IntegerValue(poly=before), IntegerValue(poly=after) if holder.head is not None:
            return _gains(after + update, before, {}, DEEPEST_MERGE)
        case Address() as start, Address() as now if holder.head is not None and displacement(now, start) is not None:
            before, after = (a.subscripts[-1].index for a in (start, now))
            return _gains(after + update, before, {}, DEEPEST_MERGE)
        case _:
            return UNKNOWN


def _gains(end: Poly, start: Poly, seen: dict[Symbol, frozenset[int | None]], depth: int) -> frozenset[int | None]:
    moved = (end - start).constant
    if moved is not None:
        return frozenset((moved,))
    match (end - end.constant_term).terms:
        case (((s,), 1),) if depth and isinstance(s.origin, ir.Computed):
            if s not in seen:
                seen[s] = _gains_of(s.origin, start, seen, depth)
            return frozenset(None if g is None else g + end.constant_term for g in seen[s])
        case _:
            return UNKNOWN


def _gains_of(
    origin: ir.Computed, start: Poly, seen: dict[Symbol, frozenset[int | None]], depth: int
) -> frozenset[int | None]:
    match origin.meaning:
        case ir.Either(values=parts) | ir.Outermost(values=parts):
            found = frozenset(g for part in parts for g in _gains(part, start, seen, depth - 1))
            return found if len(found) <= MOST_GAINS else UNKNOWN
        case _:
            return UNKNOWN


def _of_continues(holder: Placeholder, lowered: Lowered) -> frozenset[int | None]:
    """The amounts in iterations that a `continue` ends: the update of the loop still follows."""
    name = holder.variable.key
    if not lowered.continues:
        return frozenset()
    update = _update(lowered.body_end.get(name), lowered.end.get(name))
    if update is None:
        return UNKNOWN
    return frozenset[int | None]().union(*(_gains_to(holder, left.get(name), update) for left in lowered.continues))


def _update(before: Value | None, after: Value | None) -> int | None:
    """What the update of the loop adds."""
    match before, after:
        case IntegerValue(poly=x), IntegerValue(poly=y):
            return (y - x).constant
        case Address(), Address():
            moved = displacement(after, before)
            return None if moved is None else moved.constant
        case _:
            return None


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
