"""The body of a loop, lowered with what is foreseen of the loop, and again where that does not come true.

Three things are foreseen, and each is looked at in the body that came out:

*memory*      which integers in memory no iteration changes: they are read before the loop (`invariant_loads`);
*pointers*    whether pointers in memory stay as they are, while copies of them are in use (`pointer_versions`);
*variables*   which of them cannot be followed from one iteration to the next (`assigned`).

What was wrong is remembered for the loop (`Learned`), since a loop inside another one is lowered as often as that one.
"""

from typing import TypeAlias

from msgspec import Struct
from pycparser import c_ast

from ..ir import nodes as ir
from ..ir.polynomials import Symbol
from ..source.ctypes import Pointer
from ..source.nodes import node_count
from . import (
    assigned as foresight,
)
from . import (
    expressions,
    induction,
    operators,
    statements,
    stored_pointers,
    syntax,
    uneven_steps,
)
from . import (
    invariant_loads as steady,
)
from .c_text import c_text
from .context import Context, Learned, Region
from .counted_steps import once_at_most
from .headers import Header
from .induction import Lowered, Placeholder
from .values import IntegerValue, Value

Node: TypeAlias = c_ast.Node

MOST_ATTEMPTS = 7
"""The five things that can turn out to be wrong once, and two for variables that were missed."""

SHORT = 300
"""Syntax nodes of a loop that is gone through again when the effort is spent that is for larger ones."""


class Settled(Struct, frozen=True):
    """A body in which everything is as it was foreseen, but for `settled`: False where no attempt came so far."""

    before: dict[int, Value | None]
    """What the variables hold before the loop."""
    holders: list[Placeholder]
    lowered: Lowered
    settled: bool


def settled(ctx: Context, node: Node, header: Header, counter: Symbol) -> Settled:
    """Lowers the loop as often as it takes, at most `MOST_ATTEMPTS` times."""
    attempts = _Attempts(ctx, node, header, counter)
    came_true = False
    for _ in range(MOST_ATTEMPTS):
        hurried = attempts.is_hurried()
        attempts.begin(hurried)
        if attempts.memory_was_wrong(hurried) or attempts.pointers_were_wrong():
            continue
        came_true = attempts.variables_came_true(hurried)
        if came_true or ctx.effort.is_overspent:
            break
    attempts.end()
    return Settled(attempts.before, attempts.holders, attempts.lowered, came_true)


