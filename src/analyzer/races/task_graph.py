"""The first tasks that one maker makes, and which of them wait for which.

*Decides*: whether two accesses certainly get to one place in two tasks between which no chain of `depend` items is.
*Method*: ROUNDS iterations of each loop of the maker, in which each task has its items as places with numbers; a task
waits for those made before it that name the same place, not both to read it.
*Errs toward* a chain: what is not a place with a number may be any.

    for (i...) { task depend(out: a[i]) ...   task depend(in: a[i]) s += a[i]; }    ->  two of the second have no chain

Where these are all tasks, each made whatever happens, and all their places have numbers, it also decides that a chain
is between any two that get to one place.
"""

from collections.abc import Callable, Iterator
from functools import cached_property
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
ALL_ROUNDS = 16
"""Of a loop that stands alone: as many as it has, if these are no more."""

MOST_TASKS = 60

Place: TypeAlias = "str | tuple[object, tuple[int, ...]] | None"
"""A name, or an object and an element of it; None: it may be any."""


class _Task(Struct, frozen=True, dict=True):
    """One that is made. `rounds`: the iterations of the loops around, outermost first; `items`: places and kinds."""

    made: tuple[int, ...]
    arm: int
    depth: int
    rounds: tuple[tuple[Loop, int], ...]
    items: tuple[tuple[Place, str], ...]

    @cached_property
    def found(self) -> "dict[int, frozenset[tuple[Poly, ...]]]":
        """By the place of a step: what it touches (`_touched`)."""
        return {}


class _Graph(Struct, frozen=True):
    """`tasks`: in the order in which they are made; `before`: those for which each waits, by places of tasks;
    `surely`: those for which it certainly does. `complete`: there are no others."""

    tasks: tuple[_Task, ...]
    before: tuple[frozenset[int], ...]
    surely: tuple[frozenset[int], ...]
    complete: bool


def have_no_chain(team: "Team", together: "Together", a: Step, b: Step) -> bool:
    """Whether two tasks that do `a` and `b` at one place are certainly not ordered. Example: see the module."""
    graph = _graph(team)
    pairs = _pairs(graph, together, a, b)
    unordered = ((graph.tasks[j], p, graph.tasks[i], q) for j, p, i, q in pairs if j not in graph.before[i])
    return any(_are_meant(together, x, y) and _meet(x, p, y, q) for x, p, y, q in unordered)


def have_a_chain(team: "Team", together: "Together", a: Step, b: Step) -> bool:
    """Whether two tasks that do `a` and `b` are certainly ordered wherever both get to one place."""
    graph = _graph(team)
    if not graph.complete or not are_in_one(a.occurrence.access, b.occurrence.access):
        return False
    tasks = graph.tasks
    pairs = _pairs(graph, together, a, b)
    return all(j in graph.surely[i] or _never_meet(tasks[j], p, tasks[i], q) for j, p, i, q in pairs)


def _pairs(graph: _Graph, together: "Together", a: Step, b: Step) -> Iterator[tuple[int, Step, int, Step]]:
    """Each two tasks of which one does `a`, the other one `b`, with what they do, the earlier one first."""
    x, y = (task.arm for task in together.by_items)
    for i, later in enumerate(graph.tasks):
        for j, earlier in enumerate(graph.tasks[:i]):
            for first, last, p, q in ((x, y, a, b), (y, x, b, a)):
                if (earlier.arm, later.arm) == (first, last):
                    yield j, p, i, q


@remembered("_task_graph")
def _graph(team: "Team") -> _Graph:
    """The first tasks; none where there are more than MOST_TASKS."""
    tasks = tuple(sorted(_made(team), key=lambda each: each.made))
    if len(tasks) > MOST_TASKS:
        return _Graph((), (), (), False)
    return _Graph(tasks, _before(tasks, _waits), _before(tasks, _surely_waits), _is_complete(team))


