"""Escapes: which objects of a function others may reach, and the pointers that it stores.

*Decides*, per function: which of its own objects may be reached through pointers that it did not make itself; which
objects stand behind the tables of pointers that it fills, and whether two entries of one may be equal.
*Method*: every address that is taken, every pointer that is stored or passed on, wherever that is.
*Errs toward* known, stored and equal.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import product
from typing import Any

from msgspec import Struct, field

from models.expr.nodes import remembered

from ..ir import blas
from ..ir import c_library as library
from ..ir.mpi_signatures import forgets
from ..ir.nodes import (
    Access,
    Address,
    Allocated,
    Anything,
    Assign,
    Call,
    Choice,
    Convert,
    Declared,
    Evaluate,
    Expression,
    Function,
    Held,
    Literal,
    Load,
    Object,
    Opaque,
    Operation,
    Pointee,
    Refused,
    Returned,
    Rows,
    SharedArray,
    Statement,
    Text,
    Use,
    Variable,
    accesses_of,
    evaluated,
    every_statement,
    unconverted,
    walk,
)
from ..ir.pointer_roots import root
from ..ir.polynomials import Poly
from ..ir.reasons import AssumptionKind
from ..source.ctypes import Array, Complex, CType, Floating, Integer, Pointer, Record, Unknown, element
from ..source.ctypes import Function as FunctionType
from ..source.effective_types import differ_in_type, hold_nothing_like, is_byte
from .exchanged_entries import exchanges
from .exchanged_pointers import permuted
from .made_of import SOMEWHERE, made_of
from .one_place import same_pointers, united
from .pointer_tables import Filling, fillings
from .points_to import leading
from .tables import Table, table_behind, table_of, tables_to, unversioned

NOTHING: frozenset[Object] = frozenset()


class Copy(Struct, frozen=True):
    """A structure that is copied: from which object, at which member path, under how many subscripts (`source` None:
    from nothing that is known), and to which part."""

    member: str
    subscripts: int
    source: Object | None = None
    source_member: str = ""
    source_subscripts: int = 0


class Escapes(Struct, frozen=True, dict=True):
    """What of a function's own memory others may know. `leaks`: a pointer to it was stored in memory or given to an
    unknown call, so pointers read from memory may lead to the function's own objects; `kept`: the objects to which
    pointers were stored, `SOMEWHERE` for those that are not known. `filled`: tables of pointers (object and member) to
    which the function itself stores; `repeated`: those of them where two entries may become equal."""

    objects: frozenset[Object]
    leaks: bool
    kept: frozenset[Object]
    kept_but_new: frozenset[Object] = frozenset()
    """The same where functions give new memory that say by their names that they allocate it."""
    made_of: frozenset[Object] = frozenset()
    """What pointers were made of that the function stores without its being known where they lead; `SOMEWHERE` where
    that is not known either."""
    held_by_variables: Mapping[Object, frozenset[Object]] = field(default_factory=dict)
    """The same of what pointer variables were set to that are not only read by name: somebody gets their address, a
    pointer leads there, or they are read as numbers."""
    rows: Mapping[Table, frozenset[Object]] = field(default_factory=dict)
    """What the pointers lead to that the function stores in a table, such new memory by itself."""
    filled: Mapping[Table, Filling] = field(default_factory=dict)
    exchanged: Mapping[Object, tuple[Object, ...]] = field(default_factory=dict)
    """Memory behind pointers that a loop swaps: the objects that each of them may be; no two are the same one."""
    led: Mapping[int, frozenset[Object]] = field(default_factory=dict)
    """The objects that pointers may lead to, by key (`points_to`)."""
    led_perhaps: Mapping[int, frozenset[Object]] = field(default_factory=dict)
    """What is known of them, of those that may lead to others, too."""
    walked: Mapping[int, frozenset[Object]] = field(default_factory=dict)
    """The memory that pointers come from which follow links, by key (`list_walks`)."""
    of_numbers: frozenset[Table] = frozenset()
    """Tables of which the function reads pointers to numbers, and to nothing else."""
    held: Mapping[Table, frozenset[Object]] = field(default_factory=dict)
    """Objects that the function itself stores pointers to, by the table in which it stores them; `SOMEWHERE` among
    them: it stores others, too."""
    initial: Mapping[Object, frozenset[Object]] = field(default_factory=dict)
    """The same of the initialisers of its arrays and structures, by these."""
    listed_twice: frozenset[Object] = frozenset()
    """Tables with an initialiser that has two pointers into one object."""
    addressed: frozenset[Object] = frozenset()
    """Those of which an address is taken that is not followed wherever it is used: they may be read not by name."""
    passed: frozenset[Object] = frozenset()
    """Those of the objects that some call, but of `free`, or an initialiser gets a pointer to."""

    given_away: frozenset[Object] = frozenset()
    """Those of the passed of which somebody may keep the address."""

    used_otherwise: frozenset[Object] = frozenset()
    """Those of the given that not only functions get which say by their names that they release memory."""

    worked_on: frozenset[Object] = frozenset()
    """Those of the passed that code of this run gets, in which pointers may be set, or an initialiser."""

    copied: frozenset[Object] = frozenset()
    """Those that a whole structure is copied to, with the pointers in it; `s[i] = new()` makes them."""

    copies: Mapping[Object, frozenset[Copy]] = field(default_factory=dict)
    """Those of which structures are copied to variables, to members or to elements, by where they go."""
    read_as_numbers: frozenset[Object] = frozenset()
    """Those that the function reads or sets by bytes, or as numbers that may be pointers."""
    hides: bool = False
    """Whether pointers may be stored as something else than pointers, members of structures and bytes."""
    moves: bool = False
    """The same, or by calls."""
    stored_as_bytes: frozenset[Object] = frozenset()
    """Memory to which bytes are stored, or members of unions, that may be of pointers."""

    ranges: tuple[frozenset[Object], ...] = ()
    """Memory behind pointers that lead into one object, whatever is assumed of two parameters."""
    in_one_block: frozenset[Object] = frozenset()
    """Memory behind tables of which two entries lead into one object: `for (p = row[i]; p < row[i + 1]; p++)`."""

    members_in_code: frozenset[str] = frozenset()
    """Members to which the function stores pointers that no call has returned: what they lead to is in its code."""

    parts: Mapping[str, frozenset[CType]] = field(default_factory=dict)
    """The types of the scalars in structures, by the keys of these (`Function.parts`)."""
    plain: frozenset[str] = frozenset()
    """Structures that hold no pointer, by their keys, and undeclared types that are numbers."""

    permuted: frozenset[Table] = frozenset()
    """Tables of which the function exchanges entries (`exchanged_entries`)."""
    shared: tuple[SharedArray, ...] = ()
    """See `Function.shared`."""

    contents: Mapping[Object, tuple[int | float, ...]] = field(default_factory=dict)
    """What constant tables hold, element by element."""

    same: frozenset[frozenset[Table]] = frozenset()
    """Members of unions, each two that are one pointer."""

    def is_of_numbers(self, type_: CType) -> bool:
        """Whether no pointer is moved with what has this type."""
        match type_:
            case Integer() | Floating() | Complex():
                return True
            case Record(key=name) | Unknown(opaque=True, name=name):
                return name in self.plain
            case _:
                return False

    def differ_in_type(self, a: CType, b: CType) -> bool:
        """Whether C forbids one object to be accessed as both, be one of them a structure."""
        for one, other in ((a, b), (b, a)):
            parts = self.parts.get(one.key) if isinstance(one, Record) else None
            if parts is not None and isinstance(other, Integer | Floating | Complex | Pointer):
                return not is_byte(other) and hold_nothing_like(parts, other)
        return differ_in_type(a, b)

    @cached_property
    def between(self) -> dict[tuple[Object, Object], Any]:
        """What was found out about two objects (`alias`): loops ask for the same ones."""
        return {}

    @cached_property
    def _targets(self) -> dict[Object, frozenset[Object]]:
        return {}

    def targets(self, x: Object) -> frozenset[Object]:
        """What memory behind a pointer may be; itself where nothing more is known. What pointers of a table of its own
        lead to is what the function has stored in it."""
        if x not in self._targets:
            self._targets[x] = self._led_to(x)
        return self._targets[x]

    def _led_to(self, x: Object) -> frozenset[Object]:
        if isinstance(x, Anything):
            return _behind_variable(x, self.led) or frozenset({x})
        found, ends = set[Object](), set[Object]()
        todo: list[Object] = [x]
        while todo:
            each = todo.pop()
            if each not in found:
                found.add(each)
                stored = self.stored_behind(each)
                todo += stored or ()
                ends |= {each} if stored is None else set()
        return frozenset(ends) or frozenset({x})

    def leads_to(self, given: Object, x: Object) -> bool:
        """Whether who knows one object may get to the other one: it may be this one, or a pointer variable, or a table
        that may hold a pointer to it. (What is stored in other memory is no secret, see `kept`.)"""
        found = self.targets(given)
        if isinstance(given, Anything):
            found |= _behind_variable(given, self.led_perhaps)
        return x in found or any(self._holds(each, x) for each in found)

    def _holds(self, whole: Object, x: Object) -> bool:
        """Whether a variable may hold a pointer to an object: of an array, what the function stores there is known."""
        if not (isinstance(whole, Declared) and isinstance(element(whole.variable.type), Pointer)):
            return False
        if not isinstance(whole.variable.type, Array) or whole in self.copied | self.copies.keys():
            return True
        stored = (led for (table, _), led in (*self.held.items(), *self._listed) if table == whole)
        return whole in self.read_as_numbers or any(_may_be(each, x) for led in stored for each in led)

    @property
    def _listed(self) -> Iterator[tuple[Table, frozenset[Object]]]:
        """What initialisers store."""
        return (((whole, ""), led) for whole, led in self.initial.items())

    def reached_from(self, known: Iterable[Object]) -> frozenset[Object]:
        """What somebody gets to who knows these objects, by pointers that the function itself has stored."""
        found, todo = set[Object](), list(known)
        while todo:
            x = todo.pop()
            if x not in found:
                found.add(x)
                places = self.targets(x) | {unversioned(x)}
                todo += (o for (whole, _), led in self.held.items() if whole in places for o in led if o != SOMEWHERE)
        return frozenset(found)

    def new_rows(self, rows: Object) -> frozenset[Object] | None:
        """The allocations behind the pointers in a table that nobody else has filled; None where there are others."""
        table = table_behind(rows)
        if table is None or table[0] in self.worked_on | self.copied | self.copies.keys() | self.read_as_numbers:
            return None
        led = self.rows.get(table, frozenset[Object]())
        is_new = all(isinstance(x, Allocated) or (isinstance(x, Anything) and x != SOMEWHERE) for x in led)
        return led if led and is_new else None

    def is_secret(self, x: Object) -> bool:
        """Whether nobody else has the address of an object of the function's own, and none is stored in memory."""
        stored = self.kept.union(*self.initial.values())
        return stored.isdisjoint({x, SOMEWHERE}) and not any(self.leads_to(each, x) for each in self.given_away)

    def is_unknown_to_calls(self, x: Object) -> bool:
        """Whether no call can give a pointer to an object of the function's own: it is secret, and none gets it."""
        return self.is_secret(x) and not any(self.leads_to(each, x) for each in self.passed)

    def is_kept(self, x: Object, but_new: bool = False) -> bool:
        """Whether a pointer to an object may stand in memory, by way of one of which it is not known where it leads.
        `but_new`: functions give new memory that say so by their names."""
        unknown = SOMEWHERE in (self.kept_but_new if but_new else self.kept)
        return unknown and (not self.made_of.isdisjoint({x, SOMEWHERE}) or self.is_found(x))

    def is_found(self, x: Object) -> bool:
        """Whether a pointer that a call gives, or that is read from memory, may lead to an object: to none that the
        function has allocated, and of which it has neither stored the address nor given it to anybody."""
        if not isinstance(x, Allocated) or x in self.kept:
            return True
        if self.is_held(x):
            return True
        moved = any(self._holds(each, x) for each in self.read_as_numbers - self.held_by_variables.keys())
        return moved or any(self.leads_to(each, x) for each in self.passed - self.held_by_variables.keys())

    def is_held(self, x: Object, by: Iterable[Object] | None = None) -> bool:
        """Whether a pointer to an object may stand in a variable that is not only read by name; `by`: one of them."""
        held = self.held_by_variables
        return any(not held.get(each, NOTHING).isdisjoint({x, SOMEWHERE}) for each in (held if by is None else by))

    def is_led_to_by_pointers(self, x: Object, lent: bool) -> bool:
        """Whether a pointer to a variable that holds one to the object may be anywhere. `lent`: calls that get such an
        address are asked about elsewhere."""
        return self.is_held(x, self.objects - self.passed if lent else self.objects)

    def kept_in(self, x: Object) -> frozenset[Object] | None:
        """The memory in which a pointer to an object of the function's own may stand, all stored there by the function
        itself; None where others may have got one, or pointers are moved as something else."""
        if self.hides or self.permuted:
            return None
        stored = {table for (table, _), objects in self.held.items() if any(_may_be(o, x) for o in objects)}
        listed = {table for table, objects in self.initial.items() if any(_may_be(o, x) for o in objects)}
        known = stored | listed | self.copies.keys()
        if not known.isdisjoint(self.read_as_numbers):
            return None
        found = frozenset(known | self.stored_as_bytes)
        called = self.moves or any(each != x and not isinstance(each, Text) for each in self.passed)
        return None if called and not self._are_beyond_calls(x, found) else found

    def _are_beyond_calls(self, x: Object, tables: frozenset[Object]) -> bool:
        """Whether no call gets to an object, nor to the memory of the function's own in which pointers to it stand, and
        are read as such: `struct part own; own.data = malloc(n); ... log_all();`."""
        known = self.objects | self.addressed | self.read_as_numbers
        own = all(_is_made_here(t) and t not in known for t in tables)
        secret = own and all(map(self.is_unknown_to_calls, tables))
        return secret and not any(self.leads_to(each, x) for each in self.passed)

    def stored_behind(self, x: Object, reached: bool = False) -> frozenset[Object] | None:
        """All that the pointers in a table of the function's own lead to; None where x is not behind such a table, or
        somebody else may have filled it. `reached`: also of memory that pointers in memory lead to, as long as it is
        set by name alone."""
        table = table_behind(x)
        if table is None or not self._is_filled_by_name(table[0], reached):
            return None
        whole = table[0]
        by_address = whole in self.objects or whole in self.addressed
        if whole in self.passed or (by_address and self._may_be_set_elsewhere(whole)):
            return None
        copied = _behind_copies(x, self.copies.get(whole, frozenset()))
        if copied is None:
            return None
        stored = self._stored(table) | copied
        is_known = SOMEWHERE not in stored and (bool(stored) or (table in self.held and not by_address))
        return stored if is_known else None

    def _is_filled_by_name(self, whole: Object, reached: bool) -> bool:
        """Whether a table is the function's own, and never set byte by byte; of memory that it allocates, the function
        must always know where the pointers to it are, and set it through none that may also lead elsewhere, nor
        through one to a variable that leads there. (Of other pointers to its variables see `one_place`.)"""
        anywhere = {x for x, _ in self.held} | self.copied | self.copies.keys() | self.given_away
        others = {x for x in anywhere if isinstance(x, Anything)} | self.read_as_numbers
        if any(self._leads_by_variable(x, whole) for x in others):
            return False
        if isinstance(whole, Allocated):
            copied = whole in self.copied | self.copies.keys()
            return not copied and (reached or not self._is_led_to_from_memory(whole))
        own = isinstance(whole, Declared) and whole.variable.scope == "local"
        return own and not (whole in self.objects | self.addressed and self._is_led_to_from_memory(whole))

    def _is_led_to_from_memory(self, whole: Object) -> bool:
        """Whether a pointer to an object may be in memory, or in a variable of which somebody has the address."""
        listed = frozenset[Object]().union(*self.initial.values())
        pointers = (x.variable.key for x in self.addressed | listed if isinstance(x, Declared))
        stored = not (self.kept | listed).isdisjoint({whole, SOMEWHERE})
        return stored or any(whole in self.led_perhaps.get(key, ()) for key in pointers)

    def _leads_by_variable(self, x: Object, whole: Object) -> bool:
        """Whether memory behind a pointer variable may be an object, or is the object itself."""
        led = _behind_variable(x, self.led) | _behind_variable(x, self.led_perhaps) if isinstance(x, Anything) else {x}
        return whole in led

    def _may_be_set_elsewhere(self, whole: Object) -> bool:
        """Whether an object of which the address is taken may be that to which a structure is copied, or which a call
        gets, be it under another name: `*(c ? &a : &b) = *s`."""
        return any(_may_be(x, whole) for x in (*self.copies, *self.passed))

    def _stored(self, table: Table) -> frozenset[Object]:
        return self.held.get(table, frozenset()) | self.initial.get(table[0], frozenset())

    def meet(self, x: Object, y: Object, surely: bool = False) -> bool:
        """Whether the function itself stores a pointer to one of the two in the table behind the other, or pointers to
        one object in the tables behind both, or whether both are behind one pointer by two names; not `surely` also
        where it stores pointers that lead somewhere."""
        return self.by_two_names(x, y) or self.are_led_together(x, y, surely)

    def are_led_together(self, x: Object, y: Object, surely: bool = False) -> bool:
        """The same, where they are behind one pointer by one name: whatever structure of a table holds it."""
        if any(x in group and y in group for group in self.ranges):
            return True
        return self._lead_to(x, y, surely) or self._lead_to(y, x, surely)

    def by_two_names(self, x: Object, y: Object) -> bool:
        """Whether both are behind one pointer: members of a union, or a way from such on."""
        return bool(self.same) and any(frozenset(pair) in self.same for pair in product(tables_to(x), tables_to(y)))

    def _behind(self, x: Object) -> frozenset[Object]:
        """What the pointer that leads to x, or another one in its table, was made to lead to."""
        table = table_behind(x)
        if table is not None:
            return self._stored(table)
        return self.initial.get(Declared(x.variable), frozenset()) if isinstance(x, Pointee) else frozenset()

    def _lead_to(self, x: Object, y: Object, surely: bool) -> bool:
        """Whether a pointer like the one that leads to x was made to lead to y, or to what one like that of y does."""
        stored = self._behind(x)
        own = isinstance(y, Declared) and y.variable.scope == "local"
        if SOMEWHERE in stored and not surely and not (own and y not in self.objects):
            return True
        return not stored.isdisjoint({unversioned(y), *self._behind(y)} - {SOMEWHERE})

    def fills(self, x: Object) -> bool:
        """Whether the function itself may have stored the pointers that lead to this object."""
        table = table_behind(x)
        if table is None:
            return False
        base, _ = table
        own = isinstance(base, Declared) and base.variable.scope in ("local", "static")
        stored = table in self.filled or (base, "") in self.filled  # by any member, or as bytes of the structure
        return own or stored or base in self.worked_on | self.copied or self.fills(base)

    def shows(self, x: Object) -> bool:
        """Whether the code of the function shows what a member of some structure leads to: it stores pointers in that
        member, be it of this structure or of another one of the kind, copies structures, or initialises them."""
        table, set_as_a_whole = table_behind(x), self.copied or self.initial.keys() & self.passed
        return table is None or not {table[1], ""}.isdisjoint(self.members_in_code) or bool(set_as_a_whole)

    def sets_rows(self, rows: Object) -> bool:
        """Whether the function stores pointers in the table behind `rows`."""
        table = table_behind(rows)
        return table is not None and table in self.filled

    def may_repeat(self, rows: Object) -> bool:
        """Whether the function itself fills the table behind `rows`, and not with a new pointer for each entry (`s[1] =
        s[0]` stores a pointer twice), or compares its entries. A table of its own that it does not store to was filled
        by an initialiser: `double *const t[2] = {a, b};` leads to two places, if nobody else sets it. A member of one
        structure, `s.p`, is no table of several pointers."""
        table = table_behind(rows)
        if table is None or rows in self.in_one_block:
            return table is not None
        base, _ = table
        if base in self.copied or self.may_repeat(base):  # `s[1] = s[0]` makes one of `s[i]->d`, too
            return True
        if table in self.filled:
            return self.filled[table].repeats
        own = isinstance(base, Declared) and base.variable.scope == "local"
        several = isinstance(rows, Rows) and rows.depth > 0
        return base in self.listed_twice or (own and several and self.stored_behind(rows) is None)

    def pitches_of(self, rows: Object) -> frozenset[Poly]:
        """The lengths in bytes that rows can have without reaching into each other, where the function itself cuts them
        out of one block: `rows[i] = all + i * m`."""
        table = table_behind(rows)
        return self.filled[table].pitches if table is not None and table in self.filled else frozenset()

    def block_of(self, rows: Object) -> Object | None:
        """What the function cuts the rows out of."""
        table = table_behind(rows)
        return self.filled[table].block if table is not None and table in self.filled else None


