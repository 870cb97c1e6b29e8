"""Rows under an assumption: `a[i*lda + k]` for k < K, with lda a size of its own.

*Decides*: the dimensions of an access, and what is presumed of sizes so that they are rows and columns (K <= lda), the
assumption `in-bounds(a)` of definitions.md. The section from the first element to the last one is exact then; the
number of elements is one that they cannot exceed, and that they have if the assumption holds.
*Presumes* only where one size can be the length of the rows, where the column moves, and from a column that is not
negative. `a[i*p + j*q]` may be rows of p or of q, `a[i*n + j]` with j up to n + 1 has none: these stay as they are.
"""

from msgspec import Struct

from ..access.delinearize import divided, factors_of_counters
from ..ir.polynomials import Poly, number
from ..memory.alias import member_text
from ..polyhedra.extremes import highest
from ..polyhedra.signs import Region, is_nonnegative
from ..polyhedra.summation import NotClosedError
from .nest import Nest, Touch
from .shapes import Box, Dimension, Points, apart, seen, shape


class Layout(Struct, frozen=True):
    """The dimensions of an access. `presumed`: polynomials in sizes, taken to be >= 0 wherever the access happens."""

    dimensions: tuple[Dimension, ...]
    presumed: tuple[Poly, ...] = ()


def layout(nest: Nest, touch: Touch) -> Layout | None:
    """The rows and columns of an access; None where a subscript is irregular.

    Example: `a[i*lda + k]` for k < K has the dimensions i and k, where lda - K >= 0 and lda - 1 >= 0."""
    return nest.once(("layout", id(touch)), lambda: _layout(nest, touch))


def shape_of(nest: Nest, touch: Touch) -> Box | Points | None:
    """The elements of one access; None where no closed form is known."""
    return nest.once(("shape", id(touch)), lambda: _shape_of(nest, touch))


def _shape_of(nest: Nest, touch: Touch) -> Box | Points | None:
    found = layout(nest, touch)
    return None if found is None else shape(nest, found.dimensions, seen(nest, touch)[0])


def in_rows(nest: Nest, touches: list[Touch]) -> tuple[str, ...]:
    """The assumptions that accesses stay in their rows."""
    named = {f"in-bounds({member_text(t.access)})" for t in touches if (found := layout(nest, t)) and found.presumed}
    return tuple(sorted(named))


def presumed(nest: Nest, touches: list[Touch]) -> tuple[str, ...]:
    """The assumptions of a count of these accesses: those of the nest, and rows that they are taken to stay in."""
    return (*nest.assumed(), *in_rows(nest, touches))


def facts(nest: Nest, touches: list[Touch]) -> Region:
    """What is known of sizes, with what is presumed of these accesses."""
    found = [layout(nest, t) for t in touches]
    return nest.scopes.facts.also(*dict.fromkeys(p for each in found if each is not None for p in each.presumed))


def _layout(nest: Nest, touch: Touch) -> Layout | None:
    region, _, dims = seen(nest, touch)
    return None if dims is None else _joined([_columns(nest, d, region) or Layout((d,)) for d in dims])


def _joined(parts: list[Layout]) -> Layout:
    return Layout(tuple(d for p in parts for d in p.dimensions), tuple(c for p in parts for c in p.presumed))


def _columns(nest: Nest, d: Dimension, region: Region) -> Layout | None:
    """One subscript as rows and columns; None where no size, or more than one, can be the length of its rows."""
    if d.row or d.stride is None or not _has_products(d.index, region):
        return None
    candidates = [_of_length(nest, d, row, region) for row in factors_of_counters([d.index], region.counters)]
    found = [c for c in candidates if c is not None]
    return found[0] if len(found) == 1 else None


def _of_length(nest: Nest, d: Dimension, row: Poly, region: Region) -> Layout | None:
    """The subscript as rows of this length."""
    if row.constant is not None or d.stride is None:
        return None
    outer, inner = divided(d.index, row)
    moving = any(c in inner.symbols for c in region.counters)
    if not moving or _has_products(inner, region) or row.symbols & inner.symbols:
        return None
    known = nest.scopes.facts
    if not is_nonnegative(inner, known.around(region.counters, region.constraints)):
        return None
    try:
        last = highest(inner, region, nest.scopes.atoms, known)
    except NotClosedError:
        return None
    if row.symbols & last.value.symbols:
        return None
    heads = []
    for head in apart(outer, d.stride * row, None, region, known):
        above = _columns(nest, head, region)
        if above is None and _has_products(head.index, region):
            return None
        heads.append(above or Layout((head,)))
    ends = (row - 1 - last.value, row - number(1))
    return _joined([*heads, Layout((Dimension(inner, d.stride, row),), ends)])


def _has_products(index: Poly, region: Region) -> bool:
    """Whether a size multiplies a counter."""
    mine = set(region.counters)
    return any(mine.intersection(m) and not mine.issuperset(m) for m, _ in index.terms)
