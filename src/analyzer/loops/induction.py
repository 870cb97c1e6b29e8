"""Variables that a loop changes: which of them step evenly, and what is known of them afterwards."""

from msgspec import Struct
from msgspec.structs import replace

from ..base.places import Place
from ..ir import arithmetic, formula_names
from ..ir import nodes as ir
from ..ir.invariance import is_invariant
from ..ir.polynomials import ZERO, Poly, Symbol, number, symbol
from ..polyhedra.signs import is_nonnegative
from ..source.ctypes import CType, Integer, Pointer
from . import values
from .context import Context
from .values import Address, IntegerValue, Value, differing
from .wrapped_values import surely_fits


class Placeholder(Struct):
    """A variable changed by the loop: its value before the loop, and the symbol that stands for it at the start of an
    iteration (for a pointer: for how far it has walked)."""

    variable: ir.Variable
    start: Value | None
    head: Symbol | None
    value: Value | None

    @property
    def counts(self) -> bool:
        """Whether it is >= 0 for certain, although its type has negative values: see `_is_counted_from_0`."""
        type_ = self.variable.type
        return self.head is not None and self.head.low == 0 and isinstance(type_, Integer) and type_.signed

    @property
    def falls(self) -> bool:
        """Whether it may be smaller than 0 without being told so from outside."""
        return self.head is not None and isinstance(self.head.origin, ir.Computed) and self.head.origin.falls


class Lowered(Struct):
    """One attempt at the body."""

    block: list[ir.Statement]
    test: ir.Predicate
    wraps: tuple[ir.Wrap, ...]
    start: dict[int, Value | None]
    entering: dict[int, Value | None]
    body_end: dict[int, Value | None]
    end: dict[int, Value | None]
    continues: list[dict[int, Value | None]]
    breaks: list[dict[int, Value | None]]


def placeholder(
    ctx: Context,
    variable: ir.Variable,
    unstable: bool,
    falls: bool,
    counts: bool,
    steps: Symbol | None,
    place: Place,
) -> Placeholder:
    """What stands for a variable that the loop changes. `falls`: not only upwards. `counts`: only by adding to it.
    `steps`: the counter of the loop, if no iteration adds more than one."""
    start = ctx.known(variable)
    match start:
        case IntegerValue(poly=first) if isinstance(variable.type, Integer):
            falls = falls or not is_nonnegative(first)
            origin = ir.Computed(f"{variable.name} changes in the loop", place, tuple(ctx.loops), falls=falls)
            head = ctx.new_symbol(variable.name, origin, variable.type)
            if counts and not falls and not unstable and _is_counted_from_0(variable, variable.type, start):
                known = ir.Passed(symbol(steps)) if steps is not None and first == ZERO else None
                head = replace(head, low=0, origin=replace(origin, meaning=known))
            return Placeholder(variable, start, head, IntegerValue(symbol(head), start.wraps))
        case Address(subscripts=(*_, last)) if not unstable and not start.tail and not last.row_pointer:
            origin = ir.Computed(f"{variable.name} walks", place, tuple(ctx.loops))
            head = ctx.new_symbol(variable.name, origin)
            walked = replace(last, index=last.index + symbol(head))
            return Placeholder(variable, start, head, replace(start, subscripts=(*start.subscripts[:-1], walked)))
        case _ if isinstance(variable.type, Pointer):  # null, too
            target = start.target if isinstance(start, Address) else variable.type.target
            anything = ctx.start_of(ir.Anything(variable.name, ctx.key(), ctx.held_by(variable)), (), target)
            return Placeholder(variable, start, None, anything)
        case _:
            return Placeholder(variable, start, None, None)


def _is_counted_from_0(variable: ir.Variable, type_: Integer, start: IntegerValue) -> bool:
    """Whether what is only added to by name stays >= 0: it is so at first for certain, nothing else can change it, and
    overflow is undefined."""
    least, _ = arithmetic.interval(start.poly)
    own = variable.scope in ("local", "parameter") and not variable.addressed
    return own and least is not None and least >= 0 and not start.wraps and not arithmetic.may_wrap(type_)


