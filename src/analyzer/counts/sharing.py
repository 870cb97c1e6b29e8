"""Whether arrays of a nest may alias, so that their footprints must not be added up.

`dot(n, x, x)` reads n elements, not 2*n: that two parameters or two members of a structure are apart is an assumption,
also where nothing is written and the loop is parallel without it. Where the function itself makes them one, or may do
so (`s->a = s->b = p`), no assumption helps, and the sum is a bound. (Rows of one table: `arrays`.)

*Decides* `apart`: the assumptions under which no two of the accesses share memory, None where there are none.
*Errs toward* None.
"""

from collections.abc import Iterable
from itertools import combinations

from ..ir.nodes import Access, Object, Pointee, Rows
from ..ir.reasons import AssumptionKind
from ..memory.alias import Assumed, Overlap, Relation, assumed, behind_members, never_written, overlap
from ..memory.escape import Escapes, escapes
from .nest import Nest

MOST_PAIRS = 3
"""Pairs of parameters that are listed one by one; of more the names are, `params-distinct(a,b,c)`."""


def apart(nest: Nest, accesses: Iterable[Access]) -> tuple[str, ...] | None:
    """See the module. Example: `("params-distinct(x,y)",)` for `x[i] + y[i]` of two parameters."""
    known = escapes(nest.function)
    by_object: dict[tuple[Object, object], Access] = {}
    for access in accesses:
        by_object.setdefault((access.object, access.type), access)
    needed: dict[Assumed, None] = {}
    different = list(by_object.values())
    nest.effort.spend(len(different) * len(different))
    for a, b in combinations(different, 2):
        relation = None if a.object == b.object else _relation(a, b, known)
        if relation is not None and relation.overlap not in (Overlap.DISTINCT, Overlap.ASSUMED):
            return None
        if relation is not None:
            needed.update(dict.fromkeys(relation.assumptions))
    return _written(needed)


def _relation(a: Access, b: Access, known: Escapes) -> Relation:
    x, y = a.object, b.object
    found = overlap(a, b, known)
    if found.overlap is Overlap.UNKNOWN:
        return behind_members(a, b, known) or found
    outside = all(isinstance(o, Pointee | Rows) or never_written(o) for o in (x, y))
    if found.overlap is Overlap.DISTINCT and outside and never_written(x) != never_written(y):
        return assumed(x, y)  # nothing writes what is const, but a pointer may lead there
    return found


def _written(needed: Iterable[Assumed]) -> tuple[str, ...]:
    pairs = [text for kind, text in needed if kind == AssumptionKind.PARAMS_DISTINCT]
    if len(pairs) > MOST_PAIRS:
        pairs = [",".join(sorted({name for text in pairs for name in text.split(",")}))]
    others = [f"{kind}({text})" for kind, text in needed if kind != AssumptionKind.PARAMS_DISTINCT]
    return (*(f"params-distinct({text})" for text in pairs), *others)
