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
from . import (
    attempts,
    growing_steps,
    headers,
    induction,
    own_members,
    ranges,
    repeated_getters,
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
    recurrences as recurrence,
)
from . import (
    uneven_steps as evolution,
)
from . import (
    wrapping_loops as circular,
)
from .annotations import annotated
from .context import Context, Region
from .headers import Header
from .induction import Lowered, Placeholder
from .substitute import Substitution
from .values import IntegerValue

Node: TypeAlias = c_ast.Node


class Before(Struct, frozen=True):
    """What the variables that a loop names hold before it, and members of structures: see `ir.Loop.held`,
    `ir.Loop.members` and `ir.Loop.pointers`."""

    held: tuple[tuple[Poly, ir.Variable], ...] = ()
    members: tuple[tuple[Poly, str], ...] = ()
    pointers: tuple[ir.Variable, ...] = ()


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
            if not ctx.calls and not syntax.names_with_changed_members(node.init):
                entered_with = replace(entered_with, members=own_members.numbers(ctx))
        _counted(ctx, node, headers.header(node), entered_with)


def _before(ctx: Context, node: Node) -> Before:
    """Of loops of inlined callees nobody asks."""
    if ctx.calls:
        return Before()
    own_members.read_by_value(ctx, node)
    named = [v for name in dict.fromkeys(syntax.names_in(node)) if (v := ctx.lookup(name)) is not None]
    known = ((ctx.known(v), v) for v in named)
    held = tuple((x.poly, v) for x, v in known if isinstance(x, IntegerValue) and x.poly.constant is None)
    pointers = tuple(replace(v, type=Void()) for v in named if isinstance(v.type, Pointer))
    return Before(held, own_members.numbers(ctx), pointers)


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


class Raw(Struct, frozen=True):
    """A loop as it was lowered, with placeholders for the variables that it changes."""

    node: Node
    header: Header
    counter: Symbol
    holders: list[Placeholder]
    lowered: Lowered
    entered_with: Before

    @property
    def key(self) -> int:
        return self.counter.number

    @property
    def tests_last(self) -> bool:
        """Whether the first iteration is done whatever the test says."""
        return self.header.kind == "do"


def _counted(ctx: Context, node: Node, header: Header, entered_with: Before) -> None:
    own_members.entered(ctx, header.parts)
    repeated_getters.noted(ctx, node)
    key = ctx.key()
    counter = program(key, f"k{key}", ir.Counter(key), 0, None)
    made = attempts.settled(ctx, node, header, counter)
    ctx.last_loop = key
    if not made.settled:
        message = "the variables of this loop change in too many ways"
        made.lowered.block.append(ir.Refused(ReasonCode.TOO_COMPLEX, message, ctx.place(node)))
    _finish(ctx, Raw(node, header, counter, made.holders, made.lowered, entered_with))
    own_members.entered(ctx, header.parts)
    own_members.left(ctx, key)
    stored_pointers.left(ctx, made.before)
    if not made.settled:
        forgetting.everything(ctx, ctx.unit.end_line(node))


class Moves(Struct, frozen=True):
    """What the variables of a loop do from one iteration to the next, by their keys."""

    holders: list[Placeholder]
    steps: dict[int, Poly]
    moving: dict[int, Placeholder]
    """Those that step evenly, and not by zero."""
    circle: circular.Circle | None
    floating: floats.Counted | None
    recurring: tuple[ir.Recurrence, ...]
    growing: tuple[ir.Recurrence, ...]
    """Those of `recurring` whose steps grow evenly."""
    images: dict[Symbol, Poly]
    """The values in an iteration, in place of the placeholders."""
    tested: frozenset[int]
    """Those of `moving` that the test is about."""

