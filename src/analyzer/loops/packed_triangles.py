"""Elements of a packed triangle: the row that one is in, by a square root, and its place there.

*Decides*: that `(int)((sqrt(8*x + 1) - 1)/2)`, however it is written, is row i of element x, and `x - i*(i + 1)/2` its
place in it: row i holds elements i*(i + 1)/2 .. i*(i + 1)/2 + i. Below 0 there is no element (the root is no number,
and its conversion undefined, C11 6.3.1.4).
*Method*: in `double` the root of what is made of an integer below 2^49 is exact where a row begins, as IEC 60559 rounds
it right, and more than 2^-26 short of the next row elsewhere: what the program adds for certainty (`+ 1e-7`) may be so
much less than a row in that it never leads into the next one. Up to where, is a condition on x (`Wrap`).
*Errs toward* any value: other floating types, roots of numbers that are no integers.

    i = (int)(sqrt(2*k + .25) - .5 + 1e-7), j = k - i*(i + 1)/2     ->  0 <= j <= i, and both say which k it is
"""

from collections.abc import Iterator
from fractions import Fraction
from math import isfinite
from operator import add, mul, sub, truediv

from msgspec import Struct
from pycparser import c_ast

from ..ir import nodes as ir
from ..ir.invariance import computed_in
from ..ir.polynomials import Poly, Symbol, number, symbol
from ..ir.triangles import triangle_of
from ..source.ctypes import CType, Floating, Integer
from .c_text import c_text
from .context import Context
from .values import IntegerValue, merge

MOST = 1 << 49
"""Elements for which the root is exact."""
SHORT = 1 << 33
"""Elements that sums and differences of two 32-bit integers may count."""
GRAIN = Fraction(1, 8)
"""Multiples of it are added to numbers of such a size without rounding."""
SURE = Fraction(1, 1 << 24)
"""What is added for certainty is more than rounding takes away."""
LARGEST_FACTOR = 1 << 20
LEAST_WIDTH = 8
"""Bytes of integers that do not wrap before that, if they are unsigned."""


class Linear(Struct, frozen=True):
    """`factor * value + offset` for an integer value."""

    factor: Fraction
    value: Poly
    offset: Fraction


class Root(Struct, frozen=True):
    """`factor * sqrt(under) + offset`. `is_rounded`: something was taken away that is no multiple of `GRAIN`, so that
    the sum may be less than it would be without rounding."""

    factor: Fraction
    under: Linear
    offset: Fraction
    is_rounded: bool = False


def row(ctx: Context, e: ir.Expression, type_: Integer, node: c_ast.Node) -> IntegerValue | None:
    """The row, or another one so many further, that a floating-point number becomes as an integer. Example: see the
    module."""
    found = _followed(e.arguments[0] if isinstance(e, ir.Call) and e.name == "floor" and e.known else e)
    if not isinstance(found, Root) or type_.name == "_Bool":
        return None
    element, assumed = _element(ctx, found), _assumed(ctx, e)
    further, excess = divmod(found.offset + Fraction(1, 2), 1)
    most = min(MOST, int(1 / (8 * excess * excess))) if excess else MOST
    if element is None or assumed is None or further < 0 or most < 2 or (found.is_rounded and excess < SURE):
        return None
    loops = tuple(k for k in ctx.loops if computed_in(element, k))
    made = ir.Computed("row", ctx.definition.place, loops, ir.TriangleRow(element))
    wraps = (*assumed, ir.Wrap(element, 0, most - 1, c_text(node), ctx.place(node)))
    few = abs(found.factor * found.factor * found.under.factor) <= 2  # twice the sum of two such integers, or less
    surely = few and all(_is_short(each) for each in ir.walk(e)) and most > SHORT
    return IntegerValue(ctx.quotient(made, c_text(node), (0, None)) + int(further), assumed if surely else wraps)


def _is_short(e: ir.Expression) -> bool:
    type_ = _type(e)
    return not isinstance(type_, Integer) or (type_.signed and type_.size < LEAST_WIDTH)


def _assumed(ctx: Context, e: ir.Expression) -> tuple[ir.Wrap, ...] | None:
    """The conditions under which its variables have the values that they are taken to have."""
    found: tuple[ir.Wrap, ...] = ()
    for use in ir.walk(e):
        if isinstance(use, ir.Use):
            value = ctx.values.get(use.variable.key)
            if not isinstance(value, IntegerValue) or value.poly != use.value:
                return None
            found = merge(found, value.wraps)
    return found


def place(ctx: Context, total: Poly, text: str) -> Poly:
    """A sum in which the element where a row begins, or one near it, `(i + 1)*(i + 2)/2`, meets an element of the row:
    what is left is its place. Example: `x - i*(i + 1)/2`."""
    for start in total.symbols:
        for r, element, ahead in _rows_near(start):
            made = ir.Computed("place", ctx.definition.place, r.origin.loops, ir.TrianglePlace(element))  # type: ignore[union-attr]
            known = symbol(r) * ahead + ahead * (ahead + 1) // 2  # T(i + a) - T(i)
            others = total.substitute({start: element + known})
            if total.is_linear_in((start,)) and len(others.terms) + 1 < len(total.terms):
                return others - total.coefficient(start) * ctx.quotient(made, text, (0, None))
    return total


def _rows_near(start: Symbol) -> Iterator[tuple[Symbol, Poly, int]]:
    """The row that begins at element `i*(i + 1)/2`, an element of it, and how many rows ahead of it the symbol is."""
    match start.origin:
        case ir.Quotient(value=value, divisor=2):
            m = triangle_of(value)
            for r in m.symbols if m is not None else ():
                match r.origin:
                    case ir.Computed(meaning=ir.TriangleRow(value=element)) if m is not None:
                        ahead = (m - symbol(r)).constant
                        yield from ((r, element, ahead),) if ahead is not None else ()
        case _:
            pass


