"""Variables whose steps grow evenly: the place in a packed triangle, which each row moves on by its length.

*Decides*: for variables that iteration i moves on by a + b*i, their value in an iteration: with T(i) = i*(i + 1)/2,
it is start + (a - b)*i + b*T(i).
*Method*: what an iteration adds is a number of iterations of inner loops, max(0, m). Where the test of the loop, or a
condition around it, says that m >= 0, it is m; and a polynomial in the number of the iteration once what steps evenly
is put in.
*Errs toward* nothing: steps that grow by something else than a number, variables that functions or pointers may reach,
narrow types, loops with `continue`, variables that decide how often the loop runs.

    k = 0;  for (i = 0; i < n; i++) for (j = 0; j <= i; j++) p[k++] = a[i][j];       ->  k is i*(i + 1)/2 for j = 0
"""

from collections.abc import Iterator, Mapping

from ..base.places import Place
from ..ir import arithmetic
from ..ir import nodes as ir
from ..ir.invariance import is_invariant
from ..ir.polynomials import ZERO, Poly, Symbol, symbol
from ..source.ctypes import Integer
from . import trips
from .context import Context
from .induction import Lowered, Placeholder, growth, start_of
from .values import IntegerValue

INT_SIZE = 4
"""Bytes of the smallest type that arithmetic is done in as it is."""


def growing(
    ctx: Context,
    holders: list[Placeholder],
    lowered: Lowered,
    images: Mapping[Symbol, Poly],
    counter: Symbol,
    is_tested_first: bool,
    uneven: frozenset[int],
) -> tuple[ir.Recurrence, ...]:
    """Those among the variables that a loop changes. `images`: of those that step evenly, their values in an iteration.
    `is_tested_first`: whether the test holds as the body begins. `uneven`: keys of those that are known to leave the
    range of their type. Example: see the module."""
    if lowered.continues:
        return ()
    guards = (*((lowered.test,) if is_tested_first and not lowered.wraps else ()), *ctx.guards)
    tested = ir.tested_symbols(lowered.test)
    heads = {h.head for h in holders}
    return tuple(
        found
        for h in holders
        if h.head is not None and h.head not in images and h.head not in tested
        if h.variable.key not in uneven and _is_own(h)
        for found in _of_variable(h, lowered, guards, images, counter, heads)
    )


def value(ctx: Context, found: ir.Recurrence, counter: Symbol) -> Poly:
    """The value in an iteration."""
    assert found.start is not None
    assert found.by is not None
    assert found.more is not None
    i = symbol(counter)
    rows = ctx.quotient(ir.Quotient(i * i + i, 2, True), f"{counter.name}*({counter.name} + 1)/2", (0, None))
    return found.start + (found.by - found.more) * i + rows * found.more


def conditions(
    ctx: Context,
    found: tuple[ir.Recurrence, ...],
    holders: list[Placeholder],
    lowered: Lowered,
    counter: Symbol,
    place: Place,
) -> Iterator[ir.Wrap]:
    """What the formulas rest on: that unsigned variables stay in the range of their types, and what their steps do."""
    by_key = {h.variable.key: h for h in holders}
    for each in found:
        type_, holder, end = each.variable.type, by_key[each.variable.key], lowered.end[each.variable.key]
        assert isinstance(type_, Integer)
        assert holder.value is not None
        if arithmetic.may_wrap(type_):
            yield ir.Wrap(value(ctx, each, counter), *arithmetic.value_range(type_), each.variable.name, place)
        new = end.wraps if end is not None else ()
        yield from (w for w in new if w not in holder.value.wraps and holder.head not in w.value.symbols)


def leaving_range(found: tuple[ir.Recurrence, ...], bounds: tuple[ir.Ratio, ...]) -> frozenset[int]:
    """The keys of unsigned variables that the last iteration begins outside of their range for certain: all of it is
    known in numbers."""
    last = trips.last_iteration(bounds)
    return frozenset(r.variable.key for r in found if last is not None and _leaves(r, last.constant))


def _leaves(found: ir.Recurrence, last: int | None) -> bool:
    assert isinstance(found.variable.type, Integer)
    known = [p.constant for p in (found.start, found.by, found.more) if p is not None]
    start, by, more = (k or 0 for k in known)
    if last is None or last < 0 or None in known or not arithmetic.may_wrap(found.variable.type):
        return False
    low, high = arithmetic.value_range(found.variable.type)
    return not low <= start + by * last + more * last * (last - 1) // 2 <= high


def _is_own(holder: Placeholder) -> bool:
    variable, start = holder.variable, holder.start
    return (
        variable.scope in ("local", "parameter")
        and not variable.addressed
        and isinstance(variable.type, Integer)
        and variable.type.size >= INT_SIZE
        and isinstance(start, IntegerValue)
        and not start.wraps
    )


def _of_variable(
    holder: Placeholder,
    lowered: Lowered,
    guards: tuple[ir.Predicate, ...],
    images: Mapping[Symbol, Poly],
    counter: Symbol,
    heads: set[Symbol | None],
) -> Iterator[ir.Recurrence]:
    step = growth(holder, lowered)
    if step is None:
        return
    step = step.substitute(dict(_counts(step, guards))).substitute(dict(images))
    first = step.substitute({counter: ZERO})
    more = step.coefficient(counter)
    if more == ZERO or step != first + symbol(counter) * more or (first.symbols | more.symbols) & heads:
        return
    if is_invariant(first, counter.number) and is_invariant(more, counter.number):
        yield ir.Recurrence(holder.variable, "growing", start_of(holder), first, None, more=more)


def _counts(step: Poly, guards: tuple[ir.Predicate, ...]) -> Iterator[tuple[Symbol, Poly]]:
    """The numbers of iterations that are >= 0 without being told to be."""
    for s in step.symbols:
        match s.origin:
            case ir.Computed(meaning=ir.Outermost(kind="max", values=(least, count))) if least == ZERO:
                if trips.holds(guards, count):
                    yield s, count
            case _:
                pass
