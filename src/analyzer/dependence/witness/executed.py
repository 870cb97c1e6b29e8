"""Dependences that a run of a small instance shows: the loop forward, backward, and with copies.

*Decides*: for a loop of which all problems are dependences that may exist, whether some sizes and contents make the
order of its iterations matter: in their order they leave another value in memory than in the opposite order, than where
each has a copy of all that several of them write, and than where it has copies of the part of it that they get right.
*Method*: the loop IR is run (`machine`) from the beginning of the function, up to the first time that it gets to the
loop. What is a sum in any form is the same backward; what each iteration sets anew is the same in copies.
*Errs toward* nothing: what the machine does not run, loops that are left early, memory that nobody reads later,
contents that do not occur, as the user or an expert says, and what only sizes show that nobody means.

    out[next[key[i]]++] = value[i];     ->  n = 5: backward, out[0] is value[4]
    for (j...) if (a[j] > a[j + 1]) swap(a[j], a[j + 1]);     ->  one bubble after the other is another array
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ...access.liveness import is_live_after
from ...facts.loop import Reason
from ...ir.nodes import Access, Assign, Branch, Evaluate, Loop, Ratio, Statement
from ...ir.reasons import ReasonCode
from ...loops.restrict_pointers import apart
from ...source.ctypes import Floating, Integer
from ..finding import Finding, Problem
from ..function_facts import Surroundings
from ..pragmas import promise
from ..scope import Scope
from .arithmetic import Number, StuckError
from .chosen_values import ChosenValues, machine, named_in
from .machine import Cell, Machine, Place, Touch

ROUNDS = 12
"""Sets of sizes and contents that are tried."""

MOST_STEPS = 20_000
"""Expressions evaluated for one loop, in all rounds."""

MOST_ITERATIONS = 8
"""Of the loop, in one run; with more, the first ones are looked at."""

LEAST_ITERATIONS = 2
"""Of the loop: fewer have no order."""


def executed(around: Surroundings, scope: Scope, total: Finding) -> Finding:
    """The finding with a dependence that a run shows, where all of its problems are such that may be; else as it is."""
    is_open = all(p.may_be_run and not p.shown for p in total.problems)
    meant = any(not p.of_odd_sizes for p in total.problems)
    if not (is_open and meant) or not may_choose_contents(around, scope):
        return total
    if LEAST_ITERATIONS * _fewest_steps(scope.loop.body) > MOST_STEPS:
        return total
    odd = {frozenset(p.reason.accesses) for p in total.problems if p.of_odd_sizes and p.reason.accesses is not None}
    steps = MOST_STEPS
    for round_ in range(ROUNDS):
        values = ChosenValues(named_in(around.function), round_)
        run = machine(values, steps)
        with suppress(StuckError):
            conflict = _Runs(run, around, scope).conflict()
            if conflict is not None and conflict.texts not in odd:
                shown = _problem(conflict, total.problems[0], values.sizes(around.function.parameters))
                return replace(total, problems=(shown, *total.problems))
        steps = run.steps
    return total


def _fewest_steps(body: tuple[Statement, ...]) -> int:
    """How many expressions are evaluated at least when a body is run to its end: in `for (j = 0; j < 32000; j++)` more
    than a loop around that is worth."""
    steps = 0
    for statement in body:
        match statement:
            case Assign() | Evaluate() | Branch():
                steps += 1
            case Loop(trip=trip, exact_trip=True) if trip is not None:
                steps += _fewest_iterations(trip) * _fewest_steps(statement.body)
            case _:
                pass
    return steps


def _fewest_iterations(trip: tuple[Ratio, ...]) -> int:
    return max(0, min(r.constant or 0 for r in trip))


def may_choose_contents(around: Surroundings, scope: Scope) -> bool:
    """Whether contents of memory may be made up for the loop, and each name of an object means another one."""
    return any_contents(scope) and not around.function.ranges


def any_contents(scope: Scope) -> bool:
    """Whether nobody says that the loop is parallel for those contents that occur."""
    return not (scope.supposing or scope.loop.independent or promise(scope.loop))


class Conflict(Struct, frozen=True):
    """That the order of iterations matters, and the two accesses that show it (None: they are no accesses to memory,
    but to a variable)."""

    accesses: tuple[Touch, Touch] | None

    @property
    def texts(self) -> frozenset[str]:
        return frozenset(touch.access.text for touch in self.accesses or ())


class _Runs:
    """One loop, run in several orders from where it begins. Raises `StuckError` where it is not reached, or has less
    than two iterations."""

    def __init__(self, run: Machine, around: Surroundings, scope: Scope) -> None:
        self.machine, self.around, self.scope = run, around, scope
        run.reach(around.function, scope.loop)
        self.variables, self.memory, self.symbols = dict(run.variables), dict(run.memory), dict(run.symbols)
        self.entering: list[dict[int, Number]] = []
        """The values of the loop's counters at the beginning of each iteration."""
        run.touched = []
        self.count()
        self.touched, run.touched = run.touched, []  # other orders touch in other ones
        _expect_promises(self.touched, scope.loop.key)
        self.forward = _state(run)

    def count(self) -> None:
        """Runs the iterations in their order."""
        run, loop = self.machine, self.scope.loop
        moved = (*(i.variable for i in loop.inductions), *(r.variable for r in loop.recurrences))
        counters = [v for v in moved if isinstance(v.type, Integer | Floating)]
        for run.iteration in range(MOST_ITERATIONS):
            at = {v.key: run.variable(v) for v in counters}
            before = len(run.touched)
            left = run.iterate(loop, run.iteration)
            if left is not None:
                del run.touched[before:]
                _expect_test(left)
                break
            self.entering.append(at)
        if len(self.entering) < LEAST_ITERATIONS:
            raise StuckError("one iteration")

    def conflict(self) -> Conflict | None:
        """Two accesses of which the order matters, if the loop shows that it does."""
        writers: dict[Cell, set[int]] = {}
        for touch in self.touched:
            if touch.write:
                writers.setdefault(touch.cell, set()).add(touch.iteration)
        left = self.machine.steps
        shared = self.backward(frozenset())
        if not any(self.differs(cell, shared) for cell in self.machine.unset):
            self.machine.steps -= 2 * (left - self.machine.steps)  # as if the copies were run: as many rounds are tried
            return None
        several = (cell for cell, iterations in writers.items() if len(iterations) > 1)
        copied = self.backward(frozenset((*several, *self.scope.assigned)))
        rest = self.backward(frozenset(x for x, value in copied.items() if value == self.forward.get(x)))
        for cell in self.machine.unset:
            if all(self.differs(cell, state) for state in (shared, copied, rest)) and self.shows(cell):
                return Conflict(next(_conflicts(self.touched, cell), None))
        return None

    def differs(self, cell: Cell, state: dict[Place, Number]) -> bool:
        """Whether the iterations in their order leave something else there."""
        before = self.machine.unset[cell]
        return self.forward.get(cell, before) != state.get(cell, before)

    def shows(self, cell: Cell) -> bool:
        """Whether somebody may read the memory after the loop."""
        x = cell[0]
        return not self.scope.fresh(x) and is_live_after(self.around.function, self.scope.loop, x)

    def backward(self, own: frozenset[Place]) -> dict[Place, Number]:
        """What is left by the iterations in the opposite order. `own`: what each iteration has for itself, with the
        value from before the loop; the last one's remains."""
        run, last = self.machine, dict[Place, Number]()
        run.variables, run.memory = dict(self.variables), dict(self.memory)
        run.symbols, run.made_in = dict(self.symbols), {}
        for k in reversed(range(len(self.entering))):
            run.changed = set()
            run.variables.update(self.entering[k])
            if run.iterate(self.scope.loop, k) is not None:
                raise StuckError("another number of iterations")
            made = own & run.changed
            after = _state(run)
            last = {x: after[x] for x in made} | last
            _take_back(run.variables, self.variables, made)
            _take_back(run.memory, self.memory, made)
        return _state(run) | last


