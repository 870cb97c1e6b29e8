"""The loop IR: what a function does to memory and scalars, loop by loop, as immutable values.

Grammar (a name in capitals is a terminal):

    Function   ::= name place Statement* Problem*
    Statement  ::= Assign | Evaluate | Branch | Loop | Exit | Refused
    Assign     ::= (Variable | Access) '=' Expression
    Evaluate   ::= Expression                              -- for its effects or its cost
    Branch     ::= Predicate Expression Statement* Statement*
    Loop       ::= counter trip Statement*                 -- test and update are in the body's statements
    Exit       ::= BREAK | CONTINUE | RETURN | GOTO
    Refused    ::= REASON                                  -- C that the IR cannot hold
    Expression ::= Literal | Use | Load | Operation | Choice | Call | Convert | Address | Opaque
    Access     ::= Object Subscript* field type            -- one element of one object
    Subscript  ::= index extent stride
    Object     ::= Declared | Pointee | Allocated | Rows | Text | Anything
    Predicate  ::= Compare | All | Any | Data

Every loop has a *counter* k = 0, 1, 2, ...; the values of loop variables, induction variables and walking pointers
are polynomials in the counters of the surrounding loops and in symbols (`Poly`), so `for (i = n; i > 0; i -= 2)`,
`while (i < n) { ...; i++; }` and `*p++` look alike. What is not such a polynomial is a symbol of its own with
its origin (`Loaded`, `Computed`). Scalars that are not used as subscripts or bounds stay variables.

A `for` or `while` body opens with its test, `Evaluate(control=True)`, which runs once more than the rest when the loop
ends by it; a `do` body ends with its test. An object whose address is used as a value (`Address`) has escaped: memory
behind `Anything` may be that object, and a store there may change an `addressed` variable.

This stays one module, long as it is: one vocabulary, of which every part is defined by the others.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from operator import attrgetter, is_
from typing import Literal as OneOf
from typing import TypeAlias, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from models.expr.nodes import remembered

from ..base.places import Place
from ..source.ctypes import CType, Unknown
from .polynomials import ZERO, Poly, Symbol, number, symbol
from .reasons import AssumptionKind, ReasonCode

# --- variables and objects


class Variable(Struct, frozen=True, cache_hash=True):
    """A declared name. `key` tells same-named variables apart; `addressed`: its address is taken somewhere."""

    name: str
    key: int
    type: CType
    scope: OneOf["parameter", "local", "static", "global"]
    place: Place
    addressed: bool = False
    loops: tuple[int, ...] = ()
    """Keys of the loops around a local's declaration: a new object in each of their iterations (not for `static`)."""
    per_thread: bool = False
    """`_Thread_local`: every thread has an object of its own."""
    hidden: bool = False
    """In the function around the loops its name may mean another variable, or none: a global of whose name the function
    has one of its own, or that only another file declares; a local of whose name there is more than one."""
    inlined: bool = False
    """A function that was inlined declares it."""
    by_name: bool = False
    """A scalar of the file whose address nothing takes: its functions may set it, but no store through a pointer."""
    released: bool = False
    """A pointer of which only functions get the address that release memory by their names, and leave null in it."""


class Declared(Struct, frozen=True, cache_hash=True):
    """The storage of a declared array, struct or (addressed) scalar: distinct from every other declared one."""

    variable: Variable

    def __str__(self) -> str:
        return self.variable.name


class Pointee(Struct, frozen=True, cache_hash=True):
    """What a pointer parameter or global pointer pointed to when the function was entered."""

    variable: Variable
    restrict: bool = False

    def __str__(self) -> str:
        return self.variable.name