def _element(ctx: Context, root: Root) -> Poly | None:
    """x of a root that is `sqrt(2*x + 1/4)`."""
    if root.factor <= 0:
        return None
    square = root.factor * root.factor / 2
    terms = {m: square * root.under.factor * c for m, c in root.under.value.terms}
    offset = terms.pop((), Fraction(0)) + square * root.under.offset - Fraction(1, 8)
    whole = Poly.of({m: int(c) for m, c in terms.items() if c.denominator == 1})
    halves = Poly.of({m: int(2 * c) for m, c in terms.items() if c.denominator == 2})
    if offset.denominator != 1 or any(c.denominator > 2 for c in terms.values()):
        return None
    if halves.terms:  # all elements of a triangle: n*(n - 1)/2
        if triangle_of(halves) is None:
            return None
        known = ir.Quotient(halves, 2, ir.Quotient(halves, 2, True) in ctx.quotients)
        whole += ctx.quotient(known, f"({halves})/2")
    return whole + int(offset)


# --- floating point

def _followed(e: ir.Expression) -> Linear | Root | Fraction | None:
    match e:
        case ir.Literal(value=value):
            return Fraction(value) if isfinite(value) else None
        case ir.Convert(type=type_, argument=argument) if _is_double(type_):
            return _followed(argument) if _is_double(_type(argument)) else _of_integer(argument)
        case ir.Call(name="sqrt", arguments=(argument,), known=True):
            under = _followed(argument)
            return Root(Fraction(1), under, Fraction(0)) if isinstance(under, Linear) else None
        case ir.Operation(operator=operator, type=type_, arguments=(a, b)) if _is_double(type_):
            return _combined(operator, _followed(a), _followed(b))
        case ir.Operation(operator="-", type=type_, arguments=(a,)) if _is_double(type_):
            negated = _followed(a)
            return None if negated is None else _combined("*", Fraction(-1), negated)
        case _:
            return None


def _combined(
    operator: str, a: Linear | Root | Fraction | None, b: Linear | Root | Fraction | None
) -> Linear | Root | Fraction | None:
    match operator, a, b:
        case "+" | "-" | "*" | "/", Fraction(), Fraction() if b or operator != "/":
            values = float(a), float(b)
            found = {"+": add, "-": sub, "*": mul, "/": truediv}[operator](*values)
            return Fraction(found) if isfinite(found) else None
        case "+", Linear() | Root(), Fraction():
            return _moved(a, b)
        case "+", Fraction(), Linear() | Root():
            return _moved(b, a)
        case "-", Linear() | Root(), Fraction():
            return _moved(a, -b)
        case "*", Linear() | Root(), Fraction():
            return _scaled(a, b)
        case "*", Fraction(), Linear() | Root():
            return _scaled(b, a)
        case "/", Linear() | Root(), Fraction() if b:
            return _scaled(a, 1 / b)
        case _:
            return None


def _moved(a: Linear | Root, by: Fraction) -> Linear | Root | None:
    exact = (by / GRAIN).denominator == 1 and abs(by) <= LARGEST_FACTOR
    if isinstance(a, Root):
        return Root(a.factor, a.under, a.offset + by, a.is_rounded or (by < 0 and not exact))
    return Linear(a.factor, a.value, a.offset + by) if exact else None


def _scaled(a: Linear | Root, by: Fraction) -> Linear | Root | None:
    """By a power of two, or of an integer by another one: nothing is rounded."""
    plain = by.numerator in (1, -1) or by.denominator == 1
    power = abs(by.numerator * by.denominator)
    factor = abs(a.factor * by)
    if not plain or not 1 <= factor * LARGEST_FACTOR <= LARGEST_FACTOR * LARGEST_FACTOR:
        return None
    if (by.denominator > 1 or isinstance(a, Root)) and power & (power - 1):
        return None
    if isinstance(a, Root):
        return Root(a.factor * by, a.under, a.offset * by, a.is_rounded)
    return Linear(a.factor * by, a.value, a.offset * by) if ((a.offset * by) / GRAIN).denominator == 1 else None


def _of_integer(e: ir.Expression) -> Linear | Fraction | None:
    value = _polynomial(e)
    if value is None:
        return None
    return Linear(Fraction(1), value, Fraction(0)) if value.constant is None else Fraction(value.constant)


def _polynomial(e: ir.Expression) -> Poly | None:
    """What an integer is made of, by sums and products that do not wrap."""
    match e:
        case ir.Literal(value=int(known)):
            return number(known)
        case ir.Use(value=Poly() as known, type=Integer()):
            return known
        case ir.Convert(type=Integer() as type_, argument=argument) if _is_kept(type_):
            given = _type(argument)
            return _polynomial(argument) if isinstance(given, Integer) and given.size <= type_.size else None
        case ir.Operation(operator="+" | "-" | "*" as operator, type=Integer() as type_, arguments=(a, b)):
            x, y = _polynomial(a), _polynomial(b)
            if x is None or y is None or not _is_kept(type_) or (operator == "-" and not type_.signed):
                return None
            return x + y if operator == "+" else x - y if operator == "-" else x * y
        case _:
            return None


def _is_kept(type_: Integer) -> bool:
    """Whether numbers up to `MOST` do not wrap in a type."""
    return type_.signed or type_.size >= LEAST_WIDTH


def _type(e: ir.Expression) -> CType | None:
    return getattr(e, "type", None)


def _is_double(type_: CType | None) -> bool:
    return isinstance(type_, Floating) and type_.name == "double"