def _behind_copies(x: Object, copies: Iterable[Copy]) -> frozenset[Object] | None:
    """What stands behind the members from which those that lead to x were copied, with the structure around them; None
    where one of these copies is not followed."""
    found: set[Object] = set()
    for copy in copies:
        if copy.source is None or copy.member or not isinstance(x, Rows):
            return None
        depth = x.depth - copy.subscripts + copy.source_subscripts
        found.add(Rows(copy.source, copy.source_member + x.field, depth))
    return frozenset(found)


def _may_be(stored: Object, own: Object) -> bool:
    """Whether what a stored pointer leads to may be an object of the function's own."""
    match stored:
        case Declared() | Allocated() | Text():
            return stored == own
        case Pointee(variable=Variable(scope="parameter")):
            return False
        case _:
            return True


def _groups(pairs: Iterable[tuple[Object, Object]]) -> tuple[frozenset[Object], ...]:
    """Objects that are one, directly or by way of others."""
    groups: list[frozenset[Object]] = []
    for pair in pairs:
        near = [g for g in groups if not g.isdisjoint(pair)]
        groups = [g for g in groups if g not in near] + [frozenset(pair).union(*near)]
    return tuple(groups)


@remembered("_escapes")
def escapes(function: Function) -> Escapes:
    """What a function does with pointers, found once for all of its loops."""
    seen = _Seen(function)
    for statement in every_statement(function):
        seen.statement(statement)
    leads = leading(function, seen.objects)
    led = leads.all
    held = _held(seen.stores, led)
    beside = frozenset({SOMEWHERE} if seen.hidden or seen.moved else ())
    kept = beside.union(*held.values())
    of_old = [(table, store) for table, store in seen.stores if not _says_it_is_new(store.value)]
    accesses = [access for statement in every_statement(function) for access in accesses_of(statement)]
    if seen.stores:
        held = united(held, kept | seen.objects, accesses)
    initial, listed_twice = _initialised(function, led)
    places = [(a, unversioned(a.object)) for a in accesses]
    pointers = {(x, a.field) for a, x in places if isinstance(a.type, Pointer)}
    numbers = frozenset(x for a, x in places if _is_read_as_number(a, (x, a.field) in pointers))
    return Escapes(
        objects=frozenset(seen.objects),
        leaks=seen.given or any(map(_may_be_own, kept)),
        kept=kept,
        made_of=_made_of(function, seen, led) if SOMEWHERE in kept else frozenset(),
        held_by_variables=_held_by_variables(function, {*seen.passed, *seen.addressed, *numbers}),
        rows=_rows(seen.stores, led),
        kept_but_new=kept if len(of_old) == len(seen.stores) else beside.union(*_held(of_old, led).values()),
        filled=fillings(function) if seen.stores else {},
        exchanged={x: targets for each in permuted(function) for x, targets in each.items()},
        led=led,
        led_perhaps=leads.some,
        walked=leads.walked,
        of_numbers=_pointing_to_numbers(accesses),
        held=held,
        initial=initial,
        listed_twice=listed_twice,
        addressed=frozenset(seen.addressed),
        passed=frozenset(seen.passed),
        given_away=frozenset(seen.given_away),
        used_otherwise=frozenset(seen.used_otherwise),
        worked_on=frozenset(seen.worked_on),
        copied=frozenset(seen.copied),
        copies={x: frozenset(copies) for x, copies in seen.copies.items()},
        read_as_numbers=numbers,
        hides=seen.hidden,
        moves=seen.hidden or seen.moving,
        stored_as_bytes=frozenset(seen.bytes),
        ranges=_groups(function.ranges),
        in_one_block=frozenset(first for first, last in function.ranges if first == last),
        members_in_code=frozenset(seen.members),
        parts=function.parts,
        plain=function.plain,
        permuted=frozenset(seen.permuted),
        shared=function.shared,
        same=same_pointers(accesses),
        contents={Declared(variable): _whole(variable, values) for variable, values in function.tables},
    )


