"""Rows that the function itself cuts out of one block, a pitch apart: what keeps an access in its row.

*Decides*: for one access behind such a table, the assumption or the condition under which it stays in its row.
*Method*: columns that a counter runs along stay in the row where that is proved, or where more than the pitch says how
long it is: the size of the block, or another access of the function (`named_rows`). The pitch alone does not, as
windows of a signal overlap: that it is as long as what is touched is a condition.
*Errs toward* None: the rows may overlap.

    all = malloc(n * m * 8);  rows[i] = all + i * m;  rows[i][j] = 0, for j < k     ->  in-bounds(rows)
    frame[i] = signal + i * hop;  frame[i][j] = 0, for j < length                   ->  at-least(hop>=length)
"""

from ..access.accesses import Occurrence
from ..access.delinearize import is_moved
from ..access.subscripts import byte_offset, in_pitch
from ..facts.loop import Assumption
from ..ir.nodes import Allocated
from ..ir.polynomials import Poly, number, symbol
from ..ir.reasons import AssumptionKind
from ..polyhedra.loop_bounds import counts, extremes
from .long_strides import as_long_as
from .scope import Scope
from .size_names import in_names


def in_cut_row(scope: Scope, o: Occurrence, pitch: Poly) -> frozenset[Assumption] | None:
    """What it takes that an access stays in a row of so many bytes; None where nothing says that it does."""
    needed = in_pitch(o, pitch)
    if needed is None:
        needed, pitch = in_pitch(o, -pitch), -pitch
    if not needed or not _is_counted_along(scope, o) or _is_length(scope, o, pitch):
        return needed
    return _as_long_as_touched(scope, o, pitch) if scope.supposing else None


def _is_counted_along(scope: Scope, o: Occurrence) -> bool:
    """Whether counters alone move along the row. (Data that select a column say that there is one.)"""
    place = byte_offset(o.access)
    moving = () if place is None else [s for s in place.symbols if scope.varies(s) or is_moved(symbol(s), o.loops)]
    return bool(moving) and all(map(counts, moving))


def _is_length(scope: Scope, o: Occurrence, pitch: Poly) -> bool:
    """Whether something besides the pitch says that rows are that long: the memory consists of them, or they are as
    long as sizes add up to (`n + 2`)."""
    elements = pitch.divided_by(o.access.size)
    if elements is None or len(elements.terms) > 1 or elements in scope.named_rows:
        return True
    block = scope.known.block_of(o.access.object)
    size = block.size if isinstance(block, Allocated) else None
    return elements != number(1) and size is not None and size.divided_by(pitch) is not None


def _as_long_as_touched(scope: Scope, o: Occurrence, pitch: Poly) -> frozenset[Assumption] | None:
    """The condition that the pitch is as long as what the loops touch of a row from its beginning on."""
    place, size = byte_offset(o.access), o.access.size
    first = () if place is None else extremes(place, o.loops, -1)
    last = () if place is None else extremes(place, o.loops, 1)
    extent = pitch.divided_by(size)
    if extent == number(1):
        return None  # windows, each of which begins one further
    wanted = [(end.value + number(size)).divided_by(size) for end in last]
    begins = len(first) == 1 and (first[0].value.constant or 0) >= 0 and not first[0].value.symbols
    if extent is None or not begins or len(wanted) != 1 or wanted[0] is None or last[0].given:
        return None
    condition = _condition(scope, extent, wanted[0], o.line)
    return None if condition is None else frozenset({condition})


def _condition(scope: Scope, extent: Poly, wanted: Poly, line: int) -> Assumption | None:
    if extent.constant is None:
        return as_long_as(scope, extent, wanted, line)
    name = in_names(scope, wanted)
    return None if name is None else Assumption(AssumptionKind.AT_MOST, f"{name}<={extent.constant}", line)
