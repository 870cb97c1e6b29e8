"""Loops that are left, or end, as data say: two iterations from where the loop begins.

*Decides*: for a loop that may be left early, or of which nobody knows how often it runs, whether there is a state in
which the function may get to it (`loop_entry`, or else `approach`), and from there two ways to go on, which differ in
nothing but what iterations read anew or calls return: one ends the loop in, or before, its second iteration, the other
begins one more. Then each iteration decides whether there is a next one. Where nobody can follow how the function gets
to the loop, the state may be any (`any_state`), as long as the end does not rest on what was supposed of it.
*Errs toward* nothing: what a `trial` does not run, ends that only sizes and counters decide, contents that do not
occur, as the user or an expert says.

    for (p = list; p != NULL; p = p->next) if (strcmp(p->name, name) == 0) return p;      ->  the `return`
"""

from collections.abc import Hashable, Iterator
from random import Random

from msgspec.structs import replace

from ...ir.nodes import Evaluate, Exit, Loop, Refused, Statement, statements
from ...ir.reasons import ReasonCode
from ..finding import Finding, Problem
from ..function_facts import Surroundings
from ..scope import Scope
from .any_state import ANEW, AnyState
from .approach import Approach, FunctionStart
from .arithmetic import Number, StuckError
from .chosen_values import named_in
from .ended import ENDS, End, changed_in, decided_by
from .executed import any_contents
from .loop_entry import LoopEntry, loop_entry
from .trial import Trial

ROUNDS = 16
"""States that are tried, and ways to go on from one of them."""

MOST_STEPS = 9000
"""Expressions evaluated for one loop."""

MOST_FROM_START = 18000
"""The same, with the way to the loop."""

MOST_FROM_ANYWHERE = 14000
"""The same, with what nobody follows."""

HOPELESS = 4
"""States from which no iteration could be run, before no others are tried."""


def decided(around: Surroundings, scope: Scope, total: Finding) -> Finding:
    """The finding with the exit or test that data decide about, where one keeps the answer open; else as it is."""
    codes = {p.reason.code for p in total.problems}
    if codes.isdisjoint(ENDS) or not is_open(scope, total):
        return total
    shown = next(filter(None, _shown(around, scope, ReasonCode.UNKNOWN_TRIP_COUNT in codes)), None)
    return total if shown is None else replace(total, problems=(shown, *total.problems))


def is_open(scope: Scope, total: Finding) -> bool:
    """Whether trials of a loop may show what its problems leave open."""
    if any(p.shown for p in total.problems) or not any_contents(scope):
        return False
    return not any(isinstance(s, Refused) for s in statements(scope.loop.body))


def _shown(around: Surroundings, scope: Scope, by_test: bool) -> Iterator[Problem | None]:
    """`by_test`: the test may end the loop, too, before what it counts is done."""
    entry, anywhere = Ways(around, scope), WaysFromAnywhere(around, scope)
    if by_test or not _is_of_two(scope.loop):  # else nothing goes on from the second iteration
        yield entry.shown()
        yield WaysFromStart(around, scope).shown()
        yield anywhere.shown()
    for ways in (entry, anywhere):
        yield ways.shown_at_once()


def _is_of_two(loop: Loop) -> bool:
    """Whether a loop has two iterations at most."""
    return any(r.denominator == 1 and r.numerator.constant == 2 for r in loop.trip or ())


