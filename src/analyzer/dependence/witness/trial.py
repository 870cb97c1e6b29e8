"""A machine that begins a loop anywhere in a function, and chooses as it goes what it reads.

*Decides*: how the first iterations of a loop go for *some* state in which the function may get to it. What is read for
the first time gets a value that makes the next condition turn out as wished: arguments, globals, memory that nothing in
view wrote before, what calls that are not seen return. Pointers are numbers, null among them; each leads to memory of
its own.
*Method*: the machine of `draws`, one branch after the other.
*Errs toward* `StuckError`: values that the function computed in a way that is not followed, null pointers that are
followed, memory of its own that it did not fill, and all that stops the machine but pointers and calls.

    for (p = list; p; p = p->next) if (p->key == key) break;      ->  leaves in iteration 1, with key = 3, p->key = 0, 3
"""

from collections.abc import Hashable
from functools import partial
from typing import Self

from msgspec import field
from msgspec.structs import replace

from ...ir import c_library as library
from ...ir.arithmetic import value_range
from ...ir.c_library import ALLOCATORS
from ...ir.conditions import Known, conjuncts
from ...ir.nodes import (
    Access,
    Address,
    Allocated,
    Anything,
    Assign,
    Branch,
    Call,
    Computed,
    Declared,
    Entry,
    Evaluate,
    Exit,
    Expression,
    Held,
    Literal,
    Load,
    Loaded,
    Loop,
    Object,
    Opaque,
    Operation,
    Rows,
    Statement,
    Use,
    Variable,
    unconverted,
    walk,
)
from ...ir.pointer_roots import root
from ...ir.polynomials import Symbol
from ...source.ctypes import CType, Floating, Integer, Pointer, Void
from .arithmetic import ImpossibleError, Number, StuckError, converted
from .blocks import Blocks
from .carried_values import CarriedValues
from .draws import APART, Computation, Draws
from .free_contents import inputs
from .free_inputs import is_free
from .loop_entry import LoopEntry
from .machine import SCALAR, Cell, Machine, known

MOST_INNER = 4
"""Iterations of a loop inside."""

INT = Integer("int", 4, True)

ORDERS = frozenset(("<", "<=", ">", ">="))

DEPEND_ON_TEXT = frozenset(
    (
        *("strcmp", "strncmp", "strcasecmp", "strncasecmp", "memcmp"),
        *("strchr", "strrchr", "memchr", "strstr"),
    )
)
"""Functions of the C library that give one thing or another, as memory says."""

SWAPPED = {"bswap16": 2, "bswap32": 4, "bswap64": 8}
"""Builtins that turn the bytes of a number round, and how many."""

CHARACTERS = {
    "isdigit": str.isdigit,
    "isalpha": str.isalpha,
    "isalnum": str.isalnum,
    "isspace": str.isspace,
    "isupper": str.isupper,
    "islower": str.islower,
    "isprint": str.isprintable,
}
"""What the C library asks of an ASCII character."""


