"""Numbers that a model computes with: floats where every size is known, else trees of operations over counts.

The equations of a model are written once, for both. A tree is not simplified while it is built, which would cost more
than all the rest of a prediction; it is read in three ways, each when somebody asks: as a number for given sizes
(`number`), as a formula of `models.expr` (`formula`), as a curve over one size (`models.curves`).
"""

import math
import operator
from collections.abc import Callable
from functools import reduce
from typing import Literal, TypeAlias, assert_never

from msgspec import Struct

from .expr import (
    Expr,
    Num,
    add,
    as_expr,
    div,
    evaluate,
    free_symbols,
    gcd,
    known_value,
    maximum,
    minimum,
    mul,
    piecewise,
)
from .expr import size as size_of
from .expr.nodes import remembered
from .quantity import NOTHING, Quantity, Sizes

Operation: TypeAlias = Literal["+", "*", "/", "max", "min", "if"]


class Tree(Struct, frozen=True, eq=False, dict=True):
    """`operation` of `arguments`; a count that depends on a size is a leaf, an `Expr`. `if`: the second argument where
    the first is >= 0, else the third."""

    operation: Operation
    arguments: "tuple[Value | Expr, ...]"

    def __add__(self, other: "Value") -> "Value":
        return Tree("+", (self, other)) if other.__class__ is Tree or other else self

    def __radd__(self, other: float) -> "Value":
        return Tree("+", (other, self)) if other else self

    def __sub__(self, other: "Value") -> "Value":
        return self + other * -1.0

    def __rsub__(self, other: float) -> "Value":
        return Tree("+", (other, self * -1.0))

    def __mul__(self, other: "Value") -> "Value":
        if other.__class__ is float or other.__class__ is int:
            if self.operation == "*" and self.arguments[0].__class__ is float:
                return self.arguments[1] * (other * self.arguments[0])  # type: ignore[return-value]
            return 0.0 if not other else self if other == 1 else Tree("*", (float(other), self))
        return Tree("*", (self, other))

    __rmul__ = __mul__

    def __truediv__(self, other: "Value") -> "Value":
        if other.__class__ is float:
            return self * (1 / other)
        return Tree("/", (self, other))

    def __rtruediv__(self, other: float) -> "Value":
        return Tree("/", (other, self)) if other else 0.0


Value: TypeAlias = float | Tree


def value_of(expr: Expr, sizes: Sizes) -> Value:
    """The count as a number where `sizes` has all of its symbols."""
    if expr.__class__ is Num:
        return float(expr.value)
    known = known_value(expr, sizes)
    return Tree("+", (expr,)) if known is None else known


def largest(*values: Value) -> Value:
    """Example: `largest(2.0, 3.0)` is 3.0."""
    return _extreme("max", max, values)


def least(*values: Value) -> Value:
    return _extreme("min", min, values)


def _extreme(name: Operation, choose: Callable[..., float], values: tuple[Value, ...]) -> Value:
    trees = [value for value in values if value.__class__ is Tree]
    known: list[float] = [value for value in values if value.__class__ is not Tree]  # type: ignore[misc]
    if not trees:
        return choose(known)
    numbers: list[Value] = [choose(known)] if known else []
    if name == "max" and numbers == [0.0]:
        numbers = []  # nothing is negative
    parts = (*trees, *numbers)
    return parts[0] if len(parts) == 1 else Tree(name, parts)


def common_divisor(value: Value, limit: int) -> Value:
    """The greatest one of a whole number and `limit`. Example: `common_divisor(24.0, 16)` is 8.0."""
    if value.__class__ is not Tree:
        return float(math.gcd(int(value), limit))  # type: ignore[arg-type]
    return Tree("+", (gcd(formula(value), limit),))


def where(condition: Value, then: Value, otherwise: Value) -> Value:
    """`then` where `condition` >= 0."""
    if condition.__class__ is not Tree:
        return then if condition >= 0 else otherwise  # type: ignore[operator]
    return then if then is otherwise else Tree("if", (condition, then, otherwise))


# --- reading


def symbols(value: Value) -> frozenset[str]:
    """The sizes it depends on."""
    if value.__class__ is not Tree:
        return frozenset()
    return _symbols(value)


@remembered("_symbols")
def _symbols(tree: Tree) -> frozenset[str]:
    return frozenset[str]().union(*map(free_symbols, leaves(tree)))


