"""Expressions as JavaScript, so that a report can evaluate them in the browser (numbers are doubles
there)."""

from collections.abc import Callable
from fractions import Fraction

from .nodes import Add, Div, Expr, FloorDiv, Max, Min, Mod, Mul, Num, Number, Piecewise, Sym


def to_javascript(expr: Expr, lookup: Callable[[str], str]) -> str:
    """A JavaScript expression with the value of `expr`; `lookup` gives the JavaScript for the value of a
    symbol.

    Example: `to_javascript(parse("2*N"), lambda name: f"v.{name}")` is `(2 * v.N)`."""

    def go(part: Expr) -> str:
        return to_javascript(part, lookup)

    match expr:
        case Num(value):
            return _literal(value)
        case Sym(name):
            return lookup(name)
        case Add(parts):
            return f"({' + '.join(map(go, parts))})"
        case Mul((Num(Fraction() as factor), *parts)):
            above = [] if factor.numerator == 1 else [_literal(factor.numerator)]
            return f"({' * '.join([*above, *map(go, parts)])} / {factor.denominator})"
        case Mul(parts):
            return f"({' * '.join(map(go, parts))})"
        case Div(above, below):
            return f"({go(above)} / {go(below)})"
        case FloorDiv(above, below):
            return f"Math.floor({go(above)} / {go(below)})"
        case Mod(above, below):
            return f"({go(above)} - {go(below)} * Math.floor({go(above)} / {go(below)}))"
        case Min(parts):
            return f"Math.min({', '.join(map(go, parts))})"
        case Max(parts):
            return f"Math.max({', '.join(map(go, parts))})"
        case Piecewise(cases, otherwise):
            choices = "".join(f"{go(condition)} >= 0 ? {go(value)} : " for condition, value in cases)
            return f"({choices}{go(otherwise)})"


def _literal(value: Number) -> str:
    text = f"{value.numerator} / {value.denominator}" if isinstance(value, Fraction) else repr(value)
    return f"({text})" if value < 0 or isinstance(value, Fraction) else text
