"""Contiguous sections of arrays: the bytes from the first to the last one that some accesses touch.

    section = highest byte offset + size - lowest byte offset       (0 where no access happens)

Rows that are reached through pointers are not contiguous: there the section is the number of rows times the
section within a row. *Exact* when the extremes are reached by every access that the condition lets happen;
otherwise an outer bound, at most the declared size of the object."""

from functools import partial

from msgspec import Struct

from models.expr import maximum, mul

from ..facts.loop import Count
from ..ir.nodes import Allocated, size_in_bytes
from ..ir.polynomials import Poly, number
from ..polyhedra.extremes import Extreme, highest, lowest
from ..polyhedra.powers import Fractional
from ..polyhedra.signs import Region, is_nonnegative
from ..polyhedra.summation import NotClosedError, Piece
from .footprint import Elements, elements
from .nest import Nest, Touch
from .rows import facts, layout, presumed
from .shapes import Box, Dimension, Points, seen, shape, straightened

DEEPEST = 32
"""Smallest and largest places inside each other: an end that is one of more formulas is not written out."""


class Section(Struct, frozen=True):
    """Byte offsets low .. high - 1 of one object (per row, if `rows`) where all `conditions` hold."""

    low: Poly
    high: Poly
    conditions: tuple[Poly, ...]
    exact: bool


def of_touches(nest: Nest, touches: list[Touch]) -> Section | None:
    """The section that covers all touches (offsets behind followed pointers only); None when one has no
    bound."""
    families: dict[object, Section] = {}
    for touch in touches:
        section = nest.once(("section", id(touch)), partial(of_touch, nest, touch))
        if section is None:
            return None
        alike = section.low - section.low.constant_term, section.high - section.high.constant_term
        key = (*alike, frozenset(section.conditions))
        families[key] = join(nest, families[key], section) if key in families else section
    found: Section | None = None
    for section in families.values():
        found = section if found is None else join(nest, found, section)
        if max(map(nest.scopes.atoms.nested, (found.low, found.high))) > DEEPEST:
            return None
    return found


def of_touch(nest: Nest, touch: Touch) -> Section | None:
    """The section that one access touches: worked out once for all in one scope whose places differ by numbers."""
    found = layout(nest, touch)
    if found is None:
        return None
    moved = touch.access.offset
    dims = []
    for d in found.dimensions:
        stride = 0 if d.stride is None else d.stride.constant
        shift = 0 if stride is None else d.index.constant_term
        moved += shift * (stride or 0)
        dims.append(Dimension(d.index - shift, d.stride, d.extent, d.row))
    size = size_in_bytes(touch.access) or number(0)
    question = ("section", id(touch.scope), tuple(dims), found.presumed, size)
    base = nest.once(question, lambda: _of_dimensions(nest, touch, tuple(dims), size))
    return base and Section(base.low + moved, base.high + moved, base.conditions, base.exact)


def _of_dimensions(nest: Nest, touch: Touch, dims: tuple[Dimension, ...], size: Poly) -> Section | None:
    region, sure, _ = seen(nest, touch)
    dims, region = straightened(dims, region)
    known = facts(nest, [touch])
    offset = number(0)
    for d in dims:
        if d.stride is not None:
            offset = offset + d.index * d.stride
    try:
        low = lowest(offset, region, nest.scopes.atoms, known)
        high = highest(offset, region, nest.scopes.atoms, known)
    except NotClosedError:
        return None
    return _between(low, high, size, sure)


def _between(low: Extreme, high: Extreme, size: Poly, sure: bool) -> Section:
    conditions = tuple(dict.fromkeys((*low.conditions, *high.conditions)))
    return Section(low.value, high.value + size, conditions, low.exact and high.exact and sure)


def join(nest: Nest, a: Section, b: Section) -> Section:
    """The smallest section around both. When they exist under different conditions, the union is a bound
    unless one lies inside the other and exists whenever that does."""
    facts = nest.scopes.facts
    low, high = _lower(nest, a, b), _higher(nest, a, b)
    if frozenset(a.conditions) == frozenset(b.conditions):
        return Section(low, high, a.conditions, a.exact and b.exact)
    for outer, inner in ((a, b), (b, a)):
        known = facts.also(*inner.conditions)
        implied = all(is_nonnegative(c, known) for c in outer.conditions)
        inside = is_nonnegative(inner.low - outer.low, known) and is_nonnegative(
            outer.high - inner.high, known
        )
        if implied and inside:
            return outer
    shared = tuple(c for c in a.conditions if c in b.conditions)
    return Section(low, high, shared, False)


