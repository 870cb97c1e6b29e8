"""Telling address arithmetic from arithmetic on data (definitions.md: only the latter is counted).

A comparison of loop counters and sizes is control, with all arithmetic in it, however it is written: `if (y + v <
height)`, `if (i % 2 == 1)`, `if (i & 1)`, `!(i % 2) && ...`, `switch (i & 3)`. Whether a variable is a counter is known
only once its loop is, so the question is asked again whenever placeholders are replaced (`substitute`).
"""

from msgspec.structs import replace

from ..ir import nodes as ir
from ..ir.polynomials import Poly

COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}


def settled(operation: ir.Operation) -> ir.Operation:
    """The operation, marked as address arithmetic if it compares nothing but indices and sizes."""
    if operation.address or operation.operator not in {*COMPARISONS, "!"}:
        return operation
    if not all(_is_index(a) for a in operation.arguments):
        return operation
    return replace(operation, arguments=tuple(quiet(a) for a in operation.arguments), address=True)


def steering(condition: ir.Expression) -> ir.Expression:
    """What decides between two branches, marked likewise: `if (i & 1)` compares with 0."""
    return quiet(condition) if isinstance(condition, ir.Operation) and _is_index(condition) else condition


def chosen(choice: ir.Choice) -> ir.Choice:
    """A `?:`, `&&` or `||` with its condition, and what else is asked for its truth, as tests."""
    if choice.operator == "?:":
        return replace(choice, condition=steering(choice.condition))
    then, otherwise = steering(choice.then), steering(choice.otherwise)
    return replace(choice, condition=steering(choice.condition), then=then, otherwise=otherwise)


def selected(statement: ir.Assign) -> ir.Assign:
    """The selector of a `switch` is compared with each label."""
    return replace(statement, value=steering(statement.value)) if statement.selects else statement


def quiet(expression: ir.Expression) -> ir.Expression:
    """The same expression with its arithmetic marked as address arithmetic."""
    match expression:
        case ir.Operation(arguments=arguments):
            return replace(expression, arguments=tuple(quiet(a) for a in arguments), address=True)
        case ir.Convert(argument=argument):
            return replace(expression, argument=quiet(argument))
        case _:
            return expression


def _is_index(expression: ir.Expression) -> bool:
    match expression:
        case ir.Literal():
            return True
        case ir.Use(value=value):
            return value is not None and _is_index_value(value)
        case ir.Load(access=access):
            return _is_size(access)
        case ir.Operation(arguments=arguments):
            return all(_is_index(a) for a in arguments)
        case ir.Convert(argument=argument):
            return _is_index(argument)
        case _:
            return False


def _is_size(access: ir.Access) -> bool:
    """A member of one struct, such as `s->n`."""
    return bool(access.field) and all(s.index.constant == 0 for s in access.subscripts)


def _is_index_value(value: Poly) -> bool:
    """Made of loop counters, sizes and constants only."""
    for symbol in value.symbols:
        match symbol.origin:
            case ir.Counter() | ir.Entry():
                pass
            case ir.Quotient(value=inner) | ir.Remainder(value=inner):
                if not _is_index_value(inner):
                    return False
            case ir.Loaded(access=access):
                if not _is_size(access):
                    return False
            case ir.Computed():
                return False
    return True
