"""Whether one access of an iteration can touch what another access touches in a later iteration.

*Decides*: for two accesses, at least one a write, and a loop: `Independent` (with the assumptions that needs), or
`Dependence`, `shown` when it certainly exists for some sizes.
*Method*: relation of the objects (`alias`); then subscript by subscript where both have the same shape and stay in
their rows, else as intervals of bytes; constant differences first, then emptiness of the integer system (`system`).
*Errs toward* a dependence that is not `shown`.
"""

from itertools import chain, product
from math import gcd

from msgspec import Struct
from msgspec.structs import replace

from models.expr.nodes import remembered

from ..access.accesses import Occurrence
from ..access.subscripts import (
    Layout,
    bounds_open,
    byte_offset,
    disjoint_bytes,
    extent_constraints,
    fit_together,
    holds,
    in_other_elements,
    is_link,
    layout,
    may_both_stay_in_rows,
    may_stay_in_rows,
    same_shape,
    share_elements,
    subscripts,
)
from ..facts.loop import Assumption
from ..ir.formula_names import without_brackets
from ..ir.members import element_part, inner_part
from ..ir.nodes import Anything, Counter, Entry, Loaded, Loop, Quotient, Remainder, Rows, nested_symbols, size_in_bytes
from ..ir.pointer_roots import root
from ..ir.polynomials import ZERO, Poly, Symbol, number, symbol
from ..ir.reasons import AssumptionKind, ReasonCode
from ..ir.same import same_place
from ..memory.access_text import pointer_text
from ..memory.alias import Overlap, c_text, differ
from ..memory.tables import table_behind, table_of
from ..polyhedra.system import Constraint, Feasibility, System, at_least, equal, proves, system
from ..reductions.updates import computes_with_vectors
from ..source.ctypes import Floating, Integer
from .colours import in_one_colour
from .columns import Columns, in_wide_rows
from .cut_rows import in_cut_row
from .equal_values import never_equal
from .far_ends import far_ends
from .given_memory import given
from .index_arrays import of_two_indices, shown_by_tables, suppositions
from .iterations import ALSO, EARLIER, LATER
from .lists_in_strips import lists_in_strips
from .long_strides import long_rows, long_strides, offsets, other_parts
from .made_inside import is_made_inside
from .ordering import never_zero
from .outcome import Dependence, Fold, Independent, Outcome
from .own_entries import are_by_one
from .products import apart_by_cases, counted_from_below
from .same_stores import store_the_same
from .scope import Scope
from .shared_arrays import shared_with
from .size_names import side_by_side
from .slices import in_slices
from .strips import inside_strips
from .table_entries import behind_two_entries
from .values_below import values_below
from .witness.proof import Meeting, coincidence, constant_distance


def between(scope: Scope, source: Occurrence, sink: Occurrence, show: bool = True) -> Outcome:
    """The dependence from `source` to `sink` in a later iteration of the loop, or its absence. `show`: whether to look
    for certainty that it exists, which costs more than all the rest."""
    if scope.is_automatic(source.access.object) or scope.is_automatic(sink.access.object):
        return Independent()
    if is_made_inside(scope, source.access.object) and is_made_inside(scope, sink.access.object):
        return Independent()
    if scope.supposing and (own := given(scope, source, sink)):
        return Independent(own)
    relation = scope.overlap(source.access, sink.access)
    if relation.overlap is not Overlap.SAME and _tested_to_the_end(scope, source, sink):
        return Independent()
    match relation.overlap:
        case Overlap.DISTINCT:
            return Independent()
        case Overlap.ASSUMED:
            shared = _in_shared_arrays(scope, source, sink)
            if not isinstance(shared, Independent):
                return shared
            within = relation.assumptions[0][0] == AssumptionKind.ROWS_DISTINCT  # that a bound stays as it is says less
            distinct = frozenset(Assumption(*a, line=source.line) for a in relation.assumptions)
            apart = Independent(distinct | shared.assumptions)
            return (_bound_read(scope, source, sink) if within else None) or apart
        case Overlap.UNKNOWN:
            apart_anyway = _never_both(scope, source, sink) or _behind_own_entries(scope, source, sink)
            if apart_anyway is not None:
                return apart_anyway
            unrelated = Dependence(source, sink, ReasonCode.MAY_ALIAS)
            return _bound_read(scope, source, sink) or unrelated
        case Overlap.SAME:
            return _same_object(scope, source, sink, show)