class Allocated(Struct, frozen=True, cache_hash=True):
    """Fresh memory from malloc, calloc, alloca ... : distinct from all memory that existed before the call.
    `loops`: counters of the loops around the call (a call inside a loop returns a new object per iteration)."""

    call: str
    place: Place
    loops: tuple[Symbol, ...] = ()
    key: int = 0
    """Tells two evaluations of one call apart: a function that allocates, inlined twice."""
    name: str = ""
    """The first variable that the pointer is assigned to; only for people."""
    depth: int = 0
    """How many calls deep that variable is, the function itself counting as one."""
    size: Poly | None = None
    """In bytes, where that is known and the same for all loops of the function: nothing is accessed beyond."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Allocated) and (self.key, self.place, self.loops) == (
            other.key,
            other.place,
            other.loops,
        )

    def __hash__(self) -> int:
        return hash((self.key, self.place))

    def __str__(self) -> str:
        return self.name or f"{self.call}@{self.place.line}"


class Rows(Struct, frozen=True, cache_hash=True, dict=True):
    """What the pointers stored in `base` (at member path `field`, '' for an array of pointers) point to.

    The leading subscripts of an access to `Rows` select the pointer inside `base`, the rest the element behind it:
    `A[i][j]` with `double **A` is `Rows(Pointee(A))` with subscripts i, j, of which `depth` = 1 select the pointer;
    `s->a[i]` is `Rows(Pointee(s), '.a')`, subscripts 0, i. `version` changes when the pointer may have been stored to.
    """

    base: "Object"
    field: str
    depth: int
    version: int = 0
    restrict: bool = False

    def __str__(self) -> str:
        return f"{self.base}{self.field}" if self.field else f"{self.base}[]"


class Text(Struct, frozen=True):
    """A string literal."""

    place: Place

    def __str__(self) -> str:
        return "string"


SetBy: TypeAlias = OneOf["", "calls", "allocators"]
"""Who sets a pointer variable: nothing but calls that get its address, all of them to allocators perhaps."""


class Held(Struct, frozen=True, cache_hash=True):
    """The value of a pointer variable, where it is not followed: from a line on; 0: where the function, a loop or what
    follows a branch begins."""

    variable: Variable
    line: int = 0
    set_by: SetBy = ""


class Returned(Struct, frozen=True, cache_hash=True):
    """The value of a call that is not seen. `function`: the name of the function, or of the member that leads to it."""

    function: str
    place: Place
    in_all_iterations: bool = False
    """It is supposed to be the same in all iterations of a loop."""


class Anything(Struct, frozen=True, cache_hash=True):
    """Memory behind a pointer of unknown origin: it may be any object whose address has escaped. `text`: the pointer,
    for people."""

    text: str
    key: int
    pointer: Held | Returned | None = None
    """Where the pointer comes from, as far as that is known."""

    def __str__(self) -> str:
        return self.text


Object: TypeAlias = Declared | Pointee | Allocated | Rows | Text | Anything


class Subscript(Struct, frozen=True, cache_hash=True):
    """One dimension of an access: `index` in units of `stride` bytes; `extent` the declared length, if declared.
    `row_pointer`: this dimension selects a pointer that is followed, so rows need not be contiguous.
    `stride` is None for such a dimension."""

    index: Poly
    extent: Poly | None
    stride: Poly | None
    row_pointer: bool = False


class Wrap(Struct, frozen=True):
    """Integer arithmetic whose result was taken without the modulo of its C type: true only while
    0 <= value <= high (unsigned) or low <= value <= high. `explicit`: a cast or assignment narrows on purpose. `text`:
    the arithmetic as the program has it; empty where it has none, and the value is written in C, as a `type`."""

    value: Poly
    low: int
    high: int
    text: str
    place: Place
    explicit: bool = False
    type: str = ""


class Structure(Struct, frozen=True, cache_hash=True):
    """A type of structure, and those that it `holds`, by their keys: itself, and what its members are. `shares`: some
    members share bytes, as those of unions do."""

    key: str
    holds: frozenset[str]
    shares: bool = False

    def may_be_part(self, other: "Structure") -> bool:
        """Whether one of the two is the other, or holds it."""
        return self.key in other.holds or other.key in self.holds


class Access(Struct, frozen=True, cache_hash=True):
    """One evaluated reference to memory. `size` in bytes, `offset` the byte offset of `field` within the element.
    `wraps`: conditions under which the subscripts are right; `volatile` accesses keep their order."""

    object: Object
    subscripts: tuple[Subscript, ...]
    field: str
    offset: int
    type: CType
    size: int
    text: str
    place: Place
    wraps: tuple[Wrap, ...] = ()
    volatile: bool = False
    atomic: bool = False
    bits: tuple[int, int] | None = None
    """Bit-field: first bit and width within the storage unit; stores to it read the unit as well."""
    restricted: tuple[Variable, ...] = ()
    """Pointers declared `restrict` inside of the function that it is based on, and in whose block it stands."""
    structure: Structure | None = None
    """Of the element in which `field` is."""


# --- where symbols come from


class Counter(Struct, frozen=True):
    """The iteration counter of the loop with this key."""

    loop: int


class Entry(Struct, frozen=True):
    """The value a variable had when the function was entered (or after a statement that redefined it unknowably)."""

    variable: Variable
    line: int = 0
    loops: tuple[int, ...] = ()
    """Keys of the loops inside which this version was made: it may differ in each of their iterations."""
    given: bool = False
    """A call that is not seen gave it: it may be any value."""
    falls: bool = False
    """The program itself takes something away from it, so that it is no size, which is >= 0."""


class Loaded(Struct, frozen=True, cache_hash=True):
    """The value that `access` reads at one point of the program, inside the loops with these keys. It changes with
    an iteration when a counter occurs in the subscripts or when the loop may store to the memory read."""

    access: Access
    loops: tuple[int, ...] = ()
    defined: tuple[int, ...] = ()
    """What may have changed the place last (`loops.reaching_definitions`), before each of these loops and before it was
    read."""

    def defined_before(self, loop: int) -> int:
        """What may have changed the place last, before that loop or, where it was read before it, until then."""
        at = self.loops.index(loop) if loop in self.loops else -1
        return self.defined[at] if self.defined else 0


class Steps(Struct, frozen=True):
    """max(0, ceil(distance / width)) for an invariant width >= 1: how many steps of a symbolic width a loop makes."""

    distance: Poly
    width: Poly


class Outermost(Struct, frozen=True):
    """The larger (`max`) or smaller (`min`) of two values: `i < 2 ? 0 : i - 2` is max(0, i - 2)."""

    kind: OneOf["max", "min"]
    values: tuple[Poly, Poly]


class Passed(Struct, frozen=True):
    """How many iterations a loop has made that is left where its test fails, or before: 0 .. max(0, most)."""

    most: Poly


class Kept(Struct, frozen=True):
    """What a variable holds that some iterations of a loop set: what it held before, or a value between these ends."""

    before: Poly
    least: Poly
    most: Poly


class Share(Struct, frozen=True):
    """`value / divisor` of values that are >= 0 and >= 1: the part of `n` that one of P processes has; the row of an
    element of which only the number in the whole is known."""

    value: Poly
    divisor: Poly


class Rest(Struct, frozen=True):
    """`value % divisor` of values that are >= 0 and >= 1: 0 .. divisor - 1."""

    value: Poly
    divisor: Poly


class TriangleRow(Struct, frozen=True):
    """The row of an element of a packed triangle, with rows of 1, 2, 3, ... elements; `value` >= 0 is its number."""

    value: Poly


class TrianglePlace(Struct, frozen=True):
    """Its place in that row: 0 .. row."""

    value: Poly


class Flipped(Struct, frozen=True):
    """`value ^ divisor`: which of the two partners the other one is, is the same for both. (The second operand has the
    name that it has in `Share`.)"""

    value: Poly
    divisor: Poly


class Power(Struct, frozen=True):
    """2 to the power of `value`, which is >= 0, in a type of so many bits: `1 << k`."""

    value: Poly
    bits: int


class SizeOf(Struct, frozen=True):
    """`sizeof(type)` of a type that nothing declares: a number >= 1."""

    type: str


class OfFloating(Struct, frozen=True):
    """An integer made of a floating-point number. `terms` are what that is made of in postfix order."""

    terms: tuple[Poly | float | str, ...]

    @property
    def operands(self) -> tuple[Poly, ...]:
        return tuple(t for t in self.terms if isinstance(t, Poly))

    def of(self, image: "Callable[[Poly], Poly]") -> "OfFloating":
        """With other operands; the same value where they all stay."""
        terms = tuple(image(t) if isinstance(t, Poly) else t for t in self.terms)
        return self if all(map(is_, terms, self.terms)) else replace(self, terms=terms)


class Scaled(OfFloating, frozen=True):
    """An integer times and divided by others in `double`, and truncated: `(long)(t * (double)n / nt)`. `terms` are the
    operands and the operators `*` and `/` (`t n * nt /`), operands as they are before they become `double`."""


class Rounded(OfFloating, frozen=True):
    """One of which no more is known than what it is made of: numbers, and values that are read or given, with
    operators, types and functions."""


class Either(Struct, frozen=True):
    """One of two values. `pointer`: where the first of them is the one unless this pointer is null; `decided`: where it
    is the one that this holds for. For other choices the values are as they were written before the loops around were
    understood (placeholders stay in them)."""

    values: tuple[Poly, Poly]
    pointer: "Load | Use | None" = None
    decided: "Compare | None" = None


Divided: TypeAlias = Share | Rest | TriangleRow | TrianglePlace
"""A row, or the place in it, of the element of a matrix or a triangle with a number."""
Meaning: TypeAlias = Steps | Outermost | Passed | Kept | Divided | Flipped | Power | Scaled | Rounded | SizeOf | Either


class Computed(Struct, frozen=True):
    """An integer the IR does not follow further (a call, a merged value ...), made inside the loops with these keys:
    it may differ in each of their iterations. `meaning`: what it is, for those who can make use of it. `given`: a call
    that is not seen returned it, so that it may be any value. `falls`: the program itself takes something away from
    it, so that it is no size, which is >= 0. `of_data`: an operation on what is read from memory: `key[i] >> shift`;
    `of_counts`: one on what loops count: `i ^ 5`."""

    reason: str
    place: Place
    loops: tuple[int, ...] = ()
    meaning: Meaning | None = None
    given: bool = False
    falls: bool = False
    of_data: bool = False
    of_counts: bool = False


class Quotient(Struct, frozen=True, cache_hash=True):
    """C's `value / divisor` (truncating) for a constant divisor > 0; floor when `floor` (an arithmetic shift)."""

    value: Poly
    divisor: int
    floor: bool = False


