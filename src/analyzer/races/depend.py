"""Tasks that wait for others: `depend` clauses.

*Decides*: whether two tasks of one maker never run at once, as one depends on the other, or on one that does.
*Errs toward* no order: only items that are written alike, and lead to one place whenever they are evaluated, give one;
where an item selects an element, that is not known.
"""

from enum import Enum, auto
from typing import TYPE_CHECKING

from .constructs import Role
from .directive import Directive
from .recorded import Entered, Step

if TYPE_CHECKING:
    from .teams import Team

_ALIKE = (("in", "in"), ("inoutset", "inoutset"))
"""Kinds of which two do not wait for each other."""


class Order(Enum):
    NO = auto()
    PERHAPS = auto()
    YES = auto()


def order(team: "Team", a: Step, b: Step) -> Order:
    """Whether the tasks that do `a` and `b`, which one maker makes, are ordered.

    Example: `task depend(out: x)` and, behind it, `task depend(in: x)`."""
    x, y = team.agents(a)[-1], team.agents(b)[-1]
    if not (x.construct.directive.has("depend") and y.construct.directive.has("depend")):
        return Order.NO
    if x.arm == y.arm:
        return _conflict(x.construct.directive, x.construct.directive)
    first, last = sorted((x, y), key=lambda each: team.recorded.entered[each.arm].first)
    found = _after(first, team)
    return found.get(last.arm, Order.NO)


def _after(first: Entered, team: "Team") -> dict[int, Order]:
    """The tasks that wait for it, or for others that do, by their arms."""
    extents = sorted(team.recorded.entered.values(), key=lambda each: each.first)
    tasks = [e.entered for e in extents if e.entered.construct.role is Role.TASK]
    begin = team.recorded.entered[first.arm].first
    reached = {first.arm: Order.YES}
    directives = {first.arm: first.construct.directive}
    for task in tasks:
        if team.recorded.entered[task.arm].first <= begin:
            continue
        every = [(_conflict(directives[arm], task.construct.directive), how) for arm, how in reached.items()]
        waits = [(step, how) for step, how in every if step is not Order.NO]
        found = [Order.YES if step is how is Order.YES else Order.PERHAPS for step, how in waits]
        if found:
            reached[task.arm] = Order.YES if Order.YES in found else Order.PERHAPS
            directives[task.arm] = task.construct.directive
    return reached


def _conflict(a: Directive, b: Directive) -> Order:
    """Whether both name one item, and not only to read it."""
    found = Order.NO
    for name, kind in _items(a):
        for other, other_kind in _items(b):
            if (kind, other_kind) in _ALIKE or name.partition("[")[0] != other.partition("[")[0]:
                continue
            if name == other and "[" not in name:
                return Order.YES
            found = Order.YES if name == other and _is_fixed(name) else Order.PERHAPS
            if found is Order.YES:
                return found
    return found


def _is_fixed(item: str) -> bool:
    """Whether its subscripts are numbers."""
    return all(part.partition("]")[0].isdigit() for part in item.split("[")[1:])


def _items(directive: Directive) -> list[tuple[str, str]]:
    """Each item without blanks, and what the task does to it."""
    found = []
    for clause in directive.named("depend"):
        several = "[?]" if "iterator" in clause.modifier else ""
        kind = clause.modifier.split(",")[-1].strip()
        found += [("".join(item.split()) + several, kind) for item in clause.items]
    return found