def _lower(nest: Nest, a: Section, b: Section) -> Poly:
    gap = a.low.distance(b.low)
    if gap is not None:
        return a.low if gap >= 0 else b.low
    known = _known(nest, a, b)
    if is_nonnegative(b.low - a.low, known):
        return a.low
    if is_nonnegative(a.low - b.low, known):
        return b.low
    return nest.scopes.atoms.extreme("min", (a.low, b.low))


def _higher(nest: Nest, a: Section, b: Section) -> Poly:
    gap = b.high.distance(a.high)
    if gap is not None:
        return a.high if gap >= 0 else b.high
    known = _known(nest, a, b)
    if is_nonnegative(a.high - b.high, known):
        return a.high
    if is_nonnegative(b.high - a.high, known):
        return b.high
    return nest.scopes.atoms.extreme("max", (a.high, b.high))


def _known(nest: Nest, a: Section, b: Section) -> Region:
    """What holds wherever one of the two exists: only the conditions they share. (With all conditions of
    both, a section that never exists would prove anything.)"""
    facts = nest.scopes.facts
    return facts.also(*(c for c in a.conditions if c in b.conditions))


# --- sizes


def declared_bytes(touches: list[Touch]) -> Poly | None:
    """The size of the object by its declaration, or by what the allocator was asked for; None for pointers and
    incomplete arrays."""
    for touch in touches:
        match touch.access.object:
            case Allocated(size=Poly() as size, loops=()):
                return size
            case _:
                pass
        subscripts = touch.access.subscripts
        if subscripts and subscripts[0].extent is not None and subscripts[0].stride is not None:
            return subscripts[0].extent * subscripts[0].stride
    return None


def bytes_of(nest: Nest, touches: list[Touch]) -> Count | None:
    """The size of the section around the touches, of all rows if there are rows; the declared size when the section is
    unknown. What is stored is asked for as what is sent there and back."""
    return nest.once(("bytes", *map(id, touches)), lambda: _bytes(nest, touches, of_touches(nest, touches)))


def _bytes(nest: Nest, touches: list[Touch], section: Section | None) -> Count | None:
    rows = _rows(nest, touches)
    if rows is None:
        return None
    number_of_rows, rows_exact = nest.formulas.pieces(rows.pieces), rows.exact
    if section is None:
        declared = declared_bytes(touches)
        if declared is None:
            return None
        return Count(mul(number_of_rows, nest.formulas.poly(declared)), exact=False)
    conditions, length = _of_a_row(nest, section, rows), Fractional(section.high - section.low)
    if section.exact and len(rows.pieces) == 1:  # together, for conditions of the one that the other does not need
        all_rows = Piece((*rows.pieces[0].conditions, *conditions), rows.pieces[0].value * length)
        return Count(nest.formulas.pieces((all_rows,)), exact=rows_exact, assumptions=presumed(nest, touches))
    size = nest.formulas.guarded(conditions, length)
    if not section.exact and not is_nonnegative(section.high - section.low, nest.scopes.facts):
        size = maximum(0, size)  # a bound may have lost the condition under which it is empty
    return Count(mul(number_of_rows, size), exact=section.exact and rows_exact, assumptions=presumed(nest, touches))


def _of_a_row(nest: Nest, section: Section, rows: Elements) -> tuple[Poly, ...]:
    """The conditions of a section that matter for its rows: those that do not hold wherever there is a row."""
    if len(rows.pieces) != 1 or rows.pieces[0].value.over != 1:
        return section.conditions
    facts, (found,) = nest.scopes.facts, rows.pieces
    known = facts.also(*found.conditions, found.value.poly - 1)
    return tuple(c for c in section.conditions if not is_nonnegative(c, known))


def _rows(nest: Nest, touches: list[Touch]) -> Elements | None:
    """How many rows are reached through pointers: 1 for an ordinary array."""
    shapes: list[Box | Points] = []
    exact = True
    for touch in touches:
        region, sure, dims = seen(nest, touch)
        exact = exact and sure
        if dims is None:
            if any(s.row_pointer for s in touch.access.subscripts):
                return None
            dims = ()
        rows = tuple(d for d in dims if d.row)
        if not rows:
            return Elements((Piece((), Fractional(number(1))),), exact)
        found = shape(nest, rows, region)
        if found is None:
            return None
        shapes.append(found)
    count = elements(nest, shapes)
    if count is None:
        return None
    return Elements(count.pieces, count.exact and exact)
