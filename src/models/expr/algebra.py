"""The expression type for counts and times, and its one normal form.

An `Expr` is a polynomial with exact rational (or float) coefficients over *atoms*: symbols, quotients,
floors, remainders, minima, maxima and case distinctions. The constructors below are the only way to build
one; they collect like terms and expand products, so that equal polynomials are equal values:

    (N + 1) * N / 2  ==  (N * N + N) / 2          Add((Mul((Num(1/2), N, N)), Mul((Num(1/2), N))))

Products of sums whose expansion could exceed `EXPANSION_LIMIT` terms stay products: such values are right,
but two ways to write one need not compare equal. Symbols are integers >= 0 (branch weights: 0 .. 1); the
operands of `//` and `%` must be integer-valued, which is assumed when they are simplified. A quotient is
simplified where its divisor is not zero: `N*M / N` is `M`.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, TypeAlias, cast

Number: TypeAlias = int | Fraction | float
EXPANSION_LIMIT = 256


class Operators:
    """`+ - * / // %` of expressions with each other and with numbers."""

    __slots__ = ()

    def __add__(self, other: "Operand") -> "Expr":
        return add(_self(self), other)

    def __radd__(self, other: Number) -> "Expr":
        return add(other, _self(self))

    def __sub__(self, other: "Operand") -> "Expr":
        return add(_self(self), mul(-1, other))

    def __rsub__(self, other: Number) -> "Expr":
        return add(other, mul(-1, _self(self)))

    def __mul__(self, other: "Operand") -> "Expr":
        return mul(_self(self), other)

    def __rmul__(self, other: Number) -> "Expr":
        return mul(other, _self(self))

    def __truediv__(self, other: "Operand") -> "Expr":
        return div(_self(self), other)

    def __rtruediv__(self, other: Number) -> "Expr":
        return div(other, _self(self))

    def __floordiv__(self, other: "Operand") -> "Expr":
        return floordiv(_self(self), other)

    def __mod__(self, other: "Operand") -> "Expr":
        return mod(_self(self), other)

    def __neg__(self) -> "Expr":
        return mul(-1, _self(self))

    def __str__(self) -> str:
        from .text import to_text

        return to_text(_self(self))


@dataclass(frozen=True, slots=True)
class Num(Operators):
    value: Number


@dataclass(frozen=True, slots=True)
class Sym(Operators):
    name: str


@dataclass(frozen=True, slots=True)
class Add(Operators):
    """Two or more terms, each a number, an atom or a `Mul`, highest degree first."""

    terms: "tuple[Expr, ...]"


@dataclass(frozen=True, slots=True)
class Mul(Operators):
    """An optional leading number, then atoms in order; a power is a repeated atom."""

    factors: "tuple[Expr, ...]"


@dataclass(frozen=True, slots=True)
class Div(Operators):
    """A real quotient without common factors."""

    numerator: "Expr"
    denominator: "Expr"


@dataclass(frozen=True, slots=True)
class FloorDiv(Operators):
    """The quotient rounded towards minus infinity."""

    numerator: "Expr"
    denominator: "Expr"


@dataclass(frozen=True, slots=True)
class Mod(Operators):
    """numerator - denominator * floor(numerator / denominator)."""

    numerator: "Expr"
    denominator: "Expr"


@dataclass(frozen=True, slots=True)
class Min(Operators):
    arguments: "tuple[Expr, ...]"


@dataclass(frozen=True, slots=True)
class Max(Operators):
    arguments: "tuple[Expr, ...]"


@dataclass(frozen=True, slots=True)
class Piecewise(Operators):
    """The value of the first case whose condition is >= 0, or else `otherwise`."""

    cases: "tuple[tuple[Expr, Expr], ...]"
    otherwise: "Expr"


Expr: TypeAlias = Num | Sym | Add | Mul | Div | FloorDiv | Mod | Min | Max | Piecewise
Operand: TypeAlias = Expr | int | Fraction | float
Monomial: TypeAlias = tuple[Expr, ...]
Terms: TypeAlias = dict[Monomial, Number]

ZERO = Num(0)
ONE = Num(1)


def _self(value: Operators) -> Expr:
    return cast("Expr", value)


# --- constructors


def num(value: Number) -> Num:
    """A number; integral fractions become ints. Infinities and NaN are refused with ValueError."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is not a number an expression can hold")
    return Num(_exact(value))


