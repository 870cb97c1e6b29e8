"""The nodes of expressions. Only the constructors of `algebra` build them, and keep them in normal form.

Expr = Num | Sym | Add | Mul | Div | FloorDiv | Mod | Gcd | Min | Max | Piecewise
"""

from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from typing import TypeAlias, TypeVar, cast

from msgspec import Struct

Number: TypeAlias = int | Fraction | float
Asked = TypeVar("Asked")
Found = TypeVar("Found")


class Operators:
    """`+ - * / // %` of expressions with each other and with numbers."""

    __slots__ = ()

    def __add__(self, other: "Operand") -> "Expr":
        from .algebra import add

        return add(_self(self), other)

    def __radd__(self, other: Number) -> "Expr":
        from .algebra import add

        return add(other, _self(self))

    def __sub__(self, other: "Operand") -> "Expr":
        from .algebra import add, mul

        return add(_self(self), mul(-1, other))

    def __rsub__(self, other: Number) -> "Expr":
        from .algebra import add, mul

        return add(other, mul(-1, _self(self)))

    def __mul__(self, other: "Operand") -> "Expr":
        from .algebra import mul

        return mul(_self(self), other)

    def __rmul__(self, other: Number) -> "Expr":
        from .algebra import mul

        return mul(other, _self(self))

    def __truediv__(self, other: "Operand") -> "Expr":
        from .algebra import div

        return div(_self(self), other)

    def __rtruediv__(self, other: Number) -> "Expr":
        from .algebra import div

        return div(other, _self(self))

    def __floordiv__(self, other: "Operand") -> "Expr":
        from .algebra import floordiv

        return floordiv(_self(self), other)

    def __mod__(self, other: "Operand") -> "Expr":
        from .algebra import mod

        return mod(_self(self), other)

    def __neg__(self) -> "Expr":
        from .algebra import mul

        return mul(-1, _self(self))

    def __str__(self) -> str:
        from .text import to_text

        return to_text(_self(self))


def remembered(slot: str) -> Callable[[Callable[[Asked], Found]], Callable[[Asked], Found]]:
    """For functions of one frozen value, such as an expression: what they find is kept in its `__dict__`, under `slot`;
    it is no part of the value. Expressions never change, and their parts are shared by many. (A cache by value would
    confuse the equal `2` and `2.0`.)"""

    def wrap(function: Callable[[Asked], Found]) -> Callable[[Asked], Found]:
        @wraps(function)
        def ask(expr: Asked) -> Found:
            known = expr.__dict__
            try:
                found: Found = known[slot]
            except KeyError:
                found = known[slot] = function(expr)
            return found

        return ask

    return wrap


class Num(Operators, Struct, frozen=True, dict=True, cache_hash=True):
    """A number, never infinite."""

    value: Number


class Sym(Operators, Struct, frozen=True, dict=True, cache_hash=True):
    """The value of a size or weight."""

    name: str


class Add(Operators, Struct, frozen=True, dict=True, cache_hash=True):
    """Two or more terms, each a number, an atom or a `Mul`, highest degree first."""

    terms: "tuple[Expr, ...]"


class Mul(Operators, Struct, frozen=True, dict=True, cache_hash=True):
    """An optional leading number, then atoms in order; a power is a repeated atom."""

    factors: "tuple[Expr, ...]"


class Div(Operators, Struct, frozen=True, dict=True, cache_hash=True):
    """A real quotient without common factors."""

    numerator: "Expr"
    denominator: "Expr"


class FloorDiv(Operators, Struct, frozen=True, dict=True, cache_hash=True):
    """The quotient rounded towards minus infinity."""

    numerator: "Expr"
    denominator: "Expr"


class Mod(Operators, Struct, frozen=True, dict=True, cache_hash=True):
    """numerator - denominator * floor(numerator / denominator)."""

    numerator: "Expr"
    denominator: "Expr"


class Gcd(Operators, Struct, frozen=True, dict=True, cache_hash=True):
    """The greatest common divisor of a whole number and `limit` >= 1."""

    value: "Expr"
    limit: int


class Min(Operators, Struct, frozen=True, dict=True, cache_hash=True):
    """The least of two or more, in order."""

    arguments: "tuple[Expr, ...]"


class Max(Operators, Struct, frozen=True, dict=True, cache_hash=True):
    """The greatest of two or more, in order."""

    arguments: "tuple[Expr, ...]"


class Piecewise(Operators, Struct, frozen=True, dict=True, cache_hash=True):
    """The value of the first case whose condition is >= 0, or else `otherwise`."""

    cases: "tuple[tuple[Expr, Expr], ...]"
    otherwise: "Expr"


Expr: TypeAlias = Num | Sym | Add | Mul | Div | FloorDiv | Mod | Gcd | Min | Max | Piecewise
Operand: TypeAlias = Expr | int | Fraction | float

ZERO = Num(0)
ONE = Num(1)


def _self(value: Operators) -> Expr:
    return cast("Expr", value)
