"""A machine that runs the loop IR on numbers: small instances of a function, statement by statement.

*Decides*: the values of scalars and memory after each statement, for sizes and contents that somebody chose
(`chosen_values`).
*Method*: integers as C computes them; floating point without rounding, so that no order of a sum differs from another.
Values that the IR only names (`Loaded`, `Computed`) are those seen where the program evaluates them last; where a
variable's value is also known as a polynomial, the two have to agree.
*Errs toward* `StuckError`: undefined behaviour, what calls that are not seen give, or do in the loop that is watched,
pointers as values, bit-fields, two views of one byte, memory that was never set, and more steps than the caller grants.

    for (i = 0; i < 3; i++) a[i + 1] = a[i];      with a[0] = 7      ->  a[1], a[2] and a[3] become 7
"""

import math
from collections.abc import Callable, Iterator
from itertools import count
from typing import TypeAlias, assert_never

from msgspec import Struct, field

from ...ir import c_library as library
from ...ir.c_library import ALLOCATORS
from ...ir.nodes import (
    Access,
    Address,
    Allocated,
    Anything,
    Assign,
    Branch,
    Call,
    Choice,
    Compare,
    Computed,
    Convert,
    Counter,
    Declared,
    Either,
    Entry,
    Evaluate,
    Exit,
    Expression,
    Flipped,
    Function,
    Literal,
    Load,
    Loaded,
    Loop,
    Object,
    Opaque,
    Operation,
    Outermost,
    Power,
    Quotient,
    Refused,
    Remainder,
    Rest,
    Rows,
    Scaled,
    Share,
    Statement,
    Steps,
    Text,
    TrianglePlace,
    TriangleRow,
    Use,
    Variable,
)
from ...ir.pointer_roots import root
from ...ir.polynomials import Poly, Symbol
from ...source.ctypes import CType, Floating, Integer, Pointer
from .arithmetic import (
    ImpossibleError,
    Number,
    StuckError,
    binary,
    converted,
    exact,
    positive,
    quotient,
    scaled,
    triangle_row,
    unary,
)

Cell: TypeAlias = tuple[Object, tuple[int, ...], int]
"""An object, the pointers followed to get there, and a byte in it."""

Place: TypeAlias = Cell | int
"""A cell of memory, or the key of a scalar variable."""

WORD = 16
"""Bytes of the largest scalar."""

NUMERIC = Integer | Floating
SCALAR = Integer | Floating | Pointer
"""Types of values, joined once: a machine asks for them with each access."""


class Unseen:
    """A value of which nothing is known: of a call that is not seen; of a pointer, for where that leads is in the
    accesses."""


UNSEEN = Unseen()
Value: TypeAlias = Number | Unseen


class Touch(Struct, frozen=True):
    """One access to memory in an iteration of the loop that is watched; `before`: what was there."""

    iteration: int
    cell: Cell
    access: Access
    write: bool
    before: Number
    after: Number


