"""Whether two accesses of a team certainly get to one place, or never do."""

from collections.abc import Iterator
from enum import Enum, auto
from itertools import chain
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from ..access.accesses import Guard, Occurrence, Where
from ..access.domains import says
from ..access.subscripts import subscripts
from ..dependence.function_facts import Surroundings
from ..dependence.outcome import Dependence, Independent
from ..dependence.pairs import (
    between,
    may_meet_in_one_iteration,
    meet_at_equal_numbers,
    meet_for_some_contents,
    never_meet_where,
    place_in_bytes,
)
from ..dependence.scope import Scope
from ..dependence.witness.two_iterations import repeats
from ..facts.loop import Assumption
from ..ir.nodes import (
    Anything,
    Computed,
    Counter,
    Data,
    Entry,
    Held,
    Kept,
    Load,
    Loaded,
    Loop,
    Object,
    Passed,
    Quotient,
    Ratio,
    Remainder,
    Rest,
    Rounded,
    Subscript,
    walk,
)
from ..ir.pointer_roots import root
from ..ir.polynomials import ZERO, Poly, Symbol, number, symbol
from ..ir.same import same_place
from ..memory.alias import surely_apart
from ..memory.tables import table_behind
from ..polyhedra.system import System, equal, system
from ..source.features import is_of_c_library
from .allocated_memory import are_apart as are_of_two_allocations

if TYPE_CHECKING:
    from .known_values import Values
    from .teams import Rounds

MOST_BYTES = 64
"""Of an element of which each byte is compared."""


class Meets(Enum):
    NEVER = auto()
    PERHAPS = auto()
    SURELY = auto()


class Met(Struct, frozen=True):
    how: Meets
    assumptions: frozenset[Assumption] = frozenset()


