"""Integer arithmetic on known values: which C operators keep a value a polynomial, and what becomes a symbol."""

from collections.abc import Iterable
from typing import Literal

from msgspec.structs import replace
from pycparser import c_ast

from ..base.places import Place
from ..ir.arithmetic import interval, value_range
from ..ir.invariance import computed_in
from ..ir.nodes import (
    Compare,
    Computed,
    Either,
    Entry,
    Flipped,
    Loaded,
    Origin,
    Outermost,
    Predicate,
    Quotient,
    Remainder,
    Wrap,
    negate,
    nested_symbols,
)
from ..ir.polynomials import Poly, Symbol, number, symbol
from ..source.ctypes import Integer
from . import packed_triangles, powers_of_two, trips
from .c_text import c_text
from .context import Context
from .value_parts import has_parts, left_over, part, rest, share
from .values import Condition, IntegerValue, merge
from .wrapped_values import fits, surely_fits

LARGEST_DEGREE = 8
"""Of a sum of products: places in an array of eight dimensions, four of one size and four of another."""
MOST_TERMS = 60
DEEPEST_CHOICE = 3


def combine(
    ctx: Context, operator: str, left: IntegerValue, right: IntegerValue, type_: Integer, node: c_ast.Node
) -> IntegerValue:
    """The value of `left operator right` in `type_` (both operands already of that type)."""
    text = "" if operator in ("+", "-", "*") else c_text(node)
    poly = _polynomial(ctx, operator, left.poly, right.poly, type_, text)
    if poly is None or poly.degree > LARGEST_DEGREE or len(poly.terms) > MOST_TERMS:
        operands = (left.poly, right.poly)
        of_data, of_counts = _of_data(*operands), _of_counts(*operands)
        return ctx.computed(c_text(node), ctx.place(node), type_, of_data=of_data, of_counts=of_counts)
    wraps = merge(left.wraps, right.wraps)
    if operator in ("+", "-", "*") and not type_.signed:
        wraps = merge(modular(left, type_).wraps, modular(right, type_).wraps)
    elif operator == "&" and not type_.signed:
        wraps = merge(*(modular(x, type_).wraps if powers_of_two.clears(x.poly) else x.wraps for x in (left, right)))
    value = IntegerValue(poly, wraps)
    if (type_.signed and operator != "<<") or surely_fits(poly, type_):
        return value
    fitted = fits(value, type_, c_text(node), ctx.place(node))
    return replace(fitted, wraps=tuple(w for w in fitted.wraps if not _is_guarded(ctx, w)))


def _of_data(*operands: Poly) -> bool:
    """Whether operands are read from memory, or are sizes: none counts, nor is another one on each path."""
    origins = [s.origin for poly in operands for s in nested_symbols(poly.symbols)]
    read = any(isinstance(origin, Loaded) for origin in origins)
    return read and all(isinstance(origin, Loaded | Quotient | Remainder) or _is_size(origin) for origin in origins)


def _of_counts(*operands: Poly) -> bool:
    """Whether operands are what loops count, sizes, and what is made of these: nothing that memory holds."""
    origins = [s.origin for poly in operands for s in nested_symbols(poly.symbols)]
    return not any(isinstance(o, Loaded) or (isinstance(o, Computed) and (o.given or o.of_data)) for o in origins)


def _is_size(origin: Origin) -> bool:
    match origin:
        case Entry(line=0, loops=()) | Computed(of_data=True):
            return True
        case _:
            return False


def _is_guarded(ctx: Context, wrap: Wrap, *further: Predicate) -> bool:
    """Whether the conditions around, and `further` ones, keep a value in its range: `n - 1` does not wrap in a loop to
    n."""
    known = (*ctx.guards, *further)
    return all(trips.holds(known, end) for end in (wrap.value - wrap.low, -wrap.value + wrap.high))


def modular(value: IntegerValue, type_: Integer) -> IntegerValue:
    """A value of an unsigned type without the conditions that only say that it is what it is modulo 2^w: sums and
    products in that type, and conversions to one that is no wider, are right modulo 2^w all the same, so that
    `(i - j) + n` and `(int)(i - j)` are right when the whole is in range."""
    ends = value_range(type_)
    return replace(value, wraps=tuple(w for w in value.wraps if w.value != value.poly or (w.low, w.high) != ends))


