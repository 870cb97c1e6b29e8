"""Scalars in memory: reading and storing them, with the C types that they have.

*Decides*: what is at a place, and what is there after a store; structures scalar by scalar.
*Errs toward* `StuckError`: types that nothing declares, unions that are copied before anybody looked at them.
"""

from typing import TypeAlias

from msgspec import Struct
from pycparser import c_ast

from ...source.ctypes import Array, CType, Floating, Function, Integer, Layout, Member, Pointer, Record, Void
from ...source.layout import size_of
from ...source.unit import Unit
from ..witness.arithmetic import Number, StuckError, converted
from .world import CONST, FREE, NONE, OWN, Cell, Token, Value, World

Node: TypeAlias = c_ast.Node
MOST_COPIED = 64
"""Elements of an array that is copied with its structure."""

Scalar: TypeAlias = Integer | Floating | Pointer
Part: TypeAlias = tuple[int, tuple[int, int] | None, Scalar]
"""A scalar in a type: byte, bits, and its own type."""


class Place(Struct, frozen=True):
    """An lvalue. `bits`: first bit and width of a bit-field. `tags`: what its address was computed from."""

    address: int
    type: CType
    bits: tuple[int, int] | None = None
    tags: frozenset[int] = NONE

    @property
    def cell(self) -> Cell:
        return self.address if self.bits is None else (self.address, self.bits[0])



