"""The footprint of one access: a box of elements, a set of points, or irregular.

    Dims    ::= index*  in units of strides (bytes), outer first: `a[i*n + j]` with 0 <= j < n has two, i
    and j Box     ::= (low, length, step) per dimension, under conditions Points  ::= a region whose
    counters select distinct elements, such as a triangle

*Errs toward* `None` (irregular): the caller then bounds by the number of accesses and the size of the object.
"""

from collections.abc import Mapping

from msgspec import Struct

from models.expr.nodes import remembered

from ..access.delinearize import factors_of_counters, in_rows, row_lengths
from ..base.places import Place
from ..ir.nodes import Access, Computed, Counter, Quotient, Remainder, all_loops
from ..ir.polynomials import Poly, Symbol, number, symbol
from ..ir.symbols import Kind, derived
from ..polyhedra.extremes import Range, project, ranges
from ..polyhedra.signs import Region, is_nonnegative
from ..polyhedra.summation import NotClosedError
from .nest import Nest, Touch
from .quotients import with_quotients, without_quotients
from .scopes import Scope
from .split_counters import taken_apart
from .wrapping import stays


class Dimension(Struct, frozen=True):
    """One subscript. `row`: it selects a pointer, so there is no stride."""

    index: Poly
    stride: Poly | None
    extent: Poly | None
    row: bool = False


class Side(Struct, frozen=True):
    """The values low, low + step, ..., `length` of them."""

    low: Poly
    length: Poly
    step: int = 1


class Box(Struct, frozen=True):
    """`conditions`: it is empty unless all are >= 0. `exact`: every element of it is touched."""

    sides: tuple[Side, ...]
    conditions: tuple[Poly, ...]
    exact: bool = True


class Points(Struct, frozen=True):
    """Distinct elements, one per point of the region."""

    dimensions: tuple[Poly, ...]
    region: Region


def region_of(touch: Touch) -> tuple[Region, bool]:
    """Where an access happens, branches on data taken to go both ways and quotients of counters written without
    them (`quotients`); and whether it surely happens there."""
    region, sure, same = _region(touch.scope)
    return region, sure and same


def has_all_bounds(touch: Touch) -> bool:
    """Whether nothing was lost of the bounds of its loops, and of the conditions that are not on data."""
    return _region(touch.scope)[2]


@remembered("_region")
def _region(scope: Scope) -> tuple[Region, bool, bool]:
    cases = scope.cases
    positive = [c for c in cases if c.weight.constant is None or c.weight.constant > 0]
    if not positive:
        return Region(scope.counters, (number(-1),)), True, True
    common = [c for c in positive[0].constraints if all(c in other.constraints for other in positive[1:])]
    sure = len(cases) == 1 and cases[0].weight == number(1)
    region, same = without_quotients(Region(scope.counters, tuple(common)))
    return region, sure, same


def is_regular(nest: Nest, index: Poly, region: Region) -> bool:
    """Whether a subscript is a polynomial in counters of its region and in invariant symbols, linear in
    counters."""
    for s in index.symbols:
        if isinstance(s.origin, Counter) and s.origin.loop in nest.variance.keys:
            if s not in region.counters:
                return False
        elif nest.variance.varies(s) or _follows_a_counter(nest, s):
            return False
    return index.is_linear_in(region.counters)


def _follows_a_counter(nest: Nest, s: Symbol) -> bool:
    """Whether a symbol is a quotient or remainder (`i / 2`, `i & 7`, `(unsigned char)i`) of a counter of
    the nest."""
    match s.origin:
        case Quotient(value=value) | Remainder(value=value):
            return any(
                t.origin.loop in nest.variance.keys
                if isinstance(t.origin, Counter)
                else _follows_a_counter(nest, t)
                for t in value.symbols
            )
        case _:
            return False


