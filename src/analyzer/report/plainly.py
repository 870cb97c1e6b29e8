"""Formulas for people: simplified for loops that run at all."""

from models.expr import (
    ZERO,
    Add,
    Div,
    Expr,
    ExprSyntaxError,
    FloorDiv,
    Gcd,
    Max,
    Min,
    Mod,
    Mul,
    Num,
    Piecewise,
    Sym,
    add,
    div,
    floordiv,
    gcd,
    maximum,
    minimum,
    mod,
    mul,
    sym,
    to_text,
)
from models.expr.nodes import remembered

from .cleaning import visible
from .formula import Formula


def plain(formula: Formula) -> str:
    """The text of a formula without the cases in which a sum or a loop is empty: as a product, or multiplied out where
    that is much shorter.

    Example: `9*max(0, n - 2)*max(0, m - 2)` is `9*(n - 2)*(m - 2)`, and `w*(h + max(0, h - 1))` is `w*(2*h - 1)`."""
    text = formula.text
    shown = visible(text)
    if shown != text or ("max(0," not in text and " if " not in text):
        return shown
    try:
        return _simplified(formula.expr)
    except ExprSyntaxError:
        return text


@remembered("_simplified")
def _simplified(expr: Expr) -> str:
    kept: dict[str, str] = {}
    product = to_text(_plain(expr, kept))
    for name in reversed(kept):  # the outer ones were named last
        product = product.replace(f"`{name}`", kept[name])
    expanded = to_text(_plain(expr, None))
    return expanded if 4 * len(expanded) < 3 * len(product) else product


def _plain(expr: Expr, kept: dict[str, str] | None) -> Expr:
    """`kept`: factors that are not multiplied out, by the names that stand for them; None: all are."""

    def again(part: Expr) -> Expr:
        return _plain(part, kept)

    match expr:
        case Num() | Sym():
            return expr
        case Add(terms):
            return add(*map(again, terms))
        case Mul(factors):
            return mul(*(again(f) if kept is None else _factor(f, kept) for f in factors))
        case Div(above, below):
            return div(again(above), again(below))
        case FloorDiv(above, below):
            return floordiv(again(above), again(below))
        case Mod(above, below):
            return mod(again(above), again(below))
        case Gcd(value, limit):
            return gcd(again(value), limit)
        case Min(parts):
            return minimum(*map(again, parts))
        case Max(parts):
            return maximum(*(again(p) for p in parts if p != ZERO))
        case Piecewise(cases, otherwise) if otherwise == ZERO and len(cases) == 1:
            return again(cases[0][1])
        case Piecewise():
            return expr


def _factor(expr: Expr, kept: dict[str, str]) -> Expr:
    found = _plain(expr, kept)
    if not isinstance(expr, Max) or not isinstance(found, Add):
        return found
    text = f"({to_text(found)})"
    known = next((name for name, other in kept.items() if other == text), None)
    name = known or f"~{len(kept)}"  # no name in C is like that: it is written in backticks, and after all others
    kept[name] = text
    return sym(name)