class Remainder(Struct, frozen=True, cache_hash=True):
    """C's `value % divisor` (sign of the dividend); `& (2^k - 1)` and unsigned wrap set `floor`: 0 .. divisor - 1."""

    value: Poly
    divisor: int
    floor: bool = False


Origin: TypeAlias = Counter | Entry | Loaded | Computed | Quotient | Remainder


def meaning_of(s: Symbol) -> Meaning | None:
    """What is known of how a value is computed. Example: a `Share` for n / p."""
    return s.origin.meaning if isinstance(s.origin, Computed) else None


# --- expressions


class Literal(Struct, frozen=True):
    value: int | float
    type: CType


MemoryOrder: TypeAlias = OneOf["relaxed", "acquire", "release", "acq_rel", "seq_cst"]


class AtomicOperation(Struct, frozen=True):
    """What no other thread comes between: the read of a place, the store to it, or both. `number` tells it apart."""

    number: int
    order: MemoryOrder


class Use(Struct, frozen=True):
    """The value of a scalar variable; `value` when it is a polynomial known here. `within`: what reads it, if that is
    an atomic operation."""

    variable: Variable
    type: CType
    value: Poly | None = None
    within: AtomicOperation | None = None


class Load(Struct, frozen=True):
    """A read of memory. `index` holds the expressions inside its subscripts (so that `a[b[i]]` shows its load of b).
    `within`: what does it, if that is an atomic operation."""

    access: Access
    index: tuple["Expression", ...] = ()
    within: AtomicOperation | None = None

    @property
    def type(self) -> CType:
        return self.access.type