def seen(nest: Nest, touch: Touch) -> tuple[Region, bool, tuple[Dimension, ...] | None]:
    """Where an access happens, whether it surely does, and its dimensions; computed once per access."""
    key = ("seen", id(touch))
    if key not in nest.memo:
        nest.effort.spend(8)
        region, sure = region_of(touch)
        change, parted = taken_apart(nest, (s.index for s in touch.access.subscripts), region)
        found = dimensions(nest, touch.access, region, change, parted)
        nest.memo[key] = (region if found is None else parted, sure, found)
    known: tuple[Region, bool, tuple[Dimension, ...] | None] = nest.memo[key]
    return known


def dimensions(
    nest: Nest, access: Access, region: Region, change: Mapping[Symbol, Poly], parted: Region
) -> tuple[Dimension, ...] | None:
    """The subscripts with linearised ones taken apart; None when one is irregular or may wrap, or the object is
    another one in another iteration. `change`, `parted`: the counters that stand for parts of others
    (`split_counters`)."""
    if nest.moves(access.object) or (access.wraps and not _stays(nest, access, region)):
        return None
    found: list[Dimension] = []
    for s in access.subscripts:
        index = s.index.substitute(change) if change else s.index
        if not is_regular(nest, index, parted) or nest.wrapping.counters & s.index.symbols:
            return None
        if s.row_pointer or s.stride is None:
            found.append(Dimension(index, None, s.extent, True))
        else:
            found += apart(index, s.stride, s.extent, parted, nest.scopes.facts, is_single(access))
    return tuple(found)


def _stays(nest: Nest, access: Access, region: Region) -> bool:
    """Whether the arithmetic of all its subscripts can be taken not to wrap."""

    def found() -> bool:
        nest.effort.spend(8)
        whole = nest.scopes.facts.around(region.counters, region.constraints)
        inside = (*nest.around, *(loop for loop in all_loops(nest.loop) if loop.counter in region.counters))
        return all(stays(w, inside, whole) for w in access.wraps)

    return nest.once(("stays", access.wraps, region), found)


def is_single(access: Access) -> bool:
    """Whether an access has one subscript behind its row pointers, so that it may stand for several."""
    return sum(not s.row_pointer for s in access.subscripts) == 1


def apart(
    index: Poly, stride: Poly, extent: Poly | None, region: Region, facts: Region, single: bool = True
) -> list[Dimension]:
    """`i*n + j` as i (stride n times as large) and j, when 0 <= j < n is certain. Numbers are taken for
    lengths of rows only in the `single` subscript of an access: `a[8*t + i][j]` is a tile."""
    if not factors_of_counters((index,), region.counters, single):
        return [Dimension(index, stride, extent)]
    whole = with_quotients(facts, region, index)
    rows = row_lengths([(index, whole)], region.counters, single)
    first, *inner = in_rows(index, rows, whole)
    found: list[Dimension] = []
    for place, row in zip(reversed(inner), reversed(rows), strict=True):
        found.append(Dimension(place, stride, row))
        stride, extent = stride * row, None
    return [Dimension(first, stride, extent), *reversed(found)]


def straightened(dims: tuple[Dimension, ...], region: Region) -> tuple[tuple[Dimension, ...], Region]:
    """The same elements with subscripts that add counters (`i + u`) renamed to one counter: i becomes s -
    u. The change has determinant 1, so that integer points stay integer points."""
    for position in range(len(dims)):
        index = dims[position].index
        mine = [c for c in region.counters if c in index.symbols]
        units = [c for c in mine if index.coefficient(c).constant in (1, -1)]
        if len(mine) < 2 or not units:
            continue
        unit = min(units, key=lambda c: sum(c in d.index.symbols for d in dims))
        sign = index.coefficient(unit).constant or 1
        constant = Poly(tuple(t for t in index.terms if not set(mine).intersection(t[0])))
        moving = index.without(unit) - constant
        place = Computed("subscript", Place("", 0))
        sum_ = derived(Kind.SUM, unit, place, f"{unit.name}'")  # it may be negative: no lower bound
        change = {unit: (symbol(sum_) - moving) * sign}
        dims = tuple(Dimension(d.index.substitute(change), d.stride, d.extent, d.row) for d in dims)
        order = (sum_, *(c for c in region.counters if c != unit))
        region = Region(order, tuple(c.substitute(change) for c in region.constraints))
    return dims, region