def _whole(table: Variable, listed: tuple[int | float, ...]) -> tuple[int | float, ...]:
    """All elements of a table, those that are not listed too, unless they are many."""
    length = getattr(table.type, "length", None)
    rest = length - len(listed) if isinstance(length, int) else 0
    return (*listed, *[0] * min(rest, 2))  # two say the same of a table as more of them do


class _Seen:
    """What the statements of a function do with pointers, as far as they were looked at. The sets are those of
    `Escapes`; `given`: some call may keep a pointer; `hidden`: a pointer may be stored as something else than one;
    `moved`: as a member of a structure; `built`: of one that is no copy of another one; `moving`: calls may move those
    that are in memory; `bytes`: memory to which bytes are stored, which may be of pointers."""

    def __init__(self, function: Function) -> None:
        self.plain, self.followed, self.permuting = function.plain, _only_followed(function), exchanges(function)
        self.objects: set[Object] = set()
        self.addressed: set[Object] = set()
        self.passed: set[Object] = set()
        self.given_away: set[Object] = set()
        self.used_otherwise: set[Object] = set()
        self.worked_on: set[Object] = set()
        self.copied: set[Object] = set()
        self.copies: dict[Object, set[Copy]] = {}
        self.bytes: set[Object] = set()
        self.members: set[str] = set()
        self.permuted: set[Table] = set()
        self.stores: list[tuple[Table, Assign]] = []
        self.given = self.hidden = self.moved = self.moving = self.built = False

    def statement(self, statement: Statement) -> None:
        """Looks at what a statement evaluates itself, and at what it stores."""
        told = _told(statement)
        if told.addresses:
            self._addresses(statement, told)
        for call in told.calls:
            self._call(call)
        self.hidden = self.hidden or told.hides
        match statement:
            case Evaluate(value=Address() | Convert() | Opaque()):  # an initialiser
                self._anywhere(e.object for e in told.addresses if e.object is not None)
            case Assign(target=Access() as target):
                self._store(statement, target)
            case Assign(target=Variable(type=Record(key=key)) as variable) if key not in self.plain:
                self.copies.setdefault(Declared(variable), set()).add(_copy(statement.value, "", 0))
            case _:
                pass

    def _addresses(self, statement: Statement, told: "_Told") -> None:
        taken, lent = _taken_for(statement, self.followed), _lent(told.calls)
        left = [e for e in told.addresses if id(e) not in taken]
        self.addressed.update(e.object for e in left if e.object is not None)
        self.objects.update(e.object for e in left if e.object is not None and id(e) not in lent)

    def _call(self, call: Call) -> None:
        got = (*call.pointers, *_by_value(call, self.plain))
        if call.name != "free":  # which neither keeps nor changes what it gets
            self.passed.update(got)
        if not call.foreign:
            self.worked_on.update(got)
        self.moving |= may_keep(call) and (call.made is None or bool(got))
        if got and may_keep(call):
            self.given = True
            self.given_away.update(got)
            if not library.says_it_releases(call.name):
                self.used_otherwise.update(got)

    def _store(self, store: Assign, target: Access) -> None:
        match target.type:
            case Pointer() if id(store) in self.permuting:
                self.permuted.add(table_of(target))
            case Pointer():
                self.stores.append((table_of(target), store))
                self.members.update(() if _returned(store.value) or _leads_to_new(store) else (target.field,))
            case Record(key=key) if key not in self.plain:
                self._copied(store.value, target)
            case _ if not isinstance(store.value, Literal):
                self._number(target)
            case _:
                pass

    def _number(self, target: Access) -> None:
        """A store of a number, which may be a pointer or a part of one."""
        if _may_be_of_pointer(target):
            self.bytes.add(unversioned(target.object))
        if not target.field and _holds_pointers(target.object):
            self._anywhere((target.object,))  # byte by byte, from wherever

    def _copied(self, value: Expression, target: Access) -> None:
        x = unversioned(target.object)
        self.moved = True
        self.built |= not isinstance(unconverted(value), Load | Use | Call)
        self.copies.setdefault(x, set()).add(_copy(value, target.field, len(target.subscripts)))
        if not isinstance(value, Call):
            self.copied.add(x)

    def _anywhere(self, objects: Iterable[Object]) -> None:
        """Objects that anybody may know from now on, and set pointers in."""
        known = tuple(objects)
        for found in (self.passed, self.given_away, self.used_otherwise, self.worked_on):
            found.update(known)