class Scalars:
    """What the expressions of one unit read and store. It is handed to `reads` and `stores`."""

    def __init__(self, unit: Unit, world: World, steps: int) -> None:
        self.unit, self.world, self.steps = unit, world, steps
        self.abi = unit.abi
        self.int = Integer("int", unit.abi.sizes["int"], True)
        self.word = unit.abi.sizes["pointer"]
        self.fixed: dict[Cell, Number] = {}
        """What cells hold that are met first."""
        self.floor = 0
        """Steps that are left to what comes after a call."""
        self.now = -1
        """The iteration of a loop that is watched."""

    # --- for those who watch

    def token(self, node: Node, cell: Cell) -> Token:
        return Token(-1, False)

    def reads(self, node: Node, place: Place, value: Value) -> Value:
        return value

    def stores(self, node: Node, place: Place, value: Value) -> None:
        pass

    # --- memory

    def load(self, node: Node, place: Place) -> Value:
        type_ = place.type
        match type_:
            case Array(element=element):
                return Value(Pointer(element, self.word), place.address, tags=place.tags)
            case Function():
                return Value(Pointer(type_, self.word), place.address)
            case Record():
                return Value(type_, place.address, tags=place.tags)
            case Integer() | Floating() | Pointer():
                pass
            case _:
                raise StuckError("type")
        world, cell = self.world, place.cell
        found = world.held(cell, type_.size)
        if found is None:
            world.reserve(cell, type_.size)
            found = world.unmet(place.address, type_, self.token(node, cell))
            world.set(world.cells, cell, found)
            if found.number is None and cell in self.fixed:
                world.set(world.chosen, found.token, self.fixed[cell])
        if getattr(type_, "volatile", False) and world.kind(place.address) == FREE:
            found = world.open(type_, self.token(node, cell))
        if place.bits is not None:
            found = self.narrowed(found, place.bits[1])
        elif found.type != type_:
            found = self.converted(found, type_)
        if place.tags:
            found = Value(found.type, found.number, found.token, found.tags | place.tags)
        return self.reads(node, place, found)

    def narrowed(self, value: Value, width: int) -> Value:
        number, signed = int(self.world.number(value)), getattr(value.type, "signed", False)
        number &= (1 << width) - 1
        if signed and number >> (width - 1):
            number -= 1 << width
        return Value(value.type, number, tags=value.tags)

    def store(self, node: Node, place: Place, value: Value) -> Value:
        type_ = place.type
        if isinstance(type_, Record):
            self.copy(place.address, value, type_)
            self.stores(node, place, value)
            return value
        if not isinstance(type_, Integer | Floating | Pointer):
            raise StuckError("type")
        value = self.converted(value, type_)
        if place.bits is not None:
            value = self.narrowed(value, place.bits[1])
        if self.world.kind(place.address) == CONST:
            raise StuckError("constant")
        self.stores(node, place, value)
        self.world.put(place.cell, type_.size, value)
        return value

    def copy(self, to: int, value: Value, type_: Record) -> None:
        """A structure as a whole, scalar by scalar."""
        if not isinstance(value.type, Record) or not isinstance(value.number, int):
            raise StuckError("structure")
        world, start = self.world, value.number
        if start == to:
            return
        size, scalars = self.size(type_), []
        for byte, bits, scalar in self.scalars(type_):
            cell: Cell = start + byte if bits is None else (start + byte, bits[0])
            found = world.held(cell, scalar.size) if bits is not None or cell in world.cells else None
            if found is None and world.kind(start) == FREE:
                world.reserve(cell, scalar.size)
                found = world.unmet(start + byte, scalar, Token(-1, False))
                world.set(world.cells, cell, found)
            if found is not None:
                scalars.append((to + byte if bits is None else (to + byte, bits[0]), scalar.size, found))
        world.fill(to, size, OWN)
        for at, width, held in scalars:
            world.put(at, width, held)

    def scalars(self, type_: CType, byte: int = 0) -> list[Part]:
        """The scalars in a type: byte, bits and type. Of a union those of the first member."""
        match type_:
            case Integer() | Floating() | Pointer():
                return [(byte, None, type_)]
            case Array(element=element, length=int(length)) if length <= MOST_COPIED:
                size = self.size(element)
                return [s for k in range(length) for s in self.scalars(element, byte + k * size)]
            case Array(length=None):
                return []
            case Record():
                found: list[Part] = []
                seen = 0
                for m in self.layout(type_).members:
                    if m.bit_width is not None and isinstance(m.type, Integer):
                        found.append((byte + m.offset, (m.bit_offset, m.bit_width), m.type))
                    elif m.offset >= seen:
                        seen = m.offset + (size_of(m.type, self.unit.layouts) or 0)
                        found += self.scalars(m.type, byte + m.offset)
                return found
            case _:
                raise StuckError("type")

    # --- types

    def size(self, type_: CType) -> int:
        found = size_of(type_, self.unit.layouts)
        if found is None:
            raise StuckError("size")
        return found

    def layout(self, type_: CType) -> Layout:
        found = self.unit.layouts.get(type_.key) if isinstance(type_, Record) else None
        if found is None:
            raise StuckError("structure")
        return found

    def member(self, type_: CType, name: str) -> Member:
        found = self.layout(type_).member(name)
        if found is None:
            raise StuckError(name)
        return found

    # --- values

    def truth(self, value: Value) -> bool:
        return self.world.number(value) != 0

    def converted(self, value: Value, type_: CType) -> Value:
        if isinstance(type_, Void):
            return Value(type_, 0)
        if isinstance(type_, Record):
            return value
        if value.number is None and _same_size(value.type, type_):
            return Value(type_, None, value.token, value.tags)
        number = self.world.number(value)
        match type_:
            case Integer() if isinstance(value.type, Pointer) and type_.size < self.word:
                raise StuckError("address as a number")
            case Integer() | Floating():
                return Value(type_, converted(number, type_), tags=value.tags)
            case Pointer():
                return Value(type_, int(number), tags=value.tags)
            case _:
                raise StuckError("type")



def _same_size(a: CType, b: CType) -> bool:
    if isinstance(a, Pointer) or isinstance(b, Pointer):
        return isinstance(a, Pointer) and isinstance(b, Pointer)
    if not isinstance(a, Integer) or not isinstance(b, Integer):
        return False
    return (a.size, a.signed, a.name) == (b.size, b.signed, b.name)