def shape(nest: Nest, dims: tuple[Dimension, ...], region: Region) -> Box | Points | None:
    """The elements that `dims` select over a region; None when no closed form is known.

    Computed once for all accesses whose subscripts differ by numbers: `a[i][0]` is `a[i][1]`, moved."""
    base = tuple(_moved(d, -d.index.constant_term) for d in dims)
    key = ("elements", base, region)
    if key not in nest.memo:
        nest.memo[key] = _shape(nest, base, region)
    match nest.memo[key]:
        case Box() as box:
            sides = (
                Side(side.low + d.index.constant_term, side.length, side.step)
                for side, d in zip(box.sides, dims, strict=True)
            )
            return Box(tuple(sides), box.conditions, box.exact)
        case Points(dimensions=indices, region=inside):
            return Points(tuple(p + d.index.constant_term for p, d in zip(indices, dims, strict=True)), inside)
        case _:
            return None


def _moved(d: Dimension, by: int) -> Dimension:
    return Dimension(d.index + by, d.stride, d.extent, d.row) if by else d


def _shape(nest: Nest, dims: tuple[Dimension, ...], region: Region) -> Box | Points | None:
    dims, region = straightened(dims, region)
    used = frozenset(c for c in region.counters if any(c in d.index.symbols for d in dims))
    atoms, facts = nest.scopes.atoms, nest.scopes.facts
    try:
        seen = project(region, used, atoms, facts)
        spans = ranges(seen, atoms, facts)
    except NotClosedError:
        return None
    if spans is not None:
        box = _box(dims, spans[0], facts.also(*spans[1]), spans[1])
        if box is not None:
            return box
    return _points(dims, seen, used)


def _points(dims: tuple[Dimension, ...], region: Region, used: frozenset[Symbol]) -> Points | None:
    """A counter of its own in every dimension that has one: distinct points are distinct elements."""
    for d in dims:
        mine = [s for s in d.index.symbols if s in used]
        if len(mine) > 1 or any(not d.index.coefficient(s).constant for s in mine):
            return None
    seen = [s for d in dims for s in d.index.symbols if s in used]
    if len(seen) != len(set(seen)):
        return None
    return Points(tuple(d.index for d in dims), region)


def _box(
    dims: tuple[Dimension, ...], spans: dict[Symbol, Range], known: Region, conditions: tuple[Poly, ...]
) -> Box | None:
    """A box when no counter occurs in two dimensions and every dimension is an arithmetic progression."""
    taken: set[Symbol] = set()
    sides: list[Side] = []
    for d in dims:
        mine = [s for s in d.index.symbols if s in spans]
        if taken.intersection(mine):
            return None
        taken.update(mine)
        side = _side(d.index, {s: spans[s] for s in mine}, known)
        if side is None:
            return None
        sides.append(side)
    return Box(tuple(sides), conditions)


def _side(index: Poly, spans: dict[Symbol, Range], known: Region) -> Side | None:
    """The values of one subscript: sums of progressions whose steps leave no gap are a progression again."""
    steps: list[tuple[int, Symbol]] = []
    low = index
    for s, span in spans.items():
        a = index.coefficient(s).constant
        if not a:
            return None
        low = low.substitute({s: span.low if a > 0 else span.high - 1})
        steps.append((abs(a), s))
    if not steps:
        return Side(low, number(1))
    steps.sort(key=lambda step: step[0])
    unit = steps[0][0]
    reach = number(0)
    for a, s in steps:
        if a % unit or not is_nonnegative(reach + unit - a, known):
            return None
        reach = reach + (spans[s].high - spans[s].low - 1) * a
    length = reach.divided_by(unit)
    return None if length is None else Side(low, length + 1, unit)
