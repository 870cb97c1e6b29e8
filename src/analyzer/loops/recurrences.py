"""Variables that come back to the same values (signs that alternate, sides that swap, indices that go round), or that
are shifted on.

*Decides*: for variables that every iteration changes in the same way, once, whether their value in an iteration follows
from its number alone: `s = -s`, `k = 1 - k`, `k ^= 1`, `k = (k + 1) % n`, `k = (k + 1) & 63`, `if (++k == 3) k = 0;`,
`s = old; old = new; new = s;`, `bits >>= 8`, `weight *= 2`.
*Method*: the statements of the loop's own body that assign the variable; what they use is not changed in the loop.
*Errs toward* nothing: a variable that functions or pointers may reach, one that is assigned under a condition or
behind a `continue`, one that decides how often the loop runs.

    k = 0;  for (...) { out[i] = in[i] * w[k]; k = (k + 1) % n; }        ->  k is i % n
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Literal as OneOf

from ..ir import arithmetic
from ..ir import nodes as ir
from ..ir.exact_conversions import exact, is_value_of
from ..ir.invariance import is_invariant
from ..ir.polynomials import ZERO, Poly, Symbol, number, symbol
from ..memory.exchanged_pointers import permutation
from ..source.ctypes import Floating, Integer
from . import growing_steps
from .context import Context
from .induction import Lowered, Placeholder
from .values import IntegerValue

MOST = 1 << 30
"""Steps and divisors are smaller, so that sums of two fit an `int`."""


def recurrences(holders: list[Placeholder], lowered: Lowered, key: int) -> tuple[ir.Recurrence, ...]:
    """Those among the variables that a loop changes. `key`: of the loop."""
    if lowered.continues:
        return ()
    changed = {h.variable.key for h in holders}
    tested = ir.tested_symbols(lowered.test)
    found = (
        _of_variable(h, lowered, key, changed)
        for h in holders
        if h.head not in tested and h.variable.scope in ("local", "parameter") and not h.variable.addressed
    )
    return (*(r for r in found if r is not None), *_rotated(holders, lowered, tested))


def values(
    ctx: Context, found: tuple[ir.Recurrence, ...], holders: list[Placeholder], counter: Symbol
) -> Mapping[Symbol, Poly]:
    """Per placeholder symbol the value in an iteration, where it is one that can be worked with."""
    heads = {h.variable.key: h.head for h in holders}
    images = {}
    for each in found:
        head, value = heads[each.variable.key], _value(ctx, each, counter)
        if head is not None and value is not None:
            images[head] = value
    return images


def _value(ctx: Context, found: ir.Recurrence, counter: Symbol) -> Poly | None:
    start, by = found.start, found.by
    if start is None or by is None:
        return None
    match found.kind:
        case "growing":
            return growing_steps.value(ctx, found, counter)
        case "from" | "flip" if start.constant is not None and by.constant is not None:
            other = by.constant - start.constant if found.kind == "from" else start.constant ^ by.constant
            assert isinstance(found.variable.type, Integer)
            low, high = arithmetic.value_range(found.variable.type)
            if not low <= min(start.constant, other) <= max(start.constant, other) <= high:
                return None
            odd = ctx.quotient(ir.Remainder(symbol(counter), 2, True), f"{counter.name} % 2")
            return start + odd * (other - start.constant)
        case "modulo" | "mask" if found.divisor is not None and found.divisor.constant is not None:
            divisor, first = found.divisor.constant, start.constant
            if first is None or not 0 <= first < divisor:
                return None
            return ctx.quotient(ir.Remainder(symbol(counter) * by + first, divisor, True), found.variable.name)
        case _:
            return None


# --- the statements of one variable


def _assigned(value: ir.Expression, variable: ir.Variable) -> ir.Expression:
    """What is assigned to a variable, before it becomes one of its type."""
    plain = exact(value)
    while isinstance(plain, ir.Convert) and plain.type == variable.type:
        plain = exact(plain.argument)
    return plain


def _of_variable(holder: Placeholder, lowered: Lowered, key: int, changed: set[int]) -> ir.Recurrence | None:
    variable = holder.variable
    made = [s for s in ir.statements(tuple(lowered.block)) if isinstance(s, ir.Assign) and s.target == variable]
    own = [s for s in lowered.block if _assigns(s, variable)]
    start = holder.start.poly if isinstance(holder.start, IntegerValue) and not holder.start.wraps else None
    if isinstance(variable.type, Floating):
        negated = len(made) == len(own) == 1 and _is_negated(made[0].value, variable)
        return ir.Recurrence(variable, "negative", None, None, None) if negated else None
    if not isinstance(variable.type, Integer) or variable.type.name == "_Bool":
        return None
    if len(made) == len(own) == 1 and made[0] is own[0]:
        return _by_formula(variable, made[0].value, start, key, changed)
    if len(made) == 2:
        return _by_condition(variable, own, lowered.block, start, key, changed)
    return None


def _assigns(statement: ir.Statement, variable: ir.Variable) -> bool:
    return any(isinstance(s, ir.Assign) and s.target == variable for s in ir.statements((statement,)))


def _is_negated(value: ir.Expression, variable: ir.Variable) -> bool:
    match _assigned(value, variable):
        case ir.Operation(operator="neg", arguments=(inner,)):
            return is_value_of(inner, variable)
        case ir.Operation(operator="*", arguments=(a, b)):
            return (is_value_of(a, variable) and _is_minus_one(b)) or (is_value_of(b, variable) and _is_minus_one(a))
        case _:
            return False


def _is_minus_one(value: ir.Expression) -> bool:
    match exact(value):
        case ir.Literal(value=-1):
            return True
        case ir.Operation(operator="neg", arguments=(inner,)):
            return isinstance(one := exact(inner), ir.Literal) and one.value == 1
        case _:
            return False


def _by_formula(
    variable: ir.Variable, value: ir.Expression, start: Poly | None, key: int, changed: set[int]
) -> ir.Recurrence | None:
    if _is_negated(value, variable):
        return ir.Recurrence(variable, "from", start, ZERO, None)
    match _assigned(value, variable):
        case ir.Operation(operator="-", arguments=(a, b)) if is_value_of(b, variable):
            by = _steady(a, key, changed)
            return None if by is None else ir.Recurrence(variable, "from", start, by, None)
        case ir.Operation(operator="^", arguments=(a, b)) if is_value_of(a, variable) or is_value_of(b, variable):
            by = _steady(b if is_value_of(a, variable) else a, key, changed)
            return None if by is None else ir.Recurrence(variable, "flip", start, by, None)
        case ir.Operation(operator="!", arguments=(a,)) if is_value_of(a, variable):
            known = start is not None and start.constant in (0, 1)
            return ir.Recurrence(variable, "from", start, number(1), None) if known else None
        case ir.Operation(operator="%" | "&" as operator, arguments=(sum_, by_)):
            step, divisor = _step(sum_, variable), _steady(by_, key, changed)
            if step is None or divisor is None:
                return None
            return _round(variable, start, step, divisor + (operator == "&"), operator)
        case ir.Operation(operator="<<" | ">>" as operator, arguments=(a, by_)) if is_value_of(a, variable):
            by = _steady(by_, key, changed)
            return None if by is None else _shifted(variable, "left" if operator == "<<" else "right", start, by)
        case ir.Operation(operator="*", arguments=(a, b)) if is_value_of(a, variable) or is_value_of(b, variable):
            by = _power(b if is_value_of(a, variable) else a)
            return None if by is None else _shifted(variable, "left", start, by)
        case ir.Operation(operator="/", arguments=(a, b)) if is_value_of(a, variable):
            by = _power(b)
            return None if by is None else _halved(variable, start, by)
        case ir.Choice(operator="?:", condition=condition, then=then, otherwise=otherwise):
            limit = _limit(condition, variable, key, changed)
            plain = limit is not None and _is_zero(then) and _step(otherwise, variable) == 1
            return _counted_round(variable, start, limit + 1) if plain and limit is not None else None
        case _:
            return None


def _step(value: ir.Expression, variable: ir.Variable) -> int | None:
    """The number >= 1 that is added to the variable."""
    match exact(value):
        case ir.Operation(operator="+", arguments=(a, b)):
            other = b if is_value_of(a, variable) else a if is_value_of(b, variable) else None
            literal = None if other is None else exact(other)
            if isinstance(literal, ir.Literal) and isinstance(literal.value, int) and 0 < literal.value < MOST:
                return literal.value
            return None
        case _:
            return None


def _round(
    variable: ir.Variable, start: Poly | None, step: int, divisor: Poly, operator: str
) -> ir.Recurrence | None:
    """`k = (k + step) % divisor`, or with a mask that is one less."""
    size = divisor.constant
    assert isinstance(variable.type, Integer)
    if operator == "%" and (start is None or start.constant is None or not 0 <= start.constant < MOST):
        return None  # from a value below 0 it goes another way at first, and a large one may wrap
    if size is None:
        fits = variable.type.size >= 4 and operator == "%"
        return ir.Recurrence(variable, "modulo", start, number(step), divisor) if fits else None
    high = arithmetic.value_range(variable.type)[1]
    if not 0 < size < MOST or size - 1 > high or (operator == "&" and size & (size - 1)):
        return None
    return ir.Recurrence(variable, "mask" if operator == "&" else "modulo", start, number(step), divisor)


# --- `v >>= 8;`, `v *= 2;`


def _shifted(variable: ir.Variable, kind: OneOf["left", "right"], start: Poly | None, by: Poly) -> ir.Recurrence | None:
    """By the same number of bits each time: by all of them together. (A count below 0 is none.)"""
    known = by.constant
    return None if known is not None and not 0 < known < MOST else ir.Recurrence(variable, kind, start, by, None)


def _halved(variable: ir.Variable, start: Poly | None, by: Poly) -> ir.Recurrence | None:
    """Divided by a power of two; a signed number is rounded towards 0, which a formula of 64 bits says of narrower
    types."""
    assert isinstance(variable.type, Integer)
    if not variable.type.signed:
        return _shifted(variable, "right", start, by)
    return ir.Recurrence(variable, "part", start, by, None) if variable.type.size < 8 else None


def _power(value: ir.Expression) -> Poly | None:
    """To which power of 2 a number is equal, from the first on."""
    match exact(value):
        case ir.Literal(value=int(known)) if known > 1 and not known & (known - 1):
            return number(known.bit_length() - 1)
        case _:
            return None


# --- `s = a; a = b; b = s;`


def _rotated(holders: list[Placeholder], lowered: Lowered, tested: frozenset[Symbol]) -> Iterator[ir.Recurrence]:
    """Variables that pass their values on in a circle: of two, each has the sum of both less what it had before; of
    more, their numbers have to follow each other as hours do."""
    known = {h.head: (h.variable, first) for h in holders if h.head not in tested and (first := _first(h)) is not None}
    following: dict[Symbol, Symbol] = {}
    for head, (variable, _) in known.items():
        made = [s for s in ir.statements(tuple(lowered.block)) if isinstance(s, ir.Assign) and s.target == variable]
        source = _head(made[0].value) if len(made) == 1 and made[0] in lowered.block else None
        if head is not None and source is not None and source != head and source in known:
            following[head] = source
    for head in permutation(following):
        found = _turned(known[head][0], [known[each][1] for each in _circle(head, following)])
        if found is not None:
            yield found


def _first(holder: Placeholder) -> int | None:
    """The number at which an integer of the function's own begins."""
    variable, start = holder.variable, holder.start
    own = isinstance(variable.type, Integer) and variable.scope in ("local", "parameter") and not variable.addressed
    return start.poly.constant if own and isinstance(start, IntegerValue) and not start.wraps else None


