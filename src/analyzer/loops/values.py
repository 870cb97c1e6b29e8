"""What symbolic execution knows of a variable: a polynomial, or a pointer into an object, or nothing (None)."""

from collections.abc import Mapping
from typing import Literal as OneOf
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ..ir.nodes import (
    Access,
    All,
    Any,
    Compare,
    Data,
    Expression,
    Load,
    Object,
    Operation,
    Predicate,
    Structure,
    Subscript,
    Use,
    Variable,
    Wrap,
    is_null,
    unconverted,
)
from ..ir.polynomials import ZERO, Poly, number
from ..source.ctypes import CType, Pointer


class IntegerValue(Struct, frozen=True):
    """The value `poly`, right as long as every condition in `wraps` holds. `truth`: the condition of which it is the
    truth value, where it is kept as one (`ok = i < n`)."""

    poly: Poly
    wraps: tuple[Wrap, ...] = ()
    truth: "Condition | None" = None


NULL = IntegerValue(ZERO)
"""Of a pointer, that it leads nowhere; of an integer, that it is 0."""


class Address(Struct, frozen=True):
    """A pointer to one element of type `target`: which element of which object.

    `field`/`offset` name the member inside the element of the last subscript; `tail` is the part of the offset that
    was added after the last subscript was (0: pointer arithmetic moves the last subscript). `restricted`: the pointers
    declared `restrict` in the function that its value was made from."""

    object: Object
    subscripts: tuple[Subscript, ...]
    target: CType
    field: str = ""
    offset: int = 0
    tail: int = 0
    wraps: tuple[Wrap, ...] = ()
    restricted: tuple[Variable, ...] = ()
    structure: Structure | None = None
    """Of the element, where `field` is a member of it."""


class OwnRows(Struct, frozen=True):
    """Where the elements of an array lead that lists pointers which follow each other in a table: the first one, and
    which of its subscripts the number of the element is added to."""

    first: Address
    at: int

    def led_to(self, place: Poly) -> Address:
        """Where the element of a number leads."""
        counting = self.first.subscripts[self.at]
        moved = replace(counting, index=counting.index + place)
        every = (*self.first.subscripts[: self.at], moved, *self.first.subscripts[self.at + 1 :])
        return replace(self.first, subscripts=every)


class Part(Struct, frozen=True):
    """A member of a structure, or of one in it: its name as in `.box.low`, and its bytes."""

    field: str
    offset: int
    size: int

    def meets(self, other: "Part") -> bool:
        """Whether the two have a byte in common: members of unions do."""
        return self.offset < other.offset + other.size and other.offset < self.offset + self.size


class Condition(Struct, frozen=True):
    """What decides between two values, as far as it is known: `predicate`, right as long as `wraps` hold. `pointer`:
    the pointer that it is about, if it is about one: it holds unless that is null, or (`if_null`) where it is."""

    predicate: Predicate
    pointer: Load | Use | None = None
    wraps: tuple[Wrap, ...] = ()
    if_null: bool = False

    @property
    def certain(self) -> Predicate:
        """What is known of it whatever wraps."""
        return Data() if self.wraps else self.predicate

    @property
    def is_exact(self) -> bool:
        """Whether linear comparisons say exactly when it holds."""
        return not self.wraps and _is_linear(self.predicate)

    @classmethod
    def of(cls, expression: Expression, predicate: Predicate, wraps: tuple[Wrap, ...]) -> "Condition":
        """Of the expression that is tested: `p`, `!p`, `p != NULL`, `p == NULL`."""
        match expression:
            case Load(access=Access(type=Pointer())) | Use(type=Pointer()):
                return cls(predicate, expression, wraps)
            case Operation(operator="==" | "!=" as operator, arguments=(a, b)) if is_null(a) or is_null(b):
                tested = cls.of(unconverted(b if is_null(a) else a), predicate, wraps)
                return tested if tested.pointer is None else replace(tested, if_null=operator == "==")
            case Operation(operator="!", arguments=(a,)):
                tested = cls.of(a, predicate, wraps)
                return replace(tested, if_null=not tested.if_null)
            case _:
                return cls(predicate, None, wraps)


def _is_linear(predicate: Predicate) -> bool:
    match predicate:
        case Compare(value=value, modulus=modulus):
            return value.is_affine and not modulus
        case All(parts=parts) | Any(parts=parts):
            return all(map(_is_linear, parts))
        case Data():
            return False


class Real(Struct, frozen=True):
    """A `double` made of integers by multiplying and dividing: `terms` in postfix order, as in `ir.Scaled`."""

    terms: tuple[Poly | float | OneOf["*", "/"], ...]
    wraps: tuple[Wrap, ...] = ()


