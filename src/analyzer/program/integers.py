"""Integers of the IR outside of loops: arguments of calls, and how often a condition on a counter holds."""

from models.expr import Expr, add, floordiv, mul, num, sym

from ..loops.ir import (
    Compare,
    Computed,
    Convert,
    Counter,
    Entry,
    Expression,
    Literal,
    Loaded,
    Operation,
    Predicate,
    Quotient,
    Remainder,
    Use,
)
from ..polyhedra.poly import Poly, Symbol


def integer(expression: Expression) -> Expr | None:
    """An integer argument in the names that sizes have in this function; None where it is not one, or where the
    counter of a loop is in it. Sizes are >= 0, so division rounds down."""
    match expression:
        case Literal(value=int() as value):
            return num(value)
        case Use(value=value):
            return None if value is None else formula(value)
        case Convert(argument=argument):
            return integer(argument)
        case Operation(operator="neg", arguments=(argument,)):
            inner = integer(argument)
            return None if inner is None else mul(-1, inner)
        case Operation(operator=operator, arguments=(left, right)) if operator in ("+", "-", "*", "/"):
            a, b = integer(left), integer(right)
            return None if a is None or b is None else _combined(operator, a, b)
        case _:
            return None


def _combined(operator: str, a: Expr, b: Expr) -> Expr | None:
    match operator:
        case "+":
            return add(a, b)
        case "-":
            return add(a, mul(-1, b))
        case "*":
            return mul(a, b)
        case _:
            return None if b == num(0) else floordiv(a, b)


def formula(poly: Poly) -> Expr | None:
    """In the names that sizes have in this function; None where a loop's counter is in it."""
    terms = []
    for monomial, factor in poly.terms:
        factors = [_symbol(s) for s in monomial]
        if any(f is None for f in factors):
            return None
        terms.append(mul(factor, *(f for f in factors if f is not None)))
    return add(0, *terms)


def _symbol(symbol: Symbol) -> Expr | None:
    match symbol.origin:
        case Entry() | Loaded() | Computed():
            return sym(symbol.name)
        case Quotient(value=value, divisor=divisor):
            inner = formula(value)
            return None if inner is None else floordiv(inner, divisor)
        case _:
            return None


def share(predicate: Predicate) -> float | None:
    """How often a condition on the counter of a loop holds: `t % 100 == 0` every hundredth time."""
    match predicate:
        case Compare(value=value, relation="==" | "!=" as relation):
            symbols = list(value.symbols)
            if len(symbols) == 1 and isinstance(symbols[0].origin, Remainder) and _counts(symbols[0].origin):
                part = 1 / symbols[0].origin.divisor
                return part if relation == "==" else 1 - part
            return None
        case _:
            return None


def _counts(remainder: Remainder) -> bool:
    """Whether it is of a loop's counter that takes every value."""
    symbols = list(remainder.value.symbols)
    return len(symbols) == 1 and isinstance(symbols[0].origin, Counter) and remainder.value.degree == 1
