"""Tasks that wait for others: `depend` clauses.

*Decides*: whether two tasks of one maker never run at once, as one depends on the other, or on one that does.
*Errs toward* no order: only items that are written alike, and lead to one place whenever they are evaluated, count.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .constructs import Role
from .directive import Directive
from .recorded import Entered, Step

if TYPE_CHECKING:
    from .teams import Team

_READS = ("in",)


def ordered(team: "Team", a: Step, b: Step) -> bool:
    """Whether what does `a` and what does `b` are ordered.

    Example: `task depend(out: x)` and, behind it, `task depend(in: x)`."""
    x, y = team.agent(a), team.agent(b)
    if x is None or y is None or team.maker(a, x) != team.maker(b, y):
        return False
    if x.arm == y.arm:
        return _conflict(x.construct.directive, x.construct.directive, moving=True)
    first, last = sorted((x, y), key=lambda each: team.recorded.entered[each.arm].first)
    return last in _after(first, _tasks(team), team)


def _tasks(team: "Team") -> list[Entered]:
    found = (e.entered for e in team.recorded.entered.values() if e.entered.construct.role is Role.TASK)
    return sorted(found, key=lambda each: team.recorded.entered[each.arm].first)


def _after(first: Entered, tasks: list[Entered], team: "Team") -> set[Entered]:
    """The tasks that wait for it, or for others that do."""
    reached = {first}
    for task in tasks:
        later = team.recorded.entered[task.arm].first > team.recorded.entered[first.arm].first
        before = (each.construct.directive for each in reached)
        if later and any(_conflict(each, task.construct.directive) for each in before):
            reached.add(task)
    return reached


def _conflict(a: Directive, b: Directive, moving: bool = False) -> bool:
    """Whether both name one item, not only to read it. `moving`: in two iterations of a loop, so that subscripts do not
    count."""
    first, last = _items(a), _items(b)
    return any(
        name == other and not (kind in _READS and other_kind in _READS) and not (moving and "[" in name)
        for name, kind in first
        for other, other_kind in last
    )


def _items(directive: Directive) -> Iterable[tuple[str, str]]:
    return [
        ("".join(item.split()), clause.modifier.split(",")[-1].strip())
        for clause in directive.named("depend")
        for item in clause.items
    ]
