"""What keeps two threads apart: critical sections, orders and locks that both hold, and accesses that are atomic."""

from ..ir.nodes import Loop
from ..ir.same import same_place
from ..source.ctypes import Floating, Integer
from .admissions import may_be_of_one_pass
from .by_values import meet_behind_other_locks
from .conflict import Program
from .constructs import Role
from .handing_over import are_never_handed_over, are_of_flag, is_handed_over
from .held_locks import hold_one_variable, may_hold_one_variable, selected
from .items import Same, are_in_one, lock_at
from .known_numbers import values_of
from .meeting import Asked
from .recorded import Point, Step
from .teams import Team, Together


def are_held_apart(team: Team, a: Step, b: Step, program: Program) -> bool:
    if team.holds(a) & team.holds(b):
        return True
    if hold_one_variable(team, a, b, program):
        return True
    if is_atomic(team, a) and is_atomic(team, b):
        return True
    return team.waits_by_flags and is_handed_over(team, a, b, program)


def are_excluded_where_they_meet(
    asked: Asked, team: Team, together: Together, a: Step, b: Step, program: Program
) -> bool:
    """Whether both hold one lock wherever they get to one place. Example: `lock[k]`, for `count[k]`."""
    if team.are_groups:
        return False
    if hold_one_variable(team, a, b, program, together):
        return True
    return Same.ALWAYS in selected(asked, team, together, (a, b), (team.held(a), team.held(b)), program)


def may_be_ordered(asked: Asked, team: Team, together: Together, a: Step, b: Step, program: Program) -> bool:
    """Whether something that is not followed may keep them apart: locks that are selected, flags, what an atomic
    operation gave to one of them."""
    if may_be_of_one_pass(team, a, b) or may_hold_one_variable(team, a, b):
        return True
    if team.waits_by_flags and not are_of_flag(team, a, b) and not are_never_handed_over(team, a, b):
        return True
    x, y = team.taken(a), team.taken(b)
    if team.has_plain_locks or not x or not y:
        return False
    if together.loop is None:
        return True
    if selected(asked, team, together, (a, b), (x, y), program) == {Same.NEVER}:
        return False
    return not (len(x) == len(y) == 1 and _are_behind_two_locks(asked, team, together.loop, (a, x[0]), (b, y[0])))


def _are_behind_two_locks(
    asked: Asked, team: Team, loop: Loop, a: tuple[Step, Point], b: tuple[Step, Point]
) -> bool:
    """Whether the numbers that the program sets show two iterations that get to one place, each with a lock of its own:
    `&lock[i % 2]`, for `sum`."""
    x, y = (lock_at(team.recorded, point) for _, point in (a, b))
    if x is None or y is None or loop in team.threads or not are_in_one(x.access, y.access):
        return False
    asked_of = (loop, (a[0], x), (b[0], y), team.threads)
    return any(meet_behind_other_locks(values, *asked_of) for values, _ in values_of(asked, team, loop, a[0], b[0]))


def is_atomic(team: Team, step: Step) -> bool:
    """Whether the access itself is atomic: what is updated, stored to or read as such, not what else the statement
    reads."""
    access = step.occurrence.access
    if step.occurrence.within is not None or access.atomic:
        return True
    if isinstance(access.type, Integer | Floating) and access.type.atomic:
        return True
    around = [e for e in team.around(step) if e.construct.role is Role.ATOMIC]
    if not around:
        return False
    words = {c.name for c in around[-1].construct.directive.clauses}
    if "read" in words:
        return not step.occurrence.write
    inside = (s.occurrence for s in team.steps if around[-1].arm in s.arms)
    beside = [o for o in inside if o.access.object == access.object and same_place(o.access, access)]
    read, stored = any(not o.write for o in beside), any(o.write for o in beside)
    return read and stored if "capture" in words else stored
