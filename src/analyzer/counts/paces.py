"""How neighbouring threads go through the arrays of a nest, and what those that lie apart fetch and store.

*Decides*, per array: the pattern (`coalescing`) along a loop, the worst of its accesses; and of the accesses that have
no better one than `strided`, in how many sectors of `SECTOR` bytes a thread's are (`sectors`), and how many store.
*Method*: accesses whose subscripts differ by numbers are one family, as the members of a structure are: a thread finds
those of one sector in the first cache. An access in loops that do not change its place is made once for all of them.
*Errs toward* more sectors where a distance is not a number."""

from collections.abc import Mapping
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from models.expr import Expr, to_text

from ..dependence.chain import parallel_chain
from ..facts.loop import Parallelism
from ..ir.members import element_part
from ..ir.nodes import Access, Counter, Loop, all_loops, nested_symbols, size_in_bytes
from ..ir.polynomials import Symbol
from ..ir.symbols import Kind
from . import totals
from .borders import away_from_borders
from .coalescing import of_access, worst
from .consecutive import entry_row
from .covering import together
from .filling import fills
from .nest import Nest, Touch
from .scopes import Scope
from .shapes import is_regular, region_of

SECTOR = 32
"""Bytes that memory of a GPU delivers at once."""

APART = ("strided", "irregular")


class Sectors(Struct, frozen=True):
    """Of one array, of the accesses of neighbouring threads that lie apart: `fetched` sectors, and the `stores` among
    the accesses, each of which goes to the last cache by itself."""

    fetched: Expr | None
    stores: Expr | None


def coalescing(nest: Nest, touches: list[Touch], parallelism: Mapping[int, Parallelism]) -> str:
    """Along the innermost parallel loop of the nest; along the loop itself when none is parallel."""
    along = nest.once("along", lambda: _along(nest, parallelism))
    return worst(pattern_along(nest, touch, along.counter) for touch in families(nest, touches))


def coalescing_along(nest: Nest, loops: tuple[Loop, ...]) -> dict[str, str]:
    """By name of an array, the pattern of its accesses along whichever of these loops each is in; of one that is in
    none of them, where a single thread acts for its neighbours, `broadcast`."""
    counters = {loop.counter for loop in loops}
    found: dict[str, list[str]] = {}
    for touch in families(nest, together(nest)):
        mine = [c for c in touch.scope.counters if c in counters]
        found.setdefault(str(touch.access.object), []).extend(pattern_along(nest, touch, c) for c in mine)
    return {name: worst(patterns) for name, patterns in found.items()}


def _along(nest: Nest, parallelism: Mapping[int, Parallelism]) -> Loop:
    chains = (parallel_chain(inner, parallelism) for inner in all_loops(nest.loop))
    return next((chain[-1] for chain in chains if chain), nest.loop)


def families(nest: Nest, touches: list[Touch]) -> list[Touch]:
    """One touch of all those in one scope whose subscripts differ by numbers: `a[i][0]` stands for `a[i + 1][4]`."""
    found: dict[object, Touch] = {}
    for touch in touches:
        found.setdefault(nest.once(("family", id(touch)), partial(family, touch)), touch)
    return list(found.values())


def family(touch: Touch) -> tuple[object, ...]:
    """Where it is accessed, with how many bytes, and its place but for a number."""
    places = tuple((s.index - s.index.constant_term, s.stride) for s in touch.access.subscripts)
    return id(touch.scope), size_in_bytes(touch.access), places


def pattern_along(nest: Nest, touch: Touch, counter: Symbol) -> str:
    row = entry_row(nest, touch)
    if row is not None and entries_pattern(touch) == "unit":
        mean = nest.scopes.weights.at(Kind.TRIP, row.loop.place).name
        return {row.rows: f"strided({mean})", row.loop.counter: "unit"}.get(counter, "broadcast")
    region, _ = region_of(touch)
    access = _away_from_borders(nest, touch.access)
    regular = all(is_regular(nest, s.index, region) for s in access.subscripts)
    if not regular and touch.scope.counters[-1:] == (counter,) and fills(nest, touch):
        return "unit"
    return of_access(access, counter, regular, lambda stride: to_text(nest.formulas.poly(stride)))