class Ways:
    """The ways that the first iterations of a loop may go."""

    rounds, hopeless, most = ROUNDS, HOPELESS, MOST_STEPS

    def __init__(self, around: Surroundings, scope: Scope, entry: LoopEntry | None = None) -> None:
        self.entry = entry or loop_entry(around, scope)
        self.read_as = named_in(around.function).read_as
        self.scope, self.steps, self.entered = scope, self.most, False

    def shown(self) -> Problem | None:
        for seed in self.seeds():
            first = self.begun(seed)
            end = None if first is None else self.end(first)
            found = None if end is None else decided_by(self.scope, end)
            if first is None or end is None or found is None:
                continue
            same = {key: first.chosen[key] for key in first.steady}
            again = (self.goes_on(self.begun(other, same), end) for other in range(seed + 1, seed + 1 + ROUNDS))
            if any(again):
                return found
        return None

    def shown_at_once(self) -> Problem | None:
        """What leaves the first iteration, where another way to go on begins the second one: for loops of two."""
        if not self.entry.is_left or not _is_of_two(self.scope.loop):
            return None
        self.steps = self.most
        for seed in self.seeds():
            first = self.entering(seed)
            end = None if first is None else self.first_end(first)
            found = None if end is None else decided_by(self.scope, end)
            if first is None or found is None:
                continue
            same = {key: first.chosen[key] for key in first.steady}
            for other in range(seed + 1, seed + 1 + ROUNDS):
                run = self.begun(other, same)
                if run is not None and not isinstance(self.next(run), Evaluate) and run.iteration == 1:
                    return found
        return None

    def first_end(self, run: Trial) -> End | None:
        """How the first iteration leaves the loop, if it can."""
        run.wished = True
        run.iteration = -1
        left = self.next(run)
        self.entered |= run.iteration == 0
        return End(0, left, changed_in(run)) if isinstance(left, Exit) else None

    def seeds(self) -> Iterator[int]:
        """One for each state that is tried."""
        for seed in range(self.rounds):
            if seed >= self.hopeless and not self.entered:
                return
            yield seed

    def begun(self, seed: int, same: dict[Hashable, Number] | None = None) -> Trial | None:
        """A run that had a whole first iteration. `same`: values that are chosen already."""
        run = self.entering(seed, same)
        if run is None:
            return None
        try:
            if run.iterate(self.scope.loop, 0) is not None:
                return None
            self.entered = True
            return run
        except StuckError:
            return None
        finally:
            self.steps = run.steps

    def entering(self, seed: int, same: dict[Hashable, Number] | None = None) -> Trial | None:
        """A run that is about to begin the first iteration."""
        run = self.run(seed, dict(same or {}))
        run.symbols = {each.counter: 0 for each in self.entry.outer}
        run.iteration = 0
        try:
            conditions = list(self.entry.conditions)
            if seed % 2:  # what is to hold decides more than what is not to: `if (n == 64) ...; else if (n == 128)`
                conditions.sort(key=lambda each: not each[1])
            return run if all(run.may_hold(condition, holds) for condition, holds in conditions) else None
        except StuckError:
            return None
        finally:
            self.steps = run.steps

    def run(self, seed: int, chosen: dict[Hashable, Number]) -> Trial:
        """A run that has not begun."""
        return Trial(
            *(_unused, _unused, self.read_as, self.steps),
            entry=self.entry,
            draw=Random(seed),
            numbers=self.entry.numbers,
            chosen=chosen,
        )

    def end(self, run: Trial) -> End | None:
        """How the second iteration ends the loop, if it can."""
        run.wished = True
        left = self.next(run)
        return None if left is None else End(1, left, changed_in(run))

    def goes_on(self, run: Trial | None, end: End) -> bool:
        """Whether a run begins an iteration more than one that ended so."""
        if run is None:
            return False
        left = self.next(run)
        if isinstance(end.left, Evaluate):
            return not isinstance(left, Evaluate) and run.iteration == 1
        return left is None and not isinstance(self.next(run), Evaluate) and run.iteration == 2

    def next(self, run: Trial) -> Statement | None:
        """What ends the next iteration; the iteration is not counted where it cannot be run."""
        run.iteration += 1
        try:
            return run.iterate(self.scope.loop, run.iteration)
        except StuckError:
            run.iteration = -1
            return None
        finally:
            self.steps = run.steps


class WaysFromAnywhere(Ways):
    """The same, from any state, and with values for all that is not followed."""

    rounds, hopeless, most = 2 * ROUNDS, ROUNDS, MOST_FROM_ANYWHERE

    def run(self, seed: int, chosen: dict[Hashable, Number]) -> AnyState:
        return AnyState(
            *(_unused, _unused, self.read_as, self.steps),
            entry=self.entry,
            draw=Random(seed),
            numbers=self.entry.numbers,
            chosen=chosen,
        )

    def end(self, run: Trial) -> End | None:
        return _of_what_is_new(run, Ways.end(self, run))

    def first_end(self, run: Trial) -> End | None:
        return _of_what_is_new(run, Ways.first_end(self, run))


class WaysFromStart(Ways):
    """The same, with loops that are reached from where the function begins: from each state, two ways are tried."""

    rounds, hopeless, most = 2 * ROUNDS, 2 * ROUNDS, MOST_FROM_START

    def __init__(self, around: Surroundings, scope: Scope) -> None:
        self.start = FunctionStart(around, scope)
        super().__init__(around, scope, self.start)
        self.arrived: Approach | None = None

    def entering(self, seed: int, same: dict[Hashable, Number] | None = None) -> Trial | None:
        try:
            run = self._reached(seed) if same is None else self._again(seed, same)
        except StuckError:
            return None
        run.iteration = 0
        return run

    def _reached(self, seed: int) -> Approach:
        if self.arrived is not None and seed % 2:
            return self._again(seed, self.arrived.chosen)
        self.arrived, run = None, Approach(
            *(_unused, _unused, self.read_as, self.steps),
            entry=self.start,
            start=self.start,
            draw=Random(seed),
            numbers=self.start.numbers,
            chosen={},
        )
        try:
            run.approach()
        finally:
            self.steps = run.steps
        self.arrived = run.copy()
        return run

    def _again(self, seed: int, same: dict[Hashable, Number]) -> Approach:
        if self.arrived is None:
            raise StuckError("not reached")
        run = self.arrived.copy()
        run.chosen, run.draw, run.steps = dict(same), Random(seed), self.steps
        return run


def _of_what_is_new(run: Trial, end: End | None) -> End | None:
    return end if isinstance(run, AnyState) and run.leaving & ANEW else None


def _unused(*_: object) -> Number:
    raise StuckError("not chosen")