class _Told(Struct, frozen=True):
    """What a statement itself does with pointers, whatever function it is in. `hides`: it may store one as something
    else."""

    addresses: tuple[Address, ...]
    calls: tuple[Call, ...]
    hides: bool


NOTHING_TOLD = _Told((), (), False)


@remembered("_told")
def _told(statement: Statement) -> _Told:
    """Worked out once: functions that are cut after one of their nests are made of the same statements."""
    inner = evaluated(statement)
    addresses = tuple([e for e in inner if isinstance(e, Address) and e.object is not None])
    calls = tuple([e for e in inner if isinstance(e, Call)])
    hides = _hides_pointers(statement) or any(map(hides_a_pointer, inner))
    return _Told(addresses, calls, hides) if addresses or calls or hides else NOTHING_TOLD


def _may_be_of_pointer(number: Access) -> bool:
    """Whether what is accessed as an integer may be a pointer, or a byte of one."""
    in_union = number.structure is not None and number.structure.shares
    return in_union or is_byte(number.type)


def _is_read_as_number(access: Access, to_pointer: bool) -> bool:
    """Whether an access may be to a pointer, or to bytes of one, as a number; `to_pointer`: the function also accesses
    a pointer there (`*(long *)&own.data`)."""
    if _may_be_of_pointer(access):
        return True
    return (to_pointer or not access.field) and isinstance(access.type, Integer | Floating | Complex)


