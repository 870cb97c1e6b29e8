"""Loops: `for`, `while` and `do` become counted loops where their variables step evenly.

Every variable that the loop changes gets a placeholder for its value at the start of an iteration; the body is lowered
once with the placeholders; a variable whose value grows by the same amount in every iteration is an induction variable,
and its placeholder is then replaced by start + step * counter everywhere (`substitute`). A pointer is followed as long
as it walks through one object; where it does not (`p = p->next`, swapped pointers) it is unknown. What that holds for
is foreseen from the syntax (`assigned`); where it was not, or does not come true, the body is lowered again.
"""

from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace
from pycparser import c_ast

from ..ir import nodes as ir
from ..ir.invariance import computed_in
from ..ir.polynomials import ZERO, Poly, Symbol, number, symbol
from ..ir.reasons import ReasonCode
from ..ir.symbols import program
from ..source.ctypes import Pointer, Void
from ..source.nodes import node_count
from . import (
    assigned as foresight,
)
from . import (
    expressions,
    growing_steps,
    headers,
    induction,
    operators,
    own_members,
    ranges,
    statements,
    stored_pointers,
    syntax,
    trips,
)
from . import (
    floating_counters as floats,
)
from . import (
    invalidation as forgetting,
)
from . import (
    invariant_loads as steady,
)
from . import (
    recurrences as recurrence,
)
from . import (
    uneven_steps as evolution,
)
from . import (
    wrapping_loops as circular,
)
from .annotations import annotated
from .c_text import c_text
from .context import Context, Learned, Region
from .counted_steps import once_at_most
from .headers import Header
from .induction import Lowered, Placeholder
from .substitute import Substitution
from .values import IntegerValue, Value

Node: TypeAlias = c_ast.Node


class Before(Struct, frozen=True):
    """What the variables that a loop names hold before it: see `ir.Loop.held` and `ir.Loop.pointers`."""

    held: tuple[tuple[Poly, ir.Variable], ...] = ()
    pointers: tuple[ir.Variable, ...] = ()


MOST_ATTEMPTS = 7


def lower_loop(ctx: Context, node: Node) -> None:
    """A loop statement."""
    if syntax.is_once(node):
        _once(ctx, node)
        return
    entered_with = _before(ctx, node)
    with ctx.scope():
        if isinstance(node, c_ast.For) and node.init is not None:
            with ctx.addressing():
                statements.lower(ctx, node.init)
        _counted(ctx, node, headers.header(node), entered_with)


def _before(ctx: Context, node: Node) -> Before:
    """Of loops of inlined callees nobody asks."""
    if ctx.calls:
        return Before()
    named = [v for name in dict.fromkeys(syntax.names_in(node)) if (v := ctx.lookup(name)) is not None]
    known = ((ctx.known(v), v) for v in named)
    held = tuple((x.poly, v) for x, v in known if isinstance(x, IntegerValue) and x.poly.constant is None)
    return Before(held, tuple(replace(v, type=Void()) for v in named if isinstance(v.type, Pointer)))


def _once(ctx: Context, node: c_ast.DoWhile) -> None:
    """`do { ... } while (0)`: a `continue` in it leads to its test, which ends it."""
    body = syntax.ending_once(node.stmt)
    if body is None:
        message = "`continue` in a `switch` inside of `do ... while (0)`"
        ctx.out.append(ir.Refused(ReasonCode.IRREGULAR_CONTROL_FLOW, message, ctx.place(node)))
        return
    ctx.regions.append(Region("break"))
    with ctx.scope():
        statements.lower_list(ctx, syntax.items(body), tail=True)
    ctx.regions.pop()


SHORT = 300
"""Syntax nodes of a loop that is gone through again when the effort is spent that is for larger ones."""


