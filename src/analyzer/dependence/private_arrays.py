"""Array privatisation: arrays whose every read in an iteration is covered by an earlier write of the same iteration.

*Decides*: for one object and one loop, whether every read is covered by an earlier write of the same iteration, and
whether the last iteration writes all that any iteration writes (then its copy is what the loop leaves behind).
*Method*: `access.coverage`; what may come first are the writes before the read, and those of earlier iterations of
inner loops.
*Errs toward* not private.

    for (j...) t[j] = b[i][j];  for (j...) a[i][j] = t[m - 1 - j];      ->  t is private in the loop over i
    t[0] = b[i];  for (j = 1...) t[j] = 2 * t[j - 1];                   ->  and here
"""

from collections.abc import Iterable, Iterator
from itertools import product
from math import prod

from msgspec.structs import replace

from ..access.accesses import Guard, Occurrence
from ..access.coverage import Claim, is_covered, is_hit, one_earlier
from ..access.domains import condition, domain, running, says, surroundings
from ..access.subscripts import (
    bounds_of,
    extent_constraints,
    holds,
    in_bounds,
    may_stay_in_rows,
    object_bounds,
    same_shape,
    subscripts,
)
from ..facts.loop import Assumption
from ..ir.members import element_part, inner_part, row_part
from ..ir.nodes import Access, Anything, Counter, Held, Loaded, Object, Pointee, Rows, Subscript, negate, tested_symbols
from ..ir.pointer_roots import root
from ..ir.polynomials import Poly, Symbol, number, symbol
from ..ir.reasons import AssumptionKind
from ..memory.alias import Overlap
from ..polyhedra.system import (
    Conjunction,
    Constraint,
    Feasibility,
    System,
    at_least,
    equal,
    feasible,
    proves,
)
from .index_text import array_text
from .iterations import ALSO, EARLIER, LATER
from .scope import Scope
from .size_names import in_names
from .two_branches import either_way, in_each_case, keys_of_loops, loops_around_both

MOST_ELEMENTS = 64
"""Elements of the arrays in a structure that are looked at one by one."""

MOST_ALTERNATIVES = 2
"""Conditions of alternatives around one write that are looked at."""

MOST_CASES = 4
"""Conditions in each other, or one after the other, of which both branches are looked at."""

def private(
    scope: Scope, found: tuple[Occurrence, ...], whatever_calls_read: bool = False
) -> frozenset[Assumption] | None:
    """The in-bounds assumptions under which every read among the accesses of one object is covered within its
    iteration; None when some are not. `whatever_calls_read`: those that are only supposed to do something aside."""
    if not whatever_calls_read and not set_before_calls(scope, found):
        return None
    writes = either_way([o for o in found if o.write])
    needed: set[Assumption] = set()
    for read in (part for o in found if not o.write for part in in_parts(o, writes)):
        if _is_set_by_call(scope, read):
            continue
        if any(written_before(scope, writes, x, object_bounds(x.access)) for x in (read, *in_the_whole(read, writes))):
            continue
        if (running := _where_loops_run(scope, writes, read)) is not None:
            needed.add(running)
            continue
        filled = (c for c, inside in _of_cleared(scope, found, read) if written_before(scope, writes, read, inside))
        if (below := next(filled, None)) is not None:
            needed |= {below, bounds_of(read)}
            continue
        if not may_stay_in_rows(read, scope.loop):
            return None
        rows = System(tuple(c for s in inner_part(read.access) for c in extent_constraints(s)))
        wide = (read, *in_the_whole(read, writes, assumed=True))
        if not rows.constraints or not any(written_before(scope, writes, x, rows) for x in wide):
            return None
        needed.add(bounds_of(read))
    return frozenset(needed)