def _copy(value: Expression, member: str, subscripts: int) -> Copy:
    match value:
        case Load(access=read) if not isinstance(read.object, Anything):
            return Copy(member, subscripts, unversioned(read.object), read.field, len(read.subscripts))
        case Use(variable=variable):
            return Copy(member, subscripts, Declared(variable))
        case _:
            return Copy(member, subscripts)


def _held(
    stores: Iterable[tuple[Table, Assign]], led: Mapping[int, frozenset[Object]]
) -> dict[Table, frozenset[Object]]:
    """The objects to which pointers are stored, by the table in which they are."""
    held: dict[Table, frozenset[Object]] = {}
    for table, store in stores:
        held[table] = held.get(table, frozenset()) | led_to(store, led)
    return held


def _made_of(function: Function, seen: _Seen, led: Mapping[int, frozenset[Object]]) -> frozenset[Object]:
    """See `Escapes.made_of`."""
    unknown = [store.value for _, store in seen.stores if SOMEWHERE in led_to(store, led)]
    beside = frozenset({SOMEWHERE} if seen.hidden or seen.built else ())
    return beside | made_of(function, unknown)


def _held_by_variables(function: Function, known: Iterable[Object]) -> dict[Object, frozenset[Object]]:
    """See `Escapes.held_by_variables`."""
    pointers = (x for x in known if isinstance(x, Declared) and isinstance(x.variable.type, Pointer))
    return {x: made_of(function, (Use(x.variable, x.variable.type),)) for x in pointers}


