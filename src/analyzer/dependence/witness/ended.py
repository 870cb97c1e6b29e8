"""Loops that are left, or end, as contents of memory say: the number of iterations in several runs.

*Decides*: for a loop that may be left early, or of which nobody knows how often it runs, whether contents of memory
alone, for the same arguments, end it sooner or later: then each iteration decides whether there is a next one.
*Method*: the loop IR is run (`machine`) until the loop ends, with several contents, for some of which it has a second
iteration. What ends it first has to depend on what the loop reads anew, or stores.
*Errs toward* nothing: what the machine does not run, ends that only sizes and counters decide, contents that do not
occur, as the user or an expert says.

    while (2*i + 1 < n) { ...; if (heap[i] >= heap[j]) break; swap(heap[i], heap[j]); i = j; }    ->  the `break`
"""

from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from ...access.subscripts import subscripts
from ...facts.loop import Reason
from ...ir.nodes import Access, Call, Counter, Evaluate, Exit, Expression, Load, Statement, Use, walk
from ...ir.polynomials import Poly
from ...ir.reasons import ReasonCode
from ..finding import Finding, Problem
from ..function_facts import Surroundings
from ..scope import Scope
from .arithmetic import StuckError
from .chosen_values import ChosenValues, machine, named_in
from .executed import may_choose_contents
from .free_contents import inner_guards, inputs
from .free_inputs import is_free
from .machine import Machine

ROUNDS = 8
"""Sets of arguments."""

CONTENTS = 4
"""Contents of memory for each of them."""

LARGER = 3
"""Times the sizes that show a dependence: so many iterations are not run because of their number."""

MOST_STEPS = 10_000
"""Expressions evaluated for one loop, in all runs."""

MOST_ITERATIONS = 32

ENDS = (ReasonCode.EARLY_EXIT, ReasonCode.UNKNOWN_TRIP_COUNT)


def ended(around: Surroundings, scope: Scope, total: Finding) -> Finding:
    """The finding with the exit or test that contents decide about, where all of its problems are exits, tests, and
    dependences that may be; else as it is."""
    followed = all((p.may_be_run or p.reason.code in ENDS) and not p.shown for p in total.problems)
    if not followed or not any(p.reason.code in ENDS for p in total.problems) or not may_choose_contents(around, scope):
        return total
    steps = MOST_STEPS
    for round_ in range(ROUNDS):
        ends: dict[int, End] = {}
        for contents in range(CONTENTS):
            run = machine(ChosenValues(named_in(around.function), round_, contents, LARGER), steps)
            with suppress(StuckError):
                run.reach(around.function, scope.loop)
                end = _end(run, scope)
                ends.setdefault(end.count, end)
            steps = run.steps
        first, last = (choose(ends) if ends else 0 for choose in (min, max))
        shown = decided_by(scope, ends[first]) if ends else None
        if shown is not None and ends[last].begun > max(1, ends[first].begun):
            return replace(total, problems=(shown, *total.problems))
    return total


class End(Struct, frozen=True):
    """How a run of a loop ended: after so many whole iterations, by this statement. `changed`: the accesses by which
    the last iteration read what the loop had stored."""

    count: int
    left: Statement
    changed: frozenset[Access]

    @property
    def begun(self) -> int:
        """How many iterations were begun: an exit is in one of them."""
        return self.count + isinstance(self.left, Exit)


def _end(run: Machine, scope: Scope) -> End:
    for run.iteration in range(MOST_ITERATIONS):
        left = run.iterate(scope.loop, run.iteration)
        if left is not None:
            return End(run.iteration, left, changed_in(run))
    raise StuckError("too many iterations")


def changed_in(run: Machine) -> frozenset[Access]:
    """The accesses by which the last iteration read what the loop had stored."""
    stored = {t.cell for t in run.touched if t.write and t.before != t.after}
    last = (t for t in run.touched if t.iteration == run.iteration and not t.write)
    return frozenset(t.access for t in last if t.cell in stored)


def decided_by(scope: Scope, end: End) -> Problem | None:
    """What is said of an exit or test that data decides about; None where sizes and counters do."""
    match end.left:
        case Exit(written=word, place=place):
            found = next((d for d in scope.history.departures if d.exit is end.left), None)
            guards = [] if found is None else inner_guards(scope, found.at)
            if not any(_is_of_data(scope, g.condition, end) for g in guards):
                return None
            test = guards[-1].text or "its condition"
            message = f"`{word}` on line {place.line} ends the loop: `{test}` decides in each iteration"
            return _problem(ReasonCode.EARLY_EXIT, message, place.line, (test, word))
        case Evaluate(value=value, text=test, place=place):
            if not _is_of_data(scope, value, end):
                return None
            message = f"the test `{test}` on line {place.line} decides in each iteration"
            return _problem(ReasonCode.UNKNOWN_TRIP_COUNT, message, place.line, (test, test))
        case _:
            return None


def _problem(code: ReasonCode, message: str, line: int, texts: tuple[str, str]) -> Problem:
    return Problem(Reason(code, f"{message} whether there is a next one", line, texts, "1"), True, True)


def _counts(scope: Scope, value: Poly) -> bool:
    """Whether a value differs between iterations by what they count alone."""
    return all(isinstance(s.origin, Counter) for s in value.symbols if scope.varies(s))


def _is_of_data(scope: Scope, condition: Expression, end: End) -> bool:
    """Whether a condition depends on what iterations read anew, or compute from what they have read."""
    counted = {i.variable.key for i in scope.loop.inductions} | {r.variable.key for r in scope.loop.recurrences}
    bounded = any(isinstance(e, Use) and e.value is not None for e in inputs(condition))  # by what a call returns
    for e in walk(condition):
        match e:
            case Load(access=access):
                if access in end.changed or any(scope.varies(s) for i in subscripts(access) for s in i.symbols):
                    return True
            case Use(variable=variable, value=value):
                if variable.key in scope.assigned - counted and not (value is not None and _counts(scope, value)):
                    return True
            case Call() if is_free(e) and not bounded:
                return True
            case _:
                pass
    return False
