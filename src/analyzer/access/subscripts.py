"""The subscripts of an access: which pointers they follow, which elements they name, which bytes that is."""

from collections.abc import Iterable

from msgspec import Struct

from models.expr.nodes import remembered

from ..facts.loop import Assumption
from ..ir.members import element_part, inner_part, row_part
from ..ir.nodes import Access, Allocated, Counter, Loop, Rows, Subscript, opaque_unit, size_in_bytes
from ..ir.polynomials import Poly, number
from ..ir.reasons import AssumptionKind
from ..memory.alias import member_text
from ..polyhedra.loop_bounds import extremes
from ..polyhedra.system import Constraint, Feasibility, System, at_least, either, feasible, proves
from .accesses import Occurrence
from .domains import domain, of_sizes
from .split_values import ranges


class Layout(Struct, frozen=True):
    """The parts of an access, and whether it `fits` into an element. `numbers`: the subscripts of elements that are."""

    rows: tuple[Subscript, ...]
    elements: tuple[Subscript, ...]
    fits: bool
    numbers: tuple[int | None, ...]


@remembered("_layout")
def layout(o: Occurrence) -> Layout:
    elements = element_part(o.access)
    return Layout(row_part(o.access), elements, fits(o.access), tuple([s.index.constant for s in elements]))


def in_other_elements(a: Occurrence, b: Occurrence) -> bool:
    """Whether a subscript that is a number in both tells the elements of one array apart, as long as all subscripts
    stay in their rows: `m[i][0][j]` and `m[k][1][j]`."""
    mine, its = layout(a), layout(b)
    if mine.rows or its.rows:
        return False
    if not any([x != y and x is not None and y is not None for x, y in zip(mine.numbers, its.numbers, strict=False)]):
        return False
    return same_shape(mine.elements, its.elements) and ((mine.fits and its.fits) or fit_together(a.access, b.access))


def same_shape(a: tuple[Subscript, ...], b: tuple[Subscript, ...]) -> bool:
    """Whether two lists of subscripts count in the same units, so that equal subscripts mean equal elements."""
    return len(a) == len(b) and all(
        x.stride == y.stride and x.stride is not None for x, y in zip(a, b, strict=True)
    )


def fits(access: Access) -> bool:
    """Whether the access lies inside one element of its last subscript: for a type that nothing declares, the element
    as a whole or a member of it, however large that is."""
    elements = element_part(access)
    if not access.size:
        return bool(elements) and opaque_unit(access) is not None and bool(access.field or size_in_bytes(access))
    stride = elements[-1].stride if elements else None
    element = stride.constant if stride is not None else None
    return access.size > 0 and (not elements or (element is not None and access.offset + access.size <= element))


def fit_together(a: Access, b: Access) -> bool:
    """Whether two accesses of one shape lie in elements of their last subscript that begin at the same place of what is
    around them: the same member array `m->v[i]`, the same member of elements of it."""
    if fits(a) and fits(b):
        return True
    elements = element_part(a)
    stride = elements[-1].stride.constant if elements and elements[-1].stride is not None else None
    if stride is None or a.size <= 0 or b.size <= 0:
        return False
    return max(a.offset + a.size, b.offset + b.size) - min(a.offset, b.offset) <= stride


def disjoint_bytes(a: Access, b: Access) -> bool:
    """Different members of elements that both accesses stay in."""
    if not a.size or not b.size:
        return False
    return a.offset + a.size <= b.offset or b.offset + b.size <= a.offset


def share_elements(a: Access, b: Access) -> bool:
    """Whether two accesses touch bytes of elements of one size that their first subscripts select, as long as the
    subscripts behind stay in their rows: `p[i].v[k].x` and `p[i].mass`."""
    mine, its = _bytes_of_element(a), _bytes_of_element(b)
    return mine is not None and its is not None and mine[0] == its[0]


def in_other_members(a: Access, b: Access) -> bool:
    """Whether two accesses to the elements of one array touch different members of them, whatever the elements, as long
    as the subscripts behind stay in their rows: `p[i].v[k]` and `p[j].mass`."""
    mine, its = _bytes_of_element(a), _bytes_of_element(b)
    if mine is None or its is None or mine[0] != its[0]:
        return False
    return mine[1].stop <= its[1].start or its[1].stop <= mine[1].start


