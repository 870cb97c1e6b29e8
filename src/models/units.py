"""Units: SI base units inside the program, prefixes only in files and when printing."""

import math
import re
from typing import Literal, TypeAlias

Dimension: TypeAlias = Literal["time", "data", "data rate", "operation rate", "frequency", "count", "bits"]

_SCALES: dict[Dimension, dict[str, float]] = {
    "time": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12},
    "data": {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TB": 1e12},
    "data rate": {"B/s": 1.0, "MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12},
    "operation rate": {"op/s": 1.0, "Gop/s": 1e9, "Top/s": 1e12},
    "frequency": {"Hz": 1.0, "MHz": 1e6, "GHz": 1e9},
    "count": {"1": 1},
    "bits": {"bit": 1},
}
_STEPS: dict[str, tuple[tuple[float, str], ...]] = {
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")),
    "B": ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")),
    "B/s": ((1e9, "GB/s"), (1e6, "MB/s"), (1.0, "B/s")),
    "op/s": ((1e9, "Gop/s"), (1e6, "Mop/s"), (1.0, "op/s")),
    "Hz": ((1e9, "GHz"), (1e6, "MHz"), (1.0, "Hz")),
}
_MEASURE = re.compile(r"\s*([0-9.]+(?:[eE][+-]?[0-9]+)?)\s*([A-Za-z/]+)\s*")


class UnitError(ValueError):
    """A unit that does not measure what is asked for."""


def units_of(dimension: Dimension) -> tuple[str, ...]:
    return tuple(_SCALES[dimension])


def to_base(value: float, unit: str, dimension: Dimension) -> float:
    """`value` in SI base units; UnitError for a unit of another dimension."""
    scale = _SCALES[dimension].get(unit)
    if scale is None:
        article = "an" if dimension[0] in "aeiou" else "a"
        raise UnitError(f"{unit!r} is no unit of {article} {dimension}; use one of {', '.join(_SCALES[dimension])}")
    return value * scale


def measured(text: str, *dimensions: Dimension) -> tuple[float, Dimension]:
    """A number with its unit, such as `13.4GB/s`: the value in SI base units, above 0, and the first of `dimensions`
    that the unit measures. UnitError for a number without a unit, for units of anything else, and for what is not above
    0."""
    found = _MEASURE.fullmatch(text)
    try:
        number = float(found.group(1)) if found is not None else math.nan
    except ValueError:
        number = math.nan
    if found is None or math.isnan(number):
        raise UnitError(f"{text!r} is no number with a unit")
    fitting = [dimension for dimension in dimensions if found.group(2) in _SCALES[dimension]]
    value = to_base(number, found.group(2), (*fitting, dimensions[-1])[0])
    if not 0 < value < math.inf:
        raise UnitError(f"{text!r} is not above 0")
    return value, fitting[0]


def base_unit(dimension: Dimension) -> str:
    return next(iter(_SCALES[dimension]))


def steps(unit: str) -> tuple[tuple[float, str], ...]:
    """Scales and names of the prefixed units that values of `unit` are printed in, largest first; none for units that
    take no prefix."""
    return _STEPS.get(unit, ())


def readable(value: float, unit: str) -> str:
    """A value in base units with a fitting prefix and four digits: `0.00071106 s` is `711.1 us`."""
    for scale, name in steps(unit):
        if abs(value) >= scale:
            return f"{_digits(value / scale)} {name}"
    return f"{_digits(value)} {unit}" if unit not in ("", "1") else _digits(value)


def _digits(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"
