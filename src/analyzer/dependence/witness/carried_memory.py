"""Memory that one iteration stores to and the next one reads, shown from where the loop begins.

*Decides*: for a loop with calls or accesses that keep the answer open, whether two iterations from some state are in
order: the second one reads what the first one stored, in a place that is the same for all iterations, and in the
opposite order they leave another value in memory that only one of them stores to, or that they hand on. No copies per
iteration and no reduction give that value.
*Method*: two iterations are run (`trial`, `any_state`) forward and, with all that was chosen, backward.
*Errs toward* nothing: what a trial does not run, loops that are left in these iterations or whose counters are not
known, memory that an unseen call between the two accesses may know, and contents that do not occur.

    for (...) { k = list->n++; list->at[k] = a[i]; if (k > 9) log(k); }      ->  list->n
"""

from collections.abc import Iterator
from itertools import islice

from msgspec import Struct

from ...access.liveness import is_live_after
from ...access.subscripts import subscripts
from ...facts.loop import Reason
from ...ir.nodes import Access, Assign, Load, statements, walk
from ...ir.reasons import ReasonCode
from ...source.ctypes import Floating, Integer
from ..finding import Finding, Problem
from ..function_facts import Surroundings
from ..scope import Scope
from .any_state import AnyState
from .arithmetic import Number, StuckError
from .decided import Ways, WaysFromAnywhere, is_open
from .machine import Cell, Touch
from .trial import Trial

MOST_STATES = 8
"""From which two iterations are run."""


def carried_memory(around: Surroundings, scope: Scope, total: Finding) -> Finding:
    """The finding with two accesses of which the order matters, where its problems leave that open; else as it is."""
    if not total.problems or scope.loop.trip is None or not is_open(scope, total) or not _may_hand_on(scope):
        return total
    for ways in (Ways(around, scope), WaysFromAnywhere(around, scope)):
        for seed in islice(ways.seeds(), MOST_STATES):
            run = ways.entering(seed)
            if run is None:
                continue
            try:
                found = _Orders(around, scope, run).flow()
            except StuckError:
                found = None
            finally:
                ways.steps = min(ways.steps, run.steps)
            ways.entered = ways.entered or bool(run.touched)
            if found is not None:
                return Finding((_problem(found), *total.problems), total.assumptions, total.separated)
    return total


def _may_hand_on(scope: Scope) -> bool:
    """Whether the loop reads and stores to a place that is the same for all iterations, by what its subscripts say."""
    read = {o.access.object for o in scope.occurrences if not o.write}
    stored = (o.access for o in scope.writes if o.access.object in read)
    return any(not any(scope.varies(s) for i in subscripts(access) for s in i.symbols) for access in stored)


class Flow(Struct, frozen=True):
    """What one iteration stores and the next one reads."""

    written: Touch
    read: Touch


def _problem(flow: Flow) -> Problem:
    store, load = flow.written.access, flow.read.access
    message = (
        f"line {load.place.line} reads the `{load.text}` that an earlier iteration wrote on line {store.place.line}: "
        "the order of iterations shows"
    )
    lines = (store.place.line, load.place.line)
    reason = Reason(ReasonCode.CARRIED_DEPENDENCE, message, load.place.line, (store.text, load.text), "1", lines)
    return Problem(reason, True, True)


class _Orders:
    """Two iterations of a loop in both orders. Raises `StuckError` where they cannot be run."""

    def __init__(self, around: Surroundings, scope: Scope, run: Trial) -> None:
        self.around, self.scope, self.forward = around, scope, run
        moved = (*(i.variable for i in scope.loop.inductions), *(r.variable for r in scope.loop.recurrences))
        self.counters = [v for v in moved if isinstance(v.type, Integer | Floating)]
        self.own = frozenset(_updated(scope))
        self.start = run.copy()
        self.entering = [self._one(run, 0), self._one(run, 1)]

    def flow(self) -> Flow | None:
        """What goes from one iteration to the next, if the order shows."""
        flows = list(self._flows())
        if not flows:
            return None
        handed_on = [flow for flow in flows if id(flow.read.access) not in self.own]
        back = self._backward()
        for cell in dict.fromkeys((*self.forward.memory, *back.memory)):
            if self._left(self.forward, back, cell) == self._left(back, self.forward, cell) or not self._shows(cell):
                continue
            itself = [flow for flow in flows if flow.read.cell == cell]
            writers = {t.iteration for t in self.forward.touched if t.write and t.cell == cell}
            found = itself or (handed_on if len(writers) == 1 else [])
            if found:
                return found[0]
        return None

    def _one(self, run: Trial, k: int) -> dict[int, Number]:
        """Runs an iteration, and says what its counters were before."""
        run.iteration = k
        at = {v.key: run.variable(v) for v in self.counters} if k else {}
        if run.iterate(self.scope.loop, k) is not None:
            raise StuckError("left")
        return at

    def _backward(self) -> Trial:
        run = self.start
        before = {v.key: run.variable(v) for v in self.counters}
        run.chosen, run.steps = self.forward.chosen.copy(), self.forward.steps
        for k in (1, 0):
            run.variables.update(self.entering[k] if k else before)
            run.iteration = k
            if run.iterate(self.scope.loop, k) is not None:
                raise StuckError("left")
        self.forward.steps = run.steps
        return run

    def _left(self, run: Trial, other: Trial, cell: Cell) -> Number | None:
        """What a run left in memory, where either of them stored."""
        return run.memory.get(cell, other.unset.get(cell))

    def _shows(self, cell: Cell) -> bool:
        """Whether somebody may read the memory after the loop, and it is certain that the iterations store there."""
        doubtful = isinstance(self.forward, AnyState) and cell in self.forward.doubtful
        x = cell[0]
        return not doubtful and not self.scope.fresh(x) and is_live_after(self.around.function, self.scope.loop, x)

    def _flows(self) -> Iterator[Flow]:
        """Each place that the second iteration reads as the first one left it, other than it was before."""
        written: dict[Cell, tuple[int, Touch]] = {}
        own = set[Cell]()
        for n, touch in enumerate(self.forward.touched):
            cell = touch.cell
            if touch.write and touch.iteration == 0:
                written[cell] = n, touch
            elif touch.write:
                own.add(cell)
            elif touch.iteration == 1 and cell in written and cell not in own:
                at, store = written[cell]
                changed = store.after != self.forward.unset.get(cell)
                if changed and self._is_one_place(cell) and not self._may_change(cell, at, n):
                    yield Flow(store, touch)

    def _is_one_place(self, cell: Cell) -> bool:
        """Whether iterations get there whatever they read."""
        found = (t.access for t in self.forward.touched if t.cell == cell)
        return all(map(self.forward.entry.is_steady, found)) and self._shows(cell)

    def _may_change(self, cell: Cell, first: int, last: int) -> bool:
        """Whether a call that is not seen, between two accesses, may know the place."""
        calls = (call for at, call in self.forward.unseen_calls if first < at <= last)
        return any(self.scope.visible(cell[0], call) for call in calls)


def _updated(scope: Scope) -> Iterator[int]:
    """The reads, by identity, of a place by the statement that changes it: `p->n++` hands on nothing but the sum."""
    for s in statements(scope.loop.body):
        if isinstance(s, Assign) and isinstance(s.target, Access):
            loads = (e.access for e in walk(s.value) if isinstance(e, Load))
            yield from (id(access) for access in loads if access.text == s.target.text)