def _initialised(
    function: Function, led: Mapping[int, frozenset[Object]]
) -> tuple[dict[Object, frozenset[Object]], frozenset[Object]]:
    """What pointers in initialisers lead to, by what is initialised; and where two of these lead into one object."""
    initial: dict[Object, frozenset[Object]] = {}
    twice: set[Object] = set()
    for variable, leads in function.initial:
        whole = Declared(variable)
        each = _expanded(leads, led) if leads is not None else frozenset({SOMEWHERE})
        before = initial.get(whole, frozenset())
        twice |= {whole} if each & before else set()
        initial[whole] = before | each
    return initial, frozenset(twice)


def _returned(value: Expression) -> bool:
    """Whether a pointer is null, or is memory that a call returned which knows none of the memory of this function."""
    match value:
        case Convert(argument=argument):
            return _returned(argument)
        case Choice(then=then, otherwise=otherwise):
            return _returned(then) and _returned(otherwise)
        case Call(made=Allocated()) | Literal():
            return True
        case Call(known=False, pointers=pointers):
            return all(map(_holds_no_numbers, pointers))
        case _:
            return False


def _says_it_is_new(value: Expression) -> bool:
    """Whether a function gives a pointer that says by its name that it allocates."""
    call = unconverted(value)
    return isinstance(call, Call) and library.says_it_allocates(call.name)