def _moves(ctx: Context, raw: Raw, uneven: frozenset[int]) -> Moves:
    holders, lowered, counter, key = raw.holders, raw.lowered, raw.counter, raw.key
    steps = induction.even_steps(holders, lowered, key, counter, uneven)
    moving = {h.variable.key: h for h in holders if steps.get(h.variable.key, ZERO) != ZERO}
    circle = circular.circle(ctx, lowered, list(moving.values()), steps, key, raw.header, ctx.place(raw.node))
    if circle is not None:
        moving[circle.holder.variable.key] = circle.holder
        holders = [moving.get(h.variable.key, h) for h in holders]
    images = induction.values_in_iteration(holders, lowered, steps, counter)
    recurring = recurrence.recurrences([h for h in holders if h.variable.key not in steps], lowered, key)
    floating = None if raw.tests_last else floats.counted(ctx, holders, lowered)
    if floating is not None and floating.exact:
        numbers = (floating.start, floating.step)
        recurring = (*recurring, ir.Recurrence(floating.variable, "even", None, None, None, numbers))
    images |= recurrence.values(ctx, recurring, holders, counter)
    growing = growing_steps.growing(ctx, holders, lowered, images, counter, not raw.tests_last, uneven)
    images |= recurrence.values(ctx, growing, holders, counter)
    in_test = set(syntax.names_in(raw.header.test))
    tested = frozenset(k for k, h in moving.items() if h.variable.name in in_test)
    recurring += growing
    return Moves(holders, steps, moving, circle, floating, recurring, growing, images, tested)


def _finish(ctx: Context, raw: Raw, uneven: frozenset[int] = frozenset()) -> None:
    """Puts the counter in place of the variables that step evenly, and the loop into the IR. `uneven`: keys of those
    that are known to leave the range of their type, and start again at its other end."""
    moves, lowered, counter, place = _moves(ctx, raw, uneven), raw.lowered, raw.counter, ctx.place(raw.node)
    moving, holders, steps = moves.moving, moves.holders, moves.steps
    substitution = Substitution(moves.images, frozenset(moving), moves.tested | uneven)
    body = substitution.body(tuple(lowered.block))
    bounds, exact, of_limit = _trip(ctx, raw, moves)
    at_least = _at_least(ctx, raw, bounds, exact)
    of_test = tuple(substitution.wrap(w) for w in of_limit)
    of_steps = tuple(substitution.wrap(w) for w in ranges.step_conditions(holders, lowered, steps))
    values = ranges.values(moving, steps, counter, moves.tested, lowered, moves.circle is not None, substitution)
    conditions = ranges.conditions(moving, values, moves.tested, place)
    outside = ranges.starts_outside(of_test, counter)
    leaving = growing_steps.leaving_range(moves.growing, bounds)
    if raw.tests_last or not outside:  # where the first test fails, nothing steps anywhere
        leaving |= ranges.leaving_range(moving, conditions, bounds, at_least, counter)
    if not raw.tests_last and moves.circle is None and ranges.wraps_in_first_test(moving, lowered, steps):
        leaving |= moves.tested
    if leaving:
        return _finish(ctx, raw, uneven | leaving)
    if outside:
        bounds = ()
    exact = exact and bool(bounds) and not trips.leaves_early(body, raw.key)
    at_least = _at_least(ctx, raw, bounds, exact)
    of_growth = growing_steps.conditions(ctx, moves.growing, holders, lowered, counter, place)
    wraps = (*of_test, *conditions, *of_steps, *map(substitution.wrap, of_growth))
    loop = _made(ctx, raw, bounds, exact, at_least, body, wraps)
    kept = induction.kept_values(ctx, holders, lowered, steps, loop)
    others = [h for h in holders if h.variable.key not in steps and h.head not in moves.images and h.head not in kept]
    walks = evolution.walks(ctx, others, lowered)
    if kept := kept | evolution.come_so_far(ctx, walks, loop):
        loop = replace(loop, body=Substitution(kept).body(loop.body))
    loop = _described(ctx, raw, moves, loop, substitution, body)
    ctx.out.append(loop)
    circular_key = None if moves.circle is None else moves.circle.holder.variable.key
    induction.set_values_after(ctx, holders, lowered, steps, loop, circular_key)
    for variable, value in evolution.come_to(ctx, walks, lowered, loop).items():
        ctx.values[variable] = value