def _counted(ctx: Context, node: Node, header: Header, entered_with: Before) -> None:
    own_members.entered(ctx, header.parts)
    key = ctx.key()
    counter = program(key, f"k{key}", ir.Counter(key), 0, None)
    learned = ctx.learned.setdefault(id(node), Learned())
    if learned.setting:
        stored_pointers.forgotten(ctx)
    before, stored = dict(ctx.values), stored_pointers.known(ctx)
    unstable, reached = learned.unstable, learned.reached
    known, around = ctx.memory, ctx.steady
    ctx.reaching.entered.append(ctx.reaching.now)
    held, may_hold = frozenset[Symbol](), True  # read from memory before the loop as it seems to be: see `steady`
    inside, ctx.innermost = ctx.innermost, not any(syntax.holds_loops(part) for part in header.parts)
    ctx.forget_memory()
    inlined = ctx.inlined
    guessed = foresight.foreseen(ctx, header.parts, learned.names) - unstable
    if not ctx.innermost and not ctx.effort.is_spent:
        held = steady.foreseen(ctx, header.parts)
        ctx.hold(held, known, around)
    foretold = bool(held)
    short = sum(map(node_count, header.parts)) <= SHORT
    version, elsewhere = ctx.pointer_version, dict(ctx.pointers_stored)
    presumed = not learned.moving and foresight.reads_again(ctx, header.parts)
    for _ in range(MOST_ATTEMPTS):
        hurried = ctx.effort.is_overspent or (ctx.effort.is_spent and not short)
        if hurried:
            guessed = foresight.at_most(ctx, header.parts) - unstable
        ctx.values, ctx.inlined, begun = dict(before), inlined, len(ctx.reaching.every)
        ctx.reaching.now = dict(ctx.reaching.entered[-1])
        entered = ctx.pointer_version = ctx.pointer_version + (learned.moving or presumed)
        stored_pointers.entered(ctx, stored)
        ctx.unsteady |= {key} if learned.moving or presumed else set()
        ctx.setting_pointers |= {key} if learned.resetting else set()
        ctx.taken_to_stay.discard(key)
        spans = len(ctx.ranges)
        holders = _placeholders(ctx, node, header, counter, unstable | guessed, reached)
        lowered = _attempt(ctx, header, key, counter)
        asked = foretold or (may_hold and not hurried)
        deciding = steady.deciding(holders, lowered) if asked else frozenset[Symbol]()
        if steady.left_alone(held, lowered, key) != held or (foretold and not ctx.kept(held) <= deciding):
            held, may_hold, foretold = frozenset(), foretold, False
            ctx.hold((), known, around)
            continue
        foretold = False
        if fresh := steady.left_alone(steady.read_inside(deciding, key), lowered, key):
            held, may_hold = held | fresh, not held
            ctx.hold(held, known, around)
            continue
        moved = ctx.pointer_version != entered
        if moved and key in ctx.taken_to_stay:
            learned.resetting = True
            continue
        if not stored_pointers.are_kept(ctx, stored, before, (ctx.values, *lowered.continues, *lowered.breaks)):
            learned.setting, ctx.values = True, before
            stored_pointers.forgotten(ctx)
            before, stored = dict(ctx.values), frozenset()
            continue
        outdated = moved and _is_outdated(ctx, before, header, lowered.block, entered - presumed)
        outdated |= moved and key not in ctx.unsteady and _has_read_ends(ctx, spans)
        learned.moving |= outdated
        if presumed and not outdated:
            presumed, ctx.pointer_version, ctx.pointers_stored = False, version, dict(elsewhere)
            ctx.unsteady.discard(key)
            continue
        outdated, presumed = outdated and not presumed, False
        wrong = frozenset[int]() if hurried else foresight.refuted(ctx, guessed, holders, lowered)
        guessed -= wrong
        missed = induction.unexpected_changes(ctx, holders, lowered, key, counter) if not wrong else set[int]()
        missed -= unstable | guessed
        walking = induction.moved_by_address(ctx, missed, holders, lowered)
        reached |= walking
        unstable |= missed - walking
        led = missed - walking
        led -= foresight.refuted(ctx, frozenset(led), holders, lowered)
        learned.names |= {v.name for v in ctx.visible() if v.key in led}
        settled = not wrong and not missed and not outdated
        if settled or ctx.effort.is_overspent:
            break
    unstable |= guessed
    ctx.reaching.inside[key] = (begun, len(ctx.reaching.every))
    ctx.innermost = inside
    ctx.reaching.entered.pop()
    ctx.hold((), known, around)
    ctx.last_loop = key
    if not settled:
        message = "the variables of this loop change in too many ways"
        lowered.block.append(ir.Refused(ReasonCode.TOO_COMPLEX, message, ctx.place(node)))
    _finish(ctx, node, header, key, counter, holders, lowered, entered_with)
    own_members.entered(ctx, header.parts)
    own_members.left(ctx, key)
    stored_pointers.left(ctx, before)
    if not settled:
        forgetting.everything(ctx, ctx.unit.end_line(node))


