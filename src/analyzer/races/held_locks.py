"""Locks that two threads hold, and whether they are one.

*Decides*: whether both hold a variable that is one lock for all threads, or one that their tasks share; whether they do
wherever they get to one place, of locks that an expression selects; whether what is not followed may be such a lock.
*Errs toward* perhaps: a lock that is given back by who is not seen to take it, or taken under a condition that is
written like that of the access.

    omp_set_lock(&l); sum += x; omp_unset_lock(&l);                    one
    #pragma omp parallel for firstprivate(l)                           none: each thread has its own
    if (many) omp_set_lock(&l);   if (many) sum += x;                  perhaps
"""

from collections.abc import Iterator
from itertools import product
from typing import TypeAlias

from ..access.accesses import Guard
from ..base.places import Place
from ..ir.same import same as same_value
from .conflict import Program
from .constructs import TASKS, Role
from .items import Same, same
from .meeting import Asked
from .recorded import Point, Step, read_of_lock
from .sharing import home, variable_of
from .teams import Team, Together, is_one_lock, lock_of

Held: TypeAlias = tuple[tuple[Point, ...], tuple[Point, ...]]
"""Where each of two threads has taken what it holds."""


def hold_one_variable(team: Team, a: Step, b: Step, program: Program, together: Together | None = None) -> bool:
    """Whether both hold a lock that is a variable: one for all, or, where it is said how they meet, for the two."""
    if team.are_groups:
        return False
    x, y = (set(_variables(team, s, program, together)) for s in (a, b))
    return bool(x & y)


def _variables(team: Team, step: Step, program: Program, together: Together | None) -> Iterator[tuple[str, Place]]:
    for point in team.held(step):
        name, read = lock_of(point), read_of_lock(team.recorded, point)
        if read is None or not is_one_lock(name) or name in team.given_back_by_others:
            continue
        variable = variable_of(read)
        if variable is not None and _is_one(team, read, step, program, together):
            yield variable.name, variable.place


def _is_one(team: Team, read: Step, step: Step, program: Program, together: Together | None) -> bool:
    """Whether the lock, or an array of locks, is the same for both: one of each thread is where its tasks meet."""
    made = home(team, read, program.here)
    if made == "all" or together is None:
        return made == "all"
    variable, loop = variable_of(read), together.loop
    if made != "each" or variable is None or variable.per_thread or not _is_in_a_task(step):
        return False
    divided = (team.divided(step, e) for e in step.inside if e.construct.role not in TASKS)
    own = loop is not None and (loop in team.threads or loop.key in variable.loops)
    return not own and not any(loop in loops for loops in divided)


def _is_in_a_task(step: Step) -> bool:
    return any(e.construct.role in TASKS for e in step.inside)


def may_hold_one_variable(team: Team, a: Step, b: Step) -> bool:
    """Whether both hold a lock of one name that is not followed."""
    x, y = ({lock_of(p): p for p in team.held(s) if is_one_lock(lock_of(p))} for s in (a, b))
    both = x.keys() & y.keys()
    unseen = any(read_of_lock(team.recorded, held[name]) is None for held in (x, y) for name in both)
    taken = _taken_under_a_like_condition(team, a) & _taken_under_a_like_condition(team, b)
    return unseen or bool(both & team.given_back_by_others) or bool(taken - both)


def _taken_under_a_like_condition(team: Team, step: Step) -> set[str]:
    """The locks that it holds if two conditions that are written alike hold together."""
    held = set[str]()
    for point in team.lockings:
        if point.at > step.at:
            break
        if not all(any(_are_alike(g, h) for h in step.conditions) for g in point.conditions):
            continue
        if point.construct.role is Role.UNLOCK:
            held.discard(lock_of(point))
        elif point.conditions != step.conditions[: len(point.conditions)]:
            held.add(lock_of(point))
    return held


def _are_alike(g: Guard, h: Guard) -> bool:
    return g.arm == h.arm or (g.holds == h.holds and same_value(g.condition, h.condition))


def selected(
    asked: Asked, team: Team, together: Together, both: tuple[Step, Step], held: Held, program: Program
) -> set[Same]:
    """Of each two locks that the two hold, of which an expression selects one, whether they are one lock."""
    pairs = [(p, q) for p, q in product(*held) if not (is_one_lock(lock_of(p)) and is_one_lock(lock_of(q)))]
    return {_are_one(asked, team, together, both, pair, program) for pair in pairs} or {Same.NEVER}


def _are_one(
    asked: Asked, team: Team, together: Together, both: tuple[Step, Step], locks: tuple[Point, Point], program: Program
) -> Same:
    reads = [read_of_lock(team.recorded, p) for p in locks]
    known = [(r, step) for r, step in zip(reads, both, strict=True) if r is not None and variable_of(r) is not None]
    if not all(_is_one(team, read, step, program, together) for read, step in known):
        return Same.NEVER
    p, q = (None if r is None else r.occurrence for r in reads)
    return Same.PERHAPS if together.loop is None else same(asked, together.loop, *both, p, q)
