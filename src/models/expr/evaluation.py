"""Values of expressions: exact for Python numbers, element by element for numpy arrays; substitution."""

import math
import operator
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from typing import Any

from .algebra import add, as_expr, div, floordiv, gcd, maximum, minimum, mod, mul, piecewise
from .nodes import Add, Div, Expr, FloorDiv, Gcd, Max, Min, Mod, Mul, Num, Operand, Piecewise, Sym, remembered


class UnboundSymbolError(KeyError):
    """A symbol of the expression has no value."""

    def __str__(self) -> str:
        return f"no value for the symbol {self.args[0]}"


def evaluate(expr: Expr, values: Mapping[str, Any]) -> Any:
    """The value, given a value for each symbol: int, Fraction, float or numpy array.

    Exact when all values are int or Fraction (an integral result is an int). Arrays are taken as float64, so
    that products cannot overflow; beyond 2^53 they are rounded. UnboundSymbolError for a symbol without a
    value, ZeroDivisionError for a scalar division by zero."""
    if isinstance(expr, Num):
        return expr.value
    prepared = {name: _prepared(value) for name, value in values.items()}
    result = _value(expr, prepared)
    return result.numerator if isinstance(result, Fraction) and result.denominator == 1 else result


@remembered("_symbols")
def free_symbols(expr: Expr) -> frozenset[str]:
    """The names of the symbols that occur in `expr`."""
    if isinstance(expr, Sym):
        return frozenset((expr.name,))
    return frozenset(name for part in operands(expr) for name in free_symbols(part))


@remembered("_size")
def size(expr: Expr) -> int:
    """How many numbers and symbols are written in `expr`.

    Example: `size(parse("2*n + max(n, 3)"))` is 4."""
    return sum(map(size, operands(expr))) or 1


def known_value(expr: Expr | None, values: Mapping[str, Any]) -> float | None:
    """The value as a float; None where there is no formula, or a symbol of it has no value. ZeroDivisionError as of
    `evaluate`.

    Example: `known_value(parse("2*n"), {})` is None, and 6.0 with `{"n": 3}`."""
    return float(evaluate(expr, values)) if expr is not None and free_symbols(expr) <= values.keys() else None


def substitute(expr: Expr, values: Mapping[str, Operand]) -> Expr:
    """`expr` with the named symbols replaced, all at once, and simplified again. ZeroDivisionError where that makes a
    denominator 0."""
    if free_symbols(expr).isdisjoint(values):
        return expr

    if isinstance(expr, Sym):
        return as_expr(values[expr.name])
    return rebuilt(expr, lambda part: substitute(part, values))


def rebuilt(expr: Expr, go: Callable[[Expr], Expr]) -> Expr:
    """`expr` with `go` of each of its direct parts, simplified again. ZeroDivisionError where that makes a denominator
    0.

    Example: `rebuilt(parse("2*n + 1"), lambda part: ZERO)` is 0."""
    match expr:
        case Num() | Sym():
            return expr
        case Add(parts):
            return add(*map(go, parts))
        case Mul(parts):
            return mul(*map(go, parts))
        case Div(above, below):
            return div(go(above), go(below))
        case FloorDiv(above, below):
            return floordiv(go(above), go(below))
        case Mod(above, below):
            return mod(go(above), go(below))
        case Gcd(value, limit):
            return gcd(go(value), limit)
        case Min(parts):
            return minimum(*map(go, parts))
        case Max(parts):
            return maximum(*map(go, parts))
        case Piecewise(cases, otherwise):
            return piecewise(((go(c), go(v)) for c, v in cases), go(otherwise))


def operands(expr: Expr) -> tuple[Expr, ...]:
    """The direct parts of an expression."""
    match expr:
        case Num() | Sym():
            return ()
        case Add(parts) | Mul(parts) | Min(parts) | Max(parts):
            return parts
        case Div(above, below) | FloorDiv(above, below) | Mod(above, below):
            return (above, below)
        case Gcd(value):
            return (value,)
        case Piecewise(cases, otherwise):
            return (*(e for case_ in cases for e in case_), otherwise)


def _gcd(value: Any, limit: int) -> Any:
    if not hasattr(value, "astype"):
        return math.gcd(int(value), limit)
    import numpy

    return numpy.gcd(value.astype("int64"), limit).astype("float64")


def _prepared(value: Any) -> Any:
    """Numbers as they are, numpy scalars as Python's, arrays as float64."""
    if isinstance(value, int | float | Fraction):
        return value
    if getattr(value, "ndim", None) == 0:
        return value.item()
    return value.astype("float64")


def _value(expr: Expr, values: Mapping[str, Any]) -> Any:
    match expr:
        case Num(value):
            return value
        case Sym(name):
            if name not in values:
                raise UnboundSymbolError(name)
            return values[name]
        case Add(parts):
            return _fold(operator.add, [_value(part, values) for part in parts])
        case Mul(parts):
            return _fold(operator.mul, [_value(part, values) for part in reversed(parts)])
        case Div(above, below):
            return _fold(_quotient, [_value(above, values), _value(below, values)])
        case FloorDiv(above, below):
            return _value(above, values) // _value(below, values)
        case Mod(above, below):
            return _value(above, values) % _value(below, values)
        case Gcd(value, limit):
            return _gcd(_value(value, values), limit)
        case Min(parts):
            return _fold(_smaller, [_value(part, values) for part in parts])
        case Max(parts):
            return _fold(_larger, [_value(part, values) for part in parts])
        case Piecewise(cases, otherwise):
            return _first_case(cases, otherwise, values)


def _first_case(cases: tuple[tuple[Expr, Expr], ...], otherwise: Expr, values: Mapping[str, Any]) -> Any:
    for index, (condition, value) in enumerate(cases):
        test = _value(condition, values) >= 0
        if _is_array(test):
            numpy = sys.modules["numpy"]  # the caller's; a case is computed where it does not hold, too
            with numpy.errstate(divide="ignore", invalid="ignore"):
                rest = _first_case(cases[index + 1 :], otherwise, values)
                return numpy.where(test, _value(value, values), _as_float(rest))
        if test:
            return _value(value, values)
    return _value(otherwise, values)


def _fold(operation: Callable[[Any, Any], Any], found: list[Any]) -> Any:
    if any(map(_is_array, found)):  # numpy cannot combine arrays with fractions; it can with floats
        found = [_as_float(value) for value in found]
    return reduce(operation, found)


def _quotient(above: Any, below: Any) -> Any:
    return Fraction(above) / below if isinstance(above, int) and isinstance(below, int) else above / below


def _is_array(value: Any) -> bool:
    return not isinstance(value, int | float | Fraction)


def _as_float(value: Any) -> Any:
    return float(value) if isinstance(value, Fraction) else value


def _smaller(left: Any, right: Any) -> Any:
    either = _is_array(left) or _is_array(right)
    return sys.modules["numpy"].minimum(left, right) if either else min(left, right)


def _larger(left: Any, right: Any) -> Any:
    either = _is_array(left) or _is_array(right)
    return sys.modules["numpy"].maximum(left, right) if either else max(left, right)
