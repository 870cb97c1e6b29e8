"""Free inputs of a comparison: the operand that can be chosen to make it true or false.

*Decides*: for an expression, the operands whose choice gives it every value of a range, and whether such a range holds
a value for which a comparison with another operand is true.
*Errs toward* no lever: `sqrt(x)`, `x * x`, `c ? x : y` (but for the absolute value) have none.

    a[i] - b[i]     ->  a[i], any value; b[i], any value
    (a[i] < 0 ? -a[i] : a[i])  ->  a[i], any value from 0
    x[i] % 3        ->  x[i], 0 .. 2
    x[i] & 12       ->  x[i], 0, 12 and some between them
"""

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from ...ir.arithmetic import keeps_integers, value_range
from ...ir.c_library import ALLOCATORS, is_known
from ...ir.nodes import Call, Choice, Convert, Expression, Literal, Load, Operation, Use, Variable, unconverted
from ...ir.same import same
from ...source.ctypes import CType, Floating, Integer, Pointer


class Lever(Struct, frozen=True):
    """`leaf` can be chosen so that the whole has any value from `low` to `high` (None: without end)."""

    leaf: Load | Use | Call
    low: int | None = None
    high: int | None = None
    exact: bool = True
    """Every value itself, not only one close to it."""
    ends: bool = False
    """At least `low` and `high` themselves."""


Definition = Callable[[Variable], Expression | None]
"""The expression that a scalar certainly was assigned before, in the same iteration."""

NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def levers(expression: Expression, defined: Definition) -> Iterator[Lever]:
    """The levers of a value."""
    match expression:
        case Load(access=access):
            yield _of_type(expression, access.type)
        case Use(variable=variable):
            made = defined(variable)
            if made is None:
                yield _of_type(expression, variable.type)
            else:
                yield from levers(made, defined)
        case Call() if is_free(expression):
            yield _of_type(expression, expression.type)
        case Call(name="fabs" | "fabsf" | "abs" | "labs", arguments=(inner,)):
            yield from (replace(lever, low=0) for lever in levers(inner, defined) if _around_zero(lever))
        case Choice(operator="?:") if (plain := _absolute(expression)) is not None:
            yield from (replace(lever, low=0) for lever in levers(plain, defined) if _around_zero(lever))
        case Convert(type=type_, argument=inner) if _keeps(inner.type, type_):
            yield from levers(inner, defined)
        case Operation(operator="neg", arguments=(inner,)):
            yield from (_negative(lever) for lever in levers(inner, defined))
        case Operation(type=Floating(), arguments=(left, right)):
            yield from _of_floats(expression.operator, left, right, defined)
        case Operation(type=Integer() as type_, arguments=(left, right)):
            yield from _of_integers(expression.operator, type_, left, right, defined)
        case _:
            pass


def is_free(call: Call) -> bool:
    """Whether nobody knows what the call gives."""
    return not call.closed and not is_known(call.name) and call.name not in ALLOCATORS


def _of_floats(operator: str, left: Expression, right: Expression, defined: Definition) -> Iterator[Lever]:
    match operator, left, right:
        case "+" | "-", _, _:
            for lever in (*levers(left, defined), *levers(right, defined)):
                yield replace(lever, low=None, high=None, exact=False)
        case ("*" | "/", inner, Literal(value=factor)) | ("*", Literal(value=factor), inner) if factor:
            yield from (_scaled(lever, factor) for lever in levers(inner, defined))
        case _:
            pass


def _of_integers(
    operator: str, type_: Integer, left: Expression, right: Expression, defined: Definition
) -> Iterator[Lever]:
    match operator, left, right:
        case "+" | "-", _, _ if type_.signed:
            wide = (x for x in (*levers(left, defined), *levers(right, defined)) if _is_wide(x))
            yield from (replace(lever, low=None, high=None) for lever in wide)
        case ("*" | "/", inner, Literal(value=int(times))) | ("*", Literal(value=int(times)), inner) if times > 0:
            wide = (x for x in levers(inner, defined) if _is_wide(x))
            yield from (replace(lever, low=None if type_.signed else 0, high=None, exact=False) for lever in wide)
        case "%", inner, Literal(value=int(divisor)) if divisor > 0:
            yield from (_within(lever, divisor - 1) for lever in levers(inner, defined))
        case "&", inner, Literal(value=int(mask)) if mask & (mask + 1) == 0 < mask:
            yield from (_within(lever, mask) for lever in levers(inner, defined))
        case ("&", inner, Literal(value=int(mask))) | ("&", Literal(value=int(mask)), inner) if mask > 0:
            whole = (x for x in levers(inner, defined) if _within(x, mask).high == mask and x.exact)
            yield from (replace(lever, low=0, high=mask, exact=False, ends=True) for lever in whole)
        case _:
            pass


