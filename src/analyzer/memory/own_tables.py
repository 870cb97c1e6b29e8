"""Tables of pointers in memory that a function allocated, and filled with pointers to more such memory.

*Decides*: for memory behind pointers that are read from such a table, which of the function's own allocations it may
be while a nest runs; whether the memory of two accesses is certainly not the same by that.
*Method*: what is stored where, up to the end of the nest, until nothing is added (Andersen's points-to sets, without
members): what comes later has not happened yet, so that the tables may be handed out to anybody then.
*Errs toward* unknown: tables to which the address of one goes that somebody else may have stored to, or may have copied
pointers between; functions with a `goto` or with code that the IR cannot hold, whose statements may run in another
order.

    v[k] = malloc(n); for (j...) v[k][j] = malloc(m);       ->  v, v[k] and v[k][j] are three kinds of memory
    v[k] = r; for (j...) v[k][j] = malloc(m);               ->  v[k] is r
    keep(v); v[k] = malloc(n); v[k][j] = 0;                 ->  unknown: `keep` may still store to v
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from ..ir import c_library as library
from ..ir.nodes import (
    Access,
    Address,
    Allocated,
    Anything,
    Assign,
    Call,
    Convert,
    Evaluate,
    Exit,
    Expression,
    Function,
    Load,
    Loop,
    Object,
    Opaque,
    Refused,
    Rows,
    Statement,
    Use,
    Variable,
    evaluated,
    statements,
    walk,
)
from ..ir.pointer_roots import root
from ..source.ctypes import Integer, Pointer
from .escape import Escapes, hides_a_pointer, led_to
from .made_of import SOMEWHERE
from .tables import unversioned

FORGETFUL = frozenset(
    (library.Effect.PRINTS, library.Effect.WRITES, library.Effect.OPENS, library.Effect.READS_CLOCK)
)
"""What calls do that neither keep the pointers that they get nor store pointers."""


class OwnTables(Struct):
    """What is known while a function runs up to the end of one nest. `given`: memory that others may know."""

    known: Escapes
    stored: list[tuple[Object, frozenset[Object]]] = field(default_factory=list)
    held: dict[Object, set[Object]] = field(default_factory=dict)
    given: set[Object] = field(default_factory=set)
    read_out: set[Object] = field(default_factory=set)
    """Tables of which a pointer is copied to where it is not followed any more."""
    is_seen: bool = True
    """Whether all that the function does is seen, in its order."""

    def apart(self, x: Object, y: Object) -> bool:
        """Whether two objects, that pointers in tables of the function may lead to, are surely not the same memory."""
        if not self.is_seen:
            return False
        xs, ys = self.targets(x), self.targets(y)
        return bool(xs and ys) and SOMEWHERE not in xs | ys and xs.isdisjoint(ys)

    def behind_one(self, x: Object, y: Object) -> bool:
        """Whether two objects are behind pointers in one table of the function, whenever those are read."""
        if not self.is_seen or not isinstance(x, Rows) or unversioned(x) != unversioned(y):
            return False
        return SOMEWHERE not in self.targets(x)

    def targets(self, x: Object) -> frozenset[Object]:
        """The allocations that an object may be; `SOMEWHERE` among them: other memory, too. None where nothing was
        stored yet."""
        match x:
            case Allocated(call=name) if name in library.ALLOCATORS:
                return frozenset({x})
            case Rows(base=base):
                return frozenset(y for each in self.targets(base) for y in self._held_in(each))
            case Anything():
                led = self.known.targets(x)
                return frozenset(y for each in led for y in self._behind(each))
            case _:
                return frozenset({SOMEWHERE})

    def _behind(self, x: Object) -> frozenset[Object]:
        return frozenset({SOMEWHERE}) if isinstance(x, Anything) else self.targets(x)

    def _held_in(self, x: Object) -> set[Object]:
        return {SOMEWHERE} if x == SOMEWHERE or x in self.given else self.held.get(x, set())

    # --- gathering

    def fill(self) -> None:
        """Carries the stores through, until nothing is added."""
        while True:
            before = (sum(map(len, self.held.values())), len(self.given))
            for table, led in self.stored:
                found = {y for x in led for y in self._behind(x)}
                for each in self.targets(table):
                    if each == SOMEWHERE:
                        self.given |= found
                    else:
                        self.held.setdefault(each, set()).update(found)
            read = {each for x in self.read_out for each in self.targets(x)}
            self.given |= {y for x in (*self.given, *read) for y in self.held.get(x, ())}
            if before == (sum(map(len, self.held.values())), len(self.given)):
                return

    def gather(self, statement: Statement) -> None:
        """What one statement stores and hands out."""
        inner, led = evaluated(statement), self.known.led
        for e in inner:
            if isinstance(e, Call) and _may_keep(e):
                self.hand_out(e.arguments, e.pointers)
        if any(hides_a_pointer(e) for e in inner):
            self.is_seen = False
        match statement:
            case Assign(target=Access(type=Pointer(), object=table), value=value):
                self.store(table, value, led_to(statement, led))
            case Assign(target=Access(object=table, type=Integer(size=1 | 8 | 16)), value=value):
                self.store(table, value, frozenset({SOMEWHERE}))  # perhaps pointers, byte by byte or as numbers
            case Assign(target=Access(type=type_)) if not self.known.is_of_numbers(type_):
                self.is_seen = False
            case Assign(target=Variable(type=Pointer(), key=key), value=value) if key not in led:
                self.hand_out((value,), led_to(statement, led))  # what is stored through it has another name
            case Evaluate(value=Address() | Convert() | Opaque()):  # an initialiser
                self.hand_out(inner)
            case Refused():
                self.is_seen = False
            case _:
                pass

    def store(self, table: Object, value: Expression, led: frozenset[Object]) -> None:
        """Pointers to some objects, or to what nobody knows, are stored in a table."""
        self.stored.append((table, led))
        if SOMEWHERE in led:
            self.read_out |= set(_read_in((value,)))
            self.is_seen = self.is_seen and not any(isinstance(e, Opaque) for e in walk(value))

    def hand_out(self, values: tuple[Expression, ...], also: Iterable[Object] = ()) -> None:
        """All pointers in the values go where they are not followed."""
        self.stored.append((SOMEWHERE, frozenset((*also, *self._named_in(values)))))
        self.read_out |= set(_read_in(values))

    def _named_in(self, values: tuple[Expression, ...]) -> Iterator[Object]:
        """The objects to which addresses and pointer variables in expressions lead."""
        for e in (part for value in values for part in walk(value)):
            match e:
                case Address(object=x) if x is not None:
                    yield x
                case Use(variable=Variable(key=key, type=Pointer())):
                    yield from self.known.led.get(key, ())
                case _:
                    pass


def _read_in(values: tuple[Expression, ...]) -> Iterator[Object]:
    """The memory that expressions read."""
    return (e.access.object for value in values for e in walk(value) if isinstance(e, Load))


def _may_keep(call: Call) -> bool:
    """Whether a call may store pointers to what it gets, or in it."""
    if call.known or call.name == "free" or (call.closed and call.supposed is None):
        return False
    return call.name not in library.ALLOCATORS and library.effect(call.name) not in FORGETFUL


def own_tables(function: Function, known: Escapes, nest: Loop) -> OwnTables | None:
    """What the tables of a function lead to until the end of a nest; None where it fills none of its own. Example: see
    the module."""
    if not any(isinstance(root(base), Allocated) for base, _ in known.held):
        return None
    found = OwnTables(known)
    for statement in _until(function.body, nest):
        found.gather(statement)
    if any(isinstance(s, Exit) and s.kind == "goto" for s in statements(function.body)):
        found.is_seen = False
    found.fill()
    return found


def _until(body: tuple[Statement, ...], nest: Loop) -> Iterator[Statement]:
    """The statements up to the end of a nest that may have run before it or in it."""
    for statement in statements(body):
        yield statement
        if statement is nest:
            yield from statements(nest.body)
            return
