"""Memory and arithmetic of a run: one flat address space, C's types, undefined behaviour refused."""

import bisect
import math
import random
import struct
from collections.abc import Callable, Mapping
from ctypes import c_float
from functools import cache
from typing import Any, TypeAlias

from . import nest as n
from .mathematics import FUNCTIONS

GAP = 4096
"""Bytes between objects: a subscript that leaves its object must not reach the next one."""
PERIOD = 97
"""Contents repeat after so many scalars."""

Scalars: TypeAlias = tuple[tuple[int, str], ...]
"""Offset and letter of every scalar of a structure."""


class UndefinedError(Exception):
    """The run does what C leaves undefined (or leaves the memory it was given): it says nothing about the program."""


class TooLongError(Exception):
    """The run was stopped after the nest's own limit of iterations."""


def size_of(t: n.Type) -> int:
    match t:
        case n.Num(size=size) | n.Struct(size=size):
            return size
        case n.Ptr():
            return 8
        case n.Arr(of=of, n=int() as count):
            return size_of(of) * count
        case _:
            raise TypeError(f"{t} has no constant size")


@cache
def scalars_of(t: n.Type) -> tuple[tuple[int, n.Type], ...]:
    """Offset and type of every scalar inside a type."""
    match t:
        case n.Struct(members=members):
            return tuple((o + i, s) for _, m, o in members for i, s in scalars_of(m))
        case n.Arr(of=of, n=int() as count):
            return tuple((k * size_of(of) + i, s) for k in range(count) for i, s in scalars_of(of))
        case _:
            return ((0, t),)


@cache
def scalar_at(t: n.Type, offset: int) -> n.Type:
    """The scalar that begins so many bytes into a type."""
    return next(s for o, s in scalars_of(t) if o == offset)


@cache
def packer(t: n.Type) -> tuple[struct.Struct, tuple[n.Num, ...]]:
    """Writes all scalars of an element at once, gaps included."""
    code, at, kinds = "<", 0, []
    for offset, scalar in scalars_of(t):
        assert isinstance(scalar, n.Num)
        code += "x" * (offset - at) + scalar.code
        at = offset + scalar.size
        kinds.append(scalar)
    return struct.Struct(code + "x" * (size_of(t) - at)), tuple(kinds)


