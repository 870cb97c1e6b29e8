"""What a condition says, taken apart at `&&`, `||` and `!`.

*Decides*: which conditions hold, or fail, all at once when a whole one does; whether a value is a truth value.
*Errs toward* saying less.

    !(a || b != 0), which holds     ->  a fails, b fails
"""

from msgspec import Struct

from ..source.ctypes import CType, Floating, Integer
from .nodes import Choice, Convert, Expression, Literal, Operation, Use, Variable
from .polynomials import number

SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""Relations with their operands exchanged."""


class Known(Struct, frozen=True):
    """A condition, and whether it holds."""

    expression: Expression
    holds: bool


def conjuncts(condition: Expression, holds: bool) -> tuple[Known, ...]:
    """The conditions that hold, or fail, all at once when the whole one does."""
    match truth(condition):
        case Operation(operator="!", arguments=(inner,)) | Operation(
            operator="==", arguments=(inner, Literal(value=0))
        ):
            return conjuncts(inner, not holds)
        case Operation(operator="==", arguments=(inner, Literal(value=1))) if is_truth(inner):
            return conjuncts(inner, holds)
        case Choice(operator="&&", condition=first, then=second) if holds:
            return (*conjuncts(first, holds), *conjuncts(second, holds))
        case Choice(operator="||", condition=first, otherwise=second) if not holds:
            return (*conjuncts(first, holds), *conjuncts(second, holds))
        case _:
            return (Known(condition, holds),)


def truth(expression: Expression) -> Expression:
    """`x` for `x != 0` and for conversions of a truth value."""
    match expression:
        case Operation(operator="!=", arguments=(inner, Literal(value=0))):
            return truth(inner)
        case Convert(type=Integer(name=name, size=size), argument=inner) if isinstance(inner.type, Integer):
            return truth(inner) if size >= inner.type.size or name == "_Bool" else expression
        case Convert(type=Integer() | Floating(), argument=Operation() as inner) if is_truth(inner):
            return truth(inner)  # the type of a comparison is that of its operands
        case _:
            return expression


def is_truth(expression: Expression, variable: Variable | None = None) -> bool:
    """Whether the value is 0 or 1, as long as that of `variable` is."""
    match expression:
        case Convert(type=Integer() | Floating(), argument=inner):
            return is_truth(inner, variable) or is_bool(expression.type)
        case Literal(value=value):
            return value in (0, 1)
        case Use(value=value) if value in (number(0), number(1)):
            return True
        case Use(variable=used) if variable is not None and used.key == variable.key:
            return True
        case Operation(operator="&" | "|" | "^" | "*", arguments=arguments):
            return all(is_truth(a, variable) for a in arguments)
        case Operation(operator=operator) if operator in (*SWAPPED, "==", "!=", "!"):
            return True
        case Choice(operator="?:", then=then, otherwise=otherwise):
            return is_truth(then, variable) and is_truth(otherwise, variable)
        case Choice():
            return True
        case _:
            return is_bool(expression.type)


def is_bool(type_: CType) -> bool:
    """Whether the type holds nothing but 0 and 1."""
    return isinstance(type_, Integer) and type_.name == "_Bool"
