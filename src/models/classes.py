"""Algorithm classes as values: which data a work-unit reads and writes, and how much of it.

A class is written `[unordered] DIMS|pattern[(EXTENT)] [∧ ...] → DIMS|pattern[(EXTENT)] [∧ ...]` (Nugteren and
Corporaal's 2011 classification, as used in "The Boat Hull Model", 2012, §3.2). `notation` reads and writes
the text.
"""

from collections.abc import Mapping
from enum import Enum

from msgspec import Struct

from .errors import InputError
from .expr import ONE, Expr, Num, Number, ceildiv, div, evaluate, free_symbols, mul


class Pattern(Enum):
    """How the work-units share one structure."""

    ELEMENT = "element"
    """One element per work-unit."""
    NEIGHBOURHOOD = "neighbourhood"
    """An element and those around it: the parts that work-units read overlap."""
    TILE = "tile"
    """A part of its own per work-unit."""
    SHARED = "shared"
    """Written by several work-units, which are combined (outputs only)."""
    FULL = "full"
    """The whole structure is read by every work-unit (inputs only)."""


LONGEST = 2**62
WITH_EXTENT = (Pattern.NEIGHBOURHOOD, Pattern.TILE)


class ClassError(InputError):
    """A class that says nothing sensible; the message says what is wrong."""


class Operand(Struct, frozen=True):
    """One structure: its lengths (outermost first, the last dimension is contiguous), pattern, and for neighbourhoods
    and tiles their lengths, which apply to the last dimensions when fewer are given.

    The lengths are those of what is touched. So the second snippet of the paper's listing 1, `B[i]` from `A[i-1]` to
    `A[i+1]`, is `(K + 2)|neighbourhood(3) → K|element`, where the paper writes K for both."""

    dims: tuple[Expr, ...]
    pattern: Pattern
    extent: tuple[Expr, ...] = ()

    @property
    def size(self) -> Expr:
        """Number of elements of the structure."""
        return mul(*self.dims)

    @property
    def full_extent(self) -> tuple[Expr, ...]:
        """The extent with a length for every dimension."""
        return (ONE,) * (len(self.dims) - len(self.extent)) + self.extent

    @property
    def per_unit(self) -> Expr:
        """Elements that one work-unit reads or writes."""
        match self.pattern:
            case Pattern.ELEMENT | Pattern.SHARED:
                return ONE
            case Pattern.NEIGHBOURHOOD | Pattern.TILE:
                return mul(*self.extent)
            case Pattern.FULL:
                return self.size

    @property
    def units(self) -> Expr:
        """Number of elements or tiles in the structure."""
        if self.pattern is not Pattern.TILE:
            return self.size
        return mul(*(_parts(n, tile) for n, tile in zip(self.dims, self.full_extent, strict=True)))


class AlgorithmClass(Struct, frozen=True):
    """Inputs (none: `void`) and outputs; `unordered`: which output element an input leads to is not said."""

    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    unordered: bool = False

    @property
    def lengths(self) -> tuple[Expr, ...]:
        """Of all its structures and of the parts of them that a work-unit has."""
        return tuple(n for o in (*self.inputs, *self.outputs) for n in (*o.dims, *o.extent))

    @property
    def symbols(self) -> frozenset[str]:
        """The sizes that it depends on."""
        return frozenset().union(*map(free_symbols, self.lengths))

    def __str__(self) -> str:
        from .notation import class_text

        return class_text(self)


def check(algorithm: AlgorithmClass) -> AlgorithmClass:
    """`algorithm` itself, or ClassError for what the notation can write but no algorithm can be."""
    if not algorithm.outputs:
        raise ClassError("a class needs an output")
    for operand in algorithm.inputs:
        if operand.pattern is Pattern.SHARED:
            raise ClassError("shared is a pattern of outputs; an input that everyone reads is full")
    for operand in algorithm.outputs:
        if operand.pattern in (Pattern.FULL, Pattern.NEIGHBOURHOOD):
            raise ClassError(f"{operand.pattern.value} is a pattern of inputs")
    for operand in (*algorithm.inputs, *algorithm.outputs):
        _check_operand(operand)
    return algorithm


def check_sizes(algorithm: AlgorithmClass, sizes: Mapping[str, Number]) -> None:
    """ClassError for sizes that are no lengths, and where they make a length of the class none, as N = 1 does of
    `(N - 2)|element` and A = 5, U = 2 of `A/U|element`. Lengths with symbols that have no size are left alone."""
    for name, size in sizes.items():
        _check_length(name, size)
    given = ", ".join(f"{name} = {size}" for name, size in sizes.items())
    for operand in (*algorithm.inputs, *algorithm.outputs):
        for length in (*operand.dims, *operand.extent):
            names = free_symbols(length)
            if names and names <= set(sizes):
                _check_length(f"{length}, with {given},", evaluate(length, sizes))


def _check_length(name: str, value: Number) -> None:
    if not (1 <= value <= LONGEST and value % 1 == 0):
        raise ClassError(f"{name} is {float(value):.12g}: lengths are whole numbers from 1 to 2^62")


def is_scalar(operand: Operand) -> bool:
    return operand.size == ONE


def _check_operand(operand: Operand) -> None:
    name = operand.pattern.value
    if not operand.dims:
        raise ClassError(f"{name} needs the lengths of its structure")
    if (operand.pattern in WITH_EXTENT) != bool(operand.extent):
        raise ClassError(f"{name} needs an extent" if not operand.extent else f"{name} takes no extent")
    if len(operand.extent) > len(operand.dims):
        raise ClassError(f"the extent of {name} has more dimensions than its structure")
    for length in (*operand.dims, *operand.extent):
        if isinstance(length, Num) and not (isinstance(length.value, int) and 1 <= length.value <= LONGEST):
            raise ClassError(f"{length} is no length: lengths are whole numbers from 1 to 2^62")


def _parts(length: Expr, tile: Expr) -> Expr:
    """How many tiles cover `length`; a symbolic tile is taken to divide it."""
    if isinstance(length, Num) and isinstance(tile, Num):
        return ceildiv(length, tile)
    return div(length, tile)