def _of_cleared(
    scope: Scope, found: Iterable[Occurrence], read: Occurrence
) -> Iterator[tuple[Assumption, System]]:
    """The condition that what data select lies in what each iteration has filled from end to end, with what it says:
    `for (j = 0; j < m; j++) mark[j] = -1; ... mark[column[k]]`."""
    place = _single(read)
    if place is None or not scope.supposing or not _is_behind_one_pointer(scope, read.access.object):
        return
    for w in (o for o in found if o.write):
        first, filling = _single(w), w.loops[loops_around_both(w, read) :]
        if first is None or len(filling) != 1 or first.coefficient(filling[0].counter).constant != 1:
            continue
        begin = first.without(filling[0].counter)
        trips = [r.numerator for r in filling[0].trip or () if r.denominator == 1]
        values = _values(scope, place - begin)
        if values is None or len(trips) != 1 or any(map(scope.varies, trips[0].symbols)):
            continue
        last = in_names(scope, trips[0] - 1)
        if last is not None and all(_is_inside(o, begin, trips[0]) for o in found):
            condition = Assumption(AssumptionKind.AT_MOST, f"{values}<={last}", read.line)
            yield condition, System((at_least(place - begin), at_least(trips[0] - 1 - (place - begin))))


def _is_behind_one_pointer(scope: Scope, x: Object) -> bool:
    """Whether memory is behind one that the function was given, or has read before the loop."""
    match x:
        case Anything(key=key, pointer=Held()):
            return key < scope.loop.counter.number
        case _:
            return isinstance(x, Pointee | Rows)


def _values(scope: Scope, place: Poly) -> str | None:
    """The array whose values select a place, if nothing else does."""
    lone = next((s for s in place.symbols if place == symbol(s)), None)
    return array_text(lone.origin.access, scope.loop) if lone is not None and isinstance(lone.origin, Loaded) else None


def _is_chosen(place: Poly) -> bool:
    """Whether data select it."""
    return any(isinstance(s.origin, Loaded) for s in place.symbols)


def _is_inside(o: Occurrence, begin: Poly, length: Poly) -> bool:
    """Whether data select what is accessed, or it surely lies in a range."""
    place = _single(o)
    if place is None:
        return False
    within = place - begin
    around = domain(o)
    return _is_chosen(within) or (proves(around, at_least(within)) and proves(around, at_least(length - 1 - within)))


def _single(o: Occurrence) -> Poly | None:
    """The only subscript of an element."""
    elements = element_part(o.access)
    return elements[0].index if len(elements) == 1 else None


def _where_loops_run(scope: Scope, writes: list[Occurrence], read: Occurrence) -> Assumption | None:
    """The condition under which the loop that writes before a read has an iteration, where that is all that is missing:
    `for (j = 0; j < m; j++) t[j] = x[j]; y[i] = t[0] + t[m - 1];`."""
    if not scope.supposing:
        return None
    inner = (loop for w in writes for loop in w.loops[loops_around_both(w, read) :])
    for trip in dict.fromkeys(r.numerator for loop in inner for r in loop.trip or ()):
        name = None if any(map(scope.varies, trip.symbols)) else in_names(scope, trip)
        if name is None or not trip.symbols:
            continue
        runs = object_bounds(read.access) + System((at_least(trip - 1),))
        if written_before(scope, writes, read, runs):
            return Assumption(AssumptionKind.AT_LEAST, f"{name}>=1", read.line)
    return None


def set_before_calls(scope: Scope, found: tuple[Occurrence, ...]) -> bool:
    """Whether calls that are only supposed to do something, and may read all that they get, find nothing in an object
    that another iteration has stored: each stores all that any of them does, before the call."""
    writes = [o for o in found if o.write]
    objects = {o.access.object for o in writes}
    given = [c for c in scope.history.supposed if not objects.isdisjoint(scope.reached_by(c.call))]
    before = all(o.position < calling.position for o in writes for calling in given)
    return not given or (before and rewritten_last(scope, found))


def _is_set_by_call(scope: Scope, read: Occurrence) -> bool:
    """Whether a call that is supposed to be independent got the memory before, whichever way the iteration came."""
    arms, loops = {guard.arm for guard in read.guards}, keys_of_loops(read)
    return any(
        calling.call.supposed is AssumptionKind.INDEPENDENT
        and read.access.object in scope.reached_by(calling.call) - set(calling.call.read_only)
        and calling.position <= read.position
        and keys_of_loops(calling.at) == loops[: len(calling.at.loops)]
        and all(guard.arm in arms for guard in calling.at.guards)
        for calling in scope.history.supposed
    )


