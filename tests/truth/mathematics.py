"""Functions of the C library that runs may call: values as Python computes them, operations as definitions.md has them.

Where the definitions themselves do not say how many operations a call is, that is unclear, and floating counts of a
loop with such a call are not compared."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from . import nest as n

UNCLEAR = "u"


Operations = Callable[[n.Call], tuple[str, int]]
"""Kind (f, d floating, o other) and number of the operations of a call."""


@dataclass(frozen=True, slots=True)
class Function:
    """`type`: of parameters and result."""

    run: Callable[..., float]
    type: n.Num
    operations: Operations


def _total(compute: Callable[..., float]) -> Callable[..., float]:
    """The function with C's values where Python raises."""

    def run(*given: float) -> float:
        try:
            return compute(*given)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    return run


def c_fmax(a: float, b: float) -> float:
    return b if math.isnan(a) else a if math.isnan(b) else max(a, b)


def c_fmin(a: float, b: float) -> float:
    return b if math.isnan(a) else a if math.isnan(b) else min(a, b)


def _always(kind: str, times: int) -> Operations:
    return lambda call: (kind, times)


def _power(kind: str) -> Operations:
    """k - 1 for a constant integer exponent k."""

    def operations(call: n.Call) -> tuple[str, int]:
        match call.args[1]:
            case n.Const(value=value) if value == int(value) and value >= 1:
                return kind, int(value) - 1
            case _:
                return UNCLEAR, 1

    return operations


def _both(name: str, run: Callable[..., float], operations: Callable[[str], Operations]) -> None:
    FUNCTIONS[name] = Function(_total(run), n.DOUBLE, operations("d"))
    FUNCTIONS[name + "f"] = Function(_total(run), n.FLOAT, operations("f"))


FUNCTIONS: dict[str, Function] = {}
for _name, _run in (("fabs", abs), ("fmax", c_fmax), ("fmin", c_fmin)):
    _both(_name, _run, lambda kind: _always("o", 1))
_both("sqrt", math.sqrt, lambda kind: _always(kind, 1))
_both("exp", math.exp, lambda kind: _always(kind, 30))
_both("pow", math.pow, _power)
for _name in ("log", "log2", "log10", "sin", "cos", "tan", "atan", "atan2", "tanh", "floor", "ceil", "hypot"):
    _both(_name, getattr(math, _name), lambda kind: _always(UNCLEAR, 1))
