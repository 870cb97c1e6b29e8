"""C types as values, sized for the ABI of the translation unit.

    CType = Void | Integer | Floating | Complex | Pointer | Array | Record | Function | Unknown

Qualifiers that change meaning (`volatile`, `_Atomic`, `restrict`, `const`) sit on the type they qualify.
A record names its layout by key; the layout itself is in the unit's table (`Unit.layouts`), because a record
may point to itself.
"""

from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from pycparser import c_ast


class Void(Struct, frozen=True):
    """`void`; also the type of a call whose result is thrown away. What a `const void *` leads to is only read."""

    const: bool = False


class Integer(Struct, frozen=True):
    """An integer type: `char` to `long long`, `_Bool`, enumerations, `__int128`; size in bytes."""

    name: str
    size: int
    signed: bool
    volatile: bool = False
    atomic: bool = False
    const: bool = False

    @property
    def is_enumeration(self) -> bool:
        return self.name.startswith("enum ")

    @property
    def is_lasting(self) -> bool:
        """Whether an object of the type holds what it is initialised by as long as it lives."""
        return self.const and not self.volatile and not self.atomic


class Floating(Struct, frozen=True):
    """`_Float16`, `float`, `double`, `long double`, `__float128`; size in bytes."""

    name: str
    size: int
    volatile: bool = False
    atomic: bool = False
    const: bool = False


class Complex(Struct, frozen=True):
    """`_Complex` of a floating part."""

    part: Floating
    volatile: bool = False

    @property
    def size(self) -> int:
        return 2 * self.part.size


class Pointer(Struct, frozen=True):
    target: "CType"
    size: int
    restrict: bool = False
    volatile: bool = False
    const: bool = False


class Array(Struct, frozen=True, dict=True):
    """`length` is a number, the C expression of a variable length, or None for `[]`."""

    element: "CType"
    length: "int | c_ast.Node | None"

    @cached_property
    def fixed_size(self) -> int | None:
        """In bytes, where the type alone says it."""
        match self.element, self.length:
            case Integer(size=size) | Floating(size=size) | Pointer(size=size), int(length):
                return size * length
            case Array(fixed_size=int(size)), int(length):
                return size * length
            case _:
                return None


class Record(Struct, frozen=True):
    """A struct or union; `key` finds its layout in `Unit.layouts` (absent there: incomplete)."""

    kind: str
    key: str
    volatile: bool = False
    const: bool = False


class Function(Struct, frozen=True):
    result: "CType"
    parameters: tuple["CType", ...] = ()
    variadic: bool = False


class Unknown(Struct, frozen=True):
    """A type nobody declared (a missing header), or one the analysis does not follow (GNU vectors).

    Its size is a guess that every user of it must mark, unless `size` says it in bytes. `opaque`: a type by this name
    that nothing declares: whatever it is, all its objects are of one size."""

    name: str
    size: int | None = None
    opaque: bool = False


CType: TypeAlias = Void | Integer | Floating | Complex | Pointer | Array | Record | Function | Unknown


class Member(Struct, frozen=True):
    """One member of a record: byte offset from its start; a bit-field also has a width in bits, and `offset` is that
    of its storage unit."""

    name: str
    type: CType
    offset: int
    bit_width: int | None = None
    bit_offset: int = 0
    """First bit of a bit-field, counted from the lowest bit of the byte at `offset`."""


class Layout(Struct, frozen=True):
    """Members in order (anonymous inner members are lifted to the outer record), size and alignment in bytes."""

    members: tuple[Member, ...]
    size: int
    alignment: int
    flexible: bool = False

    def member(self, name: str) -> Member | None:
        return next((m for m in self.members if m.name == name), None)


def element(type_: CType) -> CType:
    """What an array of any dimensions holds; of any other type, the type itself."""
    while isinstance(type_, Array):
        type_ = type_.element
    return type_


def unqualified(type_: CType) -> CType:
    """A scalar or a structure without `const`, `volatile` and `restrict`; any other type as it is."""
    match type_:
        case Integer() | Floating() | Record():
            return replace(type_, const=False, volatile=False)
        case Pointer():
            return replace(type_, const=False, volatile=False, restrict=False)
        case _:
            return type_


def qualified(type_: CType, quals: "list[str] | tuple[str, ...]") -> CType:
    """The type with `const`, `volatile`, `restrict`, `_Atomic` added; they reach the elements of an array."""
    if not quals:
        return type_
    volatile, const, atomic = "volatile" in quals, "const" in quals, "_Atomic" in quals
    match type_:
        case Integer() | Floating():
            return replace(
                type_,
                volatile=type_.volatile or volatile,
                const=type_.const or const,
                atomic=type_.atomic or atomic,
            )
        case Pointer():
            return replace(
                type_,
                volatile=type_.volatile or volatile,
                const=type_.const or const,
                restrict=type_.restrict or "restrict" in quals,
            )
        case Record():
            return replace(type_, volatile=type_.volatile or volatile, const=type_.const or const)
        case Complex():
            return replace(type_, volatile=type_.volatile or volatile)
        case Void():
            return Void(type_.const or const)
        case Array(element=element):
            return replace(type_, element=qualified(element, quals))
        case _:
            return type_
