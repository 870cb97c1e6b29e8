"""Loops that count round the end of their type, which is where they are meant to stop:

    for (size_t i = n - 1; i != (size_t)-1; --i)        n - 1, ..., 1, 0: n iterations
    for (size_t i = n - 1; i < n; --i)                  the same: after 0 comes a number that is not below n
    for (unsigned char i = n; i != 0; i++)              256 - n iterations, if n is not 0

*Decides*: the trip count of a loop whose test is one comparison of a variable that wraps (of an unsigned type, or one
narrower than `int`) with what does not change in the loop, and which conditions on its values matter to it.
*Method*: `i != limit` is solved modulo 2^w, where it does not matter what wraps on the way: not in the start, not in
the limit, not in between. Which of the solutions is the smallest number >= 0 follows from the bounds of the symbols, or
is assumed (`no-overflow(i)`: the variable meets the limit before it wraps). `i < limit` for a variable that falls holds
until it passes 0, given that it holds at first. *Errs toward* None: then the test is read over the integers (`trips`).
*Does not handle*: tests of several parts.
"""

from math import gcd

from msgspec import Struct
from msgspec.structs import replace
from pycparser import c_ast

from ..base.places import Place
from ..ir import arithmetic
from ..ir import nodes as ir
from ..ir.invariance import is_invariant
from ..ir.polynomials import Poly, Symbol, symbol
from ..source.ctypes import Integer
from . import induction, trips
from .context import Context
from .headers import Header
from .induction import Lowered, Placeholder
from .values import IntegerValue
from .wrapped_values import surely_fits


class Circle(Struct, frozen=True):
    """How often such a loop runs. `holder`: its variable, with a start that is right modulo 2^w, and in every
    iteration; `wraps`: what the trip count rests on besides the values in the iterations."""

    trip: ir.Ratio
    holder: Placeholder
    wraps: tuple[ir.Wrap, ...]


class _Tested(Struct, frozen=True):
    """The comparison `factor * (variable - limit)` against 0. `first`: its value in iteration 0, `slope`: what each
    iteration adds, `plain`: it is made by sums and products alone; `modulus`: of the variable's type."""

    holder: Placeholder
    type: Integer
    limit: Poly
    factor: int
    first: Poly
    slope: int
    plain: bool

    @property
    def modulus(self) -> int:
        return 1 << 8 * self.type.size


def circle(
    ctx: Context,
    lowered: Lowered,
    moving: list[Placeholder],
    steps: dict[int, Poly],
    key: int,
    header: Header,
    place: Place,
) -> Circle | None:
    """The trip count of a loop that may count round, where this module knows it."""
    test = lowered.test
    if not isinstance(test, ir.Compare):
        return None
    heads = [h for h in moving if induction.as_tested(h, lowered) is not None]
    if len(heads) != 1:
        return None
    holder, step = heads[0], steps[heads[0].variable.key]
    tested = _tested(test, holder, lowered, step, key)
    if tested is None:
        return None
    if test.relation == "!=":
        if test.modulus != tested.modulus and not surely_fits(tested.limit, tested.type):
            return None
        as_it_is = _tested(test, holder, lowered, step, key, unrolled=False)
        known = _meeting(tested, lowered, header, place) or _ahead(as_it_is, lowered, header, place)
        return known or _presumed(tested, lowered, header, place)
    return _falling(ctx, tested, lowered, header, place) if test.relation == ">=" else None


def _tested(
    test: ir.Compare, holder: Placeholder, lowered: Lowered, step: Poly, key: int, unrolled: bool = True
) -> _Tested | None:
    type_, by = holder.variable.type, step.constant
    if not isinstance(type_, Integer) or not arithmetic.may_wrap(type_) or holder.head is None or by is None:
        return None
    start = induction.start_of(holder)
    if unrolled:
        start = _without_remainders(start, 1 << 8 * type_.size)
    seen, stepped = induction.as_tested(holder, lowered) or (holder.head, None)
    offset = arithmetic.value_range(type_)[0] if stepped is not None else 0
    images = {holder.head: start}
    if stepped is not None:
        images[seen] = stepped.substitute({holder.head: start})
    factor = test.value.coefficient(seen).constant
    if factor not in (1, -1):
        return None
    limit = symbol(seen) + offset - test.value * factor
    if seen in limit.symbols or holder.head in limit.symbols or not is_invariant(limit, key):
        return None
    first = test.value.substitute(images)
    before = replace(holder.start, poly=start) if isinstance(holder.start, IntegerValue) else holder.start
    plain = all(map(_is_plain, first.symbols))
    return _Tested(replace(holder, start=before), type_, limit, factor, first, factor * by, plain)


