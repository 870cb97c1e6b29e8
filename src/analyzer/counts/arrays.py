"""Arrays as one loop uses them: footprints by direction, sections to be transferred, coalescing.

*Decides*, per object and in bytes: what is read, written and touched at all (unique bytes); `transfer_in`,
the smallest contiguous section around reads that no earlier write of the same iteration covers, and around
the writes when these do not provably fill their section; `transfer_out`, the section of writes that
somebody can see after the loop (parameters, globals, memory; locals when the function reads them later).
*Exact* when said; otherwise an upper bound. *Does not handle*: reads satisfied by earlier iterations (they
count as exposed, as a bound)."""

from collections.abc import Callable, Mapping
from itertools import pairwise

from msgspec.structs import replace

from models.expr import Expr, add, minimum, mul, num

from ..access.liveness import is_live_after
from ..facts.loop import ArrayFacts, Count, Parallelism
from ..ir.nodes import Access, Anything, Counter, Object, Rows, size_in_bytes
from ..ir.polynomials import Poly, number
from ..memory.alias import c_text, member_text
from ..memory.escape import escapes
from ..memory.pointer_tables import may_share
from ..source.ctypes import Array, Complex, CType, Floating, Integer, Pointer, Record, Unknown
from . import totals
from .coalescing import is_filled, worst
from .consecutive import entry_row
from .covering import exposed, together, without_members
from .far_places import lines
from .few_values import most_elements, most_in_columns
from .footprint import Elements, elements
from .nest import Nest, Touch
from .paces import coalescing, entries_pattern, families, family, pattern_along, sectors
from .privacy import is_private
from .rows import facts, in_rows, layout, presumed, shape_of
from .sections import bytes_of, declared_bytes
from .shapes import Box, Points, seen
from .widths import apart

ZERO = Count(add(0))


def arrays(nest: Nest, parallelism: Mapping[int, Parallelism]) -> tuple[ArrayFacts, ...]:
    """The arrays of the nest in the order of their first access."""
    found = tuple(_array(nest, object_, touches, parallelism) for object_, touches in by_object(nest).items())
    return tuple(map(_open_ended, found)) if nest.unknown else found


def by_object(nest: Nest) -> dict[Object, list[Touch]]:
    """The accesses of the nest, by what they touch, in the order of the first ones."""
    groups: dict[Object, list[Touch]] = {}
    for touch in together(nest):
        groups.setdefault(touch.access.object, []).append(touch)
    return groups


def _open_ended(found: ArrayFacts) -> ArrayFacts:
    """With open ends for the bytes: what is not understood, or not seen, may touch more of the array, and write what is
    read after it."""
    return _with_bytes(found, totals.or_more, lambda count: replace(count, exact=False, low=None, high=None))


def _with_bytes(
    found: ArrayFacts, footprint: Callable[[Count], Count], transfer: Callable[[Count], Count]
) -> ArrayFacts:
    """With each of its footprints and transfers put through a function."""
    return replace(
        found,
        read_footprint=footprint(found.read_footprint),
        write_footprint=footprint(found.write_footprint),
        footprint=footprint(found.footprint),
        transfer_in=transfer(found.transfer_in),
        transfer_out=transfer(found.transfer_out),
    )


def _array(
    nest: Nest, object_: Object, touches: list[Touch], parallelism: Mapping[int, Parallelism]
) -> ArrayFacts:
    reads = [t for t in touches if not t.writes]
    writes = [t for t in touches if t.writes]
    first = touches[0].access
    if any(is_unsized(t.access) for t in touches):
        return _of_unknown_size(nest, object_, touches, parallelism)
    read, stored = footprint(nest, reads), footprint(nest, writes)
    walk, walked_by, walks, walking = _walk(nest, touches)
    apart = sectors(nest, touches, parallelism)
    found = ArrayFacts(
        name=str(object_),
        element_type=type_name(first.type),
        element_bytes=first.size,
        access=("r" if reads else "") + ("w" if writes else ""),
        coalescing=coalescing(nest, touches, parallelism),
        contiguous=is_contiguous(nest, object_, touches),
        read_footprint=read,
        write_footprint=stored,
        footprint=stored if not reads else footprint(nest, touches) if writes else read,
        transfer_in=_transfer_in(nest, object_, touches, stored, parallelism),
        transfer_out=_transfer_out(nest, object_, touches, parallelism),
        accesses=_accesses(nest, touches),
        walk=walk,
        walked_by=walked_by,
        walks=walks,
        walking=lines(nest, walking) if walk == "irregular" else _accesses(nest, walking),
        sectors=None if apart is None else apart.fetched,
        stores_apart=None if apart is None else apart.stores,
    )
    return _of_rows(nest, object_, found, reads, writes) if isinstance(object_, Rows) else found


