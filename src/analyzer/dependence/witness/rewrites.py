"""Elements that every iteration rewrites, in loops with calls whose effects are not visible.

*Decides*: whether some element, which such a call may look at, is certainly written in two iterations. A copy of it
for each iteration, the way out elsewhere, would hide from the call what the iterations before have left there.
*Errs toward* nothing: memory that a call only knows because it is handed a pointer to it is not looked at (it can be
handed the copy), nor memory that no call can know of; what a function does that is in the files, but was not followed
(one that calls itself), need not be looking.

    for (t = 0; t < n; t++) { for (i = 0; i < m; i++) a[i] = b[i]; use(a); }    ->  no: a[i] is written again
    for (t = 0; t < n; t++) { for (i = 0; i < m; i++) a[i] = b[i]; y[t] = f(t); }    ->  open: f may only give a value
    for (t = 0; t < n; t++) { for (i = 0; i < m; i++) a[i] += b[i]; g(y, t); }       ->  open: g may only fill y
"""

from itertools import islice

from ...access.accesses import Occurrence, distinct
from ...access.subscripts import fits, same_shape, subscripts
from ...facts.loop import Reason
from ...ir.members import element_part
from ...ir.nodes import Call, Loaded
from ...ir.polynomials import ZERO, Poly, Symbol, symbol
from ...ir.reasons import ReasonCode
from ...memory.alias import Overlap
from ...polyhedra.system import System, equal
from ...source.ctypes import Void
from ..explain import sentence
from ..finding import Finding, Problem
from ..iterations import EARLIER, LATER
from ..outcome import Dependence
from ..scope import Scope
from .proof import Meeting

MOST_TRIED = 40
"""Writes looked at in one loop."""


def revisits(scope: Scope) -> Finding:
    """The first element that is certain to be written again while an unseen call may look at it."""
    calls = [c.call for c in scope.unseen]
    if not calls:
        return Finding()
    for write in islice(distinct(o for o in scope.occurrences if o.write), MOST_TRIED):
        object_ = write.access.object
        again = _again(scope, write) if scope.public(object_) and not scope.fresh(object_) else None
        if again is not None:
            looking = [c for c in calls if c.foreign and (object_ in c.pointers or _has_nothing_to_fill(c))]
            call = next((c for c in looking if object_ in c.pointers), calls[0])
            message = f"{sentence(again, True)}, and `{call.name}` (line {call.place.line}) may look at it in between"
            texts, lines = (write.access.text, write.access.text), (write.line, write.line)
            reason = Reason(ReasonCode.CARRIED_DEPENDENCE, message, write.line, texts, again.distance, lines)
            return Finding((Problem(reason, bool(looking), again.of_contents),))
    return Finding()


def _has_nothing_to_fill(call: Call) -> bool:
    """Whether a function gives no value, and gets no memory of others that it could be there to change: it looks."""
    return isinstance(call.type, Void) and set(call.pointers) <= set(call.read_only)


def _again(scope: Scope, write: Occurrence) -> Dependence | None:
    """The output dependence of a write on itself, when it is certain."""
    access = write.access
    rows = element_part(access)
    if not same_shape(rows, rows) or not fits(access) or (scope.moves_pointers and len(rows) < len(access.subscripts)):
        return None
    differences = tuple(scope.difference(i, i) for i in subscripts(access))
    alike = _alike(scope, write)
    together = System(tuple(equal(symbol(later) - earlier) for later, earlier in alike.items()))
    if any(d.substitute(alike) != ZERO for d in differences):
        return None
    next_ = System((equal(symbol(scope.distance) - 1),))
    meeting = Meeting(scope, write, write, (), repeated=True)
    if not meeting.certain() or not meeting.exists(together + next_):
        return None
    return Dependence(write, write, ReasonCode.CARRIED_DEPENDENCE, "1", True, meeting.of_contents)


def _alike(scope: Scope, write: Occurrence) -> dict[Symbol, Poly]:
    """The counters of inner loops in the later iteration as in the earlier one, and with them what is read from memory
    that the loop leaves alone."""
    depth = scope.level(write) + 1
    counters = [inner.counter for inner in write.loops[depth:]]
    used = (s for i in subscripts(write.access) for s in i.symbols if isinstance(s.origin, Loaded))
    alike: dict[Symbol, Poly] = {}
    for s in (*counters, *sorted(used, key=lambda s: s.key)):
        (later,) = scope.rename(symbol(s), LATER).symbols
        if later == s or later in alike:
            continue
        if isinstance(s.origin, Loaded):
            places = [(scope.rename(i, EARLIER), scope.rename(i, LATER)) for i in subscripts(s.origin.access)]
            if scope.stored(s) is not Overlap.DISTINCT or any(b.substitute(alike) != a for a, b in places):
                continue
        alike[later] = scope.rename(symbol(s), EARLIER)
    return alike
