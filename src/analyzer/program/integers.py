"""Integers of the IR outside of loops: arguments of calls, and how often a condition on a counter holds."""

from models.expr import Expr, Num, add, floordiv, mul, num, sym

from ..ir.nodes import (
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
from ..ir.polynomials import Poly, Symbol
from .outline import Period


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
        case Operation(operator=operator, arguments=(left, right)) if operator in ("+", "-", "*", "/", "<<", ">>"):
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
        case "<<" | ">>":
            return _shifted(operator, a, b)
        case _:
            return None if b == num(0) else floordiv(a, b)


def _shifted(operator: str, a: Expr, b: Expr) -> Expr | None:
    """By a number of bits that is known."""
    if not isinstance(b, Num) or not 0 <= b.value < 63:
        return None
    factor = 2 ** int(b.value)
    return mul(a, factor) if operator == "<<" else floordiv(a, factor)


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


def period(predicate: Predicate, innermost: int | None) -> Period | None:
    """How often a condition on the counter of a loop holds: `t % 100 == 0` every hundredth time, the first time at
    once. `innermost`: key of the loop around; of another loop only the share is known."""
    match predicate:
        case Compare(value=value, relation="==" | "!=" as relation):
            symbols = list(value.symbols)
            if len(symbols) != 1 or not isinstance(symbols[0].origin, Remainder):
                return None
            remainder, wanted = symbols[0].origin, -value.constant_term
            counters = list(remainder.value.symbols)
            if value.coefficient(symbols[0]).constant != 1 or len(counters) != 1:
                return None
            if not isinstance(counters[0].origin, Counter) or not remainder.value.is_affine:
                return None
            first = None
            if counters[0].origin.loop == innermost and remainder.value.coefficient(counters[0]).constant == 1:
                first = (wanted - remainder.value.constant_term) % remainder.divisor
            return Period(remainder.divisor, first, relation == "==")
        case _:
            return None
