"""Compact storage of per-file results until they are needed.

The entry of a file with all figures takes a megabyte of objects for twenty loops, and thirty kilobytes as a table in
which equal parts are there once (`encoding`), compressed. Reports go through the files one after the other, so that
one of them at a time is unpacked.
"""

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

from msgspec import Struct

from .encoding import NotAValueError, decode, encode

T = TypeVar("T")
S = TypeVar("S")


class Part(Struct, frozen=True):
    """One packed value under its name. `data`: None where it stays as it is, in `value`: it is no plain one, or it did
    not wait."""

    name: str
    data: bytes | None
    value: Any = None


class Packed(Sequence[T], Generic[T]):
    """A sequence equal to the tuple of its values, of which each is made anew every time that it is asked for: two
    passes give equal values that are not the same objects."""

    def __init__(self, parts: Iterable[Part]) -> None:
        self.parts = tuple(parts)

    def __len__(self) -> int:
        return len(self.parts)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> "Packed[T]": ...
    def __getitem__(self, index: int | slice) -> "T | Packed[T]":
        return Packed(self.parts[index]) if isinstance(index, slice) else unpacked(self.parts[index])

    def __iter__(self) -> Iterator[T]:
        return map(unpacked, self.parts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Packed | tuple):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


def packed(values: Sequence[T], name: Callable[[T], str]) -> Packed[T]:
    """The values packed, each under its name; those that are packed already as they are.

    Example: `tuple(packed((1, 2), str)) == (1, 2)`."""
    return values if isinstance(values, Packed) else Packed(part(value, name(value)) for value in values)


def parts_of(values: Sequence[T], name: Callable[[T], str]) -> tuple[Part, ...]:
    """The parts of packed values; those that are not packed as they are, each under its name."""
    return values.parts if isinstance(values, Packed) else tuple(Part(name(value), None, value) for value in values)


def part(value: object, name: str) -> Part:
    """One value packed."""
    try:
        return Part(name, zlib.compress(encode(value)))
    except (NotAValueError, RecursionError, ValueError):
        return Part(name, None, value)


def unpacked(one: Part) -> Any:
    """The value of a part."""
    return one.value if one.data is None else decode(zlib.decompress(one.data))
