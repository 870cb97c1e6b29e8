"""The nodes of expressions. Only the constructors of `algebra` build them, and keep them in normal form.

Expr = Num | Sym | Add | Mul | Div | FloorDiv | Mod | Min | Max | Piecewise
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, cast

Number: TypeAlias = int | Fraction | float


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


@dataclass(frozen=True, slots=True)
class Num(Operators):
    """A number, never infinite."""

    value: Number


@dataclass(frozen=True, slots=True)
class Sym(Operators):
    """The value of a size or weight."""

    name: str


@dataclass(frozen=True, slots=True)
class Add(Operators):
    """Two or more terms, each a number, an atom or a `Mul`, highest degree first."""

    terms: "tuple[Expr, ...]"


@dataclass(frozen=True, slots=True)
class Mul(Operators):
    """An optional leading number, then atoms in order; a power is a repeated atom."""

    factors: "tuple[Expr, ...]"


@dataclass(frozen=True, slots=True)
class Div(Operators):
    """A real quotient without common factors."""

    numerator: "Expr"
    denominator: "Expr"


@dataclass(frozen=True, slots=True)
class FloorDiv(Operators):
    """The quotient rounded towards minus infinity."""

    numerator: "Expr"
    denominator: "Expr"


@dataclass(frozen=True, slots=True)
class Mod(Operators):
    """numerator - denominator * floor(numerator / denominator)."""

    numerator: "Expr"
    denominator: "Expr"


@dataclass(frozen=True, slots=True)
class Min(Operators):
    """The least of two or more, in order."""

    arguments: "tuple[Expr, ...]"


@dataclass(frozen=True, slots=True)
class Max(Operators):
    """The greatest of two or more, in order."""

    arguments: "tuple[Expr, ...]"


@dataclass(frozen=True, slots=True)
class Piecewise(Operators):
    """The value of the first case whose condition is >= 0, or else `otherwise`."""

    cases: "tuple[tuple[Expr, Expr], ...]"
    otherwise: "Expr"


Expr: TypeAlias = Num | Sym | Add | Mul | Div | FloorDiv | Mod | Min | Max | Piecewise
Operand: TypeAlias = Expr | int | Fraction | float

ZERO = Num(0)
ONE = Num(1)


def _self(value: Operators) -> Expr:
    return cast("Expr", value)
