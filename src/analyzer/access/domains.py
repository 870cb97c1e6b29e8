"""What holds of counters and symbols where an access stands: bounds of the loops around it and conditions, as
constraints.

*Errs toward* too few constraints, and says so (`System.exact`).
"""

from collections.abc import Iterator
from typing import assert_never

from models.expr.nodes import remembered

from ..ir.nodes import All, Any, Compare, Counter, Data, Loop, Predicate, Ratio, nested_symbols
from ..ir.polynomials import Poly, number, symbol
from ..polyhedra.system import RELAXED, System, at_least, either, equal, system, together
from .accesses import Guard, Occurrence, Where


def used_values(o: Occurrence) -> Iterator[Poly]:
    """Every polynomial that a test of this access uses: subscripts, bounds and conditions."""
    around = domain(o)
    yield from (s.index for s in o.access.subscripts)
    yield from (c.value for c in around.constraints)
    yield from (c.value for choice in around.choices for a in choice for c in a)


def domain(o: Occurrence) -> System:
    """What holds of counters and symbols whenever the access is evaluated."""
    return _of_place(o.where)


@remembered("_domain")
def _of_place(where: Where) -> System:
    if not where.test:
        return surroundings(where.loops, where.guards)
    return surroundings(where.loops[:-1], where.guards) + running(where.loops[-1], once_more=True)


@remembered("_of_sizes")
def of_sizes(o: Occurrence) -> System:
    """What holds of sizes alone whenever the access is evaluated: `if (pitch >= width)` around its loops."""
    around = domain(o)
    plain = tuple(c for c in around.constraints if not _counts(c.value))
    choices = tuple(each for each in around.choices if not any(_counts(c.value) for a in each for c in a))
    return System(plain, choices)


def _counts(value: Poly) -> bool:
    return any(isinstance(s.origin, Counter) for s in nested_symbols(value.symbols))


def surroundings(around: tuple[Loop, ...], guards: tuple[Guard, ...]) -> System:
    """What holds of counters and symbols inside these loops and under these conditions."""
    return together((*(running(loop) for loop in around), *(says(guard) for guard in guards)))


@remembered("_says")
def says(guard: Guard) -> System:
    """What is known of counters and symbols where the condition holds."""
    return condition(guard.predicate)


def running(loop: Loop, once_more: bool = False) -> System:
    """The values of a loop's counter while its body runs (`once_more`: or its last test)."""
    return system(at_least(symbol(loop.counter))) + RELAXED if once_more else _running(loop)


@remembered("_running")
def _running(loop: Loop) -> System:
    counter = symbol(loop.counter)
    start = system(at_least(counter))
    if loop.trip is None:
        return start + System(tuple(at_least(c.value) for c in loop.tested)) + RELAXED
    bounds = tuple(at_least(r.numerator - counter * r.denominator - 1) for r in loop.trip)
    exact = System(exact=loop.exact_trip)
    if loop.at_least:
        return start + exact + either(bounds, (at_least(number(loop.at_least - 1) - counter),))
    return start + exact + System(bounds) + _moves_on(loop, loop.trip)


def _moves_on(loop: Loop, trip: tuple[Ratio, ...]) -> System:
    """A symbolic step is >= 1 where the body runs: with any other, `for (i = 0; i < n; i += w)` does not end."""
    steps = trip[0].steps if len(trip) == 1 and loop.exact_trip else None
    return System() if steps is None else system(at_least(steps.width - 1))


@remembered("_before_the_end")
def before_the_end(where: Where) -> System:
    """That the steps which loops around have made, each of a symbolic width, do not lead to their ends yet: what
    `domain` leaves out, as with products in it nothing is shown to happen."""
    inside = where.loops[: -1 if where.test else None]
    bounds = ((loop, r.steps) for loop in inside if not loop.at_least for r in loop.trip or ())
    return System(tuple(at_least(s.distance - 1 - symbol(loop.counter) * s.width) for loop, s in bounds if s))


def condition(predicate: Predicate) -> System:
    """The predicate as constraints; what cannot be said as constraints is left out and marked."""
    match predicate:
        case Compare(value=value, relation=">="):
            return system(at_least(value))
        case Compare(value=value, relation="=="):
            return system(equal(value))
        case Compare(value=value):
            return either((at_least(value - 1),), (at_least(-value - 1),))
        case All(parts=inner):
            return together(condition(p) for p in inner)
        case Any(parts=inner):
            return _any([condition(p) for p in inner])
        case Data():
            return RELAXED
        case _:
            assert_never(predicate)


def _any(alternatives: list[System]) -> System:
    if any(len(a.choices) > 1 for a in alternatives):
        return RELAXED
    choice = tuple((*a.constraints, *one) for a in alternatives for one in (a.choices[0] if a.choices else ((),)))
    return System((), (choice,), all(a.exact for a in alternatives))