class Operation(Struct, frozen=True):
    """An arithmetic, bitwise, comparison or logical operator (`+ - * / % << >> & | ^ ~ ! < <= > >= == !=`, `neg`).

    `type` is the type in which it is evaluated (C's usual conversions done; for comparisons the operands' type).
    `address`: it only computes subscripts, loop control or addresses, so it is not counted as data arithmetic."""

    operator: str
    type: CType
    arguments: tuple["Expression", ...]
    place: Place
    address: bool = False


class Choice(Struct, frozen=True):
    """`c ? a : b`, and `a && b`, `a || b` as `a ? b : 0`, `a ? 1 : b` (operator names which)."""

    operator: OneOf["?:", "&&", "||"]
    condition: "Expression"
    predicate: "Predicate"
    then: "Expression"
    otherwise: "Expression"
    type: CType
    place: Place


class Communicator(Struct, frozen=True):
    """A group of MPI processes: how many there are, and which of them this one is. `split`: the communicator that
    MPI_Comm_split made it from, with colour and key."""

    name: str
    size: Symbol
    rank: Symbol
    split: "tuple[Communicator, Poly, Poly] | None" = None


Known: TypeAlias = Poly | Object | Communicator | None


class Call(Struct, frozen=True):
    """A call that was not inlined. `pointers`: the objects its pointer arguments lead to. `known`: a library function
    of the table, which touches no memory but what its table entry says; unknown calls may do anything, but for `closed`
    ones, which do nothing and whose result depends on the arguments alone. `values`: of a call to MPI, what is known of
    each argument."""

    name: str
    arguments: tuple["Expression", ...]
    type: CType
    place: Place
    pointers: tuple[Object, ...] = ()
    known: bool = False
    unseen: str = ""
    """Why what an unknown call does is not seen, in words."""
    closed: bool = False
    values: tuple[Known, ...] = ()
    made: Allocated | None = None
    """The memory that it returns."""
    given: tuple[Access, ...] = ()
    """What an unknown call may set: integers in memory of which it gets the addresses (`grow(&s->n)`), and, of a call
    to MPI, all objects that it receives into."""
    loops: bool = False
    """Whether it leads to a loop, as far as the functions that it leads to are visible."""
    supposed: AssumptionKind | None = None
    """What is supposed of it: that it does nothing but give a value (`pure`), or nothing that another iteration could
    tell (`independent`)."""
    reads_own: bool = False
    """A function that may be pure gets an address which differs between iterations: it may read what this one writes,
    so that it is only supposed to be independent."""
    read_only: tuple[Object, ...] = ()
    """Those of the objects that it gets through pointers to `const` alone."""
    foreign: bool = False
    """No file of the run holds the code of what is called."""
    changed: tuple[int, ...] = ()
    """The numbers of its arguments behind which its code stores to a place that nothing else decides (`list->n++`)."""

    @property
    def gives_a_value_alone(self) -> bool:
        """Whether it does no more than its table entry says, or than to give a value: it is neither unknown, nor
        supposed to change what belongs to its iteration."""
        return self.known or (self.closed and self.supposed is not AssumptionKind.INDEPENDENT)


class Convert(Struct, frozen=True):
    """A conversion between arithmetic types, `written` as a cast or implied."""

    type: CType
    argument: "Expression"
    written: bool = False


class Address(Struct, frozen=True):
    """`&x`, an array or a pointer used as a value."""

    object: Object | None
    type: CType
    index: tuple["Expression", ...] = ()


class Opaque(Struct, frozen=True):
    """An expression the IR cannot hold, with the parts of it that it can."""

    reason: str
    type: CType
    parts: tuple["Expression", ...] = ()


Expression: TypeAlias = Literal | Use | Load | Operation | Choice | Call | Convert | Address | Opaque

# --- predicates: what is known of a condition, as affine as it comes


