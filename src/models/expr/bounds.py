"""Interval arithmetic on expressions: bounds that hold for certain, given the ranges of the symbols."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from .evaluation import free_symbols, substitute
from .nodes import Add, Div, Expr, FloorDiv, Gcd, Max, Min, Mod, Mul, Num, Number, Piecewise, Sym
from .polynomial import terms

Ranges: TypeAlias = Mapping[str, tuple[Number | None, Number | None]]
Interval: TypeAlias = tuple[Any, Any]  # int, Fraction or float; infinite where unbounded

_MOST_CORNERS = 6  # symbols whose ends are all tried: 2^6 corners
_ALL: Interval = (-math.inf, math.inf)


def bounds(expr: Expr, ranges: Ranges | None = None) -> tuple[Number | None, Number | None]:
    """(low, high) with low <= expr <= high; None where no bound was found. A symbol without a range is >= 0.

    Conservative: each occurrence of a symbol varies on its own, so `N*N - N` has no lower bound here although
    it is never negative for integers. Where `expr` divides by zero nothing is said."""
    low, high = _interval(expr, ranges or {})
    return (None if low == -math.inf else low, None if high == math.inf else high)


def lower_bound(expr: Expr, ranges: Ranges | None = None) -> Number | None:
    return bounds(expr, ranges)[0]


def upper_bound(expr: Expr, ranges: Ranges | None = None) -> Number | None:
    return bounds(expr, ranges)[1]


def is_nonnegative(expr: Expr, ranges: Ranges | None = None) -> bool:
    """Whether `expr` >= 0 was shown; False also when that is not known."""
    low = lower_bound(expr, ranges)
    return low is not None and low >= 0


def _interval(expr: Expr, ranges: Ranges) -> Interval:
    match expr:
        case Num(value):
            return value, value
        case Sym(name):
            low, high = ranges.get(name, (0, None))
            return -math.inf if low is None else low, math.inf if high is None else high
        case Add(parts):
            ends = _ends(expr, ranges)
            inner = [_interval(part, ranges) for part in (ends or parts)]
            if ends:
                return min(low for low, _ in inner), max(high for _, high in inner)
            return sum(low for low, _ in inner), sum(high for _, high in inner)
        case Mul(parts):
            product: Interval = (1, 1)
            for part in parts:
                product = _times(product, _interval(part, ranges))
            return product
        case Div(above, below):
            return _over(_interval(above, ranges), _interval(below, ranges))
        case FloorDiv(above, below):
            low, high = _over(_interval(above, ranges), _interval(below, ranges))
            return _floor(low), _floor(high)
        case Mod(_, below):
            low, high = _interval(below, ranges)
            return (0, high) if low >= 0 else _ALL
        case Gcd(_, limit):
            return 1, limit
        case Min(parts):
            inner = [_interval(part, ranges) for part in parts]
            return min(low for low, _ in inner), min(high for _, high in inner)
        case Max(parts):
            inner = [_interval(part, ranges) for part in parts]
            return max(low for low, _ in inner), max(high for _, high in inner)
        case Piecewise(cases, otherwise):
            inner = [_interval(value, ranges) for value in (*(v for _, v in cases), otherwise)]
            return min(low for low, _ in inner), max(high for _, high in inner)


def _ends(expr: Add, ranges: Ranges) -> tuple[Expr, ...]:
    """The sum at the ends of one symbol's finite range, when it is linear in that symbol (as in a branch
    weight): its extremes lie there, and `N - N*p` loses its false dependence on two independent
    occurrences."""
    finite = sorted(name for name in free_symbols(expr) if None not in ranges.get(name, (0, None)))
    for name in finite if len(finite) <= _MOST_CORNERS else ():
        low, high = ranges[name]
        if low is not None and high is not None and _is_linear(expr, name):
            return substitute(expr, {name: low}), substitute(expr, {name: high})
    return ()


def _is_linear(expr: Add, name: str) -> bool:
    symbol = Sym(name)
    return all(
        monomial.count(symbol) <= 1 and all(atom == symbol or name not in free_symbols(atom) for atom in monomial)
        for monomial in terms(expr)
    )


def _times(left: Interval, right: Interval) -> Interval:
    corners = [0 if a == 0 or b == 0 else a * b for a in left for b in right]
    return min(corners), max(corners)


def _over(above: Interval, below: Interval) -> Interval:
    low, high = below
    if low < 0:
        return _ALL
    if low == 0:
        return (0, math.inf) if above[0] >= 0 else _ALL
    return _times(above, (_inverse(high), _inverse(low)))


def _inverse(value: Number) -> Number:
    if isinstance(value, float):
        return 0 if value == math.inf else 1 / value
    return Fraction(1) / value


def _floor(value: Number) -> Number:
    return value if isinstance(value, float) and math.isinf(value) else math.floor(value)