def _polynomial(ctx: Context, operator: str, a: Poly, b: Poly, type_: Integer, text: str) -> Poly | None:
    divisor = b.constant
    match operator:
        case "+":
            return packed_triangles.place(ctx, a + b, text)
        case "-":
            return packed_triangles.place(ctx, left_over(ctx, a - b, type_), text)
        case "*":
            return a * b
        case "<<" if divisor is not None and 0 <= divisor < 63:
            return a * (1 << divisor)
        case "/" if divisor is not None and divisor > 0:
            return _divided(ctx, a, divisor, not type_.signed, text)
        case ">>" if divisor is not None and 0 <= divisor < 63:
            return _divided(ctx, a, 1 << divisor, True, text)
        case "%" if divisor is not None and divisor > 0:
            return _remainder(ctx, a, divisor, not type_.signed, text)
        case "/" if divisor is None:
            return share(ctx, a, b, type_, text)
        case "%" if divisor is None:
            return rest(ctx, a, b, type_, text)
        case "<<" if divisor is None:
            return powers_of_two.shifted_left(ctx, a, b, type_, text)
        case ">>" if divisor is None:
            return powers_of_two.shifted_right(ctx, a, b, type_, text)
        case "&":
            return _masked(ctx, a, b, type_, text)
        case "^" | "|" if (made := powers_of_two.joined(ctx, a, b, type_)) is not None:
            return made
        case "^" if a.constant is None and b.constant is None:
            between = (0, value_range(type_)[1]) if has_parts(a, b) else value_range(type_)
            return ctx.quotient(part(ctx, Flipped(a, b)), text, between)
        case "|" | "^" if (a.constant is None) != (b.constant is None):
            return _with_low_bits(ctx, operator, a, b)
        case _:
            return _folded(operator, a.constant, divisor)


