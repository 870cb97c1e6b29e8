"""Loops: `for`, `while` and `do` become counted loops where their variables step evenly.

Every variable that the loop changes gets a placeholder for its value at the start of an iteration; the body is lowered
once with the placeholders; a variable whose value grows by the same amount in every iteration is an induction variable,
and its placeholder is then replaced by start + step * counter everywhere (`substitute`). A pointer is followed as long
as it walks through one object; where it does not (`p = p->next`, swapped pointers) the body is lowered again with
the pointer unknown.
"""

from dataclasses import dataclass, replace
from typing import TypeAlias

from pycparser import c_ast

from ..places import Place
from ..polyhedra.poly import ZERO, Poly, Symbol, number, symbol
from ..source.ctypes import Integer
from . import arithmetic, expressions, ir, operators, statements, syntax, trips, values
from .context import Context, Region
from .rendering import c_text
from .substitute import Substitution
from .values import Address, IntegerValue, Value

Node: TypeAlias = c_ast.Node
MOST_ATTEMPTS = 4


@dataclass(frozen=True, slots=True)
class Header:
    """The three parts of a loop, whatever keyword it is written with."""

    kind: str
    test: Node | None
    update: Node | None
    body: Node


@dataclass(slots=True)
class Placeholder:
    """A variable changed by the loop: its value before the loop, and the symbol that stands for it at the start of an
    iteration (for a pointer: for how far it has walked)."""

    variable: ir.Variable
    start: Value | None
    head: Symbol | None
    value: Value | None


@dataclass(slots=True)
class Lowered:
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


def lower_loop(ctx: Context, node: Node) -> None:
    """A loop statement."""
    if syntax.is_once(node):
        ctx.regions.append(Region("break"))
        with ctx.scope():
            statements.lower_list(ctx, syntax.items(node.stmt), tail=True)
        ctx.regions.pop()
        return
    with ctx.scope():
        header = _header(ctx, node)
        _counted(ctx, node, header)


def _header(ctx: Context, node: Node) -> Header:
    match node:
        case c_ast.For(init=init, cond=cond, next=update, stmt=body):
            if init is not None:
                statements.lower(ctx, init)
            return Header("for", cond, update, body)
        case c_ast.While(cond=cond, stmt=body):
            return Header("while", cond, None, body)
        case _:
            return Header("do", node.cond, None, node.stmt)


def _counted(ctx: Context, node: Node, header: Header) -> None:
    key = ctx.key()
    counter = Symbol(key, f"k{key}", ir.Counter(key), 0, None)
    before = dict(ctx.values)
    unstable = ctx.unstable.setdefault(id(node), set())
    ctx.forget_memory()
    inlined = ctx.inlined
    for _ in range(MOST_ATTEMPTS):
        ctx.values, ctx.inlined = dict(before), inlined
        holders = _placeholders(ctx, node, header, key, unstable)
        lowered = _attempt(ctx, header, key, counter)
        missed = _unexpected(ctx, holders, lowered) - unstable
        if not missed:
            break
        unstable |= missed
    else:
        place = ctx.place(node)
        ctx.out.append(ir.Refused("too-complex", "the variables of this loop change in too many ways", place))
    ctx.forget_memory()
    _finish(ctx, node, header, key, counter, holders, lowered)


def _placeholders(ctx: Context, node: Node, header: Header, key: int, unstable: set[int]) -> list[Placeholder]:
    names = syntax.assigned_names(header.test, header.update, header.body)
    changed = [v for n in sorted(names) if (v := ctx.lookup(n)) is not None]
    changed += [v for v in ctx.visible() if v.key in unstable and v not in changed]
    holders = []
    ctx.loops.append(key)
    for variable in dict.fromkeys(changed):
        holder = _placeholder(ctx, variable, variable.key in unstable, ctx.place(node))
        ctx.values[variable.key] = holder.value
        holders.append(holder)
    ctx.loops.pop()
    return holders


