"""Memory while a piece of the program runs, with contents that are chosen when somebody looks at them.

*Decides*: what is at an address. An address is a number: that of an object, and a byte in it. What nobody stored, and
the program may hold anything in, is an *open* value: copies of it are open, too, until one of them is looked at.
Everything can be taken back to a `mark`.
*Errs toward* `StuckError`: null pointers, two views of one byte, objects of the function's own that were never set,
constants of which the value is not known, memory that was given back.

    x = p->n; if (x > 3) ...      ->  p->n is chosen where `x > 3` looks at x
"""

from collections.abc import Callable, Hashable
from random import Random
from typing import Any

from msgspec import Struct, field

from ...ir.arithmetic import modulo, value_range
from ...source.ctypes import CType, Floating, Integer, Pointer
from ..witness.arithmetic import Number, StuckError, converted

SHIFT = 32
"""Bits of the byte in an object."""

START = 1 << 20
"""The first byte of an object: before it is nothing."""

FREE, OWN, ZERO, HEAP, CONST, FUNCTION, GONE = "free", "own", "zero", "heap", "const", "function", "gone"
"""What an object holds that nobody stored: anything; nothing yet; zeros; nothing yet; a value that is known, or not;
no object but a function; it was given back."""

Cell = int | tuple[int, int]
"""The address of a scalar; of a bit-field, with its first bit."""

NONE: frozenset[int] = frozenset()

PRODUCT = 0
"""Among the tags of a value: it was made by a product, as the place of a row in a plane is. Sizes that nobody chose let
rows overlap, which programs do not."""


class Value(Struct, frozen=True):
    """A number of a C type, or what is open as yet (`token`). `tags`: what it was computed from: the numbers of tokens,
    and of flows (negative), `PRODUCT`."""

    type: CType
    number: Number | None
    token: int = -1
    tags: frozenset[int] = NONE


class Token(Struct, frozen=True):
    """An open value: in which iteration it was met first, and whether iterations before met other ones there. `called`:
    a call gave it."""

    iteration: int
    anew: bool
    called: bool = False


class Object(Struct, frozen=True):
    """`size` in bytes, if known. `contents`: what is read at a byte of it, where that is known."""

    size: int | None = None
    contents: Callable[[int, CType], Number] | None = None