def _is_outdated(
    ctx: Context, before: dict[int, Value | None], header: Header, block: list[ir.Statement], version: int
) -> bool:
    """Whether a pointer that was read from memory before the loop is read there again inside of it, where the loop
    itself, or a call in it, may set it: `q = s->p; for (...) { s->p[i] = q[i]; s->p = r; }`. They are not the same."""
    held = foresight.read_pointers(ctx, before, header.parts, version)
    if not held:
        return False
    inner = (e for s in ir.statements(tuple(block)) for e in ir.evaluated(s) if isinstance(e, ir.Load))
    return any(isinstance(e.type, Pointer) and (e.access.object, e.access.field) in held for e in inner)


def _has_read_ends(ctx: Context, known: int) -> bool:
    """Whether the distance between pointers that were read from memory was asked for, beyond the `known` ones."""
    return any(isinstance(o, ir.Rows) for first, last, _ in [*ctx.ranges][known:] for o, _ in (first, last))


def _placeholders(
    ctx: Context, node: Node, header: Header, counter: Symbol, unstable: set[int], reached: set[int]
) -> list[Placeholder]:
    names, falling = syntax.assigned_names(*header.parts), syntax.falling_names(*header.parts)
    counting = names - falling - syntax.scaled_names(*header.parts)
    changed = [v for n in sorted(names) if (v := ctx.lookup(n)) is not None]
    changed += [v for v in ctx.visible() if v.key in unstable | reached and v not in changed]
    once = frozenset[str]() if ctx.labels else once_at_most(*header.parts)
    holders = []
    ctx.loops.append(counter.number)
    for variable in dict.fromkeys(changed):
        falls = variable.name not in names or variable.name in falling
        counts = variable.name in counting
        steps = counter if variable.name in once else None
        holder = induction.placeholder(ctx, variable, variable.key in unstable, falls, counts, steps, ctx.place(node))
        ctx.values[variable.key] = holder.value
        holders.append(holder)
    ctx.loops.pop()
    return holders


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
        known = test[0] if header.kind != "do" and not test[1] else ir.All(())
        with ctx.scope(), ctx.under(known):
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
    del ctx.leavings[jumps:]
    continues, breaks = ([j.values for j in left if j.kind == kind] for kind in ("continue", "break"))
    return Lowered(block, *test, start, entering, body_end, dict(ctx.values), continues, breaks)


def _test(ctx: Context, node: Node) -> tuple[ir.Predicate, tuple[ir.Wrap, ...]]:
    around, ctx.in_test = ctx.in_test, True
    with ctx.addressing():
        typed = expressions.lower(ctx, node)
    ctx.in_test = around
    ctx.out.append(ir.Evaluate(typed.expression, ctx.place(node), c_text(node), control=True))
    ctx.flush()
    known = typed.value.poly.constant if isinstance(typed.value, IntegerValue) else None
    if known:
        return ir.All(()), ()
    predicate, wraps = operators.truth(typed)
    return operators.modulo(predicate, typed.type) if typed.predicate is None else predicate, wraps