def rewritten_last(
    scope: Scope, found: tuple[Occurrence, ...], kept: frozenset[Assumption] = frozenset()
) -> bool:
    """Whether each element that some iteration writes is written in every later one as well. `kept`: the conditions
    under which what data select lies in what a loop fills from end to end (`private`)."""
    writes = either_way([o for o in found if o.write])
    parts = (part for o in writes for part in in_parts(o, writes))
    texts = {c.text for c in kept if c.kind is AssumptionKind.AT_MOST}
    return all(
        any(_repeats(scope, w, earlier, inside) for inside in insides for w in writes for earlier in each)
        for part in parts
        for each in [(part, *in_the_whole(part, writes))]
        for insides in [(System(), *(inside for c, inside in _of_cleared(scope, found, part) if c.text in texts))]
    )


def at_least_once(scope: Scope, found: tuple[Occurrence, ...]) -> bool:
    """Whether a write stands in a `do` loop of unknown bounds: what it writes is not compared (see `_conditions`)."""
    return any(loop.at_least for o in found if o.write for loop in o.loops[scope.level(o) + 1 :])


def written_before(
    scope: Scope, writes: list[Occurrence], read: Occurrence, inside: System, most_cases: int = MOST_CASES
) -> bool:
    """Whether earlier writes of the iteration reach what is read, as long as the read is `inside`: one of them, or
    whichever branch of an `if` before it was taken, one in that."""
    alike = [w for w in writes if _reaches(w, read)]
    found = [claim for w in alike for claim in claims(scope, w, read)]
    if is_covered(domain(read) + scope.same_values + inside, subscripts(read.access), found, scope.work):
        return True
    cases = in_each_case(alike, read) if most_cases else ()
    return bool(cases) and all(written_before(scope, alike, case, inside, most_cases - 1) for case in cases)


def claims(
    scope: Scope, write: Occurrence, read: Occurrence, holding: tuple[Guard, ...] = ()
) -> Iterator[Claim]:
    """How a write may come before the read: it stands before it, or in an earlier iteration of an inner loop.
    `holding`: conditions that are known to hold in all iterations."""
    if not _reaches(write, read):
        return
    level, shared = scope.level(write), loops_around_both(write, read)
    own = frozenset(loop.counter for loop in write.loops[shared:])
    if write.position < read.position:
        conditions = _conditions(scope, write, shared, given_arms(scope, write, (*read.guards, *holding)))
        if conditions is not None and _same_iteration(write, read, shared, scope):
            yield Claim(subscripts(write.access), conditions, own)
    for depth in range(level + 1, shared):
        arms = given_arms(scope, write, (*(g for g in read.guards if g.depth <= depth), *holding))
        conditions = _conditions(scope, write, depth, arms)
        if conditions is None or not _same_iteration(write, read, depth, scope):
            continue
        again = [loop.counter for loop in write.loops[depth:shared]]
        copies = {c: next(iter(scope.rename(symbol(c), EARLIER + ALSO).symbols)) for c in again}
        yield one_earlier(Claim(subscripts(write.access), conditions, own), again, copies)


def _repeats(scope: Scope, write: Occurrence, earlier: Occurrence, inside: System) -> bool:
    """Whether `write`, in any later iteration, writes what `earlier` wrote, as long as that is `inside`."""
    if not _reaches(write, earlier):
        return False
    level = scope.level(write)
    steady = {g.arm for g in earlier.guards if is_steady(scope, g)}
    conditions = None if _skipped(scope, write, level) else _conditions(scope, write, level + 1, steady)
    if conditions is None:
        return False
    renamed = tuple(Constraint(scope.rename(c.value, LATER), c.equal) for c in conditions)
    inner = write.loops[level + 1 :]
    copies = {loop.key: next(iter(scope.rename(symbol(loop.counter), LATER).symbols)) for loop in inner}
    own = frozenset(copies.values())
    shared = {loop.key for loop in earlier.loops}
    twins = {
        copies[loop.key]: scope.rename(symbol(loop.counter), EARLIER) for loop in inner if loop.key in shared
    }
    starts = ({}, twins) if twins else ({},)
    claim = Claim(tuple(scope.rename(i, LATER) for i in subscripts(write.access)), renamed, own, starts)
    target = tuple(scope.rename(i, EARLIER) for i in subscripts(earlier.access))
    later = running(scope.loop)
    moved = System(tuple(Constraint(scope.rename(c.value, LATER), c.equal) for c in later.constraints))
    step = System((at_least(symbol(scope.distance) - 1),))
    before = scope.domain(earlier, EARLIER) + scope.moved(inside, EARLIER)
    return is_hit(before + moved + step, target, claim, scope.work)


