"""The trip count of a loop, from its test as a predicate in its counter."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from ..ir.arithmetic import interval
from ..ir.invariance import computed_in
from ..ir.nodes import (
    All,
    Compare,
    Computed,
    Exit,
    Outermost,
    Predicate,
    Ratio,
    Remainder,
    Statement,
    loops,
    statements,
)
from ..ir.polynomials import Poly, Symbol, number, symbol

NewSteps: TypeAlias = Callable[[Poly, Poly], Poly]
"""Makes the symbol for max(0, ceil(distance / width))."""

MOST_RATIOS = 8


def ratios(
    test: Predicate,
    counter: Symbol,
    loop: int,
    after_body: bool,
    new_steps: NewSteps,
    guards: Sequence[Predicate] = (),
) -> tuple[tuple[Ratio, ...], bool]:
    """Bounds on the number of iterations, and whether together they are exactly it.

    The test holds in iteration k while `a - c*k >= 0`, so the loop runs ceil((a + 1) / c) times; one more when the
    test follows the body (`after_body`). A symbolic c is taken to be >= 1: with any other the loop would run until its
    variable overflows or for ever. Where a is a larger or smaller of two values, both give a bound. Parts of the test
    that say nothing of k make the answer a bound only. Beside another end so does one that may never come, `i != limit`
    or that of a symbolic c, unless the `guards`, conditions around the loop, say that it does.

    >>> ratios(Compare(n - 1 - k * inc, ">="), k, 1, False, new_steps)
    ((Ratio(<steps of n by inc>),), True)
    """
    match test:
        case Compare(value=value, relation=relation):
            found = [_ratio(v, relation, counter, loop, new_steps) for v in _without_extremes(value, relation, loop)]
            known = [r for r in found if r is not None]
            if after_body:
                known = [Ratio(r.numerator + r.denominator, r.denominator) for r in known]
            return tuple(dict.fromkeys(known)), bool(known) and len(known) == len(found)
        case All():
            parts = [(p, *ratios(p, counter, loop, after_body, new_steps)) for p in _parts(test)]
            if sum(bool(found) for _, found, _ in parts) > 1:
                parts = [each if _is_met(*each[:2], after_body, guards) else (each[0], (), False) for each in parts]
            return tuple(dict.fromkeys(r for _, found, _ in parts for r in found)), all(exact for *_, exact in parts)
        case _:
            return (), False


def _parts(test: Predicate) -> Iterator[Predicate]:
    """What has to hold, one by one."""
    if isinstance(test, All):
        for part in test.parts:
            yield from _parts(part)
    else:
        yield test


def _is_met(test: Predicate, found: tuple[Ratio, ...], after_body: bool, guards: Sequence[Predicate]) -> bool:
    """Whether a part of a test fails at last, whatever the other parts say: `i != limit` only where that lies ahead,
    and `i < limit` only where i rises."""
    if isinstance(test, Compare) and test.relation == "!=":
        return all(holds(guards, r.numerator - (r.denominator if after_body else 0)) for r in found)
    plain = [Ratio(r.numerator - r.denominator, r.denominator) for r in found] if after_body else found
    return all(r.steps is None or holds(guards, r.steps.width - 1) for r in plain)


def _without_extremes(value: Poly, relation: str, loop: int) -> list[Poly]:
    """`a - max(b, c) >= 0` is a - b >= 0 and a - c >= 0, as `a + min(b, c) >= 0` is both of the sums."""
    values = [value]
    for s in sorted(value.symbols, key=lambda s: s.key) if relation == ">=" else ():
        match s.origin:
            case Computed(meaning=Outermost(kind=kind, values=parts)):
                factor = value.coefficient(s).constant
                if factor and (factor < 0) == (kind == "max") and value == value.without(s) + symbol(s) * factor:
                    values = [v.substitute({s: part}) for v in values for part in parts]
            case _:
                pass
    return values if len(values) <= MOST_RATIOS else [value]


def _ratio(value: Poly, relation: str, counter: Symbol, loop: int, new_steps: NewSteps) -> Ratio | None:
    slope, rest = value.coefficient(counter), value.without(counter)
    if not slope.terms or value != rest + symbol(counter) * slope or any(computed_in(p, loop) for p in (rest, slope)):
        return None
    step = slope.constant
    if step is None:
        rising = all(c < 0 for _, c in slope.terms)
        return Ratio(new_steps(rest + 1, -slope)) if relation == ">=" and rising else None
    if relation == ">=":
        return Ratio(rest + 1, -step) if step < 0 else None
    if relation == "!=":
        exact = rest.divided_by(-step)
        if exact is not None:
            return None if (exact.constant or 0) < 0 else Ratio(exact)  # it is met only after wrapping, or never
        return Ratio(rest if step < 0 else -rest, abs(step)) if _is_multiple(rest, abs(step)) else None
    return None


def ahead(test: Predicate, counter: Symbol) -> tuple[tuple[Poly, int], ...]:
    """How far ahead, of where a variable starts, its limit in each `i != limit` lies, and modulo what they differ."""
    match test:
        case Compare(value=value, relation="!=", modulus=modulus):
            slope, rest = value.coefficient(counter).constant, value.without(counter)
            return ((rest if slope < 0 else -rest, modulus),) if slope else ()
        case All(parts=parts):
            return tuple(d for p in parts for d in ahead(p, counter))
        case _:
            return ()


def _is_multiple(value: Poly, divisor: int) -> bool:
    """Whether a value is a multiple for certain: `n - n % 8` of 8, 4 and 2."""
    change: dict[Symbol, Poly] = {}
    for s in value.symbols:
        match s.origin:
            case Remainder(value=dividend, divisor=d) if d % divisor == 0:
                change[s] = dividend
            case _:
                pass
    return bool(change) and value.substitute(change).divided_by(divisor) is not None


def holds(guards: Iterable[Predicate], value: Poly) -> bool:
    """Whether `value` is >= 0 by what its parts are, or because a condition around says so."""
    if _is_natural(value):
        return True
    parts = [p for g in guards for p in (g.parts if isinstance(g, All) else (g,))]
    known = (v for p in parts if isinstance(p, Compare) for v in _at_least_0(p))
    return any(_is_natural(value - v) for v in known)


def _at_least_0(known: Compare) -> tuple[Poly, ...]:
    """The values that a comparison says are no less than 0."""
    value = known.value
    match known.relation:
        case ">=":
            return (value,)
        case "==":
            return (value, -value) if not known.modulus else ()
        case _ if not known.modulus:
            return tuple(side - 1 for side in (value, -value) if _is_natural(side))
        case _:
            return ()


def _is_natural(value: Poly) -> bool:
    least, _ = interval(value)
    return least is not None and least >= 0


def last_iteration(trip: tuple[Ratio, ...] | None) -> Poly | None:
    """The counter of the last iteration, where that is a polynomial."""
    if trip is None or len(trip) != 1:
        return None
    numerator, denominator = trip[0].numerator, trip[0].denominator
    if denominator == 1:
        return numerator - 1
    known = numerator.constant
    return None if known is None else number(-(-known // denominator) - 1)


def leaves_early(body: tuple[Statement, ...], key: int) -> bool:
    """Whether an exit from the body of a loop can end it before its test does."""
    inner = {loop.key for loop in loops(body)}
    for statement in statements(body):
        match statement:
            case Exit(kind="break" | "continue", leaves=leaves) if leaves in inner or statement.kind == "continue":
                continue
            case Exit():
                return True
            case _:
                pass
    return False