def _placeholder(ctx: Context, variable: ir.Variable, unstable: bool, place: Place) -> Placeholder:
    start = ctx.values.get(variable.key)
    match start:
        case IntegerValue() if isinstance(variable.type, Integer):
            origin = ir.Computed(f"{variable.name} changes in the loop", place, tuple(ctx.loops))
            head = ctx.new_symbol(variable.name, origin, variable.type)
            return Placeholder(variable, start, head, IntegerValue(symbol(head), start.wraps))
        case Address(subscripts=(*_, last)) if not unstable and not start.tail and not last.row_pointer:
            origin = ir.Computed(f"{variable.name} walks", place, tuple(ctx.loops))
            head = ctx.new_symbol(variable.name, origin)
            walked = replace(last, index=last.index + symbol(head))
            return Placeholder(variable, start, head, replace(start, subscripts=(*start.subscripts[:-1], walked)))
        case Address(target=target):
            anything = ctx.start_of(ir.Anything(variable.name, ctx.key()), (), target)
            return Placeholder(variable, start, None, anything)
        case _:
            return Placeholder(variable, start, None, None)


def _attempt(ctx: Context, header: Header, key: int, counter: Symbol) -> Lowered:
    ctx.loops.append(key)
    ctx.counters.append(counter)
    ctx.regions.append(Region("continue"))
    start, jumps = dict(ctx.values), len(ctx.leavings)
    test: tuple[ir.Predicate, tuple[ir.Wrap, ...]] = (ir.All(()), ())
    with ctx.collect() as block:
        if header.kind != "do" and header.test is not None:
            test = _test(ctx, header.test)
        entering = dict(ctx.values)
        with ctx.scope():
            statements.lower_list(ctx, syntax.items(header.body), tail=True)
        body_end = dict(ctx.values)
        if header.update is not None:
            with ctx.addressing():
                expressions.discard(ctx, header.update)
        if header.kind == "do" and header.test is not None:
            test = _test(ctx, header.test)
    ctx.regions.pop()
    ctx.counters.pop()
    ctx.loops.pop()
    left = [j for j in ctx.leavings[jumps:] if j.loop == key]
    continues, breaks = ([j.values for j in left if j.kind == kind] for kind in ("continue", "break"))
    return Lowered(block, *test, start, entering, body_end, dict(ctx.values), continues, breaks)


def _test(ctx: Context, node: Node) -> tuple[ir.Predicate, tuple[ir.Wrap, ...]]:
    with ctx.addressing():
        typed = expressions.lower(ctx, node)
    ctx.out.append(ir.Evaluate(typed.expression, ctx.place(node), c_text(node), control=True))
    ctx.flush()
    known = typed.value.poly.constant if isinstance(typed.value, IntegerValue) else None
    if known:
        return ir.All(()), ()
    return operators.truth(typed)


def _unexpected(ctx: Context, holders: list[Placeholder], lowered: Lowered) -> set[int]:
    """Variables that the body changed without an assignment by name, and pointers that left their object."""
    held = {h.variable.key: h for h in holders}
    missed = set()
    for variable in ctx.visible():
        holder = held.get(variable.key)
        ends = [values_.get(variable.key) for values_ in (lowered.end, *lowered.continues, *lowered.breaks)]
        if holder is None:
            if any(end != lowered.start.get(variable.key) for end in ends):
                missed.add(variable.key)
        elif _follows(holder) and not all(_walks(end, holder.value) for end in ends):
            missed.add(variable.key)
    return missed


def _follows(holder: Placeholder) -> bool:
    return isinstance(holder.value, Address) and holder.head is not None


def _walks(end: Value | None, start: Value | None) -> bool:
    """Whether a pointer has moved by a constant, within its object."""
    both = isinstance(end, Address) and isinstance(start, Address)
    step = values.displacement(end, start) if both else None  # type: ignore[arg-type]
    return step is not None and step.constant is not None


# --- induction variables


