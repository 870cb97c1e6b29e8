"""Arithmetic on numbers and, where numpy arrays are given, element by element; numpy is imported only for them."""

import math
from functools import reduce
from typing import Any, TypeAlias

from .errors import InputError

Values: TypeAlias = Any
"""A number or a numpy array of numbers."""


def is_array(value: Values) -> bool:
    return getattr(value, "ndim", 0) > 0


def least(*values: Values) -> Values:
    """Example: `least(3, numpy.array([1, 5]))` is `array([1, 3])`."""
    return reduce(_numpy().minimum, values) if any(map(is_array, values)) else min(values)


def greatest(*values: Values) -> Values:
    return reduce(_numpy().maximum, values) if any(map(is_array, values)) else max(values)


def log2(value: Values) -> Values:
    return _numpy().log2(value) if is_array(value) else math.log2(value)


def sqrt(value: Values) -> Values:
    return _numpy().sqrt(value) if is_array(value) else math.sqrt(value)


def ceil(value: Values) -> Values:
    return _numpy().ceil(value) if is_array(value) else math.ceil(value)


def floor(value: Values) -> Values:
    return _numpy().floor(value) if is_array(value) else math.floor(value)


def all_true(truth: Values) -> bool:
    return bool(truth.all()) if is_array(truth) else bool(truth)


def quotient(above: Values, below: Values) -> Values:
    """above / below; infinite where only `below` is 0, NaN where both are."""
    if is_array(above) or is_array(below):
        numpy = _numpy()
        with numpy.errstate(divide="ignore", invalid="ignore"):
            return numpy.asarray(above, dtype=float) / below
    if below == 0:
        return math.inf if above > 0 else math.nan
    return above / below


def nonnegative(name: str, value: Values) -> Values:
    """`value` as float; InputError where it, or an element of it, is negative, NaN or infinite."""
    return _checked(name, value, strictly=False)


def positive(name: str, value: Values) -> Values:
    """`value` as float; InputError where it, or an element of it, is not above 0, NaN or infinite."""
    return _checked(name, value, strictly=True)


def _checked(name: str, value: Values, *, strictly: bool) -> Values:
    if is_array(value):
        numpy = _numpy()
        value = numpy.asarray(value, dtype=float)
        good = numpy.isfinite(value) & (value > 0 if strictly else value >= 0)
        if good.all():
            return value
        value = value[~good].flat[0]
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    except (TypeError, ValueError):
        raise InputError(f"{name} is {value!r}, which is no number") from None
    if not math.isfinite(number):
        raise InputError(f"{name} is {number}, which is not finite")
    if number < 0 or (strictly and number == 0):
        raise InputError(f"{name} is {number:g}, which is not {'above' if strictly else 'at least'} 0")
    return number


def _numpy() -> Any:
    import numpy

    return numpy
