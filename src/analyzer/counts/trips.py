"""How often a loop runs: its trip count, and how often it is entered per call of its function."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import takewhile
from typing import assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from models.expr import num
from models.expr.nodes import remembered

from ..base.places import Place
from ..dependence.supposed import supposed, supposed_of_branch
from ..facts.loop import Assumption, Count
from ..ir.nodes import Assign, Branch, Computed, Evaluate, Exit, Function, Loop, Refused, Statement, statements
from ..ir.polynomials import Symbol
from ..ir.reasons import ReasonCode
from ..ir.symbols import Kind, numbered
from ..polyhedra.effort import MOST_STEPS, Effort, TooMuchWorkError
from ..polyhedra.summation import Piece
from . import totals
from .nest import Nest, after, prepare
from .scopes import Scope


def trip_count(nest: Nest) -> Count | None:
    """Iterations of the loop alone, in terms of the C variables of the loops around it; None when not
    known."""
    body = nest.bodies.get(nest.loop.key)
    if nest.loop.trip is None or body is None:
        return None
    pieces = list(body.runs)
    if any(s.kind is Kind.TRIP for p in pieces for s in p.value.poly.symbols):
        return None
    return totals.count(nest, pieces)


def iterations(nest: Nest) -> Count:
    """Executions of the innermost bodies."""
    pieces: list[Piece] = []
    for scope in nest.innermost:
        pieces += scope.runs
    return totals.count(nest, pieces, complete=not (nest.refused or nest.hides_loops))


class Starts(Struct):
    """In which scope of the nest of an outermost loop each loop inside starts, by its key; those that are missing were
    too much work. `nest`: none of its statements is counted."""

    nest: Nest
    scopes: dict[int, Scope] = field(default_factory=dict)
    foreign: dict[str, Symbol] = field(default_factory=dict)
    counted: dict[int, Count] = field(default_factory=dict)

    def runs(self, key: int) -> Count:
        """How often a loop inside is entered in one run of the outermost."""
        if key not in self.counted:
            self.counted[key] = totals.count(self.nest, list(self.scopes[key].runs))
        return self.counted[key]

    def size(self, name: str) -> Symbol:
        """The symbol of a name in formulas: the nest's own, or one for names that the loops around do not ask for. Of
        what they ask for all is named first, so that a name means the same whoever has asked before."""
        with suppress(TooMuchWorkError):
            for key in [key for key in self.scopes if key not in self.counted]:
                self.runs(key)
        own = self.nest.formulas.names.get(name)
        if own is not None:
            return own
        fresh = numbered(Kind.NAMED, len(self.foreign), name, Computed(name, Place("", 0)), 0)
        return self.foreign.setdefault(name, fresh)


def executions(function: Function, loop: Loop, around: tuple[Loop, ...]) -> Count | None:
    """How often the loop is entered per call: the product of the trip counts around it, their sum where
    they depend on each other. Conditions between the loops count with their weights; with one around all loops the
    number is a bound, as if it held. What was supposed on the way, and is no condition of the loop itself, is named.
    Raises TooMuchWorkError where the way to the loop takes too many steps."""
    outermost = around[0] if around else loop
    counted = _once(function, outermost)
    if around:
        counted = _in_nest(counted, outermost, loop)
    if not function.supposing:
        return counted
    said = (f"{a.kind}({a.text})" for a in _supposed_on_the_way(function, loop, outermost))
    return replace(counted, assumptions=tuple(dict.fromkeys((*counted.assumptions, *said))))


def _in_nest(once: Count, outermost: Loop, loop: Loop) -> Count:
    """How often a loop inside the outermost is entered, if that is entered `once`."""
    starts = starts_of(outermost)
    if loop.key not in starts.scopes:
        raise TooMuchWorkError
    counted = starts.runs(loop.key)
    if once.exact:
        return counted
    high = counted.expr if counted.exact else counted.high
    return Count(counted.expr, num(0), None if once.high is None else high, False, counted.assumptions)


def _supposed_on_the_way(function: Function, loop: Loop, outermost: Loop) -> Iterator[Assumption]:
    """Branches before the nest that were taken not to be entered, and all that was supposed in the nest around the
    loop: its counts hold where that does."""
    for statement in takewhile(lambda s: s is not outermost, function.body):
        yield from _supposed_in(statement)
    yield from (a for a in supposed(outermost) if a not in supposed(loop))


@remembered("_supposed_in")
def _supposed_in(statement: Statement) -> tuple[Assumption, ...]:
    """That branches in it, or itself, are not entered: the nests behind a statement ask for it one by one."""
    return tuple(dict.fromkeys(a for s in statements((statement,)) for a in supposed_of_branch(s)))


@remembered("_starts")
def starts_of(outermost: Loop) -> Starts:
    """Worked out once: the loops of one nest are asked for one by one, and the ways to them begin alike."""
    alone = Function("", outermost.place, (outermost,), (), False)
    starts = Starts(prepare(alone, outermost, (), Effort(MOST_STEPS)))
    with suppress(TooMuchWorkError):
        _walk(starts, outermost.body, starts.nest.scopes.inside(starts.nest.entry, outermost))
    return starts


def _walk(starts: Starts, body: tuple[Statement, ...], scope: Scope) -> None:
    """Finds the scopes of the loops in a body that runs in `scope`."""
    scopes = starts.nest.scopes
    left = sum(map(_has_loops, body))
    for statement in body:
        if not left:
            return
        left -= _has_loops(statement)
        if isinstance(statement, Loop):
            starts.scopes.setdefault(statement.key, scope)
            if any(map(_has_loops, statement.body)):
                _walk(starts, statement.body, scopes.inside(scope, statement))
        elif isinstance(statement, Branch):
            for arm, holds in ((statement.then, True), (statement.otherwise, False)):
                if any(map(_has_loops, arm)):
                    within = scopes.when(scope, statement.predicate, statement.place, holds, id(statement))
                    _walk(starts, arm, within)
            if left:
                scope = after(scopes, statement, scope)


@remembered("_has_loops")
def _has_loops(statement: Statement) -> bool:
    match statement:
        case Loop():
            return True
        case Branch(then=then, otherwise=otherwise):
            return any(map(_has_loops, then)) or any(map(_has_loops, otherwise))
        case Assign() | Evaluate() | Exit() | Refused():
            return False
        case _:
            assert_never(statement)


def _once(function: Function, loop: Loop) -> Count:
    """One entry per call; at most one under a condition, or where something before it may leave the function; any
    number where a jump may lead back."""
    reached = id(loop) in _surely_reached(function)
    if _may_come_back(function):
        return Count(num(1), num(int(reached)), None, False)
    return Count(num(1)) if reached else Count(num(1), num(0), num(1), False)


@remembered("_may_come_back")
def _may_come_back(function: Function) -> bool:
    """Whether control is not followed everywhere: a `goto` may lead to what stands before it."""
    refused = (s.code for s in statements(function.body) if isinstance(s, Refused))
    return ReasonCode.IRREGULAR_CONTROL_FLOW in refused


@remembered("_surely_reached")
def _surely_reached(function: Function) -> frozenset[int]:
    """The statements under no condition before which none may leave the function, by their `id`."""
    found: list[int] = []
    for statement in function.body:
        found.append(id(statement))
        if any(_leaves_the_function(s) for s in statements((statement,))):
            break
    return frozenset(found)


def _leaves_the_function(statement: Statement) -> bool:
    return isinstance(statement, Exit) and statement.kind in ("return", "goto")