def _in_shared_arrays(scope: Scope, source: Occurrence, sink: Occurrence) -> Outcome:
    """Whether the two accesses are apart also where a call of the function, in view, leads two parameters into one
    array; else the condition that they are distinct, in place of an assumption that the program shows to be wrong."""
    needed: frozenset[Assumption] = frozenset()
    for call, as_of_source in shared_with(scope.known.shared, source.access, sink.access):
        apart = between(scope, source, replace(sink, access=as_of_source), show=False)
        if isinstance(apart, Independent) and not any(a.kind.is_condition for a in apart.assumptions):
            needed |= apart.assumptions
            continue
        names = [name for o in (source, sink) if (name := pointer_text(o.access, scope.loop)) is not None]
        if scope.supposing and len(names) == 2:
            return Independent(frozenset({Assumption(AssumptionKind.DISTINCT, ",".join(sorted(names)), source.line)}))
        one, other = call.names
        what = "the call" if call.is_made_by_call else "the assignment"
        why = f"{what} on line {call.line} leads `{one}` and `{other}` into one array"
        return Dependence(source, sink, ReasonCode.MAY_ALIAS, why=why)
    return Independent(needed)


def surely_meet(scope: Scope, source: Occurrence, sink: Occurrence) -> bool:
    """Whether two accesses to one object touch one place in two iterations, for some sizes, whatever memory holds."""
    pair = _Pair(scope, source, sink, True)
    rows, elements = pair.row_differences(), pair.element_differences()
    if rows is None or elements is None or not pair.same_bytes():
        return False
    meeting = Meeting(scope, source, sink, (*rows, *elements))
    return not meeting.of_contents and meeting.certain() and meeting.exists(System())


NOTHING_SAID = System()


def meet_for_some_contents(
    scope: Scope, source: Occurrence, sink: Occurrence, said: System = NOTHING_SAID
) -> bool:
    """Whether two accesses to one object touch one place in two iterations of which `said` holds, for some sizes, and
    some contents of what conditions read. What selects elements may hold no value twice, and is not chosen; sizes are
    not 0, and not equal by chance."""
    pair = _Pair(scope, source, sink, True)
    rows, elements = pair.row_differences(), pair.element_differences()
    if rows is None or elements is None or not pair.same_bytes() or pair.open_values() or pair.short_rows():
        return False
    meeting = Meeting(scope, source, sink, (*rows, *elements))
    if pair.needs_small(elements) or coincidence(meeting.differences, scope):
        return False
    sizes = {s for d in meeting.differences for s in d.symbols}
    some = (at_least(symbol(s) - 1) for s in sorted(sizes, key=lambda s: s.key) if _is_given(s, scope))
    readings = (meeting, meeting.on_data())
    ordinary = said + System(tuple(some))
    return any(m is not None and m.certain() and m.exists(ordinary) for m in readings)


def meet_at_equal_numbers(scope: Scope, source: Occurrence, sink: Occurrence, first: Poly, last: Poly) -> bool:
    """Whether two accesses in two iterations of the loop only meet where two values are equal: `first` in the earlier,
    `last` in the later iteration."""
    gap = scope.difference(first, last)
    apart = (system(at_least(gap - 1)), system(at_least(-gap - 1)))
    return all(never_meet_where(scope, source, sink, said) for said in apart)


def never_meet_where(scope: Scope, source: Occurrence, sink: Occurrence, said: System) -> bool:
    """Whether two accesses get to no place together in two iterations of the loop of which something holds."""
    if scope.overlap(source.access, sink.access).overlap is not Overlap.SAME:
        return False
    pair = _Pair(scope, source, sink, False, said)
    rows = pair.row_differences()
    return rows is not None and pair.disproved(rows) is not None


def _is_given(s: Symbol, scope: Scope) -> bool:
    return isinstance(s.origin, Entry | Loaded) and not scope.varies(s)