def unexpected_changes(
    ctx: Context, holders: list[Placeholder], lowered: Lowered, loop: int, counter: Symbol
) -> set[int]:
    """Variables that the body changed without an assignment by name, and pointers that left their object."""
    held = {h.variable.key: h for h in holders}
    ends = (lowered.end, *lowered.continues, *lowered.breaks)
    touched = frozenset[int]().union(*(differing(end, lowered.start) for end in ends))
    even: dict[int, Poly] | None = None
    missed = set()
    for variable in ctx.visible():
        holder = held.get(variable.key)
        if holder is None:
            before = ctx.known(variable, lowered.start) if variable.key in touched else None
            if variable.key in touched and any(ctx.known(variable, end) != before for end in ends):
                missed.add(variable.key)
        elif _follows(holder) and not all(_walks(ctx.known(variable, e), holder.value, loop) for e in ends):
            even = even_steps(holders, lowered, loop, counter) if even is None else even
            if lowered.breaks or variable.key not in even:
                missed.add(variable.key)
    return missed


def moved_by_address(ctx: Context, missed: set[int], holders: list[Placeholder], lowered: Lowered) -> set[int]:
    """Those pointers among the missed that the body does not name, and moves on in their object: `next(&p)`."""
    unnamed = missed.difference(h.variable.key for h in holders)
    ends = (lowered.end, *lowered.continues, *lowered.breaks)
    found = (v for v in ctx.visible() if v.key in unnamed)
    return {v.key for v in found if all(_is_moved(ctx.known(v, e), ctx.known(v, lowered.start)) for e in ends)}


def _is_moved(end: Value | None, start: Value | None) -> bool:
    return isinstance(end, Address) and isinstance(start, Address) and values.displacement(end, start) is not None


def _follows(holder: Placeholder) -> bool:
    return isinstance(holder.value, Address) and holder.head is not None


def _walks(end: Value | None, start: Value | None, loop: int) -> bool:
    """Whether a pointer has moved by the same amount in every iteration, within its object."""
    both = isinstance(end, Address) and isinstance(start, Address)
    step = values.displacement(end, start) if both else None  # type: ignore[arg-type]
    return step is not None and is_invariant(step, loop)


# --- even steps


def start_of(holder: Placeholder) -> Poly:
    return holder.start.poly if isinstance(holder.start, IntegerValue) else ZERO


def even_steps(
    holders: list[Placeholder], lowered: Lowered, key: int, counter: Symbol, uneven: frozenset[int] = frozenset()
) -> dict[int, Poly]:
    """Per variable how much it grows in each iteration, for those that grow evenly. `uneven`: keys of those that are
    known to leave the range of their type."""
    steps: dict[int, Poly] = {}
    heads = {h.head for h in holders if h.head is not None}
    candidates = [h for h in holders if h.variable.key not in uneven]
    for holder in candidates:
        step = growth(holder, lowered)
        if step is not None and not step.symbols & heads and is_invariant(step, key):
            steps[holder.variable.key] = step
    return steps | _caught_up(candidates, heads, lowered, steps, key, counter)


def growth(holder: Placeholder, lowered: Lowered) -> Poly | None:
    """What one iteration adds to a variable."""
    name = holder.variable.key
    if holder.head is None or any(c.get(name) != lowered.body_end.get(name) for c in lowered.continues):
        return None
    match holder.value, lowered.end.get(name):
        case Address() as before, Address() as after:
            return values.displacement(after, before)
        case _, IntegerValue(poly=poly):
            step = _unwrapped(poly, holder.variable) - symbol(holder.head)
            return None if _is_no_step(step, holder.variable.type) else step
        case _:
            return None


def _is_no_step(step: Poly, type_: CType) -> bool:
    """Whether a number is too large for a variable: what `i += 4294967295u` does to an `int` is to take 1 away."""
    if not isinstance(type_, Integer) or arithmetic.may_wrap(type_):
        return False
    return step.constant is not None and not surely_fits(step, type_)


def _caught_up(
    holders: list[Placeholder],
    heads: set[Symbol],
    lowered: Lowered,
    steps: dict[int, Poly],
    key: int,
    counter: Symbol,
) -> dict[int, Poly]:
    """Variables set at the end of an iteration k to E(k) for the next one, where E(k) grows evenly, and E(-1) is what
    they start with: they hold E(k - 1) in every iteration, the first as well.

    q = b;  do { ... *q ...; left--;  q = b + (n - left); } while (left > 0);        q is b + k
    """
    images = _even_values(holders, steps, counter)
    before = {counter: symbol(counter) - 1}
    found = {}
    for holder in holders:
        grown = None if holder.variable.key in steps else growth(holder, lowered)
        if grown is None or holder.head is None:
            continue
        ends = (grown + symbol(holder.head)).substitute(images)
        step = ends - ends.substitute(before)
        known = not (ends.symbols | step.symbols) & heads and counter not in step.symbols
        if known and is_invariant(step, key) and ends.substitute({counter: number(-1)}) == start_of(holder):
            found[holder.variable.key] = step
    return found


