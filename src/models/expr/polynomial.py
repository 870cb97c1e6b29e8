"""The normal form: an expression as a sum of monomials with coefficients, and back.

A monomial is an ordered tuple of atoms (everything but numbers, sums and products; and sums whose product was
too large to expand), a power a repeated atom.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from .nodes import ONE, ZERO, Add, Div, Expr, FloorDiv, Gcd, Max, Min, Mod, Mul, Num, Number, Piecewise, Sym, remembered

Monomial: TypeAlias = tuple[Expr, ...]
Terms: TypeAlias = dict[Monomial, Number]


def terms(expr: Expr) -> Terms:
    """The polynomial as a map from monomials (ordered tuples of atoms) to coefficients."""
    match expr:
        case Num(value):
            return {(): value} if value else {}
        case Add(parts):
            return dict(_term(part) for part in parts)
        case _:
            return dict((_term(expr),))


def build(polynomial: Mapping[Monomial, Number]) -> Expr:
    """The expression of a map whose monomials are ordered."""
    kept = [(m, c if type(c) is int else exact(c)) for m, c in polynomial.items() if c]
    if not kept:
        return ZERO
    if len(kept) == 1:
        return _of_term(*kept[0])
    kept.sort(key=lambda term: (-len(term[0]), _keys(term[0])))
    return Add(tuple(_of_term(monomial, c) for monomial, c in kept))


@remembered("_factored")
def factored(expr: Expr) -> tuple[Number, Monomial, Expr]:
    """`expr` as number * monomial * primitive rest: `2*N*N + 4*N` is 2, (N,), `N + 2`. With float
    coefficients the number is the leading coefficient."""
    polynomial = terms(expr)
    if not polynomial:
        return 0, (), ONE
    scale = _content(polynomial)
    if () in polynomial:
        return scale, (), build({m: quotient(c, scale) for m, c in polynomial.items()})
    common = Counter(next(iter(polynomial)))
    for monomial in polynomial:
        common &= Counter(monomial)
    rest: Terms = {}
    for monomial, c in polynomial.items():
        left = Counter(monomial) - common
        rest[ordered(left.elements())] = quotient(c, scale)
    return scale, ordered(common.elements()), build(rest)


def constant(expr: Expr) -> Number | None:
    """The value of an expression that is a number."""
    return expr.value if isinstance(expr, Num) else None


def _term(part: Expr) -> tuple[Monomial, Number]:
    match part:
        case Num(value):
            return (), value
        case Mul((Num(value), *atoms)):
            return tuple(atoms), value
        case Mul(atoms):
            return tuple(atoms), 1
        case _:
            return (part,), 1


def _of_term(monomial: Monomial, coefficient: Number) -> Expr:
    if not monomial:
        return Num(coefficient)
    if coefficient == 1:
        return monomial[0] if len(monomial) == 1 else Mul(monomial)
    return Mul((Num(coefficient), *monomial))


def accumulate(total: Terms, more: Terms, factor: Number) -> None:
    for monomial, c in more.items():
        total[monomial] = total.get(monomial, 0) + c * factor


def scaled(expr: Expr, factor: Number) -> Expr:
    if isinstance(expr, Num):
        return Num(exact(expr.value * factor)) if expr.value and factor else ZERO
    return expr if factor == 1 else build({m: c * factor for m, c in terms(expr).items()})


def exact(value: Number) -> Number:
    if type(value) is int or type(value) is float:  # asking whether it is a Fraction takes longer
        return value
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def quotient(above: Number, below: Number) -> Number:
    if isinstance(above, float) or isinstance(below, float):
        return above / below
    if isinstance(above, int) and isinstance(below, int) and below and above % below == 0:
        return above // below
    return exact(Fraction(above) / below)


def _content(polynomial: Terms) -> Number:
    """The rational that leaves coprime integer coefficients, the leading one positive; floats: the leading
    one."""
    leading = next(iter(polynomial.values()))
    denominator = common_denominator(polynomial)
    if denominator is None:
        return leading
    divisor = math.gcd(*(int(c * denominator) for c in polynomial.values()))
    return exact(Fraction(divisor if leading > 0 else -divisor, denominator))


def common_denominator(polynomial: Terms) -> int | None:
    """Of the coefficients; None when one is a float."""
    denominators = [0 if isinstance(c, float) else c.denominator for c in polynomial.values()]
    return None if 0 in denominators else math.lcm(*denominators)


def has_integers_only(polynomial: Terms) -> bool:
    return all(isinstance(c, int) for c in polynomial.values())


def ordered(atoms: Iterable[Expr]) -> Monomial:
    found = tuple(atoms)
    return found if len(found) < 2 else tuple(sorted(found, key=order))


def _keys(atoms: Iterable[Expr]) -> tuple[Any, ...]:
    return tuple(map(order, atoms))


@remembered("_order")
def order(expr: Expr) -> tuple[Any, ...]:
    """A total order of expressions: by kind, then by content."""
    match expr:
        case Sym(name):
            return (1, name)
        case Num(value):
            return (0, value)
        case Mul(parts):
            return (2, _keys(parts))
        case Add(parts):
            return (3, _keys(parts))
        case Div(above, below):
            return (4, _keys((above, below)))
        case FloorDiv(above, below):
            return (5, _keys((above, below)))
        case Mod(above, below):
            return (6, _keys((above, below)))
        case Gcd(value, limit):
            return (10, (*_keys((value,)), limit))
        case Min(parts):
            return (7, _keys(parts))
        case Max(parts):
            return (8, _keys(parts))
        case Piecewise(cases, otherwise):
            return (9, _keys((*(e for case_ in cases for e in case_), otherwise)))