def pattern(t: n.Type, elements: int, values: tuple[int, ...], start: int) -> bytes:
    """So many elements of repeating small numbers: quarters, integers, non-negative ones, as their type is."""
    writer, kinds = packer(t)
    period = PERIOD // math.gcd(PERIOD, len(kinds))
    k, parts = start, []
    for _ in range(min(elements, period)):
        numbers: list[int | float] = []
        for kind in kinds:
            k += 1
            value = values[k % PERIOD]
            numbers.append(value / 4 if kind.floating else value if kind.signed else value + 16)
        parts.append(writer.pack(*numbers))
    once = b"".join(parts)
    size = elements * writer.size
    return (once * (size // len(once) + 1))[:size] if once else b""


class Machine:
    """The address space of one nest. Objects lie apart, in the order of `nest.storage`, with gaps between them."""

    def __init__(self, nest: n.Nest) -> None:
        self.nest = nest
        self.start: dict[str, int] = {}
        at = GAP
        for s in nest.storage:
            self.start[s.name] = at
            at += (size_of(s.type) * s.elements + GAP + 7) // 8 * 8
        self.size = at + GAP
        self.memory = bytearray(self.size)
        self.pointers: list[int] = []
        """Where pointers lie in memory."""
        self.ticks = 0
        self.log: set[tuple[int, int]] | None = None
        """Where plain stores went, while it is a set."""
        self._starts = [self.start[s.name] for s in nest.storage]
        self._ends = [self.start[s.name] + size_of(s.type) * s.elements for s in nest.storage]

    def storage_at(self, address: int, size: int) -> n.Storage:
        """The object that holds these bytes; UndefinedError when none does."""
        k = bisect.bisect_right(self._starts, address) - 1
        if k < 0 or address + size > self._ends[k]:
            raise UndefinedError(f"address {address}")
        return self.nest.storage[k]

    def extent(self, name: str) -> tuple[int, int]:
        k = self._starts.index(self.start[name])
        return self._starts[k], self._ends[k]

    def address(self, name: str) -> int:
        """What the name of an array, or a pointer parameter, leads to."""
        for alias, other, distance in self.nest.alias:
            if alias == name != other:
                return self.address(other) + distance * size_of(self._storage(name).type)
        s = self._storage(name)
        return self.start[name] + s.lead * size_of(s.type)

    def _storage(self, name: str) -> n.Storage:
        return next(s for s in self.nest.storage if s.name == name)

    # --- contents

    def fill(self, seed: str, sizes: dict[str, int]) -> None:
        """Contents that depend on the seed only: small integers, quarters, indices that repeat or do not."""
        self.memory[:] = bytes(self.size)
        self.pointers = []
        for s in self.nest.storage:
            rng = random.Random(f"{seed} {s.name}")
            match s.role:
                case "index":
                    self._fill_index(s, rng)
                case "rows":
                    self._fill_rows(s, rng)
                case "vector":
                    self._fill_vector(s, sizes)
                case _:
                    self._fill_data(s, rng)

    def _fill_data(self, s: n.Storage, rng: random.Random) -> None:
        if s.role == "table" or (s.scope == "local" and s.initialised):
            return
        values = [rng.randrange(-16, 17) for _ in range(PERIOD)]
        begin, end = self.extent(s.name)
        self.memory[begin:end] = pattern(s.type, s.elements, tuple(values), rng.randrange(PERIOD))

    def _fill_vector(self, s: n.Storage, sizes: dict[str, int]) -> None:
        """One structure: lengths from the sizes, pointers to the objects named after it and the member."""
        assert isinstance(s.type, n.Struct)
        for member, t, offset in s.type.members:
            match t:
                case n.Ptr():
                    self._put_pointer(self.start[s.name] + offset, self.address(f"{s.name}_{member}"))
                case n.Num(floating=floating, code=code):
                    value = 0.75 if floating else sizes.get(f"{s.name}->{member}", 3)
                    struct.pack_into("<" + code, self.memory, self.start[s.name] + offset, value)
                case _:
                    pass

    def _fill_index(self, s: n.Storage, rng: random.Random) -> None:
        inner = scalars_of(s.type)[0][1]
        assert isinstance(inner, n.Num)
        mode = rng.choice(("permutation", "repeats", "few"))
        order = list(range(24))
        rng.shuffle(order)
        begin, end = self.extent(s.name)
        for k in range((end - begin) // inner.size):
            value = order[k % 24] if mode == "permutation" else rng.randrange(24 if mode == "repeats" else 4)
            struct.pack_into("<" + inner.code, self.memory, begin + k * inner.size, value)

    def _fill_rows(self, s: n.Storage, rng: random.Random) -> None:
        rows = self._storage(f"{s.name}_rows")
        width = rows.elements // s.elements * size_of(rows.type)
        order = list(range(s.elements))
        rng.shuffle(order)
        if any(a == b == s.name for a, b, _ in self.nest.alias):
            order = [k // 2 for k in order]
        for k, row in enumerate(order):
            self._put_pointer(self.start[s.name] + 8 * k, self.start[rows.name] + row * width + 8 * size_of(rows.type))

    def _put_pointer(self, at: int, to: int) -> None:
        struct.pack_into("<Q", self.memory, at, to)
        self.pointers.append(at)

    # --- what running text calls

    def tick(self) -> None:
        self.ticks += 1
        if self.ticks > self.nest.ticks:
            raise TooLongError

    def plain(self) -> dict[str, Any]:
        """Loads and stores that only load and store (and log where, while asked to)."""
        found: dict[str, Any] = {"tick": self.tick}
        for code in "bBhHiIqQfd":
            found[f"ld_{code}"] = self._loader(code)
            found[f"st_{code}"] = self._storer(code)
        found["copy"] = copier(found)
        return found

    def _loader(self, code: str) -> Callable[[int], Any]:
        unpack, memory = struct.Struct("<" + code).unpack_from, self.memory
        limit = self.size - 8

        def load(address: int) -> Any:
            if not 0 <= address <= limit:
                raise UndefinedError(f"address {address}")
            return unpack(memory, address)[0]

        return load

    def _storer(self, code: str) -> Callable[[int, Any], None]:
        packer, memory = struct.Struct("<" + code), self.memory
        limit = self.size - 8
        size = packer.size

        def store(address: int, value: Any) -> None:
            if not 0 <= address <= limit:
                raise UndefinedError(f"address {address}")
            if self.log is not None:
                self.log.add((address, size))
            packer.pack_into(memory, address, value)

        return store


def copier(names: Mapping[str, Callable[..., Any]]) -> Callable[..., None]:
    """Assigns a structure to another by loads and stores of its scalars. What lies between them stays as it is: nothing
    sets it, so it is zero everywhere."""

    def copy(to: int, source: int, scalars: Scalars, _: int, home: str | None, other: str | None) -> None:
        values = [names[f"ld_{code}"](source + offset) for offset, code in scalars]
        for (offset, code), value in zip(scalars, values, strict=True):
            names[f"st_{code}"](to + offset, value)

    return copy


# --- arithmetic


def wrapper(t: n.Num) -> Callable[[Any], Any]:
    """The conversion of any number to this type, by value (C's casts)."""
    if t.floating:
        return float if t.size == 8 else lambda v: c_float(v).value
    mask, low, high = (1 << 8 * t.size) - 1, t.low, t.high

    def to_integer(v: Any) -> int:
        if isinstance(v, float):
            if not math.isfinite(v) or not low <= int(v) <= high:
                raise UndefinedError("conversion out of range")
            return int(v)
        v = int(v) & mask
        return v if v <= high else v - mask - 1

    return to_integer


def checker(t: n.Num) -> Callable[[int], int]:
    """The result of integer arithmetic: modulo for unsigned types, refused when a signed one overflows."""
    if not t.signed:
        mask = t.high
        return lambda v: v & mask
    low, high = t.low, t.high

    def check(v: int) -> int:
        if low <= v <= high:
            return v
        raise UndefinedError("signed overflow")

    return check


def idiv(a: int, b: int) -> int:
    if b == 0:
        raise UndefinedError("division by zero")
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def imod(a: int, b: int) -> int:
    return a - b * idiv(a, b)


def fdiv(a: float, b: float) -> float:
    if b == 0.0:
        if a == 0.0 or math.isnan(a):
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


def in_row(index: int, count: int) -> int:
    if 0 <= index < count:
        return index
    raise UndefinedError("subscript outside its row")


def shift_count(k: int, width: int) -> int:
    if 0 <= k < width:
        return k
    raise UndefinedError("shift count")


NUMBERS = (n.SCHAR, n.UCHAR, n.SHORT, n.USHORT, n.INT, n.UINT, n.LONG, n.SIZE, n.FLOAT, n.DOUBLE)
BUILTINS: dict[str, Any] = {
    **{f"to_{t.code}": wrapper(t) for t in NUMBERS},
    **{f"ck_{t.code}": checker(t) for t in NUMBERS if not t.floating},
    **{"idiv": idiv, "imod": imod, "fdiv": fdiv, "in_row": in_row, "shift_count": shift_count},
    **{name: function.run for name, function in FUNCTIONS.items()},
}


def garbage(t: n.Type) -> int | float:
    """What an uninitialised or poisoned scalar holds: legal, but nothing that a program would compute."""
    if isinstance(t, n.Num):
        return -7777.25 if t.floating else 77 if t.size == 1 else 7771
    return GAP // 2