def _of_rows(nest: Nest, rows: Rows, found: ArrayFacts, reads: list[Touch], writes: list[Touch]) -> ArrayFacts:
    """Bytes of several rows of a table are the sum where no two rows are one: an assumption. Where the function itself
    may make them one, or cuts them out of one block, it is a bound."""
    shared = may_share(nest.function, rows) or escapes(nest.function).may_repeat(rows)
    text = f"rows-distinct({c_text(rows)})"

    def under(count: Count, touches: list[Touch]) -> Count:
        if count.expr in (None, num(0)) or not _many_rows(nest, touches):
            return count
        if shared:
            return replace(count, exact=False, high=count.expr) if count.exact else count
        return count if rows.restrict else replace(count, assumptions=(*count.assumptions, text))

    both = [*reads, *writes]
    return replace(
        found,
        read_footprint=under(found.read_footprint, reads),
        write_footprint=under(found.write_footprint, writes),
        footprint=under(found.footprint, both),
        transfer_in=under(found.transfer_in, both),
        transfer_out=under(found.transfer_out, writes),
    )


def _many_rows(nest: Nest, touches: list[Touch]) -> bool:
    """Whether several rows of a table are touched: one in each iteration, or by what is written."""
    selected = {tuple(s.index for s in t.access.subscripts if s.row_pointer) for t in touches}
    return len(selected) > 1 or any(nest.variance.moves(x) for rows in selected for i in rows for x in i.symbols)


def is_unsized(access: Access) -> bool:
    """Whether not even a formula says how many bytes an access is: a member of a type that nothing declares."""
    return size_in_bytes(access) is None


def _of_unknown_size(
    nest: Nest, object_: Object, touches: list[Touch], parallelism: Mapping[int, Parallelism]
) -> ArrayFacts:
    unknown = Count(None, exact=False)
    walk, walked_by, walks, walking = _walk(nest, touches)
    return ArrayFacts(
        name=str(object_),
        element_type=type_name(touches[0].access.type),
        element_bytes=0,
        access=("r" if not all(t.writes for t in touches) else "") + ("w" if any(t.writes for t in touches) else ""),
        coalescing=coalescing(nest, touches, parallelism),
        contiguous=is_contiguous(nest, object_, touches),
        read_footprint=unknown,
        write_footprint=unknown,
        footprint=unknown,
        transfer_in=unknown,
        transfer_out=unknown,
        accesses=_accesses(nest, touches),
        walk=walk,
        walked_by=walked_by,
        walks=walks,
        walking=_accesses(nest, walking),
    )


def _accesses(nest: Nest, touches: list[Touch]) -> Expr | None:
    return totals.value(nest, totals.combined(p for t in touches for p in t.scope.runs))


def _walk(nest: Nest, touches: list[Touch]) -> tuple[str, int | None, int, list[Touch]]:
    """How one thread goes through the array, along the innermost loop around the accesses that run most often; which
    loop that is, through how many places at once it goes so, and the accesses that go so (one of those to the same
    element)."""
    rows = [entry_row(nest, touch) for touch in touches]
    if all(rows) and rows[0] is not None:
        return worst(entries_pattern(touch) for touch in touches), None, 1, touches
    depth = max(len(touch.scope.counters) for touch in touches)
    if depth == 0:
        return "broadcast", None, 1, touches
    deepest = [touch for touch in touches if len(touch.scope.counters) == depth]
    counter = deepest[0].scope.counters[-1]
    origin = counter.origin
    patterns = {family(touch): _steps(nest, touch, deepest) for touch in families(nest, deepest)}
    pattern = worst(patterns.values())
    walking = {(t.scope.counters, t.access.subscripts): t for t in deepest if patterns[family(t)] == pattern}
    at_once = {family(t)[1:] for t in walking.values() if t.scope.counters[-1] == counter}
    return pattern, origin.loop if isinstance(origin, Counter) else None, len(at_once), list(walking.values())


