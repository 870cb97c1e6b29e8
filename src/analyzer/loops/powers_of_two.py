"""Powers of two whose exponent is a value of the program, and what shifts and masks by them do: `1 << k`, `x >> k`.

*Decides*: `1 << k` is a size P of its own, the same wherever the program has it, `1 << (k + 1)` is 2 * P; `x << k` is
x * P where the code speaks of P otherwise, too, `x >> k` is x / P, `x & (P - 1)` is x % P, `x & ~(P - 1)` and `x & -P`
are x / P * P; `x ^ y` and `x | y` are x + y where no bit is 1 in both. So a bit that is inserted into a number makes
rows of 2 * P out of rows of P.
*Errs toward* any value: shifts of values that may be negative, masks of which one bit alone is not set. Shifts by more
than the width of the type are undefined (C11 6.5.7p3).

    mask = 1 << k;  b = (i & (mask - 1)) + ((i & ~(mask - 1)) << 1);        ->  i % P + i / P * (2 * P)
"""

from ..ir.arithmetic import interval
from ..ir.invariance import computed_in
from ..ir.nodes import Computed, Power, Rest, meaning_of
from ..ir.polynomials import ZERO, Poly, Symbol, number, symbol
from ..source.ctypes import Integer
from . import trips
from .context import Context
from .value_parts import rest, share

WIDEST = 8
"""Bytes of a type; of a wider one it is not followed what leaves it."""


def shifted_left(ctx: Context, value: Poly, by: Poly, type_: Integer, text: str) -> Poly | None:
    """`value << by` of a number, or of what is made of the same power."""
    if type_.size > WIDEST:
        return None
    if value.constant is not None:
        return _power(ctx, by, type_, text) * value if value.constant > 0 else None
    base, factor = _apart(by, value)
    return value * factor * _symbol(ctx, base, type_, text) if _origin(ctx, base, type_) in ctx.quotients else None


def shifted_right(ctx: Context, value: Poly, by: Poly, type_: Integer, text: str) -> Poly | None:
    """`value >> by` of a value that is not negative."""
    if type_.size > WIDEST or not _is_not_negative(value, type_):
        return None
    return share(ctx, value, _power(ctx, by, type_, f"1 << {by}"), type_, text)


def masked(ctx: Context, a: Poly, b: Poly, type_: Integer, text: str) -> Poly | None:
    """`a & b`, one of which is P - 1 or -P."""
    for value, mask in ((a, b), (b, a)):
        if not _is_not_negative(value, type_):
            continue
        if is_power(mask + 1):
            return rest(ctx, value, mask + 1, type_, text)
        if is_power(-mask):
            rows = share(ctx, value, -mask, type_, f"({value}) / ({-mask})")
            return None if rows is None else rows * -mask
    return None


def clears(mask: Poly) -> bool:
    """Whether a mask clears the bits below a power: `~(P - 1)`, as it is without its type."""
    return is_power(-mask)


def joined(ctx: Context, a: Poly, b: Poly, type_: Integer) -> Poly | None:
    """`a ^ b` or `a | b` of values that have no bit in common: a power, and one that has a 0 there; what is left of
    something by a power, and a multiple of that; a multiple of 4, say, and what is less, as in `i << 2 | k`."""
    for x, y in ((a, b), (b, a)):
        by = _left_by(y, type_)
        if (is_power(y) and _has_zero(x, y, type_)) or (by is not None and x.divided_by(by) is not None):
            return x + y
        if x.constant is None and _is_between(ctx, y, _common_power(x)):
            return x + y
    return None


def _common_power(x: Poly) -> int:
    """The largest power of two, as a number, of which a value is always a multiple."""
    return min(c & -c for _, c in x.terms)


def _is_between(ctx: Context, y: Poly, end: int) -> bool:
    """Whether a value is one of 0 .. end - 1, by the conditions around it and the bounds of what it is made of."""
    low, high = interval(y)
    surely = low is not None and low >= 0, high is not None and high < end
    asked = (y, number(end - 1) - y)
    return end > 1 and all(known or trips.holds(ctx.guards, x) for known, x in zip(surely, asked, strict=True))


def _left_by(value: Poly, type_: Integer) -> Poly | None:
    """The power by which a value is what is left of another one, which is not negative."""
    match value.terms:
        case (((Symbol(origin=Computed(meaning=Rest(value=of, divisor=by))),), 1),) if is_power(by):
            return by if _is_not_negative(of, type_) else None
        case _:
            return None


def is_power(value: Poly) -> bool:
    """Whether a value is a power of two whatever the program gives it: `1 << k`, twice that."""
    match value.terms:
        case ((sizes, factor),) if sizes and factor > 0 and not factor & (factor - 1):
            return all(isinstance(meaning_of(s), Power) for s in sizes)
        case _:
            return False


def _has_zero(x: Poly, power: Poly, type_: Integer) -> bool:
    """Whether the bit of a power is 0 in a value: a multiple of twice the power, and the rest of something by it."""
    left = (symbol(s) for s in x.symbols if _left_by(symbol(s), type_) == power)
    return any((x - low).divided_by(power * 2) is not None for low in (ZERO, *left))


def _is_not_negative(value: Poly, type_: Integer) -> bool:
    low, _ = interval(value)
    return not type_.signed or (low is not None and low >= 0)


def _power(ctx: Context, exponent: Poly, type_: Integer, text: str) -> Poly:
    base, factor = _apart(exponent)
    return _symbol(ctx, base, type_, text) * factor


def _apart(exponent: Poly, beside: Poly | None = None) -> tuple[Poly, int]:
    """An exponent without its constant, where it is not negative then (or the value `beside` was made by shifting by
    it, which is undefined else), and the power of that."""
    more = exponent.constant_term
    base = exponent - more
    low, _ = interval(base)
    used = beside is not None and any(_shifts_by(s, base) for s in beside.symbols)
    apart = 0 < more < 8 * WIDEST and ((low is not None and low >= 0) or used)
    return (base, 1 << more) if apart else (exponent, 1)


def _shifts_by(s: Symbol, exponent: Poly) -> bool:
    match s.origin:
        case Computed(meaning=meaning) if meaning is not None:
            divisor = getattr(meaning, "divisor", None)
            return isinstance(divisor, Poly) and any(_is_of(t, exponent) for t in divisor.symbols)
        case _:
            return False


def _is_of(s: Symbol, exponent: Poly) -> bool:
    match s.origin:
        case Computed(meaning=Power(value=value)):
            return value == exponent
        case _:
            return False


def _symbol(ctx: Context, exponent: Poly, type_: Integer, text: str) -> Poly:
    return ctx.quotient(_origin(ctx, exponent, type_), text, (1, 1 << (8 * type_.size - 1)))


def _origin(ctx: Context, exponent: Poly, type_: Integer) -> Computed:
    loops = tuple(k for k in ctx.loops if computed_in(exponent, k))
    return Computed("power", ctx.definition.place, loops, Power(exponent, 8 * type_.size), of_counts=True)
