"""What keeps two threads apart: critical sections, orders and locks that both hold, and accesses that are atomic."""

from ..ir.same import same_place
from ..source.ctypes import Floating, Integer
from .conflict import Program
from .constructs import Role
from .recorded import Step
from .teams import Team


def are_held_apart(team: Team, a: Step, b: Step, program: Program) -> bool:
    if team.holds(a) & team.holds(b):
        return True
    if team.has_plain_locks and not team.are_groups and (team.locks(a) & team.locks(b)) - program.locks_in(team):
        return True
    return all(_is_atomic(team, s, program) for s in (a, b))


def may_be_ordered(team: Team, a: Step, b: Step) -> bool:
    """Whether something that is not followed may keep them apart: locks that are selected, flags."""
    return team.waits_by_flags or (not team.has_plain_locks and bool(team.locks(a)) and bool(team.locks(b)))


def _is_atomic(team: Team, step: Step, program: Program) -> bool:
    """Whether the access itself is atomic: what is updated, stored to or read as such, not what else the statement
    reads."""
    access = step.occurrence.access
    if access.atomic or (isinstance(access.type, Integer | Floating) and access.type.atomic):
        return True
    if (access.place.path, access.place.line) in program.atomic:
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