def sym(name: str) -> Sym:
    """A symbol. `name` is any text without a backtick, usually C: `n`, `s->n`, `n@12`."""
    if not name or "`" in name:
        raise ValueError(f"{name!r} cannot be the name of a symbol")
    return Sym(name)


def as_expr(value: Operand) -> Expr:
    return num(value) if isinstance(value, int | float | Fraction) else value


def add(*operands: Operand) -> Expr:
    total: Terms = {}
    for operand in operands:
        _accumulate(total, terms(as_expr(operand)), 1)
    return build(total)


def mul(*operands: Operand) -> Expr:
    """The product, expanded unless that could make more than EXPANSION_LIMIT terms."""
    coefficient: Number = 1
    atoms: list[Expr] = []
    sums: Counter[Add] = Counter()
    quotients: list[Div] = []
    for factor in _flat(Mul, operands):
        match factor:
            case Num(value):
                coefficient = coefficient * value
            case Add():
                sums[factor] += 1
            case Div():
                quotients.append(factor)
            case _:
                atoms.append(factor)
    if quotients:
        above = mul(*atoms, *sums.elements(), *(q.numerator for q in quotients))
        return _scaled(div(above, mul(*(q.denominator for q in quotients))), coefficient)
    if _expanded_size(sums) > EXPANSION_LIMIT:
        return build({_ordered((*atoms, *sums.elements())): coefficient})
    result: Terms = {_ordered(atoms): coefficient}
    for factor in sums.elements():
        result = _product(result, terms(factor))
    return build(result)


def power(base: Operand, exponent: int) -> Expr:
    return mul(*[base] * exponent)


def div(numerator: Operand, denominator: Operand) -> Expr:
    """The real quotient; common factors are cancelled. ZeroDivisionError for a denominator that is the number
    0."""
    above, below = as_expr(numerator), as_expr(denominator)
    if isinstance(below, Num):
        if below.value == 0:
            raise ZeroDivisionError(f"({above}) / 0")
        return build({m: _quotient(c, below.value) for m, c in terms(above).items()})
    scale_above, common_above, rest_above = factored(above)
    scale_below, common_below, rest_below = factored(below)
    scale = _quotient(scale_above, scale_below)
    for inner in common_above:
        if isinstance(inner, Div):
            return _scaled(div(inner.numerator, mul(inner.denominator, *common_below, rest_below)), scale)
    for inner in common_below:
        if isinstance(inner, Div):
            return _scaled(div(mul(*common_above, rest_above, inner.denominator), inner.numerator), scale)
    if rest_above == rest_below:
        rest_above = rest_below = ONE
    shared = Counter(common_above) & Counter(common_below)
    top = mul(*(Counter(common_above) - shared).elements(), rest_above)
    bottom = mul(*(Counter(common_below) - shared).elements(), rest_below)
    return _scaled(top, scale) if bottom == ONE else build({(Div(top, bottom),): scale})