def _away_from_borders(nest: Nest, access: Access) -> Access:
    places = tuple(away_from_borders(s.index, nest.variance.moves) for s in access.subscripts)
    if all(there is s.index for there, s in zip(places, access.subscripts, strict=True)):
        return access
    moved = zip(places, access.subscripts, strict=True)
    return replace(access, subscripts=tuple(replace(s, index=there) for there, s in moved))


def entries_pattern(touch: Touch) -> str:
    """Along the entries of rows, which lie one behind the other."""
    (subscript,) = element_part(touch.access)
    size = size_in_bytes(touch.access)
    return "unit" if size is not None and subscript.stride == size else "irregular"


def sectors(nest: Nest, touches: list[Touch], parallelism: Mapping[int, Parallelism]) -> Sectors | None:
    """Of one array; None where neighbours access what lies side by side.

    Example: `p[4*i] + p[4*i + 1]` of floats fetches one for each i, `a[i*n] + a[i*n + 100]` two."""
    along = nest.once("along", lambda: _along(nest, parallelism))
    apart: dict[object, list[Touch]] = {}
    paces: dict[object, str] = {}
    for touch in touches:
        key = family(touch)
        if key not in paces:
            paces[key] = pattern_along(nest, touch, along.counter)
        if paces[key].startswith(APART):
            apart.setdefault((key, touch.writes), []).append(touch)
    if not apart:
        return None
    fetched = ((kept_scope(nest, along, each[0]), _sectors_of(each, paces[family(each[0])])) for each in apart.values())
    stores = [kept_scope(nest, along, t) for each in apart.values() for t in each if t.writes]
    return Sectors(
        totals.value(nest, totals.combined(p for scope, n in fetched for p in totals.scaled(scope.runs, n))),
        totals.value(nest, totals.combined(p for scope in stores for p in scope.runs)),
    )


def _sectors_of(touches: list[Touch], pace: str) -> int:
    """In how many sectors the accesses of one thread are, in one iteration."""
    step = pace.partition("(")[2].removesuffix(")")
    if step.isdigit() and int(step) * touches[0].access.size <= SECTOR:
        return 1  # what lies between belongs to the neighbours, who fetch it in any case
    places = [place_in_bytes(touch.access) for touch in touches]
    return len({id(t) if at is None else at // SECTOR for t, at in zip(touches, places, strict=True)})


def place_in_bytes(access: Access) -> int | None:
    """The part of the address that is a number of bytes; None where a distance is not."""
    at = access.offset
    for s in access.subscripts:
        moved = s.index.constant_term
        if moved:
            stride = None if s.stride is None else s.stride.constant
            if stride is None:
                return None
            at += int(moved * stride)
    return at


def kept_scope(nest: Nest, last: Loop, touch: Touch) -> Scope:
    """Where an access is made once for all iterations of the loops inside of `last` that do not change its place:
    outside of the innermost of them."""
    places, counters = symbols_of(touch.access), touch.scope.counters
    moves = any(not isinstance(s.origin, Counter) and nest.variance.varies(s) for s in places)
    if last.counter not in counters or moves:
        return touch.scope
    inside = counters[counters.index(last.counter) + 1 :]
    kept = next((at for at in range(len(inside), 0, -1) if inside[at - 1] in places), 0)
    if kept == len(inside):
        return touch.scope
    origin = (inside[kept - 1] if kept else last.counter).origin
    assert isinstance(origin, Counter)
    return nest.bodies[origin.loop]


def symbols_of(access: Access) -> frozenset[Symbol]:
    """Of all its subscripts."""
    return nested_symbols(s for sub in access.subscripts for s in sub.index.symbols)