def _rows(
    stores: Iterable[tuple[Table, Assign]], led: Mapping[int, frozenset[Object]]
) -> dict[Table, frozenset[Object]]:
    found: dict[Table, frozenset[Object]] = {}
    for table, store in stores:
        new = store.leads.object if store.leads is not None and _says_it_is_new(store.value) else None
        found[table] = found.get(table, frozenset()) | (led_to(store, led) if new is None else {unversioned(new)})
    return found


def made_by(store: Assign) -> Allocated | None:
    """The memory that is allocated for the pointer that is stored."""
    value = unconverted(store.value)
    return value.made if isinstance(value, Call) else None


def is_moved(x: Object) -> bool:
    """Whether it is what `realloc` gave."""
    return isinstance(x, Anything) and isinstance(x.pointer, Returned) and x.pointer.function == "realloc"


def _leads_to_new(store: Assign) -> bool:
    """Whether a pointer leads to memory that was allocated here, by way of a variable perhaps."""
    return store.leads is not None and isinstance(store.leads.object, Allocated)


def _holds_no_numbers(x: Object) -> bool:
    """Whether memory is a text, or a structure: a pool that an allocator gets, say."""
    match x:
        case Declared(variable=Variable(type=type_)) | Pointee(variable=Variable(type=Pointer(target=type_))):
            return isinstance(element(type_), Record)
        case _:
            return isinstance(x, Text)


def _holds_pointers(x: Object) -> bool:
    return isinstance(x, Declared) and isinstance(element(x.variable.type), Pointer | Record)


def led_to(store: Assign, led: Mapping[int, frozenset[Object]]) -> frozenset[Object]:
    """The objects that a stored pointer may lead to."""
    if store.leads is not None and (not isinstance(store.leads.object, Anything) or is_moved(store.leads.object)):
        return frozenset({unversioned(store.leads.object)})
    return frozenset().union(*(_expanded(o, led) for o in _pointed_to(store.value, led)))


def _expanded(x: Object, led: Mapping[int, frozenset[Object]]) -> frozenset[Object]:
    if not isinstance(x, Anything):
        return frozenset({unversioned(x)})
    return _behind_variable(x, led) or frozenset({SOMEWHERE})


def _pointing_to_numbers(accesses: Iterable[Access]) -> frozenset[Table]:
    found: dict[Table, bool] = {}
    for a in accesses:
        if isinstance(a.type, Pointer):
            table = table_of(a)
            numbers = isinstance(a.type.target, Integer | Floating | Complex)
            found[table] = found.get(table, True) and numbers
    return frozenset(table for table, numbers in found.items() if numbers)


def _behind_variable(x: Anything, led: Mapping[int, frozenset[Object]]) -> frozenset[Object]:
    """What memory may be by the variable that points to it; none where that is not known."""
    return led.get(x.pointer.variable.key, frozenset()) if isinstance(x.pointer, Held) else frozenset()


def _pointed_to(value: Expression, led: Mapping[int, frozenset[Object]]) -> Iterator[Object]:
    match value:
        case Convert(argument=argument):
            yield from _pointed_to(argument, led)
        case Choice(then=then, otherwise=otherwise):
            yield from (*_pointed_to(then, led), *_pointed_to(otherwise, led))
        case Address(object=found) if found is not None:
            yield found
        case Use(variable=Variable(key=key, type=Pointer())) if key in led:
            yield from led[key]
        case Call(made=Allocated() as fresh):
            yield fresh
        case Literal() | Address(object=None, type=FunctionType()):  # the address of a function
            pass
        case _:
            yield SOMEWHERE


def _by_value(call: Call, plain: frozenset[str]) -> Iterator[Object]:
    """The structures that a call gets as they are, with the pointers in them: `keep(own)`."""
    for e in (inner for argument in call.arguments for inner in walk(argument)):
        match e:
            case Load(access=Access(object=x, type=Record(key=key))) if key not in plain:
                yield unversioned(x)
            case Use(variable=Variable(type=Record(key=key)) as variable) if key not in plain:
                yield Declared(variable)
            case _:
                pass


def _lent(calls: Iterable[Call]) -> set[int]:
    """The addresses (by identity) that only MPI gets, and forgets before it returns."""
    found = set()
    for call in calls:
        for position, argument in enumerate(call.arguments if call.values else ()):
            lent = unconverted(argument)
            if isinstance(lent, Address) and forgets(call.name, position):
                found.add(id(lent))
    return found


def _only_followed(function: Function) -> frozenset[int]:
    """Keys of pointers, such as parameters of inlined functions, that are followed wherever they stand, but for where
    they are compared: what `*where = malloc(n);` or `where[0] = 1` does is done to the variable whose address the
    pointer is. They may be handed on to others of the kind."""
    pointers: set[int] = set()
    used: Counter[int] = Counter()
    handed: list[tuple[int, int]] = []
    for s in every_statement(function):
        match s:
            case Assign(
                target=Variable(scope="local" | "parameter", addressed=False, type=Pointer(volatile=False), key=key)
            ):
                pointers.add(key)
                if isinstance(plain := unconverted(s.value), Use):
                    handed.append((plain.variable.key, key))
            case _:
                pass
        for key, times in _not_followed(s):
            used[key] += times
    used.subtract(first for first, _ in handed)
    followed = {key for key in pointers if used[key] == 0}
    while lost := {first for first, then in handed if first in followed and then not in followed}:
        followed -= lost
    return frozenset(followed)


