"""What may be supposed of arrays whose values select what a loop touches: no value twice, or none that falls.

*Decides*: for two accesses in different iterations, conditions on the contents of index arrays, each with what it says
of the values that the two iterations read. `injective(idx)`: values at different places differ. `monotone(ptr)`: the
value at the later place is not the smaller one, so that ranges `ptr[i] .. ptr[i+1]` do not overlap.
*Method*: the places at which both iterations read the array, as the difference of its subscripts.
*Does not handle*: index arrays of several dimensions, and those that the loop writes.

    y[idx[i]] = x[i];                                                       ->  injective(idx)
    for (e = ptr[i]; e < ptr[i + 1]; e++) y[e] = x[e];                      ->  monotone(ptr)
"""

from collections.abc import Iterator
from itertools import product

from ..access.accesses import Occurrence
from ..access.subscripts import element_part, row_part
from ..facts.loop import Assumption
from ..ir.nodes import Access, Loaded, nested_symbols
from ..ir.polynomials import Poly, Symbol, symbol
from ..ir.reasons import AssumptionKind
from ..memory.alias import Overlap, member_text
from ..polyhedra.system import System, at_least, either, equal
from .iterations import EARLIER, LATER
from .scope import Scope


def suppositions(scope: Scope, source: Occurrence, sink: Occurrence) -> Iterator[tuple[Assumption, System]]:
    """Each condition on one index array that the two accesses depend on, with what it says of them."""
    earlier, later = (_read_through(scope, o) for o in (source, sink))
    arrays = dict.fromkeys(access.object for _, access in earlier if any(access.object == b.object for _, b in later))
    for array in arrays:
        every = product(*([r for r in reads if r[1].object == array] for reads in (earlier, later)))
        pairs = [(p, q) for p, q in every if _alike(p[1], q[1])]
        if not pairs:
            continue
        text, line = member_text(pairs[0][0][1]), source.line
        for kind in (AssumptionKind.INJECTIVE, AssumptionKind.MONOTONE):
            total = System()
            for (s, a), (t, b) in pairs:
                places = scope.difference(_place(a), _place(b))
                total += _said(kind, places, scope.rename(symbol(s), EARLIER) - scope.rename(symbol(t), LATER))
            yield Assumption(kind, text, line), total


def _read_through(scope: Scope, o: Occurrence) -> list[tuple[Symbol, Access]]:
    """The values of index arrays that decide where an access goes, each with the access that reads it."""
    found = []
    for s in sorted(nested_symbols(scope.symbols_around(o)), key=lambda s: s.key):
        origin = s.origin
        if not isinstance(origin, Loaded) or not scope.varies(s) or not _is_of_one_array(scope, origin.access):
            continue
        if scope.stored(s) in (Overlap.DISTINCT, Overlap.ASSUMED):
            found.append((s, origin.access))
    return found


def _is_of_one_array(scope: Scope, access: Access) -> bool:
    """Whether one subscript selects the value, in an array that all iterations get to by the same pointers."""
    rows = (t for s in row_part(access) for t in s.index.symbols)
    return len(element_part(access)) == 1 and not any(map(scope.varies, rows))


def _alike(a: Access, b: Access) -> bool:
    return (row_part(a), a.field, a.offset, a.size) == (row_part(b), b.field, b.offset, b.size)


def _place(access: Access) -> Poly:
    return element_part(access)[0].index


def _said(kind: AssumptionKind, places: Poly, values: Poly) -> System:
    """What the condition says of two values (their difference), read at two places (likewise)."""
    at_one_place = (equal(places), equal(values))
    if kind is AssumptionKind.INJECTIVE:
        return either(at_one_place, (at_least(values - 1),), (at_least(-values - 1),))
    before, behind = (at_least(-places - 1), at_least(-values)), (at_least(places - 1), at_least(values))
    return either(at_one_place, before, behind)
