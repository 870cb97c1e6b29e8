"""Values of an index array that stay below all places where a loop stores: copies that are put behind what they are of.

*Decides*: for a store and a read of one array, the condition that no value that selects what is read is as large as the
first place that is stored to. *Does not handle*: stores below all values, and first places without a name.

    for (k = 0; k < m; k++) x[n + k] = x[list[k]];                       ->  at-most(list<=n-1)
"""

from collections.abc import Iterator

from ..access.accesses import Occurrence
from ..access.domains import domain
from ..facts.loop import Assumption
from ..ir.members import element_part
from ..ir.polynomials import symbol
from ..ir.reasons import AssumptionKind
from ..polyhedra.loop_bounds import extremes
from ..polyhedra.system import Feasibility, System, at_least, feasible, system
from .iterations import EARLIER, LATER
from .scope import Scope
from .size_names import in_names, of_values


def values_below(scope: Scope, source: Occurrence, sink: Occurrence) -> Iterator[tuple[tuple[Assumption, ...], System]]:
    """The condition, with what it says. Example: see the module."""
    store, read = (source, sink) if source.write else (sink, source)
    parts = [[s.index for s in element_part(o.access)] for o in (store, read)]
    inner = store.loops[scope.level(store) :]
    chosen_at = [(place, chosen, s) for place, chosen in zip(*parts, strict=False) for s in chosen.symbols]
    for place, chosen, s in chosen_at if not read.write and len(parts[0]) == len(parts[1]) else ():
        values, rest = of_values(scope, s), chosen - symbol(s)
        if values is None or any(map(scope.varies, rest.symbols)):
            continue
        for end in extremes(place, inner, -1):
            last = end.value - 1 - rest
            name = None if any(map(scope.varies, last.symbols)) else in_names(scope, last)
            if name is None or end.given or (last.constant or 0) < 0:
                continue
            below = last - symbol(s)
            if feasible(domain(read) + system(at_least(below))) is not Feasibility.EMPTY:
                said = (below, scope.rename(below, EARLIER), scope.rename(below, LATER))
                condition = Assumption(AssumptionKind.AT_MOST, f"{values}<={name}", read.line)
                yield (condition,), system(*map(at_least, said))
