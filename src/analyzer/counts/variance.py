"""Which symbols may change while a nest runs, and which of them are the same value read twice.

*Decides*: `varies(s)` is False when the symbol has one value during one execution of the nest. A value read
from memory is invariant when its address is and no store of the nest can change it; stores through *other*
objects are taken not to (assumption `bound-invariant`, see `assumed`). *Errs toward* True for values of
unknown origin made inside."""

from typing import TypeGuard

from msgspec import Struct, field

from models.expr.nodes import remembered

from ..ir.invariance import varies
from ..ir.nodes import (
    Access,
    Allocated,
    Anything,
    Assign,
    Branch,
    Call,
    Counter,
    Declared,
    Evaluate,
    Expression,
    Loaded,
    Loop,
    Object,
    Pointee,
    Quotient,
    Remainder,
    Rows,
    Text,
    all_loops,
    evaluated,
)
from ..ir.polynomials import Poly, Symbol, symbol
from ..loops.reaching_definitions import may_change
from ..polyhedra.signs import Region, larger
from ..source.ctypes import Pointer, Record, Unknown


class Variance:
    """Facts on the symbols of the nest rooted at `loop`."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop.key
        self.keys = frozenset(inner.key for inner in all_loops(loop))
        self.assumed: dict[str, int] = {}
        self._effects = effects(loop)
        self._answers: dict[Symbol, bool] = {}
        self._first: dict[object, Symbol] = {}
        self._nowhere = Region()  # in no loop: nothing is known but that sizes are not negative
        trips = (self.canonical(r.numerator) for inner in all_loops(loop) for r in inner.trip or ())
        self.sizes = frozenset(s for poly in trips for s in poly.symbols)
        """Symbols in the bounds of the nest's loops."""

    def varies(self, s: Symbol) -> bool:
        """Whether `s` may have several values in one execution of the nest; counters of the nest do not
        count."""
        match s.origin:
            case Counter():
                return False
            case Quotient(value=value) | Remainder(value=value):
                return any(map(self.varies, value.symbols))
            case _:
                return self.moves(s)

    def moves(self, s: Symbol) -> bool:
        """Whether a value made from `s` differs from iteration to iteration."""
        if s not in self._answers:
            self._answers[s] = varies(s, self.keys.__contains__, self._changes)
        return self._answers[s]

    def _changes(self, read: Symbol) -> bool:
        assert isinstance(read.origin, Loaded)
        access = read.origin.access
        if self._is_another(access.object):
            return True
        changes, assumed = self._effects.on(access)
        if assumed or (self._effects.calls and not changes):
            self.assumed.setdefault(access.text, access.place.line)
        return changes

    def keeps(self, access: Access) -> bool:
        """Whether the array that an access reads stays as it is while the nest runs, as far as stores can be told."""
        stored = any(store.object == access.object for store in self._effects.stores)
        return not (stored or self._is_another(access.object) or self._effects.on(access)[0])

    def _is_another(self, object_: Object) -> bool:
        """Whether a pointer leads to another object in another iteration: one that the nest sets, as in a walk along a
        list, or one in memory that it stores to."""
        match object_:
            case Anything(key=made):  # keys count up while a function is lowered
                return made > self.loop
            case Allocated(loops=made_in):
                return any(self.moves(s) for s in made_in)
            case Rows(base=base, field=member):
                return self._is_another(base) or self._effects.sets(base, member)
            case Declared() | Pointee() | Text():
                return False

    def canonical(self, poly: Poly) -> Poly:
        """The polynomial with equal invariant loads written as one symbol, and n for max(0, n) of a size n."""
        change: dict[Symbol, Poly] = {}
        for s in poly.symbols:
            if (known := larger(s, self._nowhere)) is not None:
                change[s] = self.canonical(known)
            if isinstance(s.origin, Loaded) and not self.varies(s):
                access, defined = s.origin.access, s.origin.defined_before(self.loop)
                slot = (access.object, access.subscripts, access.field, access.offset, access.size, defined)
                first = self._first.setdefault(slot, s)
                if first != s:
                    change[s] = symbol(first)
        return poly.substitute(change) if change else poly


WHOLE = Record | Unknown
"""Types of which a store may set any pointer in them."""


class Effects(Struct, frozen=True):
    """The accesses stored to in a nest, and whether it `calls` a function that is not known."""

    stores: tuple[Access, ...]
    calls: bool
    known: dict[Access, tuple[bool, bool]] = field(default_factory=dict)
    """What `on` found before: the bounds of a nest are asked for by every loop in it."""

    def sets(self, base: Object, member: str) -> bool:
        """Whether a store may set the pointer that is the member of an object."""
        stored = (a for a in self.stores if a.object == base)
        return any(a.field == member if isinstance(a.type, Pointer) else isinstance(a.type, WHOLE) for a in stored)

    def on(self, access: Access) -> tuple[bool, bool]:
        """Whether a store changes what an access reads, and whether one is only taken not to."""
        if access not in self.known:
            self.known[access] = self._on(access)
        return self.known[access]

    def _on(self, access: Access) -> tuple[bool, bool]:
        assumed = False
        for store in self.stores:
            if not may_change(store, access):
                continue
            if store.object == access.object:
                return True, assumed
            assumed = True
        return False, assumed


@remembered("_effects")
def effects(loop: Loop) -> Effects:
    """Those of a loop and all in it. Asked of every loop of a nest: what an inner one does is kept there."""
    stores: dict[Access, None] = {}
    calls = False
    pending = [*loop.body[::-1]]
    while pending:
        statement = pending.pop()
        match statement:
            case Loop():
                inner = effects(statement)
                stores |= dict.fromkeys(inner.stores)
                calls = calls or inner.calls
            case Branch(then=then, otherwise=otherwise):
                pending += otherwise[::-1]
                pending += then[::-1]
            case Assign() | Evaluate():
                if isinstance(statement, Assign) and isinstance(statement.target, Access):
                    stores[statement.target] = None
                for call in filter(_is_unknown_call, evaluated(statement)):
                    calls = True
                    stores |= dict.fromkeys(call.given)
            case _:
                pass
    return Effects(tuple(stores), calls)


def _is_unknown_call(expression: Expression) -> TypeGuard[Call]:
    return isinstance(expression, Call) and not expression.known and not expression.closed
