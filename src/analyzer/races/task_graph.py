"""The first tasks that one maker makes, and which of them wait for which.

*Decides*: whether two accesses certainly get to one place in two tasks between which no chain of `depend` items is.
*Method*: ROUNDS iterations of each loop of the maker, in which each task has its items as places with numbers; a task
waits for those made before it that name the same place, not both to read it.
*Errs toward* a chain: what is not a place with a number may be any.

    for (i...) { task depend(out: a[i]) ...   task depend(in: a[i]) s += a[i]; }    ->  two of the second have no chain
"""

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from models.expr.nodes import remembered

from ..ir.nodes import Loop
from ..ir.polynomials import Poly, number
from ..ir.same import same_place
from .constructs import TASKS
from .depend import ALIKE
from .items import Named, are_in_one, named_by
from .recorded import Step

if TYPE_CHECKING:
    from .teams import Team, Together

ROUNDS = 3
MOST_TASKS = 60

Place: TypeAlias = "str | tuple[object, tuple[int, ...]] | None"
"""A name, or an object and an element of it; None: it may be any."""


class _Task(Struct, frozen=True):
    """One that is made. `rounds`: the iterations of the loops around, outermost first; `items`: places and kinds."""

    made: tuple[int, ...]
    arm: int
    rounds: tuple[tuple[Loop, int], ...]
    items: tuple[tuple[Place, str], ...]


def have_no_chain(team: "Team", together: "Together", a: Step, b: Step) -> bool:
    """Whether two tasks that do `a` and `b` at one place are certainly not ordered. Example: see the module."""
    x, y = team.agents(a)[-1], team.agents(b)[-1]
    for earlier, later in _unordered(team):
        for first, last, p, q in ((x, y, a, b), (y, x, b, a)):
            of_these = (earlier.arm, later.arm) == (first.arm, last.arm)
            if of_these and _are_meant(together, earlier, later) and _meet(earlier, p, later, q):
                return True
    return False


@remembered("_unordered_tasks")
def _unordered(team: "Team") -> "tuple[tuple[_Task, _Task], ...]":
    """Each two of the first tasks of which the later one does not wait for the earlier one, whichever way; none where
    there are more than MOST_TASKS."""
    tasks = sorted(_made(team), key=lambda each: each.made)
    if len(tasks) > MOST_TASKS:
        return ()
    waits = {i: {j for j in range(i) if _waits(tasks[i], tasks[j])} for i in range(len(tasks))}
    before = {i: _all_before(waits, i) for i in waits}
    return tuple((tasks[j], tasks[i]) for i in waits for j in range(i) if j not in before[i])


def _made(team: "Team") -> Iterator[_Task]:
    for extent in team.recorded.entered.values():
        task = extent.entered
        inside = next((s for s in team.steps if task.arm in s.arms), None)
        if task.construct.role not in TASKS or inside is None:
            continue
        loops = [loop for loop in inside.occurrence.loops[: task.depth] if loop not in team.threads]
        named = named_by(team.recorded, task)
        for numbers in product(*(range(_rounds(loop)) for loop in loops)):
            rounds = tuple(zip(loops, numbers, strict=True))
            begins = (place for loop, n in rounds for place in (team.recorded.extents[loop.key][0], n))
            items = tuple((_place(each, rounds), each.kind) for each in named)
            yield _Task((*begins, extent.first), task.arm, rounds, items)


def _rounds(loop: Loop) -> int:
    trip = loop.trip[0].numerator.constant if loop.trip and len(loop.trip) == 1 else None
    return ROUNDS if trip is None else min(trip, ROUNDS)


def _place(item: Named, rounds: tuple[tuple[Loop, int], ...]) -> Place:
    if item.text.isidentifier():
        return item.text
    if item.place is None:
        return None
    places = [_in(s.index, rounds).constant for s in item.place.access.subscripts]
    return (item.place.access.object, tuple(p for p in places if p is not None)) if None not in places else None


def _in(value: Poly, rounds: tuple[tuple[Loop, int], ...]) -> Poly:
    return value.substitute({loop.counter: number(n) for loop, n in rounds})


def _waits(later: _Task, earlier: _Task) -> bool:
    pairs = product(later.items, earlier.items)
    return any((p is None or q is None or p == q) and (k, m) not in ALIKE for (p, k), (q, m) in pairs)


def _all_before(waits: dict[int, set[int]], i: int) -> set[int]:
    """All that it waits for, by way of others as well."""
    found: set[int] = set()
    left = [i]
    while left:
        new = waits[left.pop()] - found
        found |= new
        left += new
    return found


def _are_meant(together: "Together", earlier: _Task, later: _Task) -> bool:
    """Whether the two are made in iterations that are asked about."""
    for (loop, n), (other, m) in zip(earlier.rounds, later.rounds, strict=False):
        if loop != other:
            break
        if n != m:
            return loop == together.loop
    return together.loop is None


def _meet(earlier: _Task, a: Step, later: _Task, b: Step) -> bool:
    """Whether they certainly get to one place: all but their numbers is alike."""
    x, y = a.occurrence.access, b.occurrence.access
    if not are_in_one(x, y):
        return False
    pairs = zip(x.subscripts, y.subscripts, strict=True)
    gaps = [_in(s.index, earlier.rounds) - _in(t.index, later.rounds) for s, t in pairs]
    return all(gap.constant == 0 for gap in gaps) and (same_place(x, y) or bool(gaps))