def _before(tasks: tuple[_Task, ...], waits: Callable[[_Task, _Task], bool]) -> tuple[frozenset[int], ...]:
    """The tasks that come before each of them, by way of others as well."""
    found: list[frozenset[int]] = []
    for i, task in enumerate(tasks):
        own = {j for j in range(i) if waits(task, tasks[j])}
        found.append(frozenset(own).union(*(found[j] for j in own)))
    return tuple(found)


def _is_complete(team: "Team") -> bool:
    """Whether the first tasks are all that are made, whatever happens."""
    made = [e.entered for e in team.recorded.entered.values() if e.entered.construct.role in TASKS]
    inside = ((s, task) for s in team.steps for task in made if task.arm in s.arms)
    loops = (loop for s, task in inside for loop in s.occurrence.loops[: task.depth] if loop not in team.threads)
    counted = all(map(_is_short, loops))
    return counted and not any(task.conditions or task.construct.condition for task in made)


def _is_short(loop: Loop) -> bool:
    trip = _trip(loop)
    return trip is not None and loop.exact_trip and not loop.at_least and trip <= ALL_ROUNDS


def _made(team: "Team") -> Iterator[_Task]:
    for extent in team.recorded.entered.values():
        task = extent.entered
        inside = next((s for s in team.steps if task.arm in s.arms), None)
        if task.construct.role not in TASKS or inside is None:
            continue
        loops = [loop for loop in inside.occurrence.loops[: task.depth] if loop not in team.threads]
        named = named_by(team.recorded, task)
        most = ROUNDS if len(loops) > 1 else ALL_ROUNDS
        for numbers in product(*(range(_rounds(loop, most)) for loop in loops)):
            rounds = tuple(zip(loops, numbers, strict=True))
            begins = (place for loop, n in rounds for place in (team.recorded.extents[loop.key][0], n))
            items = tuple((_place(each, rounds), each.kind) for each in named)
            yield _Task((*begins, extent.first), task.arm, task.depth, rounds, items)


def _trip(loop: Loop) -> int | None:
    """How often it runs, where that is a number."""
    trip = loop.trip[0].constant if loop.trip and len(loop.trip) == 1 else None
    return None if trip is None else max(0, trip)


def _rounds(loop: Loop, most: int) -> int:
    trip = _trip(loop)
    return ROUNDS if trip is None else min(trip, most)


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


def _surely_waits(later: _Task, earlier: _Task) -> bool:
    pairs = product(later.items, earlier.items)
    return any(p is not None and p == q and (k, m) not in ALIKE for (p, k), (q, m) in pairs)


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
    if not are_in_one(x, y) or not (same_place(x, y) or x.subscripts):
        return False
    return bool(_touched(earlier, a) & _touched(later, b))


def _never_meet(earlier: _Task, a: Step, later: _Task, b: Step) -> bool:
    """Whether they certainly never get to one place, of one object."""
    known = all(_is_all(task, s) for task, s in ((earlier, a), (later, b)))
    return known and not _touched(earlier, a) & _touched(later, b)


def _is_all(task: _Task, s: Step) -> bool:
    """Whether all places to which it gets are known by their numbers."""
    numbered = all(p.constant is not None for place in _touched(task, s) for p in place)
    return numbered and all(map(_is_short, s.occurrence.loops[task.depth :]))


def _touched(task: _Task, s: Step) -> frozenset[tuple[Poly, ...]]:
    """The subscripts of an access in a task, in the first rounds of the loops in that."""
    if s.at not in task.found:
        loops = s.occurrence.loops[task.depth :]
        every = product(*(range(_rounds(loop, ALL_ROUNDS if len(loops) < 3 else ROUNDS)) for loop in loops))
        rounds = (task.rounds + tuple(zip(loops, numbers, strict=True)) for numbers in every)
        subscripts = [x.index for x in s.occurrence.access.subscripts]
        task.found[s.at] = frozenset(tuple(_in(x, each) for x in subscripts) for each in rounds)
    return task.found[s.at]
