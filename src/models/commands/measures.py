"""Numbers with a unit on the command line: `13.4GB/s`, `73.5ps`, and ranges of sizes: `N=256..65536`."""

import math
from pathlib import Path

from ..errors import reason
from ..units import Dimension, UnitError, measured
from .arguments import UsageError, number, refuse


def measure(text: str, *dimensions: Dimension) -> tuple[float, Dimension]:
    """Value in SI and the first of `dimensions` that the unit measures; UsageError for a number without a unit and for
    units of anything else."""
    try:
        return measured(text, *dimensions)
    except UnitError as error:
        raise UsageError(str(error)) from error


def measured_argument(text: str, *dimensions: Dimension) -> float:
    """The value of `measure`, for an argument that argparse is reading."""
    try:
        return measure(text, *dimensions)[0]
    except UsageError as error:
        refuse(str(error))


def rate(text: str, dimension: Dimension) -> float:
    """A rate in SI, such as bytes per second."""
    return measure(text, dimension)[0]


def span(text: str) -> tuple[str, tuple[float, ...]]:
    """`N=256..65536`: N and the values from the first on, doubling, up to the last; `N=256` and `N=3,5,7`, too."""
    name, equals, values = text.partition("=")
    if not equals or not name:
        refuse(f"{text!r} is not NAME=VALUE or NAME=FIRST..LAST")
    return name, spread(values)


def spread(text: str) -> tuple[float, ...]:
    """`4,9` or `256..65536`, doubling, as the sizes of the papers do."""
    first, dots, last = text.partition("..")
    if not dots:
        return tuple(float(number(part)) for part in text.split(","))
    low, high = float(number(first)), float(number(last))
    if not 0 < low <= high:
        refuse(f"{text!r}: 0 < FIRST <= LAST does not hold")
    return tuple(low * 2**step for step in range(math.floor(math.log2(high / low)) + 1))


def write_file(option: str, path: Path, text: str) -> None:
    """UsageError where the file cannot be written."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{option}: {path}: {reason(error)}") from error