class _Attempts:
    """What the next attempt takes to be so, and what came out of the last one."""

    def __init__(self, ctx: Context, node: Node, header: Header, counter: Symbol) -> None:
        self.ctx, self.node, self.header, self.counter, self.key = ctx, node, header, counter, counter.number
        self.learned = learned = ctx.learned.setdefault(id(node), Learned())
        if learned.setting:
            stored_pointers.forgotten(ctx)
        self.before, self.stored = dict(ctx.values), stored_pointers.known(ctx)
        self.memory, self.steady = ctx.memory, ctx.steady
        ctx.reaching.entered.append(ctx.reaching.now)
        self.around_is_innermost = ctx.innermost
        ctx.innermost = not any(syntax.holds_loops(part) for part in header.parts)
        ctx.forget_memory()
        self.inlined = ctx.inlined
        self.guessed = foresight.foreseen(ctx, header.parts, learned.names) - learned.unstable
        self.held, self.may_hold = frozenset[Symbol](), True
        if not ctx.innermost and not ctx.effort.is_spent:
            self._hold(steady.foreseen(ctx, header.parts))
        self.foretold = bool(self.held)
        """What is held is so far known from the syntax only."""
        self.is_short = sum(map(node_count, header.parts)) <= SHORT
        self.version, self.elsewhere = ctx.pointer_version, dict(ctx.pointers_stored)
        self.presumed = not learned.moving and foresight.reads_again(ctx, header.parts)
        """Pointers in memory are taken to be set while copies of the old ones are in use: the syntax says so."""

    def is_hurried(self) -> bool:
        """Whether this attempt should be the last one: the effort for the function is spent."""
        effort = self.ctx.effort
        return effort.is_overspent or (effort.is_spent and not self.is_short)

    def begin(self, hurried: bool) -> None:
        """Lowers the loop with what is taken to be so."""
        ctx, learned = self.ctx, self.learned
        if hurried:
            self.guessed = foresight.at_most(ctx, self.header.parts) - learned.unstable
        ctx.values, ctx.inlined, self.definitions = dict(self.before), self.inlined, len(ctx.reaching.every)
        ctx.reaching.now = dict(ctx.reaching.entered[-1])
        sets_pointers = learned.moving or self.presumed
        self.entered = ctx.pointer_version = ctx.pointer_version + sets_pointers
        stored_pointers.entered(ctx, self.stored)
        ctx.unsteady |= {self.key} if sets_pointers else set()
        ctx.setting_pointers |= {self.key} if learned.resetting else set()
        ctx.taken_to_stay.discard(self.key)
        self.spans = len(ctx.ranges)
        not_followed = learned.unstable | self.guessed
        self.holders = _placeholders(ctx, self.node, self.header, self.counter, not_followed, learned.reached)
        self.lowered = _attempt(ctx, self.header, self.key, self.counter)

    def memory_was_wrong(self, hurried: bool) -> bool:
        """Whether other integers in memory should be held than were; the next attempt does."""
        lowered, held = self.lowered, self.held
        asked = self.foretold or (self.may_hold and not hurried)
        deciding = steady.deciding(self.holders, lowered) if asked else frozenset[Symbol]()
        changes = steady.left_alone(held, lowered, self.key) != held
        if changes or (self.foretold and not self.ctx.kept(held) <= deciding):
            self.may_hold, self.foretold = self.foretold, False
            self._hold(frozenset())
            return True
        self.foretold = False
        fresh = steady.left_alone(steady.read_inside(deciding, self.key), lowered, self.key)
        if fresh:
            self.may_hold = not held
            self._hold(held | fresh)
        return bool(fresh)

    def _hold(self, read: frozenset[Symbol]) -> None:
        """`read`: integers read from memory inside of the loop as if it had been before it."""
        self.held = read
        self.ctx.hold(read, self.memory, self.steady)

    def pointers_were_wrong(self) -> bool:
        """Whether the loop sets pointers in memory that were taken to stay, or none of those it was taken to set."""
        ctx, learned, lowered = self.ctx, self.learned, self.lowered
        moved = ctx.pointer_version != self.entered
        if moved and self.key in ctx.taken_to_stay:
            learned.resetting = True
            return True
        ends = (ctx.values, *lowered.continues, *lowered.breaks)
        if not stored_pointers.are_kept(ctx, self.stored, self.before, ends):
            learned.setting, ctx.values = True, self.before
            stored_pointers.forgotten(ctx)
            self.before, self.stored = dict(ctx.values), frozenset()
            return True
        since = self.entered - self.presumed
        outdated = moved and _is_outdated(ctx, self.before, self.header, lowered.block, since)
        outdated |= moved and self.key not in ctx.unsteady and _has_read_ends(ctx, self.spans)
        learned.moving |= outdated
        foreseen, self.presumed = self.presumed, False
        if foreseen and not outdated:
            ctx.pointer_version, ctx.pointers_stored = self.version, dict(self.elsewhere)
            ctx.unsteady.discard(self.key)
        return foreseen != outdated

    def variables_came_true(self, hurried: bool) -> bool:
        """Whether every variable goes on as it was taken to; what did not is remembered."""
        ctx, learned, holders, lowered = self.ctx, self.learned, self.holders, self.lowered
        wrong = frozenset[int]() if hurried else foresight.refuted(ctx, self.guessed, holders, lowered)
        if wrong:
            self.guessed -= wrong
            return False
        missed = induction.unexpected_changes(ctx, holders, lowered, self.key, self.counter)
        missed -= learned.unstable | self.guessed | uneven_steps.walking(holders, lowered)
        walking = induction.moved_by_address(ctx, missed, holders, lowered)
        learned.reached |= walking
        lost = missed - walking
        learned.unstable |= lost
        led = lost - foresight.refuted(ctx, frozenset(lost), holders, lowered)
        learned.names |= {v.name for v in ctx.visible() if v.key in led}
        return not missed

    def end(self) -> None:
        """Behind the loop, with what the last attempt made of it."""
        ctx = self.ctx
        self.learned.unstable |= self.guessed
        ctx.reaching.inside[self.key] = (self.definitions, len(ctx.reaching.every))
        ctx.innermost = self.around_is_innermost
        ctx.reaching.entered.pop()
        ctx.hold((), self.memory, self.steady)


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