class Trial(Draws, kw_only=True):
    """A run of the first iterations of a loop. `wished`: whether the iteration that runs is to leave the loop."""

    entry: LoopEntry
    wished: bool = False
    running: dict[int, int] = field(default_factory=dict)
    """The iterations of the loops that run, by their keys."""
    limit: int | None = None
    """Where the assignment before the loop stands of which the value is asked."""
    lost: dict[int, int] = field(default_factory=dict)
    """Variables of which a call that is not seen got the address after they were set, by their keys: which call."""
    stored: set[tuple[Object, str]] = field(default_factory=set)
    """Where pointers were stored."""
    objects: set[Object] = field(default_factory=set)
    """Accessed by their names."""
    calls: int = 0
    unseen_calls: list[tuple[int, Call]] = field(default_factory=list)
    """Those that nobody can look into, and how much memory had been touched before."""
    ordered: list[tuple[int, Call]] = field(default_factory=list)
    """The calls of which somebody sees the order, and in which iteration they were made."""
    reading: Access | None = None
    index: tuple[Expression, ...] = ()
    """What is evaluated to find the place that is read or stored to."""
    line: int = 0
    """Of the statement that runs."""
    blocks: Blocks = field(default_factory=Blocks)
    copied: set[Object] = field(default_factory=set)
    """Structures that were stored to as a whole, with what they hold not followed."""
    flow: CarriedValues = field(default_factory=CarriedValues)

    def copy(self) -> Self:
        """The run as it is, to go on from there in two ways."""
        held = {name: getattr(self, name) for name in self.__struct_fields__}
        own = {name: value.copy() for name, value in held.items() if isinstance(value, dict | set | list)}
        return replace(self, **own, blocks=self.blocks.copy(), flow=CarriedValues())

    # --- control

    def statement(self, statement: Statement, stop: int) -> Statement | None:
        self.line = statement.place.line
        if type(statement) is Assign:  # classes are compared: those that do not match cost more
            self.assign(statement)
        elif type(statement) is Branch:
            arm = statement.then if self.decide(statement.condition, self.wanted(statement)) else statement.otherwise
            certain = self.entry.ending(arm) if self.wished else None
            return self.run(arm, stop) if certain is None else certain
        elif type(statement) is Evaluate:
            if statement.control:
                return None if self.decide(statement.value, self.goes_on()) else statement
            self.evaluate(statement.value)
        elif type(statement) is Exit and statement.kind != "continue":
            return statement
        else:
            return Machine.statement(self, statement, stop)
        self.seen()
        return None

    def evaluate(self, e: Expression) -> None:
        """An expression of which nobody uses the value."""
        self.open_values.clear()
        for part in e.parts if isinstance(e, Opaque) and e.reason == "void" else (e,):
            self.value(part)

    def assign(self, statement: Assign) -> None:
        target = statement.target
        self.close(target)
        if isinstance(target, Variable):
            mark = len(self.fresh)
            value = converted(self.value(statement.value), target.type)
            chosen = tuple(self.fresh[mark:])
            self.flow.writes(target.key, self.line, partial(self.variable, target))  # the value may be made of that
            self.variables[target.key] = value
            self.lost.pop(target.key, None)
            self.pending.pop(target.key, None)
            self.seen()
            if chosen:
                self.keep_open(target, statement.value, chosen)
        elif not isinstance(target.type, SCALAR):
            self.index = statement.index
            cleared = isinstance(statement.value, Literal) and statement.value.value == 0
            self.blocks.store(self.where(target), target.size, cleared, self.memory)
            self.index = ()
            if not cleared:
                self.copied.add(target.object)
        else:
            found = converted(self.value(statement.value), target.type)
            for part in statement.index:
                if self.value(part) == 0 and isinstance(part.type, Pointer):
                    raise ImpossibleError("null pointer")
            self.index = statement.index
            self.store(target, found)
            if isinstance(target.type, Pointer):
                self.stored.add((target.object, target.field))

    def close(self, target: Variable | Access) -> None:
        """What was computed from a place that changes is not computed again."""
        for key, made in list(self.open_values.items()):
            if key == getattr(target, "key", None) or _is_any_of(made.inputs, target):
                del self.open_values[key]

    def keep_open(self, target: Variable, value: Expression, chosen: tuple[Hashable, ...]) -> None:
        """A variable got a value for which something was chosen: conditions may choose again."""
        read = unconverted(value)
        if isinstance(target.type, Floating) or not isinstance(read, Load | Call):
            made_of = tuple(inputs(value))
            if not _is_any_of(made_of, target):  # else it is not what it was computed from any more
                self.open_values[target.key] = Computation(value, target.type, chosen, made_of)
            return
        self.pending[target.key], self.types[target.key] = chosen[-1], target.type
        self.read_from.pop(target.key, None)
        if isinstance(read, Load):
            self.read_from[target.key] = read.access

    def loop(self, loop: Loop, stop: int) -> Statement | None:
        if all(isinstance(s, Evaluate) for s in loop.body):
            return None  # it sets nothing: the C library looks at a text
        try:
            return Machine.loop(self, loop, stop)
        finally:
            self.running.pop(loop.key, None)

    def iterate(self, loop: Loop, k: int, stop: int = 0) -> Statement | None:
        if k > self.most(loop):
            raise StuckError("too many iterations")
        self.running[loop.key] = k
        if loop.key == self.entry.loop.key:
            self.flow.begins(self.variables)
        return Machine.iterate(self, loop, k, stop)

    def most(self, loop: Loop) -> int:
        """Iterations of a loop that are run."""
        return MOST_INNER

    def may_hold(self, condition: Expression, holds: bool) -> bool:
        """Whether a condition can be met as the loop begins. Parts of it that nobody follows are taken to be as they
        have to be: nothing that they ask of is chosen otherwise."""
        return all(self._may_hold(part) for part in conjuncts(condition, holds))

    def _may_hold(self, part: Known) -> bool:
        try:
            return self.decide(part.expression, part.holds) == part.holds
        except StuckError:
            return self.steps >= 0

    def wanted(self, branch: Branch) -> bool:
        """Which way to go, so that the iteration leaves the loop or not, as wished."""
        then, otherwise = self.entry.leaves(branch.then), self.entry.leaves(branch.otherwise)
        if then != otherwise:
            return then == self.wished
        then, otherwise = self.entry.stops(branch.then), self.entry.stops(branch.otherwise)
        return self.draw.random() < 0.5 if then == otherwise else otherwise

    def goes_on(self) -> bool:
        """Whether the innermost loop is to have the iteration that begins."""
        key, k = next(reversed(self.running.items()))
        if key == self.entry.loop.key:
            return not self.wished or (self.entry.is_left and self.draw.random() < 0.7)
        return k == 0 or self.draw.random() < 0.3

    def variable(self, variable: Variable) -> Number:
        if self.limit is not None:
            return self.entered(variable)
        found = self.variables.get(variable.key)
        if variable.key in self.pending or variable.key in self.open_values:
            self.looked.add(variable.key)
        if variable.key in self.lost or (found is None and self.entry.is_given(variable)):
            return self.choose(("lost", variable.key, self.lost.get(variable.key, 0)), variable.type, False)
        return self.entered(variable) if found is None else found

    def entered(self, variable: Variable) -> Number:
        """The value with which the loop begins, or with which an assignment before it is made."""
        ways = self.entry.made(variable, self.limit)
        which = 0 if len(ways) < 2 else int(self.choose(("way", variable.key, self.limit), INT, True)) % len(ways)
        made = ways[which] if ways else None
        key = ("variable", variable.key, made and made.position)
        if made is None or key in self.chosen:
            return self.choose(key, variable.type, True)
        limit, self.limit = self.limit, made.position
        try:
            if not all(self.decide(condition, holds) == holds for condition, holds in made.wanted):
                raise StuckError(variable.name)
            found = self.chosen[key] = converted(self.value(made.value), variable.type)
        finally:
            self.limit = limit
        self.fresh.append(key)
        self.steady.add(key)
        self.kinds[key] = variable.type
        return found

    def used(self, e: Use) -> Number:
        variable = e.variable
        if not isinstance(variable.type, SCALAR):
            raise StuckError(variable.name)
        if variable.key not in self.variables and e.value is not None and variable.key not in self.lost:
            try:
                return self.in_range(self.poly(e.value), e.type)
            except StuckError:
                pass
        found = self.variable(variable)
        self.flow.reads(variable.key, self.line)
        if e.value is not None and isinstance(found, int):
            self.agree(e.value, found)
        return found

    def in_range(self, value: int, type_: CType) -> int:
        low, high = value_range(type_) if isinstance(type_, Integer) else (value, value)
        if not low <= value <= high:
            raise ImpossibleError("wraps")
        return value

    def symbol(self, s: Symbol) -> int:
        try:
            return Machine.symbol(self, s)
        except StuckError:
            self.steps -= 1
            if self.steps < 0:
                raise
            found = self.before(s)
            if not isinstance(found, int):
                raise
            return found

    def before(self, s: Symbol) -> Number | None:
        """What a symbol stands for that is made before the loop."""
        match s.origin:
            case Entry(variable=variable) if not self.entry.scope.varies(s) and self.entry.is_last(s.origin):
                return self.entered(variable)
            case Loaded(access=access) if not self.entry.scope.varies(s):
                return self.load(access)
            case Computed(given=True) if not self.entry.scope.varies(s):
                return self.choose(("computed", s), INT, True)
            case _:
                return None

    def is_known(self, s: Symbol) -> bool:
        try:
            Machine.symbol(self, s)
        except StuckError:
            return False
        return True

    # --- memory

    def load(self, access: Access) -> Number:
        self.reading = access
        try:
            if access.volatile and not access.atomic:
                return self.choose(("volatile", self.steps), access.type, False)  # another one each time
            return Machine.load(self, access)
        finally:
            self.index = ()

    def store(self, access: Access, value: Number) -> None:
        self.reading = access
        if access.bits is not None:
            value = int(value) & ((1 << access.bits[1] - getattr(access.type, "signed", False)) - 1)
        Machine.store(self, access, value)
        self.index = ()

    def read(self, cell: Cell, type_: CType, overwritten: bool) -> Number:
        found = self.memory.get(cell)
        if found is not None:
            return found
        if overwritten or self.blocks.holds(cell):
            return 0  # or what it was does not matter
        access = self.reading
        if access is None:
            raise StuckError(str(cell[0]))
        if not self.entry.is_open(access):
            found = self.entry.named.tabled(cell, type_)
            self.met += [found] if isinstance(type_, Floating) else []
            return found
        found = self.choose(("memory", cell), type_, self.entry.is_steady(access))
        if access.bits is not None and isinstance(type_, Integer):
            return int(found) & ((1 << access.bits[1] - type_.signed) - 1)
        return found

    def cell(self, access: Access) -> Cell:
        if access.volatile or access.atomic or not isinstance(access.type, SCALAR):
            raise StuckError(access.text)
        cell = self.where(access)
        if access.bits is None:
            self.reserve(cell, access.size)
        return cell

    def where(self, access: Access) -> Cell:
        """The place of an access, of whatever size."""
        if access.volatile or access.atomic:
            raise StuckError(access.text)
        x = access.object
        self.objects.add(x)
        if self.is_moved(x) or not self.objects.isdisjoint(self.entry.namesakes.get(x, ())):
            raise StuckError(access.text)
        rows, byte = self.instance(x), access.offset
        for s in access.subscripts:
            at = self.poly(s.index)
            if at < 0 and isinstance(x, Declared | Allocated):
                raise ImpossibleError(f"{access.text} is outside")
            if s.stride is None or s.row_pointer:
                rows.append(at)
            else:
                byte += at * self.poly(s.stride)
        if access.bits is not None:
            return (self.called(x), (*rows, -1, access.bits[0]), byte)
        if isinstance(x, Allocated):
            rows += [self.symbol(s) for s in x.loops]
        return (self.called(x), tuple(rows), byte)

    def called(self, x: Object) -> Object:
        """The object as it is told apart from others."""
        return x

    def instance(self, x: Object) -> list[int]:
        """Which memory a pointer leads to that the loop moves."""
        anew, base = self.entry.anew(x), root(x)
        if anew is not None:
            return [self.running.get(key, 0) for key in anew]
        match base:
            case Anything(pointer=Held(variable=variable)) if any(
                isinstance(e, Use) and e.variable == variable for part in self.index for e in walk(part)
            ):
                return [int(self.variable(variable))]
            case _:
                raise StuckError(str(x))

    def is_moved(self, x: Object) -> bool:
        """Whether a pointer on the way to the object was stored to."""
        while isinstance(x, Rows):
            member = (x.base, x.field)
            if x.base in self.copied or member in self.stored or (x.version and member in self.entry.written):
                return True
            x = x.base
        return False

    # --- expressions

    def value(self, e: Expression) -> Number:
        if type(e) is Load:
            return self.loaded(e)
        if type(e) is Address:
            at = tuple(self.value(part) for part in e.index)
            return self.choose(("address", e.object, e.type, at), Pointer(Void(), 8), True) or APART
        if type(e) is Operation and e.operator in ORDERS and isinstance(e.arguments[0].type, Pointer):
            return int(self.choose(("order", id(e), self.moment), INT, True) > 0)
        return known(Machine.value(self, e))

    def loaded(self, e: Load) -> Number:
        for part in e.index:
            mark = len(self.fresh)
            if self.value(part) == 0 and isinstance(part.type, Pointer):
                self.points(part, mark)
        self.steps -= 1
        self.index = e.index
        return self.load(e.access)

    def points(self, pointer: Expression, mark: int) -> None:
        """Makes a pointer that is null, and followed, lead somewhere, where nothing has looked at it before."""
        at = APART * self.draw.randrange(1, 1 << 20)
        match pointer:
            case Use(variable=variable) if variable.key in self.pending:
                self.variables[variable.key] = self.chosen[self.pending.pop(variable.key)] = at
            case _ if len(self.fresh) > mark:
                self.chosen[self.fresh[-1]] = at
            case _:
                raise ImpossibleError("null pointer")

    def noticed(self, e: Call) -> None:
        """A call is made of which somebody sees the order."""
        self.ordered.append((self.iteration, e))

    @property
    def moment(self) -> tuple[tuple[int, int], ...]:
        return tuple(self.running.items())

    def call(self, e: Call) -> Number:
        name, effect = e.name.removeprefix("__builtin_"), library.effect(e.name)
        if name in CHARACTERS and len(e.arguments) == 1:
            at = self.value(e.arguments[0])
            return int(isinstance(at, int) and 0 <= at < 128 and CHARACTERS[name](chr(at)))
        if name in SWAPPED:
            size = SWAPPED[name]
            return int.from_bytes((int(self.value(e.arguments[0])) % 256**size).to_bytes(size, "little"), "big")
        if name in DEPEND_ON_TEXT or e.name in ALLOCATORS:
            return self.choose(("call", id(e), self.moment), e.type, False)
        if e.closed and isinstance(e.type, Void):
            return 0  # what it stores is written out
        if effect is library.Effect.NO_RETURN:
            raise ImpossibleError(e.name)
        if e.closed:
            raise StuckError(e.name)
        if not is_free(e):
            return known(Machine.call(self, e))
        if effect is not None and effect.shows_order:
            self.noticed(e)
        if not e.known:
            self.unseen_calls.append((len(self.touched), e))
        for x in e.pointers:
            if isinstance(x, Declared) and isinstance(x.variable.type, SCALAR):
                self.calls += 1
                self.lost[x.variable.key] = self.calls
        return 0 if isinstance(e.type, Void) else self.choose(("call", id(e), self.moment), e.type, False)


def _is_any_of(read: tuple[Load | Use | Call, ...], target: Variable | Access) -> bool:
    """Whether one of the expressions may read what is stored there."""
    if type(target) is Access:
        return any(type(e) is Load and e.access.object == target.object for e in read)
    return any(type(e) is Use and e.variable == target for e in read)