def _finish(
    ctx: Context,
    node: Node,
    header: Header,
    key: int,
    counter: Symbol,
    holders: list[Placeholder],
    lowered: Lowered,
) -> None:
    steps = _steps(holders, lowered, key)
    images = {
        h.head: _start(h) + symbol(counter) * steps[h.variable.key]
        for h in holders
        if h.head is not None and h.variable.key in steps
    }
    images |= _unwrapping(holders, lowered, steps, images)
    inductions = frozenset(k for k, step in steps.items() if step != ZERO)
    substitution = Substitution(images, inductions)
    body = substitution.body(tuple(lowered.block))
    test = substitution.predicate(lowered.test)
    bounds, exact = trips.ratios(test, counter, key, header.kind == "do")
    exact = exact and bool(bounds) and not _leaves_early(body, key)
    trip = bounds or None
    name, entering = _loop_variable(ctx, header, holders, lowered, steps, substitution)
    last = trips.last_iteration(trip) if exact else None
    place = ctx.place(node)
    expansion = ctx.unit.expansion(node)
    loop = ir.Loop(
        key=key,
        counter=counter,
        kind=header.kind,  # type: ignore[arg-type]
        place=place,
        end_line=max(ctx.unit.end_line(node), place.line),
        trip=trip,
        exact_trip=exact,
        variable=name,
        first=None if entering is None else entering.substitute({counter: ZERO}),
        last=None if entering is None or last is None else entering.substitute({counter: last}),
        step=None if entering is None else entering.coefficient(counter),
        body=body,
        inductions=tuple(
            ir.Induction(h.variable, _start(h) if isinstance(h.start, IntegerValue) else None, steps[h.variable.key])
            for h in holders
            if h.variable.key in steps and steps[h.variable.key] != ZERO
        ),
        wraps=(*(substitution.wrap(w) for w in lowered.wraps), *_ranges(holders, steps, counter, place)),
        pragmas=_pragmas(ctx, node),
        macro=expansion.macro if expansion else None,
        macro_line=expansion.line if expansion else 0,
        inlined=bool(ctx.calls),
        at_least=1 if header.kind == "do" else 0,
        independent=any(
            d.kind == "independent" and d.line in (place.line, place.line - 1) for d in ctx.unit.directives
        ),
    )
    ctx.out.append(loop)
    _after(ctx, holders, lowered, steps, loop, substitution)


def _start(holder: Placeholder) -> Poly:
    return holder.start.poly if isinstance(holder.start, IntegerValue) else ZERO


def _steps(holders: list[Placeholder], lowered: Lowered, key: int) -> dict[int, Poly]:
    """Per variable how much it grows in each iteration, for those that grow evenly."""
    steps: dict[int, Poly] = {}
    heads = {h.head for h in holders if h.head is not None}
    for holder in holders:
        end = lowered.end.get(holder.variable.key)
        step: Poly | None = None
        name = holder.variable.key
        if holder.head is None or any(c.get(name) != lowered.body_end.get(name) for c in lowered.continues):
            continue
        if isinstance(holder.value, Address) and isinstance(end, Address):
            step = values.displacement(end, holder.value)
        elif isinstance(end, IntegerValue):
            step = _unwrapped(end.poly, holder.variable) - symbol(holder.head)
        if step is not None and not step.symbols & heads and not trips.varies(step, key) and not _reads(step):
            steps[holder.variable.key] = step
    return steps


def _reads(step: Poly) -> bool:
    """A step read from memory may change while the loop runs."""
    return any(isinstance(s.origin, ir.Loaded) for s in step.symbols)


def _unwrapped(end: Poly, variable: ir.Variable) -> Poly:
    """`i++` of a narrow unsigned variable is (i + 1) modulo 2^w: evenly growing until it wraps."""
    wrapped = _wrapped_value(end, variable)
    return end if wrapped is None else wrapped[1]


def _wrapped_value(end: Poly, variable: ir.Variable) -> tuple[Symbol, Poly] | None:
    match end.terms:
        case (((only,), 1),) if isinstance(only.origin, ir.Remainder) and isinstance(variable.type, Integer):
            low, high = arithmetic.value_range(variable.type)
            if low == 0 and only.origin.floor and only.origin.divisor == high + 1:
                return only, only.origin.value
        case _:
            pass
    return None


def _unwrapping(
    holders: list[Placeholder], lowered: Lowered, steps: dict[int, Poly], images: dict[Symbol, Poly]
) -> dict[Symbol, Poly]:
    """What the update of a narrow unsigned induction variable yields, without the modulo (see `_ranges`)."""
    found = {}
    for holder in holders:
        end = lowered.end.get(holder.variable.key)
        if holder.variable.key in steps and isinstance(end, IntegerValue):
            wrapped = _wrapped_value(end.poly, holder.variable)
            if wrapped is not None:
                found[wrapped[0]] = wrapped[1].substitute(images)
    return found