class World(Struct):
    """Objects, and what they hold."""

    draw: Random
    cells: dict[Cell, Value] = field(default_factory=dict)
    sizes: dict[int, int] = field(default_factory=dict)
    objects: dict[int, Object] = field(default_factory=dict)
    kinds: dict[int, str] = field(default_factory=dict)
    tokens: dict[int, Token] = field(default_factory=dict)
    chosen: dict[int, Number] = field(default_factory=dict)
    ranges: dict[int, tuple[tuple[int, int, str], ...]] = field(default_factory=dict)
    """Of an object: bytes from and to, that were stored to as a whole, and what they hold since."""
    journal: list[tuple[dict[Any, Any], Hashable, Any]] = field(default_factory=list)
    hints: tuple[Number, ...] = ()
    """What the next choices may be compared with."""
    drawing: bool = False
    """Whether a condition did not come out as wished with the first choices."""
    made: int = 0
    drawn: int = 0
    """How often something was chosen."""

    # --- what can be taken back

    def set(self, held: dict[Any, Any], key: Hashable, value: object) -> None:
        self.journal.append((held, key, held.get(key)))
        held[key] = value

    def drop(self, held: dict[Any, Any], key: Hashable) -> None:
        if key in held:
            self.journal.append((held, key, held.pop(key)))

    @property
    def mark(self) -> int:
        return len(self.journal)

    def take_back(self, mark: int) -> None:
        journal = self.journal
        while len(journal) > mark:
            held, key, before = journal.pop()
            if before is None:
                held.pop(key, None)
            else:
                held[key] = before

    # --- objects

    def object(self, kind: str, size: int | None = None, contents: Callable[[int, CType], Number] | None = None) -> int:
        """The address of a new object. Objects do not lie in even steps."""
        self.made += self.draw.randrange(1, 8)
        self.set(self.objects, self.made, Object(size, contents))
        self.set(self.kinds, self.made, kind)
        return (self.made << SHIFT) + START

    def kind(self, address: int) -> str:
        found = self.kinds.get(address >> SHIFT)
        if found is None:
            raise StuckError("null pointer")
        return found

    # --- values

    def open(self, type_: CType, token: Token) -> Value:
        self.made += 1
        self.set(self.tokens, self.made, token)
        return Value(type_, None, self.made, frozenset((self.made,)))

    def number(self, value: Value) -> Number:
        """The number of a value, chosen now if it is open."""
        if value.number is not None:
            return value.number
        found = self.chosen.get(value.token)
        if found is None:
            found = self.pick(value.type)
            self.set(self.chosen, value.token, found)
        return converted(found, value.type)

    def followed(self, pointer: Value) -> int:
        """Where a pointer leads to: one that is open leads somewhere."""
        if pointer.number is None and pointer.token not in self.chosen:
            self.drawn += 1
            self.set(self.chosen, pointer.token, self.object(FREE))
        return int(self.number(pointer))

    def same(self, a: Value, b: Value) -> bool:
        """Whether two values are certainly the same."""
        if a.number is None and a.token == b.token:
            return True
        x, y = (v.number if v.number is not None else self.chosen.get(v.token) for v in (a, b))
        return x is not None and x == y

    def toss(self, share: float = 0.5) -> bool:
        """Either, by chance."""
        self.drawn += 1
        return self.draw.random() < share

    def pick(self, type_: CType) -> Number:
        draw = self.draw
        self.drawn += 1
        match type_:
            case Pointer():
                known = [v for v in self.hints if v]
                if known and draw.random() < 0.4:
                    return draw.choice(known)
                return 0 if draw.random() < (0.4 if self.drawing else 0.05) else self.object(FREE)
            case Integer():
                low, high = value_range(type_)
                pool = self.hints if self.hints and draw.random() < 0.7 else (0, 1, 2, 3, 5)
                return modulo(max(low, min(high, int(draw.choice(pool)))), type_)
            case Floating():
                return draw.choice(self.hints or (-2, 0, 1, 3))
            case _:
                raise StuckError("no number")

    # --- memory

    def held(self, cell: Cell, size: int) -> Value | None:
        """What is in a cell, if something was met there."""
        found = self.cells.get(cell)
        if found is not None and isinstance(cell, int) and self.sizes[cell] != size:
            raise StuckError("two views of one byte")
        return found

    def unmet(self, address: int, type_: CType, token: Token) -> Value:
        """What is in a cell that nothing was met in."""
        number, byte = address >> SHIFT, (address & (1 << SHIFT) - 1) - START
        kind, x = self.kind(address), self.objects[number]
        for first, end, since in reversed(self.ranges.get(number, ())):
            if first <= byte < end:
                kind = since
                break
        if kind == FREE:
            return self.open(type_, token)
        if kind == ZERO:
            return Value(type_, 0)
        if kind == CONST and x.contents is not None:
            return Value(type_, x.contents(byte, type_))
        raise StuckError(f"{kind} memory")

    def reserve(self, cell: Cell, size: int) -> None:
        """Every byte belongs to one scalar; none is outside of its object."""
        if not isinstance(cell, int):
            self.kind(cell[0])
            return
        byte, x = (cell & (1 << SHIFT) - 1) - START, self.objects.get(cell >> SHIFT)
        if x is None or self.kinds[cell >> SHIFT] in (FUNCTION, GONE):
            raise StuckError("null pointer")
        if x.size is not None and not 0 <= byte <= x.size - size:
            raise StuckError("outside")
        known = self.sizes.get(cell)
        if known is None:
            sizes = self.sizes
            for at in range(cell - 15, cell + size):
                width = sizes.get(at)
                if width is not None and at + width > cell:
                    raise StuckError("two views of one byte")
            self.set(sizes, cell, size)
        elif known != size:
            raise StuckError("two views of one byte")

    def put(self, cell: Cell, size: int, value: Value) -> None:
        self.reserve(cell, size)
        self.set(self.cells, cell, value)

    def fill(self, address: int, size: int, kind: str) -> None:
        """Stores to bytes as a whole: they are zeros, or may be anything."""
        number, byte = address >> SHIFT, (address & (1 << SHIFT) - 1) - START
        if self.kind(address) in (CONST, FUNCTION, GONE) or size < 0:
            raise StuckError("no object")
        for cell in self.within(address, size):
            self.drop(self.cells, cell)
            if isinstance(cell, int):
                self.drop(self.sizes, cell)
        self.set(self.ranges, number, (*self.ranges.get(number, ()), (byte, byte + size, kind)))

    def within(self, address: int, size: int) -> list[Cell]:
        """Cells that something was met in."""
        end = address + size
        return [c for c in self.cells if address <= (c if isinstance(c, int) else c[0]) < end]
