"""Races of one team of threads: two of them may be at one place in memory at once, and one of them stores there.

*Decides*: for every pair of steps that may run at once, whether they race, never meet, or nobody knows.
*Method*: by what makes the variables that they get to (`sharing`), by what runs at once (`teams`), by what is held
(critical sections, locks, atomic accesses), and by the dependence test between two iterations of the loop over threads
or of the divided loop itself (`meeting`).
*Errs toward* not known. *Limits*: MOST_PAIRS pairs.
"""

from collections.abc import Hashable, Iterator
from itertools import combinations_with_replacement

from msgspec import Struct

from ..access.accesses import kind
from ..facts.loop import Assumption
from ..ir.nodes import Loop, Variable
from .conflict import Conflict, Conflicts, Program, common, construct_of, constructs_of
from .constructs import LOOPS, TASKS, Construct
from .depend import Order
from .hidden_state import races_of_calls
from .holding import are_excluded_where_they_meet, are_held_apart, is_atomic, may_be_ordered
from .meeting import Asked, Meets
from .mending import missing
from .not_followed import not_followed
from .recorded import Step
from .same_places import is_of_a_number, meet
from .sharing import Home, home, is_automatic, variable_of
from .siblings import order_where_they_meet
from .teams import Team, Together
from .tickets import are_of_one_value

MOST_WORK = 4000
"""Eliminations for one team."""

MOST_PAIRS = 4000
"""Of steps of one team that are compared."""

class _Shared(Struct, frozen=True):
    """A step, and what makes the variable that it gets to."""

    step: Step
    home: Home


class _Pair(Struct, frozen=True):
    """Two steps, the directive around both, and all steps of the team to what may be shared."""

    where: Construct | None
    a: Step
    b: Step
    shared: list[_Shared]


def conflicts(asked: Asked, team: Team, program: Program) -> Conflicts:
    """The races of one team of threads, and what may be one."""
    asked.allow(MOST_WORK)
    shared = [_Shared(s, home(team, s, program.here)) for s in _distinct(team, program)]
    shared = [each for each in shared if _may_be_shared(team, each)]
    found = [*races_of_calls(asked, team, program), *not_followed(team, program)]
    needed: frozenset[Assumption] = frozenset()
    settled: set[Hashable] = set()
    tried = 0
    for x, y in combinations_with_replacement(shared, 2):
        a, b = x.step, y.step
        if not _may_race(asked, team, x, y, program):
            continue
        where = common(team, a, b)
        about = (where, *sorted((str(a.occurrence.access.object), str(b.occurrence.access.object))))
        if about in settled:
            continue
        for together in _in_one_home(team, x, team.at_once(a, b)):
            tried += 1
            if tried > MOST_PAIRS:
                why = f"more than {MOST_PAIRS} pairs of accesses to compare"
                return Conflicts((*found, Conflict(construct_of(team.entered), a, b, False, why)), needed)
            if are_excluded_where_they_meet(asked, team, together, a, b, program):
                continue
            ordered = order_where_they_meet(asked, team, together, a, b)
            if ordered is Order.YES:
                continue
            answer = meet(asked, team, together, a, b, program.here)
            needed |= answer.assumptions
            if answer.how is Meets.NEVER:
                continue
            shown = answer.how is Meets.SURELY or are_of_one_value(team, together, a, b, program.here)
            sure = shown and ordered is Order.NO and not may_be_ordered(asked, team, together, a, b, program)
            sure = sure and not is_of_a_number(team, a)
            clauses = _clauses(asked, team, together, _Pair(where, a, b, shared), program) if sure else ()
            found.append(Conflict(where, a, b, sure, "", clauses))
            if sure:
                settled.add(about)
                break
    return Conflicts(tuple(found), needed)