def _ranges(holders: list[Placeholder], steps: dict[int, Poly], counter: Symbol, place: Place) -> tuple[ir.Wrap, ...]:
    """An unsigned or narrow variable grows evenly only while it stays in the range of its type."""
    wraps = []
    for holder in holders:
        type_, step = holder.variable.type, steps.get(holder.variable.key, ZERO)
        if isinstance(type_, Integer) and step != ZERO and (type_.size < 4 or not type_.signed):
            low, high = arithmetic.value_range(type_)
            value = _start(holder) + symbol(counter) * step
            wraps.append(ir.Wrap(value, low, high, holder.variable.name, place, type_.size < 4))
    return tuple(wraps)


def _leaves_early(body: tuple[ir.Statement, ...], key: int) -> bool:
    inner = {loop.key for loop in ir.loops(body)}
    for statement in ir.statements(body):
        match statement:
            case ir.Exit(kind="break" | "continue", leaves=leaves) if leaves in inner or statement.kind == "continue":
                continue
            case ir.Exit():
                return True
            case _:
                pass
    return False


def _loop_variable(
    ctx: Context,
    header: Header,
    holders: list[Placeholder],
    lowered: Lowered,
    steps: dict[int, Poly],
    substitution: Substitution,
) -> tuple[str | None, Poly | None]:
    """The variable that the test is about, and its value entering the body."""
    names = [*syntax.names_in(header.test), *syntax.assigned_names(header.update)]
    by_name = {h.variable.name: h for h in holders if steps.get(h.variable.key, ZERO) != ZERO}
    chosen = next((by_name[n] for n in names if n in by_name), None)
    if chosen is None:
        return None, None
    value = lowered.entering.get(chosen.variable.key)
    if isinstance(value, IntegerValue):
        return chosen.variable.name, substitution.poly(value.poly)
    return chosen.variable.name, None


def _pragmas(ctx: Context, node: Node) -> tuple[tuple[int, str], ...]:
    """`omp` and `acc` pragmas on the lines directly above the loop."""
    line = ctx.place(node).line
    found = []
    by_line = {p.line: p for p in ctx.unit.pragmas}
    while line - 1 in by_line:
        line -= 1
        found.append((line, by_line[line].text))
    return tuple(reversed(found))


# --- after the loop


def _after(
    ctx: Context,
    holders: list[Placeholder],
    lowered: Lowered,
    steps: dict[int, Poly],
    loop: ir.Loop,
    substitution: Substitution,
) -> None:
    trips_done = _number_of_iterations(loop)
    for holder in holders:
        variable = holder.variable
        step = steps.get(variable.key)
        if any(left.get(variable.key) != holder.value for left in lowered.breaks):
            step = None
        if step == ZERO:
            ctx.values[variable.key] = holder.start
            continue
        if step is not None and trips_done is not None:
            ctx.values[variable.key] = _final(ctx, holder, lowered, step, trips_done, loop)
            continue
        ctx.values[variable.key] = ctx.initial(variable, loop.end_line) if holder.start is not None else None


def _number_of_iterations(loop: ir.Loop) -> Poly | None:
    """The trip count as a polynomial, where it cannot be negative."""
    if not loop.exact_trip or loop.trip is None or len(loop.trip) != 1 or loop.trip[0].denominator != 1:
        return None
    numerator = loop.trip[0].numerator
    known = numerator.constant
    if known is not None:
        return number(max(known, loop.at_least))
    return None


def _final(
    ctx: Context, holder: Placeholder, lowered: Lowered, step: Poly, iterations: Poly, loop: ir.Loop
) -> Value | None:
    """The value when the test fails. Only a test without side effects leaves start + step * trips."""
    entering, value = lowered.entering.get(holder.variable.key), holder.value
    if entering != value:
        return ctx.initial(holder.variable, loop.end_line)
    if isinstance(holder.start, IntegerValue):
        return IntegerValue(holder.start.poly + step * iterations, holder.start.wraps)
    if isinstance(holder.start, Address):
        last = holder.start.subscripts[-1]
        moved = replace(last, index=last.index + step * iterations)
        return replace(holder.start, subscripts=(*holder.start.subscripts[:-1], moved))
    return None
