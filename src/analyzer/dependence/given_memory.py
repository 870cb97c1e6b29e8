"""Memory that a function gives to an iteration (`q = row_of(view, y)`) and that is supposed to be independent.

*Decides*: for two accesses in different iterations, that they do not meet, because one is to such memory: no other
iteration uses what is written in it (`independent(row_of)`).
*Errs toward* no: where the other access is to what another call of the same function gave, the two calls must get
different pointers that stay as they are (`row_of(from, y)`, `row_of(to, y)`); `row_of(view, y)` and
`row_of(view, y + 1)` may well give what another iteration gets.
"""

from ..access.accesses import Occurrence
from ..facts.loop import Assumption
from ..ir.nodes import Call
from ..ir.reasons import AssumptionKind
from ..ir.same import same
from ..source.ctypes import Pointer
from .scope import Scope


def given(scope: Scope, source: Occurrence, sink: Occurrence) -> frozenset[Assumption]:
    """That functions are independent, which gave one of the iterations its memory; none where that settles nothing."""
    first, second = (scope.given_by(o.access.object) for o in (source, sink))
    if any(_may_give_one(scope, c, d) for c in first for d in second):
        return frozenset()
    line, calls = (source.line, first) if first else (sink.line, second)
    return frozenset(Assumption(AssumptionKind.INDEPENDENT, call.name, line) for call in calls)


def _may_give_one(scope: Scope, a: Call, b: Call) -> bool:
    """Whether two places of the loop may well ask for the same memory."""
    return a.name == b.name and a.place != b.place and not _get_different(scope, a, b)


def _get_different(scope: Scope, a: Call, b: Call) -> bool:
    """Whether the calls get different pointers that are the same in all iterations."""
    pairs = [(x, y) for x, y in zip(a.arguments, b.arguments, strict=False) if isinstance(x.type, Pointer)]
    return any(scope.repeats(x) and scope.repeats(y) and not same(x, y) for x, y in pairs)