def in_parts(o: Occurrence, writes: list[Occurrence]) -> list[Occurrence]:
    """The access as accesses to the members that some of the writes assign one by one, where they make up all of it:
    a complex number whose two parts were written, or a structure all of whose elements were."""
    x = o.access
    smaller = (w for w in writes if 0 < w.access.size < x.size and holds(x, w.access))
    inside = {(w.access.offset, w.access.size) for w in smaller if same_elements(w, o)}
    parts: list[Occurrence] = []
    at, end = x.offset, x.offset + x.size
    while at < end:
        size = min((size for offset, size in inside if offset == at), default=0)
        if not size:
            return _in_elements(o, writes) or [o]
        parts.append(replace(o, access=replace(x, offset=at, size=size)))
        at += size
    return parts or [o]


def _in_elements(o: Occurrence, writes: list[Occurrence]) -> list[Occurrence]:
    """The access as accesses to the elements of the arrays in a structure; none where they do not make up all of it."""
    x, whole = o.access, element_part(o.access)
    cells: dict[int, Access] = {}
    smaller = (w.access for w in writes if 0 < w.access.size < x.size)
    for w in (w for w in smaller if w.object == x.object and not w.bits):
        mine, inner = element_part(w)[: len(whole)], element_part(w)[len(whole) :]
        lengths = [s.extent.constant if s.extent is not None and s.stride is not None else None for s in inner]
        if not same_shape(whole, mine) or None in lengths or prod(n or 0 for n in lengths) > MOST_ELEMENTS:
            continue
        for places in product(*(range(n or 0) for n in lengths)):
            chosen = tuple(replace(s, index=number(k)) for s, k in zip(inner, places, strict=True))
            at = w.offset + sum((s.stride.constant or 0) * k for s, k in zip(inner, places, strict=True) if s.stride)
            if at not in cells or w.size < cells[at].size:
                cells[at] = replace(w, subscripts=(*x.subscripts, *chosen), place=x.place)
    parts: list[Occurrence] = []
    at, end = x.offset, x.offset + x.size
    while at < end and at in cells and cells[at].size and len(parts) < MOST_ELEMENTS:
        parts.append(replace(o, access=cells[at]))
        at += cells[at].size
    return parts if at == end else []


def in_the_whole(o: Occurrence, writes: list[Occurrence], assumed: bool = False) -> Iterator[Occurrence]:
    """The access as accesses to what it is in, its row or its structure, as far as some of the writes have no more
    subscripts: `memset(m, 0, sizeof m)`, `s = t`. `assumed`: that it stays in its rows."""
    mine = element_part(o.access)
    for length in sorted({len(element_part(w.access)) for w in writes}):
        span = _span(o.access, mine[length:]) if length < len(mine) else None
        if span is not None and (assumed or in_bounds(o)):
            around = (*row_part(o.access), *mine[:length])
            yield replace(o, access=replace(o.access, subscripts=around, size=span))


def _span(access: Access, inner: tuple[Subscript, ...]) -> int | None:
    """How many bytes from the first of all places that these subscripts select to the end of the last one."""
    span = access.size
    for s in inner:
        extent, stride = (None if x is None else x.constant for x in (s.extent, s.stride))
        if not extent or not stride:
            return None
        span += (extent - 1) * stride
    return span


def _reaches(write: Occurrence, other: Occurrence) -> bool:
    """Whether the write, with equal subscripts, overwrites all that the other access touches."""
    return holds(write.access, other.access) and same_elements(write, other)


def same_elements(a: Occurrence, b: Occurrence) -> bool:
    x, y = a.access, b.access
    return (
        x.object == y.object
        and not (x.bits or y.bits)
        and len(row_part(x)) == len(row_part(y))
        and same_shape(x.subscripts[len(row_part(x)) :], y.subscripts[len(row_part(y)) :])
    )


