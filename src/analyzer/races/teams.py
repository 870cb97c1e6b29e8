"""Who runs what, and what may run at once: the threads of one team, and the tasks that they make.

*Decides*: for two steps in a region that several threads run, whether two threads may do them at once, and in
iterations of which loops that shows.
*Method*: the *agent* of a step is what decides which thread does it: an iteration of a divided loop, a section, a
`single` block, a task; else every thread does it. Between two barriers all threads are somewhere (`stretches`); what no
way without a barrier holds together does not run at once. A task runs from where it is made to where its maker waits.
*Errs toward* running at once.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import zip_longest

from msgspec import Struct

from ..ir.nodes import Exit, Loop, Object, statements
from .constructs import HOLDS, LOOPS, STARTS_THREADS, TASKS, Role
from .depend import Order, order, order_across
from .doacross import order_of_iterations
from .recorded import Entered, Extent, Point, Recorded, Step, read_of_lock, two_arms
from .stretches import Course, end_of, place_of

AGENTS = frozenset((Role.LOOP, Role.SECTIONS, Role.SECTION, Role.SINGLE, Role.MASTER)) | TASKS


class Together(Struct, frozen=True):
    """Two iterations of `loop` may do two steps at once; None: a task, and what goes on beside it in the same
    iteration of all loops around both. `of_threads`: its iterations are those of several threads; `sure`: nothing that
    is not followed may order them; `by_items`: the two tasks of one maker that places in their `depend` clauses may
    order, and nothing else."""

    loop: Loop | None
    of_threads: bool = False
    sure: bool = True
    by_items: tuple[Entered, ...] = ()


class Rounds(Struct, frozen=True):
    """By how many iterations of a loop one thread may be ahead of another."""

    loop: Loop
    ahead: tuple[int, ...]


class Team(Struct, frozen=True, dict=True):
    """The threads that run one construct, or, where `entered` is None, a function that somebody's threads call."""

    recorded: Recorded
    entered: Entered | None
    steps: tuple[Step, ...]

    @property
    def role(self) -> Role | None:
        return None if self.entered is None else self.entered.construct.role

    # --- constructs of this team

    def around(self, step: Step) -> tuple[Entered, ...]:
        """The constructs around a step, from that which starts the team on, with those of threads that start in it."""
        if self.entered is None:
            return step.inside
        arms = [each.arm for each in step.inside]
        return step.inside[arms.index(self.entered.arm) :]

    def below(self, inside: tuple[Entered, ...]) -> tuple[Entered, ...]:
        """The constructs of this team around something, outermost first: those of threads that start in it are not, nor
        those by which an iteration is divided again."""
        divided = False
        if self.entered is not None:
            at = next((i for i, each in enumerate(inside) if each.arm == self.entered.arm), None)
            if at is None:
                return ()
            inside, divided = inside[at + 1 :], self.role in LOOPS
        for end, each in enumerate(inside):
            role = each.construct.role
            if role in STARTS_THREADS | {Role.LANES} or (role is Role.LOOP and divided):
                return inside[:end]
            divided |= role in LOOPS
        return inside

    def agents(self, step: Step) -> tuple[Entered, ...]:
        """What decides which thread does it, outermost first; a task is made by what stands before it."""
        key = (step.at, step.clause)
        if key not in self._agents:
            self._agents[key] = self._agents_of(step)
        return self._agents[key]

    @cached_property
    def _agents(self) -> dict[tuple[int, bool], tuple[Entered, ...]]:
        return {}

    def _agents_of(self, step: Step) -> tuple[Entered, ...]:
        own = [each for each in self.below(step.inside) if each.construct.role in AGENTS]
        if step.clause and step.inside[-1].construct.role is Role.SCOPE:
            own.append(step.inside[-1])
        first = next((i for i, each in enumerate(own) if each.construct.role in TASKS), len(own))
        divided = own[first - 1 : first] if first else self._whole()
        return (*divided, *(each for each in own[first:] if each.construct.role in TASKS))

    def _whole(self) -> tuple[Entered, ...]:
        """The construct itself, where it divides its work."""
        if self.entered is None:
            return ()
        masters = {"master", "masked"} & {*self.entered.construct.directive.name}
        divides = self.role in LOOPS | {Role.TEAM_SECTIONS}
        return (self.entered,) if divides or masters else ()

    def divided(self, step: Step, agent: Entered) -> tuple[Loop, ...]:
        """The loops of which the iterations are divided."""
        if agent.construct.role not in LOOPS:
            return ()
        return step.occurrence.loops[agent.depth : agent.depth + (agent.construct.associated or 1)]

    @cached_property
    def threads(self) -> tuple[Loop, ...]:
        """The loop over the numbers of the threads; none where the program with marks has none."""
        if not self.steps or (self.entered is not None and not self.entered.construct.threads):
            return ()
        if self.entered is None:
            return self.steps[0].occurrence.loops[:1]
        loops = (s.occurrence.loops[self.entered.depth - 1 : self.entered.depth] for s in self.steps)
        return next(filter(None, loops), ())

    @property
    def _depth(self) -> int:
        """How many loops are around what each of its threads does."""
        return len(self.threads) if self.entered is None else self.entered.depth

    # --- stretches without a barrier

    @cached_property
    def course(self) -> Course:
        """The way of a thread through the steps."""
        own = None if self.entered is None else self.recorded.entered[self.entered.arm]
        inside = (0, 1 << 60) if own is None else (own.first, own.end)
        return Course(self.recorded, tuple(s.at for s in self.steps), inside, {loop.key for loop in self.threads})

    @cached_property
    def barriers(self) -> tuple[int, ...]:
        """Where all threads wait for each other."""
        points = (p for p in self.recorded.points if p.construct.role is Role.BARRIER)
        found = {place_of(p.at) for p in points if self._is_of_team(p.inside)}
        extents = self.recorded.entered.values()
        waiting = (e for e in extents if e.entered.construct.waits_at_end and self._is_of_team(e.around))
        found |= {end_of(e) for e in waiting if self._is_of_team((*e.around, e.entered))}
        return tuple(sorted(found))

    def _is_of_team(self, inside: tuple[Entered, ...]) -> bool:
        """Whether the constructs around something are those of this team, and of none that starts in it."""
        arms = [each.arm for each in inside]
        if self.entered is not None and self.entered.arm not in arms:
            return False
        first = 0 if self.entered is None else arms.index(self.entered.arm) + 1
        return len(self.below(inside)) == len(inside) - first

    @cached_property
    def stretches(self) -> tuple[frozenset[int], ...]:
        """What may run between two barriers: the steps, by their places, on each way from one barrier to the next."""
        own = None if self.entered is None else self.recorded.entered[self.entered.arm]
        begins = [-1 if own is None else place_of(own.first) - 1, *self.barriers]
        return self.course.stretches(begins, self.barriers)

    def meet_between_barriers(self, a: Step, b: Step) -> bool:
        return any(a.at in stretch and b.at in stretch for stretch in self.stretches)

    def rounds(self, a: Step, b: Step) -> "Rounds | None":
        """By how many rounds of a loop in which all threads wait each time one of them, which does `a`, may be ahead of
        another one, which does `b`; None where that may be any number.

        Example: in `for (...) { a; barrier; b; }`, who does `a` is in the round of others that do, and one ahead of
        those that do `b`."""
        loops = [s.occurrence.loops[self._depth : self._depth + 1] for s in (a, b)]
        if not loops[0] or loops[0] != loops[1]:
            return None
        loop = loops[0][0]
        stops = self._certain_barriers(loop)
        if not stops:
            return None
        x, y = (place_of(s.at) for s in (a, b))
        same = not any(min(x, y) < at < max(x, y) for at in stops)
        ahead = not any(at < x or at > y for at in stops)
        behind = not any(at < y or at > x for at in stops)
        return Rounds(loop, tuple(n for n, may_be in ((0, same), (1, ahead), (-1, behind)) if may_be))

    def _certain_barriers(self, loop: Loop) -> tuple[int, ...]:
        """Where all threads wait in each iteration of a loop."""
        if any(isinstance(s, Exit) and s.kind == "continue" for s in statements(loop.body)):
            return ()
        first, last = self.recorded.extents[loop.key]
        every = (*self.recorded.extents.values(), *self.recorded.branches.values())
        parts = [(begin, end) for begin, end in every if first <= begin and end <= last]
        inner = [part for part in parts if part != (first, last)]
        inside = (at for at in self.barriers if place_of(first) <= at < place_of(last))
        return tuple(at for at in inside if not any(place_of(begin) <= at < place_of(end) for begin, end in inner))

    @cached_property
    def waits_by_flags(self) -> bool:
        """Whether threads may wait for each other in ways that are not followed."""
        if any(_waits_for_a_value(s) for s in self.steps):
            return True
        tests = any(s.occurrence.test and s.occurrence.loops[-1].trip is None for s in self.steps)
        flushes = (p for p in self.recorded.points if p.construct.role is Role.FLUSH)
        inside = (p for p in flushes if self.entered is None or self.entered.arm in [e.arm for e in p.inside])
        return any(tests or p.construct.directive.name != ("flush",) for p in inside)

    # --- what may run at once

    def at_once(self, a: Step, b: Step) -> Iterator[Together]:
        """In which iterations two steps may be done at once; nothing where they never are."""
        x, y = self.agents(a), self.agents(b)
        if not self.meet_between_barriers(a, b) or _exclude(a, b):
            return
        if not any(each.construct.role in TASKS for each in (*x, *y)):
            yield from self._of_threads(a, x[-1] if x else None, b, y[-1] if y else None)
        else:
            arms = ([each.arm for each in agents] for agents in (x, y))
            common = next((i for i, (p, q) in enumerate(zip_longest(*arms)) if p != q), len(x))
            for level in range(common):
                yield from self._of_one_agent(a, x[:level], x[level], b)
            if not common == len(x) == len(y):
                yield from self._beside(a, x, b, y, common)

    def _of_threads(self, a: Step, x: Entered | None, b: Step, y: Entered | None) -> Iterator[Together]:
        every = (Together(loop, True) for loop in self.threads)
        if x is None or y is None or x.arm != y.arm:
            apart = x is None and y is None and self.entered is None
            if not apart and not _are_of_one_thread(x, y):
                yield from every
        elif self.divided(a, x):
            yield from self._divided(a, x, b)
            yield from self._again(a, x, b)
        else:
            yield from self._again(a, x, b)

    def _divided(self, a: Step, x: Entered, b: Step) -> Iterator[Together]:
        how = order_of_iterations(self.recorded, x, a, b)
        if how is Order.YES:
            return iter(())
        known = x.construct.associated is not None and how is Order.NO
        loops = (loop for loop in self.divided(a, x) if loop in b.occurrence.loops)
        return (Together(loop, x.construct.role in (Role.LOOP, Role.TEAM_LOOP), known) for loop in loops)

    def _again(self, a: Step, x: Entered, b: Step) -> Iterator[Together]:
        """In another round of a loop around the construct, where no barrier ends it."""
        whole = x
        for each in self.below(a.inside):
            if each.construct.role is Role.SECTIONS and x.construct.role is Role.SECTION:
                whole = each
        if not whole.construct.directive.has("nowait") or self.entered is None:
            return
        extent = self.recorded.entered[whole.arm]
        if any(extent.first <= at < extent.end for at in self.course.reached(end_of(extent), self.barriers)):
            rounds = a.occurrence.loops[self.entered.depth : whole.depth]
            yield from (Together(loop, True) for loop in rounds if loop in b.occurrence.loops)

    def _of_one_agent(
        self, a: Step, maker: tuple[Entered, ...], agent: Entered, b: Step
    ) -> Iterator[Together]:
        """Of what is done in, or made by, two iterations of one loop, or two tasks of one construct: made again and
        again."""
        if agent.construct.role in LOOPS:
            yield from self._divided(a, agent, b)
        if agent.construct.role not in TASKS:
            return
        how = order_across(self, agent.construct.directive, agent.construct.directive)
        if not maker and self.entered is not None:
            yield from (Together(loop, True) for loop in self.threads)  # every thread makes one
        extent = self.recorded.entered[agent.arm]
        if any(extent.first <= at < extent.end for at in self.lasts(agent)):
            inner = maker[-1].depth if maker else self._depth
            for i, loop in enumerate(a.occurrence.loops[self._depth : agent.depth], self._depth):
                siblings = Order.NO if i < inner else how  # tasks of several makers do not wait for each other
                if loop in b.occurrence.loops and siblings is not Order.YES:
                    by_items = (agent, agent) if siblings is Order.PERHAPS else ()
                    yield Together(loop, sure=siblings is Order.NO, by_items=by_items)

    def _beside(
        self, a: Step, x: tuple[Entered, ...], b: Step, y: tuple[Entered, ...], common: int
    ) -> Iterator[Together]:
        """Of which at least one is done by a task, and the other by another one, or by what makes it. `common`: how
        many agents make both."""
        if not common and self.entered is not None and not (x and y and _are_of_one_thread(x[0], y[0])):
            yield from (Together(loop, True) for loop in self.threads)
        made = [e for agents in (x, y) for e in agents[common:] if e.construct.role in TASKS]
        lasting = [e for e in made if any(self._lasts_beside(e, s) for s in (a, b))]
        behind = [e for e in lasting if any(self._lasts_beside(e, s) and self._is_behind(e, s) for s in (a, b))]
        siblings = tuple(e for agents in (x, y) for e in agents[common : common + 1] if e in made)
        waits = any(self._may_wait_for(p, e) for p in self.recorded.points for e in lasting)
        depth = min((e.depth for e in made), default=0)
        rounds = [loop for loop in a.occurrence.loops[self._depth : depth] if loop in b.occurrence.loops]
        for loop, beside in ((None, behind), *((loop, lasting) for loop in rounds)):
            how = self._order_of(siblings, beside, loop is not None)
            if beside and how is not Order.YES:
                by_items = siblings if how is Order.PERHAPS and not waits else ()
                yield Together(loop, sure=how is Order.NO and not waits, by_items=by_items)

    def _order_of(self, siblings: tuple[Entered, ...], beside: list[Entered], across: bool) -> Order:
        """Whether `depend` orders what two tasks of one maker do, of which those `beside` last on: what one of them
        makes, and does not wait for, is not ordered by it. `across`: in two iterations of a loop around both."""
        if len(siblings) < 2 or any(e not in siblings for e in beside):
            return Order.NO
        x, y = siblings
        return order_across(self, x.construct.directive, y.construct.directive) if across else order(self, x, y)

    def _lasts_beside(self, task: Entered, step: Step) -> bool:
        """Whether a step that is not in a task may come before somebody waits for that."""
        return task.arm not in step.arms and step.at in self.lasts(task)

    def _is_behind(self, task: Entered, step: Step) -> bool:
        """Whether a step comes after a task in an iteration of all loops around both: what comes before is done."""
        return self.recorded.entered[task.arm].end <= step.at

    @cached_property
    def tasks(self) -> Mapping[int, frozenset[int]]:
        """What each task lasts beside (`lasts`), by its arm."""
        every = (e.entered for e in self.recorded.entered.values() if e.entered.construct.role in TASKS)
        return {each.arm: self.lasts(each) for each in every}

    def lasts(self, task: Entered) -> frozenset[int]:
        """The steps that may come before somebody waits for the task."""
        extent = self.recorded.entered[task.arm]
        if task.construct.role is Role.TASK_LOOP and not task.construct.directive.has("nogroup"):
            return frozenset()
        waits = (place_of(p.at) for p in self.recorded.points if self._waits_for(p, extent))
        groups = (e for e in extent.around if e.construct.role is Role.GROUP)
        ends = (end_of(self.recorded.entered[each.arm]) for each in groups)
        return self.course.reached(end_of(extent) - 1, tuple(sorted((*self.barriers, *waits, *ends))))

    def _waits_for(self, point: Point, extent: Extent) -> bool:
        """Whether it is a `taskwait` of what makes the task."""
        if point.construct.role is not Role.TASK_WAIT:
            return False
        directive = point.construct.directive
        task = extent.entered.construct.directive
        if directive.has("depend") and order_across(self, task, directive) is not Order.YES:
            return False
        both = (point.inside, extent.around)
        waiting, maker = ([e.arm for e in around if e.construct.role in TASKS] for around in both)
        return waiting == maker

    def _may_wait_for(self, point: Point, task: Entered) -> bool:
        """Whether it is a `taskwait` that waits for some tasks, perhaps for this one among them."""
        directive = point.construct.directive
        return directive.has("depend") and order_across(self, task.construct.directive, directive) is Order.PERHAPS

    # --- what keeps them apart

    def holds(self, step: Step) -> frozenset[tuple[Role, str]]:
        """What a thread holds while it does it: a critical section or an order, by name."""
        key = (step.at, step.clause)
        if key not in self._holds:
            self._holds[key] = self._held_by(step)
        return self._holds[key]

    @cached_property
    def _holds(self) -> dict[tuple[int, bool], frozenset[tuple[Role, str]]]:
        return {}

    def _held_by(self, step: Step) -> frozenset[tuple[Role, str]]:
        own = [e.construct for e in self.around(step) if e.construct.role in HOLDS - {Role.ATOMIC}]
        if self.are_groups:
            return frozenset()
        lanes = self.role is Role.LANES
        kept = [c for c in own if lanes or not (c.role is Role.ORDERED and c.directive.has("simd"))]
        of_loop = self._in_order(step)
        return frozenset(
            (c.role, of_loop if c.role is Role.ORDERED else (c.directive.argument or "").strip())
            for c in kept
            if of_loop or c.role is not Role.ORDERED
        )

    def _in_order(self, step: Step) -> str:
        """The loop of this team of whose iterations `ordered` keeps the order; empty where a thread may be in another
        round of it."""
        own = (*(() if self.entered is None else (self.entered,)), *self.below(step.inside))
        loop = next((e for e in reversed(own) if e.construct.role in LOOPS), None)
        if loop is None:
            return ""
        first = 1 if self.entered is None else self.entered.depth
        again = loop.construct.directive.has("nowait") and loop.depth > first
        return "" if again else str(loop.arm)

    @property
    def are_groups(self) -> bool:
        """Whether its threads are each the first of a team: what one of them holds does not stop the others."""
        return self.entered is not None and "teams" in self.entered.construct.directive.name

    def locks(self, step: Step) -> frozenset[Object | int]:
        """The locks that are taken before it and not given back: which variable, or where it is taken."""
        taken = [(p, read_of_lock(self.recorded, p)) for p in self.taken(step)]
        plain = ((p, r if is_one_lock(lock_of(p)) else None) for p, r in taken)
        return frozenset(p.at if r is None else r.occurrence.access.object for p, r in plain)

    def taken(self, step: Step) -> tuple[Point, ...]:
        """Where locks are taken that are not given back, by the same name, before it."""
        return self._taken(step, False)

    def held(self, step: Step) -> tuple[Point, ...]:
        """Where the locks are taken that it certainly holds: none of those that are given back, by whatever name."""
        return self._taken(step, True)

    @cached_property
    def given_back_by_others(self) -> frozenset[str]:
        """The locks that some thread gives back which, as far as is seen, has not taken it."""
        given = (p for p in self.lockings if p.construct.role is Role.UNLOCK)
        return frozenset(name for p in given if (name := lock_of(p)) not in map(lock_of, self._taken(p, False)))

    def _taken(self, step: Step | Point, certainly: bool) -> tuple[Point, ...]:
        held: list[Point] = []
        for point in self.lockings:
            if point is step or point.at > step.at:
                break
            certain = point.conditions == step.conditions[: len(point.conditions)]
            if point.construct.role is Role.LOCK and certain and _is_before(point, step):
                held.append(point)
            elif point.construct.role is Role.UNLOCK and two_arms(point.conditions, step.conditions) is None:
                held = _given_back(held, lock_of(point), certainly)
        return tuple(held)

    @cached_property
    def lockings(self) -> tuple[Point, ...]:
        return tuple(p for p in self.recorded.points if p.construct.role in (Role.LOCK, Role.UNLOCK))

    @cached_property
    def has_plain_locks(self) -> bool:
        """Whether each lock that is taken or given back is a variable, called by its own name."""
        return all(is_one_lock(lock_of(point)) for point in self.lockings)