def _without_remainders(value: Poly, modulus: int) -> Poly:
    """The value without remainders of which a modulus rids it anyway: n - 1 for (n - 1) % 256, modulo 256."""
    change: dict[Symbol, Poly] = {}
    for s in value.symbols:
        match s.origin:
            case ir.Remainder(value=inner, divisor=divisor, floor=True) if divisor % modulus == 0:
                change[s] = inner
            case _:
                pass
    return value.substitute(change) if change else value


def _is_plain(s: Symbol) -> bool:
    """Whether a value is not made by more than sums and products: those are right modulo 2^w whatever wraps in them."""
    match s.origin:
        case ir.Quotient() | ir.Remainder():
            return False
        case ir.Computed(meaning=meaning):
            return meaning is None
        case _:
            return True


# --- i != limit


def _meeting(tested: _Tested, lowered: Lowered, header: Header, place: Place) -> Circle | None:
    """Where the bounds of the symbols decide: the smallest number >= 0 among `met + t * around`."""
    met = tested.first.divided_by(-tested.slope)
    low, high = arithmetic.interval(met) if met is not None else (None, None)
    if met is None or low is None or high is None or not tested.plain:
        return None
    around = tested.modulus // gcd(tested.modulus, tested.slope)
    often, wraps = met - low // around * around, tuple(w for w in lowered.wraps if not _is_modulo(w, tested.modulus))
    if high - low // around * around >= around:
        if high > 0 or low <= -around:
            return None
        often = met + around  # where met is 0, the loop is not run, instead of once around
        wraps += (ir.Wrap(often, 0, around - 1, "", place, type=tested.type.name if tested.type.size < 4 else ""),)
    return _made(often, tested, header, wraps)


def _ahead(tested: _Tested | None, lowered: Lowered, header: Header, place: Place) -> Circle | None:
    """Where nothing is known: the variable is assumed to meet the limit before it wraps."""
    met = tested.first.divided_by(-tested.slope) if tested is not None else None
    _, most = arithmetic.interval(met) if met is not None else (None, None)
    if tested is None or met is None or (most is not None and most < 0):
        return None
    ahead = ir.Wrap(met, 0, tested.modulus - 1, tested.holder.variable.name, place)
    return _made(met, tested, header, (*lowered.wraps, ahead))


def _presumed(tested: _Tested, lowered: Lowered, header: Header, place: Place) -> Circle | None:
    """Where the start or the limit is converted from a signed number: `unsigned i = n - 1; i != -1; i--` of an int n
    has n iterations if n is not negative."""
    met = tested.first.divided_by(-tested.slope)
    if met is None or not tested.plain:
        return None
    around = tested.modulus // gcd(tested.modulus, tested.slope)
    met -= met.constant_term // around * around
    wraps = tuple(w for w in lowered.wraps if not _is_modulo(w, tested.modulus))
    return _made(met, tested, header, (*wraps, ir.Wrap(met, 0, around - 1, "", place, type=tested.type.name)))


def _made(often: Poly, tested: _Tested, header: Header, wraps: tuple[ir.Wrap, ...]) -> Circle:
    return Circle(ir.Ratio(often + 1 if header.kind == "do" else often), tested.holder, wraps)


def _is_modulo(wrap: ir.Wrap, modulus: int) -> bool:
    return wrap.low == 0 and (wrap.high + 1) % modulus == 0


# --- i < limit, while i falls


def _falling(ctx: Context, tested: _Tested, lowered: Lowered, header: Header, place: Place) -> Circle | None:
    """`limit - i >= 0` for an unsigned i that falls by `slope`: it holds from the start down to 0 or little more, and
    then i is one of the largest numbers of its type."""
    variable, modulus = tested.holder.variable, tested.modulus
    sides = lowered.entering.get(variable.key) != tested.holder.value
    if tested.type.signed or tested.factor != -1 or tested.slope <= 0 or header.kind == "do" or sides:
        return None
    _, most = arithmetic.interval(tested.first)
    if not trips.holds(ctx.guards, tested.first) or most is None or most >= modulus:
        return None
    limit, wraps = tested.limit, list(lowered.wraps)
    if isinstance(tested.holder.start, IntegerValue):
        strict = isinstance(header.test, c_ast.BinaryOp) and header.test.op in ("<", ">")
        of_limit = (limit + 1,) if strict else (limit, limit + 1)
        wraps = [w for w in wraps if w not in tested.holder.start.wraps or w.value in of_limit]
    _, highest = arithmetic.interval(limit)
    if highest is None or highest >= modulus - tested.slope:
        beyond = limit + tested.slope
        wraps.append(ir.Wrap(beyond, 0, modulus - 1, "", place))
    start = induction.start_of(tested.holder)
    return Circle(ir.Ratio(start + 1, tested.slope), tested.holder, tuple(wraps))
