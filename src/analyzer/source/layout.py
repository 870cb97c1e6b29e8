"""Sizes, alignments and record layouts of an ABI (System V rules, which llp64 and ilp32 share but for bit-fields)."""

from collections.abc import Mapping, Sequence
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from .ctypes import (
    Array,
    Complex,
    CType,
    Floating,
    Function,
    Integer,
    Layout,
    Member,
    Pointer,
    Record,
    Unknown,
    Void,
)
from .unit import Abi

GUESSED_SIZE = 8
"""Bytes of a type nobody declared: what most typedefs of missing headers turn out to be."""


class Field(Struct, frozen=True):
    """One member as declared. `width` in bits for a bit-field; `alignment` asked for by an attribute (0: none)."""

    name: str | None
    type: CType
    width: int | None = None
    alignment: int = 0
    packed: bool = False


def size_of(type: CType, layouts: Mapping[str, Layout]) -> int | None:
    """Size in bytes; None for a length known only at run time and for incomplete types."""
    match type:
        case Void() | Function():
            return 1
        case Integer(size=size) | Floating(size=size) | Pointer(size=size):
            return size
        case Complex():
            return type.size
        case Array(element=element, length=length):
            inner = size_of(element, layouts)
            return inner * length if isinstance(length, int) and inner is not None else None
        case Record(key=key):
            return layouts[key].size if key in layouts else None
        case Unknown(size=size):
            return GUESSED_SIZE if size is None else size
        case _:
            assert_never(type)


def alignment_of(type: CType, layouts: Mapping[str, Layout], abi: Abi) -> int:
    match type:
        case Void() | Function():
            return 1
        case Integer(name=name, size=size) | Floating(name=name, size=size):
            return abi.alignments.get(name, size)
        case Pointer(size=size):
            return size
        case Complex(part=part):
            return alignment_of(part, layouts, abi)
        case Array(element=element):
            return alignment_of(element, layouts, abi)
        case Record(key=key):
            return layouts[key].alignment if key in layouts else 1
        case Unknown(size=size):
            return GUESSED_SIZE if size is None else max(1, size)
        case _:
            assert_never(type)


def round_up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


class _Builder(Struct):
    layouts: Mapping[str, Layout]
    abi: Abi
    union: bool
    packed: bool
    pack: int
    members: list[Member]
    bits: int = 0
    """First free bit."""
    widest: int = 0
    alignment: int = 1

    def natural_alignment(self, field: Field) -> int:
        natural = alignment_of(field.type, self.layouts, self.abi)
        if self.packed or field.packed:
            natural = 1
        if self.pack:
            natural = min(natural, self.pack)
        return max(natural, field.alignment)

    def plain(self, field: Field, size: int) -> None:
        alignment = self.natural_alignment(field)
        self.alignment = max(self.alignment, alignment)
        offset = 0 if self.union else round_up(-(-self.bits // 8), alignment)
        self.bits = max(self.bits, 8 * (offset + size)) if self.union else 8 * (offset + size)
        if field.name is not None:
            self.members.append(Member(field.name, field.type, offset))
        elif isinstance(field.type, Record) and field.type.key in self.layouts:
            inner = self.layouts[field.type.key].members
            self.members += [replace(member, offset=member.offset + offset) for member in inner]

    def bit_field(self, field: Field, size: int, width: int) -> None:
        """A bit-field must not cross a boundary of its declared type; width 0 closes the current unit."""
        unit = 8 * size
        packed = self.packed or field.packed
        if self.union:
            self.bits, start = max(self.bits, width), 0
        else:
            start = self.bits
            if width == 0:
                self.bits = round_up(start, 8 * alignment_of(field.type, self.layouts, self.abi))
                return
            if field.alignment:
                start = round_up(start, 8 * field.alignment)
            boundary = 8 * self.natural_alignment(field) if self.pack else unit
            if not packed and start % unit + width > unit:
                start = round_up(start, boundary)
            self.bits = start + width
        if field.name is None:
            return
        self.alignment = max(self.alignment, self.natural_alignment(field))
        first = start // unit * unit if start % unit + width <= unit else start // 8 * 8
        self.members.append(Member(field.name, field.type, first // 8, width, start - first))


def lay_out(
    fields: Sequence[Field],
    layouts: Mapping[str, Layout],
    abi: Abi,
    union: bool = False,
    packed: bool = False,
    pack: int = 0,
    alignment: int = 0,
) -> Layout:
    """The layout of a record. `pack` is the value of `#pragma pack` (0: none), `alignment` that of an attribute.

    Example: `struct { char c; double d; }` on lp64 puts `d` at 8, size 16, alignment 8.
    """
    build = _Builder(layouts, abi, union, packed, pack, [])
    flexible = False
    for field in fields:
        size = size_of(field.type, layouts)
        if field.width is not None:
            build.bit_field(field, size or abi.sizes["int"], field.width)
        else:
            flexible = isinstance(field.type, Array) and field.type.length is None
            build.plain(field, size or 0)
    whole = max(build.alignment, alignment)
    return Layout(tuple(build.members), round_up(-(-build.bits // 8), whole), whole, flexible)