class Compare(Struct, frozen=True):
    """`value >= 0`, `value == 0` or `value != 0`. `modulus`: in the test of a loop, of an equality of unsigned
    operands, which is one modulo 2^w."""

    value: Poly
    relation: OneOf[">=", "==", "!="]
    modulus: int = 0


class All(Struct, frozen=True):
    parts: tuple["Predicate", ...]


class Any(Struct, frozen=True):
    parts: tuple["Predicate", ...]


class Data(Struct, frozen=True):
    """A condition that depends on data: nothing is known of it, nor of its negation."""


Predicate: TypeAlias = Compare | All | Any | Data

# --- statements


class Leads(Struct, frozen=True):
    """A pointer `by` bytes behind the start of `object`; `rows` select the pointers that are followed to get there."""

    object: Object
    rows: tuple[Subscript, ...]
    by: Poly


class Assign(Struct, frozen=True, dict=True):
    """`target = value`. For a memory target `index` holds the expressions of its subscripts. A compound assignment is
    written out (`a[i] += x` loads a[i]); `compound` is its operator then. `induction`: this is an update of a variable
    that the loop's counter replaces (`i++`, `p += 4`), not data. `selects`: it keeps the selector of a `switch`.
    `leads`: of a pointer stored in memory, where it leads, if known. `within`: what does it, if that is an atomic
    operation."""

    target: Variable | Access
    value: Expression
    place: Place
    text: str
    index: tuple[Expression, ...] = ()
    compound: str = ""
    induction: bool = False
    selects: bool = False
    leads: Leads | None = None
    within: AtomicOperation | None = None


class Evaluate(Struct, frozen=True, dict=True):
    """An expression evaluated for its effects, its loads or its control over a loop (`control`). `addressing`: a part
    of where, or how much, a function of the C library reads or stores: those accesses stand beside it."""

    value: Expression
    place: Place
    text: str
    control: bool = False
    addressing: bool = False


class Branch(Struct, frozen=True, dict=True):
    condition: Expression
    predicate: Predicate
    then: tuple["Statement", ...]
    otherwise: tuple["Statement", ...]
    place: Place
    text: str
    supposed: AssumptionKind | None = None
    """What it does where the condition holds was left out, as that is supposed not to happen: an error path (`cold`),
    or what leaves the loop (`no-exit`)."""


class Exit(Struct, frozen=True, dict=True):
    """`leaves`: key of the loop it ends (None: leaves the function). A `continue` of a loop is written as a branch
    around the rest of the body where possible; where not, it is an Exit of kind `continue`. `by_goto`: a `goto` of the
    source, to what a `break` would lead to."""

    kind: OneOf["break", "continue", "return", "goto"]
    leaves: int | None
    place: Place
    by_goto: bool = False

    @property
    def written(self) -> str:
        """The word that stands in the source."""
        return "goto" if self.by_goto else self.kind


class Refused(Struct, frozen=True, dict=True):
    """C that the IR does not hold, and why."""

    code: ReasonCode
    message: str
    place: Place