def may_meet_in_one_iteration(scope: Scope, a: Occurrence, b: Occurrence) -> bool:
    """Whether two accesses to one object may touch the same bytes in one iteration of the loop."""
    x, y = a.access.subscripts, b.access.subscripts
    of_rows = tuple(s.row_pointer for s in x) == tuple(s.row_pointer for s in y)
    if not of_rows or not same_shape(*(tuple(s for s in part if not s.row_pointer) for part in (x, y))):
        return True
    if disjoint_bytes(a.access, b.access):
        return False
    beside = EARLIER + ALSO
    gaps = [scope.rename(s.index, EARLIER) - scope.rename(t.index, beside) for s, t in zip(x, y, strict=True)]
    meets = System(tuple(equal(gap) for gap in gaps))
    both = scope.domain(a, EARLIER) + scope.domain(b, beside)
    if scope.feasible(both + meets) is Feasibility.EMPTY:
        return False
    outer = a.loops[: scope.level(a)]
    return scope.work.is_spent or not apart_by_cases(both, meets, outer, scope.feasible, scope.work, {})


def _tested_to_the_end(scope: Scope, a: Occurrence, b: Occurrence) -> bool:
    """A read of a place that a test reads again behind every store, of another type: what is read as one type at the
    end was not stored as another before. (The test is that of the loop itself, or of an inner one around the store.)"""
    if a.write == b.write or not differ(a.access, b.access, scope.known):
        return False
    store, read = (a, b) if a.write else (b, a)
    if any(scope.varies(s) for i in subscripts(read.access) for s in i.symbols):
        return False
    followed = {each.key for each in store.loops if each.key == scope.loop.key or (each.exact_trip and each.trip)}
    followed &= {scope.loop.key, *scope.inner}
    return any(
        t.loops[-1].key in followed
        and same_place(t.access, read.access)
        and not any(g.depth == len(t.loops) for g in t.guards)
        for t in scope.tests
    )


def _bound_read(scope: Scope, a: Occurrence, b: Occurrence) -> Independent | None:
    """A read of a bound or subscript that is taken not to be changed by the loop."""
    for read in (a, b):
        if not read.write and read.access.text in scope.presumed and isinstance(read.access.type, Integer):
            return Independent()  # it is presumed of the whole loop
        if not read.write:
            for s in scope.invariants:
                loaded = s.origin.access if isinstance(s.origin, Loaded) else None  # a variable is no access
                if loaded and loaded.text == read.access.text and loaded.object == read.access.object:
                    return Independent(scope.invariance(frozenset({s})))
    return None


def _same_object(scope: Scope, source: Occurrence, sink: Occurrence, show: bool) -> Outcome:
    a = source.access
    if scope.fresh(a.object):
        return Dependence(source, sink, ReasonCode.MAY_ALIAS) if isinstance(a.object, Rows) else Independent()
    moved = isinstance(a.object, Rows) and scope.moves_pointers and not scope.leaves_way_to(a)
    if moved and (apart := _behind_own_entries(scope, source, sink)) is not None:
        return apart
    if moved and not _in_new_rows(scope, source, sink):
        return Dependence(source, sink, ReasonCode.MAY_ALIAS)
    if in_other_elements(source, sink):  # most pairs, where small matrices are written out
        bounds = bounds_open(source) | bounds_open(sink)
        if bounds <= scope.assumed_bounds:
            return Independent(bounds | scope.premises(source) | scope.premises(sink))
    return _Pair(scope, source, sink, show).decide()


def _never_both(scope: Scope, source: Occurrence, sink: Occurrence) -> Independent | None:
    """That no run of the loop does both, as one stands under a condition that stays false where the other one is done:
    `if (packed) a[i] = 0; else b[i] = 0;`."""
    if not (source.guards and sink.guards):
        return None
    if scope.feasible(scope.both(source, sink)) is not Feasibility.EMPTY:
        return None
    return Independent(scope.premises(source) | scope.premises(sink))


def _behind_own_entries(scope: Scope, source: Occurrence, sink: Occurrence) -> Independent | None:
    """That two accesses are to memory behind different entries of a table, whatever decides whether these are set."""
    entry = are_by_one(scope, source, sink)
    if entry is None:
        return None
    always = replace(entry, where=replace(entry.where, guards=()))
    apart = between(scope, always, always, show=False)
    rows = [o.access.object for o in (source, sink) if isinstance(o.access.object, Rows)]
    behind = {Assumption(AssumptionKind.ROWS_DISTINCT, c_text(x), source.line) for x in rows}
    return Independent(apart.assumptions | behind) if isinstance(apart, Independent) else None


