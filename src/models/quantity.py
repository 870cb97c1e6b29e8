"""Formulas with a range: what a count or a time is at least, most likely and at most."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from .expr import ZERO, Expr, Operand, add, as_expr, div, evaluate, free_symbols, maximum, mul

Sizes: TypeAlias = Mapping[str, Any]
"""Values of size symbols."""


End: TypeAlias = Literal["low", "likely", "high"]
"""Of a time: the low end takes the best of every figure, the high end the worst."""

ENDS: tuple[End, ...] = ("low", "likely", "high")


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
        return _end_by_end(add, self, other)

    def __mul__(self, other: "Quantity | Operand") -> "Quantity":
        return _end_by_end(mul, self, other if isinstance(other, Quantity) else exactly(other))

    def over(self, divisor: Expr) -> "Quantity":
        """Divided by something positive."""
        return _end_by_end(div, self, exactly(divisor))

    @property
    def is_exact(self) -> bool:
        """Whether the three are one formula; False may be said of equal formulas that were made apart."""
        return self.likely is self.low is self.high

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
    return _end_by_end(maximum, left, right)


def spanning(base: Quantity, floor: Quantity) -> Quantity:
    """From the low end of `base` to the high end of `floor`; likely is the mean of the two likely values."""
    return Quantity(add(base.likely, floor.likely) / 2, base.low, floor.high)


def _end_by_end(operation: Callable[[Expr, Expr], Expr], left: Quantity, right: Quantity) -> Quantity:
    """The operation of the likely, low and high formulas; once only where all three are the same formula."""
    likely = operation(left.likely, right.likely)
    if left.is_exact and right.is_exact:
        return Quantity(likely, likely, likely)
    return Quantity(likely, operation(left.low, right.low), operation(left.high, right.high))


NOTHING = exactly(0)