def _described(
    ctx: Context, raw: Raw, moves: Moves, loop: ir.Loop, substitution: Substitution, body: tuple[ir.Statement, ...]
) -> ir.Loop:
    """The loop with what is known of its variables. `body`: before values were put in that an iteration keeps."""
    lowered, bounds = raw.lowered, loop.trip or ()
    found = (induction.described(h, lowered, moves.steps[k]) for k, h in moves.moving.items())
    inductions = (replace(i, tested=None if i.tested is None else substitution.poly(i.tested)) for i in found)
    spared = induction.spared(moves.holders, lowered, moves.steps) if bounds else ()
    unchanged = ((h.variable.name, loop.place.line) for h in spared)
    presumed = (*_presumed(ctx, raw.key, bounds, body), *unchanged)
    asked = not (raw.tests_last or bounds or lowered.wraps or ctx.entered)
    known = _tested(substitution.predicate(lowered.test)) if asked else ()
    loop = replace(
        loop,
        inductions=tuple(inductions),
        recurrences=moves.recurring,
        presumed=presumed,
        held=raw.entered_with.held,
        members=raw.entered_with.members,
        pointers=raw.entered_with.pointers,
        tested=known,
    )
    return annotated(ctx, raw.node, _with_variable(loop, raw.header, moves.moving, lowered, substitution))


def _tested(test: ir.Predicate) -> tuple[ir.Compare, ...]:
    """The comparisons that a test says, whatever else it asks."""
    parts = test.parts if isinstance(test, ir.All) else (test,)
    return tuple(p for p in parts if isinstance(p, ir.Compare) and p.relation == ">=")


def _made(
    ctx: Context,
    raw: Raw,
    bounds: tuple[ir.Ratio, ...],
    exact: bool,
    at_least: int,
    body: tuple[ir.Statement, ...],
    wraps: tuple[ir.Wrap, ...],
) -> ir.Loop:
    """The loop, before anything is said of variables."""
    place = ctx.place(raw.node)
    return ir.Loop(
        key=raw.key,
        counter=raw.counter,
        kind=raw.header.kind,
        place=place,
        end_line=max(ctx.unit.end_line(raw.node), place.line),
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
        compiled_calls=tuple(ctx.compiled_calls.get(raw.key, {}).values()),
    )


def _at_least(ctx: Context, raw: Raw, bounds: tuple[ir.Ratio, ...], exact: bool) -> int:
    """Iterations that there are in any case, where the trip count alone does not say so."""
    return 1 if raw.tests_last and not (exact and _surely_runs(ctx, bounds)) else 0


def _surely_runs(ctx: Context, bounds: tuple[ir.Ratio, ...]) -> bool:
    """Whether a condition around a `do` loop says what its bounds leave open: `if (n > 0) do {...} while (++i < n)`."""
    return bool(bounds) and all(trips.holds(ctx.guards, r.numerator - 1) for r in bounds)


def _trip(ctx: Context, raw: Raw, moves: Moves) -> tuple[tuple[ir.Ratio, ...], bool, tuple[ir.Wrap, ...]]:
    """Bounds of the trip count, whether they are it, and what must hold for that."""
    if moves.circle is not None:
        return (moves.circle.trip,), True, moves.circle.wraps
    spared = induction.spared(moves.holders, raw.lowered, moves.steps)
    images = moves.images | {h.head: induction.start_of(h) for h in spared if h.head is not None}
    bounds, exact = _bounds(ctx, raw, moves, images)
    if moves.floating is not None and not bounds:
        bounds, exact = (ir.Ratio(number(moves.floating.trips)),), True
    test = Substitution(images).predicate(raw.lowered.test)
    met = ranges.meeting(test, raw.counter, moves.moving, moves.tested, ctx.place(raw.node)) if bounds else ()
    return bounds, exact, (*raw.lowered.wraps, *met)


def _bounds(
    ctx: Context, raw: Raw, moves: Moves, images: dict[Symbol, Poly]
) -> tuple[tuple[ir.Ratio, ...], bool]:
    """The trip count from variables that step evenly, that start at a number, or at least from how slowly one moves."""

    def found(values: dict[Symbol, Poly]) -> tuple[tuple[ir.Ratio, ...], bool]:
        test = Substitution(values).predicate(raw.lowered.test)
        return trips.ratios(test, raw.counter, raw.key, raw.tests_last, lambda a, b: _steps(ctx, a, b), ctx.guards)

    bounds, exact = found(images)
    if not bounds:
        bounds, exact = evolution.trip(moves.holders, raw.lowered, raw.tests_last)
    slowest = {} if bounds else evolution.slowest(moves.holders, raw.lowered, moves.steps, raw.counter)
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
