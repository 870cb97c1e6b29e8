"""Expressions as updates: whether a value is the old one combined with something new by an associative operator."""

from ..ir.nodes import Access, Call, Choice, Convert, Expression, Literal, Load, Operation, Use, Variable, parts, walk

REDUCTIONS = frozenset(("+", "-", "*", "&", "|", "^"))
EXTREMES = frozenset(("fmin", "fmax", "fminf", "fmaxf", "fminl", "fmaxl"))


def bare(expression: Expression) -> Expression:
    """Without conversions."""
    while isinstance(expression, Convert):
        expression = expression.argument
    return expression


def is_target(expression: Expression, target: Variable | Access) -> bool:
    match bare(expression), target:
        case Use(variable=variable), Variable():
            return variable == target
        case Load(access=access), Access():
            return same_element(access, target)
        case _:
            return False


def same_element(a: Access, b: Access) -> bool:
    indices = [s.index for s in a.subscripts] == [s.index for s in b.subscripts]
    return (a.object, a.field, a.offset) == (b.object, b.field, b.offset) and indices


def alike(a: Expression, b: Expression) -> bool:
    """Whether two expressions compute the same from the same operands, wherever they stand in the text."""
    a, b = bare(a), bare(b)
    match a, b:
        case Load(access=x), Load(access=y):
            return same_element(x, y)
        case Use(variable=v), Use(variable=w):
            return v == w
        case Literal(value=v), Literal(value=w):
            return v == w
        case (Operation(operator=v), Operation(operator=w)) | (Call(name=v), Call(name=w)) if v == w:
            return len(parts(a)) == len(parts(b)) and all(map(alike, parts(a), parts(b)))
        case _:
            return False


def combines(expression: Expression, target: Variable | Access) -> bool:
    match bare(expression):
        case Operation(operator="-", arguments=(left, right)):
            return (is_target(left, target) or combines(left, target)) and not _mentions(right, target)
        case Operation(operator=operator, arguments=(left, right)) if operator in REDUCTIONS:
            for mine, other in ((left, right), (right, left)):
                if is_target(mine, target) or _combines_alike(mine, target, operator):
                    return not _mentions(other, target)
            return False
        case Call(name=name, arguments=(left, right)) if name.removeprefix("__builtin_") in EXTREMES:
            return is_target(left, target) != is_target(right, target)
        case Choice(operator="?:", condition=condition, then=then, otherwise=otherwise):
            sides = is_target(then, target), is_target(otherwise, target)
            return sides[0] != sides[1] and any(is_target(e, target) for e in walk(condition))
        case _:
            return False


def _combines_alike(expression: Expression, target: Variable | Access, operator: str) -> bool:
    """A chain of one operator (`s + a + b`); `+` and `-` are of a kind."""
    inner = bare(expression)
    kinds = {"+", "-"} if operator in ("+", "-") else {operator}
    return isinstance(inner, Operation) and inner.operator in kinds and combines(inner, target)


def _mentions(expression: Expression, target: Variable | Access) -> bool:
    return any(is_target(e, target) for e in walk(expression))