def _unwrapped(end: Poly, variable: ir.Variable) -> Poly:
    """`i++` of a narrow variable is (i + 1) modulo 2^w: evenly growing until it wraps."""
    wrapped = wrapped_value(end, variable)
    return end if wrapped is None else end.substitute(dict((wrapped,)))


def wrapped_value(end: Poly, variable: ir.Variable) -> tuple[Symbol, Poly] | None:
    """The remainder in `end`, and what it is while nothing wraps."""
    if not isinstance(variable.type, Integer):
        return None
    low, high = arithmetic.value_range(variable.type)
    match (end - low).terms:
        case (((only,), 1),):
            match only.origin:
                case ir.Remainder(value=value, divisor=divisor, floor=True) if divisor == high - low + 1:
                    return only, value
                case _:
                    return None
        case _:
            return None


def as_tested(holder: Placeholder, lowered: Lowered) -> tuple[Symbol, Poly | None] | None:
    """The symbol in the test that stands for a variable; with what it is while nothing wraps, where it stands for what
    a step of a narrow one leaves (`++i < n`)."""
    tested = ir.tested_symbols(lowered.test)
    if holder.head in tested and holder.head is not None:
        return holder.head, None
    for value in (lowered.entering.get(holder.variable.key), lowered.end.get(holder.variable.key)):
        wrapped = wrapped_value(value.poly, holder.variable) if isinstance(value, IntegerValue) else None
        if wrapped is not None and wrapped[0] in tested:
            return wrapped
    return None


def values_in_iteration(
    holders: list[Placeholder], lowered: Lowered, steps: dict[int, Poly], counter: Symbol
) -> dict[Symbol, Poly]:
    """Per placeholder symbol: start + step * counter."""
    images = _even_values(holders, steps, counter)
    return images | _without_modulo(holders, lowered, steps, images)


def _even_values(holders: list[Placeholder], steps: dict[int, Poly], counter: Symbol) -> dict[Symbol, Poly]:
    return {
        h.head: start_of(h) + symbol(counter) * steps[h.variable.key]
        for h in holders
        if h.head is not None and h.variable.key in steps
    }


def described(holder: Placeholder, lowered: Lowered, step: Poly) -> ir.Induction:
    """The induction variable, in the placeholders of the loop where its test changes it."""
    entering = lowered.entering.get(holder.variable.key)
    match holder.start, holder.value, entering:
        case IntegerValue(poly=start), IntegerValue(poly=before), IntegerValue(poly=after):
            return ir.Induction(holder.variable, start, step, after - before)
        case Address(subscripts=(*_, last)), Address() as before, Address() as after:
            return ir.Induction(holder.variable, None, step, values.displacement(after, before), last.stride)
        case IntegerValue(poly=start), _, _:
            return ir.Induction(holder.variable, start, step, None)
        case _:
            return ir.Induction(holder.variable, None, step, None)


def _without_modulo(
    holders: list[Placeholder], lowered: Lowered, steps: dict[int, Poly], images: dict[Symbol, Poly]
) -> dict[Symbol, Poly]:
    """What the update of a narrow unsigned induction variable yields, without the modulo (see `_ranges`)."""
    found = {}
    for holder in holders:
        end = lowered.end.get(holder.variable.key)
        if holder.variable.key in steps and isinstance(end, IntegerValue):
            wrapped = wrapped_value(end.poly, holder.variable)
            if wrapped is not None:
                found[wrapped[0]] = wrapped[1].substitute(images)
    return found


def spared(holders: list[Placeholder], lowered: Lowered, steps: dict[int, Poly]) -> list[Placeholder]:
    """Variables in the test that only a call or a store through an unknown pointer could change: that it does not is
    assumed for the bound (`bound-invariant`), while the body is read as if it did."""
    assigned = {s.target for s in ir.statements(tuple(lowered.block)) if isinstance(s, ir.Assign)}
    variables = {t if isinstance(t, ir.Variable) else t.object for t in assigned}
    tested = ir.tested_symbols(lowered.test)
    return [
        h
        for h in holders
        if h.head in tested
        and h.variable.key not in steps
        and isinstance(h.start, IntegerValue)
        and not variables & {h.variable, ir.Declared(h.variable)}
    ]


# --- after the loop