def _state(machine: Machine) -> dict[Place, Number]:
    found: dict[Place, Number] = dict(machine.variables.items())
    return found | dict(machine.memory.items())


def _take_back(held: dict[Any, Number], before: dict[Any, Number], made: frozenset[Place]) -> None:
    """Gives what an iteration has for itself the value from before the loop again."""
    for x in made & held.keys():
        del held[x]
    held |= {x: before[x] for x in made & before.keys()}


def _expect_test(left: Statement) -> None:
    if not isinstance(left, Evaluate):
        raise StuckError("left early")


def _expect_promises(touched: list[Touch], loop: int) -> None:
    """Raises `StuckError` where two pointers lead to one place although they are `restrict`: no such call is made."""
    written: dict[Cell, set[Access]] = {}
    for touch in touched:
        if touch.write and touch.access.restricted:
            written.setdefault(touch.cell, set()).add(touch.access)
    for touch in touched:
        if any(apart(touch.access, a, loop) for a in written.get(touch.cell, ())):
            raise StuckError("two `restrict` pointers lead to one place")


def _conflicts(touched: list[Touch], differing: Cell) -> Iterator[tuple[Touch, Touch]]:
    """Accesses of different iterations to one cell, one of them a store: those by which a value flows first, and those
    to the cell that differs."""
    at_cell = [t for t in touched if t.cell == differing]
    yield from _flows(at_cell)
    yield from _flows(touched)
    yield from _overwritten(at_cell)
    yield from _overwritten(touched)