@remembered("_not_followed")
def _not_followed(statement: Statement) -> tuple[tuple[int, int], ...]:
    """The pointers, by their keys, that a statement uses, and how often it does so but to get to memory that is known,
    and to compare them."""
    used: list[tuple[int, int]] = []
    if isinstance(statement, Assign) and isinstance(statement.target, Access):
        used += _led_by(statement.target.object, statement.index)
    for e in evaluated(statement):
        match e:
            case Use(variable=Variable(key=key, type=Pointer())):
                used.append((key, 1))
            case Load(access=Access(object=read), index=index):
                used += _led_by(read, index)
            case Address(object=led, index=index) if led is not None:
                used += _led_by(led, index)
            case Operation(operator="==" | "!=" | "!", arguments=arguments):
                used += [(u.variable.key, -1) for a in arguments if isinstance(u := unconverted(a), Use)]
            case _:
                pass
    return tuple(used)


def _led_by(target: Object, index: tuple[Expression, ...]) -> list[tuple[int, int]]:
    """The pointers by which an access, or an address, gets to memory that is known: uses that do not count."""
    if isinstance(target, Anything):
        return []
    pointers = (u.variable for e in index if isinstance(u := unconverted(e), Use))
    return [(pointer.key, -1) for pointer in pointers if isinstance(pointer.type, Pointer)]


def _taken_for(statement: Statement, followed: frozenset[int]) -> set[int]:
    """The address (by identity) that is all that one of these parameters gets."""
    match statement:
        case Assign(target=Variable(key=key), value=value) if key in followed:
            return {id(unconverted(value))}
        case _:
            return set()


def _only_lends(call: Call) -> bool:
    return bool(call.values) and all(forgets(call.name, position) for position in range(len(call.arguments)))


def _given_away(inner: tuple[Expression, ...]) -> Iterator[Object]:
    """Those objects of which a call gets the address, and may keep it."""
    yield from (pointer for e in inner if isinstance(e, Call) and may_keep(e) for pointer in e.pointers)


def _not_releasing(inner: tuple[Expression, ...]) -> tuple[Expression, ...]:
    return tuple(e for e in inner if not (isinstance(e, Call) and library.says_it_releases(e.name)))


def is_given_away(function: Function, x: Object, lent: bool) -> bool:
    """Whether anybody may keep the address of an object, or of a pointer that may lead to it. `lent`: calls that are
    supposed to be independent, or say that they release it, do not. Example: `for (...) f(t, i);  keep(t);` gives t
    away, and so does `p = t;  keep(&p);`."""
    known = escapes(function)
    given = known.reached_from(_not_lent(function) if lent else known.given_away)
    return any(known.leads_to(each, x) for each in given)


@remembered("_not_lent")
def _not_lent(function: Function) -> frozenset[Object]:
    """What calls get that neither say that they release it nor are supposed to be independent."""
    every = _not_releasing(tuple(e for s in every_statement(function) for e in evaluated(s)))
    keeping = tuple(e for e in every if not (isinstance(e, Call) and e.supposed is AssumptionKind.INDEPENDENT))
    return frozenset(_given_away(keeping))


def may_keep(call: Call) -> bool:
    """Whether a function may store somewhere the pointers that it gets. Those of the C library that print, read,
    release or end the program do not, nor do those of the BLAS."""
    if call.gives_a_value_alone:
        return False
    if blas.written(call.name) is not None:
        return False
    forgotten = library.effect(call.name) is not None and call.name != "realloc"
    return not forgotten and not _only_lends(call)


def _is_made_here(x: Object) -> bool:
    """Whether memory is new in each call of the function."""
    return isinstance(x, Allocated) or (isinstance(x, Declared) and x.variable.scope == "local")


def _may_be_own(x: Object) -> bool:
    """Whether memory may be the function's own: not what stood behind its parameters, or was there before."""
    return not isinstance(root(x), Pointee | Text)


def _hides_pointers(statement: Statement) -> bool:
    """Whether pointers may be stored in memory, or where others find them, as something else than pointers in memory,
    and than members of a structure."""
    match statement:
        case Assign(target=Variable(scope="global" | "static", type=Pointer())):
            return True
        case Assign(target=Variable(type=Pointer()) | Access(type=Pointer())):
            return False
        case Assign(value=value) if isinstance(value.type, Pointer):
            return True  # `memcpy(&u, &p, sizeof p)`
        case Assign(target=Access(type=Record())):
            return False  # see `_Seen.moved`
        case Assign(target=Access(type=type_)):
            return not isinstance(type_, Integer | Floating | Complex)  # see `hides_a_pointer`
        case Assign() | Evaluate():
            return False
        case Refused():
            return True
        case _:
            return False


def hides_a_pointer(e: Expression) -> bool:
    """Whoever copies a pointer byte by byte, or makes an integer of it (`(uintptr_t)p`, `p - (char *)0`), stores it,
    too."""
    match e:
        case Operation(operator="-", type=Integer(), arguments=arguments):
            return len([a for a in arguments if isinstance(a.type, Pointer)]) == 1
        case Convert(type=Integer(size=size), argument=argument):
            return size > 1 and isinstance(argument.type, Pointer)
        case Load(access=Access(object=Declared(variable=Variable(type=Pointer() | Record())), field="", type=read)):
            return isinstance(read, Integer) and read.size == 1
        case _:
            return False

