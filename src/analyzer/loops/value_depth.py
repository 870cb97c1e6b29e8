"""The nesting depth of values: `x = p[x];` a thousand times is a load of a load of a load ...

*Decides*: whether a value is still followed. Whatever goes through it goes down level by level, in every loop that uses
it, and no program has subscripts that nest so deep.
*Errs toward* values that are not followed: `Computed`, which may be any number.
"""

from collections.abc import Iterable

from msgspec import Struct, field
from msgspec.structs import replace

from ..ir.nodes import (
    Computed,
    Loaded,
    Object,
    Origin,
    Outermost,
    Quotient,
    Remainder,
    Rows,
    Steps,
    made_of,
)
from ..ir.polynomials import Symbol
from ..ir.symbols import Key

DEEPEST = 100
"""Symbols inside each other. The deepest of NPB, redis or SQLite has 12."""


class Nesting(Struct):
    """Of the symbols of one function, by key."""

    deep: dict[Key, int] = field(default_factory=dict)

    def bounded(self, made: Symbol, otherwise: Origin) -> Symbol:
        """The symbol, with another origin where its own is nested too deep."""
        deep = 1 + max((self.deep.get(s.key, 0) for s in _inside(made.origin)), default=0)
        if deep > DEEPEST:
            made, deep = replace(made, origin=otherwise), 0
        self.deep[made.key] = deep
        return made


def is_followed(object_: Object) -> bool:
    """Whether pointers that are read from memory, one behind the other, are not too many to be told apart."""
    deep = 0
    while isinstance(object_, Rows):
        object_, deep = object_.base, deep + 1
    return deep <= DEEPEST


def _inside(origin: Origin) -> Iterable[Symbol]:
    match origin:
        case Loaded(access=access):
            return [s for subscript in access.subscripts for s in subscript.index.symbols]
        case Quotient(value=value) | Remainder(value=value):
            return value.symbols
        case Computed(meaning=meaning) if not isinstance(meaning, Steps | Outermost):
            return made_of(origin)
        case _:
            return ()
