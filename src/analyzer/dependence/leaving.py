"""Exits that certainly keep later iterations from doing something that shows.

*Decides*: for a loop that some iteration may leave, whether that iteration can be followed by one that would store to
memory somebody reads, or deliver another value: then the iterations cannot run in any order.
*Errs toward* nothing: `if (a[i] == x) { found = 1; break; }` leaves the same behind whichever iteration finds it.

    for (...) { a[i] += b[i]; if (c[i] > 0) break; }    ->  no: a[i + 1] must stay as it is
    for (...) if (a[i] == x) return i;                  ->  no: which i is returned
"""

from collections.abc import Iterator
from itertools import islice

from ..facts import Reason
from ..loops.ir import Assign, Variable, statements
from ..polyhedra.poly import symbol
from ..polyhedra.system import System, equal
from .contents import Demand, inner_guards, possible, required, staying
from .finding import Finding, Problem
from .liveness import live_memory, live_variables
from .occurrences import Departure, Occurrence
from .scope import EARLIER, LATER, Scope
from .showing import Meeting
from .surroundings import Surroundings

MOST_EFFECTS = 20
"""Tried per exit; in a loop with more of them the first ones show it, or none does."""

MOST_TRIED = 12
"""Exits of a loop, and effects behind each, that are looked at."""


def leaving(around: Surroundings, scope: Scope) -> Finding:
    """The first exit and effect that are certain for some contents."""
    if len(scope.history.departures) > MOST_TRIED:
        return Finding()
    for departure in scope.history.departures:
        if not _leaves(scope, departure) or not inner_guards(scope, departure.at):
            continue
        stays = staying(scope, departure)
        if stays is None:
            continue
        for effect, text, line in islice(_effects(around, scope, departure), MOST_EFFECTS):
            if _follows(scope, departure, effect, stays):
                return Finding((_problem(scope, departure, text, line),))
    return Finding()


def _leaves(scope: Scope, departure: Departure) -> bool:
    exit_ = departure.exit
    return exit_.kind in ("return", "goto") or (exit_.kind == "break" and exit_.leaves == scope.loop.key)


def _effects(around: Surroundings, scope: Scope, departure: Departure) -> Iterator[tuple[Occurrence, str, int]]:
    """What an iteration does that shows afterwards: where, its C text and its line."""
    if departure.value is not None and not scope.repeats(departure.value):
        yield departure.at, "return", departure.exit.place.line
    for write in scope.writes:
        if live_memory(around, scope, write.access.object):
            yield write, write.access.text, write.line
    made = [a.target for a in statements(scope.loop.body) if isinstance(a, Assign) and isinstance(a.target, Variable)]
    live = live_variables(around, scope.loop, frozenset(v.key for v in made))
    for variable in dict.fromkeys(made):
        if variable.key not in live or not around.continuations.structured:
            continue
        if variable.name == scope.loop.variable and departure.exit.kind == "break":
            yield departure.at, variable.name, departure.exit.place.line
        for o in scope.of_scalar(variable):
            if o.write and o.stored is not None and not scope.repeats(o.stored):
                yield o, variable.name, o.line


def _follows(scope: Scope, departure: Departure, effect: Occurrence, stays: list[Demand]) -> bool:
    """Whether, for some contents, the exit is taken in one iteration and the next one would have the effect."""
    demands = [*required(scope, departure.at, EARLIER), *required(scope, effect, LATER), *stays]
    meeting = Meeting(scope, departure.at, effect, ())
    fixed = meeting.fixed()
    if fixed is None or not possible(scope, demands, fixed):
        return False
    first = System((equal(symbol(scope.loop.counter)), equal(symbol(scope.distance) - 1)))
    return meeting.exists(first)


def _problem(scope: Scope, departure: Departure, text: str, line: int) -> Problem:
    guard = inner_guards(scope, departure.at)[-1]
    kind, at = departure.exit.kind, departure.exit.place.line
    test = guard.text or "its condition"
    if text == "return":
        message = f"`return` on line {at} ends the loop: the first iteration with `{test}` decides what is returned"
    else:
        message = (
            f"`{kind}` on line {at} ends the loop: after the first iteration with `{test}` no other may change "
            f"`{text}` (line {line})"
        )
    return Problem(Reason("early-exit", message, at, (test, text), "*"), True, True)
