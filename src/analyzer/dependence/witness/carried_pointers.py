"""Pointers that walk: what one iteration assigns to a pointer, and a later one begins with.

*Decides*: for a loop with a pointer that may carry a value from one iteration to the next, whether it does in some
state in which the function may get to the loop, or in any where that is not followed: the first iteration leaves
another pointer than it found, and the second one reads that before it sets the pointer anew. No copy per iteration and
no reduction gives it that value.
*Errs toward* nothing: what a `trial` does not run, numbers (they may be sums in a form that is not recognised),
pointers that step evenly, contents that do not occur, as the user or an expert says.

    for (i = top; i >= 0; i--) while (x->next[i]->key < key) x = x->next[i];      ->  x, from one level to the next
"""

from itertools import islice

from msgspec.structs import replace

from ...facts.loop import Reason
from ...ir.nodes import Assign, Variable, statements
from ...ir.reasons import ReasonCode
from ...source.ctypes import Pointer
from ..finding import Finding, Problem
from ..function_facts import Surroundings
from ..scope import Scope
from .decided import Ways, WaysFromAnywhere, is_open

MOST_STATES = 6
"""From which two iterations are run."""


def carried_pointers(around: Surroundings, scope: Scope, total: Finding) -> Finding:
    """The finding with a pointer that carries a value, where some may; else as it is."""
    open_ = {p.reason.accesses[0] for p in total.problems if p.may_be_run and p.reason.accesses is not None}
    targets = (s.target for s in statements(scope.loop.body) if isinstance(s, Assign))
    found = {
        t.key: t.name for t in targets if isinstance(t, Variable) and isinstance(t.type, Pointer) and t.name in open_
    }
    if not found or not is_open(scope, total):
        return total
    for ways in (Ways(around, scope), WaysFromAnywhere(around, scope)):
        for seed in islice(ways.seeds(), MOST_STATES):
            run = ways.begun(seed)
            if run is None:
                continue
            ways.next(run)
            for key, (written, read) in run.flow.found.items():
                if key in found:
                    return replace(total, problems=(_problem(found[key], written, read), *total.problems))
    return total


def _problem(name: str, written: int, read: int) -> Problem:
    message = f"line {read} reads `{name}`, which line {written} assigned in some iteration before"
    return Problem(Reason(ReasonCode.CARRIED_DEPENDENCE, message, read, (name, name), "*", (written, read)), True, True)
