"""Conditions on loop counters, such as those at the borders of an image: how often they hold, and what asking takes.

They are no conditions on data: a processor foresees them, and nobody has to suppose how often they hold. What does not
change in a loop is asked for before it.

*Method*: how often is the share of some iterations spread over the loop, all sizes a thousand, in the middle of the
loops around; it is a weight of a time, and no count.
*Does not know*: how a size that no loop runs to lies to the counter (`lo` of `i > lo`): 0.5 then.
"""

from collections.abc import Iterator, Mapping

from ..ir.nodes import All, Any, Compare, Counter, Data, Entry, Loop, Predicate, Quotient, Remainder, nested_symbols
from ..ir.polynomials import Poly, Symbol

SIZE = 1000
SAMPLES = 64
UNKNOWN = 0.5


def compared(predicate: Predicate) -> Iterator[Poly]:
    """What is compared with 0 in it."""
    match predicate:
        case Compare(value=value):
            yield value
        case All(parts=parts) | Any(parts=parts):
            for part in parts:
                yield from compared(part)
        case Data():
            return


def is_guard(predicate: Predicate) -> bool:
    """Whether counters, and sizes that a function is given, decide all of it.

    Example: of `i > 0 && i < n - 1`, not of `i > 0 && a[i] > 0`."""
    match predicate:
        case Data():
            return False
        case Compare(value=value):
            return all(_is_known(s) for s in value.symbols)
        case All(parts=parts) | Any(parts=parts):
            return all(map(is_guard, parts))


def _is_known(s: Symbol) -> bool:
    match s.origin:
        case Counter():
            return True
        case Entry(loops=(), given=False):
            return True
        case Quotient(value=value) | Remainder(value=value):
            return all(map(_is_known, value.symbols))
        case _:
            return False


def tests(predicate: Predicate, counter: Symbol) -> int:
    """Comparisons that an iteration of the loop with this counter makes: those that it decides."""
    return sum(counter in nested_symbols(value.symbols) for value in compared(predicate))


def share(predicate: Predicate, loop: Loop, numbers: Mapping[Symbol, Poly]) -> float:
    """In how many of the iterations of the loop a guard holds; `numbers`: of the counters of unrolled loops in it.

    Example: 1 of `i > 0 && i < n - 1` in a loop to n, 0.5 of `i % 2 == 0`."""
    asked = nested_symbols(s for value in compared(predicate) for s in value.symbols)
    counters, sizes = ({s for s in asked if isinstance(s.origin, kind)} for kind in (Counter, Entry))
    bounds = {s for ratio in loop.trip or () for s in ratio.numerator.symbols}
    if not counters or (loop.counter in counters and not sizes <= bounds):
        return UNKNOWN
    known: dict[Symbol, int] = {s: int(n.constant or 0) for s, n in numbers.items()}
    ends = [_value(r.numerator, known) // r.denominator for r in loop.trip or ()]
    trip = max(1, min(ends, default=SIZE))
    held = 0
    for at in range(SAMPLES):
        held += _holds(predicate, known | {loop.counter: (2 * at + 1) * trip // (2 * SAMPLES)})
    return held / SAMPLES


def _holds(predicate: Predicate, values: Mapping[Symbol, int]) -> bool:
    match predicate:
        case Compare(value=value, relation=relation):
            found = _value(value, values)
            return {">=": found >= 0, "==": found == 0, "!=": found != 0}[relation]
        case All(parts=parts):
            return all(_holds(part, values) for part in parts)
        case Any(parts=parts):
            return any(_holds(part, values) for part in parts)
        case Data():
            raise ValueError("a condition on data is no guard")


def _value(value: Poly, known: Mapping[Symbol, int]) -> int:
    return value.evaluate({s: _number(s, known) for s in value.symbols})


def _number(s: Symbol, known: Mapping[Symbol, int]) -> int:
    if s in known:
        return known[s]
    match s.origin:
        case Counter():
            return SIZE // 2
        case Quotient(value=value, divisor=divisor):
            return _value(value, known) // divisor
        case Remainder(value=value, divisor=divisor):
            return _value(value, known) % divisor
        case _:
            return SIZE
