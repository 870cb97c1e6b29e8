"""Places in a loop that no iteration gets to.

*Decides*: whether the bounds of the loops around a place and the conditions that it stands under exclude each other: a
call there happens never, whatever it would do.

    for (k = 0; k < n; k++) { if (k >= n) abort(); a[k] = 0; }      ->  `abort` is not reached
"""

from ..access.accesses import Occurrence
from ..access.domains import says, used_values
from ..polyhedra.system import Feasibility
from .finding import Finding
from .iterations import EARLIER
from .scope import Scope


def unreached(scope: Scope, at: Occurrence) -> Finding | None:
    """What it rests on that no iteration gets there; None where one may. Example: see the module."""
    depth = scope.level(at)
    if not any(g.depth > depth and (says(g).constraints or says(g).choices) for g in at.guards):
        return None
    if scope.feasible(scope.domain(at, EARLIER)) is not Feasibility.EMPTY:
        return None
    return Finding(assumptions=scope.invariance(frozenset(s for value in used_values(at) for s in value.symbols)))
