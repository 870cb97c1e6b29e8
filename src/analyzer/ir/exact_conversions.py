"""Conversions that leave every value as it is: what is converted is the same number, or leads to the same place.

*Decides*: whether a type holds all values of another one; what an expression is without such conversions around it.
*Errs toward* no.

    (double)i           ->  i
    (signed char)i      ->  itself: 200 becomes -56
"""

from ..source.ctypes import CType, Floating, Integer, Pointer
from .arithmetic import keeps_integers
from .nodes import Convert, Expression, Use, Variable


def exact(expression: Expression) -> Expression:
    """The expression without conversions that leave every value as it is. Example: see the module."""
    while isinstance(expression, Convert) and keeps_values(expression.argument.type, expression.type):
        expression = expression.argument
    return expression


def is_value_of(expression: Expression, variable: Variable) -> bool:
    """Whether this has the value of the variable, whatever that is."""
    plain = exact(expression)
    return isinstance(plain, Use) and plain.variable.key == variable.key


def keeps_values(source: CType, to: CType) -> bool:
    """Whether a type holds every value of another one."""
    match source, to:
        case Integer(), Integer():
            return keeps_integers(source, to)
        case Integer(size=a), Floating(size=b):
            return b >= 2 * a
        case Floating(size=a), Floating(size=b):
            return b >= a
        case _:
            return isinstance(source, Pointer) and isinstance(to, Pointer)
