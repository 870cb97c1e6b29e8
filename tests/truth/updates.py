"""Statements that accumulate: `x op= e`, `x = x op e`, and the four ways to keep the larger or smaller of two."""

from typing import Any, TypeAlias

from . import nest as n

Place: TypeAlias = n.Var | n.Spot
OPERATORS = {"+": "+", "-": "+", "*": "*", "&": "&", "|": "|", "^": "^"}


def update(s: n.Stmt) -> tuple[Place, str] | None:
    """The place that a statement accumulates into, and the operator of the reduction (a difference is a sum). What is
    cut to an integer at every step is none."""
    found = _update(s)
    return None if found is None or _cut(s, found[0]) else found


def _cut(s: n.Stmt, place: Place) -> bool:
    if isinstance(s, n.If):
        return any(isinstance(x, n.Assign) and _cut(x, place) for x in s.then)
    if not isinstance(s, n.Assign):
        return True
    held, value = n.type_of(read(place)), n.type_of(s.value)
    if not isinstance(held, n.Num) or not isinstance(value, n.Num):
        return True
    if not s.op and isinstance(s.value, n.Cond | n.Call | n.Var | n.Load):
        return held != value
    return not held.floating and value.floating


def _update(s: n.Stmt) -> tuple[Place, str] | None:
    match s:
        case n.Assign(target=place, op=op, value=value) if op in OPERATORS:
            return (place, OPERATORS[op]) if not _uses(value, place) else None
        case n.Assign(target=place, op="", value=n.Bin(op=op, a=a, b=b)) if op in OPERATORS:
            if _is(a, place) and not _uses(b, place):
                return place, OPERATORS[op]
            return (place, op) if op != "-" and _is(b, place) and not _uses(a, place) else None
        case n.Assign(target=place, op="", value=n.Logic(op=op, a=a, b=b)):
            return (place, op) if _is(a, place) and not _uses(b, place) else None
        case n.Assign(target=place, op="", value=n.Call(name="fmax" | "fmin" as name, args=(a, b))):
            return (place, name[1:]) if _is(a, place) + _is(b, place) == 1 and _uses(s.value, place) == 1 else None
        case n.Assign(target=place, op="", value=n.Cond(test=test, a=a, b=b)):
            return _kept(place, test, a, b)
        case n.If():
            return selection(s)
        case _:
            return None


def selection(s: n.If) -> tuple[Place, str] | None:
    """`if (e > x) x = e`."""
    match s:
        case n.If(test=test, then=(n.Assign(target=place, op="", value=value),), otherwise=()):
            return _kept(place, test, value, read(place))
        case _:
            return None


def read(place: Place) -> n.Expr:
    return place if isinstance(place, n.Var) else n.Load(place)


def _kept(place: Place, test: n.Expr, a: n.Expr, b: n.Expr) -> tuple[Place, str] | None:
    """`test ? a : b` into the place, where one of a and b is the place and both are what the test compares."""
    match test:
        case n.Bin(op="<" | "<=" | ">" | ">=" as op, a=left, b=right) if left != right:
            same = (left, right) == (a, b)
            if not same and (left, right) != (b, a):
                return None
            other = right if _is(left, place) else left
            if not (_is(left, place) or _is(right, place)) or _uses(other, place):
                return None
            return place, "max" if (op in (">", ">=")) == same else "min"
        case _:
            return None


def _is(e: n.Expr, place: Place) -> bool:
    return e == read(place)


def _uses(e: n.Expr, place: Place) -> int:
    """How often an expression mentions the place."""
    wanted: Any = place
    return sum(x == wanted for x in n.walk(e))
