"""The little language of generated loop nests: a typed subset of C, from which both C and runnable Python are made.

It shares nothing with the analyser. Sizes are those of LP64. A `Spot` is an lvalue in memory: a declared base and the
subscripts and members that lead from it; everything else that can be named is a scalar.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypeAlias

# --- types


@dataclass(frozen=True, slots=True)
class Num:
    """An arithmetic type; `code` is its letter in Python's `struct`."""

    name: str
    size: int
    signed: bool
    floating: bool
    code: str

    @property
    def low(self) -> int:
        return -(1 << (8 * self.size - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        return (1 << (8 * self.size - (1 if self.signed else 0))) - 1


@dataclass(frozen=True, slots=True)
class Ptr:
    to: "Type"
    restrict: bool = False


@dataclass(frozen=True, slots=True)
class Arr:
    """`n` elements; the name of a parameter makes it a variable-length array type."""

    of: "Type"
    n: int | str


@dataclass(frozen=True, slots=True)
class Struct:
    name: str
    members: tuple[tuple[str, "Type", int], ...]
    """Name, type and byte offset of each."""
    size: int

    def member(self, name: str) -> tuple["Type", int]:
        return {n: (t, offset) for n, t, offset in self.members}[name]


Type: TypeAlias = Num | Ptr | Arr | Struct

SCHAR = Num("signed char", 1, True, False, "b")
UCHAR = Num("unsigned char", 1, False, False, "B")
SHORT = Num("short", 2, True, False, "h")
USHORT = Num("unsigned short", 2, False, False, "H")
INT = Num("int", 4, True, False, "i")
UINT = Num("unsigned int", 4, False, False, "I")
LONG = Num("long", 8, True, False, "q")
SIZE = Num("unsigned long", 8, False, False, "Q")
FLOAT = Num("float", 4, True, True, "f")
DOUBLE = Num("double", 8, True, True, "d")

CELL = Struct("cell", (("x", DOUBLE, 0), ("k", INT, 8), ("y", DOUBLE, 16), ("v", Arr(DOUBLE, 4), 24)), 56)
VECTOR = Struct("vector", (("n", INT, 0), ("data", Ptr(DOUBLE), 8)), 16)
PAIR = Struct("pair", (("x", DOUBLE, 0), ("y", DOUBLE, 8)), 16)
STRUCTS = (CELL, VECTOR, PAIR)


def promote(t: Num) -> Num:
    return INT if not t.floating and t.size < 4 else t


def common(a: Num, b: Num) -> Num:
    """The usual arithmetic conversions."""
    if a.floating or b.floating:
        return DOUBLE if DOUBLE in (a, b) else FLOAT
    a, b = promote(a), promote(b)
    if a.size != b.size:
        return a if a.size > b.size else b
    return a if not a.signed else b


# --- expressions


@dataclass(frozen=True, slots=True)
class Const:
    value: int | float
    type: Num = INT


@dataclass(frozen=True, slots=True)
class Var:
    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Index:
    at: "Expr"


@dataclass(frozen=True, slots=True)
class Field:
    name: str


@dataclass(frozen=True, slots=True)
class Spot:
    """`post`: the base is a pointer that moves on by so many elements after this use (`*p++`)."""

    base: Var
    steps: tuple[Index | Field, ...]
    post: int = 0


@dataclass(frozen=True, slots=True)
class Load:
    spot: Spot


@dataclass(frozen=True, slots=True)
class Bin:
    op: str
    a: "Expr"
    b: "Expr"


@dataclass(frozen=True, slots=True)
class Un:
    op: str
    a: "Expr"


@dataclass(frozen=True, slots=True)
class Cast:
    type: Num
    a: "Expr"


@dataclass(frozen=True, slots=True)
class Cond:
    test: "Expr"
    a: "Expr"
    b: "Expr"


@dataclass(frozen=True, slots=True)
class Logic:
    op: str
    a: "Expr"
    b: "Expr"


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    args: tuple["Expr", ...]
    type: Num | None = None


@dataclass(frozen=True, slots=True)
class PtrAdd:
    """`p + k`, and an array's name as a pointer."""

    base: Var
    by: "Expr"


@dataclass(frozen=True, slots=True)
class Step:
    """`i++`, `--i` as an expression: the value before (post) or after."""

    var: Var
    by: int
    post: bool


@dataclass(frozen=True, slots=True)
class Raw:
    """Text of the target language with its type (only the emitters make it)."""

    text: str
    type: Type


Expr: TypeAlias = Const | Var | Load | Bin | Un | Cast | Cond | Logic | Call | PtrAdd | Step | Raw

COMPARE = ("<", "<=", ">", ">=", "==", "!=")


def spot_type(spot: Spot) -> Type:
    found = spot.base.type
    for step in spot.steps:
        match step, found:
            case Index(), Ptr(to=inner) | Arr(of=inner):
                found = inner
            case Field(name=name), Ptr(to=Struct() as struct):
                found = struct.member(name)[0]
            case Field(name=name), Struct():
                found = found.member(name)[0]
            case _:
                raise TypeError(f"{step} on {found}")
    return found


def type_of(e: Expr) -> Any:
    match e:
        case Const(type=t) | Var(type=t) | Cast(type=t) | Raw(type=t) | Call(type=t):
            return t
        case Load(spot=spot):
            return spot_type(spot)
        case Bin(op=op, a=a, b=b):
            if op in COMPARE:
                return INT
            return promote(type_of(a)) if op in ("<<", ">>") else common(type_of(a), type_of(b))
        case Un(op=op, a=a):
            return INT if op == "!" else promote(type_of(a))
        case Cond(a=a, b=b):
            return common(type_of(a), type_of(b))
        case Logic():
            return INT
        case PtrAdd(base=base):
            return base.type if isinstance(base.type, Ptr) else Ptr(base.type.of)  # type: ignore[union-attr]
        case Step(var=var):
            return var.type


# --- statements


@dataclass(frozen=True, slots=True)
class Declare:
    var: Var
    init: Expr | None = None


@dataclass(frozen=True, slots=True)
class Assign:
    """`target op= value`; `op` is empty for a plain assignment."""

    target: Var | Spot
    op: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Do:
    """An expression evaluated for its effect."""

    value: Expr


@dataclass(frozen=True, slots=True)
class If:
    test: Expr
    then: tuple["Stmt", ...]
    otherwise: tuple["Stmt", ...] = ()


@dataclass(frozen=True, slots=True)
class Loop:
    """`kind` for, while or do. A `while` has its init before it and its step at the end of its body; of a `do` the
    step is in the test. `declared`: a `for` that declares its variable."""

    id: int
    kind: str
    var: Var
    declared: bool
    init: Expr
    test: Expr
    step: tuple[Assign, ...]
    body: tuple["Stmt", ...]


@dataclass(frozen=True, slots=True)
class Break:
    pass


@dataclass(frozen=True, slots=True)
class Continue:
    pass


@dataclass(frozen=True, slots=True)
class Return:
    value: Expr | None = None


Stmt: TypeAlias = Declare | Assign | Do | If | Loop | Break | Continue | Return


@dataclass(frozen=True, slots=True)
class Helper:
    """A small function that the nest calls: it is in the same file, and its body has no loop."""

    name: str
    params: tuple[Var, ...]
    result: Num | None
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Storage:
    """An object of the run: `elements` of `type`; pointer `name` points `lead` elements into it. `role`: data, index
    (small non-negative integers), rows (pointers to `rows`), table (pointers that the nest stores), vector. `scope`:
    param, global, local."""

    name: str
    type: Type
    elements: int
    lead: int = 0
    role: str = "data"
    scope: str = "param"
    initialised: bool = False


@dataclass(frozen=True, slots=True)
class Nest:
    """One generated function with all that a run needs. `alias`: parameter, the one it overlaps, distance in
    elements. `sizes`: the values of the integer parameters, one dictionary per run. `features` name what is in it."""

    name: str
    seed: str
    params: tuple[Var, ...]
    storage: tuple[Storage, ...]
    globals_: tuple[Var, ...]
    helpers: tuple[Helper, ...]
    body: tuple[Stmt, ...]
    result: Num | None
    sizes: tuple[dict[str, int], ...]
    alias: tuple[tuple[str, str, int], ...] = ()
    features: frozenset[str] = frozenset()
    ticks: int = 8_000
    """Iterations after which a run is given up."""


# --- walking


def children(node: Any) -> Iterator[Any]:
    """The direct parts of a node that are nodes themselves, in order."""
    for field in fields(node):
        value = getattr(node, field.name)
        for part in value if isinstance(value, tuple) else (value,):
            if is_dataclass(part) and not isinstance(part, Num | Ptr | Arr | Struct):
                yield part


def walk(node: Any) -> Iterator[Any]:
    """The node and all below it, in order of the text."""
    yield node
    for part in children(node):
        yield from walk(part)


def is_constant(e: "Expr") -> bool:
    """Whether the compiler computes it: nothing but constants in it."""
    return all(isinstance(x, Const | Bin | Un | Cast) for x in walk(e))


def walk_all(nodes: tuple[Any, ...]) -> Iterator[Any]:
    for node in nodes:
        yield from walk(node)


def loops(nodes: tuple[Any, ...]) -> list[Loop]:
    """All loops in the order of the text, outer before inner."""
    return [n for n in walk_all(nodes) if isinstance(n, Loop)]


def assigned(nodes: tuple[Any, ...]) -> dict[str, Var]:
    """The scalars that these statements may change."""
    found: dict[str, Var] = {}
    for node in walk_all(nodes):
        match node:
            case Assign(target=Var() as var) | Declare(var=var) | Step(var=var) | Loop(var=var):
                found[var.name] = var
            case Spot(base=var, post=post) if post:
                found[var.name] = var
            case _:
                pass
    return found


def declared(nodes: tuple[Any, ...]) -> set[str]:
    """The names that these statements declare."""
    names = {n.var.name for n in walk_all(nodes) if isinstance(n, Declare)}
    return names | {n.var.name for n in walk_all(nodes) if isinstance(n, Loop) and n.declared}