def set_values_after(
    ctx: Context,
    holders: list[Placeholder],
    lowered: Lowered,
    steps: dict[int, Poly],
    loop: ir.Loop,
    circular: int | None,
) -> None:
    """What is known of the variables behind the loop. `circular`: the key of the one that may count round the end of
    its type, so that it does not end where it steps to."""
    trips_done = _number_of_iterations(ctx, loop)
    for holder in holders:
        variable = holder.variable
        step = steps.get(variable.key)
        if any(left.get(variable.key) != holder.value for left in lowered.breaks):
            step = None
        if step == ZERO:
            ctx.values[variable.key] = holder.start
            continue
        if step is not None and trips_done is not None and variable.key != circular:
            ctx.values[variable.key] = _final(ctx, holder, lowered, step, trips_done, loop)
            continue
        left = None if step is None or variable.key == circular else _left(ctx, holder, lowered, step, loop)
        if left is not None:
            ctx.values[variable.key] = left
            continue
        if step is None and variable.key not in steps and (kept := _kept_last(ctx, holder, lowered, loop)) is not None:
            ctx.values[variable.key] = kept
            continue
        last = lowered.end if loop.kind == "do" else lowered.entering
        given = not lowered.breaks and _is_given(last.get(variable.key))
        known = holder.start is not None
        after = ctx.initial(variable, loop.end_line, given, holder.falls) if known else None
        goes_up = step is not None and (step.constant or 0) > 0 and variable.key != circular
        ctx.values[variable.key] = _not_below(after, holder, goes_up)


def _not_below(after: Value | None, holder: Placeholder, goes_up: bool) -> Value | None:
    """The value after a loop of a variable that only goes up in it, from a number on: no less than that, as what is
    signed does not overflow."""
    least = 0 if holder.counts else None
    match holder.start, holder.variable.type:
        case IntegerValue(poly=first, wraps=()), Integer(signed=True, size=size) if goes_up and size >= 4:
            least = least if first.constant is None else first.constant
        case _:
            pass
    match after:
        case IntegerValue(poly=Poly() as poly) if least is not None:
            (made,) = poly.symbols
            return replace(after, poly=symbol(replace(made, low=max(least, made.low or least))))
        case _:
            return after


def _is_given(value: Value | None) -> bool:
    """Whether a call that is not seen gave the value: whatever the loop does, it may be anything."""
    if not isinstance(value, IntegerValue) or len(value.poly.symbols) != 1:
        return False
    (only,) = value.poly.symbols
    return value.poly == symbol(only) and isinstance(only.origin, ir.Entry | ir.Computed) and only.origin.given


def _number_of_iterations(ctx: Context, loop: ir.Loop) -> Poly | None:
    """The trip count as a polynomial: a number, or for n a symbol that is max(0, n); for a step of 8, max(0, (n + 7)/8)
    with the quotient rounded down."""
    if not loop.exact_trip or loop.trip is None or len(loop.trip) != 1:
        return None
    (trip,) = loop.trip
    known = trip.constant
    if known is not None:
        return number(max(known, loop.at_least))
    if loop.at_least or not is_invariant(trip.numerator, loop.key):
        return None
    varying = tuple(key for key in ctx.loops if not is_invariant(trip.numerator, key))
    whole = trip.numerator if trip.denominator == 1 else _rounded_up(ctx, trip)
    origin = ir.Computed("trip", loop.place, varying, ir.Outermost("max", (ZERO, whole)))
    ctx.counts_on = True
    return symbol(replace(ctx.new_symbol(f"max(0, {whole})", origin), low=0))


def _rounded_up(ctx: Context, trip: ir.Ratio) -> Poly:
    value = trip.numerator + trip.denominator - 1
    return ctx.quotient(ir.Quotient(value, trip.denominator, True), f"({value})/{trip.denominator}")


def _left(ctx: Context, holder: Placeholder, lowered: Lowered, step: Poly, loop: ir.Loop) -> Value | None:
    """The value of a variable that steps evenly behind a loop that may be left before it has made all iterations:
    somewhere between that of the first one and that where the test fails, as in the iteration where it is left."""
    whole = number_of_iterations_at_most(lowered, loop)
    start, tested = holder.start, lowered.entering.get(holder.variable.key)
    if whole is None or tested != holder.value or not isinstance(start, IntegerValue):
        return None
    plain = start.poly == ZERO and step.constant == 1
    name = formula_names.version(holder.variable.name if plain else "iterations", loop.end_line)
    origin = ir.Computed("iterations", loop.place, tuple(ctx.loops), ir.Passed(whole))
    done = symbol(replace(ctx.new_symbol(name, origin), low=0))
    return IntegerValue(start.poly + step * done, start.wraps)


