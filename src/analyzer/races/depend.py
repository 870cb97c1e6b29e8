"""Tasks that wait for others: `depend` clauses.

*Decides*: whether two tasks of one maker never run at once, as one depends on the other, or on one that does.
*Errs toward* no order: only items that are variables of one name give one; where an item selects an element, or is
behind a pointer, that is not known.
"""

from enum import Enum, auto
from typing import TYPE_CHECKING

from ..ir.nodes import Declared
from .constructs import TASKS, Role
from .directive import Directive
from .item_texts import is_fixed, items
from .recorded import Entered

if TYPE_CHECKING:
    from .teams import Team

ALIKE = (("in", "in"), ("inoutset", "inoutset"))
"""Kinds of which two do not wait for each other."""


class Order(Enum):
    NO = auto()
    PERHAPS = auto()
    YES = auto()


def order(team: "Team", x: Entered, y: Entered) -> Order:
    """Whether two tasks that one maker makes in one iteration of all loops around both are ordered.

    Example: `task depend(out: x)` and, behind it, `task depend(in: x)`."""
    if not (x.construct.directive.has("depend") and y.construct.directive.has("depend")):
        return Order.NO
    first, last = sorted((x, y), key=lambda each: team.recorded.entered[each.arm].first)
    found = _after(first, team)
    return found.get(last.arm, Order.NO)


def order_across(team: "Team", x: Directive, y: Directive) -> Order:
    """Whether two tasks, or a task and a `taskwait`, are ordered in two iterations of a loop around both, whichever
    comes first: by what both name; or perhaps by others, of whatever iteration.

    Example: `task depend(in: x)`, of which another task with `depend(out: x)` may be between any two."""
    moved = _set_in(team)
    own = _conflict(x, y, moved)
    if own is not Order.NO:
        return own
    constructs = (e.entered.construct for e in team.recorded.entered.values())
    others = {c.directive for c in constructs if c.role in TASKS}
    reached: set[Directive] = set()
    waiting = [x]
    while waiting:
        task = waiting.pop()
        found = {other for other in (others | {y}) - reached if _conflict(task, other, moved) is not Order.NO}
        reached |= found
        waiting += found
    return Order.PERHAPS if y in reached else Order.NO


def _after(first: Entered, team: "Team") -> dict[int, Order]:
    """The tasks that wait for it, or for others that do, by their arms."""
    extents = sorted(team.recorded.entered.values(), key=lambda each: each.first)
    tasks = [e.entered for e in extents if e.entered.construct.role is Role.TASK]
    begin = team.recorded.entered[first.arm].first
    reached = {first.arm: Order.YES}
    moved = _set_in(team)
    directives = {first.arm: first.construct.directive}
    for task in tasks:
        if team.recorded.entered[task.arm].first <= begin:
            continue
        every = [(_conflict(directives[arm], task.construct.directive, moved), how) for arm, how in reached.items()]
        waits = [(step, how) for step, how in every if step is not Order.NO]
        found = [Order.YES if step is how is Order.YES else Order.PERHAPS for step, how in waits]
        if found:
            reached[task.arm] = Order.YES if Order.YES in found else Order.PERHAPS
            directives[task.arm] = task.construct.directive
    return reached


def _set_in(team: "Team") -> frozenset[str]:
    """The variables that the team sets: what they lead to changes."""
    stored = (s.occurrence.access for s in team.steps if s.occurrence.write)
    return frozenset(x.object.variable.name for x in stored if isinstance(x.object, Declared) and not x.subscripts)


def _conflict(a: Directive, b: Directive, moved: frozenset[str]) -> Order:
    """Whether both name one item, and not only to read it; `moved`: variables that lead elsewhere in between."""
    found = Order.NO
    for name, kind in items(a):
        for other, other_kind in items(b):
            if (kind, other_kind) in ALIKE or (name.isidentifier() and other.isidentifier() and name != other):
                continue
            if name == other and (name.isidentifier() or _stays(name, moved)):
                return Order.YES
            found = Order.PERHAPS
    return found


def _stays(item: str, moved: frozenset[str]) -> bool:
    """Whether it is an element with a number, of what the variable leads to all the time."""
    return is_fixed(item) and item.partition("[")[0] not in moved
