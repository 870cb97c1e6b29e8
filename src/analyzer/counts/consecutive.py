"""Rows of entries that lie one behind the other: `for (k = ptr[i]; k < ptr[i + 1]; k++) ... val[k]`.

*Decides* whether an inner loop runs over the part of an array that an index array marks off, from one of its values to
the next one, so that the loop around goes through one stretch of memory. No formula gives the trip count of such a
loop, its mean is `trip@LINE`; where rows begin changes with the loop around, and yet neighbours are neighbours.
*Takes* the index array not to fall; where it does, rows are empty and the whole is a smaller part of the array.
*Does not handle* rows that are taken in another order (`ptr[perm[i]]`) or backwards, every second row, and an index
array that the nest stores to.
"""

from msgspec import Struct

from models.expr import to_text

from ..ir.members import element_part, row_part
from ..ir.nodes import Access, Counter, Loaded, Loop, all_loops
from ..ir.polynomials import Poly, Symbol, number, symbol
from .nest import Nest, Touch


class EntryRow(Struct, frozen=True):
    """One subscript that counts entries: those of `loop` in one iteration of the loop around with the counter `rows`.
    `mark`: the value that the row begins at, `place`: what the subscript adds to the place of the entry in its row."""

    loop: Loop
    rows: Symbol
    mark: Symbol
    place: Poly


def entry_row(nest: Nest, touch: Touch) -> EntryRow | None:
    """The row of entries that an access goes through, None where it goes through none.

    Example: of `val[k - 1]` above `rows` is the counter of i, `mark` is ptr[i] and `place` -1."""
    return nest.once(("entry row", touch.access, touch.scope.path), lambda: _entry_row(nest, touch))


def first_mark(nest: Nest, row: EntryRow) -> str:
    """Where the first row begins, in the words of the program.

    Example: `ptr[0]` of rows that begin at ptr[i] with i from 0."""
    access = _read(row.mark)
    place = element_part(access)[0].index.substitute({row.rows: number(0)})
    return f"{access.object}{access.field}[{to_text(nest.formulas.poly(place))}]"


def _entry_row(nest: Nest, touch: Touch) -> EntryRow | None:
    elements = element_part(touch.access)
    if len(elements) != 1 or not all(_is_fixed(nest, s.index) for s in row_part(touch.access)):
        return None
    index = elements[0].index
    for loop in all_loops(nest.loop):
        if loop.key in touch.scope.path and loop.counter in index.symbols:
            marked = _marked_off(nest, loop)
            if marked is None:
                return None
            mark, rows = marked
            place = index - symbol(loop.counter) - symbol(mark)
            return EntryRow(loop, rows, mark, place) if _is_fixed(nest, place) else None
    return None


def _is_fixed(nest: Nest, value: Poly) -> bool:
    """Whether it is the same wherever the nest is."""
    counted = (isinstance(s.origin, Counter) and s.origin.loop in nest.variance.keys for s in value.symbols)
    return not any(counted) and not any(map(nest.variance.varies, value.symbols))


def _marked_off(nest: Nest, loop: Loop) -> tuple[Symbol, Symbol] | None:
    """The value of an index array at which the loop begins, where it ends at the next one, and the counter of the loop
    around whose next iteration begins there."""
    if loop.step != number(1) or loop.first is None or loop.trip is None or len(loop.trip) != 1:
        return None
    marks = [s for s in loop.first.symbols if isinstance(s.origin, Loaded)]
    if len(marks) != 1 or loop.first != symbol(marks[0]) or loop.trip[0].denominator != 1:
        return None
    end = loop.trip[0].numerator + symbol(marks[0])
    ends = [s for s in end.symbols if isinstance(s.origin, Loaded)]
    if len(ends) != 1 or end != symbol(ends[0]):
        return None
    rows = _next_one(nest, _read(marks[0]), _read(ends[0]))
    return None if rows is None else (marks[0], rows)


def _next_one(nest: Nest, begin: Access, end: Access) -> Symbol | None:
    """The counter of the nest whose next iteration reads at `begin` what `end` reads now."""
    if not (_are_of_one_array(begin, end) and nest.variance.keeps(begin)):
        return None
    index = element_part(begin)[0].index
    counters = [s for s in index.symbols if isinstance(s.origin, Counter) and s.origin.loop in nest.variance.keys]
    if len(counters) != 1 or not _is_fixed(nest, index.without(counters[0])):
        return None
    slope = index.coefficient(counters[0])
    is_next = element_part(end)[0].index - index == slope
    return counters[0] if is_next and slope.constant is not None and index.is_linear_in((counters[0],)) else None


def _are_of_one_array(a: Access, b: Access) -> bool:
    if len(element_part(a)) != 1 or len(element_part(b)) != 1:
        return False
    return (a.object, row_part(a), a.field, a.offset, a.size) == (b.object, row_part(b), b.field, b.offset, b.size)


def _read(value: Symbol) -> Access:
    assert isinstance(value.origin, Loaded)
    return value.origin.access