def _divided(ctx: Context, a: Poly, divisor: int, floor: bool, text: str) -> Poly:
    if a.constant is not None:
        quotient = abs(a.constant) // divisor
        return number(a.constant // divisor if floor or a.constant >= 0 else -quotient)
    exact = a.divided_by(divisor)
    if exact is not None:
        return exact
    return ctx.quotient(Quotient(a, divisor, floor), text)


def _remainder(ctx: Context, a: Poly, divisor: int, floor: bool, text: str) -> Poly:
    if a.constant is not None:
        r = a.constant % divisor
        return number(r if floor or a.constant >= 0 or r == 0 else r - divisor)
    if a.divided_by(divisor) is not None:
        return number(0)
    low, high = interval(a)
    if low is not None and high is not None and low >= 0 and high < divisor:
        return a
    return ctx.quotient(Remainder(a, divisor, floor), text)


def _masked(ctx: Context, a: Poly, b: Poly, type_: Integer, text: str) -> Poly | None:
    """`x & (2^k - 1)` is a remainder, `x & ~(2^k - 1)` what that leaves; other masks are not followed."""
    if a.constant is not None and b.constant is not None:
        return number(a.constant & b.constant)
    value, mask = (a, b.constant) if b.constant is not None else (b, a.constant)
    if mask is None:
        return powers_of_two.masked(ctx, a, b, type_, text)
    if mask >= 0 and not (mask + 1) & mask:
        return _remainder(ctx, value, mask + 1, True, text)
    cleared = -mask if mask < 0 else (1 << 8 * type_.size) - mask
    if cleared & (cleared - 1) or (mask > 0 and type_.signed):
        return None
    return value - _remainder(ctx, value, cleared, True, f"({value}) % {cleared}")


def _with_low_bits(ctx: Context, operator: str, a: Poly, b: Poly) -> Poly | None:
    """`x | (2^k - 1)` and `x ^ 1`: the last bits are set or turned, the others stay."""
    value, bits = (a, b.constant) if b.constant is not None else (b, a.constant)
    if bits is None or bits <= 0 or (bits + 1) & bits or (operator == "^" and bits > 1):
        return None
    last = _remainder(ctx, value, bits + 1, True, f"({value}) % {bits + 1}")
    return value + bits - last * (2 if operator == "^" else 1)


def _folded(operator: str, a: int | None, b: int | None) -> Poly | None:
    if a is None or b is None:
        return None
    match operator:
        case "|":
            return number(a | b)
        case "^":
            return number(a ^ b)
        case "/" | "%" if b < 0:
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return number(quotient if operator == "/" else a - b * quotient)
        case _:
            return None


def selected(
    ctx: Context,
    condition: Condition,
    a: IntegerValue,
    b: IntegerValue,
    name: str,
    place: Place,
    type_: Integer,
) -> IntegerValue:
    """`condition ? a : b`: a value of its own that knows what it is made of."""
    known = condition.predicate if _ranges(condition.wraps) <= _ranges((*a.wraps, *b.wraps)) else condition.certain
    kind = _kind(known, a.poly, b.poly)
    values = (a.poly, b.poly)
    meaning, wraps = _one_of(ctx, condition, a, b)
    if kind is not None and not _is_nested(values):
        meaning, wraps = Outermost(kind, values), merge(a.wraps, b.wraps)
    follows = isinstance(meaning, Outermost) or isinstance(meaning.decided, Compare)
    loops = _deciding_loops(ctx, condition.certain, values, follows)
    made = ctx.new_symbol(name, Computed(name, place, loops, meaning), type_)
    return IntegerValue(symbol(made if wraps else _within(made, *values)), wraps)


def _ranges(wraps: Iterable[Wrap]) -> set[tuple[Poly, int, int]]:
    """What has to stay in which range, wherever that is asked."""
    return {(w.value, w.low, w.high) for w in wraps}


def _within(made: Symbol, *values: Poly) -> Symbol:
    """The symbol for one of these values, within the ends of all of them."""
    lows, highs = zip(*map(interval, values), strict=True)
    low = max((x for x in (made.low, None if None in lows else min(lows)) if x is not None), default=None)
    high = min((x for x in (made.high, None if None in highs else max(highs)) if x is not None), default=None)
    return replace(made, low=low, high=high)


def _one_of(
    ctx: Context, condition: Condition, a: IntegerValue, b: IntegerValue
) -> tuple[Either | Outermost, tuple[Wrap, ...]]:
    """One of two values, and what that rests on: which one a comparison says, where nothing in it wraps but what no
    loop changes, kept in a narrower type (`int nt = n64; ... t == nt - 1`). What wraps in one of the two only where it
    is not used (`i == 0 ? n - 1 : i - 1`, unsigned) does not matter."""
    values = (a.poly, b.poly)
    match condition:
        case Condition(predicate=Compare(value=value, modulus=0) as test, pointer=None, wraps=decisive):
            steady = not any(w.low == 0 or computed_in(w.value, key) for w in decisive for key in ctx.loops)
            if steady and not _is_nested((value, *values)):
                of_arms = merge(_open(ctx, a, test), _open(ctx, b, negate(test)))
                return Either(values, decided=test), merge(decisive, of_arms)
        case _:
            pass
    return Either(values[::-1] if condition.if_null else values, condition.pointer), ()


def _open(ctx: Context, arm: IntegerValue, test: Predicate) -> tuple[Wrap, ...]:
    """What has to hold for one of two values to be what it is where it is taken."""
    return tuple(w for w in arm.wraps if not _is_guarded(ctx, w, test))


def _deciding_loops(
    ctx: Context, condition: Predicate, values: tuple[Poly, Poly], follows: bool
) -> tuple[int, ...]:
    """The loops around in which a choice may come out differently: `i < (parity == EVEN ? half : n)` is the same in all
    iterations. What is read from memory may change in any, unless the choice `follows` from what it is made of."""
    match condition:
        case Compare(value=decides):
            parts = (decides, *values)
        case _:
            return tuple(ctx.loops)
    read = (s for s in nested_symbols(s for p in parts for s in p.symbols) if isinstance(s.origin, Loaded))
    if not follows and any(read):
        return tuple(ctx.loops)
    return tuple(key for key in ctx.loops if any(computed_in(p, key) for p in parts))


def _kind(condition: Predicate, a: Poly, b: Poly) -> Literal["max", "min"] | None:
    """Whether the condition picks the larger or the smaller of two values: `i < 2 ? 0 : i - 2`, `d < 0 ? -d : d`."""
    match condition:
        case Compare(value=c, relation=">="):
            return "max" if _has_sign_of(c, a - b) else "min" if _has_sign_of(c, b - a) else None
        case _:
            return None


def _has_sign_of(c: Poly, difference: Poly) -> bool:
    """Whether c >= 0 gives a difference >= 0, and c <= -1 one <= 0: where it is m*c and something from 0 to m."""
    beyond = ((m, (difference - c * m).constant) for m in (1, 2))
    return any(rest is not None and 0 <= rest <= m for m, rest in beyond)


def _is_nested(values: tuple[Poly, ...], depth: int = DEEPEST_CHOICE) -> bool:
    """Whether choices are made of choices beyond a depth that is of use."""
    for s in (s for v in values for s in v.symbols):
        match s.origin:
            case Computed(meaning=Outermost(values=inner)) if depth == 0 or _is_nested(inner, depth - 1):
                return True
            case Computed(meaning=Either(values=inner, decided=Compare())) if not depth or _is_nested(inner, depth - 1):
                return True
            case _:
                pass
    return False


def truncated(ctx: Context, value: IntegerValue, type_: Integer, text: str, place: Place) -> IntegerValue:
    """A value converted to a type narrower than `int`: modulo 2^w, into the range of the type (for signed types that is
    what every compiler does, C11 6.3.1.3p3)."""
    fitted = fits(value, type_, text, place, explicit=True)
    if fitted.wraps == value.wraps or type_.name == "_Bool":
        return fitted
    low, high = value_range(type_)
    remainder = ctx.quotient(Remainder(value.poly - low, high - low + 1, True), text)
    return IntegerValue(remainder + low, value.wraps)