def _steps(nest: Nest, touch: Touch, all_touches: list[Touch]) -> str:
    """Along the innermost loop: `unit` also where the family of the touch fills what it steps over."""
    pattern = pattern_along(nest, touch, touch.scope.counters[-1])
    name, _, step = pattern.partition("(")
    if name != "strided" or not step.removesuffix(")").isdigit():
        return pattern
    own = family(touch)
    places = {t.access.subscripts: None for t in all_touches if family(t) == own}
    width = touch.access.size
    return "unit" if is_filled(int(step.removesuffix(")")) * width, width, len(places)) else pattern


def type_name(type_: CType) -> str:
    match type_:
        case Integer(name=name) | Floating(name=name):
            return name
        case Complex(part=part):
            return f"{part.name} _Complex"
        case Pointer():
            return "pointer"
        case Record(kind=kind, key=key):
            return f"{kind} {key}"
        case Array(element=element):
            return type_name(element)
        case Unknown(name=name, opaque=True):
            return name
        case _:
            return "unknown"


def is_contiguous(nest: Nest, object_: Object, touches: list[Touch]) -> bool:
    """Whether the object is one block of memory: rows behind several pointers are not, nor is what a pointer leads to
    that the nest sets."""
    if isinstance(object_, Anything):
        return not nest.moves(object_)
    return not (isinstance(object_, Rows) and any(map(_moves_rows, touches)))


def _moves_rows(touch: Touch) -> bool:
    return any(s.row_pointer and s.index.constant is None for s in touch.access.subscripts)


# --- footprints


def footprint(nest: Nest, touches: list[Touch]) -> Count:
    """Unique bytes of the touches. Accesses of another layout or member are counted apart."""
    if not touches:
        return ZERO
    if len({_layout(touch) for touch in touches}) > 1:
        touches = without_members(touches)
    layouts: dict[object, list[Touch]] = {}
    for touch in touches:
        layouts.setdefault(_layout(touch), []).append(touch)
    parts = [_same_layout(nest, group) for group in layouts.values()]
    found = totals.plus(parts)
    if found is None or found.expr is None:
        return _bound(nest, touches)
    if len(layouts) > 1 and not _are_disjoint(touches):
        return Count(found.expr, exact=False, high=found.high, assumptions=found.assumptions)
    return found


def _layout(touch: Touch) -> object:
    access = touch.access
    return (tuple(s.stride for s in access.subscripts), access.offset, access.size)


def _are_disjoint(touches: list[Touch]) -> bool:
    """Whether accesses of different layouts are different members of the same elements."""
    strides = {tuple(s.stride for s in t.access.subscripts) for t in touches}
    members = sorted({(t.access.offset, t.access.size) for t in touches})
    apart = all(a[0] + a[1] <= b[0] for a, b in pairwise(members))
    return len(strides) == 1 and apart


def _same_layout(nest: Nest, touches: list[Touch]) -> Count | None:
    shapes: list[Box | Points] = []
    exact = True
    for touch in touches:
        exact = exact and seen(nest, touch)[1]
        found = shape_of(nest, touch)
        if found is None:
            return _bound(nest, touches)
        shapes.append(found)
    laid = [each.dimensions for t in touches if (each := layout(nest, t)) is not None]
    if len({tuple(d.stride for d in dims) for dims in laid}) > 1:  # rows of other lengths: places cannot be compared
        return _bound(nest, touches)
    dims = laid[0]
    spread = apart(shapes, dims, touches[0].access.size, facts(nest, touches))
    count = None if spread is None else elements(nest, list(spread[0]))
    if spread is None or count is None:
        return _bound(nest, touches)
    return _in_bytes(nest, count, touches, exact, spread[1] or size_in_bytes(touches[0].access) or 0)


