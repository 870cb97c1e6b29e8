"""Who runs what, and what may run at once: the threads of one team, and the tasks that they make.

*Decides*: for two accesses in a region that several threads run, whether two threads may do them at once, and in
iterations of which loops that shows.
*Method*: the *agent* of an access is what decides which thread does it: an iteration of a divided loop, a section, a
`single` block, a task; else every thread does it. Between two barriers all threads are somewhere; what no stretch
without a barrier holds together does not run at once. A task runs from where it is made to where somebody waits.
*Errs toward* running at once.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import TypeAlias

from msgspec import Struct

from ..ir.nodes import Loop
from .constructs import HOLDS, LOOPS, STARTS_THREADS, Role
from .depend import ordered
from .recorded import Entered, Extent, Point, Recorded, Step

Stops: TypeAlias = tuple[tuple[int, bool], ...]
"""Places where something waits, in program order, and whether it may pass them, as conditions say."""

AGENTS = frozenset((Role.LOOP, Role.TASK_LOOP, Role.SECTIONS, Role.SECTION, Role.SINGLE, Role.MASTER, Role.TASK))
MOST_WAYS = 200
"""Between barriers that are told apart."""

_NEVER = 1 << 60

TASKS = frozenset((Role.TASK, Role.TASK_LOOP))


class Team(Struct, frozen=True, dict=True):
    """The threads that run one construct, or, where `entered` is None, a function that somebody's threads call."""

    recorded: Recorded
    entered: Entered | None
    steps: tuple[Step, ...]

    @property
    def role(self) -> Role | None:
        return None if self.entered is None else self.entered.construct.role

    # --- constructs of this team

    def below(self, inside: tuple[Entered, ...]) -> tuple[Entered, ...]:
        """The constructs of this team around something, outermost first: those of threads that start in it are not."""
        if self.entered is not None:
            at = next((i for i, each in enumerate(inside) if each.arm == self.entered.arm), None)
            if at is None:
                return ()
            inside = inside[at + 1 :]
        end = next((i for i, each in enumerate(inside) if each.construct.role in STARTS_THREADS), len(inside))
        return inside[:end]

    def agent(self, step: Step) -> Entered | None:
        """What decides which thread does it; None: each of them does."""
        own = [each for each in self.below(step.inside) if each.construct.role in AGENTS]
        tasks = [each for each in own if each.construct.role in TASKS]
        if tasks:
            return tasks[-1]
        if self.role in (Role.TEAM_LOOP, Role.LANES):
            return self.entered
        return own[-1] if own else (self.entered if self.role is Role.TEAM_SECTIONS else None)

    def divided(self, step: Step, agent: Entered) -> tuple[Loop, ...]:
        """The loops of which the iterations are divided."""
        if agent.construct.role not in LOOPS:
            return ()
        return step.occurrence.loops[agent.depth : agent.depth + agent.construct.associated]

    def threads(self, step: Step) -> tuple[Loop, ...]:
        """The loop over the numbers of the threads; none where each iteration is the work of one."""
        if self.entered is None or self.role not in (Role.TEAM, Role.TEAM_SECTIONS):
            return ()
        return step.occurrence.loops[self.entered.depth : self.entered.depth + 1]

    # --- stretches without a barrier

    @cached_property
    def barriers(self) -> Stops:
        """Where all threads wait for each other."""
        free = 0 if self.entered is None else self.entered.conditions
        found = []
        for point in self.recorded.points:
            if point.construct.role is Role.BARRIER and self._is_of_team(point.inside):
                found.append((_at(point.at), point.conditions > free))
        for extent in self.recorded.entered.values():
            if extent.entered.construct.waits_at_end and self._is_of_team(extent.around):
                found.append((_end(extent), extent.entered.conditions > free))
        return tuple(sorted(found))

    def _is_of_team(self, inside: tuple[Entered, ...]) -> bool:
        """Whether the constructs around something are those of this team, and of none that starts in it."""
        arms = [each.arm for each in inside]
        own = (
            arms
            if self.entered is None
            else arms[arms.index(self.entered.arm) + 1 :]
            if self.entered.arm in arms
            else None
        )
        return own is not None and len(self.below(inside)) == len(own)

    @cached_property
    def stretches(self) -> tuple[frozenset[int], ...]:
        """What may run between two barriers: the steps, by their places, on each way from one barrier to the next. All
        threads go the same way where there are barriers on it."""
        begins = [-1 if self.entered is None else _at(self.recorded.entered[self.entered.arm].first) - 1]
        begins += [place for place, _ in self.barriers]
        ways = (way for begin in dict.fromkeys(begins) for way in self._ways(begin, self.barriers, frozenset()))
        return tuple(islice(dict.fromkeys(ways), MOST_WAYS))

    def _ways(self, start: int, stops: Stops, been: frozenset[int]) -> Iterator[frozenset[int]]:
        """Each way from a place to a stop: at the end of a loop around it, to the next iteration, or on."""
        if start in been:
            yield frozenset()
            return
        been |= {start}
        stop, passes = next(((p, passes) for p, passes in stops if p > start), (_NEVER, False))
        ends = [(last, first) for first, last, _ in self._repeated if first <= start < last <= stop]
        skipped = [(last, first) for first, last, empty in self._repeated if empty and start < first < stop < last]
        if ends:
            last, first = min(ends)
            here, onward = self._steps(start, last), [first, last]
        else:
            here, onward = self._steps(start, stop), [stop] if passes else []
            yield here
        for last, first in skipped:
            yield from (self._steps(start, first) | way for way in self._ways(last, stops, been))
        for place in onward:
            yield from (here | way for way in self._ways(place, stops, been))

    def reached(self, begin: int, stops: Stops) -> frozenset[int]:
        """The steps that are reached from a place on some way without passing a stop."""
        return frozenset().union(*islice(self._ways(begin, stops, frozenset()), MOST_WAYS))

    def _steps(self, start: int, end: int) -> frozenset[int]:
        places = self._places
        return frozenset(places[bisect_left(places, _step(start)) : bisect_left(places, _step(end))])

    @cached_property
    def _places(self) -> tuple[int, ...]:
        return tuple(s.at for s in self.steps)

    @cached_property
    def _repeated(self) -> tuple[tuple[int, int, bool], ...]:
        """Where the loops begin and end that a thread repeats, and whether they may have no iteration."""
        own = None if self.entered is None else self.recorded.entered[self.entered.arm]
        threads = {loop.key for s in self.steps[:1] for loop in self.threads(s)}
        return tuple(
            (_at(first), _at(last), not _runs(self.recorded.loops[key]))
            for key, (first, last) in self.recorded.extents.items()
            if key not in threads and (own is None or (own.first <= first and last < own.end))
        )

    def meet_between_barriers(self, a: Step, b: Step) -> bool:
        return any(a.at in stretch and b.at in stretch for stretch in self.stretches)

    @cached_property
    def waits_by_flags(self) -> bool:
        """Whether threads may wait for each other in ways that are not followed."""
        inside = (p for p in self.recorded.points if p.construct.role is Role.FLUSH)
        return any(self.entered is None or self.entered.arm in [e.arm for e in p.inside] for p in inside)

    # --- what may run at once

    def at_once(self, a: Step, b: Step) -> Iterator[Loop | None]:
        """The loops of which two iterations may do `a` and `b` at once; None for what runs beside the thread that made
        it, in the same iteration of all loops around both. Nothing where they never do."""
        x, y = self.agent(a), self.agent(b)
        if (x is not None and x.construct.role is Role.TASK) or (y is not None and y.construct.role is Role.TASK):
            yield from self._of_tasks(a, x, b, y)
            return
        if not self.meet_between_barriers(a, b):
            return
        if x is None or y is None or x.arm != y.arm:
            if not _are_of_one_thread(x, y):
                yield from self.threads(a)
        elif self.divided(a, x):
            yield from (loop for loop in self.divided(a, x) if loop in b.occurrence.loops)
        elif x.construct.directive.has("nowait"):
            yield from (each for each in a.occurrence.loops[x.depth - 1 : x.depth] if each not in self.threads(a))

    def _of_tasks(self, a: Step, x: Entered | None, b: Step, y: Entered | None) -> Iterator[Loop | None]:
        """Of which at least one is done by a task."""
        if not self.meet_between_barriers(a, b):
            return
        maker = (self.maker(a, x), self.maker(b, y))
        every = self.threads(a) if None in maker or maker[0] != maker[1] else ()
        if x is not None and y is not None and x.arm == y.arm:
            if not x.construct.directive.has("depend") or not ordered(self, a, b):
                yield from every
                again = self.recorded.entered[x.arm].first in self.lasts(x)
                yield from self._loops_around(a, x) if again else ()
            return
        if x is not None and y is not None and ordered(self, a, b):
            return
        yield from every
        if every or (maker[0] != maker[1] and x is not None and y is not None):
            return
        if self._beside(x, b) or self._beside(y, a):
            yield None

    def _beside(self, task: Entered | None, other: Step) -> bool:
        """Whether the other one may come while the task is not done."""
        return task is not None and task.construct.role is Role.TASK and other.at in self.lasts(task)

    def maker(self, step: Step, agent: Entered | None) -> Entered | None:
        """What makes the task that does it; of what no task does, its agent."""
        if agent is None or agent.construct.role is not Role.TASK:
            return agent
        around = [e for e in self.below(step.inside) if e.construct.role in AGENTS and e.arm != agent.arm]
        return around[-1] if around else (self.entered if self.role in (Role.TEAM_LOOP, Role.TEAM_SECTIONS) else None)

    def lasts(self, task: Entered) -> frozenset[int]:
        """The steps that may come before somebody waits for the task."""
        extent = self.recorded.entered[task.arm]
        waits = [(_at(p.at), p.conditions > task.conditions) for p in self._task_waits(extent)]
        groups = (e for e in extent.around if e.construct.role is Role.GROUP)
        ends = ((_end(self.recorded.entered[each.arm]), False) for each in groups)
        return self.reached(_end(extent) - 1, tuple(sorted((*self.barriers, *waits, *ends))))

    def _task_waits(self, extent: Extent) -> Iterable[Point]:
        around = {each.arm for each in extent.around}
        for point in self.recorded.points:
            if point.construct.role is Role.TASK_WAIT and not point.construct.directive.has("depend"):
                tasks = [e for e in point.inside if e.construct.role is Role.TASK]
                if all(each.arm in around for each in tasks):
                    yield point

    def _loops_around(self, step: Step, task: Entered) -> tuple[Loop, ...]:
        """Those in which a task is made again and again, inside of what makes it."""
        maker = self.maker(step, task)
        first = 0 if maker is None and self.entered is None else (maker or self.entered).depth  # type: ignore[union-attr]
        return tuple(each for each in step.occurrence.loops[first : task.depth] if each not in self.threads(step))

    # --- what keeps them apart

    def holds(self, step: Step) -> frozenset[tuple[Role, str]]:
        """What a thread holds while it does it: a critical section or an order, by name."""
        own = (e.construct for e in self.below(step.inside) if e.construct.role in HOLDS)
        return frozenset((c.role, (c.directive.argument or "").strip()) for c in own if c.role is not Role.ATOMIC)

    def locks(self, step: Step) -> frozenset[str]:
        """The locks that are taken before it and given back after it, as they are named."""
        held: dict[str, Point] = {}
        for point in self.recorded.points:
            name = "".join((point.construct.directive.argument or "").split())
            if point.at > step.at:
                break
            if point.construct.role is Role.LOCK:
                held[name] = point
            elif point.construct.role is Role.UNLOCK:
                held.pop(name, None)
        arms = [each.arm for each in step.inside]
        return frozenset(name for name, p in held.items() if [e.arm for e in p.inside] == arms[: len(p.inside)])


def _runs(loop: Loop) -> bool:
    trips = [ratio.numerator.constant for ratio in loop.trip or ()]
    return loop.at_least > 0 or (bool(trips) and all(trip is not None and trip > 0 for trip in trips))


def _at(step: int) -> int:
    """The place of a step among stops, and among the ends of constructs, which lie between steps."""
    return 4 * step


def _step(place: int) -> int:
    """The first step from there on."""
    return -(-place // 4)


def _end(extent: Extent) -> int:
    """Where all that is in a construct is done: a task that ends it lasts from just before that."""
    return 4 * extent.end - 1


def _are_of_one_thread(x: Entered | None, y: Entered | None) -> bool:
    """Whether the same thread runs both: all `master` blocks."""
    return all(each is not None and each.construct.role is Role.MASTER for each in (x, y))