def _bytes_of_element(access: Access) -> tuple[int, range] | None:
    """The size of the element of the first subscript, and the bytes of it that the access may touch."""
    elements = element_part(access)
    strides = [s.stride.constant if s.stride is not None else None for s in elements]
    lengths = [s.extent.constant if s.extent is not None else None for s in elements[1:]]
    if not elements or not access.size or None in strides or None in lengths:
        return None
    size, *inner = (stride or 0 for stride in strides)
    reach = sum(((length or 0) - 1) * stride for length, stride in zip(lengths, inner, strict=True))
    touched = range(access.offset, access.offset + reach + access.size)
    inside = 0 <= touched.start < touched.stop <= size and min([1, *inner]) > 0
    return (size, touched) if inside else None


def holds(outer: Access, inner: Access) -> bool:
    """Whether the bytes of one access within its element are among those of the other. A size of 0 is not known."""
    if (outer.offset, outer.size) == (inner.offset, inner.size):
        return True
    known = outer.size > 0 and inner.size > 0
    return known and outer.offset <= inner.offset and inner.offset + inner.size <= outer.offset + outer.size


def byte_offset(access: Access) -> Poly | None:
    """The byte offset of the access behind the last pointer that is followed."""
    total = number(access.offset)
    for s in element_part(access):
        if s.stride is None:
            return None
        total = total + s.index * s.stride
    return total


def subscripts(access: Access) -> tuple[Poly, ...]:
    return tuple(s.index for s in access.subscripts)


def extent_constraints(s: Subscript) -> tuple[Constraint, ...]:
    """0 <= index < extent"""
    if s.extent is None:
        return ()
    return (at_least(s.index), at_least(s.extent - 1 - s.index))


def object_bounds(access: Access) -> System:
    """What a subscript satisfies because no access is outside of its object (C11 6.5.6p8), for arrays of one dimension:
    of several, a row may be left without that."""
    elements = element_part(access)
    if len(elements) != 1 or not fits(access):
        return System()
    if isinstance(access.object, Allocated):
        return System((at_least(elements[0].index), *_inside_allocated(access.object, access, elements[0])))
    return System(extent_constraints(elements[0]))


def _inside_allocated(memory: Allocated, access: Access, element: Subscript) -> tuple[Constraint, ...]:
    """That what is accessed ends where the memory does, which is of a known size."""
    if memory.size is None or element.stride is None:
        return ()
    return (at_least(memory.size - element.stride * element.index - (access.offset + access.size)),)


def bounds_of(o: Occurrence) -> Assumption:
    """The assumption that the access stays in its row."""
    return Assumption(AssumptionKind.IN_BOUNDS, member_text(o.access), o.line)


def in_bounds(o: Occurrence) -> bool:
    """Whether every subscript that may leave its row provably stays in it."""
    return all(stays(o, s) for s in inner_part(o.access))


def stays(o: Occurrence, s: Subscript) -> bool:
    """Whether a subscript provably stays in its extent: the same for all accesses of a place."""
    if s.extent is None:
        return False
    known: dict[tuple[Poly, Poly], bool] = o.where.__dict__.setdefault("_stays", {})
    if (s.index, s.extent) not in known:
        around = domain(o) + ranges(s.index.symbols)
        known[s.index, s.extent] = all(proves(around, c) for c in extent_constraints(s))
    return known[s.index, s.extent]


def in_pitch(o: Occurrence, pitch: Poly) -> frozenset[Assumption] | None:
    """What it takes that an access stays in a row of so many bytes; None where no sizes exist for which it does."""
    first = byte_offset(o.access)
    if first is None or not o.access.size:
        return None
    around = domain(o)
    if proves(around, at_least(first)) and proves(around, at_least(pitch - o.access.size - first)):
        return frozenset()
    lows, highs = extremes(first, o.loops, -1), extremes(first, o.loops, 1)
    if not lows or not highs:
        return None
    inside = of_sizes(o) + System(tuple(at_least(r.numerator - 1) for loop in o.loops for r in loop.trip or ()))
    inside += either(*((at_least(end.value), *end.given) for end in lows))
    inside += either(*((at_least(pitch - o.access.size - end.value), *end.given) for end in highs))
    return frozenset({bounds_of(o)}) if feasible(inside) is not Feasibility.EMPTY else None