def _head(value: ir.Expression) -> Symbol | None:
    """The variable, by its value at the beginning of an iteration, that another one gets as it is."""
    match value:
        case ir.Use(value=Poly(terms=((((head,)), 1),))):
            return head
        case _:
            return None


def _circle(head: Symbol, following: Mapping[Symbol, Symbol]) -> Iterator[Symbol]:
    """The variables whose values it has, in order."""
    yield head
    each = following[head]
    while each != head:
        yield each
        each = following[each]


def _turned(variable: ir.Variable, firsts: list[int]) -> ir.Recurrence | None:
    """Of a variable that has these numbers one after the other, again and again."""
    first, second, size = firsts[0], firsts[1], len(firsts)
    if size == 2:
        return ir.Recurrence(variable, "from", number(first), number(first + second), None)
    step = (second - first) % size
    if not step or any(value != (first + k * step) % size for k, value in enumerate(firsts)):
        return None
    return ir.Recurrence(variable, "modulo", number(first), number(step), number(size))


# --- `if (++k == n) k = 0;`


def _by_condition(
    variable: ir.Variable,
    own: list[ir.Statement],
    block: list[ir.Statement],
    start: Poly | None,
    key: int,
    changed: set[int],
) -> ir.Recurrence | None:
    match own:
        case [ir.Assign(value=value) as step, ir.Branch() as test] if _step(value, variable) == 1:
            limit = _limit(test.condition, variable, key, changed)
            next_ = any(a is step and b is test for a, b in pairwise(block))
            if next_ and limit is not None and _sets_zero(test.then, variable) and not test.otherwise:
                return _counted_round(variable, start, limit)
        case [ir.Branch(then=then, otherwise=(ir.Assign(target=target, value=value),)) as test] if target == variable:
            limit = _limit(test.condition, variable, key, changed)
            if limit is not None and _sets_zero(then, variable) and _step(value, variable) == 1:
                return _counted_round(variable, start, limit + 1)
        case _:
            pass
    return None