def reaches(lever: Lever, relation: str, other: Expression) -> bool:
    """Whether some value of the lever makes `lever relation other` true, whatever the other operand is."""
    low, high = lever.low, lever.high
    spread = _spread(other)
    other = unconverted(other)
    if relation == "==" and not lever.exact:
        return lever.ends and isinstance(other, Literal) and other.value in (low, high)
    if not isinstance(other, Literal):
        if spread is not None and (_reaches_all(lever, relation, *spread) or _as_narrow(lever, relation, spread)):
            return True
        open_end = {"<": low, "<=": low, ">": high, ">=": high, "==": low if low is not None else high, "!=": None}
        return open_end[relation] is None or _typed_wide(lever, relation)
    c = other.value
    match relation:
        case "<":
            return low is None or low < c
        case "<=":
            return low is None or low <= c
        case ">":
            return high is None or high > c
        case ">=":
            return high is None or high >= c
        case "==":
            whole = isinstance(lever.leaf.type, Floating) or c == int(c)
            return whole and (low is None or low <= c) and (high is None or c <= high)
        case _:
            return low is None or high is None or low < high


def _spread(other: Expression) -> tuple[int, int] | None:
    """All that an integer operand can be, by its type before it was promoted."""
    while isinstance(other, Convert) and _keeps(other.argument.type, other.type):
        other = other.argument
    return value_range(other.type) if isinstance(other.type, Integer) else None


def _reaches_all(lever: Lever, relation: str, least: int, most: int) -> bool:
    """Whether the lever has a value for every one from `least` to `most`."""
    below = lever.low is None or lever.low < least + (relation in ("<=", "=="))
    above = lever.high is None or lever.high > most - (relation in (">=", "=="))
    return {"<": below, "<=": below, ">": above, ">=": above, "==": below and above}.get(relation, False)


def _as_narrow(lever: Lever, relation: str, spread: tuple[int, int]) -> bool:
    """Whether a lever of a narrow type reaches past all but the last value of another one of no wider type."""
    type_ = lever.leaf.type
    full = isinstance(type_, Integer) and type_.size < 4 and (lever.low, lever.high) == value_range(type_)
    inside = full and lever.low is not None and lever.high is not None
    if not inside or not (lever.low <= spread[0] and spread[1] <= lever.high):  # type: ignore[operator]
        return False
    return relation in (">", ">=") or lever.low < 0  # type: ignore[operator]


def _typed_wide(lever: Lever, relation: str) -> bool:
    """Against a value that is not known: the range of a whole signed type reaches past all but its last value."""
    type_ = lever.leaf.type
    full = isinstance(type_, Integer) and (lever.low, lever.high) == value_range(type_)
    return full and isinstance(type_, Integer) and type_.size >= 4 and (type_.signed or relation in (">", ">="))


def _of_type(leaf: Load | Use | Call, type_: CType) -> Lever:
    match type_:
        case Integer():
            low, high = value_range(type_)
            return Lever(leaf, low, high)
        case Pointer():
            return Lever(leaf, 0, None)
        case _:
            return Lever(leaf)


def _keeps(source: CType, to: CType) -> bool:
    """Whether a conversion keeps every value (up to rounding)."""
    match source, to:
        case (Integer() | Floating()), Floating():
            return True
        case Integer(), Integer():
            return keeps_integers(source, to)
        case Pointer(), Pointer():
            return True
        case _:
            return False


def _negative(lever: Lever) -> Lever:
    low, high = lever.low, lever.high
    return replace(lever, low=None if high is None else -high, high=None if low is None else -low)


def _scaled(lever: Lever, factor: float) -> Lever:
    """Times a factor: without end where it was; else only the sign is kept."""
    turned = _negative(lever) if factor < 0 else lever
    low, high = (None if end is None else 0 for end in (turned.low, turned.high))
    return replace(turned, low=low, high=high, exact=False) if _around_zero(lever) else replace(lever, low=0, high=0)


def _is_wide(lever: Lever) -> bool:
    """An integer large enough that sums and products of it have no end that matters."""
    return isinstance(lever.leaf.type, Integer) and lever.leaf.type.size >= 4


def _around_zero(lever: Lever) -> bool:
    return (lever.low is None or lever.low <= 0) and (lever.high is None or lever.high > 0)


def _within(lever: Lever, top: int) -> Lever:
    """The rest of a division, of values that are not negative."""
    fits = (lever.low is None or lever.low <= 0) and (lever.high is None or lever.high >= top)
    return replace(lever, low=0, high=top if fits else 0)


def _absolute(choice: Choice) -> Expression | None:
    """x of `x < 0 ? -x : x` and its variants."""
    match choice:
        case Choice(
            condition=Operation(operator=relation, arguments=(tested, Literal(value=0))),
            then=then,
            otherwise=otherwise,
        ):
            pass
        case _:
            return None
    if relation not in ("<", "<=", ">", ">="):
        return None
    minus, plain = (then, otherwise) if relation[0] == "<" else (otherwise, then)
    match _bare(minus):
        case Operation(operator="neg", arguments=(inner,)) if same(_bare(inner), _bare(plain)):
            return plain if same(_bare(tested), _bare(plain)) else None
        case _:
            return None


def _bare(expression: Expression) -> Expression:
    """Without conversions that keep the value."""
    while isinstance(expression, Convert) and _keeps(expression.argument.type, expression.type):
        expression = expression.argument
    return expression