def _finish(
    ctx: Context,
    node: Node,
    header: Header,
    key: int,
    counter: Symbol,
    holders: list[Placeholder],
    lowered: Lowered,
    entered_with: Before,
    uneven: frozenset[int] = frozenset(),
) -> None:
    """Puts the counter in place of the variables that step evenly, and the loop into the IR. `uneven`: keys of those
    that are known to leave the range of their type, and start again at its other end."""
    steps = induction.even_steps(holders, lowered, key, counter, uneven)
    place = ctx.place(node)
    moving = {h.variable.key: h for h in holders if steps.get(h.variable.key, ZERO) != ZERO}
    circle = circular.circle(ctx, lowered, list(moving.values()), steps, key, header, place)
    if circle is not None:
        moving[circle.holder.variable.key] = circle.holder
        holders = [moving.get(h.variable.key, h) for h in holders]
    images = induction.values_in_iteration(holders, lowered, steps, counter)
    recurring = recurrence.recurrences([h for h in holders if h.variable.key not in steps], lowered, key)
    floating = None if header.kind == "do" else floats.counted(ctx, holders, lowered)
    if floating is not None and floating.exact:
        numbers = (floating.start, floating.step)
        recurring = (*recurring, ir.Recurrence(floating.variable, "even", None, None, None, numbers))
    images |= recurrence.values(ctx, recurring, holders, counter)
    growing = growing_steps.growing(ctx, holders, lowered, images, counter, header.kind != "do", uneven)
    images |= recurrence.values(ctx, growing, holders, counter)
    recurring += growing
    in_test = set(syntax.names_in(header.test))
    tested = frozenset(k for k, h in moving.items() if h.variable.name in in_test)
    substitution = Substitution(images, frozenset(moving), tested | uneven)
    body = substitution.body(tuple(lowered.block))
    spared = induction.spared(holders, lowered, steps)
    of_spared = {h.head: induction.start_of(h) for h in spared if h.head is not None}
    bounds: tuple[ir.Ratio, ...]
    if circle is not None:
        bounds, exact, of_limit = (circle.trip,), True, circle.wraps
    else:
        bounds, exact = _bounds(ctx, header, holders, lowered, steps, images | of_spared, counter)
        if floating is not None and not bounds:
            bounds, exact = (ir.Ratio(number(floating.trips)),), True
        test = Substitution(images | of_spared).predicate(lowered.test)
        of_limit = (*lowered.wraps, *(ranges.meeting(test, counter, moving, tested, place) if bounds else ()))
    at_least = 1 if header.kind == "do" and not _surely_runs(ctx, bounds) else 0
    of_test = tuple(substitution.wrap(w) for w in of_limit)
    of_steps = tuple(substitution.wrap(w) for w in ranges.step_conditions(holders, lowered, steps))
    values = ranges.values(moving, steps, counter, tested, lowered, circle is not None, substitution)
    conditions = ranges.conditions(moving, values, tested, place)
    outside = ranges.starts_outside(of_test, counter)
    leaving = frozenset[int]()
    if header.kind == "do" or not outside:  # where the first test fails, nothing steps anywhere
        leaving = ranges.leaving_range(moving, conditions, bounds, at_least, counter)
    leaving |= growing_steps.leaving_range(growing, bounds)
    if header.kind != "do" and circle is None and ranges.wraps_in_first_test(moving, lowered, steps):
        leaving |= tested
    if leaving:
        return _finish(ctx, node, header, key, counter, holders, lowered, entered_with, uneven | leaving)
    if outside:
        bounds = ()
    exact = exact and bool(bounds) and not trips.leaves_early(body, key)
    of_growth = growing_steps.conditions(ctx, growing, holders, lowered, counter, place)
    wraps = (*of_test, *conditions, *of_steps, *map(substitution.wrap, of_growth))
    loop = _made(ctx, node, header, counter, bounds, exact, at_least, body, wraps)
    if kept := induction.kept_values(ctx, holders, lowered, steps, loop):
        loop = replace(loop, body=Substitution(kept).body(loop.body))
    found = (induction.described(h, lowered, steps[k]) for k, h in moving.items())
    inductions = (replace(i, tested=None if i.tested is None else substitution.poly(i.tested)) for i in found)
    unchanged = ((h.variable.name, place.line) for h in spared if bounds)
    presumed = (*_presumed(ctx, key, bounds, body), *unchanged)
    loop = replace(loop, inductions=tuple(inductions), recurrences=recurring, presumed=presumed)
    asked = header.kind != "do" and not (bounds or lowered.wraps or ctx.entered)
    known = _tested(substitution.predicate(lowered.test)) if asked else ()
    loop = replace(loop, held=entered_with.held, pointers=entered_with.pointers, tested=known)
    loop = annotated(ctx, node, _with_variable(loop, header, moving, lowered, substitution))
    ctx.out.append(loop)
    circular_key = None if circle is None else circle.holder.variable.key
    induction.set_values_after(ctx, holders, lowered, steps, loop, circular_key)


def _tested(test: ir.Predicate) -> tuple[ir.Compare, ...]:
    """The comparisons that a test says, whatever else it asks."""
    parts = test.parts if isinstance(test, ir.All) else (test,)
    return tuple(p for p in parts if isinstance(p, ir.Compare) and p.relation == ">=")


