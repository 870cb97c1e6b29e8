"""Values that are taken apart by sizes: `i / w` and `i % w`, one symbol per part, however the code says it.

*Decides*: the polynomial of a quotient or remainder by a size or a product of sizes, and of what a difference leaves of
a value, in mixed radix: `t % (n*p)` is `t/p % n * p + t % p`, so that its own quotients and remainders are known parts.
For values and sizes of any sign: division drops the fraction, all parts of a value have its sign, and none of those
within a row is as long as it (C11 6.5.5p6).
*Does not handle*: divisors that are sums; parts of a sum of parts of different values.

    i = t / (n*p), r = t - i*n*p, j = r / p, k = r % p       ->  t/p/n,  t/p%n * p + t%p,  t/p%n,  t%p
"""

from collections.abc import Iterator

from ..ir.arithmetic import value_range
from ..ir.invariance import computed_in
from ..ir.nodes import Computed, Either, Flipped, Remainder, Rest, Share
from ..ir.polynomials import Poly, Symbol, number, symbol
from ..polyhedra.signs import is_nonnegative
from ..source.ctypes import Integer
from .context import Context

MOST_RADICES = 4


def share(ctx: Context, a: Poly, b: Poly, type_: Integer, text: str) -> Poly | None:
    """`a / b` for a size b (so b >= 1: division by 0 is undefined) that no loop around changes. `i / (w*h)` is
    `(i / w) / h` or `(i / h) / w`, whichever the code has, too."""
    if not has_parts(a, b):
        return None
    first = _first(ctx, a, b)
    if first is None:
        apart = _apart(a, b)
        return ctx.quotient(part(ctx, Share(a, b)), text, value_range(type_)) if apart is None else apart[0]
    row = share(ctx, a, symbol(first), type_, f"{text} * {first.name}")
    others = b.divided_by(symbol(first))  # of a square, the size itself
    return None if row is None or others is None else share(ctx, row, others, type_, text)


def rest(ctx: Context, a: Poly, b: Poly, type_: Integer, text: str) -> Poly | None:
    """`a % b` likewise: of sizes what `a / b` leaves of them, else a value of its own, or several in mixed radix."""
    if not has_parts(a, b):
        return None
    first = _first(ctx, a, b)
    if first is not None and part(ctx, Rest(a, b)).loops:
        return _in_mixed_radix(ctx, a, b, first, type_, text)
    apart = _apart(a, b)
    if apart is not None:
        return apart[1]
    meaning = part(ctx, Rest(a, b))
    if meaning.loops:
        return ctx.quotient(meaning, text, value_range(type_))
    whole = share(ctx, a, b, type_, text) if type_.signed else None
    return None if whole is None else a - b * whole


def _in_mixed_radix(ctx: Context, a: Poly, b: Poly, first: Symbol, type_: Integer, text: str) -> Poly | None:
    """`a % b` of a product of sizes: the place in a row of the first one, and the row."""
    row, others = share(ctx, a, symbol(first), type_, f"{text} / {first.name}"), b.divided_by(symbol(first))
    inner = rest(ctx, a, symbol(first), type_, f"{text} % {first.name}")
    outer = None if row is None or others is None else rest(ctx, row, others, type_, f"{text} / {first.name}")
    return None if inner is None or outer is None else inner + symbol(first) * outer


def left_over(ctx: Context, difference: Poly, type_: Integer) -> Poly:
    """A difference in which a value without a multiple of its part, `t - t / n * n`, is the other part of it. Example:
    see the module."""
    for s in difference.symbols:
        for value, radices in _above(s):
            whole = number(1)
            for radix in radices:
                whole = whole * radix
            others = difference - value + whole * symbol(s)
            if difference.coefficient(s) == -whole and len(others.terms) + len(value.terms) < len(difference.terms):
                remainder = rest(ctx, value, whole, type_, f"{value} % {whole}")
                if remainder is not None and s not in remainder.symbols:  # of sizes it is such a difference itself
                    return left_over(ctx, others + remainder, type_)
    return difference


