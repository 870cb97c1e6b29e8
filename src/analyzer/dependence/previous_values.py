"""Scalars that hold a value of the iteration before, which each iteration can work out by itself.

*Decides*: whether the expression that a wrap-around variable gets for the next iteration (`reductions.wrap_around`) has
the same value when the next iteration evaluates it: no store of the loop goes where it reads. Then each iteration
begins by working it out for the iteration before, the first with the value from before the loop.
*Errs toward* a value that is carried.

    for (i = 0; i < n; i++) { a[i] = b[i] - before;  before = b[i]; }       ->  before is i > 0 ? b[i - 1] : before
    for (i = 0; i < n; i++) { a[i] = a[i] - before;  before = a[i]; }       ->  none: b[i - 1] is not what it was
"""

from ..facts.loop import Assumption, Separated
from ..ir.members import disjoint_members
from ..ir.nodes import Access, Load, Variable, walk
from ..memory.alias import Overlap
from ..reductions.wrap_around import handed_on
from .finding import Finding
from .scope import Scope


def previous_value(scope: Scope, variable: Variable, live: bool) -> Finding | None:
    """A variable that each iteration works out from its number; None where it is none. Example: see the module."""
    value = handed_on(scope.loop, variable)
    if value is None:
        return None
    assumed: frozenset[Assumption] = frozenset()
    for read in (e.access for e in walk(value) if isinstance(e, Load)):
        found = _kept(scope, read)
        if found is None:
            return None
        assumed |= found
    return Finding(assumptions=assumed, separated=(Separated("counter", variable, variable.name, live=live),))


def _kept(scope: Scope, read: Access) -> frozenset[Assumption] | None:
    """What has to be assumed for no store of the loop to change a place that it reads; None where one may."""
    if scope.fresh(read.object) or (scope.moves_pointers and not scope.leaves_way_to(read)):
        return None
    made: set[Assumption] = set()
    for write in scope.writes:
        relation = scope.overlap(write.access, read)
        match relation.overlap:
            case Overlap.DISTINCT:
                pass
            case Overlap.ASSUMED:
                made |= {Assumption(*a, line=read.place.line) for a in relation.assumptions}
            case Overlap.SAME if disjoint_members(write.access, read):
                pass
            case _:
                return None
    return frozenset(made)