def floordiv(numerator: Operand, denominator: Operand) -> Expr:
    """floor(numerator / denominator) of integer-valued operands; whole multiples are taken out of the
    floor."""
    above, below = as_expr(numerator), as_expr(denominator)
    if isinstance(above, Num) and isinstance(below, Num):
        return num(above.value // below.value)
    exact = div(above, below)
    if _is_integer_valued(exact):
        return exact
    if not (isinstance(below, Num) and isinstance(below.value, int) and below.value > 0):
        return FloorDiv(above, below)
    scale = _common_denominator(terms(above))
    if scale is None or _holds_quotient(above):
        return FloorDiv(above, below)
    return _floor(terms(_scaled(above, scale)), below.value * scale)


def _floor(polynomial: Terms, divisor: int) -> Expr:
    """floor(polynomial / divisor) for integer coefficients."""
    whole = build({m: c // divisor for m, c in polynomial.items()})
    rest = {m: int(c % divisor) for m, c in polynomial.items() if c % divisor}
    if set(rest) <= {()}:
        return whole
    shared = math.gcd(divisor, *rest.values())
    return add(whole, FloorDiv(build({m: c // shared for m, c in rest.items()}), Num(divisor // shared)))


def ceildiv(numerator: Operand, denominator: Operand) -> Expr:
    """ceil(numerator / denominator) of integer-valued operands, denominator >= 1."""
    return floordiv(add(numerator, denominator, -1), denominator)


def mod(numerator: Operand, denominator: Operand) -> Expr:
    """The remainder of `floordiv`; for a positive denominator it lies in 0 .. denominator - 1."""
    above, below = as_expr(numerator), as_expr(denominator)
    if isinstance(above, Num) and isinstance(below, Num):
        return num(above.value % below.value)
    if _is_integer_valued(div(above, below)):
        return ZERO
    plain = _has_integers_only(terms(above)) and not _holds_quotient(above)
    if plain and isinstance(below, Num) and isinstance(below.value, int) and below.value > 0:
        above = build({m: c % below.value for m, c in terms(above).items()})
        if isinstance(above, Num):
            return num(above.value % below.value)
    return Mod(above, below)


def minimum(*operands: Operand) -> Expr:
    kept = _undominated(_flat(Min, operands), larger=False)
    return kept[0] if len(kept) == 1 else Min(kept)


def maximum(*operands: Operand) -> Expr:
    kept = _undominated(_flat(Max, operands), larger=True)
    return kept[0] if len(kept) == 1 else Max(kept)


def piecewise(cases: Iterable[tuple[Operand, Operand]], otherwise: Operand) -> Expr:
    """The value of the first case whose condition is >= 0, or else `otherwise`."""
    kept: list[tuple[Expr, Expr]] = []
    rest = as_expr(otherwise)
    for condition, value in ((as_expr(c), as_expr(v)) for c, v in cases):
        if not isinstance(condition, Num):
            kept.append((condition, value))
        elif condition.value >= 0:
            rest = value
            break
    while kept and kept[-1][1] == rest:
        kept.pop()
    return Piecewise(tuple(kept), rest) if kept else rest


# --- the normal form


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
    kept = [(m, _exact(c)) for m, c in polynomial.items() if c]
    kept.sort(key=lambda term: (-len(term[0]), _keys(term[0])))
    parts = tuple(_of_term(monomial, c) for monomial, c in kept)
    if not parts:
        return ZERO
    return parts[0] if len(parts) == 1 else Add(parts)


def factored(expr: Expr) -> tuple[Number, Monomial, Expr]:
    """`expr` as number * monomial * primitive rest: `2*N*N + 4*N` is 2, (N,), `N + 2`. With float
    coefficients the number is the leading coefficient."""
    polynomial = terms(expr)
    if not polynomial:
        return 0, (), ONE
    scale = _content(polynomial)
    common = Counter(next(iter(polynomial)))
    for monomial in polynomial:
        common &= Counter(monomial)
    rest: Terms = {}
    for monomial, c in polynomial.items():
        left = Counter(monomial) - common
        rest[_ordered(left.elements())] = _quotient(c, scale)
    return scale, _ordered(common.elements()), build(rest)


def constant(expr: Expr) -> Number | None:
    """The value of an expression that is a number."""
    return expr.value if isinstance(expr, Num) else None


def _flat(kind: type[Mul] | type[Min] | type[Max], operands: Iterable[Operand]) -> list[Expr]:
    """The operands, with those of the same kind replaced by what they hold."""
    found: list[Expr] = []
    for operand in map(as_expr, operands):
        if not isinstance(operand, kind):
            found.append(operand)
        else:
            found.extend(operand.factors if isinstance(operand, Mul) else operand.arguments)
    return found


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


def _accumulate(total: Terms, more: Terms, factor: Number) -> None:
    for monomial, c in more.items():
        total[monomial] = total.get(monomial, 0) + c * factor


def _product(left: Terms, right: Terms) -> Terms:
    total: Terms = {}
    for (m1, c1), (m2, c2) in product(left.items(), right.items()):
        if any(isinstance(atom, Div) for atom in (*m1, *m2)):
            _accumulate(total, terms(mul(*m1, *m2)), c1 * c2)
        else:
            _accumulate(total, {_ordered((*m1, *m2)): c1}, c2)
    return total


def _scaled(expr: Expr, factor: Number) -> Expr:
    return expr if factor == 1 else build({m: c * factor for m, c in terms(expr).items()})


def _expanded_size(sums: Counter[Add]) -> int:
    """An upper bound of the terms of a product of sums: multisets of `k` out of `n` terms for a k-th
    power."""
    return math.prod(math.comb(len(s.terms) + k - 1, k) for s, k in sums.items())


def _exact(value: Number) -> Number:
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def _quotient(above: Number, below: Number) -> Number:
    if isinstance(above, float) or isinstance(below, float):
        return above / below
    return _exact(Fraction(above) / below)


def _content(polynomial: Terms) -> Number:
    """The rational that leaves coprime integer coefficients, the leading one positive; floats: the leading
    one."""
    leading = next(iter(polynomial.values()))
    denominator = _common_denominator(polynomial)
    if denominator is None:
        return leading
    divisor = math.gcd(*(int(c * denominator) for c in polynomial.values()))
    return _exact(Fraction(divisor if leading > 0 else -divisor, denominator))


def _common_denominator(polynomial: Terms) -> int | None:
    """Of the coefficients; None when one is a float."""
    if any(isinstance(c, float) for c in polynomial.values()):
        return None
    return math.lcm(*(Fraction(c).denominator for c in polynomial.values()))


def _has_integers_only(polynomial: Terms) -> bool:
    return all(isinstance(c, int) for c in polynomial.values())


def _holds_quotient(expr: Expr) -> bool:
    return any(isinstance(atom, Div) for monomial in terms(expr) for atom in monomial)


def _is_integer_valued(expr: Expr) -> bool:
    """Whether a polynomial in integers has integer values only. One with fractional coefficients has if it is
    an integer at every point of the grid 0 .. degree of each symbol (Newton's forward differences)."""
    polynomial = terms(expr)
    atoms = {atom for monomial in polynomial for atom in monomial}
    if _holds_quotient(expr) or _common_denominator(polynomial) is None:
        return False
    if _has_integers_only(polynomial):
        return True
    degrees = {atom: max(m.count(atom) for m in polynomial) for atom in atoms}
    if math.prod(d + 1 for d in degrees.values()) > EXPANSION_LIMIT:
        return False
    for point in product(*(range(d + 1) for d in degrees.values())):
        values = dict(zip(degrees, point, strict=True))
        total = sum(Fraction(c) * math.prod(values[a] for a in m) for m, c in polynomial.items())
        if total.denominator != 1:
            return False
    return True


def _undominated(operands: Iterable[Expr], *, larger: bool) -> tuple[Expr, ...]:
    """The operands without those that differ from another one by a constant on the losing side."""
    kept: list[Expr] = []
    for operand in operands:
        gaps = [constant(operand - other) for other in kept]
        if any(g is not None and (g <= 0 if larger else g >= 0) for g in gaps):
            continue
        kept = [other for other, g in zip(kept, gaps, strict=True) if g is None]
        kept.append(operand)
    if not kept:
        raise ValueError("minimum and maximum need an operand")
    return tuple(sorted(kept, key=_key))


def _ordered(atoms: Iterable[Expr]) -> Monomial:
    return tuple(sorted(atoms, key=_key))


def _keys(atoms: Iterable[Expr]) -> tuple[Any, ...]:
    return tuple(_key(atom) for atom in atoms)


def _key(expr: Expr) -> tuple[Any, ...]:
    """A total order of expressions: by kind, then by content."""
    match expr:
        case Num(value):
            return (0, value)
        case Sym(name):
            return (1, name)
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
        case Min(parts):
            return (7, _keys(parts))
        case Max(parts):
            return (8, _keys(parts))
        case Piecewise(cases, otherwise):
            return (9, _keys((*(e for case_ in cases for e in case_), otherwise)))
