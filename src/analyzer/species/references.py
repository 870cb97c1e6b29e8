"""From the accesses of a nest to references: domain, extent and step of every dimension.

References that differ by constants alone (the points of a stencil) are worked out together: one of them, and the box
of the others' distances from it."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from msgspec import Struct

from ..access.delinearize import in_rows, row_lengths
from ..counts.consecutive import EntryRow, entry_row, first_mark
from ..counts.covering import exposed, together, without_covered
from ..counts.nest import Nest, Touch
from ..counts.privacy import is_private
from ..counts.quotients import with_quotients
from ..counts.shapes import Dimension, is_regular, region_of, straightened
from ..facts.loop import Parallelism
from ..ir.arithmetic import interval, is_vector
from ..ir.formula_names import length_of
from ..ir.nodes import Counter, Loop, Object, Rows
from ..ir.polynomials import Poly, Symbol, number, symbol
from ..ir.symbols import Kind
from ..polyhedra.extremes import highest, lowest
from ..polyhedra.signs import Region, is_nonnegative
from ..polyhedra.summation import NotClosedError
from ..source.ctypes import Pointer
from .variables import Variables, inner_variables

LARGEST_RANGE = 1 << 16
"""Values that the type of a subscript allows: beyond it, the type says nothing of the length of an array."""


class NoRangeError(Exception):
    """A subscript of `name` has neither a formula nor a declared length."""

    def __init__(self, name: str, line: int) -> None:
        super().__init__(name)
        self.name = name
        self.line = line


class Span(Struct, frozen=True):
    """One dimension of a reference: domain, extent (both inclusive) and signed step; `order`: the parallel counter in
    it, with the sign of its factor."""

    first: Poly
    last: Poly
    near: Poly
    far: Poly
    step: Poly
    order: tuple[Symbol, int] | None = None

    def moved(self, low: int, high: int) -> "Span":
        """The span of references that lie between these distances from this one."""
        if not low and not high:
            return self
        return Span(self.first + low, self.last + high, self.near + low, self.far + high, self.step, self.order)


class Reference(Struct, frozen=True):
    name: str
    writes: bool
    spans: tuple[Span, ...]


Index = Poly | Span
"""A subscript with a formula, or the declared range of one without."""


class Shape(Struct, frozen=True):
    """What references that differ by constants have in common; a constant in `indices` is always 0."""

    name: str
    writes: bool
    region: Region
    indices: tuple[Index, ...]


def references(nest: Nest, chain: tuple[Loop, ...], parallelism: Mapping[int, Parallelism]) -> list[Reference]:
    """Every reference of the nest to memory that outlives an iteration. Raises NoRangeError and NotClosedError."""
    shapes: dict[Shape, dict[tuple[int, ...], None]] = {}
    for touches in _by_object(nest, parallelism):
        reads, _ = exposed(nest, touches)
        writes = [t for t in touches if t.writes]
        used = [*without_covered(nest, reads, writes, frozenset(p.counter for p in chain)), *writes]
        for layout in _by_layout(used):
            for shape, distance in _shapes(nest, layout, chain):
                shapes.setdefault(shape, {})[distance] = None
    found: list[Reference] = []
    for shape, distances in shapes.items():
        spans = tuple(i if isinstance(i, Span) else span(nest, i, shape.region, chain) for i in shape.indices)
        for box in _boxes(spans, list(distances), shape.writes):
            moved = (s.moved(low, high) for s, (low, high) in zip(spans, box, strict=True))
            found.append(Reference(shape.name, shape.writes, tuple(moved)))
    return found


def _by_object(nest: Nest, parallelism: Mapping[int, Parallelism]) -> Iterable[list[Touch]]:
    groups: dict[Object, list[Touch]] = {}
    kept = together(nest)
    objects = {t.access.object for t in kept}
    followed = {(o.base, o.field) for o in objects if isinstance(o, Rows)}
    for touch in kept:
        if _is_data(nest, touch, followed) and not is_private(nest, touch.access.object, parallelism):
            groups.setdefault(touch.access.object, []).append(touch)
    return groups.values()


def _is_data(nest: Nest, touch: Touch, followed: set[tuple[Object, str]]) -> bool:
    """Not a pointer that is only followed to the row behind it, nor a bound that is the same for all work-units."""
    access = touch.access
    if isinstance(access.type, Pointer) and not touch.writes and (access.object, access.field) in followed:
        return False
    if not touch.control:
        return True
    keys = nest.variance.keys
    return any(
        isinstance(c.origin, Counter) and c.origin.loop in keys for s in access.subscripts for c in s.index.symbols
    )


def _by_layout(touches: list[Touch]) -> Iterable[list[Touch]]:
    """Accesses of one member with the same strides: those that the same dimensions can fit."""
    groups: dict[object, list[Touch]] = {}
    for touch in touches:
        strides = tuple(s.stride for s in touch.access.subscripts)
        groups.setdefault((touch.access.field, strides), []).append(touch)
    return groups.values()


def _is_wider_than_its_step(touch: Touch) -> bool:
    """A vector that is read from an array of single numbers: `_mm_loadu_ps(x + i)`."""
    access = touch.access
    return is_vector(access.type) and bool(access.subscripts) and access.subscripts[-1].stride != number(access.size)


def _shapes(nest: Nest, touches: list[Touch], chain: tuple[Loop, ...]) -> Iterator[tuple[Shape, tuple[int, ...]]]:
    """The shape of each access, and its distance from it."""
    wide = next((t for t in touches if _is_wider_than_its_step(t)), None)
    if wide is not None:
        raise NotClosedError(f"{wide.access.text} is a vector of elements that are counted one by one")
    variables = inner_variables(nest.loop, chain)
    places = [(t, variables.region(region_of(t)[0])) for t in touches]
    subscripts = touches[0].access.subscripts
    start = _implied(touches)
    columns = [_column(nest, places, position, variables, chain) for position in range(start, len(subscripts))]
    for row, (touch, region) in enumerate(places):
        indices = [i for column in columns for i in column[row]]
        distance = tuple(i.constant_term if isinstance(i, Poly) else 0 for i in indices)
        moved = tuple(i - d if isinstance(i, Poly) else i for i, d in zip(indices, distance, strict=True))
        yield Shape(_name(touch), touch.writes, region, moved), distance


def _implied(touches: list[Touch]) -> int:
    """How many leading subscripts are 0 only because a member is reached through a pointer: `s->v[i]` has one."""
    access = touches[0].access
    if not access.field and not (isinstance(access.object, Rows) and access.object.field):
        return 0
    inner = [t.access.subscripts[:-1] for t in touches]
    return next(
        (n for n, column in enumerate(zip(*inner, strict=True)) if any(s.index.terms for s in column)), len(inner[0])
    )


def _column(
    nest: Nest, places: list[tuple[Touch, Region]], position: int, variables: Variables, chain: tuple[Loop, ...]
) -> list[tuple[Index, ...]]:
    """One subscript of each access, taken apart if all of them can be."""
    indices = [_index(nest, touch, position, variables, chain) for touch, _ in places]
    formulas = [i for i in indices if isinstance(i, Poly)]
    subscripts = places[0][0].access.subscripts
    if len(formulas) < len(indices) or subscripts[position].stride is None:
        return [(i,) for i in indices]
    regions = zip(formulas, places, strict=True)
    wholes = [with_quotients(nest.scopes.facts, region, index) for index, (_, region) in regions]
    single = sum(not s.row_pointer for s in subscripts) == 1
    counters = {c for whole in wholes for c in whole.counters}
    rows = row_lengths(list(zip(formulas, wholes, strict=True)), counters, single)
    return [in_rows(i, rows, whole) for i, whole in zip(formulas, wholes, strict=True)]


def _name(touch: Touch) -> str:
    return f"{str(touch.access.object).removesuffix('[]')}{touch.access.field}"


def _index(nest: Nest, touch: Touch, position: int, variables: Variables, chain: tuple[Loop, ...]) -> Index:
    subscript, region = touch.access.subscripts[position], region_of(touch)[0]
    if is_regular(nest, subscript.index, region):
        return subscript.index.substitute(variables.values)
    if not subscript.row_pointer and (row := entry_row(nest, touch)) is not None:
        return _entries(nest, row, region, chain)
    length = subscript.extent
    if length is None:
        low, high = interval(subscript.index)
        if low is not None and high is not None and high - low < LARGEST_RANGE:  # `hist[image[i]]` of bytes
            return Span(number(low), number(high), number(low), number(high), number(0))
        if position:
            raise NoRangeError(_name(touch), touch.access.place.line)
        length = symbol(nest.named(length_of(_name(touch))))
    zero = number(0)
    return Span(zero, length - 1, zero, length - 1, zero)


def _entries(nest: Nest, row: EntryRow, region: Region, chain: tuple[Loop, ...]) -> Span:
    """The entries of all rows: a work-unit uses those of its row, or of all of them if the rows are not divided."""
    mean = symbol(nest.scopes.weights.at(Kind.TRIP, row.loop.place))
    rows = highest(symbol(row.rows), region, nest.scopes.atoms, nest.scopes.facts).value + 1
    first = symbol(nest.named(first_mark(nest, row))) + row.place
    last = first + rows * mean - 1
    divided = [loop.counter for loop in chain if loop.counter in (row.rows, row.loop.counter)]
    if row.loop.counter in divided:
        return Span(first, last, first, first, number(1), (row.loop.counter, 1))
    if divided:
        return Span(first, last, first, first + mean - 1, mean, (row.rows, 1))
    return Span(first, last, first, last, number(0))


def span(nest: Nest, index: Poly, region: Region, chain: tuple[Loop, ...]) -> Span:
    """Domain, extent and step of one subscript with a formula."""
    atoms, facts = nest.scopes.atoms, nest.scopes.facts
    still = _at_zero(index, chain)
    try:
        (dimension,), seen = straightened((Dimension(index, None, None),), region)
        first = lowest(dimension.index, seen, atoms, facts).value
        last = highest(dimension.index, seen, atoms, facts).value
    except NotClosedError:  # a block of a strided loop: `y + v` with y += 8 has a form of its own
        first = lowest(index, region, atoms, facts).value
        last = highest(index, region, atoms, facts).value
    near = lowest(still, region, atoms, facts).value
    far = highest(still, region, atoms, facts).value
    moving = [loop.counter for loop in chain if loop.counter in index.symbols]
    if not moving:
        step, order = far - near + 1, None
    else:
        step = index.coefficient(moving[-1])
        order = (moving[-1], 1 if is_nonnegative(step, facts) else -1)
    length = last - first + 1
    if last == first or length in (step, -step):
        step = number(0)
    return Span(first, last, near, far, step, order)


def _at_zero(index: Poly, chain: tuple[Loop, ...]) -> Poly:
    """The subscript with the loop variables of the chain at 0, inner ones first: they start at outer ones."""
    for loop in reversed(chain):
        if loop.counter not in index.symbols:
            continue
        slope, rest = index.coefficient(loop.counter), index.without(loop.counter)
        step = None if loop.step is None else loop.step.constant
        if step and loop.first is not None and loop.variable is not None:
            start = (slope * loop.first).divided_by(step)  # the variable is first + step * counter
            index = rest if start is None else rest - start
        else:
            index = rest
    return index


Box = tuple[tuple[int, int], ...]


def _boxes(spans: tuple[Span, ...], distances: list[tuple[int, ...]], writes: bool) -> Iterable[Box]:
    """All distances as one box; each for itself where work-units use parts of the array that do not meet, or may not
    meet because they write."""
    if writes or len(distances) == 1:
        return [tuple((d, d) for d in distance) for distance in distances]
    columns = [sorted(set(column)) for column in zip(*distances, strict=True)]
    for s, column in zip(spans, columns, strict=True):
        length = (s.last - s.first).constant
        gaps = (b - a for a, b in pairwise(column))
        if s.step.terms and length is not None and any(gap > length for gap in gaps):
            return [tuple((d, d) for d in distance) for distance in distances]
    return [tuple((column[0], column[-1]) for column in columns)]