class Asked(Struct):
    """The loops of one function, each with what was found out about it. `values`: what its arrays hold."""

    around: Surroundings
    values: "Values | None" = None
    scopes: dict[int, Scope] = field(default_factory=dict)
    twice: dict[int, bool] = field(default_factory=dict)
    mended: dict[int, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """By key of a divided loop: the clauses that its directive lacks, with the variables that they are for."""

    apart: dict[tuple[Object, Object], bool] = field(default_factory=dict)

    def are_apart(self, x: Object, y: Object) -> bool:
        """Whether two objects are different memory, whatever is assumed."""
        if x == y:
            return False
        if (x, y) not in self.apart:
            around = self.around
            self.apart[x, y] = surely_apart(x, y, around.known) or are_of_two_allocations(x, y, around.function)
        return self.apart[x, y]

    def scope(self, loop: Loop) -> Scope:
        if loop.key not in self.scopes:
            self.scopes[loop.key] = self.around.scope(loop)
        return self.scopes[loop.key]

    def allow(self, more: int) -> None:
        """Leaves so much work from now on."""
        self.around.work.limit = self.around.work.done + more

    def only_at_equal_numbers(self, loop: Loop, a: Occurrence, b: Occurrence, first: Loop, last: Loop) -> bool:
        """Whether two accesses that meet do so in iterations of one number, counted in a loop around each."""
        return all(
            meet_at_equal_numbers(self.scope(loop), source, sink, symbol(x.counter), symbol(y.counter))
            for source, sink, x, y in ((a, b, first, last), (b, a, last, first))
        )

    def meet_in_one(self, loop: Loop, a: Occurrence, b: Occurrence) -> bool:
        """Whether two accesses to one object may get to one place in one iteration of a loop around both."""
        return may_meet_in_one_iteration(self.scope(loop), a, b)

    def repeats(self, loop: Loop) -> bool:
        if loop.key not in self.twice:
            self.twice[loop.key] = repeats(self.around, self.scope(loop))
        return self.twice[loop.key]


def met(
    asked: Asked,
    loop: Loop,
    a: Occurrence,
    b: Occurrence,
    lanes: int = 0,
    lists: bool = True,
    always: bool = False,
    rounds: "Rounds | None" = None,
) -> Met:
    """Of two accesses in two iterations of a loop, in whatever order. `lanes`: so many iterations run at once (0: all
    may). `lists`: whether two iterations may use the same elements of a list, for all one knows. `always`: the loop
    surely has two iterations. `rounds`: by how many of a loop around both the one that does `a` may be ahead."""
    scope = asked.scope(loop)
    needed: frozenset[Assumption] = frozenset()
    apart = True
    for source, sink in ((a, b), (b, a)) if a is not b else ((a, b),):
        scope.in_place |= {source.access.object, sink.access.object}
        outcome = between(scope, source, sink, show=False)
        if isinstance(outcome, Dependence) and lanes and outcome.distance.isdigit() and int(outcome.distance) >= lanes:
            continue
        if isinstance(outcome, Independent):
            needed |= outcome.assumptions
        else:
            may_be = _said(scope, source, sink, rounds, 1 if source is a else -1)
            if (always or asked.repeats(loop)) and any(_surely(scope, source, sink, lists, x) for x in may_be):
                return Met(Meets.SURELY)
            apart = apart and not may_be
    return Met(Meets.NEVER, needed) if apart else Met(Meets.PERHAPS)


def _said(
    scope: Scope, source: Occurrence, sink: Occurrence, rounds: "Rounds | None", sign: int
) -> tuple[System, ...]:
    """What may hold where the two meet: by how many rounds the source is ahead, with a sign."""
    if rounds is None:
        return (System(),)
    count = symbol(rounds.loop.counter)
    gap = scope.difference(count, count)
    every = (system(equal(gap - sign * n)) for n in rounds.ahead)
    return tuple(x for x in every if not never_meet_where(scope, source, sink, x))


def _surely(scope: Scope, source: Occurrence, sink: Occurrence, lists: bool, said: System) -> bool:
    if source.access.object != sink.access.object or _may_lead_elsewhere(scope, source):
        return False
    source, sink = (_behind_one(scope, _begun(o)) for o in (source, sink))
    if lists and _is_update(scope, source, sink):
        return True
    if any(meet_for_some_contents(scope, *pair, said) for pair in ((source, sink), *_common_bytes(source, sink))):
        return True
    if not (_is_fixed(source) and _is_fixed(sink)):
        chosen = [o for o in (source, sink) if _is_chosen(scope, o)]
        first, last = _whenever(scope, source), _whenever(scope, sink)
        return len(chosen) == 1 and meet_for_some_contents(scope, first, last, said)
    last = replace(sink, access=source.access) if _share_bytes(source, sink) else sink
    return meet_for_some_contents(scope, _whenever(scope, source), _whenever(scope, last), said)


def _begun(o: Occurrence) -> Occurrence:
    """The access with one round of a loop that is a call of the C library of which nobody knows how much it uses, or
    contents do: the first element at least (`strcpy`, `snprintf`, `strlen`)."""
    loop = o.loops[-1]
    sizes = (s for r in loop.trip or () for s in r.numerator.symbols)
    counted = loop.trip and loop.exact_trip and not any(isinstance(s.origin, Loaded) for s in sizes)
    if counted or loop.variable is not None or loop.place != o.access.place:
        return o
    return replace(o, where=replace(o.where, loops=(*o.loops[:-1], _once(loop))))


def _behind_one(scope: Scope, o: Occurrence) -> Occurrence:
    """The access by the first of the pointers of a table, where all lead to one place."""
    table = table_behind(o.access.object)
    filling = None if table is None else scope.known.filled.get(table)
    if filling is None or not filling.is_one:
        return o
    subscripts = tuple(replace(s, index=ZERO) if s.row_pointer else s for s in o.access.subscripts)
    return replace(o, access=replace(o.access, subscripts=subscripts))


def _is_fixed(o: Occurrence) -> bool:
    """Whether it is one place."""
    return all(s.index.constant is not None for s in o.access.subscripts)


def _share_bytes(a: Occurrence, b: Occurrence) -> bool:
    """Whether two accesses to one place each have bytes in common, as members of a union do."""
    x, y = place_in_bytes(a), place_in_bytes(b)
    gap = None if x is None or y is None else (y - x).constant
    return gap is not None and -b.access.size < gap < a.access.size


def _common_bytes(a: Occurrence, b: Occurrence) -> Iterator[tuple[Occurrence, Occurrence]]:
    """One byte of each of two accesses of which the elements or the members differ, in each way in which they may have
    bytes in common. Example: the second byte of `w[i]`, and `((char *)w)[4 * i + 5]`."""
    x, y = a.access, b.access
    if (x.offset, x.size, len(x.subscripts)) == (y.offset, y.size, len(y.subscripts)):
        return
    if any(s.row_pointer for s in (*x.subscripts, *y.subscripts)) or max(x.size, y.size) > MOST_BYTES:
        return
    first, last = place_in_bytes(a), place_in_bytes(b)
    if first is None or last is None:
        return
    for k in range(1 - y.size, x.size):
        yield _byte(a, first + max(k, 0)), _byte(b, last - min(k, 0))


def _byte(o: Occurrence, at: Poly) -> Occurrence:
    index = Subscript(at, None, number(1))
    return replace(o, access=replace(o.access, subscripts=(index,), field="", offset=0, size=1, bits=None))


def _is_chosen(scope: Scope, o: Occurrence) -> bool:
    """Whether it stands under a condition on values in the loop: beside an access that does not, it is meant to happen
    in any iteration."""
    inner = (g for g in o.guards if g.depth > scope.level(o))
    return any(isinstance(g.predicate, Data) or _is_of_values(scope, g) for g in inner)


def _whenever(scope: Scope, o: Occurrence) -> Occurrence:
    """The access without the conditions on values, which two iterations may meet for all one knows: where an access to
    one place stands under such a condition, or in a loop that ends by one, that is meant to happen sometimes."""
    kept = tuple(g for g in o.guards if not isinstance(g.predicate, Data) and not _is_of_values(scope, g))
    depth = scope.level(o)
    inner = tuple(loop if loop.exact_trip and loop.trip else _once(loop) for loop in o.loops[depth + 1 :])
    return replace(o, where=Where((*o.loops[: depth + 1], *inner), kept))


def _once(loop: Loop) -> Loop:
    return replace(loop, trip=(Ratio(number(1), 1),), exact_trip=True)


def _is_of_values(scope: Scope, guard: Guard) -> bool:
    """Whether a condition is one on what is read from memory, or worked out by the iteration."""
    said = says(guard)
    values = [c.value for c in (*said.constraints, *chain(*chain(*said.choices)))]
    return any(_is_value(scope, s) for v in values for s in v.symbols)


def _is_value(scope: Scope, s: Symbol) -> bool:
    return scope.varies(s) if isinstance(s.origin, Entry) else not isinstance(s.origin, Counter)


def _may_lead_elsewhere(scope: Scope, o: Occurrence) -> bool:
    """Whether a pointer of which nobody knows where it leads may lead elsewhere in another iteration."""
    match root(o.access.object):
        case Anything(pointer=Held(variable=variable)):
            return variable.key in scope.assigned
        case Anything(pointer=pointer):
            return pointer is None
        case _:
            return False


def _is_found(scope: Scope, s: Symbol) -> bool:
    """Whether the value is one of a list that nothing in view has set, or is worked out by the iteration."""
    match s.origin:
        case Loaded(access=access):
            inside = any(o.write and o.access.object == access.object for o in scope.occurrences)
            return not inside and access.object not in scope.history.written
        case Computed(of_counts=False, meaning=None | Rounded() | Kept() | Passed(), given=False, loops=made_in):
            return scope.loop.key in made_in
        case Remainder(value=value) | Computed(meaning=Rest(value=value)):
            return any(_is_worked_out(scope, t) for t in value.symbols)
        case _:
            return False


def _is_worked_out(scope: Scope, s: Symbol) -> bool:
    """Whether the iteration makes the value, in ways that nobody follows: of it, a remainder says where one of many
    goes (`hash % SIZE`)."""
    match s.origin:
        case Computed(given=True, reason=text):
            return is_of_c_library(text.partition("(")[0])  # `rand_r(&seed)`; others may number the iterations
        case Computed(loops=made_in, of_counts=False) | Entry(loops=made_in):
            return scope.loop.key in made_in
        case Remainder(value=value) | Quotient(value=value):
            return any(_is_worked_out(scope, t) for t in value.symbols)
        case _:
            return _is_found(scope, s)


def _is_update(scope: Scope, a: Occurrence, b: Occurrence) -> bool:
    """Whether each reads one element, or reads and changes it, which the contents of memory select that nothing in view
    has set: that two iterations select the same is what such updates are for."""
    symbols = {s for i in subscripts(a.access) for s in i.symbols}
    if not symbols or any(s.row_pointer for s in a.access.subscripts) or isinstance(root(a.access.object), Anything):
        return False
    if not all(_is_found(scope, s) for s in symbols):
        return False
    return same_place(a.access, b.access) and all(_changes_what_it_reads(o) for o in (a, b) if o.write)


def _changes_what_it_reads(o: Occurrence) -> bool:
    """Whether the statement, or a condition around it, reads what it stores to. Example: `if (m[k] < x) m[k] = x;`."""
    if o.update is not None:
        return True
    read = (e.access for g in o.guards for e in walk(g.condition) if isinstance(e, Load))
    return any(same_place(access, o.access) for access in read)