@remembered("_leaves")
def leaves(tree: Tree) -> tuple[Expr, ...]:
    """The counts it is made of, each once. A loop, since sums over many arrays are deep."""
    found: dict[int, Expr] = {}
    seen: set[int] = set()
    waiting: list[Value | Expr] = [*tree.arguments]
    while waiting:
        part = waiting.pop()
        if part.__class__ is float:
            continue
        if isinstance(part, Tree):
            if id(part) not in seen:
                seen.add(id(part))
                known = part.__dict__.get("_leaves")
                if known is None:
                    waiting.extend(part.arguments)
                else:
                    found.update((id(leaf), leaf) for leaf in known)
        elif not isinstance(part, float | int):
            found[id(part)] = part
    return tuple(found.values())


@remembered("_size")
def _size(tree: Tree) -> int:
    return sum(map(size, tree.arguments))


def size(value: Value | Expr) -> int:
    """How many numbers and symbols its text has; parts that it has several times are written as often.

    Example: of `Tree("*", (2.5, Tree("+", (n, 1.0))))` it is 3."""
    if isinstance(value, float | int):
        return 1
    return _size(value) if isinstance(value, Tree) else size_of(value)


Known: TypeAlias = dict[int, tuple[object, float]]
"""Values of parts by identity, and the parts, so that no other takes their identity."""


def number(value: Value | Expr, sizes: Sizes, known: Known | None = None) -> float:
    """Its value for these sizes; `known` keeps those of its parts, for other values at the same sizes.

    UnboundSymbolError where a size is missing, ZeroDivisionError for a division by 0."""
    if value.__class__ is not Tree and isinstance(value, float | int):
        return value
    known = {} if known is None else known
    found = known.get(id(value))
    if found is None:
        found = known[id(value)] = (value, _number(value, sizes, known))
    return found[1]


def _number(value: Tree | Expr, sizes: Sizes, known: Known) -> float:
    if not isinstance(value, Tree):
        return float(evaluate(value, sizes))
    if value.operation == "if":
        condition, then, otherwise = value.arguments
        return number(then if number(condition, sizes, known) >= 0 else otherwise, sizes, known)
    parts = [part if part.__class__ is float else number(part, sizes, known) for part in value.arguments]
    return float(reduce(_NUMBERS[value.operation], parts))


_NUMBERS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "*": operator.mul,
    "/": operator.truediv,
    "max": max,
    "min": min,
}


Formulas: TypeAlias = dict[int, tuple[object, Expr]]
"""Formulas of parts by identity, as `Known`."""


def formula(value: Value | Expr, known: Formulas | None = None) -> Expr:
    """As an expression in normal form; `known` keeps those of its parts."""
    if not isinstance(value, Tree):
        return as_expr(value)
    known = {} if known is None else known
    found = known.get(id(value))
    if found is None:
        found = known[id(value)] = (value, _joined(value.operation, [formula(part, known) for part in value.arguments]))
    return found[1]


def _joined(operation: Operation, parts: list[Expr]) -> Expr:
    match operation:
        case "+":
            return add(*parts)
        case "*":
            return mul(*parts)
        case "/":
            return div(parts[0], parts[1])
        case "max":
            return maximum(*parts)
        case "min":
            return minimum(*parts)
        case "if":
            return piecewise([(parts[0], parts[1])], parts[2])
        case _:
            assert_never(operation)


# --- times


class Ends(Struct, frozen=True):
    """A time at its three ends."""

    low: Value
    likely: Value
    high: Value


def symbols_of(time: Quantity | Ends) -> frozenset[str]:
    """The sizes that a time depends on."""
    if isinstance(time, Quantity):
        return time.symbols
    return symbols(time.low) | symbols(time.likely) | symbols(time.high)


def as_quantity(time: Quantity | Ends) -> Quantity:
    """As formulas."""
    if isinstance(time, Quantity):
        return time
    known: Formulas = {}
    return Quantity(*(formula(end, known) for end in (time.likely, time.low, time.high)))


NO_TIME = NOTHING


def divisor(value: Value) -> Value:
    """What to divide by where a count may be 0: a loop without iterations takes no time."""
    return 1.0 if value.__class__ is not Tree and value == 0 else value
