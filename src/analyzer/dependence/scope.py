"""One loop under test: its accesses to scalars and memory, and what holds at each of them."""

from collections.abc import Callable, Hashable, Mapping
from functools import cached_property
from itertools import chain, product
from typing import Any, Literal, TypeAlias, TypeVar, assert_never

from msgspec import Struct
from msgspec.structs import replace

from ..access import decided_values, split_values
from ..access.accesses import Calling, Occurrence, Where
from ..access.dataflow import Certain, Flow, assigned, assignments
from ..access.delinearize import Digit, Walk
from ..access.domains import before_the_end, domain, used_values
from ..access.planes import Radix
from ..facts.loop import Assumption
from ..ir.c_library import ALLOCATORS, effect
from ..ir.invariance import varies
from ..ir.members import disjoint_members, element_part, inner_part, row_part, shares_bytes
from ..ir.nodes import (
    Access,
    Allocated,
    Anything,
    Assign,
    Call,
    Compare,
    Computed,
    Counter,
    Declared,
    Either,
    Entry,
    Expression,
    Load,
    Loaded,
    Loop,
    Object,
    Pointee,
    Quotient,
    Remainder,
    Returned,
    Rows,
    Share,
    Structure,
    Text,
    Use,
    Variable,
    evaluated,
    loops,
    nested_symbols,
    statements,
    unconverted,
    walk,
)
from ..ir.pointer_roots import root
from ..ir.polynomials import ZERO, Poly, Symbol, number, symbol
from ..ir.reasons import AssumptionKind
from ..ir.same import Location, location_of
from ..ir.symbols import Kind, derived
from ..loops.restrict_pointers import apart
from ..memory.alias import (
    DISTINCT,
    SAME,
    UNKNOWN,
    Overlap,
    Relation,
    behind_members,
    differ,
    in_an_array,
    overlap,
    surely_apart,
)
from ..memory.escape import Escapes
from ..memory.own_tables import OwnTables
from ..memory.tables import Table, pointers_followed, unversioned
from ..polyhedra.system import (
    Feasibility,
    System,
    Work,
    at_least,
    equal,
    feasible,
    together,
)
from ..source.ctypes import CType, Pointer, Record, element
from ..source.effective_types import Target, all_apart, target_of, targets_in
from .iterations import EARLIER, LATER, TwoIterations
from .monotone_parts import ordered
from .new_structures import made_for
from .own_entries import new_stores
from .side_effects import History
from .supposed_distinct import supposed_apart

About = TypeVar("About")
Said = TypeVar("Said")

ALONE = 50
"""Work on what a condition says alone: of few numbers."""

Lent: TypeAlias = Literal["private", "first"]
"""How each iteration has memory of its own for what it gives away: with no value, or with the old one to begin with."""


