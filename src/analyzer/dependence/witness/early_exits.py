"""Early exits that certainly keep later iterations from running.

*Decides*: for a loop that some iteration may leave, whether that iteration can be followed by one that would store to
memory somebody reads, or deliver another value; and, where nothing of the kind is found, whether the exit or the test
depends on data at all: then each iteration decides whether there is a next one (a control dependence that the loop
carries). What a later iteration would read need not even exist.
*Errs toward* nothing. An exit that no data decides, or that is taken in the first iteration or never, shows nothing;
nor does a call that ends the program: nothing lives on that could show an order.

    for (...) { a[i] += b[i]; if (c[i] > 0) break; }    ->  no: a[i + 1] must stay as it is
    for (...) if (a[i] == x) return i;                  ->  no: which i is returned
    for (...) if (a[i] == x) return 1;                  ->  no: a[i + 1] is read only if a[i] was not x
    while (*s) { n += *s == ','; s++; }                 ->  no: *s decides whether there is a next character
"""

from collections.abc import Iterator
from itertools import islice

from ...access.accesses import Departure, Guard, Occurrence
from ...access.dataflow import assigned
from ...access.domains import running
from ...access.liveness import is_live_after
from ...facts.loop import Reason
from ...ir.conditions import Known, conjuncts
from ...ir.nodes import Call, Counter, Entry, Evaluate, Expression, Load, Use, Variable, walk
from ...ir.polynomials import Poly, Symbol, symbol
from ...ir.reasons import ReasonCode
from ...memory.alias import Overlap
from ...polyhedra.system import Feasibility, System, equal
from ..finding import Finding, Problem
from ..function_facts import Surroundings
from ..iterations import EARLIER, LATER
from ..liveness import live_variables
from ..scope import Scope
from .entry_values import leaves_loop
from .free_contents import Demand, inner_guards, leaves, open_tests, possible, required, staying
from .proof import Meeting

MOST_EFFECTS = 20
"""Tried per exit; in a loop with more of them the first ones show it, or none does."""

MOST_TRIED = 12
"""Exits of a loop, and effects behind each, that are looked at."""


def leaving(around: Surroundings, scope: Scope) -> Finding:
    """The first exit and effect that are certain for some contents."""
    if len(scope.history.departures) > MOST_TRIED:
        return Finding()
    for departure in scope.history.departures:
        if not leaves_loop(scope, departure) or not _is_open(scope, departure):
            continue
        stays = staying(scope, departure)
        if stays is None:
            continue
        for effect, text, line in islice(_effects(around, scope, departure), MOST_EFFECTS):
            if _follows(scope, departure, effect, stays):
                return Finding((_problem(scope, departure, text, line),))
    return _deciding(scope)


def _is_open(scope: Scope, departure: Departure) -> bool:
    """Whether data that may differ between iterations decides about the exit."""
    return any(not _is_fixed(scope, p.expression) for g in inner_guards(scope, departure.at) for p in _on_data(g))


def _effects(around: Surroundings, scope: Scope, departure: Departure) -> Iterator[tuple[Occurrence, str, int]]:
    """What an iteration does that shows afterwards: where, its C text and its line."""
    if departure.value is not None and not scope.repeats(departure.value):
        yield departure.at, "return", departure.exit.place.line
    for write in scope.writes:
        if is_live_after(around.function, scope.loop, write.access.object):
            yield write, write.access.text, write.line
    if not around.continuations.structured(scope.loop):
        return
    made = assigned(scope.loop)
    live = live_variables(around, scope.loop, frozenset(v.key for v in made))
    for variable in made:
        if variable.key not in live:
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
    word, at = departure.exit.written, departure.exit.place.line
    test = guard.text or "its condition"
    first = f"the first iteration {'with' if guard.holds else 'without'} `{test}`"
    if text == "return":
        message = f"`return` on line {at} ends the loop: {first} decides what is returned"
    else:
        message = f"`{word}` on line {at} ends the loop: after {first} no other may change `{text}` (line {line})"
    return Problem(Reason(ReasonCode.EARLY_EXIT, message, at, (test, text), "*", (at, line)), True, True)


# --- control dependences


