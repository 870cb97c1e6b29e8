"""C's integer operators and types as Python text."""

from . import nest as n


def contains(t: n.Num, own: n.Num) -> bool:
    """Whether a value of type `own` is one of type `t` as it stands (Python's numbers know no width)."""
    if t.floating or own.floating:
        return t.floating and own.floating and t.size >= own.size
    return t.low <= own.low and own.high <= t.high


def code_of(t: n.Type) -> str:
    """The letter by which loads and stores of a type are named."""
    return t.code if isinstance(t, n.Num) else "Q"


def integer(op: str, left: str, right: str, t: n.Num) -> str:
    """An operation on two integers of one type."""
    match op:
        case "/":
            return f"ck_{t.code}(idiv({left}, {right}))"
        case "%":
            return f"imod({left}, {right})"
        case "<<" | ">>":
            return f"ck_{t.code}({left} {op} shift_count({right}, {8 * t.size}))"
        case "&" | "|" | "^":
            return f"({left} {op} {right})"
        case _:
            return f"ck_{t.code}({left} {op} {right})"