class Scope(TwoIterations):
    """One loop under test, its occurrences, and caches of what was asked about them."""

    def __init__(
        self,
        loop: Loop,
        occurrences: tuple[Occurrence, ...],
        known: Escapes,
        history: "History | None" = None,
        work: Work | None = None,
        supposing: bool = False,
        tables: OwnTables | None = None,
        until: Callable[[], Escapes] | None = None,
        rows: Callable[[], frozenset[Poly]] = frozenset,
        owners: Callable[[], Mapping[Table, str]] = dict,
    ) -> None:
        super().__init__(loop)
        self.occurrences = occurrences
        self.known = known
        self.history = history or History()
        self.supposing = supposing
        """Whether conditions may be made (`AssumptionKind.is_condition`)."""
        self.tables = tables
        self._until = until
        self._rows = rows
        self._owners = owners
        self.lent: Mapping[Object, Lent] = {}
        """What of the function's own memory each iteration may have for itself (`lent_scratch`)."""
        self.inner = frozenset(inner.key for inner in loops(loop.body))
        self.writes = tuple(o for o in occurrences if o.write)
        self.tests = tuple(o for o in occurrences if o.test and not o.write)
        self.moves_pointers = bool(self.stored_pointers)
        self.assigned = frozenset(v.key for v in assigned(loop))
        self.work = work or Work()
        self.explained = 0
        self.assumed_bounds: set[Assumption] = set()
        self.assumed_rows: set[str] = set()
        self.helped: set[tuple[str, ...]] = set()
        """Conditions that have settled two accesses, by name: what is asked of others first."""
        self.in_place: set[Object] = set()
        """Arrays whose updates are no reduction: the loop uses the same elements in another way, too."""
        self.walks: dict[tuple[Object, Radix], tuple[Walk, ...]] = {}
        self.honest: dict[tuple[Object, Radix, tuple[Digit, ...], int, System, bool], bool] = {}
        self.in_rows: dict[tuple[tuple[Digit, ...], int, System], bool] = {}
        self.outside_rows: dict[tuple[tuple[Digit, ...], int], bool] = {}
        self.bounds: dict[tuple[System, int, int], dict[Symbol, Poly | None]] = {}
        self.apart_in_bytes: dict[Hashable, bool] = {}
        self.cursors: dict[Variable, tuple[Poly, ...]] | None = None
        self.made_inside: dict[Object, bool] = {}
        self._varies: dict[Symbol, bool] = {}
        self._stored: dict[Symbol, Overlap] = {}
        self._left: dict[tuple[Table, Target, bool], bool] = {}
        self._overlaps: dict[tuple[int, int], Relation] = {}
        self._kinds: dict[tuple[Object, CType, tuple[Variable, ...], bool, Structure | None], int] = {}
        self._numbers: dict[int, tuple[Access, int]] = {}
        self._domains: dict[tuple[int, int], tuple[Where, System]] = {}
        self._answers: dict[tuple[Callable[..., Any], int], tuple[object, Any]] = {}
        self._decided: dict[System, Feasibility] = {}
        self._empty_alone: dict[System, bool] = {}
        self._parts: dict[tuple[frozenset[Symbol], frozenset[Symbol]], System] = {}
        self._parts_alone: dict[tuple[frozenset[Symbol], int], _Parts] = {}
        self._symbols: dict[int, frozenset[Symbol]] = {}
        self._reached: dict[int, frozenset[Object]] = {}
        self._premises: dict[int, frozenset[Assumption]] = {}
        self._invariants: frozenset[Symbol] | None = None
        self._read_again: dict[Symbol, Symbol] | None = None
        self._definitions: dict[int, Expression] | None = None

    @property
    def named_rows(self) -> frozenset[Poly]:
        """The lengths of rows of which the function gives evidence (`named_rows`)."""
        return self._rows()

    @property
    def owners(self) -> Mapping[Table, str]:
        """The kinds of the structures in which the function finds pointers, by where these are, and their members."""
        return self._owners()

    def _moves_pointers(self, write: Occurrence) -> bool:
        """Whether it stores what is no number, elsewhere than in an array of numbers, or in a variable that each
        iteration has anew."""
        x = write.access.object
        if isinstance(x, Declared) and self.known.is_of_numbers(element(x.variable.type)):
            return False
        return not self.known.is_of_numbers(write.access.type) and not self.is_automatic(x)

    def level(self, o: Occurrence) -> int:
        """How many of the loops around an access are around this one, too."""
        return [loop.key for loop in o.loops].index(self.loop.key)

    def accesses_to(self, x: Object) -> tuple[Occurrence, ...]:
        return tuple(o for o in self.occurrences if o.access.object == x)

    def leaves_way_to(self, access: Access, beside_new: bool = False) -> bool:
        """Whether the loop surely stores no pointer in the tables by which it gets to what is accessed: what it stores
        leads to other things than those pointers do, or it stores to other memory. A table that it does not read was
        read before it. `beside_new`: `new_stores` do not count."""
        return all(self._leaves_entries(*followed, beside_new) for followed in pointers_followed(access))

    def _leaves_entries(self, table: Table, kind: Target, beside_new: bool) -> bool:
        """The same of one table, of which the entry that is followed leads to a kind of thing."""
        key = (table, kind, beside_new)
        if key not in self._left:
            x, field = table
            of_all = (unversioned(x), field)
            self._left[key] = of_all not in self._entries_lead_to or all(
                self._is_other_pointer(w, of_all, kind) or self._is_other_table(x, w.object)
                for w in self.stored_pointers
                if not (beside_new and w in self.new_stores)
            )
        return self._left[key]

    @cached_property
    def stored_pointers(self) -> tuple[Access, ...]:
        """Where it stores what is no number."""
        return tuple(w.access for w in self.writes if self._moves_pointers(w))

    @cached_property
    def new_stores(self) -> tuple[Access, ...]:
        """See `own_entries.new_stores`."""
        return new_stores(self)

    def _is_other_table(self, table: Object, x: Object) -> bool:
        return (self.tables is not None and self.tables.apart(table, x)) or surely_apart(table, x, self.known)

    def _is_other_pointer(self, stored: Access, table: Table, kind: Target) -> bool:
        """Whether what is stored leads to another kind of thing than the pointer in a table: in unions any may."""
        others = frozenset[Target]({()})
        if isinstance(stored.type, Pointer) and not shares_bytes(stored):
            others = frozenset({target_of(stored.type)})
        elif isinstance(stored.type, Record) and stored.type.key in self.known.parts:
            others = targets_in(self.known.parts[stored.type.key])
        return all_apart(self._entries_lead_to[table] or kind, others) and table not in self._in_unions

    @cached_property
    def _entries_lead_to(self) -> dict[Table, Target]:
        """What the pointers lead to in the tables that the loop accesses: one kind of thing, or anything."""
        found: dict[Table, set[Target]] = {}
        for o in self.occurrences:
            kind = target_of(o.access.type) if isinstance(o.access.type, Pointer) else ()
            found.setdefault((unversioned(o.access.object), o.access.field), set()).add(kind)
        return {table: next(iter(kinds)) if len(kinds) == 1 else () for table, kinds in found.items()}

    @cached_property
    def _in_unions(self) -> frozenset[Table]:
        """Where the loop reads or stores members of unions."""
        read = (o.access for o in self.occurrences if shares_bytes(o.access))
        return frozenset((unversioned(access.object), access.field) for access in read)

    # --- what differs between iterations

    def varies(self, s: Symbol) -> bool:
        """Whether the symbol may have different values in two iterations of the loop (with equal outer counters)."""
        if s not in self._varies:
            self._varies[s] = varies(s, self._runs_in, lambda read: self.stored(read) is Overlap.SAME)
        return self._varies[s]

    def _runs_in(self, loop: int) -> bool:
        return loop == self.loop.key or loop in self.inner

    def stored(self, s: Symbol) -> Overlap:
        """Whether the loop may store to the memory that a `Loaded` symbol reads: DISTINCT (no), ASSUMED (only if
        pointers overlap that are taken not to), SAME (yes, or nobody knows)."""
        assert isinstance(s.origin, Loaded)
        if s not in self._stored:
            read = s.origin.access
            if self.fresh(read.object) or (self.moves_pointers and not self.leaves_way_to(read)):
                return self._stored.setdefault(s, Overlap.SAME)
            found = {self._hits(write.access, read) for write in self.writes}
            order = (Overlap.SAME, Overlap.ASSUMED)
            self._stored[s] = next((o for o in order if o in found), Overlap.DISTINCT)
        return self._stored[s]

    def _hits(self, write: Access, read: Access) -> Overlap:
        relation = self.overlap(write, read).overlap
        if relation is not Overlap.SAME and differ(write, read, self.known):
            return Overlap.DISTINCT  # what is stored as one type is not read back as another
        if relation is Overlap.SAME:
            return Overlap.DISTINCT if disjoint_members(write, read) else self._in_other_member(write, read)
        return Overlap.DISTINCT if relation is Overlap.DISTINCT else Overlap.ASSUMED

    def _in_other_member(self, write: Access, read: Access) -> Overlap:
        """For two accesses to one object: whether they touch different bytes as long as subscripts stay in rows."""
        rows = row_part(write)
        if rows != row_part(read) or any(s.index.symbols for s in rows):
            return Overlap.SAME
        written, seen = element_part(write), element_part(read)
        if any(s.stride is None for s in (*written, *seen)):
            return Overlap.SAME
        moved = {s: symbol(derived(Kind.UNBOUNDED, s, s.origin)) for s in _symbols_in(write)}
        gap, inside = number(write.offset - read.offset), []
        for s in written:
            gap += s.index.substitute(moved) * (s.stride or ZERO)
        for s in seen:
            gap -= s.index * (s.stride or ZERO)
        for s, names in ((s, n) for access, n in ((write, moved), (read, {})) for s in inner_part(access)):
            index = s.index.substitute(names)
            inside.append(at_least(index))  # in a flexible array member, too
            if s.extent is not None:
                inside.append(at_least(s.extent - 1 - index))
        meets = System((at_least(gap + (write.size - 1)), at_least(-gap + (read.size - 1)), *inside))
        # not among what is `_decided`: these copies of symbols have no bounds
        return Overlap.ASSUMED if feasible(meets, self.work) is Feasibility.EMPTY else Overlap.SAME

    def invariance(self, symbols: frozenset[Symbol]) -> frozenset[Assumption]:
        """The assumptions behind taking these symbols for invariant."""
        return frozenset(
            Assumption(AssumptionKind.BOUND_INVARIANT, s.origin.access.text, s.origin.access.place.line)
            for s in nested_symbols(symbols)
            if isinstance(s.origin, Loaded)
            and self.loop.key in s.origin.loops
            and not self.varies(s)
            and self.stored(s) is Overlap.ASSUMED
        )

    def overlap(self, a: Access, b: Access) -> Relation:
        """How the objects of two accesses overlap while the loop runs."""
        key = (self.of_kind(a), self.of_kind(b))
        if key not in self._overlaps:
            self._overlaps[key] = self._overlap(a, b)
        return self._overlaps[key]

    def of_kind(self, access: Access) -> int:
        """A number for its object, and what tells what that may be: comparing them for each pair takes longer."""
        found = self._numbers.get(id(access))
        if found is None or found[0] is not access:
            key = (access.object, access.type, access.restricted, in_an_array(access), access.structure)
            found = self._numbers[id(access)] = (access, self._kinds.setdefault(key, len(self._kinds)))
        return found[1]

    def _overlap(self, a: Access, b: Access) -> Relation:
        if apart(a, b, self.loop.key) and not self.known.meet(a.object, b.object):
            return DISTINCT
        if a.object == b.object:
            return UNKNOWN if isinstance(root(a.object), Anything) and self.fresh(root(a.object)) else SAME
        if self.tables is not None and self.tables.behind_one(a.object, b.object):
            return SAME
        relation = self.told_apart(a, b)
        if relation.overlap is Overlap.UNKNOWN and self.supposing:
            self._overlaps[self.of_kind(a), self.of_kind(b)] = relation  # for what is asked of the two meanwhile
            return supposed_apart(self, a, b) or relation
        return relation

    def told_apart(self, a: Access, b: Access) -> Relation:
        """What is known of the memory of two accesses without a condition."""
        x, y = a.object, b.object
        if (self.is_automatic(x) and self._is_older(y)) or (self.is_automatic(y) and self._is_older(x)):
            return DISTINCT
        relation = overlap(a, b, self.known)
        if relation.overlap is Overlap.UNKNOWN and self.tables is not None and self.tables.apart(x, y):
            return DISTINCT
        if relation.overlap is Overlap.UNKNOWN and (self._is_beside_new(a, b) or self._is_beside_new(b, a)):
            return DISTINCT
        left = not self.moves_pointers or (self.leaves_way_to(a) and self.leaves_way_to(b))
        if relation.overlap is Overlap.UNKNOWN and left:
            relation = behind_members(a, b, self.known) or relation
        if relation.overlap is Overlap.UNKNOWN and self.known_here is not self.known:
            relation = overlap(a, b, self.known_here)
            if relation.overlap is Overlap.UNKNOWN and left:
                relation = behind_members(a, b, self.known_here) or relation
        return relation

    def _is_beside_new(self, new: Access, other: Access) -> bool:
        """Whether an access is to memory that the iteration has made for a structure of its own, and another is not."""
        made = made_for(self, new.object)
        relations = (overlap(replace(new, object=each), other, self.known).overlap for each in made)
        return bool(made) and all(relation is Overlap.DISTINCT for relation in relations)

    @cached_property
    def known_here(self) -> Escapes:
        """What is known of pointers as long as the nest runs."""
        return self.known if self._until is None else self._until()

    def _is_older(self, x: Object) -> bool:
        """Whether all pointers to it were set before the loop: to nothing that an iteration declares."""
        return not self.moves_pointers and self.is_steady(x)

    def is_steady(self, x: Object) -> bool:
        """Whether all accesses of the loop to an object get to it by the same pointers."""
        rows = (s.index for o in self.occurrences if o.access.object == x for s in row_part(o.access))
        return not self.fresh(x) and not any(self.varies(s) for index in rows for s in index.symbols)

    @property
    def invariants(self) -> frozenset[Symbol]:
        """Values read from memory inside the loop that only an assumption keeps from changing."""
        if self._invariants is None:
            polys = [p for o in self.occurrences for p in used_values(o)]
            symbols = nested_symbols(frozenset(s for p in polys for s in p.symbols))
            self._invariants = frozenset(s for s in symbols if self.invariance(frozenset({s})))
        return self._invariants

    @cached_property
    def presumed(self) -> frozenset[str]:
        """Names of integers that the loop, or one in it, is presumed to leave as they are (`ir.Loop.presumed`)."""
        return frozenset(n for each in (self.loop, *loops(self.loop.body)) for n, _ in each.presumed)

    @property
    def read_again(self) -> dict[Symbol, Symbol]:
        """Values read from memory at several points of the loop that are one value: the loop leaves that memory alone.
        Each but the first leads to the first."""
        if self._read_again is None:
            first: dict[Location, Symbol] = {}
            self._read_again = {}
            polys = () if self.unseen else (p for o in self.occurrences for p in used_values(o))
            for s in sorted({s for p in polys for s in p.symbols}, key=lambda s: s.key):
                origin = s.origin
                if not isinstance(origin, Loaded) or self.loop.key not in origin.loops:
                    continue
                if self.varies(s) or self.stored(s) is not Overlap.DISTINCT:
                    continue
                place = location_of(origin.access)
                if first.setdefault(place, s) != s:
                    self._read_again[s] = first[place]
        return self._read_again

    @property
    def same_values(self) -> System:
        return System(tuple(equal(symbol(s) - symbol(first)) for s, first in self.read_again.items()))

    def free(self, s: Symbol) -> bool:
        """Whether the value can be chosen at will to show a dependence: counters within their bounds, parameters,
        globals, and memory that the loop leaves alone."""
        match s.origin:
            case Counter():
                return True
            case Entry(given=True, loops=made_in) | Computed(given=True, loops=made_in):
                return self.loop.key not in made_in
            case Entry(line=line, loops=made_in):
                return not line and not made_in
            case Loaded():
                return not self.varies(s) and (self.stored(s) is Overlap.DISTINCT or self.may_be_apart(s))
            case Quotient(value=value) | Remainder(value=value):
                return all(self.free(t) for t in value.symbols)
            case Computed(meaning=Either(values=(a, b), decided=Compare(value=c)), loops=made_in):
                parts = a.symbols | b.symbols | c.symbols  # which of the two it is, the constraints say
                return self.loop.key not in made_in and all(map(self.free, parts))
            case Computed():
                return False
            case _:
                assert_never(s.origin)

    def may_be_apart(self, s: Symbol) -> bool:
        """Whether the memory behind a `Loaded` symbol can be chosen such that no store of the loop changes it: the
        caller has given all pointers that are stored through."""
        given = all(not isinstance(root(write.access.object), Anything) for write in self.writes)
        return given and self.stored(s) is Overlap.ASSUMED

    def definition(self, variable: Variable) -> Expression | None:
        """What a scalar is certainly assigned before it is read, when one statement of the loop assigns it."""
        if variable.key not in self.assigned:
            return None
        if self._definitions is None:
            made = list(assignments(self.loop.body))
            flow = Flow(Certain())
            flow.body(self.loop.body, frozenset())
            open_ = {r.variable.key for r in flow.reads}
            keys = [a.target.key for a, _ in made if isinstance(a.target, Variable)]
            self._definitions = {
                a.target.key: a.value
                for a, _ in made
                if isinstance(a.target, Variable) and keys.count(a.target.key) == 1 and a.target.key not in open_
            }
        return self._definitions.get(variable.key)

    def of_scalar(self, variable: Variable) -> tuple[Occurrence, ...]:
        """Where the loop reads and assigns a variable."""
        return tuple(o for o in self.history.scalars if o.access.object == Declared(variable))

    @property
    def unseen(self) -> tuple[Calling, ...]:
        """Calls in the loop that may do anything."""
        return tuple(c for c in self.history.calls if c.call.name not in ALLOCATORS and effect(c.call.name) is None)

    def visible(self, x: Object, call: Call) -> bool:
        """Whether a call can look at the object: a pointer to it is an argument, or the object is known everywhere."""
        return not self.fresh(x) and (self.public(x) or x in call.pointers)

    def reached_by(self, call: Call) -> frozenset[Object]:
        """What a call gets a pointer to, itself or in memory in which the function has stored one."""
        if id(call) not in self._reached:
            self._reached[id(call)] = self.known.reached_from(call.pointers)
        return self._reached[id(call)]

    def public(self, x: Object) -> bool:
        """Whether any function may know the object, without getting a pointer to it from here."""
        base = root(x)
        if isinstance(base, Declared):
            return base.variable.scope == "global"
        return isinstance(base, Pointee) and not base.restrict

    def repeats(self, value: Expression) -> bool:
        """Whether the expression might take the same values in every iteration: nothing in it surely differs but by
        the counters of inner loops (calls and volatile reads aside)."""
        for e in walk(value):
            match e:
                case Use(variable=variable, value=None) if variable.key in self.assigned:
                    if not self._is_given_again(variable):
                        return False
                    continue
                case Use(value=Poly() as known):
                    used = known.symbols
                case Load(access=access):
                    used = frozenset(t for sub in access.subscripts for t in sub.index.symbols)
                case _:
                    continue
            if any(self.varies(t) and not self.counts_inside(t) for t in used):
                return False
        return True

    def _is_given_again(self, variable: Variable) -> bool:
        """Whether all that the loop sets a pointer to is what one call gives in all iterations: `x = data(t);`."""
        if not isinstance(variable.type, Pointer):
            return False
        body = statements(self.loop.body)
        values = [unconverted(s.value) for s in body if isinstance(s, Assign) and s.target == variable]
        pure = (isinstance(v, Call) and v.supposed is AssumptionKind.PURE for v in values)
        return all(pure) and all(map(self.repeats, values))

    def counts_inside(self, s: Symbol) -> bool:
        """Whether the symbol is the counter of an inner loop."""
        return isinstance(s.origin, Counter) and s.origin.loop in self.inner

    def is_automatic(self, x: Object) -> bool:
        """Whether it is a variable that is declared in the loop: when the iteration ends so does it, and no pointer to
        it may be followed any more (C11 6.2.4p2)."""
        return isinstance(x, Declared) and self.fresh(x)

    def given_by(self, x: Object) -> frozenset[Call]:
        """The calls of functions, supposed to be independent, that gave the iteration the memory; none where it may be
        other memory, too."""
        found = set[Call]()
        for each in self.known.targets(x) if self._independent else ():
            if not (isinstance(each, Anything) and isinstance(each.pointer, Returned) and self.fresh(each)):
                return frozenset()
            calls = [c for c in self._independent if c.name == each.pointer.function]
            if not calls:
                return frozenset()
            found.update(c for c in calls if c.place == each.pointer.place or len(calls) == 1)
        return frozenset(found)

    @cached_property
    def _independent(self) -> tuple[Call, ...]:
        """The calls in the loop of functions that are supposed to be independent."""
        calls = (e for s in statements(self.loop.body) for e in evaluated(s) if isinstance(e, Call))
        return tuple(c for c in calls if c.supposed is AssumptionKind.INDEPENDENT)

    def fresh(self, x: Object) -> bool:
        """Whether every iteration may see another object under this name."""
        match x:
            case Declared(variable=variable):
                return variable.scope == "local" and self.loop.key in variable.loops
            case Allocated(loops=counters):
                return self.loop.counter in counters
            case Rows(base=base):
                return self.fresh(base)
            case Anything(key=key):
                return key > self.loop.key  # made inside the loop: keys count up while a function is lowered
            case Pointee() | Text():
                return False
            case _:
                assert_never(x)

    # --- systems

    def feasible(self, wanted: System) -> Feasibility:
        """`system.feasible` within the budget of this loop. The same question comes up for every array."""
        if wanted not in self._decided:
            if self.work.is_spent:
                return Feasibility.TOO_COMPLEX  # not for good: it may be asked again in a loop around this one
            self._decided[wanted] = feasible(wanted, self.work)
        return self._decided[wanted]

    def is_empty_alone(self, said: System) -> bool:
        """Whether what a condition says of two accesses has no solution, without all that is known of the loops. Many
        accesses are as far apart, and selected alike."""
        if said not in self._empty_alone:
            self._empty_alone[said] = feasible(said, Work(limit=ALONE)) is Feasibility.EMPTY
        return self._empty_alone[said]

    def hurry(self, most: int) -> None:
        """Leaves at most so much of the budget."""
        self.work.limit = min(self.work.limit, self.work.done + most)

    def symbols_around(self, o: Occurrence) -> frozenset[Symbol]:
        """Every symbol in the subscripts, bounds and conditions of an access."""
        if o.position not in self._symbols:
            self._symbols[o.position] = frozenset(s for value in used_values(o) for s in value.symbols)
        return self._symbols[o.position]

    def premises(self, o: Occurrence) -> frozenset[Assumption]:
        """The assumptions behind taking bounds and subscripts of an access for invariant."""
        if o.position not in self._premises:
            self._premises[o.position] = self.invariance(self.symbols_around(o))
        return self._premises[o.position]

    def once_for(self, question: Callable[["Scope", About], Said], about: About) -> Said:
        """The answer to a question about one access, place or value, asked once."""
        key = (question, id(about))
        if key not in self._answers:
            self._answers[key] = (about, question(self, about))  # kept, so that no other one gets its id
        found: Said = self._answers[key][1]
        return found

    # --- what is known where an access stands

    def domain(self, o: Occurrence, side: int) -> System:
        """Constraints on the counters and conditions around an access, in one of the two iterations."""
        key = (id(o.where), side)
        if key not in self._domains:  # kept with the place, so that no other one gets its id
            self._domains[key] = (o.where, self.moved(domain(o), side) + self.same_values)
        return self._domains[key][1]

    def both(self, source: Occurrence, sink: Occurrence) -> System:
        """What holds where the first happens in an iteration and the second in a later one."""
        steps = ((before_the_end(o.where), side) for o, side in ((source, EARLIER), (sink, LATER)))
        stepped = together(self.moved(said, side) for said, side in steps)
        return self.domain(source, EARLIER) + self.domain(sink, LATER) + stepped + self._of_parts(source, sink)

    def _of_parts(self, source: Occurrence, sink: Occurrence) -> System:
        """What is known of values that are parts of others (`split_values`) in the two iterations."""
        key = (self.symbols_around(source), self.symbols_around(sink))
        if key not in self._parts:
            self._parts[key] = self._between_parts(*key)
        return self._parts[key]

    def _between_parts(self, earlier: frozenset[Symbol], later: frozenset[Symbol]) -> System:
        one, other = self._alone(earlier, EARLIER), self._alone(later, LATER)
        split = list(product(one.rows, other.rows))
        # first what decides most, as alternatives are tried in this order; quotient and remainder say more together
        total = System() if split else ordered(self, earlier, later)
        total += together(chain.from_iterable(zip(one.known, other.known, strict=True)))
        for (a, x, first), (b, y, second) in split:
            length = first.divisor
            if length != second.divisor or any(map(self.varies, length.symbols)):
                continue
            rows = self.rename(symbol(a), EARLIER), self.rename(symbol(b), LATER)
            before = self.rename(first.value - symbol(x), EARLIER)
            after = self.rename(second.value - symbol(y), LATER)
            total += split_values.told_apart(rows, (before, after), length)
        for (a, x, first_element), (b, y, second_element) in product(one.triangles, other.triangles):
            rows = self.rename(symbol(a), EARLIER), self.rename(symbol(b), LATER)
            before = self.rename(first_element - symbol(x), EARLIER)
            after = self.rename(second_element - symbol(y), LATER)
            total += split_values.told_apart_in_triangle(rows, (before, after))
        return total

    def _alone(self, symbols: frozenset[Symbol], side: int) -> "_Parts":
        """What is known of values in one of the two iterations, whatever those in the other are."""
        if (symbols, side) not in self._parts_alone:
            meanings = (decided_values.meanings, split_values.ranges, split_values.within_triangle)
            known = tuple(self.moved(said(symbols), side) for said in meanings)
            found = _Parts(known, split_values.pairs(symbols), split_values.triangles(symbols))
            self._parts_alone[symbols, side] = found
        return self._parts_alone[symbols, side]


class _Parts(Struct, frozen=True):
    """What is known of some values, and which of them are rows and places in these."""

    known: tuple[System, ...]
    rows: tuple[tuple[Symbol, Symbol, Share], ...]
    triangles: tuple[tuple[Symbol, Symbol, Poly], ...]


def _symbols_in(access: Access) -> frozenset[Symbol]:
    return frozenset(t for s in access.subscripts for t in s.index.symbols)