def _in_bytes(nest: Nest, count: Elements, touches: list[Touch], exact: bool, size: int | Poly) -> Count:
    value = nest.once(("bytes of", id(count), size), lambda: nest.formulas.pieces(totals.scaled(count.pieces, size)))
    if count.exact:
        exact = exact and not in_rows(nest, touches)  # where they are not in rows of their own, elements coincide
        return Count(value, exact=exact, high=None if exact else value, assumptions=presumed(nest, touches))
    declared = declared_bytes(touches)
    if declared is not None:
        value = minimum(value, nest.formulas.poly(declared))
    return Count(value, exact=False, high=value, assumptions=presumed(nest, touches))


def _bound(nest: Nest, touches: list[Touch]) -> Count:
    """At most as many bytes as are accessed, and as the object has."""
    pieces = totals.combined(p for t in touches for p in totals.scaled(t.scope.runs, size_in_bytes(t.access) or 0))
    most, said = totals.most(nest, pieces)
    in_rows = _few_bytes(nest, touches, most_in_columns)
    found = (declared_bytes(touches), _few_bytes(nest, touches, most_elements), in_rows)
    limits = [nest.formulas.poly(n) for n in found if n is not None]
    if in_rows is not None:
        said = tuple(dict.fromkeys((*said, *(f"in-bounds({member_text(t.access)})" for t in touches))))
    if limits:
        most = value = minimum(*limits) if most is None else minimum(most, *limits)
    else:
        value = totals.value(nest, pieces)
    return Count(value, exact=False, high=most, assumptions=said)


def _few_bytes(nest: Nest, touches: list[Touch], bound: Callable[[Nest, Access], Poly | None]) -> Poly | None:
    """What the subscripts can select, where their types or expressions leave few values (`few_values`)."""
    total = number(0)
    for access in {(t.access.subscripts, t.access.offset): t.access for t in touches}.values():
        most, size = bound(nest, access), size_in_bytes(access)
        if most is None or size is None:
            return None
        total = total + most * size
    return total


# --- transfers


def _transfer_in(
    nest: Nest, object_: Object, touches: list[Touch], stored: Count, parallelism: Mapping[int, Parallelism]
) -> Count:
    if is_private(nest, object_, parallelism):
        return ZERO
    reads, certain = exposed(nest, touches)
    writes = [t for t in touches if t.writes]
    needed = list(reads)
    if writes and not _fills(nest, writes, stored):
        needed += writes
    if not needed:
        return ZERO
    size = _section_bytes(nest, object_, needed)
    if size.expr is None or (certain or not reads):
        return size
    return Count(size.expr, exact=False, high=size.expr, assumptions=size.assumptions)


def _transfer_out(
    nest: Nest, object_: Object, touches: list[Touch], parallelism: Mapping[int, Parallelism]
) -> Count:
    writes = [t for t in touches if t.writes]
    if not writes or is_private(nest, object_, parallelism):
        return ZERO
    fed_back = bool(nest.around and exposed(nest, touches)[0])
    if not fed_back and not is_live_after(nest.function, nest.loop, object_):
        return ZERO
    return _section_bytes(nest, object_, writes)


def _fills(nest: Nest, writes: list[Touch], touched: Count) -> bool:
    """Whether the writes, `touched` unique bytes, certainly store every bit of the section around them."""
    if not touched.exact or any(w.access.bits and w.access.bits[1] < 8 * w.access.size for w in writes):
        return False
    size = bytes_of(nest, writes)
    if size is None or not size.exact or size.expr is None or touched.expr is None:
        return False
    return add(size.expr, mul(-1, touched.expr)) == add(0)


def _section_bytes(nest: Nest, object_: Object, touches: list[Touch]) -> Count:
    size = None
    if not isinstance(object_, Anything):
        size = bytes_of(nest, touches)
    return Count(None, exact=False) if size is None else size
