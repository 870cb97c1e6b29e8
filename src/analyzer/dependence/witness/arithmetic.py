"""C's arithmetic on numbers, for runs of the loop IR.

*Decides*: the value of an operation or a conversion: integers as C computes them, floating point without rounding, so
that no order of a sum differs from another.
*Errs toward* `StuckError`: undefined behaviour, numbers too long to go on with.

    binary("+", 2147483647, 1, int)      ->  ImpossibleError: overflow
"""

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TypeAlias

from ...ir.arithmetic import modulo, value_range
from ...source.ctypes import CType, Floating, Integer

Number: TypeAlias = int | Fraction

WIDEST = 512
"""Bits of a number that is still computed with."""


class StuckError(Exception):
    """The machine cannot go on: the run says nothing about the program."""


class ImpossibleError(StuckError):
    """No run of the program goes on like this, or none that is worth it."""


def exact(value: float) -> Number:
    if not math.isfinite(value):
        raise ImpossibleError("not finite")
    found = Fraction(value)
    return narrow(found)


def narrow(value: Number) -> Number:
    if isinstance(value, Fraction):
        if value.denominator.bit_length() > WIDEST or value.numerator.bit_length() > WIDEST:
            raise ImpossibleError("too large")
        return value.numerator if value.denominator == 1 else value
    if value.bit_length() > WIDEST:
        raise ImpossibleError("too large")
    return value


def converted(value: Number, type_: CType) -> Number:
    if not isinstance(type_, Integer):
        return value
    if isinstance(value, Fraction):
        value = math.trunc(value)
        low, high = value_range(type_)
        if not low <= value <= high:
            raise ImpossibleError("conversion")
    return modulo(value, type_)


def triangle_row(element: int) -> int:
    """The row of an element of a packed triangle with rows of 1, 2, 3, ... elements."""
    return (math.isqrt(8 * element + 1) - 1) // 2


def positive(value: int) -> int:
    if value <= 0:
        raise StuckError("not positive")
    return value


def scaled(terms: Iterable[int | float | str]) -> int:
    """An integer that is computed in `double`, rounded after every operation; operands and operators in postfix
    order. Example: 1 for `5 3 * 8 /`."""
    stack: list[float] = []
    for term in terms:
        if isinstance(term, str):
            right, left = stack.pop(), stack.pop()
            if term == "/" and right == 0:
                raise ImpossibleError("division by 0")
            stack.append(left * right if term == "*" else left / right)
        else:
            stack.append(float(term))
    (result,) = stack
    if not math.isfinite(result):
        raise StuckError("no integer")
    return int(result)


def quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


COMPARISONS: dict[str, Callable[[Number, Number], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


def unary(operator: str, x: Number, type_: CType) -> Number:
    match operator:
        case "!":
            return int(x == 0)
        case "neg":
            return _within(-x, type_)
        case "~" if isinstance(x, int):
            return _within(~x, type_, wraps=True)
        case "+":
            return x
        case _:
            raise StuckError(operator)


def binary(operator: str, a: Number, b: Number, type_: CType) -> Number:
    if operator in COMPARISONS:
        return int(COMPARISONS[operator](_as(a, type_), _as(b, type_)))
    match operator:
        case "+":
            return _within(a + b, type_)
        case "-":
            return _within(a - b, type_)
        case "*":
            return _within(a * b, type_)
        case "/" | "%" if b == 0:
            raise ImpossibleError("division by zero")
        case "/" if isinstance(type_, Floating):
            return _within(Fraction(a) / Fraction(b), type_)
        case _:
            pass
    if not (isinstance(a, int) and isinstance(b, int)):
        raise StuckError(operator)
    match operator:
        case "/":
            return _within(quotient(a, b), type_)
        case "%":
            return a - b * quotient(a, b)
        case "&":
            return a & b
        case "|":
            return a | b
        case "^":
            return a ^ b
        case "<<" | ">>" if not (isinstance(type_, Integer) and 0 <= b < 8 * type_.size):
            raise ImpossibleError(operator)
        case "<<" if a >= 0:
            return _within(a << b, type_)
        case ">>":
            return a >> b
        case _:
            raise StuckError(operator)


def _as(value: Number, type_: CType) -> Number:
    return modulo(value, type_) if isinstance(type_, Integer) and isinstance(value, int) else value


def _within(value: Number, type_: CType, wraps: bool = False) -> Number:
    """The result of arithmetic in a type: modulo 2^w if that is unsigned; a signed one must not overflow."""
    if not isinstance(type_, Integer):
        return narrow(value)
    if not isinstance(value, int):
        raise StuckError("fraction")
    low, high = value_range(type_)
    if low <= value <= high:
        return value
    if type_.signed and not wraps:
        raise ImpossibleError("overflow")
    return modulo(value, type_)