def _may_be_shared(team: Team, each: _Shared) -> bool:
    """Whether another step could get to the same variable while this one does: a task, if each thread has its own."""
    if each.home == "all":
        return True
    if each.home == "each":
        return _is_automatic(each.step) and any(e.construct.role in TASKS for e in constructs_of(team))
    return any(e.construct.role in TASKS and e.arm != each.home.arm for e in constructs_of(team))


def _is_automatic(step: Step) -> bool:
    variable = variable_of(step)
    return variable is not None and is_automatic(variable)


def _may_race(asked: Asked, team: Team, x: _Shared, y: _Shared, program: Program) -> bool:
    a, b = x.step.occurrence, y.step.occurrence
    if not (a.write or b.write) or asked.are_apart(a.access.object, b.access.object) or x.home != y.home:
        return False
    return team.meet_between_barriers(x.step, y.step) and not are_held_apart(team, x.step, y.step, program)


def _in_one_home(team: Team, x: _Shared, found: Iterator[Together]) -> Iterator[Together]:
    """Those in which both get to one variable: not in two iterations of which each has its own."""
    for together in found:
        loop = together.loop
        if loop is None or x.home == "all":
            yield together
        elif x.home == "each":
            variable = variable_of(x.step)
            keys = variable.loops if variable is not None else ()
            outside = loop in team.threads or loop.key in keys
            if not outside:
                yield together
        else:
            loops = x.step.occurrence.loops
            inner = loops[x.home.depth + (x.home.construct.associated or 1 if x.home.construct.role in LOOPS else 0) :]
            if loop in inner:
                yield together


def _divided(team: Team, step: Step, construct: Construct) -> tuple[Loop, ...]:
    """The loops of which a construct around a step divides the iterations."""
    return next((team.divided(step, each) for each in step.inside if each.construct == construct), ())


def _clauses(asked: Asked, team: Team, together: Together, pair: _Pair, program: Program) -> tuple[str, ...]:
    """Those that the directive around two steps lacks, where it divides the loop in which they meet."""
    loop, where = together.loop, pair.where
    if loop is None or where is None or loop not in _divided(team, pair.a, where):
        return ()
    if loop.key not in asked.mended:
        named = [(v, each) for each in pair.shared if (v := variable_of(each.step)) is not None]
        foreign = {v for v, each in named if not _is_mendable(v, each, where, program)}
        asked.mended[loop.key] = missing(asked.around, loop, frozenset(v for v, _ in named) - foreign)
    return tuple(clause for name, clause in asked.mended[loop.key] if name in _names(pair.a, pair.b))


def _is_mendable(variable: Variable, each: _Shared, where: Construct, program: Program) -> bool:
    """Whether a clause of a directive means the variable that a step gets to: functions that are called use one of the
    file itself."""
    place = each.step.occurrence.access.place
    inside = variable.scope == "static" and variable.place.line > where.line
    if each.home != "all" or place.path != where.path or inside:
        return False
    here = program.here
    return is_automatic(variable) or here(where.path, place.line) == here(where.path, where.line)


def _names(a: Step, b: Step) -> frozenset[str]:
    return frozenset(v.name for s in (a, b) if (v := variable_of(s)) is not None)


def _distinct(team: Team, program: Program) -> Iterator[Step]:
    """One of each set of accesses that is alike in all that is asked about."""
    seen: set[Hashable] = set()
    for s in team.steps:
        if s.call is None:
            stretches = tuple(i for i, stretch in enumerate(team.stretches) if s.at in stretch)
            beside = tuple(arm for arm, steps in team.tasks.items() if s.at in steps)
            held = (team.locks(s), is_atomic(team, s))
            inside = tuple(e.arm for e in s.inside)
            key = (kind(s.occurrence), _named_in(s, program), inside, stretches, beside, held, s.clause)
            if key not in seen:
                seen.add(key)
                yield s


def _named_in(step: Step, program: Program) -> object:
    """The function that names a variable of the file: clauses of a directive mean it in their own function alone."""
    variable, place = variable_of(step), step.occurrence.access.place
    return program.here(place.path, place.line) if variable is not None and variable.scope == "global" else None