class ChosenReal(Struct, frozen=True):
    """`condition ? then : otherwise` of such numbers."""

    condition: Condition
    then: "Real | ChosenReal"
    otherwise: "Real | ChosenReal"


Value: TypeAlias = IntegerValue | Address

State: TypeAlias = Mapping[int, Value | None]
"""What is known at one point, by the keys of variables."""

_ABSENT = object()


def differing(a: State, b: State) -> set[int]:
    """Keys of the variables of which two states may say different things: the values are not the very same."""
    return {k for k, value in a.items() if b.get(k, _ABSENT) is not value} | (b.keys() - a.keys())


def moved(pointer: Address, count: IntegerValue, size: Poly | None) -> Address | None:
    """`pointer + count`, elements being `size` bytes; None when the element size is not known."""
    if size is None:
        return None
    wraps = merge(pointer.wraps, count.wraps)
    if count.poly == ZERO:
        return replace(pointer, wraps=wraps)
    last = pointer.subscripts[-1] if pointer.subscripts else None
    if last is None or pointer.tail or last.row_pointer or last.stride != size:
        pointer = in_bytes(pointer)
        last = pointer.subscripts[-1]
        count = IntegerValue(count.poly * size)
    shifted = replace(last, index=last.index + count.poly)
    return replace(pointer, subscripts=(*pointer.subscripts[:-1], shifted), wraps=wraps)


def in_bytes(pointer: Address) -> Address:
    """The same address with everything behind the last followed pointer as one byte displacement."""
    rows = tuple(s for s in pointer.subscripts if s.row_pointer)
    total = number(pointer.offset)
    for s in pointer.subscripts[len(rows) :]:
        assert s.stride is not None
        total = total + s.index * s.stride
    flat = Subscript(total, None, number(1))
    return replace(pointer, subscripts=(*rows, flat), field="", offset=0, tail=0, structure=None)


def counts_in(pointer: Address, size: Poly | None) -> bool:
    """Whether the last subscript of a pointer to something of `size` bytes steps over all of it, so that subscripts
    behind it tell its parts apart: not in `(double (*)[2])(a + 3*i)`, whose rows begin within each other."""
    last = pointer.subscripts[-1] if pointer.subscripts else None
    if last is None or last.stride is None or last.stride == size:
        return True
    step, length = last.stride.constant, None if size is None else size.constant
    return step is not None and length is not None and pointer.tail + length <= step


def from_the_start(pointer: Address, size: Poly | None) -> Address:
    """A pointer to the very first element of an array of several dimensions, kept in a variable, is there to walk
    through all of it: it sees one dimension. (A pointer to row i keeps its row.)"""
    inner = [s for s in pointer.subscripts if not s.row_pointer]
    if size is None or len(inner) < 2 or pointer.field or any(s.index != ZERO for s in inner):
        return pointer
    rows = pointer.subscripts[: len(pointer.subscripts) - len(inner)]
    return replace(pointer, subscripts=(*rows, Subscript(ZERO, None, size)))


def retyped(pointer: Address, target: CType, size: Poly | None, old_size: Poly | None) -> Address:
    """The pointer cast to another target type. A pointer to elements of another size is viewed in bytes, or in
    the new elements where the byte displacement is a whole number of them."""
    if size == old_size or size is None:
        return replace(pointer, target=target)
    flat = in_bytes(pointer)
    last = flat.subscripts[-1]
    unit = size.constant
    whole = last.index.divided_by(unit) if unit else ZERO if last.index == ZERO else None
    if whole is not None:
        last = Subscript(whole, None, size)
    return replace(flat, target=target, subscripts=(*flat.subscripts[:-1], last))


def displacement(a: Address, b: Address) -> Poly | None:
    """How many units of the last subscript `a` lies behind `b`; None when they differ in anything else."""
    same = (
        a.object == b.object
        and a.field == b.field
        and a.offset == b.offset
        and len(a.subscripts) == len(b.subscripts)
        and a.subscripts[:-1] == b.subscripts[:-1]
    )
    if not same or not a.subscripts:
        return ZERO if same else None
    x, y = a.subscripts[-1], b.subscripts[-1]
    return x.index - y.index if (x.stride, x.extent) == (y.stride, y.extent) else None


def merge(a: tuple[Wrap, ...], b: tuple[Wrap, ...]) -> tuple[Wrap, ...]:
    return a if not b or a == b else tuple(dict.fromkeys((*a, *b)))