def _waits_for_a_value(step: Step) -> bool:
    """Whether it is read atomically again and again."""
    loops = step.occurrence.loops
    atomic = (e.construct.directive for e in step.inside if e.construct.role is Role.ATOMIC)
    is_read = step.occurrence.within is not None and not step.occurrence.write
    return bool(loops) and loops[-1].trip is None and (is_read or any(d.has("read") for d in atomic))


def lock_of(point: Point) -> str:
    return "".join((point.construct.directive.argument or "").split())


def is_one_lock(name: str) -> bool:
    """Whether it is the same lock whenever it is named so: a variable of its own."""
    return name.startswith("&") and name[1:].isidentifier()


def _given_back(held: list[Point], name: str, certainly: bool) -> list[Point]:
    """What is held after a lock is given back; `certainly`: where none is held by that name, it may be any of those
    that are selected."""
    last = next((p for p in reversed(held) if lock_of(p) == name), None)
    if last is not None:
        return [p for p in held if p is not last]
    return [p for p in held if is_one_lock(name) and is_one_lock(lock_of(p))] if certainly else held


def _is_before(point: Point, step: Step | Point) -> bool:
    arms = [each.arm for each in step.inside]
    return [e.arm for e in point.inside] == arms[: len(point.inside)]


def _exclude(a: Step, b: Step) -> bool:
    """Whether they stand in the two arms of one condition that is the same for all threads, as constructs are in it
    that all of them come to."""
    arms = two_arms(a.conditions, b.conditions)
    return arms is not None and any(_has_construct(s, *arms) for s in (a, b))


def _has_construct(step: Step, *arms: int) -> bool:
    """Whether all threads come to a construct around the step, in one of these arms."""
    shared = (e for e in step.inside if e.construct.role in (Role.LOOP, Role.SINGLE, Role.SECTIONS))
    return any(g.arm in arms for e in shared for g in e.conditions)


def _are_of_one_thread(x: Entered | None, y: Entered | None) -> bool:
    """Whether the same thread runs both: all `master` blocks."""
    return all(
        each is not None and each.construct.role is Role.MASTER and not each.construct.directive.has("filter")
        for each in (x, y)
    )