def _sets_zero(arm: tuple[ir.Statement, ...], variable: ir.Variable) -> bool:
    match arm:
        case (ir.Assign(target=target, value=value),):
            return target == variable and _is_zero(value)
        case _:
            return False


def _is_zero(value: ir.Expression) -> bool:
    return isinstance(zero := exact(value), ir.Literal) and zero.value == 0


def _limit(condition: ir.Expression, variable: ir.Variable, key: int, changed: set[int]) -> int | None:
    """The number that the variable is compared with: `k == 3`, `k >= 3`."""
    match exact(condition):
        case ir.Operation(operator="==" | ">=", arguments=(a, b)) if is_value_of(a, variable):
            limit = _steady(b, key, changed)
            return None if limit is None else limit.constant
        case _:
            return None


def _counted_round(variable: ir.Variable, start: Poly | None, divisor: int) -> ir.Recurrence | None:
    first = None if start is None else start.constant
    assert isinstance(variable.type, Integer)
    known = first is not None and 0 <= first < divisor <= min(MOST, arithmetic.value_range(variable.type)[1])
    return ir.Recurrence(variable, "modulo", start, number(1), number(divisor)) if known else None


def _steady(value: ir.Expression, key: int, changed: set[int]) -> Poly | None:
    """A value that no iteration changes: a number, a variable, and a sum or difference of such."""
    match exact(value):
        case ir.Literal(value=int(known)):
            return number(known)
        case ir.Use(variable=variable, value=Poly() as poly) if (
            variable.key not in changed and not variable.addressed and is_invariant(poly, key)
        ):
            return poly
        case ir.Operation(operator="+" | "-" as operator, arguments=(a, b)):
            x, y = _steady(a, key, changed), _steady(b, key, changed)
            return None if x is None or y is None else x + y if operator == "+" else x - y
        case _:
            return None