def _made(
    ctx: Context,
    node: Node,
    header: Header,
    counter: Symbol,
    bounds: tuple[ir.Ratio, ...],
    exact: bool,
    at_least: int,
    body: tuple[ir.Statement, ...],
    wraps: tuple[ir.Wrap, ...],
) -> ir.Loop:
    """The loop, before anything is said of variables."""
    place = ctx.place(node)
    return ir.Loop(
        key=counter.number,
        counter=counter,
        kind=header.kind,
        place=place,
        end_line=max(ctx.unit.end_line(node), place.line),
        trip=bounds or None,
        exact_trip=exact,
        variable=None,
        first=None,
        last=None,
        step=None,
        body=body,
        wraps=wraps,
        at_least=at_least,
        inlined=bool(ctx.calls),
        compiled_calls=tuple(ctx.compiled_calls.get(counter.number, {}).values()),
    )


def _surely_runs(ctx: Context, bounds: tuple[ir.Ratio, ...]) -> bool:
    """Whether a condition around a `do` loop says what its bounds leave open: `if (n > 0) do {...} while (++i < n)`."""
    return bool(bounds) and all(trips.holds(ctx.guards, r.numerator - 1) for r in bounds)


def _bounds(
    ctx: Context,
    header: Header,
    holders: list[Placeholder],
    lowered: Lowered,
    steps: dict[int, Poly],
    images: dict[Symbol, Poly],
    counter: Symbol,
) -> tuple[tuple[ir.Ratio, ...], bool]:
    """The trip count from variables that step evenly, that start at a number, or at least from how slowly one moves."""
    key, after_body = counter.number, header.kind == "do"

    def found(values: dict[Symbol, Poly]) -> tuple[tuple[ir.Ratio, ...], bool]:
        test = Substitution(values).predicate(lowered.test)
        return trips.ratios(test, counter, key, after_body, lambda a, b: _steps(ctx, a, b), ctx.guards)

    bounds, exact = found(images)
    if not bounds:
        bounds, exact = evolution.trip(holders, lowered, after_body)
    slowest = {} if bounds else evolution.slowest(holders, lowered, steps, counter)
    return (found(images | slowest)[0], False) if slowest else (bounds, exact)


def _steps(ctx: Context, distance: Poly, width: Poly) -> Poly:
    """The symbol for the number of steps of a symbolic width; it is the same in the loops around that neither value
    varies in."""
    reads = any(isinstance(s.origin, ir.Loaded) for s in distance.symbols | width.symbols)
    varying = (k for k in ctx.loops if reads or computed_in(distance, k) or computed_in(width, k))
    origin = ir.Computed("steps", ctx.definition.place, tuple(varying), ir.Steps(distance, width))
    return symbol(replace(ctx.new_symbol(f"({distance})/({width})", origin), low=0))


def _presumed(
    ctx: Context, key: int, bounds: tuple[ir.Ratio, ...], body: tuple[ir.Statement, ...]
) -> tuple[tuple[str, int], ...]:
    """Of the globals, and the integers in memory, that stores through pointers are taken to spare: those that bounds
    and subscripts use."""
    lines, spared = ctx.presumed.get(key, {}), ctx.spared.get(key, {})
    if not lines and not spared:
        return ()
    polys = [r.numerator for r in bounds]
    for statement in ir.statements(body):
        polys += ir.polynomials(statement)
    symbols = ir.nested_symbols(s for p in polys for s in p.symbols)
    entries = {s.origin.variable for s in symbols if isinstance(s.origin, ir.Entry)}
    named = {(v.name, lines[v.key]) for v in entries if v.key in lines}
    return tuple(sorted(named | {(s.name, spared[s]) for s in symbols if s in spared}))


def _with_variable(
    loop: ir.Loop, header: Header, moving: dict[int, Placeholder], lowered: Lowered, substitution: Substitution
) -> ir.Loop:
    """Names the variable that the test is about, with its values entering the body."""
    by_name = {h.variable.name: h for h in moving.values()}
    names = [*syntax.names_in(header.test), *syntax.assigned_names(header.update)]
    chosen = next((by_name[n] for n in names if n in by_name), None)
    if chosen is None:
        return loop
    value = lowered.entering.get(chosen.variable.key)
    if not isinstance(value, IntegerValue):
        return replace(loop, variable=chosen.variable.name)
    entering = substitution.poly(value.poly)
    last = trips.last_iteration(loop.trip) if loop.exact_trip else None
    return replace(
        loop,
        variable=chosen.variable.name,
        first=entering.substitute({loop.counter: ZERO}),
        last=None if last is None else entering.substitute({loop.counter: last}),
        step=entering.coefficient(loop.counter),
    )
