"""Loops that count in floating point between constant bounds: `for (x = 0; x < 10; x += 0.25)`.

*Decides*: how often such a loop runs, by doing what its header does in numbers of the same type; and whether the
variable has exactly its start plus so many steps in every iteration, without rounding: then each can work it out.
*Errs toward* None: starts, steps and bounds that are no constants, other changes of the variable, exits.

    for (double x = 0; x < 10; x += 0.25)       40 times, x is 0.25*i
    for (double x = 0; x < 1; x += 0.1)         11 times, x is rounded on the way
"""

from fractions import Fraction
from struct import pack, unpack

from msgspec import Struct

from ..ir import nodes as ir
from ..source.ctypes import Floating
from .context import Context
from .induction import Lowered, Placeholder

MOST_STEPS = 20_000

_FORMATS = {4: "f", 8: "d"}


class Counted(Struct, frozen=True):
    """`trips` iterations; `exact`: the variable is `start + k * step` in iteration k."""

    variable: ir.Variable
    start: float
    step: float
    trips: int
    exact: bool


def counted(ctx: Context, holders: list[Placeholder], lowered: Lowered) -> Counted | None:
    """The floating variable that counts the loop, which stands behind what is in `ctx.out`. Example: see the module."""
    if lowered.continues or lowered.breaks:
        return None
    tests = [s.value for s in lowered.block if isinstance(s, ir.Evaluate) and s.control]
    for holder in holders:
        variable = holder.variable
        plain = isinstance(variable.type, Floating) and variable.type.size in _FORMATS and not variable.addressed
        if not plain or variable.scope not in ("local", "parameter") or len(tests) != 1:
            continue
        start, step, end = _before(ctx.out, variable), _step(lowered.block, variable), _bound(tests[0], variable)
        if start is not None and step and end is not None:
            return _run(variable, start, step, *end)
    return None


def _number(value: ir.Expression) -> float | None:
    match ir.unconverted(value):
        case ir.Literal(value=known):
            return float(known)
        case ir.Operation(operator="neg", arguments=(inner,)):
            below = _number(inner)
            return None if below is None else -below
        case _:
            return None


def _before(block: list[ir.Statement], variable: ir.Variable) -> float | None:
    """What the variable was set to last."""
    for s in reversed(block):
        if isinstance(s, ir.Assign) and s.target == variable:
            return _number(s.value)
        if any(isinstance(t, ir.Assign) and t.target == variable for t in ir.statements((s,))):
            return None
    return None


def _step(block: list[ir.Statement], variable: ir.Variable) -> float | None:
    made = [s for s in ir.statements(tuple(block)) if isinstance(s, ir.Assign) and s.target == variable]
    if len(made) != 1 or not any(s is made[0] for s in block):
        return None
    match ir.unconverted(made[0].value):
        case ir.Operation(operator="+" | "-" as operator, type=Floating(size=size), arguments=(a, b)):
            by = _number(b)
            own = ir.is_use(a, variable) and size == getattr(variable.type, "size", 0)
            return None if by is None or not own else by if operator == "+" else -by
        case _:
            return None


def _bound(test: ir.Expression, variable: ir.Variable) -> tuple[str, float] | None:
    match ir.unconverted(test):
        case ir.Operation(operator="<" | "<=" | ">" | ">=" as relation, arguments=(a, b)) if ir.is_use(a, variable):
            end = _number(b)
            return None if end is None else (relation, end)
        case _:
            return None


def _run(variable: ir.Variable, start: float, step: float, relation: str, end: float) -> Counted | None:
    assert isinstance(variable.type, Floating)
    letter = _FORMATS[variable.type.size]

    def rounded(value: float) -> float:
        found: float = unpack(letter, pack(letter, value))[0]
        return found

    if rounded(start) != start or rounded(step) != step:
        return None
    value, trips, exact = start, 0, True
    while {"<": value < end, "<=": value <= end, ">": value > end, ">=": value >= end}[relation]:
        exact = exact and Fraction(value) == Fraction(start) + trips * Fraction(step)
        following = rounded(value + step)
        trips += 1
        if following == value or trips > MOST_STEPS:
            return None
        value = following
    return Counted(variable, start, step, trips, exact)
