"""Index lists of which each iteration reads a strip of its own: atoms of a cell that has room for so many.

*Decides*: for two accesses that values of one array select, the conditions that none comes twice in it, and that no
iteration reads beyond its strip of it. *Does not handle*: strips of a length that is no number.

    for (c = 0; c < cells; c++) for (k = 0; k < atoms[c]; k++) y[list[64 * c + k]] = 0;
                                                                      ->  injective(list), at-most(atoms<=64)
"""

from collections.abc import Iterator

from msgspec.structs import replace

from ..access.accesses import Occurrence
from ..facts.loop import Assumption
from ..ir.reasons import AssumptionKind
from ..polyhedra.system import either
from .index_arrays import Supposed, alike_in_both, between, differ
from .scope import Scope
from .strips import inside_strips


def lists_in_strips(scope: Scope, source: Occurrence, sink: Occurrence) -> Iterator[Supposed]:
    """The conditions, with what they say. Example: see the module."""
    for text, pairs in alike_in_both(scope, source, sink):
        for (s, a), (t, b) in pairs:
            strips = inside_strips(scope, replace(source, access=a), replace(sink, access=b))
            if strips:
                once = Assumption(AssumptionKind.INJECTIVE, text, source.line)
                yield (once, *sorted(strips)), either(*differ(between(scope, s, t)))