def _deciding(scope: Scope) -> Finding:
    """The first exit, or else the first test, by which contents of memory decide whether there is a next iteration."""
    for departure in scope.history.departures:
        if leaves_loop(scope, departure) and _is_open(scope, departure) and _decides(scope, departure):
            word, line = departure.exit.written, departure.exit.place.line
            test = inner_guards(scope, departure.at)[-1].text or "its condition"
            message = (
                f"`{word}` on line {line} ends the loop: `{test}` decides in each iteration whether there is a next one"
            )
            return Finding((Problem(Reason(ReasonCode.EARLY_EXIT, message, line, (test, word), "1"), True, True),))
    if not any(_ends(scope, part) for part in open_tests(scope)):
        return Finding()
    tested = next(s for s in scope.loop.body if isinstance(s, Evaluate) and s.control)
    line = tested.place.line
    message = f"the test `{tested.text}` on line {line} decides in each iteration whether there is a next one"
    reason = Reason(ReasonCode.UNKNOWN_TRIP_COUNT, message, line, (tested.text, tested.text), "1")
    return Finding((Problem(reason, True, True),))


def _decides(scope: Scope, departure: Departure) -> bool:
    """Whether, for some contents, an iteration that could be followed by another leaves the loop; and for some, one
    goes on and the next leaves it."""
    stays = staying(scope, departure)
    taken = [(p.expression, p.holds) for g in inner_guards(scope, departure.at) for p in _on_data(g)]
    if not taken or stays is None:
        return False
    leaves_now = [Demand(part, holds, EARLIER) for part, holds in taken]
    leaves_next = [Demand(part, holds, LATER) for part, holds in taken]
    part, holds = taken[-1]
    if not possible(scope, [*leaves_now, *stays]):
        return False
    if not possible(scope, [Demand(part, not holds, EARLIER), *leaves_next, *stays]):
        return False
    followed = scope.domain(departure.at, EARLIER) + scope.moved(running(scope.loop), LATER)
    return scope.feasible(followed + System((equal(symbol(scope.distance) - 1),))) is not Feasibility.EMPTY


def _on_data(guard: Guard) -> Iterator[Known]:
    """The parts of a condition that not only counters and sizes decide."""
    for part in conjuncts(guard.condition, guard.holds):
        if not all(isinstance(e, Use) and e.value is not None and _of_sizes(e.value) for e in leaves(part.expression)):
            yield part


def _is_fixed(scope: Scope, part: Expression) -> bool:
    """Whether a part of a condition is the same in every iteration: an exit that it decides is taken in the first or
    never, whatever order the iterations run in. Pointers that are taken to be distinct are so here."""
    for e in walk(part):
        match e:
            case Call():
                return False
            case Load(access=access):
                known = frozenset(s for sub in access.subscripts for s in sub.index.symbols)
                apart = (Overlap.DISTINCT, Overlap.ASSUMED)
                if any(scope.overlap(write.access, access).overlap not in apart for write in scope.writes):
                    return False
            case Use(variable=variable, value=value):
                known = frozenset() if value is None else value.symbols
                if value is None and variable.key in scope.assigned:
                    return False
            case _:
                continue
        if any(scope.varies(s) for s in known):
            return False
    return True


def _of_sizes(value: Poly) -> bool:
    """Whether it is made of what iterations count, and of what may be any number as the function begins: not of what
    the function has made before, as `y` of `for (...) y += 2; for (...) if (x[i] && y == 3) break;`."""
    return all(isinstance(s.origin, Counter) or _is_given(s) for s in value.symbols)


def _is_given(s: Symbol) -> bool:
    match s.origin:
        case Entry(given=True) | Entry(line=0, variable=Variable(scope="parameter" | "global")):
            return True
        case _:
            return False


def _ends(scope: Scope, part: Known) -> bool:
    """Whether a part of the test can hold in one iteration and fail in the next. What a call returns may differ, but
    where a counter is compared with it it is a bound like any other."""
    found = list(leaves(part.expression))
    if any(isinstance(e, Call) for e in found) and any(isinstance(e, Use) and e.value is not None for e in found):
        return False
    stays = staying(scope, tested=False)
    ends = [Demand(part.expression, part.holds is (side == EARLIER), side) for side in (EARLIER, LATER)]
    return stays is not None and possible(scope, [*ends, *stays])