class Ratio(Struct, frozen=True):
    """ceil(numerator / denominator), denominator >= 1: one bound on the number of iterations."""

    numerator: Poly
    denominator: int = 1

    @property
    def constant(self) -> int | None:
        """The number that it is; None where it depends on symbols."""
        numerator = self.numerator.constant
        return None if numerator is None else -(-numerator // self.denominator)

    @property
    def steps(self) -> "Steps | None":
        """What the numerator stands for where the loop moves by a symbolic width."""
        match [s.origin for s in self.numerator.symbols if self.numerator == symbol(s)]:
            case [Computed(meaning=Steps() as steps)]:
                return steps
            case _:
                return None

    def beyond(self, iterations: int) -> "tuple[Poly, ...]":
        """What is >= 0 where the bound allows more than so many iterations."""
        steps = self.steps
        moved = () if steps is None else (steps.distance - steps.width * iterations - 1,)
        return (self.numerator - self.denominator * iterations - 1, *moved)


class Induction(Struct, frozen=True):
    """A variable whose value at the start of iteration k is start + step * k (`step` free of this loop's counter).
    `start` is None for pointers; their steps count units of `stride` bytes. `tested`: what the test of the loop adds to
    it before the body (`while (n-- > 0)`: -1); None where that is not known."""

    variable: Variable
    start: Poly | None
    step: Poly
    tested: Poly | None = ZERO
    stride: Poly | None = None


class Recurrence(Struct, frozen=True):
    """A variable that every iteration changes in the same way, so that its value v in iteration k follows from k and
    its `start`. Its values come back: `from`: v = by - v; `flip`: v = v ^ by; `negative`: v = -v, of floating type;
    `modulo` and `mask`: v = (v + by) % divisor, whose sign is that of the sum, and modulo a power of 2. Or they run
    out: `left`: v = v << by; `right`: v = v >> by; `part`: v = v / 2^by, of a signed type. `even`: of floating type,
    `numbers` are its start and step, and nothing is rounded. `growing`: v = v + by + more*k."""

    variable: Variable
    kind: OneOf["from", "flip", "negative", "modulo", "mask", "left", "right", "part", "even", "growing"]
    start: Poly | None
    by: Poly | None
    divisor: Poly | None
    numbers: tuple[float, float] | None = None
    more: Poly | None = None


class StaysCall(Struct, frozen=True):
    """A call that is followed here, and that compilers leave as one."""

    name: str
    place: Place


class Loop(Struct, frozen=True, dict=True):
    """A loop. `trip`: number of iterations is max(0, min of the ratios); None: not known on entry.
    `exact_trip`: no exit from the body can make it smaller. `first`/`last`: value of `variable` entering the body
    first and last (inclusive), `step` signed; None where unknown. `inlined`: it is listed in the callee it belongs to.
    `macro`/`macro_line`: made by the expansion of a macro."""

    key: int
    counter: Symbol
    kind: OneOf["for", "while", "do"]
    place: Place
    end_line: int
    trip: tuple[Ratio, ...] | None
    exact_trip: bool
    variable: str | None
    first: Poly | None
    last: Poly | None
    step: Poly | None
    body: tuple["Statement", ...]
    inductions: tuple[Induction, ...] = ()
    recurrences: tuple[Recurrence, ...] = ()
    wraps: tuple[Wrap, ...] = ()
    pragmas: tuple[tuple[int, str], ...] = ()
    macro: str | None = None
    macro_line: int = 0
    inlined: bool = False
    presumed: tuple[tuple[str, int], ...] = ()
    """Variables in bounds and subscripts that a store through a pointer or a call (at this line) is taken not to
    change."""
    at_least: int = 0
    """The body runs at least this often, whatever the ratios say: 1 for `do`."""
    held: tuple[tuple[Poly, Variable], ...] = ()
    """What integer variables hold before the loop begins, where the loop names them and that is no number."""
    members: tuple[tuple[Poly, str], ...] = ()
    """What members of structures that only the function reaches hold there, by their texts in C."""
    pointers: tuple[Variable, ...] = ()
    """Pointer variables from outside that the loop names, without their types, which may have no value of their own."""
    independent: str = ""
    """The user said so, in these words: `// analyze: independent columns are distinct`; empty if not."""
    said_by: str = ""
    """Where the user said that, for messages: `// analyze: independent`, `#pragma omp parallel for`."""
    holding: tuple[str, ...] = ()
    """The conditions of which the user says that they hold here: `injective(place)`."""
    compiled_calls: tuple[StaysCall, ...] = ()
    """In its body, but in no other loop of it."""
    tested: tuple[Compare, ...] = ()
    """Where `trip` is not known: comparisons (`>=`) of its test that hold when its body begins."""


def stands_in(loop: Loop, part: "Access | Statement") -> bool:
    """Whether an access, or a statement, stands in the text of a loop, not in that of a function that it calls:
    names in its own text are those of the function around the loop."""
    return part.place.path == loop.place.path and loop.place.line <= part.place.line <= loop.end_line


Statement: TypeAlias = Assign | Evaluate | Branch | Loop | Exit | Refused


class ThreadState(StrEnum):
    """What the C library keeps for each thread."""

    ERRNO = "`errno`"
    ENVIRONMENT = "the floating-point environment"
    LOCALE = "the locale"


class StateOfThread(Struct, frozen=True):
    """That a line sets a state, or looks at it, outside of the `loop` that stands there. `calls`: the loop calls
    functions, which may depend on it or change it."""

    state: ThreadState
    line: int
    loop: Place
    calls: bool


class SharedArray(Struct, frozen=True):
    """Two pointers that the file leads into one array, `second` so many elements `behind` where `first` leads; or one,
    and that array itself. Parameters, which a call leads there, or by name what assignments lead there: variables of
    the program and, with a dot in front, members of structures. `element`: the bytes of one element, 0 where
    these are not known."""

    first: Variable | str
    second: Variable | str
    behind: int
    line: int
    element: int

    @property
    def names(self) -> tuple[str, str]:
        first, second = (x.lstrip(".") if isinstance(x, str) else x.name for x in (self.first, self.second))
        return first, second

    @property
    def is_made_by_call(self) -> bool:
        return not isinstance(self.first, str)


class Function(Struct, frozen=True, dict=True):
    """A lowered function. `complete`: every statement is in `body` (no Refused among them).
    `results`: objects and variables that are live when it returns are everything but its own locals."""

    name: str
    place: Place
    body: tuple[Statement, ...]
    parameters: tuple[Variable, ...]
    complete: bool
    guesses: tuple[str, ...] = ()
    ranges: tuple[tuple[Object, Object], ...] = ()
    """Pointers that are compared or subtracted, so that both lead into one object: `while (p < q) *p++ = 0`."""
    initial: tuple[tuple[Variable, Object | None], ...] = ()
    """Where the pointers in the initialisers of arrays, of structures, and of what outlives the function lead (`double
    *rows[] = {a, b}`); None: that is not known."""
    supposing: bool = False
    """It was lowered for answers under conditions: `Call.supposed`, `Branch.supposed`."""
    parts: Mapping[str, frozenset[CType]] = field(default_factory=dict)
    """By the keys of the structures that it copies as a whole, the types of the scalars in them."""
    plain: frozenset[str] = frozenset()
    """Those of these structures that hold no pointer, and undeclared types that are numbers."""
    tables: tuple[tuple[Variable, tuple[int | float, ...]], ...] = ()
    """The constant tables of integers that it reads, the arrays of numbers of its own that nothing changes, and what
    they hold; elements that are not listed hold 0."""
    initialised: frozenset[int] = frozenset()
    """Its arrays and structures that are declared with a list of values, or a text, by their keys."""
    conditional: bool = False
    """Its loops are asked for answers under conditions of memory (`distinct(a,b)`), with nothing supposed of calls and
    branches."""
    thread_states: tuple[StateOfThread, ...] = ()
    """What each thread has of its own and matters for loops (`loops.thread_states`)."""
    shared: tuple[SharedArray, ...] = ()
    """What the same file shows of where its parameters, and pointers of the program and of structures, lead
    (`loops.shifted_arguments`, `shifted_globals`, `shifted_members`)."""
    zeroed: frozenset[int] = frozenset()
    """Those of `initialised` that are declared with a list of nothing but zeros."""


# --- walking


def parts(expression: Expression) -> tuple[Expression, ...]:
    """The direct operands of an expression, in order of evaluation."""
    return _PARTS[type(expression)](expression)


def _none(_: Literal | Use) -> tuple[Expression, ...]:
    return ()


def _converted(e: Convert) -> tuple[Expression, ...]:
    return (e.argument,)


_PARTS: dict[type[Expression], Callable[..., tuple[Expression, ...]]] = {
    Literal: _none,
    Use: _none,
    Load: attrgetter("index"),
    Address: attrgetter("index"),
    Operation: attrgetter("arguments"),
    Call: attrgetter("arguments"),
    Choice: attrgetter("condition", "then", "otherwise"),
    Convert: _converted,
    Opaque: attrgetter("parts"),
}
"""A table, since this is asked millions of times, and a class that does not match costs more than to look it up."""


def unconverted(expression: Expression) -> Expression:
    """The expression without the conversions around it. Example: `x` for `(long)(int)x`."""
    while isinstance(expression, Convert):
        expression = expression.argument
    return expression


def is_literal(expression: Expression) -> bool:
    """Whether this is a number as the program has it, converted or not: of a pointer, the null pointer."""
    return isinstance(unconverted(expression), Literal)


def is_null(e: Expression) -> bool:
    """Whether it is 0, whatever it is converted to: a null pointer, say."""
    plain = unconverted(e)
    return isinstance(plain, Literal) and plain.value == 0


def is_use(expression: Expression, variable: Variable) -> bool:
    """Whether this is the value of the variable itself, converted or not."""
    plain = unconverted(expression)
    return isinstance(plain, Use) and plain.variable.key == variable.key


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and everything in it, outermost first."""
    pending = [expression]
    while pending:
        part = pending.pop()
        yield part
        inner = _PARTS[part.__class__](part)
        if inner:
            pending += inner[::-1]


def expressions(statement: Statement) -> tuple[Expression, ...]:
    """The expressions a statement evaluates itself (not those of statements inside it)."""
    match statement:
        case Assign(value=value, index=index):
            return (*index, value)
        case Evaluate(value=value) | Branch(condition=value):
            return (value,)
        case Loop() | Exit() | Refused():
            return ()
        case _:
            assert_never(statement)


@remembered("_evaluated")
def evaluated(statement: Statement) -> tuple[Expression, ...]:
    """The expressions a statement evaluates itself, and everything in them."""
    return tuple([e for x in expressions(statement) for e in walk(x)])


@remembered("_used")
def used(statement: Statement) -> frozenset[int]:
    """The keys of the variables that a statement evaluates anywhere."""
    return frozenset([e.variable.key for e in evaluated(statement) if isinstance(e, Use)])


def uses(statement: Statement, variable: Variable) -> bool:
    """Whether a statement evaluates the variable anywhere. Example: `a[i] = x + 1` uses `i` and `x`."""
    return variable.key in used(statement)


@remembered("_accesses_of")
def accesses_of(statement: Statement) -> tuple[Access, ...]:
    """The loads and the store of a statement itself."""
    loaded = [e.access for e in evaluated(statement) if isinstance(e, Load)]
    if isinstance(statement, Assign) and isinstance(statement.target, Access):
        loaded.append(statement.target)
    return tuple(loaded)


def polynomials(statement: Statement) -> list[Poly]:
    """The subscripts of a statement's own accesses, and the bounds of a loop."""
    if isinstance(statement, Loop):
        return [r.numerator for r in statement.trip or ()]
    return [s.index for a in accesses_of(statement) for s in a.subscripts]


def symbols_in(body: "tuple[Statement, ...]") -> frozenset[Symbol]:
    """All symbols in subscripts, bounds and conditions of statements, and what these are made of."""
    used = set[Symbol]()
    for statement in statements(body):
        used.update(s for p in polynomials(statement) for s in p.symbols)
        if isinstance(statement, Branch):
            used |= tested_symbols(statement.predicate)
    return nested_symbols(used)


def tested_symbols(predicate: Predicate) -> frozenset[Symbol]:
    """What a condition is about, as far as it is known."""
    match predicate:
        case Compare(value=value):
            return value.symbols
        case All(parts=parts) | Any(parts=parts):
            return frozenset().union(*map(tested_symbols, parts))
        case Data():
            return frozenset()


def made_of(value: Computed) -> frozenset[Symbol]:
    """The symbols that a computed value is made of, where its meaning says so: with one of them it changes."""
    match value.meaning:
        case Share(value=a, divisor=b) | Rest(value=a, divisor=b) | Flipped(value=a, divisor=b):
            return a.symbols | b.symbols
        case TriangleRow(value=a) | TrianglePlace(value=a) | Power(value=a):
            return a.symbols
        case Steps(distance=a, width=b) | Outermost(values=(a, b)):
            return a.symbols | b.symbols
        case Passed(most=most):
            return most.symbols
        case Kept(before=before, least=least, most=most):
            return before.symbols | least.symbols | most.symbols
        case OfFloating(operands=operands):
            return frozenset().union(*(o.symbols for o in operands))
        case Either(values=(a, b), decided=Compare(value=decides)):
            return a.symbols | b.symbols | decides.symbols
        case SizeOf() | Either() | None:
            return frozenset()


def nested_symbols(symbols: Iterable[Symbol]) -> frozenset[Symbol]:
    """The symbols, and those that their quotients, remainders, extremes and choices that a comparison decides are made
    of."""
    return frozenset().union(*map(_with_parts, symbols))


@remembered("_with_parts")
def _with_parts(s: Symbol) -> frozenset[Symbol]:
    match s.origin:
        case Quotient(value=value) | Remainder(value=value):
            return nested_symbols(value.symbols) | {s}
        case Computed() as computed:
            return nested_symbols(made_of(computed)) | {s}
        case _:
            return frozenset((s,))


def statements(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """Every statement of a body, nested ones included, in source order."""
    pending = [*body[::-1]]  # not by recursion: cases of a switch are nested deeply
    while pending:
        statement = pending.pop()
        yield statement
        if statement.__class__ is Assign:  # most of them
            continue
        match statement:
            case Branch(then=then, otherwise=otherwise):
                pending += otherwise[::-1]
                pending += then[::-1]
            case Loop(body=inner):
                pending += inner[::-1]
            case Assign() | Evaluate() | Exit() | Refused():
                pass
            case _:
                assert_never(statement)


@remembered("_every_statement")
def every_statement(function: Function) -> tuple[Statement, ...]:
    """Every statement of a function, nested ones included, in source order."""
    return tuple(statements(function.body))


def opaque_unit(access: Access) -> SizeOf | None:
    """The type of the elements that the last subscript counts, when nothing declares it."""
    stride = access.subscripts[-1].stride if access.subscripts else None
    match stride.terms if stride is not None else ():
        case (((Symbol(origin=Computed(meaning=SizeOf() as unit)),), 1),):
            return unit
        case _:
            return None


def size_in_bytes(access: Access) -> Poly | None:
    """How many bytes an access is: a number, or the symbol `sizeof(T)` for a whole element of an undeclared type T."""
    if access.size:
        return number(access.size)
    match access:
        case Access(type=Unknown(name=name, opaque=True), field="", offset=0, subscripts=(*_, last)):
            return last.stride if opaque_unit(access) == SizeOf(name) else None
        case _:
            return None


def loops(body: tuple[Statement, ...]) -> Iterator[Loop]:
    """Every loop of a body in source order, outer before inner."""
    pending = [*body[::-1]]
    while pending:
        statement = pending.pop()
        if statement.__class__ is Assign:  # most of them
            continue
        if isinstance(statement, Loop):
            yield statement
            pending += statement.body[::-1]
        elif isinstance(statement, Branch):
            pending += statement.otherwise[::-1]
            pending += statement.then[::-1]


@remembered("_all_loops")
def all_loops(loop: Loop) -> tuple[Loop, ...]:
    """A loop and every loop in it, in source order, outer before inner."""
    return tuple(loops((loop,)))


def negate(predicate: Predicate) -> Predicate:
    """The predicate that holds exactly when this one does not (over the integers)."""
    match predicate:
        case Compare(value=value, relation=">="):
            return Compare(-value - 1, ">=")
        case Compare(value=value, relation="==", modulus=modulus):
            return Compare(value, "!=", modulus)
        case Compare(value=value, modulus=modulus):
            return Compare(value, "==", modulus)
        case All(parts=inner):
            return Any(tuple(negate(p) for p in inner))
        case Any(parts=inner):
            return All(tuple(negate(p) for p in inner))
        case Data():
            return predicate