def _above(s: Symbol) -> Iterator[tuple[Poly, tuple[Poly, ...]]]:
    """The values that a symbol is a part of, and by what each was divided."""
    radices: tuple[Poly, ...] = ()
    while isinstance(s.origin, Computed) and isinstance(s.origin.meaning, Share) and len(radices) < MOST_RADICES:
        value, radices = s.origin.meaning.value, (s.origin.meaning.divisor, *radices)
        yield value, radices
        if len(value.symbols) != 1 or value != symbol(*value.symbols):  # a number as well: `31 / bits`
            return
        (s,) = value.symbols


def _first(ctx: Context, a: Poly, b: Poly) -> Symbol | None:
    """Of a product of sizes the one that is the innermost row, as the code has it elsewhere."""
    match b.terms:
        case (((_, _, *_) as sizes, 1),):
            known = (s for s in sizes if part(ctx, Share(a, symbol(s))) in ctx.quotients)
            return next(known, None) or next((s for s in sizes if s.name in ctx.row_names), sizes[0])
        case _:
            return None


def _apart(a: Poly, b: Poly) -> tuple[Poly, Poly] | None:
    """(a / b, a % b) where `a` is a place in a row of length b, or that and a part of the row's number."""
    for s in a.symbols:
        match s.origin:
            case Computed(meaning=Rest(value=value, divisor=divisor)) if divisor == b:
                row = (a - symbol(s)).divided_by(b)
                if row is not None and (not row.terms or _is_part(row, Share(value, b))):
                    return row, symbol(s)
            case _:
                pass
    return None


def _is_part(x: Poly, of: Share) -> bool:
    """Whether a value is a part of a quotient, in mixed radix, or the quotient itself."""
    for s in x.symbols:
        match s.origin:
            case Computed(meaning=Share() as meaning) if x == symbol(s):
                above = meaning.value.symbols
                return meaning == of or any(_is_part(symbol(t), of) and symbol(t) == meaning.value for t in above)
            case Computed(meaning=Rest(value=value, divisor=divisor)) if _is_part(value, of):
                row = (x - symbol(s)).divided_by(divisor)
                if row is not None and (not row.terms or _is_part(row, Share(value, divisor))):
                    return True
            case _:
                pass
    return False


def has_parts(a: Poly, b: Poly) -> bool:
    """Whether a value and a size are not negative, as far as sizes say: a size may be kept in a narrower type, in some
    cases (`short n = 1;  if (parallel) n = threads();`)."""
    return is_nonnegative(_divided_by_some(a, b)) and (is_nonnegative(b) or _is_narrowed(b))


def _divided_by_some(a: Poly, b: Poly) -> Poly:
    """A value, with a size that it is divided by as one that is not 0: of `(n + w - 1) / w`, n + w' for w' = w - 1."""
    match b.terms:
        case (((s,), 1),) if s in a.symbols:
            return a.substitute({s: symbol(s) + 1})
        case _:
            return a


def _is_narrowed(value: Poly) -> bool:
    """Whether it is what is left of a value in a type of fewer bits, or a choice of such a value and others."""
    match (value - value.constant_term).terms, value.constant_term:
        case (((Symbol(origin=Remainder(divisor=values, floor=True)),), 1),), low:
            return low == -(values // 2)
        case (((Symbol(origin=Computed(meaning=Either(values=parts))),), 1),), 0:
            return all(is_nonnegative(part) or _is_narrowed(part) for part in parts)
        case _:
            return False


def part(ctx: Context, meaning: Share | Rest | Flipped) -> Computed:
    """The value as an origin: it may differ in each iteration of the loops that change what it is a part of."""
    loops = tuple(k for k in ctx.loops if computed_in(meaning.value, k) or computed_in(meaning.divisor, k))
    return Computed("share", ctx.definition.place, loops, meaning)