def _flows(touched: list[Touch]) -> Iterator[tuple[Touch, Touch]]:
    """Another value than before is stored, and read by a later iteration that has not stored the same again."""
    stored: dict[Cell, Touch] = {}
    for touch in touched:
        made = stored.get(touch.cell)
        if touch.write:
            if touch.before != touch.after:
                stored[touch.cell] = touch
            elif made is not None and made.iteration < touch.iteration:
                del stored[touch.cell]
        elif made is not None and made.iteration < touch.iteration:
            yield made, touch


def _overwritten(touched: list[Touch]) -> Iterator[tuple[Touch, Touch]]:
    """What one iteration reads or stores, and a later one replaces by another value."""
    seen: dict[Cell, Touch] = {}
    for touch in touched:
        first = seen.setdefault(touch.cell, touch)
        if touch.write and first.iteration < touch.iteration and touch.before != touch.after:
            yield first, touch


def _problem(conflict: Conflict, open_: Problem, sizes: str) -> Problem:
    """The dependence as a reason; of a variable, what was known of it before."""
    given = f", for example with {sizes}" if sizes else ""
    if conflict.accesses is None:
        told = open_.reason
        message = f"{told.message}, and the order of the iterations shows{given}"
        return Problem(replace(told, message=message), True, True)
    a, b = conflict.accesses
    x, y = a.access, b.access
    read, written = f"line {x.place.line} reads `{x.text}`", f"line {x.place.line} writes `{x.text}`"
    match a.write, b.write:
        case True, False:
            made = f"which line {x.place.line} writes as `{x.text}` in an earlier iteration"
            what = f"line {y.place.line} reads `{y.text}`, {made}"
        case False, _:
            what = f"{read}, which line {y.place.line} overwrites as `{y.text}` in a later iteration"
        case _:
            again = f"which line {y.place.line} writes again as `{y.text}` in a later iteration"
            what = f"{written}, {again}: the order decides which value stays"
    texts, lines = (x.text, y.text), (x.place.line, y.place.line)
    line = x.place.line if b.write else y.place.line
    reason = Reason(ReasonCode.CARRIED_DEPENDENCE, f"{what}{given}", line, texts, "*", lines)
    return Problem(reason, True, True)
