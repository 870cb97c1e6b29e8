"""Integers that are multiplied and divided in `double` and become integers again: `(long)(t * (double)n / nt)`.

*Decides*: what such an integer is made of (`ir.Scaled`), so that parts of a range that are computed in floating point
are known to follow each other. *Errs toward* any value: sums, other floating types, calls, integers narrower than an
`int`, and numbers that were kept in a variable of floating type.
"""

from typing import TypeAlias

from ..ir import nodes as ir
from ..ir.arithmetic import interval, value_range
from ..ir.invariance import computed_in
from ..ir.polynomials import Poly, number
from ..source.ctypes import CType, Floating, Integer
from .context import Context, Typed
from .values import ChosenReal, Condition, IntegerValue, Real, merge

Known: TypeAlias = Real | ChosenReal

MOST_TERMS = 9
DOUBLE = 8
EXACT = 1 << 53
"""Integers up to here are numbers of type `double`."""


def as_double(typed: Typed, type_: CType) -> Known | None:
    """A value that becomes a `double`. Example: n of `(double)n`."""
    match typed:
        case _ if not _is_double(type_):
            return None
        case Typed(value=IntegerValue(poly=poly, wraps=wraps), type=Integer()):
            return Real((poly,), wraps)
        case Typed(expression=ir.Literal(value=float(known)), type=Floating() as own) if _is_double(own):
            return Real((known,))
        case Typed(real=real, type=own):
            return real if _is_double(own) else None


def combined(operator: str, left: Typed, right: Typed, type_: CType) -> Real | None:
    """The product or quotient of two values of type `double`."""
    a, b = as_double(left, type_), as_double(right, type_)
    if not isinstance(a, Real) or not isinstance(b, Real):
        return None
    match operator:
        case "*" | "/" if len(a.terms) + len(b.terms) < MOST_TERMS:
            return Real((*a.terms, *b.terms, operator), merge(a.wraps, b.wraps))
        case _:
            return None


def chosen(condition: Condition, then: Typed, otherwise: Typed, type_: CType) -> ChosenReal | None:
    """`condition ? then : otherwise`."""
    a, b = as_double(then, type_), as_double(otherwise, type_)
    return None if a is None or b is None else ChosenReal(condition, a, b)


def truncated(ctx: Context, real: Real, type_: Integer, text: str) -> IntegerValue | None:
    """The integer that such a number becomes: a value beyond its type is undefined (C11 6.3.1.4)."""
    if type_.name == "_Bool" or type_.size < ctx.unit.abi.sizes["int"]:
        return None
    match real.terms:
        case (float(known),) if abs(known) < EXACT:
            return IntegerValue(number(int(known)))
        case (Poly() as poly,) if _is_exact(poly):
            return IntegerValue(poly, real.wraps)
        case terms:
            operands = [t for t in terms if isinstance(t, Poly)]
            loops = tuple(k for k in ctx.loops if any(computed_in(o, k) for o in operands))
            made = ir.Computed("share", ctx.definition.place, loops, ir.Scaled(terms))
            return IntegerValue(ctx.quotient(made, text, value_range(type_)), real.wraps)


def _is_exact(value: Poly) -> bool:
    low, high = interval(value)
    return low is not None and high is not None and low >= -EXACT and high <= EXACT


def _is_double(type_: CType) -> bool:
    return isinstance(type_, Floating) and type_.name == "double" and type_.size == DOUBLE
