"""The state of lowering one function: scopes, what is known of each variable, and the statements made so far."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace
from pycparser import c_ast

from ..base.places import Place
from ..ir import arithmetic, formula_names
from ..ir.nodes import (
    Access,
    Anything,
    AtomicOperation,
    Communicator,
    Computed,
    Declared,
    Entry,
    Expression,
    Held,
    Loaded,
    Object,
    Origin,
    Pointee,
    Predicate,
    Quotient,
    Remainder,
    SetBy,
    SizeOf,
    Statement,
    StaysCall,
    Subscript,
    Variable,
    Wrap,
)
from ..ir.polynomials import Poly, Symbol, number, symbol
from ..ir.symbols import program
from ..source.ctypes import Array, Complex, CType, Floating, Integer, Pointer, Record, Unknown
from ..source.effective_types import Target
from ..source.unit import Definition, Unit
from .effort import Effort
from .error_flags import NO_FLAGS, Flags
from .later_addresses import LaterAddresses
from .literals import literal
from .lowering_scopes import Addressing, Collected, Scope, Under
from .reaching_definitions import Reaching
from .value_depth import Nesting
from .value_names import version
from .values import Address, ChosenReal, IntegerValue, OwnRows, Part, Real, Value

Slot: TypeAlias = tuple[Object, tuple[Subscript, ...], str, int]
"""A place in memory, as far as it can be told apart from others: object, subscripts, member and size."""


End: TypeAlias = tuple[Object, tuple[Subscript, ...]]
"""Where a pointer leads that came from outside: the object, and which of the pointers to it."""


def slot_of(access: Access) -> Slot:
    """Where an access reads."""
    return access.object, access.subscripts, access.field, access.size


class Typed(Struct, frozen=True):
    """A lowered C expression: what it evaluates, its C type, and its value where it is known."""

    expression: Expression
    type: CType
    value: Value | None = None
    predicate: Predicate | None = None
    """When it is a condition: what is known of it, right as long as `wraps` hold."""
    wraps: tuple[Wrap, ...] = ()
    real: Real | ChosenReal | None = None
    """When it is a `double` that is made of integers: of which."""
    within: tuple[Address, ...] = ()
    """When it is an integer that is made of pointers: of which. That of one, made a pointer again, leads into the same
    object (GCC manual, "Arrays and pointers implementation")."""
    compared: "tuple[Typed, ...]" = ()
    """When it is a comparison: of what."""


class Region(Struct):
    """A piece of code that a jump can end early: the body of a loop (`continue`), of a `switch` (`break`), of an
    inlined function or of the whole function (`return`)."""

    jump: str
    result: Variable | None = None
    left: bool = False
    """It is also left by a jump that is not followed."""


class Leaving(Struct, frozen=True):
    """What was known of the variables where a jump left the normal course of a loop."""

    loop: int | None
    kind: str
    values: "dict[int, Value | None]"


class Learned(Struct):
    """What lowering a loop has shown of it; a callee is lowered for each call, with variables of its own."""

    unstable: set[int] = field(default_factory=set)
    """Keys of variables whose value at the start of an iteration is not followed."""
    reached: set[int] = field(default_factory=set)
    """Keys of variables that it changes by way of pointers to them (`next(&p)`)."""
    names: set[str] = field(default_factory=set)
    """Names of variables that it turned out to lead elsewhere, for the next call."""
    moving: bool = False
    """Pointers in memory may be set in it while copies of the old ones are in use."""
    setting: bool = False
    """Pointers in memory may be set in it: where those lead that were set before is not known in it."""
    resetting: bool = False
    """The same, where calls get pointers from memory."""


class Context(Struct):
    """Mutable only while one function is lowered; nothing of it survives but the IR."""

    unit: Unit
    definition: Definition
    frames: list[list[dict[str, Variable]]] = field(default_factory=lambda: [[{}]])
    """Scopes of the function and of the calls being inlined: names are found in the last frame only."""
    values: dict[int, Value | None] = field(default_factory=dict)
    out: list[Statement] = field(default_factory=list)
    deferred: list[Statement] = field(default_factory=list)
    loops: list[int] = field(default_factory=list)
    counters: list[Symbol] = field(default_factory=list)
    supposing: bool = False
    """See `suppositions`."""
    called: bool = False
    """The function is lowered as a loop of a caller calls it."""
    unused: c_ast.Node | None = None
    """The expression that is lowered, or was, for nothing but its effects."""
    atomic: dict[c_ast.Node, AtomicOperation] = field(default_factory=dict)
    """The lvalues that atomic operations read and store to."""
    flags: Flags = NO_FLAGS
    """Those that stop a loop of the function itself after an error, where that is supposed."""
    not_followed: frozenset[int] = frozenset()
    """`id` of the calls that are supposed to be independent although their functions are seen."""
    statuses: frozenset[str] = frozenset()
    """See `status_variables`."""
    keeping: frozenset[int] = frozenset()
    """`id` of the jumps behind which a result of a call is kept (`kept_results`)."""
    failures: frozenset[int] = frozenset()
    """`id` of the jumps out of loops of the function itself that are supposed not to be reached."""
    innermost: bool = False
    """What is lowered stands in a loop that holds no other one."""
    regions: list[Region] = field(default_factory=list)
    ranges: dict[tuple[End, End, Poly], Symbol] = field(default_factory=dict)
    """Elements between two pointers of which one follows the other in the same object."""
    initialised: set[int] = field(default_factory=set)
    """Arrays and structures that are declared with a list of values, or a text, by their keys."""
    listed: dict[Variable, tuple[Expression, ...]] = field(default_factory=dict)
    """The values of those that are initialised by a plain list."""
    constants: dict[int, int] = field(default_factory=dict)
    """What constant integers that outlive their blocks hold, by their keys."""
    initial_pointers: list[tuple[Variable, Object | None]] = field(default_factory=list)
    """See `Function.initial`."""
    read_pointers: dict[End, str] = field(default_factory=dict)
    """Pointers that were read from memory, as the program has them."""
    unsteady: set[int] = field(default_factory=set)
    """Keys of loops in which pointers in memory may be set (`moving`)."""
    taken_to_stay: set[int] = field(default_factory=set)
    """Keys of loops in which calls get pointers from memory that are taken to stay as they are (`steady_arguments`)."""
    setting_pointers: set[int] = field(default_factory=set)
    """Keys of those in which pointers in memory may be set."""
    nesting: Nesting = field(default_factory=Nesting)
    guards: list[Predicate] = field(default_factory=list)
    """Conditions that hold here."""
    calls: list[str] = field(default_factory=list)
    called_at: Place | None = None
    """Where the program calls the function of a system header that is being inlined."""
    addressed: frozenset[str] = frozenset()
    later_addresses: LaterAddresses | None = None
    """Of the function itself."""
    unaddressed: frozenset[str] = frozenset()
    """Its variables of which no address has been taken yet."""
    behind_label: int = 0
    """The line of the last label to which control may come back."""
    within_loops: int = 0
    """The loops of the function itself around what is read, whatever becomes of them."""
    structures: frozenset[str] = frozenset()
    """See `syntax.structures`."""
    handed: Mapping[str, SetBy] = {}
    """Of the function itself; see `handed_pointers`."""
    released: frozenset[str] = frozenset()
    """Of the function itself; see `handed_pointers.only_released`."""
    lent: frozenset[str] = frozenset()
    """Of the function itself; see `lent_addresses`."""
    lent_keys: set[int] = field(default_factory=set)
    """The keys of those variables."""
    lasting: frozenset[str] = frozenset()
    """Of the function itself; see `lasting_pointers`."""
    own_names: frozenset[str] = frozenset()
    """What the function itself declares: globals of these names are hidden somewhere in it."""
    own_names_again: frozenset[str] = frozenset()
    """Those of them that it declares more than once."""
    index_names: frozenset[str] = frozenset()
    """Variables that only serve subscripts and loop control: computing them is address arithmetic."""
    row_names: frozenset[str] = frozenset()
    """Names by which another name is taken apart: `t % w`."""
    guesses: set[str] = field(default_factory=set)
    array_lengths: dict[int, Poly | None] = field(default_factory=dict)
    """Lengths as they were where they are declared, by `id` of the expression; None: of unknown value."""
    learned: dict[int, Learned] = field(default_factory=dict)
    """By `id` of a loop node."""
    calling_unseen: dict[tuple[str, int, bool], bool] = field(default_factory=dict)
    """Answers of `assigned.calls_unseen`, per function and number of calls above it."""
    labels: dict[str, Place] = field(default_factory=dict)
    entered: frozenset[str] = frozenset()
    """Labels inside a loop to which a `goto` outside of it jumps."""
    staying: dict[int, bool] = field(default_factory=dict)
    """By `id` of a `goto` that stays in a loop around it: whether it leaves another one (`syntax.jumps_that_stay`)."""
    given_functions: dict[int, list[str]] = field(default_factory=dict)
    """By key of a parameter of a function that is followed: the functions to which it may lead."""
    unchanged: dict[int, Value | None] = field(default_factory=dict)
    """By key of a parameter that nothing in the function changes: its value."""
    presumed: dict[int, dict[int, int]] = field(default_factory=dict)
    """Per loop: keys of globals that a store through a pointer is taken not to change, and the line of the store."""
    leavings: list[Leaving] = field(default_factory=list)
    communicators: dict[object, Communicator] = field(default_factory=dict)
    """Those of MPI that were met, by the value of the handle."""
    depth_of_address: int = 0
    in_test: bool = False
    """What is lowered is the test of a loop, which is evaluated once more than its body."""
    pointer_version: int = 0
    pointers_stored: dict[frozenset[Target], int] = field(default_factory=dict)
    """How often it went on with a pointer, by what that leads to (`pointer_versions`)."""
    inlined: int = 0
    effort: Effort = field(default_factory=Effort)
    temporaries: dict[int, Variable] = field(default_factory=dict)
    """Variables without a name: of no scope, but branches may give them different values."""
    getters: "dict[int, Address]" = field(default_factory=dict)
    """The pointers that calls are supposed to give in all iterations of a loop, by the `id` of the call
    (`repeated_getters`)."""
    unset: "dict[int, Value | None]" = field(default_factory=dict)
    """What variables of the function hold that are declared without a value, by their keys, as long as nothing has set
    them."""
    statics: dict[int | str, Variable] = field(default_factory=dict)
    """Variables that outlive their block, by the `id` of their declaration or, of `extern` ones, by name: there is one
    of each, however often the function that declares it is inlined."""
    named: dict[str, int] = field(default_factory=dict)
    """Names of variables that stand for one value or object in formulas, and the key of that."""
    last_loop: int = 0
    """The key of the last loop met: what was made before it may have been used in it."""
    keys: Iterator[int] = field(default_factory=lambda: count(1))
    globals: dict[str, Variable] = field(default_factory=dict)
    _literals: dict[tuple[str, str], tuple[int | float | None, CType]] = field(default_factory=dict)
    loaded_slots: dict[Slot, Symbol] = field(default_factory=dict)
    own_slots: dict[Slot, Symbol] = field(default_factory=dict)
    """The same of structures that only the function reaches (`own_members`)."""
    members: dict[int, dict[Part, int]] = field(default_factory=dict)
    """The keys in `values` of the members of such structures, by the keys of these."""
    own_elements: dict[tuple[int, int], IntegerValue | Address] = field(default_factory=dict)
    """What arrays hold that are only read, by the key of the variable and the subscript."""
    own_rows: dict[int, OwnRows] = field(default_factory=dict)
    """Where the elements of such arrays lead, whatever the subscript is."""
    member_keys: set[int] = field(default_factory=set)
    """Those, and the keys of pointers in memory: branches that leave other values behind leave none."""
    stored_pointers: dict[Slot, int] = field(default_factory=dict)
    """The keys in `values` of places in memory to which pointers were stored (`stored_pointers`)."""
    pointer_places: dict[int, Access] = field(default_factory=dict)
    """A store to each of these, by their keys."""
    pointer_stamps: dict[int, int] = field(default_factory=dict)
    """The `pointer_version` up to which each of them is known, by their keys."""
    kept_addresses: set[int] = field(default_factory=set)
    """Keys of the variables whose addresses were put into memory: pointers that are read there may lead to them."""
    members_addressed: frozenset[str] = frozenset()
    """Structures of which the function, or one that a call is in, takes the address of a member, by their names."""
    readings: list[Symbol] = field(default_factory=list)
    """All symbols for what is read from memory."""
    counts_on: bool = False
    """Whether something has grown in a loop by as much as that has iterations: max(0, n)."""
    reaching: Reaching = field(default_factory=Reaching)
    steady: dict[Slot, Symbol] = field(default_factory=dict)
    """What was read from memory before loops that leave it alone (`invariant_loads`)."""
    spared: dict[int, dict[Symbol, int]] = field(default_factory=dict)
    """Per loop: of those, what stores to other integers are presumed to spare, and the line of the first one."""
    compiled_calls: dict[int, dict[object, StaysCall]] = field(default_factory=dict)
    """Per loop: followed calls in it that stay calls in compiled code (`compiled_calls`)."""
    _on_entry: "dict[int, Value | None]" = field(default_factory=dict)
    _opaque_sizes: dict[str, Symbol] = field(default_factory=dict)
    quotients: dict[Origin, Symbol] = field(default_factory=dict)
    numbers: dict[int, Symbol] = field(default_factory=dict)

    @property
    def supposes(self) -> bool:
        """Whether something is supposed of the code that is being lowered: of a loop, and of what it calls."""
        return self.supposing and (self.called or bool(self.loops))

    @property
    def in_call(self) -> bool:
        """Whether that code is in a function which the loop calls."""
        return self.called or bool(self.calls)

    # --- names

    def key(self) -> int:
        return next(self.keys)

    def place(self, node: c_ast.Node) -> Place:
        """Where a node stands in the program; what a function of a system header does, is done where it is called."""
        return self.unit.place(node) if self.called_at is None else self.called_at

    def defines(self, function: str) -> bool:
        """Whether the unit has a function of this name, with its body."""
        return function in self.unit.definitions

    def lookup(self, name: str) -> Variable | None:
        for scope in reversed(self.frames[-1]):
            if name in scope:
                return scope[name]
        return self.of_file(name)

    def of_file(self, name: str) -> Variable | None:
        """The variable of this name that is declared outside of all functions."""
        if name in self.globals:
            return self.globals[name]
        if name in self.unit.globals_:
            return self._global(name, self.unit.globals_[name])
        return None

    def undeclared(self, name: str) -> Variable:
        """A name that only a missing header can define: taken for an integer that nothing here changes."""
        self.guesses.add(name)
        return self._global(name, replace(self.int_type, const=True))

    def _global(self, name: str, type_: CType) -> Variable:
        place, per_thread = self.definition.place, name in self.unit.per_thread
        hidden = name in self.unit.foreign or name in self.own_names
        type_ = self.computed_in(type_)
        by_name = name in self.unit.unaddressed and isinstance(type_, Integer | Floating | Pointer)
        variable = Variable(name, self.key(), type_, "global", place, True, (), per_thread, hidden, by_name=by_name)
        self.globals[name] = variable
        loops, self.loops = self.loops, []
        came_back = self.behind_label if isinstance(type_, Pointer) else 0  # what it led to on entry is passed
        self._on_entry[variable.key] = self.initial(variable, came_back)
        self.loops = loops
        named = filter(None, map(self.of_file, self.unit.initial.get(name, ())))
        self.initial_pointers += [(variable, Declared(other)) for other in named]
        return variable

    def known(self, variable: Variable, values: "dict[int, Value | None] | None" = None) -> Value | None:
        """What is known of a variable, now or in saved `values`: a global that was not touched has its value on entry,
        whenever it is first met."""
        return (self.values if values is None else values).get(variable.key, self._on_entry.get(variable.key))

    def declare(self, name: str, type_: CType, scope: str, place: Place, per_thread: bool = False) -> Variable:
        loops = tuple(self.loops) if scope == "local" else ()
        type_ = self.computed_in(type_)
        known = {"parameter": "parameter", "static": "static"}.get(scope, "local")
        addressed = name in self.addressed
        inlined = len(self.frames) > 1
        hidden = name in (self.own_names if inlined else self.own_names_again) or name in self.unit.globals_
        key = self.key()
        variable = Variable(name, key, type_, known, place, addressed, loops, per_thread, hidden, inlined)  # type: ignore[arg-type]
        if known == "local" and not inlined and isinstance(type_, Pointer) and name in self.released:
            variable = replace(variable, released=True)
        if known != "static" and not inlined and name in self.lent:
            self.lent_keys.add(key)
        self.frames[-1][-1][name] = variable
        return variable

    def computed_in(self, type_: CType) -> CType:
        """The type of a scalar: an undeclared one that is used as an integer is a wide one. (In memory its size stays
        unknown.)"""
        integral = isinstance(type_, Unknown) and type_.opaque and type_.name in self.unit.integral
        return arithmetic.integer(self.unit.abi, "long") if integral else type_

    def declare_static(
        self, identity: int | str, name: str, type_: CType, place: Place, per_thread: bool = False
    ) -> Variable:
        """A variable that outlives its block; what it holds is known to nobody."""
        again = identity in self.statics
        if not again:
            self.statics[identity] = self.declare(name, type_, "static", place, per_thread)
        variable = self.frames[-1][-1][name] = self.statics[identity]
        elsewhere = again or bool(self.calls) or bool(self.loops)  # it may hold what was stored in it since the start
        self.values[variable.key] = self.initial(variable, place.line if elsewhere else 0)
        return variable

    def lasting_value(self, variable: Variable) -> int | None:
        """What a constant integer holds that lives as long as the program."""
        if variable.scope == "global":
            return self.unit.values.get(variable.name)
        return self.constants.get(variable.key)

    def temporary(self, type_: CType, place: Place, of: str = "value") -> Variable:
        """A variable that the text does not have, for the value of a call or another expression: `of` says of which."""
        variable = Variable(f"{of}_{place.line}", self.key(), type_, "local", place, False, tuple(self.loops))
        self.temporaries[variable.key] = variable
        return variable

    @property
    def int_type(self) -> Integer:
        return arithmetic.integer(self.unit.abi, "int")

    def literal(self, node: c_ast.Constant) -> tuple[int | float | None, CType]:
        """Value and type of a constant; a string has no value."""
        written = node.type, node.value
        if written not in self._literals:
            self._literals[written] = literal(self.unit.abi, node)
        return self._literals[written]

    # --- symbols

    def new_symbol(self, name: str, origin: Origin, type_: CType | None = None) -> Symbol:
        low = high = None
        if isinstance(type_, Integer):
            low, high = arithmetic.value_range(type_)
        return self._kept(program(self.key(), name, origin, low, high))

    def _kept(self, made: Symbol) -> Symbol:
        return self.nesting.bounded(made, Computed(made.name, self.definition.place, tuple(self.loops)))

    def computed(
        self,
        reason: str,
        place: Place,
        type_: CType,
        given: bool = False,
        loops: "tuple[int, ...] | None" = None,
        of_data: bool = False,
        of_counts: bool = False,
    ) -> IntegerValue:
        """A value that is not followed; it may differ in every iteration of the loops around it, or of these."""
        within = tuple(self.loops) if loops is None else loops
        origin = Computed(reason, place, within, given=given, of_data=of_data, of_counts=of_counts)
        return IntegerValue(symbol(self.new_symbol(reason, origin, type_)))

    def initial(self, variable: Variable, line: int = 0, given: bool = False, falls: bool = False) -> Value | None:
        """The value of a variable of which nothing is known: a symbol of its own (`given`, `falls`: see `ir.Entry`)."""
        name = variable.name if not line else formula_names.version(variable.name, line)
        match variable.type:
            case Integer():
                origin = Entry(variable, line, tuple(self.loops), given, falls)
                made = self.new_symbol(name, origin, variable.type)
                if given:
                    made = replace(made, name=version(self, variable, line, made.number))
                return IntegerValue(symbol(made))
            case Pointer(target=target) if variable.scope in ("parameter", "global", "static") and not line:
                return self.start_of(Pointee(variable, variable.type.restrict), (), target)
            case Pointer(target=target):
                return self.start_of(Anything(name, self.key(), self.held_by(variable, line)), (), target)
            case _:
                return None

    def held_by(self, variable: Variable, line: int = 0) -> Held:
        """The value of a pointer that is not followed."""
        set_by: SetBy = ""
        if variable.scope == "local" and not variable.inlined:
            set_by = self.handed.get(variable.name, "")
        elif variable.scope == "static" and not variable.inlined and variable.name in self.lasting:
            set_by = "allocators"
        return Held(variable, line, set_by)

    def start_of(self, object_: Object, rows: tuple[Subscript, ...], target: CType) -> Address:
        """A pointer to the first element of memory that holds elements of type `target`."""
        stride = self.size_of(target) or number(1)
        subscript = Subscript(number(0), None, stride)
        return Address(object_, (*rows, subscript), target)

    def quotient(
        self, origin: Quotient | Remainder | Computed, name: str, between: tuple[int | None, int | None] = (None, None)
    ) -> Poly:
        """One symbol for one quotient or remainder, wherever it is computed."""
        if origin not in self.quotients:
            if isinstance(origin, Remainder) and origin.floor:
                between = 0, origin.divisor - 1
            self.quotients[origin] = self._kept(program(self.key(), name, origin, *between))
        return symbol(self.quotients[origin])

    def number(self, variable: Variable) -> Poly:
        """One symbol for the value of a variable of floating type that nothing changes."""
        if variable.key not in self.numbers:
            self.numbers[variable.key] = self.new_symbol(variable.name, Entry(variable))
        return symbol(self.numbers[variable.key])

    def loaded(self, access: Access, type_: CType | None = None, own: bool = False) -> IntegerValue:
        """The integer that an access reads, or (`type_`) that is made of what it reads: one symbol until something may
        have stored to that memory. `own`: it is in a structure that only the function reaches."""
        slot, slots = slot_of(access), self.own_slots if own else self.loaded_slots
        if slot not in slots or access.volatile:
            origin = Loaded(access, tuple(self.loops), self.reaching.before_loops(access))
            line = self.reaching.redefined(access)
            name = formula_names.version(access.text, line) if line else access.text
            made = slots[slot] = self.new_symbol(name, origin, type_ or access.type)
            self.readings += [made] if isinstance(made.origin, Loaded) else []
        return IntegerValue(symbol(slots[slot]), access.wraps)

    def forget_memory(self) -> None:
        """After a store, a call, or at the border of a loop: what was read from memory may have changed."""
        self.loaded_slots = dict(self.steady)

    @property
    def memory(self) -> dict[Slot, Symbol]:
        """What has been read from memory, and may not have changed since."""
        return dict(self.loaded_slots)

    def hold(self, symbols: Iterable[Symbol], known: dict[Slot, Symbol], around: dict[Slot, Symbol]) -> None:
        """What was read in a loop counts as read before it: it keeps the value that was `known` there, or gets one.
        Beside these only what is held `around` the loop is still known of memory."""
        self.steady = dict(around)
        for s in symbols:
            assert isinstance(s.origin, Loaded)
            known_there = s.origin.defined[: len(self.loops) + 1]
            slot, origin = slot_of(s.origin.access), replace(s.origin, loops=tuple(self.loops), defined=known_there)
            self.steady[slot] = known.get(slot) or program(self.key(), s.name, origin, s.low, s.high)
        self.forget_memory()

    def kept(self, symbols: Iterable[Symbol]) -> set[Symbol]:
        """What stands, while they are held, for values read from memory."""
        return {self.steady[slot_of(s.origin.access)] for s in symbols if isinstance(s.origin, Loaded)}

    def visible(self) -> list[Variable]:
        """All that is followed, by whatever name: variables of the function and of the calls it is in, globals, and
        `static` ones of calls."""
        named = [v for frame in self.frames for scope in frame for v in scope.values()]
        outside = [v for v in self.statics.values() if v not in named] if self.statics else []
        return [*named, *self.globals.values(), *outside]

    # --- sizes

    def size_of(self, type_: CType) -> Poly | None:
        """Bytes of a type; None for incomplete ones."""
        match type_:
            case Integer() | Floating() | Pointer():
                return number(type_.size)
            case Complex():
                return number(type_.size)
            case Unknown(size=int(size)):
                return number(size)
            case Unknown(name=name, opaque=True):
                return self._opaque_size(name)
            case Array(fixed_size=int(size)):
                return number(size)
            case Array(element=element, length=length):
                inner, extent = self.size_of(element), self.length_of(length)
                return inner * extent if inner is not None and extent is not None else None
            case Record(key=key):
                layout = self.unit.layouts.get(key)
                return number(layout.size) if layout else None
            case _:
                return None

    def _opaque_size(self, name: str) -> Poly:
        if name not in self._opaque_sizes:
            origin = Computed(f"sizeof({name})", Place(self.unit.path, 0, 0), (), SizeOf(name))
            self._opaque_sizes[name] = program(self.key(), origin.reason, origin, 1)
        return symbol(self._opaque_sizes[name])

    def length_of(self, length: "int | c_ast.Node | None") -> Poly | None:
        if length is None or isinstance(length, int):
            return None if length is None else number(length)
        if id(length) in self.array_lengths:
            return self.array_lengths[id(length)]
        value = self.unit.constant(length)
        return None if value is None else number(value)

    # --- building

    def collect(self) -> Collected:
        """Statements made inside go to a list of their own."""
        return Collected(self)

    def scope(self) -> Scope:
        """Names declared inside are forgotten at the end."""
        return Scope(self)

    def addressing(self) -> Addressing:
        """Arithmetic lowered inside is address arithmetic."""
        return Addressing(self)

    def under(self, guard: Predicate) -> Under:
        """Statements lowered inside only run where the condition holds."""
        return Under(self, guard)

    def flush(self) -> None:
        """Post-increments take effect at the sequence point."""
        if self.deferred:
            self.out.extend(self.deferred)
            self.deferred.clear()
