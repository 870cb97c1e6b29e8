"""What may be supposed of values that select what a loop touches: none twice, or none that falls.

*Decides*: for two accesses in different iterations, conditions on the contents of index arrays, each with what it says
of the values that the two iterations read. `injective(idx)`: values at different places differ. `monotone(ptr)`: the
value at the later place is not the smaller one, so that ranges `ptr[i] .. ptr[i+1]` do not overlap. `rising(ptr)`:
both, so that no range is empty, and what is at `ptr[i]` is in the range of i. Of an expression over index arrays
(`index_text`), `injective` says that two iterations never have the same value of it.
*Method*: the places at which both iterations read the array, as the difference of its subscripts.
*Does not handle*: index arrays that the loop writes.

    y[idx[i]] = x[i];                                                       ->  injective(idx)
    for (e = ptr[i]; e < ptr[i + 1]; e++) y[e] = x[e];                      ->  monotone(ptr)
    t = y[ptr[i]]; for (e = ptr[i]; e < ptr[i + 1]; e++) y[e] -= t;         ->  rising(ptr)
    k = active ? active[i] : i; y[k] = x[k];                                ->  injective(active ? active[i] : i)
    for (e = first[c]; e < first[c + 1]; e++) y[list[e]] = x[e];            ->  injective(list), monotone(first)
    i = list[k]; for (e = ptr[i]; e < ptr[i + 1]; e++) y[e] = x[e];         ->  injective(list), monotone(ptr)
    for (e = ptr[box[b]]; e < ptr[box[b + 1]]; e++) y[e] = x[e];            ->  monotone(box), monotone(ptr)
    begin = t*n/p, end = (t + 1)*n/p: y[idx[i]], begin <= i < end           ->  injective(idx)
    for (j = 0; j < m; j++) y[half[site[i][j]]] = x[i][j];                  ->  injective(half), injective(site[][])
    a[row[k]][column[k]] = x[k];                                            ->  injective((row,column)): no pair twice
    a[cell[k][0]][cell[k][1]] = x[k];                                       ->  injective((cell[][0],cell[][1]))
    from = i ? end[i - 1] : 0; to = i ? end[i] : end[0]; y[from..to] = 0    ->  monotone(end)
    for (k = 0; k < cell[c].n; k++) f[cell[c].atom[k]] = 0;                 ->  injective(cell[].atom[]): of all lists
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product
from operator import le
from typing import TypeAlias

from models.expr.nodes import remembered

from ..access.accesses import Occurrence
from ..access.domains import surroundings
from ..access.subscripts import byte_offset, subscripts
from ..facts.loop import Assumption
from ..ir.members import element_part, row_part, selecting
from ..ir.nodes import Access, Computed, Declared, Either, Loaded, Outermost, Use, meaning_of, nested_symbols
from ..ir.polynomials import ZERO, Poly, Symbol, symbol
from ..ir.reasons import AssumptionKind
from ..ir.same import same_place
from ..memory.alias import Overlap
from ..polyhedra.system import Conjunction, Feasibility, System, at_least, either, equal, system
from ..source.ctypes import Integer, element
from .columns import Columns
from .index_text import array_text, index_text
from .iterations import EARLIER, LATER
from .long_strides import long_rows
from .products import apart_by_cases
from .scope import Scope

SHORT_TABLE = 32
"""Entries of a table that a loop of any length selects from: that it never selects one twice is not plausible."""


MOST_TOGETHER = 4
"""Values that select together: the places of a cell in space, and one more."""


Supposed: TypeAlias = tuple[tuple[Assumption, ...], System]
"""Conditions, and what they say of the values that two accesses depend on."""

Read: TypeAlias = tuple[Symbol, Access]
"""The value of an index array, and the access that reads it."""

KINDS = (AssumptionKind.INJECTIVE, AssumptionKind.MONOTONE)

def suppositions(scope: Scope, source: Occurrence, sink: Occurrence) -> Iterator[Supposed]:
    """Conditions on the values of one index array, or expression over some, that the two accesses depend on."""
    turns = _of_turns(scope)
    short = _of_short_tables(scope, source) | _of_short_tables(scope, sink)
    yield from _of_several(scope, source, sink, list(alike_in_both(scope, source, sink, turns)), short)
    short |= turns
    yield from _of_arrays(scope, source, sink, short)
    for s, t in product(*(_selecting(scope, o) for o in (source, sink))):
        name = index_text(s, scope.loop, scope.loop.variable or "")
        if name is not None and s not in short and is_one_expression(s, t) and is_left_alone(scope, s):
            values = between(scope, s, t)
            yield (Assumption(AssumptionKind.INJECTIVE, name, source.line),), either(*differ(values))


def shown_by_tables(scope: Scope, source: Occurrence, sink: Occurrence) -> System:
    """What the constants in tables say of the values that two accesses depend on: `out[zigzag[i]] = in[i]`."""
    total = System()
    for pairs in (pairs for _, pairs in alike_in_both(scope, source, sink)) if scope.known.contents else ():
        for (s, a), (t, b) in pairs:
            table = _read_from(scope, a)
            places = [scope.difference(x, y) for x, y in zip(_place(scope, a), _place(scope, b), strict=True)]
            if not table or len(places) != 1:
                continue
            for value in (scope.rename(symbol(s), EARLIER), scope.rename(symbol(t), LATER)):
                total += system(at_least(value - min(table)), at_least(-value + max(table)))
            for kind in KINDS:
                if _holds(kind, table):
                    total += _said(kind, places, between(scope, s, t))
    return total


def _read_from(scope: Scope, access: Access) -> list[int]:
    """What a constant table holds of which an access reads one element; none where it reads parts of elements."""
    place = selecting(access)
    if not isinstance(access.object, Declared) or place is None or place.stride is None:
        return []
    held = element(access.object.variable.type)
    whole = isinstance(held, Integer) and place.stride.constant == access.size == held.size
    return [x for x in scope.known.contents.get(access.object, ()) if isinstance(x, int)] if whole else []


def _holds(kind: AssumptionKind, table: Sequence[int]) -> bool:
    """Whether a condition on the contents of a table is met."""
    return len(set(table)) == len(table) if kind is AssumptionKind.INJECTIVE else all(map(le, table, table[1:]))


def of_two_indices(found: Iterable[Supposed]) -> Iterator[Supposed]:
    """That no value comes twice in either of two index arrays, of which one selects the value of the other."""
    once = [each for each in found if [c.kind for c in each[0]] == [AssumptionKind.INJECTIVE]]
    for (first, apart), (second, beside) in combinations(once, 2):
        yield first + second, apart + beside


def _of_arrays(scope: Scope, source: Occurrence, sink: Occurrence, short: frozenset[Symbol]) -> Iterator[Supposed]:
    """Of each array: none twice, none that falls and, where they are ends of ranges, both: so no range is empty; of
    two, that the values of one are in ranges between neighbours of the other, and none comes twice; and that neither
    falls."""
    said: dict[AssumptionKind, list[tuple[str, Supposed]]] = {kind: [] for kind in KINDS}
    for text, pairs in alike_in_both(scope, source, sink, short):
        in_order = all(len(_place(scope, a)) == 1 for (_, a), _ in pairs)
        for kind in KINDS if in_order else KINDS[:1]:
            total, inside = System(), frozenset[Assumption]()
            for (s, a), (t, b) in pairs:
                places = [scope.difference(x, y) for x, y in zip(_place(scope, a), _place(scope, b), strict=True)]
                rows = _never_at_one_place(scope, a, b) if kind is AssumptionKind.INJECTIVE else None
                values = between(scope, s, t)
                total += _said(kind, places, values) if rows is None else either(*differ(values))
                inside |= rows or frozenset()
            said[kind].append((text, ((Assumption(kind, text, source.line), *sorted(inside)), total)))
            yield said[kind][-1][1]
        for kind in KINDS if in_order else ():
            if (known := _in_shares(scope, kind, pairs)) is not None:
                yield (Assumption(kind, text, source.line),), known
        ends = (s not in _in_subscripts(o) for pair in pairs for o, (s, _) in zip((source, sink), pair, strict=True))
        if in_order and any(ends):
            (_, (_, apart)), (_, (_, rising)) = (said[kind][-1] for kind in KINDS)
            yield (Assumption(AssumptionKind.RISING, text, source.line),), apart + rising
    for (text, (once, apart)), (other, (ordered, rising)) in product(*said.values()):
        if text != other:
            yield once + ordered, apart + rising
    for (_, (first, low)), (_, (second, high)) in combinations(said[AssumptionKind.MONOTONE], 2):
        yield first + second, low + high


def _of_several(
    scope: Scope,
    source: Occurrence,
    sink: Occurrence,
    every: list[tuple[str, list[tuple[Read, Read]]]],
    short: frozenset[Symbol],
) -> Iterator[Supposed]:
    """Of arrays that each of the two reads at one place, for one subscript each, that no values at one place come
    twice together: what is said of most of them says least. One of them may be `short`, and hold kinds of what the
    others number."""
    single = [(text, *pairs[0]) for text, pairs in every if len(pairs) == 1]
    inside = (_in_subscripts(source), _in_subscripts(sink))
    selecting = [(text, s, t) for text, s, t in single if s[0] in inside[0] and t[0] in inside[1]]
    for size in range(min(len(selecting), MOST_TOGETHER), 1, -1):
        for chosen in combinations(selecting, size):
            places = {(_row(scope, a), _row(scope, b)) for _, (_, a), (_, b) in chosen}
            if len(places) > 1 or all(s in short for _, (s, _), _ in chosen):
                continue
            ((first, second),) = places
            values = [between(scope, s, t) for _, (s, _), (t, _) in chosen]
            apart = (scope.difference(x, y) for x, y in zip(first, second, strict=True))
            at_one_place = (*map(equal, apart), *map(equal, values))
            names = ",".join(text for text, _, _ in chosen)
            condition = Assumption(AssumptionKind.INJECTIVE, f"({names})", source.line)
            yield (condition,), either(at_one_place, *(side for each in values for side in differ(each)))


def _row(scope: Scope, access: Access) -> tuple[Poly, ...]:
    """What selects the values that belong together, whichever column of them an access reads."""
    place = selecting(access)
    rows = tuple(s.index for s in row_part(access)) if _is_one_of_many(scope, access) else ()
    is_column = place is None or (rows and place.index.constant is not None)
    return rows if place is None or is_column else (*rows, place.index)


def alike_in_both(
    scope: Scope, source: Occurrence, sink: Occurrence, short: frozenset[Symbol] = frozenset()
) -> Iterator[tuple[str, list[tuple[Read, Read]]]]:
    """The arrays through which both accesses go, with the pairs of values that they read from them."""
    read = (scope.once_for(_read_through, o) for o in (source, sink))
    named = [[(array_text(access, scope.loop), s, access) for s, access in each if s not in short] for each in read]
    for text in dict.fromkeys(text for text, _, _ in named[0]):
        every = product(*([(s, a) for name, s, a in reads if name == text] for reads in named))
        pairs = [((s, a), (t, b)) for (s, a), (t, b) in every if a.object == b.object and _alike(scope, a, b)]
        if len({a.object for (_, a), _ in pairs}) == 1:
            yield text, pairs


def _never_at_one_place(scope: Scope, a: Access, b: Access) -> frozenset[Assumption] | None:
    """What it takes that two iterations read a matrix of numbers, `map[i*n + j]`, in different rows or columns; None
    where they may read one element."""
    first, second = (_read(scope, x) for x in (a, b))
    if first is None or second is None:
        return None
    surely = Columns(scope, first, second).never_meet(System())
    if surely is not None:
        return surely
    for conditions, said in long_rows(scope, first, second):
        needs = Columns(scope, first, second, said, True).never_meet(System())
        if needs is not None:
            return needs | set(conditions)
    return None


def _read(scope: Scope, access: Access) -> Occurrence | None:
    """Where the loop reads an element."""
    return next((o for o in scope.accesses_to(access.object) if o.access == access and not o.write), None)


def _in_subscripts(o: Occurrence) -> frozenset[Symbol]:
    return frozenset(nested_symbols(s for v in subscripts(o.access) for s in v.symbols))


def _of_short_tables(scope: Scope, o: Occurrence) -> frozenset[Symbol]:
    """The values that select from a table of so few entries that some would be selected twice: kinds, not numbers."""
    trips = (r.numerator.constant for r in scope.loop.trip or ())
    few = any(trip is not None and trip <= SHORT_TABLE for trip in trips)
    extents = ((s, s.extent.constant) for s in o.access.subscripts if s.extent is not None)
    short = (s for s, extent in extents if extent is not None and extent <= SHORT_TABLE)
    return frozenset() if few else frozenset(t for s in short for t in s.index.symbols if scope.varies(t))


@remembered("_of_turns")
def _of_turns(scope: Scope) -> frozenset[Symbol]:
    """The values that select what several iterations are to take in turn: a counter that says where the next one stores
    (`list[c][count[c]++] = i`), or the head of a list (`next[i] = head[c]; head[c] = i`). They are there to repeat."""
    read = {access for o in scope.occurrences for i in subscripts(o.access) for access in _loaded(i)}
    found = set[Symbol]()
    for o in scope.writes:
        match o.stored:
            case Use(variable=variable) if variable.name == scope.loop.variable:
                reads = (r.access for r in scope.accesses_to(o.access.object) if not r.write)
                in_turn = any(same_place(r, o.access) for r in reads)
            case _:
                in_turn = any(same_place(r, o.access) for r in read)
        if in_turn:
            found.update(s for i in subscripts(o.access) for s in i.symbols if scope.varies(s))
    return frozenset(found)


def _loaded(value: Poly) -> Iterator[Access]:
    return (s.origin.access for s in value.symbols if isinstance(s.origin, Loaded))


def _read_through(scope: Scope, o: Occurrence) -> list[Read]:
    """The values of index arrays that decide where an access goes, in its subscripts and in the bounds of loops around
    it, each with the access that reads it."""
    bounds = surroundings(o.loops, ())
    choices = (c for choice in bounds.choices for alternative in choice for c in alternative)
    values = (*subscripts(o.access), *(c.value for c in (*bounds.constraints, *choices)))
    read = [(s, s.origin.access) for s in _in_order(_read_for(values)) if isinstance(s.origin, Loaded)]
    found = [(s, access) for s, access in read if _is_of_one_array(access) and is_left_alone(scope, s)]
    moving = {access.object for s, access in found if scope.varies(s)}
    return [(s, a) for s, a in found if scope.varies(s) or (a.object in moving and _is_numbered(a))]


def _is_numbered(access: Access) -> bool:
    """Whether it is an element by its number, as the first one is where parts begin at 0: `i == 0 ? 0 : end[i - 1]`."""
    place = selecting(access)
    return place is not None and place.index.constant is not None


def _in_order(symbols: Iterable[Symbol]) -> list[Symbol]:
    return sorted(symbols, key=lambda s: s.key)


def _read_for(values: Iterable[Poly]) -> frozenset[Symbol]:
    """What values are made of, and what selects those that are read from arrays: `list[k]` for `first[list[k]]`."""
    found = nested_symbols(s for v in values for s in v.symbols)
    inner = [sub.index for s in found if isinstance(s.origin, Loaded) for sub in s.origin.access.subscripts]
    more = nested_symbols(s for v in inner for s in v.symbols)
    return found if more <= found else found | _read_for(inner)


def _selecting(scope: Scope, o: Occurrence) -> list[Symbol]:
    """The values in the subscripts of an access that differ between iterations."""
    used = {s for v in subscripts(o.access) for s in v.symbols}
    return sorted((s for s in used if scope.varies(s)), key=lambda s: s.key)


def is_one_expression(s: Symbol, t: Symbol) -> bool:
    """Whether two values are one in each iteration: read from the same place of memory that the loop leaves alone."""
    match s.origin, t.origin:
        case Loaded(access=a), Loaded(access=b):
            return same_place(a, b)
        case _:
            return s == t


def is_left_alone(scope: Scope, s: Symbol) -> bool:
    """Whether the loop stores to nothing that a value is made of."""
    match s.origin:
        case Loaded(access=access):
            inner = {t for sub in access.subscripts for t in sub.index.symbols}
            apart = scope.stored(s) in (Overlap.DISTINCT, Overlap.ASSUMED)
            return apart and all(is_left_alone(scope, t) for t in inner)
        case Computed(meaning=Either(values=values)):
            return all(is_left_alone(scope, t) for v in values for t in v.symbols)
        case _:
            return True


def _is_of_one_array(access: Access) -> bool:
    """Whether subscripts select the value in an array of numbers, in one of many, or in a member of structures."""
    return bool(element_part(access)) and byte_offset(access) is not None


def _alike(scope: Scope, a: Access, b: Access) -> bool:
    """Whether two values are of one array: of one column, where the rows of it are selected."""
    columns = [[s.index.constant for s in element_part(x)] if selecting(x) is not None else [] for x in (a, b)]
    strides = [[s.stride for s in element_part(x)] for x in (a, b)]
    of_one = (len(_place(scope, a)), a.field, a.offset, a.size) == (len(_place(scope, b)), b.field, b.offset, b.size)
    of_one = of_one and strides[0] == strides[1] and (_is_one_of_many(scope, a) or row_part(a) == row_part(b))
    return of_one and (len(columns[0]) == 1 == len(columns[1]) or columns[0] == columns[1])


def _is_one_of_many(scope: Scope, access: Access) -> bool:
    """Whether which array it is in depends on what iterations count: `list[c]` of `list[c][k]`."""
    return any(scope.varies(t) for s in row_part(access) for t in s.index.symbols)


def _place(scope: Scope, access: Access) -> tuple[Poly, ...]:
    """What selects the value: the subscript that does, or where it is in bytes, and the pointers to it."""
    place, offset = selecting(access), byte_offset(access)
    rows = tuple(s.index for s in row_part(access)) if _is_one_of_many(scope, access) else ()
    return (*rows, place.index if place is not None else offset or ZERO)


def between(scope: Scope, earlier: Symbol, later: Symbol) -> Poly:
    """The difference of two values in the two iterations."""
    return scope.rename(symbol(earlier), EARLIER) - scope.rename(symbol(later), LATER)


def differ(values: Poly) -> tuple[Conjunction, Conjunction]:
    return (at_least(values - 1),), (at_least(-values - 1),)


def _in_shares(scope: Scope, kind: AssumptionKind, pairs: Sequence[tuple[Read, Read]]) -> System | None:
    """What the condition says where each iteration reads values in a share of its own, in front of those of later ones,
    or behind: that is not known by the distance of the iterations alone."""
    total = System()
    apart = int(kind is AssumptionKind.INJECTIVE)
    for (s, a), (t, b) in pairs:
        ((x,), (y,)) = _place(scope, a), _place(scope, b)
        first, second = _read(scope, a), _read(scope, b)
        place, values = scope.difference(x, y), between(scope, s, t)
        if first is None or second is None or not any(map(_is_extreme, place.symbols)):
            return None
        sign = next((sign for sign in (-1, 1) if _never_above_0(scope, first, second, place * -sign + apart)), 0)
        if not sign:
            return None
        total += either(*differ(values)) if apart else system(at_least(values * sign))
    return total


def _is_extreme(s: Symbol) -> bool:
    return isinstance(meaning_of(s), Outermost)


def _never_above_0(scope: Scope, first: Occurrence, second: Occurrence, value: Poly) -> bool:
    """Whether a value is not above 0 where the first is read in an iteration and the second in a later one."""
    both, above = scope.both(first, second), system(at_least(value - 1))
    if scope.feasible(both + above) is Feasibility.EMPTY:
        return True
    outer = first.loops[: scope.level(first)]
    return not scope.work.is_spent and apart_by_cases(both, above, outer, scope.feasible, scope.work, {})


def _said(kind: AssumptionKind, places: Sequence[Poly], values: Poly) -> System:
    """What the condition says of two values (their difference), read at two places (likewise, by subscripts)."""
    at_one_place = (*map(equal, places), equal(values))
    if kind is AssumptionKind.INJECTIVE:
        return either(at_one_place, *differ(values))
    (place,) = places
    before, behind = (at_least(-place - 1), at_least(-values)), (at_least(place - 1), at_least(values))
    return either(at_one_place, before, behind)