def _conditions(scope: Scope, write: Occurrence, shared: int, arms: set[int]) -> Conjunction | None:
    """Bounds of the loops that only the write is in, and conditions that the other access does not share; None where
    something cannot be said exactly."""
    if _skipped(scope, write, shared):
        return None
    level, total = scope.level(write), System()
    used = {s for index in subscripts(write.access) for s in index.symbols}
    for loop in write.loops[shared:]:
        first = loop.at_least > 0 and loop.counter not in used  # any iteration will do, and the first is certain
        total += System((equal(symbol(loop.counter)),), exact=loop.exact_trip) if first else running(loop)
    inner = [g for g in write.guards if g.depth > level and g.arm not in arms]
    if sum(bool(says(g).choices) for g in inner) > MOST_ALTERNATIVES:
        return None  # cases of a switch: which of them is not one of the others
    for guard in inner:
        if not says(guard).choices or not total.exact or not _always(write, guard):
            total += says(guard)
    return total.constraints if total.exact and not total.choices else None


def _skipped(scope: Scope, write: Occurrence, first: int) -> bool:
    """Whether a `continue` before the write may end an iteration of the loops around it, from the `first` on, without
    it: those that are no condition around what follows them."""
    keys = {loop.key for loop in write.loops[first:]}
    exits = ((d.exit, d.position) for d in scope.history.departures)
    return any(e.kind == "continue" and e.leaves in keys and at <= write.position for e, at in exits)


def given_arms(scope: Scope, write: Occurrence, guards: tuple[Guard, ...]) -> set[int]:
    """The conditions around the write that hold wherever these do: they are the same, or say the same of what never
    changes (`if (flag) t[0] = x; ... if (flag) y = t[0];`)."""
    said = {g.predicate for g in guards if is_steady(scope, g)}
    return {g.arm for g in guards} | {g.arm for g in write.guards if g.predicate in said}


def is_steady(scope: Scope, guard: Guard) -> bool:
    """Whether a condition is the same in all iterations."""
    about = tested_symbols(guard.predicate)
    return bool(about) and says(guard).exact and not any(map(scope.varies, about))


def _always(write: Occurrence, guard: Guard) -> bool:
    """Whether a condition of alternatives holds whenever it is evaluated (`j > 1 || j < n` for j >= 2)."""
    before = write.guards[: write.guards.index(guard)]
    fails = condition(negate(guard.predicate))
    return feasible(surroundings(write.loops, before) + fails) is Feasibility.EMPTY


def _same_iteration(write: Occurrence, read: Occurrence, shared: int, scope: Scope) -> bool:
    """Whether values that differ between inner iterations enter only as the write's own counters."""
    own = {loop.key for loop in write.loops[shared:]}
    level = scope.level(write)
    enclosing = {loop.key for loop in write.loops[: level + 1]}
    others = scope.inner - {loop.key for loop in write.loops[level + 1 : shared]} - own
    symbols = {s for index in subscripts(write.access) for s in index.symbols}
    for loop in write.loops[shared:]:
        symbols |= {s for r in loop.trip or () for s in r.numerator.symbols}
    for guard in write.guards:
        symbols |= {s for c in says(guard).constraints for s in c.value.symbols}
    for s in symbols:
        if isinstance(s.origin, Counter):
            if s.origin.loop in others:
                return False
        elif scope.varies(s) and not _made_in(scope, s) <= enclosing:
            return False
    return True


def _made_in(scope: Scope, s: Symbol) -> set[int]:
    """Keys of the loops that a value may change with: where the loop leaves alone what is read (`k < length[i]`), those
    that select it."""
    match s.origin:
        case Counter(loop=loop):
            return {loop}
        case Loaded(access=Access(object=x) as access) if (
            scope.stored(s) is Overlap.DISTINCT and not isinstance(root(x), Anything)
        ):
            return set[int]().union(*(_made_in(scope, t) for sub in access.subscripts for t in sub.index.symbols))
        case _:
            inner: tuple[int, ...] = getattr(s.origin, "loops", ())
            value: Poly | None = getattr(s.origin, "value", None)
            return set(inner).union(*(_made_in(scope, t) for t in (value.symbols if value is not None else ())))