@remembered("_bounds_open")
def bounds_open(o: Occurrence) -> frozenset[Assumption]:
    """The assumption that the access stays in its row, where that is not certain."""
    return frozenset() if in_bounds(o) else frozenset({bounds_of(o)})


def may_stay_in_rows(o: Occurrence, twice: Loop) -> bool:
    """Whether some sizes may keep all subscripts but the first in their rows throughout the loops, of which one runs at
    least twice: in one iteration alone nothing meets."""
    together = _in_rows_throughout(o, twice)
    known: dict[System, bool] = o.where.__dict__.setdefault("_possible", {})  # of many elements of a small matrix
    if together not in known:
        known[together] = feasible(of_sizes(o) + together) is not Feasibility.EMPTY
    return known[together]


def may_both_stay_in_rows(a: Occurrence, b: Occurrence, twice: Loop) -> bool:
    """Whether some sizes may do that for two accesses at once: not for `a[i][k]` and `a[i][k - m]`, in rows of m. What
    surely stays in its row, and what never runs in one iteration with the other one, asks for nothing."""
    if subscripts(a.access) == subscripts(b.access) or in_bounds(a) or in_bounds(b):
        return True
    together = _in_rows_throughout(a, twice) + _in_rows_throughout(b, twice)
    known: dict[tuple[System, int], bool] = a.where.__dict__.setdefault("_both_possible", {})
    if (together, id(b.where)) not in known:
        possible = feasible(of_sizes(a) + of_sizes(b) + together) is not Feasibility.EMPTY
        known[together, id(b.where)] = possible or feasible(domain(a) + domain(b)) is Feasibility.EMPTY
    return known[together, id(b.where)]


def _in_rows_throughout(o: Occurrence, twice: Loop) -> System:
    """What sizes, and values that are read, have to be for all subscripts but the first to stay in their rows."""
    known: dict[int, System] = o.__dict__.setdefault("_in_rows_throughout", {})  # asked for each pair of accesses
    if twice.key not in known:
        known[twice.key] = _all_in_rows(o, twice)
    return known[twice.key]


def _all_in_rows(o: Occurrence, twice: Loop) -> System:
    trips = ((r, int(loop.key == twice.key)) for loop in o.loops for r in loop.trip or ())
    return _of_given((at_least(end) for r, more in trips for end in r.beyond(more))) + _inside_rows(o)


@remembered("_inside_rows")
def _inside_rows(o: Occurrence) -> System:
    """That the ends of all subscripts but the first are in their rows, where these are known."""
    return _of_given([c for s in inner_part(o.access) for c in _ends_in_row(o, s)])


def _ends_in_row(o: Occurrence, s: Subscript) -> tuple[Constraint, ...]:
    """That for one subscript: the same for all accesses of a place."""
    if s.extent is None:
        return ()
    known: dict[tuple[Poly, Poly], tuple[Constraint, ...]] = o.where.__dict__.setdefault("_ends_in_row", {})
    if (s.index, s.extent) not in known:
        lows, highs = extremes(s.index, o.loops, -1), extremes(s.index, o.loops, 1)
        low = (at_least(lows[0].value),) if len(lows) == 1 else ()
        high = (at_least(s.extent - 1 - highs[0].value),) if len(highs) == 1 else ()
        known[s.index, s.extent] = (*low, *high)
    return known[s.index, s.extent]


def _of_given(wanted: Iterable[Constraint]) -> System:
    """Those of the constraints that are of sizes, and of values that are read, and do not hold in any case."""
    open_ = [c for c in wanted if not any(isinstance(s.origin, Counter) for s in c.value.symbols)]
    return System(tuple([c for c in open_ if (c.value.constant or 0) < 0 or c.value.symbols]))


def is_link(access: Access) -> bool:
    """A member of one structure behind a pointer that is itself a member (`v[i].next->count`): linked structures share
    their nodes; only rows of elements (`v[i].data[j]`, `v[i].items[j].count`) are taken to be apart."""
    of_members = isinstance(access.object, Rows) and access.object.field != "" and access.field != ""
    return of_members and all(s.index.constant is not None for s in element_part(access))