def kept_values(
    ctx: Context, holders: list[Placeholder], lowered: Lowered, steps: dict[int, Poly], loop: ir.Loop
) -> dict[Symbol, Poly]:
    """Per placeholder of a variable that some iterations set, what it holds in an iteration: see `_kept`."""
    found = {}
    for holder in holders:
        made = None if holder.head is None or holder.variable.key in steps else _kept(holder, lowered, loop)
        if made is not None and holder.head is not None and isinstance(holder.head.origin, ir.Computed):
            origin = replace(holder.head.origin, meaning=made)
            found[holder.head] = symbol(ctx.new_symbol(holder.variable.name, origin, holder.variable.type))
    return found


def _kept_last(ctx: Context, holder: Placeholder, lowered: Lowered, loop: ir.Loop) -> Value | None:
    """What such a variable holds behind the loop."""
    made = _kept(holder, lowered, loop)
    if made is None:
        return None
    origin = ir.Computed("kept", loop.place, tuple(ctx.loops), made, falls=holder.falls)
    name = formula_names.version(holder.variable.name, loop.end_line)
    return IntegerValue(symbol(ctx.new_symbol(name, origin, holder.variable.type)))


def _kept(holder: Placeholder, lowered: Lowered, loop: ir.Loop) -> ir.Kept | None:
    """The ends between which the values lie that some iterations of a loop set a variable to, if these go up or down
    with the number of the iteration, and nothing else sets it: `if (abs(a[i]) > most) p = i;`."""
    variable, start, whole = holder.variable, holder.start, number_of_iterations_at_most(lowered, loop)
    own = variable.scope == "local" and not variable.addressed and isinstance(variable.type, Integer)
    if not own or whole is None or not isinstance(start, IntegerValue) or start.wraps:
        return None
    test = next((k for k, s in enumerate(loop.body) if isinstance(s, ir.Evaluate) and s.control), -1)
    if any(isinstance(s, ir.Assign) and s.target == variable for s in ir.statements(loop.body[: test + 1])):
        return None  # the test is made once more than there are iterations
    values = {_stored(s.value) for s in ir.statements(loop.body) if isinstance(s, ir.Assign) and s.target == variable}
    if len(values) != 1:
        return None
    (value,) = values
    rate = None if value is None else value.coefficient(loop.counter).constant
    if value is None or rate not in (1, -1) or not is_invariant(value - symbol(loop.counter) * rate, loop.key):
        return None
    first, last = (value.substitute({loop.counter: end}) for end in (ZERO, whole - 1))
    return ir.Kept(start.poly, first, last) if rate > 0 else ir.Kept(start.poly, last, first)


def number_of_iterations_at_most(lowered: Lowered, loop: ir.Loop) -> Poly | None:
    """None where a loop whose end lies on the wrong side of its start makes more iterations than none: its test asks
    whether something is not equal, or wraps."""
    if loop.kind == "do" or loop.wraps or not _asks_which_is_larger(lowered.test):
        return None
    return next((r.numerator for r in loop.trip or () if r.denominator == 1), None)


def _asks_which_is_larger(test: ir.Predicate) -> bool:
    match test:
        case ir.Compare(relation=relation):
            return relation == ">="
        case ir.All(parts=parts):
            asks = [_asks_which_is_larger(part) for part in parts if not isinstance(part, ir.Data | ir.Any)]
            return all(asks) and (any(asks) or not any(isinstance(part, ir.Any) for part in parts))
        case ir.Any() | ir.Data():
            return False


def _stored(value: ir.Expression) -> Poly | None:
    """What a variable is set to, where that is known."""
    match value:
        case ir.Use(value=known):
            return known
        case ir.Convert(type=Integer(size=size, signed=True), argument=inner) if isinstance(inner.type, Integer):
            return _stored(inner) if size >= inner.type.size and inner.type.signed else None
        case _:
            return None


def _final(
    ctx: Context, holder: Placeholder, lowered: Lowered, step: Poly, iterations: Poly, loop: ir.Loop
) -> Value | None:
    """The value when the test fails. Only a test without side effects leaves start + step * trips."""
    entering, value = lowered.entering.get(holder.variable.key), holder.value
    if entering != value:
        return ctx.initial(holder.variable, loop.end_line, falls=holder.falls)
    if isinstance(holder.start, IntegerValue):
        return IntegerValue(holder.start.poly + step * iterations, holder.start.wraps)
    if isinstance(holder.start, Address):
        last = holder.start.subscripts[-1]
        moved = replace(last, index=last.index + step * iterations)
        return replace(holder.start, subscripts=(*holder.start.subscripts[:-1], moved))
    return None
