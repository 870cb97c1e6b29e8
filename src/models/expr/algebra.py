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
from collections.abc import Iterable
from fractions import Fraction
from itertools import product

from .nodes import (
    ONE,
    ZERO,
    Add,
    Div,
    Expr,
    FloorDiv,
    Gcd,
    Max,
    Min,
    Mod,
    Mul,
    Num,
    Number,
    Operand,
    Operators,
    Piecewise,
    Sym,
    remembered,
)
from .polynomial import (
    Monomial,
    Terms,
    accumulate,
    build,
    common_denominator,
    exact,
    factored,
    has_integers_only,
    order,
    ordered,
    quotient,
    scaled,
    terms,
)

EXPANSION_LIMIT = 256


def num(value: Number) -> Num:
    """A number; integral fractions become ints. Infinities and NaN are refused with ValueError."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is not a number an expression can hold")
    return Num(exact(value))


def sym(name: str) -> Sym:
    """A symbol. `name` is any text without a backtick, usually C: `n`, `s->n`, `n@12`."""
    if not name or "`" in name:
        raise ValueError(f"{name!r} cannot be the name of a symbol")
    return Sym(name)


def as_expr(value: Operand) -> Expr:
    return value if isinstance(value, Operators) else num(value)


def add(*operands: Operand) -> Expr:
    if len(operands) == 2:
        left, right = map(as_expr, operands)
        if isinstance(left, Num) and isinstance(right, Num):
            return Num(exact(left.value + right.value))
    parts = [part for part in map(as_expr, operands) if part != ZERO]
    if len(parts) == 1:
        return parts[0]
    total: Terms = {}
    for part in parts:
        accumulate(total, terms(part), 1)
    return build(total)


def mul(*operands: Operand) -> Expr:
    """The product, expanded unless that could make more than EXPANSION_LIMIT terms."""
    if len(operands) == 2:
        left, right = map(as_expr, operands)
        if isinstance(left, Num):
            return scaled(right, left.value)
        if isinstance(right, Num):
            return scaled(left, right.value)
    coefficient: Number = 1
    atoms: list[Expr] = []
    sums: list[Add] = []
    quotients: list[Div] = []
    for factor in _flat(Mul, operands):
        match factor:
            case Num(value):
                coefficient = coefficient * value
            case Add():
                sums.append(factor)
            case Div():
                quotients.append(factor)
            case _:
                atoms.append(factor)
    if quotients:
        above = mul(*atoms, *sums, *(q.numerator for q in quotients))
        return scaled(div(above, mul(*(q.denominator for q in quotients))), coefficient)
    if _expanded_size(sums) > EXPANSION_LIMIT:
        return build({ordered((*atoms, *sums)): coefficient})
    result: Terms = {ordered(atoms): coefficient}
    for factor in sums:
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
        return build({m: quotient(c, below.value) for m, c in terms(above).items()})
    scale_above, common_above, rest_above = factored(above)
    scale_below, common_below, rest_below = factored(below)
    scale = quotient(scale_above, scale_below)
    for inner in common_above:
        if isinstance(inner, Div):
            return scaled(div(inner.numerator, mul(inner.denominator, *common_below, rest_below)), scale)
    for inner in common_below:
        if isinstance(inner, Div):
            return scaled(div(mul(*common_above, rest_above, inner.denominator), inner.numerator), scale)
    if rest_above == rest_below:
        rest_above = rest_below = ONE
    shared = Counter(common_above) & Counter(common_below)
    top = mul(*(Counter(common_above) - shared).elements(), rest_above)
    bottom = mul(*(Counter(common_below) - shared).elements(), rest_below)
    return scaled(top, scale) if bottom == ONE else build({(Div(top, bottom),): scale})


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
    scale = common_denominator(terms(above))
    if scale is None or not _has_integer_atoms(above):
        return FloorDiv(above, below)
    return _floor(terms(scaled(above, scale)), below.value * scale)


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
    plain = has_integers_only(terms(above)) and _has_integer_atoms(above)
    if plain and isinstance(below, Num) and isinstance(below.value, int) and below.value > 0:
        above = build({m: c % below.value for m, c in terms(above).items()})
        if isinstance(above, Num):
            return num(above.value % below.value)
    return Mod(above, below)


def gcd(value: Operand, limit: int) -> Expr:
    """The greatest common divisor of an integer-valued operand and a number >= 1."""
    inner = as_expr(value)
    return num(math.gcd(int(inner.value), limit)) if isinstance(inner, Num) else Gcd(inner, limit)


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


def _flat(kind: type[Mul] | type[Min] | type[Max], operands: Iterable[Operand]) -> list[Expr]:
    """The operands, with those of the same kind replaced by what they hold."""
    found: list[Expr] = []
    for operand in map(as_expr, operands):
        if not isinstance(operand, kind):
            found.append(operand)
        else:
            found.extend(operand.factors if isinstance(operand, Mul) else operand.arguments)
    return found


def _product(left: Terms, right: Terms) -> Terms:
    total: Terms = {}
    apart = _holds_quotient(left) or _holds_quotient(right)
    for (m1, c1), (m2, c2) in product(left.items(), right.items()):
        if apart:
            accumulate(total, terms(mul(*m1, *m2)), c1 * c2)
        else:
            monomial = ordered((*m1, *m2)) if m1 and m2 else m1 or m2
            total[monomial] = total.get(monomial, 0) + c1 * c2
    return total


def _holds_quotient(polynomial: Terms) -> bool:
    return any(isinstance(atom, Div) for monomial in polynomial for atom in monomial)


def _expanded_size(sums: list[Add]) -> int:
    """An upper bound of the terms of a product of sums: multisets of `k` out of `n` terms for a k-th power. A single
    sum is always small enough: multiplying it adds no terms."""
    plain = math.prod(len(s.terms) for s in sums)
    if plain <= EXPANSION_LIMIT or len(sums) == 1:
        return min(plain, EXPANSION_LIMIT)
    return math.prod(math.comb(len(s.terms) + k - 1, k) for s, k in Counter(sums).items())


def _undominated(operands: Iterable[Expr], *, larger: bool) -> tuple[Expr, ...]:
    """The operands without those that differ from another one by a constant on the losing side."""
    best: dict[frozenset[tuple[Monomial, Number]], tuple[Number, Expr]] = {}
    for operand in operands:
        rest, value = _apart(operand)
        if rest in best:
            gap = value - best[rest][0]
            if gap <= 0 if larger else gap >= 0:
                continue
        best[rest] = (value, operand)
    if not best:
        raise ValueError("minimum and maximum need an operand")
    return tuple(sorted((operand for _, operand in best.values()), key=order))


@remembered("_apart")
def _apart(expr: Expr) -> tuple[frozenset[tuple[Monomial, Number]], Number]:
    """What is not constant in an expression, and what is."""
    found = terms(expr)
    value = found.pop((), 0)
    return frozenset(found.items()), value


def _is_integer_valued(expr: Expr) -> bool:
    """Whether a polynomial in integers has integer values only. One with fractional coefficients has if it is
    an integer at every point of the grid 0 .. degree of each symbol (Newton's forward differences)."""
    polynomial = terms(expr)
    atoms = {atom for monomial in polynomial for atom in monomial}
    if not _has_integer_atoms(expr) or common_denominator(polynomial) is None:
        return False
    if has_integers_only(polynomial):
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


def _has_integer_atoms(expr: Expr) -> bool:
    return all(_is_integer_atom(atom) for monomial in terms(expr) for atom in monomial)


def _is_integer_atom(atom: Expr) -> bool:
    match atom:
        case Sym() | FloorDiv() | Gcd():
            return True
        case Mod(above, below):
            return _is_integer_valued(above) and _is_integer_valued(below)
        case Min(parts) | Max(parts):
            return all(map(_is_integer_valued, parts))
        case Piecewise(cases, otherwise):
            return all(map(_is_integer_valued, (*(value for _, value in cases), otherwise)))
        case _:
            return False
