"""Formulas with a range: what a count or a time is at least, most likely and at most."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from .expr import ZERO, Expr, Operand, add, as_expr, evaluate, free_symbols, maximum

Sizes: TypeAlias = Mapping[str, Any]
"""Values of size symbols."""


class Range(Struct, frozen=True):
    """Numbers, low <= likely <= high."""

    low: float
    likely: float
    high: float


class Quantity(Struct, frozen=True):
    """A formula >= 0; where it depends on data (branches with weights) or on uncertain figures also the least and the
    greatest it can be. Quantities add, multiply and compare end by end, as what is never negative does."""

    likely: Expr
    low: Expr
    high: Expr

    def __add__(self, other: "Quantity") -> "Quantity":
        return Quantity(self.likely + other.likely, self.low + other.low, self.high + other.high)

    def __mul__(self, other: "Quantity | Operand") -> "Quantity":
        factor = other if isinstance(other, Quantity) else exactly(other)
        return Quantity(self.likely * factor.likely, self.low * factor.low, self.high * factor.high)

    def over(self, divisor: Expr) -> "Quantity":
        """Divided by something positive."""
        return Quantity(self.likely / divisor, self.low / divisor, self.high / divisor)

    @property
    def is_zero(self) -> bool:
        return self.high == ZERO

    @property
    def symbols(self) -> frozenset[str]:
        return free_symbols(self.low) | free_symbols(self.likely) | free_symbols(self.high)

    def at(self, sizes: Sizes) -> Range | None:
        """Its values; None where a size is not known."""
        if not self.symbols <= set(sizes):
            return None
        return Range(*(float(evaluate(formula, sizes)) for formula in (self.low, self.likely, self.high)))


def exactly(value: Operand) -> Quantity:
    """A quantity without doubt."""
    expr = as_expr(value)
    return Quantity(expr, expr, expr)


def between(low: Operand, likely: Operand, high: Operand) -> Quantity:
    return Quantity(as_expr(likely), as_expr(low), as_expr(high))


def larger(left: Quantity, right: Quantity) -> Quantity:
    """The maximum of the two, end by end."""
    return Quantity(maximum(left.likely, right.likely), maximum(left.low, right.low), maximum(left.high, right.high))


def spanning(base: Quantity, floor: Quantity) -> Quantity:
    """From the low end of `base` to the high end of `floor`; likely is the mean of the two likely values."""
    return Quantity(add(base.likely, floor.likely) / 2, base.low, floor.high)


NOTHING = exactly(0)