def _in_new_rows(scope: Scope, source: Occurrence, sink: Occurrence) -> bool:
    """Whether the loop stores no pointers but new ones, each in an entry of its own (`m[i] = malloc(...)`), and the two
    accesses are behind different entries."""
    for write in scope.writes:
        if not isinstance(write.access.type, Integer | Floating):
            filling = scope.known.filled.get(table_of(write.access))
            if filling is None or filling.repeats or filling.pitches:
                return False
    a, b = (layout(o).rows for o in (source, sink))
    entries = zip(a, b, strict=True) if len(a) == len(b) else ()
    return any(never_zero(scope.difference(x.index, y.index), scope.distance) for x, y in entries)


MOST_EXPLAINED = 3
"""Dependences of one loop that are not shown, and of which it is asked whether a size has to be 0 for them: one of the
first is what is reported."""


class _Pair(Struct, frozen=True):
    """Two accesses to one object."""

    scope: Scope
    source: Occurrence
    sink: Occurrence
    show: bool
    said: System = System()
    """What a condition says of the two."""

    def decide(self) -> Outcome:
        rows = self.row_differences()
        if rows is None:
            return Dependence(self.source, self.sink, ReasonCode.MAY_ALIAS)
        needs = self.disproved(rows)
        if needs is None and (shown := shown_by_tables(self.scope, self.source, self.sink)) != System():
            needs = replace(self, said=shown).disproved(rows)
        if needs is None and (fold := self.fold(rows)) is not None and not self.short_rows():
            return fold
        if needs is None:
            needs = self.under_a_condition(rows)
            if store_the_same(self.scope, self.source, self.sink) and not self.short_rows():
                return replace(self.dependence(rows), same_value=True, otherwise=needs)
        if needs is None:
            entries = self.two_entries()
            return Independent(entries) if entries else self.dependence(rows)
        name = c_text(self.source.access.object)
        if rows and (name in self.scope.assumed_rows or not self.always_equal(rows)):
            repeats = self.scope.known.may_repeat(self.source.access.object)
            if is_link(self.source.access) or (repeats and not self.may_be_apart()):
                if entries := self.two_entries():
                    return Independent(entries)
                return Dependence(self.source, self.sink, ReasonCode.MAY_ALIAS, why=self.shared_rows())
            if repeats:
                needs |= {Assumption(AssumptionKind.INJECTIVE, name, self.source.line)}
            inside = self.inside_rows()
            if inside is None:
                why = f"this function cuts the rows of `{name}` out of one block, and they may be used wider than cut"
                return Dependence(self.source, self.sink, ReasonCode.MAY_ALIAS, why=why)
            self.scope.assumed_rows.add(name)
            needs |= {Assumption(AssumptionKind.ROWS_DISTINCT, name, self.source.line)} | inside
        return Independent(needs | self.premises())

    def under_a_condition(self, rows: tuple[Poly, ...]) -> frozenset[Assumption] | None:
        """What the two never meeting rests on, a condition on the values of an index array or on a stride among it."""
        if not self.scope.supposing or self.scope.work.is_spent:
            return None
        asked = (self.scope, self.source, self.sink)
        helped = self.scope.helped
        values, strides = list(suppositions(*asked)), list(long_strides(*asked))
        both = ((c + d, said + too) for (c, said), (d, too) in product(values, strides))
        ends = (((end.condition,), end.says) for end in far_ends(*asked))
        sizes = (long_rows(*asked), other_parts(*asked), offsets(*asked), ends)
        lists = (values_below(*asked), lists_in_strips(*asked))
        wide = ((c + d, said + too) for c, said in values for d, too in long_rows(*asked, said))
        every = list(chain(values, in_slices(*asked), strides, both, *sizes, *lists, of_two_indices(values)))
        for conditions, said in chain(sorted(every, key=lambda each: _names(each[0]) not in helped), wide):
            needs = replace(self, said=said).disproved(rows)
            if needs is not None:
                helped.add(_names(conditions))
                return needs | set(conditions)
        strips = inside_strips(*asked) if all(r == ZERO for r in rows) else None
        return strips if strips is not None else in_one_colour(*asked)

    def two_entries(self) -> frozenset[Assumption]:
        """That the two entries of a table behind which the accesses are lead to different places, as a condition."""
        asked = (self.scope, self.source, self.sink)
        every = behind_two_entries(*asked) if self.scope.supposing else ()
        return frozenset(next((conditions for conditions, _ in every), ()))

    def may_be_apart(self) -> bool:
        """Whether it is plausible that no pointer stands twice in the table which the function itself fills: it stores
        pointers there that it has read elsewhere, `leaf[n++] = p`, none into an object that it knows."""
        rows = self.source.access.object
        table = table_behind(rows)
        known = self.scope.known
        if not self.scope.supposing or table is None or rows in known.in_one_block or rows in known.exchanged:
            return False
        read = (isinstance(x, Anything | Rows) and table_behind(x) != table for x in known.held.get(table, ()))
        return known.sets_rows(rows) and not known.pitches_of(rows) and all(read)

    def shared_rows(self) -> str:
        """Why two entries of a table may lead to one place, where the function itself fills it."""
        rows = self.source.access.object
        name = c_text(rows)
        filled = self.scope.known.sets_rows(rows)
        if rows in self.scope.known.in_one_block:
            return f"the pointers in `{name}` lead into one block"
        return f"this function sets the pointers in `{name}`, and two of them may lead to one place" if filled else ""

    # --- differences of subscripts between the two iterations

    def difference(self, a: Poly, b: Poly) -> Poly:
        return self.scope.difference(a, b)

    def row_differences(self) -> tuple[Poly, ...] | None:
        a, b = (layout_.rows for layout_ in self.layouts())
        if len(a) != len(b):
            return None
        return tuple(self.difference(x.index, y.index) for x, y in zip(a, b, strict=True)) if a else ()

    def element_differences(self) -> tuple[Poly, ...] | None:
        """Per dimension, when both accesses have the same shape and touch the same bytes of an element or lie in it."""
        a, b = self.layouts()
        if not same_shape(a.elements, b.elements):
            return None
        if not (a.fits and b.fits) and not fit_together(self.source.access, self.sink.access):
            return None
        return tuple([self.difference(x.index, y.index) for x, y in zip(a.elements, b.elements, strict=True)])

    def columns(self) -> Columns:
        return Columns(self.scope, self.source, self.sink, self.said, self.said != System())

    def layouts(self) -> tuple[Layout, Layout]:
        return layout(self.source), layout(self.sink)

    def same_member(self) -> bool:
        a, b = self.source.access, self.sink.access
        size = size_in_bytes(a)
        return a.offset == b.offset and size is not None and size == size_in_bytes(b)

    def same_bytes(self) -> bool:
        """Whether equal subscripts surely mean common bytes, and all that is read among what is written: a member of
        a structure that is assigned as a whole."""
        a, b = self.source.access, self.sink.access
        if self.same_member():
            return True
        if not a.size or not b.size or a.bits or b.bits:
            return False
        if self.source.write and self.sink.write:
            return not disjoint_bytes(a, b)
        return holds(a, b) if self.source.write else holds(b, a)

    def displacement(self) -> Poly | None:
        """Byte address in the earlier iteration minus byte address in the later one."""
        a, b = place_in_bytes(self.source), place_in_bytes(self.sink)
        return None if a is None or b is None else self.difference(a, b)

    # --- disproving

    def base(self) -> System:
        return self.scope.both(self.source, self.sink) + self.said

    def disproved(self, rows: tuple[Poly, ...]) -> frozenset[Assumption] | None:
        """The in-bounds assumptions under which the two never meet; None when they may."""
        if any(never_zero(r, self.scope.distance) for r in rows):
            return frozenset()
        same_row = System(tuple(equal(r) for r in rows))
        bounds = self.bounds_needed()  # only proofs by subscripts rest on them
        differences = self.element_differences()
        if differences is None and self.of_other_structures():
            return bounds
        if differences is None:  # bytes are all that can be compared
            if self.empty_by_bytes(same_row, System()):
                return frozenset()
            if self.credible() and self.empty_by_bytes(same_row, self.row_bounds()):
                return bounds
        elif self.empty_by_subscripts(same_row, differences):
            if not bounds:
                return frozenset()
            assumed = bounds <= self.scope.assumed_bounds
            if assumed and self.credible():
                return bounds
            if self.empty_whatever_bounds(rows, differences):
                return frozenset()
            if not assumed and self.credible():
                self.scope.assumed_bounds |= bounds
                return bounds
        told = differences if not bounds or self.credible() else None
        known = self.base() + same_row
        if told is not None and never_equal(told, known, self.scope.distance, self.scope.feasible):
            return bounds
        by_digits = self.columns().never_meet(same_row)
        if by_digits != frozenset() and told is not None and self.empty_by_cases(same_row, told):
            return bounds
        return by_digits

    def of_other_structures(self) -> bool:
        """Whether the two are to different elements of an array of structures, to whatever members of them."""
        a, b = element_part(self.source.access), element_part(self.sink.access)
        if not a or not b or not share_elements(self.source.access, self.sink.access):
            return False
        return never_zero(self.difference(a[0].index, b[0].index), self.scope.distance) and self.credible()

    def empty_by_subscripts(self, same_row: System, differences: tuple[Poly, ...]) -> bool:
        a, b = self.source.access, self.sink.access
        if disjoint_bytes(a, b):
            return True
        if any(never_zero(d, self.scope.distance) for d in differences):
            return True
        alike = same_row + System(tuple(equal(d) for d in differences))
        if self.said != System() and self.scope.is_empty_alone(self.said + alike):
            return True  # whatever the loops are: most conditions say it in so many words
        meets = self.base() + alike
        if self.scope.feasible(meets) is Feasibility.EMPTY:
            return True
        (earlier,) = self.scope.rename(symbol(self.scope.loop.counter), EARLIER).symbols
        upward = counted_from_below(meets, self.scope.loop, earlier, self.scope.distance)
        return upward is not None and self.scope.feasible(upward) is Feasibility.EMPTY

    def empty_whatever_bounds(self, rows: tuple[Poly, ...], differences: tuple[Poly, ...]) -> bool:
        """Whether the accesses never meet even if subscripts leave their rows; only asked of rows of known length."""
        a, b = self.source, self.sink
        strides = tuple(s.stride for s in layout(a).elements)  # those of the sink, too
        if any(stride is None or stride.constant is None for stride in strides):
            return False
        in_bytes = (strides, a.access.offset - b.access.offset, a.access.size, b.access.size)
        key = (rows, differences, in_bytes, id(a.where), id(b.where))
        known = self.scope.apart_in_bytes  # many pairs are as far apart: the elements of small matrices
        if key not in known:
            known[key] = self.empty_by_bytes(System(tuple(equal(r) for r in rows)), System())
        return known[key]

    def empty_by_bytes(self, same_row: System, extra: System) -> bool:
        gap = self.displacement()
        if gap is None or not self.source.access.size or not self.sink.access.size:
            return False
        if never_near(gap, self.source.access.size, self.sink.access.size):
            return True
        meets = system(at_least(gap + (self.source.access.size - 1)), at_least(-gap + (self.sink.access.size - 1)))
        return self.scope.feasible(self.base() + same_row + meets + extra) is Feasibility.EMPTY

    def empty_by_cases(self, same_row: System, differences: tuple[Poly, ...]) -> bool:
        """Whether products in the subscripts keep the accesses apart, in whatever rows."""
        meets = System(tuple(equal(d) for d in differences))
        loops = self.source.loops
        outer = loops[: [each.key for each in loops].index(self.scope.loop.key)]
        if self.scope.work.is_spent:
            return False
        return self.apart_by_cases(same_row, meets, outer)

    def apart_by_cases(self, given: System, meets: System, outer: tuple[Loop, ...]) -> bool:
        bounds = self.scope.bounds.setdefault((given, id(self.source.where), id(self.sink.where)), {})
        return apart_by_cases(self.base() + given, meets, outer, self.scope.feasible, self.scope.work, bounds)

    def always_equal(self, rows: tuple[Poly, ...]) -> bool:
        if all(r == ZERO for r in rows):
            return True
        if any(never_zero(r, self.scope.distance) for r in rows):
            return False
        return all(proves(self.base(), equal(r), self.scope.work) for r in rows)

    # --- what a proof rests on

    def bounds_needed(self) -> frozenset[Assumption]:
        return bounds_open(self.source) | bounds_open(self.sink)

    def credible(self) -> bool:
        """Whether sizes exist for which every subscript stays in its row: else that is nothing to assume."""
        alone = all(may_stay_in_rows(o, self.scope.loop) for o in (self.source, self.sink))
        return alone and may_both_stay_in_rows(self.source, self.sink, self.scope.loop)

    def inside_rows(self) -> frozenset[Assumption] | None:
        """What keeps both accesses in their rows, where the function cut the rows out of one block; None where nothing
        does."""
        total: frozenset[Assumption] = frozenset()
        for pitch in self.scope.known.pitches_of(self.source.access.object):
            for o in (self.source, self.sink):
                needed = in_cut_row(self.scope, o, pitch)
                if needed is None:
                    return None
                total |= needed
        return total

    def row_bounds(self) -> System:
        """Every subscript that may leave its row stays in it, in both iterations."""
        found: list[Constraint] = []
        for o, side in ((self.source, EARLIER), (self.sink, LATER)):
            for s in inner_part(o.access):
                inside = extent_constraints(s) or (at_least(s.index),)  # a flexible array member has no end
                found += [replace(c, value=self.scope.rename(c.value, side)) for c in inside]
        return System(tuple(found))

    def premises(self) -> frozenset[Assumption]:
        """Bounds and subscripts read from memory that the loop is taken not to change."""
        return self.scope.premises(self.source) | self.scope.premises(self.sink)

    # --- folding

    def fold(self, rows: tuple[Poly, ...]) -> Fold | None:
        a, b = self.source.update, self.sink.update
        if self.source.access.object in self.scope.in_place:
            return None
        differences = self.element_differences()
        if differences is None and self.displacement() == ZERO:
            differences = ()  # members of array elements: `c[2].v[1] += x` is one place
        if a is None or b is None or a.operator != b.operator or differences is None or not self.same_member():
            return None
        if self.source.access.type != self.sink.access.type or self.source.access.bits or self.sink.access.bits:
            return None
        return Fold(a, any(d != ZERO for d in (*rows, *differences)))

    # --- what stands

    def dependence(self, rows: tuple[Poly, ...]) -> Dependence:
        differences = self.element_differences()
        if differences is None or not self.same_bytes():
            return Dependence(self.source, self.sink, self.code())
        meeting = Meeting(self.scope, self.source, self.sink, (*rows, *differences))
        distance, shown = meeting.distance(), self.show and meeting.shown()
        if self.show and not shown:
            asked = meeting.on_data()
            shown, meeting = (True, asked) if asked is not None and asked.shown() else (False, meeting)
        unsized = size_in_bytes(self.source.access) != number(self.source.access.size)
        if shown and (unsized or computes_with_vectors(self.scope.loop)):
            shown = not meeting.of_contents and any(d != ZERO for d in differences)  # else it might be an accumulator
        for _, first, second, _ in self.columns().readings() if distance == "*" else ():
            if in_wide_rows(first):
                continue
            by_digit = tuple(self.difference(x.value, y.value) for x, y in zip(first, second, strict=True))
            distance = constant_distance(by_digit, self.scope) if distance == "*" else distance
        only_if = why = short = ""
        if shown or self.scope.explained < MOST_EXPLAINED:
            self.scope.explained += not shown
            only_if = self.needs_small(differences) or (shown and self.needs_near_ends(rows)) or ""
            short = self.short_rows()
            why = self.open_values() or short
        shown = shown and not only_if and not why
        code = ReasonCode.CARRIED_DEPENDENCE if shown else self.code()
        of_contents = shown and meeting.of_contents
        found = Dependence(self.source, self.sink, code, distance, shown, of_contents, only_if, why, bool(short))
        return replace(found, where=coincidence(meeting.differences, self.scope)) if shown else found

    def needs_small(self, differences: tuple[Poly, ...]) -> str:
        """Which size has to be 0, or too small, for the two to meet: "`w` is 0", "`m` is less than 3"."""
        products = {s for d in differences for m, _ in d.terms if len(m) > 1 for s in m}
        begun = self.scope.loop.first.symbols if self.scope.loop.first is not None else frozenset[Symbol]()
        deciding = products | (begun & {s for d in differences for s in d.symbols})
        steady = (s for s in deciding if not isinstance(s.origin, Counter) and not self.scope.varies(s))
        sizes = sorted(steady, key=lambda s: s.key)
        meets = System(tuple(equal(d) for d in differences))
        for s in sizes:
            beside = [abs(rest) for d in differences if (rest := d.without(s).constant) is not None]
            for least in sorted({1, max(beside) + 1 if len(beside) == len(differences) else 1}):
                signs = (system(at_least(symbol(s) - least)), system(at_least(-symbol(s) - least)))
                if all(self.apart_by_cases(sign, meets, ()) for sign in signs):
                    return f"`{s.name}` is 0" if least == 1 else f"`{s.name}` is less than {least}"
        return ""

    def needs_near_ends(self, rows: tuple[Poly, ...]) -> str:
        """Which size has to be too small for the two to meet, where one is at the far end of a dimension."""
        for end in far_ends(self.scope, self.source, self.sink):
            if replace(self, said=end.says).disproved(rows) is not None:
                return f"`{end.large}` is less than `{end.small}`"
        return ""

    def open_values(self) -> str:
        """In words, which values that the loop reads or computes anew decide whether the two meet: those of an index
        list may repeat."""
        deciding = [self._read_anew(o) for o in (self.source, self.sink)]
        names = sorted({f"`{name}`" for found in deciding for name in found})
        if not names:
            return ""
        listed = " and ".join(names)
        return f"values of {listed} may repeat" if all(deciding) else f"the values of {listed} decide"

    def short_rows(self) -> str:
        """In words, which rows may be too short for what the two touch in them. Nobody means such rows to overlap, so
        that an element would be updated twice."""
        row = next((each for needed in self.columns().unevidenced() for each in needed), None)
        if row is None:
            return ""
        named = (side_by_side(self.scope, row.extent, wanted) for wanted in row.wanted)
        both = next((names for names in named if None not in names), (row.extent, row.wanted[0]))
        large, small = (without_brackets(str(each)) for each in both)
        return "" if large == small else f"nothing says that `{large} >= {small}`"

    def _read_anew(self, o: Occurrence) -> set[str]:
        """The arrays whose values, another one in each iteration, select what is accessed."""
        used = nested_symbols(s for v in subscripts(o.access) for s in v.symbols)
        read = (s.origin.access for s in used if isinstance(s.origin, Loaded) and self.scope.varies(s))
        return {a.text.partition("[")[0] if isinstance(root(a.object), Anything) else c_text(a.object) for a in read}

    def code(self) -> ReasonCode:
        if self.scope.work.is_spent:
            return ReasonCode.TOO_COMPLEX
        symbols = {s for o in (self.source, self.sink) for v in subscripts(o.access) for s in v.symbols}
        followed = all(isinstance(s.origin, Counter | Entry | Quotient | Remainder) for s in symbols)
        linear = all(v.is_affine for o in (self.source, self.sink) for v in subscripts(o.access))
        return ReasonCode.CARRIED_DEPENDENCE if followed and linear else ReasonCode.NON_AFFINE_ACCESS


def _names(conditions: tuple[Assumption, ...]) -> tuple[str, ...]:
    return tuple([f"{c.kind}({c.text})" for c in conditions])


@remembered("_place_in_bytes")
def place_in_bytes(o: Occurrence) -> Poly | None:
    return byte_offset(o.access)


def never_near(gap: Poly, before: int, after: int) -> bool:
    """Whether no value of `gap` lies in -before < gap < after, because all its terms have a common divisor."""
    divisor = gcd(*(c for monomial, c in gap.terms if monomial))
    if not divisor:
        return not -before < gap.constant_term < after
    rest = gap.constant_term % divisor
    return rest >= after and divisor - rest >= before