class Machine(Struct):
    """A function while it runs. `initial`, `parameter`: the contents of memory and variables at its entry."""

    initial: Callable[[Cell, CType], Number]
    parameter: Callable[[Variable], Number]
    read_as: dict[Access, list[Symbol]]
    """The symbols that stand for what an access reads."""
    steps: int
    """Left before the run is given up."""
    variables: dict[int, Number] = field(default_factory=dict)
    memory: dict[Cell, Number] = field(default_factory=dict)
    unset: dict[Cell, Number] = field(default_factory=dict)
    """What was in the cells of memory that something was stored to, before the first store."""
    symbols: dict[Symbol, int] = field(default_factory=dict)
    sizes: dict[Cell, int] = field(default_factory=dict)
    made_in: dict[int, list[Symbol]] = field(default_factory=dict)
    unseen: set[int] = field(default_factory=set)
    """Variables of which the values are not known any more."""
    changed: set[Place] = field(default_factory=set)
    """What was stored to since somebody emptied it."""
    touched: list[Touch] = field(default_factory=list)
    iteration: int = -1
    """Of the loop that is watched; -1 outside of it."""

    # --- statements

    def reach(self, function: Function, loop: Loop) -> None:
        """Runs a function up to the first time that it gets to the loop."""
        if self.run(function.body, loop.key) is not loop:
            raise StuckError("not reached")

    def run(self, body: tuple[Statement, ...], stop: int = 0) -> Statement | None:
        """Runs statements until one leaves the body: an exit, the test of a loop that fails, or the loop with the key
        `stop`, which is not begun. Returns it, None at the end."""
        for statement in body:
            left = self.statement(statement, stop)
            if left is not None:
                return left
        return None

    def statement(self, statement: Statement, stop: int) -> Statement | None:
        match statement:
            case Assign():
                self.assign(statement)
            case Evaluate(value=value, control=control):
                found = self.value(value)
                return statement if control and not _nonzero(found) else None
            case Branch(condition=condition, then=then, otherwise=otherwise):
                return self.run(then if _nonzero(self.value(condition)) else otherwise, stop)
            case Loop():
                return statement if statement.key == stop else self.loop(statement, stop)
            case Exit(kind=kind):
                if kind in ("continue", "goto"):
                    raise StuckError(kind)
                return statement
            case Refused():
                raise StuckError("refused")
            case _:
                assert_never(statement)
        return None

    def loop(self, loop: Loop, stop: int) -> Statement | None:
        for k in count() if _has_test(loop) else range(self.trip(loop)):
            left = self.iterate(loop, k, stop)
            if is_end_of(left, loop):
                return None
            if left is not None:
                return left
        return None

    def trip(self, loop: Loop) -> int:
        """How many iterations a loop has that no test ends: the C library walks over memory."""
        if loop.trip is None or not loop.exact_trip:
            raise StuckError("nobody knows how long")
        return max(0, min(-(-self.poly(r.numerator) // r.denominator) for r in loop.trip))

    def iterate(self, loop: Loop, k: int, stop: int = 0) -> Statement | None:
        """Iteration k of a loop."""
        for s in self.made_in.pop(loop.key, ()):
            self.symbols.pop(s, None)
        self.symbols[loop.counter] = k
        return self.run(loop.body, stop)

    def assign(self, statement: Assign) -> None:
        for part in statement.index:
            self.value(part)
        found = self.value(statement.value)
        target = statement.target
        if isinstance(target, Access):
            if isinstance(found, Unseen):
                raise StuckError("unseen value in memory")
            self.store(target, converted(found, target.type))
        elif target.addressed:
            raise StuckError("addressed")
        elif isinstance(found, Unseen):
            self.unseen.add(target.key)
        else:
            self.unseen.discard(target.key)
            self.changed.add(target.key)
            self.variables[target.key] = converted(found, target.type)

    # --- memory

    def store(self, access: Access, value: Number) -> None:
        cell = self.cell(access)
        before = self.read(cell, access.type, True)
        self.unset.setdefault(cell, before)
        self.changed.add(cell)
        self.memory[cell] = value
        self.touch(cell, access, True, before, value)

    def load(self, access: Access) -> Number:
        cell = self.cell(access)
        found = self.read(cell, access.type, False)
        self.touch(cell, access, False, found, found)
        self.reads(access, found)
        return found

    def reads(self, access: Access, found: Number) -> None:
        """The symbols that stand for what an access reads."""
        for s in self.read_as.get(access, ()):
            if isinstance(found, int):
                self.bind(s, found)

    def touch(self, cell: Cell, access: Access, write: bool, before: Number, after: Number) -> None:
        if self.iteration >= 0:
            self.touched.append(Touch(self.iteration, cell, access, write, before, after))

    def read(self, cell: Cell, type_: CType, overwritten: bool) -> Number:
        found = self.memory.get(cell)
        if found is not None:
            return found
        if isinstance(cell[0], Allocated) and cell[0].call == "calloc":
            return 0
        return 0 if overwritten and is_unset(cell[0]) else self.initial(cell, type_)

    def cell(self, access: Access) -> Cell:
        if access.volatile or access.atomic or access.bits or not isinstance(access.type, NUMERIC):
            raise StuckError(access.text)
        x = access.object
        if isinstance(root(x), Anything | Text) or _is_moved(x):
            raise StuckError(access.text)
        rows, byte = [], access.offset
        for s in access.subscripts:
            at = self.poly(s.index)
            if at < 0 or (s.extent is not None and at >= self.poly(s.extent)):
                raise ImpossibleError(f"{access.text} is outside")
            if s.stride is None or s.row_pointer:
                rows.append(at)
            else:
                byte += at * self.poly(s.stride)
        if isinstance(x, Allocated):
            rows += [self.symbol(s) for s in x.loops]
        cell = (x, tuple(rows), byte)
        self.reserve(cell, access.size)
        return cell

    def reserve(self, cell: Cell, size: int) -> None:
        """Every byte belongs to one scalar."""
        if size > WORD:
            raise StuckError("no scalar")
        known = self.sizes.get(cell)
        if known is None:
            x, rows, byte = cell
            near = ((at, self.sizes.get((x, rows, at), 0)) for at in range(byte - WORD, byte + size))
            if any(at != byte and at < byte + size and byte < at + width for at, width in near if width):
                raise StuckError("two views of one byte")
            self.sizes[cell] = size
        elif known != size:
            raise StuckError("two views of one byte")

    # --- polynomials

    def poly(self, value: Poly) -> int:
        total = 0
        for monomial, c in value.terms:
            for s in monomial:
                c *= self.symbol(s)
            total += c
        return total

    def symbol(self, s: Symbol) -> int:
        found = self.symbols.get(s)
        if found is not None:
            return found
        match s.origin:
            case Entry(variable=variable, line=0, loops=()):
                entered = self.parameter(variable)
                if not isinstance(entered, int):
                    raise StuckError(s.name)
                return entered
            case Quotient(value=value, divisor=by, floor=floor):
                return self.poly(value) // by if floor else quotient(self.poly(value), by)
            case Remainder(value=value, divisor=by, floor=floor):
                at = self.poly(value)
                return at % by if floor else at - by * quotient(at, by)
            case Computed(meaning=meaning) if meaning is not None:
                return self.computed(s, meaning)
            case Entry() | Computed() | Loaded() | Counter():
                raise StuckError(s.name)
            case _:
                assert_never(s.origin)

    def computed(self, s: Symbol, meaning: object) -> int:
        match meaning:
            case Steps(distance=distance, width=width):
                return max(0, -(-self.poly(distance) // positive(self.poly(width))))
            case Outermost(kind=kind, values=(x, y)):
                return (max if kind == "max" else min)(self.poly(x), self.poly(y))
            case Share(value=value, divisor=by):
                return (positive(self.poly(value) + 1) - 1) // positive(self.poly(by))
            case Rest(value=value, divisor=by):
                return (positive(self.poly(value) + 1) - 1) % positive(self.poly(by))
            case TriangleRow(value=value):
                return triangle_row(positive(self.poly(value) + 1) - 1)
            case TrianglePlace(value=value):
                at = positive(self.poly(value) + 1) - 1
                return at - triangle_row(at) * (triangle_row(at) + 1) // 2
            case Power(value=value, bits=bits) if 0 <= self.poly(value) < bits:
                return 1 << self.poly(value)
            case Flipped(value=value, divisor=by):
                return self.poly(value) ^ self.poly(by)
            case Scaled(terms=terms):
                return scaled(tuple(self.poly(t) if isinstance(t, Poly) else t for t in terms))
            case Either(values=(x, y), decided=Compare(value=value, relation=relation)):
                known = self.poly(value)
                taken = known >= 0 if relation == ">=" else (known == 0) == (relation == "==")
                return self.poly(x if taken else y)
            case _:
                raise StuckError(s.name)

    def bind(self, s: Symbol, value: int) -> None:
        """What a symbol stands for, until the loops in which it was made go on."""
        self.symbols[s] = value
        match s.origin:
            case Entry(loops=loops) | Loaded(loops=loops) | Computed(loops=loops):
                for key in loops:
                    self.made_in.setdefault(key, []).append(s)
            case _:
                pass

    def agree(self, value: Poly, found: int) -> None:
        """The value of a variable, and what is known of it."""
        match value.terms:
            case ((((Symbol(origin=Entry() | Computed() | Loaded()) as s),), 1),) if not _is_entry(s):
                self.bind(s, found)
                return
            case _:
                pass
        missing = [s for s in value.symbols if s not in self.symbols and not self.is_known(s)]
        if not missing:
            if self.poly(value) != found:
                raise ImpossibleError("what is known of a variable is not what it is")
        elif len(missing) == 1:
            (s,) = missing
            c = value.coefficient(s).constant
            rest = value.without(s)
            if c in (1, -1) and s not in rest.symbols:
                self.bind(s, c * (found - self.poly(rest)))

    def is_known(self, s: Symbol) -> bool:
        try:
            self.symbol(s)
        except StuckError:
            return False
        return True

    # --- expressions

    def value(self, e: Expression) -> Value:
        self.steps -= 1
        if self.steps < 0:
            raise ImpossibleError("too many steps")
        # most are one of these, and a class that does not match costs more than to compare it
        if type(e) is Use:
            return self.used(e)
        if type(e) is Literal:
            return e.value if isinstance(e.value, int) else exact(e.value)
        if type(e) is Operation:
            return self.operation(e)
        return self.seldom(e)

    def seldom(self, e: Expression) -> Value:
        """The value of an expression that is not one of the most frequent ones; the step is counted already."""
        match e:
            case Load(access=access, index=index):
                for part in index:
                    self.value(part)
                return self.load(access) if isinstance(access.type, NUMERIC) else UNSEEN
            case Choice(operator=operator, condition=condition, then=then, otherwise=otherwise):
                chosen = self.value(then if _nonzero(self.value(condition)) else otherwise)
                return chosen if operator == "?:" else int(_nonzero(chosen))
            case Convert(type=type_, argument=argument):
                found = self.value(argument)
                return found if isinstance(found, Unseen) else converted(found, type_)
            case Call():
                return self.call(e)
            case Address(index=index):
                for part in index:
                    self.value(part)
                return UNSEEN
            case Opaque():
                raise StuckError(e.reason)
            case Use() | Literal() | Operation():
                raise AssertionError("a frequent one")
            case _:
                assert_never(e)

    def used(self, e: Use) -> Value:
        variable = e.variable
        if not isinstance(variable.type, NUMERIC):
            return UNSEEN
        try:
            found = self.variable(variable)
        except StuckError:
            return UNSEEN  # no harm as long as nothing depends on it
        if e.value is not None and isinstance(found, int):
            self.agree(e.value, found)
        return found

    def variable(self, variable: Variable) -> Number:
        """The value of a scalar now."""
        if variable.addressed:
            raise StuckError(variable.name)
        if variable.key in self.unseen:
            raise StuckError(variable.name)
        found = self.variables.get(variable.key)
        return self.parameter(variable) if found is None else found

    def operation(self, e: Operation) -> Value:
        numbers: list[Number] = []
        for found in [self.value(x) for x in e.arguments]:
            if isinstance(found, Unseen):
                return UNSEEN
            numbers.append(found)
        if len(numbers) == 1:
            return unary(e.operator, numbers[0], e.type)
        return binary(e.operator, numbers[0], numbers[1], e.type)

    def call(self, e: Call) -> Value:
        found = [self.value(x) for x in e.arguments]
        effect = library.effect(e.name)
        if effect is library.Effect.NO_RETURN:
            raise ImpossibleError(e.name)
        if e.closed or not (e.known or self.iteration >= 0) or e.name in ALLOCATORS or e.name == "free":
            return UNSEEN  # a call that is not seen may leave everything as it was
        function = getattr(math, e.name.removesuffix("f"), None) if e.known else None
        numbers = [float(x) for x in found if not isinstance(x, Unseen)]
        if function is None or len(numbers) < len(found):
            raise StuckError(e.name)
        try:
            return exact(function(*numbers))
        except (ValueError, OverflowError, TypeError) as error:
            raise StuckError(e.name) from error


def known(value: Value) -> Number:
    if isinstance(value, Unseen):
        raise StuckError("unseen")
    return value


def _has_test(loop: Loop) -> bool:
    return any(isinstance(s, Evaluate) and s.control for s in loop.body)


def is_end_of(left: Statement | None, loop: Loop) -> bool:
    """Whether what left the body of a loop ends this loop, and nothing around it."""
    if isinstance(left, Exit):
        return left.leaves == loop.key
    return isinstance(left, Evaluate)


def symbols_of_loads(values: Iterator[Poly]) -> dict[Access, list[Symbol]]:
    """The symbols among the values that stand for what is read from memory."""
    found: dict[Access, list[Symbol]] = {}
    seen: set[Symbol] = set()
    pending = [s for value in values for s in value.symbols]
    while pending:
        s = pending.pop()
        if s in seen:
            continue
        seen.add(s)
        match s.origin:
            case Loaded(access=access):
                found.setdefault(access, []).append(s)
                pending += [t for i in access.subscripts for t in i.index.symbols]
            case Quotient(value=value) | Remainder(value=value):
                pending += value.symbols
            case _:
                pass
    return found


def is_unset(x: Object) -> bool:
    """Whether nobody knows what is in memory before the function stores to it."""
    base = root(x)
    return isinstance(base, Allocated) or (isinstance(base, Declared) and base.variable.scope == "local")


def _is_moved(x: Object) -> bool:
    """Whether a pointer on the way to the object may have been stored to."""
    while isinstance(x, Rows):
        if x.version:
            return True
        x = x.base
    return False


def _is_entry(s: Symbol) -> bool:
    match s.origin:
        case Entry(line=0, loops=()):
            return True
        case _:
            return False


def _nonzero(value: Value) -> bool:
    if isinstance(value, Unseen):
        raise StuckError("test of a pointer")
    return value != 0
