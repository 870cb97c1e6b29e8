"""How often a loop runs: its trip count, and how often it is entered per call of its function."""

from itertools import count
from typing import TypeAlias

from models.expr import num
from models.expr.nodes import remembered

from ..facts import Count
from ..loops.ir import Branch, Exit, Function, Loop, Statement, statements
from ..polyhedra.effort import Effort
from ..polyhedra.summation import Piece
from . import totals
from .nest import Nest, after, prepare
from .scopes import Scope, Scopes

Step: TypeAlias = tuple[tuple[Statement, ...], int, bool]
"""A statement, as a block and a place in it; of a branch, which arm of it."""


def trip_count(nest: Nest) -> Count | None:
    """Iterations of the loop alone, in terms of the C variables of the loops around it; None when not
    known."""
    body = nest.bodies.get(nest.loop.key)
    if nest.loop.trip is None or body is None:
        return None
    pieces = list(body.runs)
    trip = nest.scopes.weights.kinds
    if any(trip.get(s) == "trip" for p in pieces for s in p.value.poly.symbols):
        return None
    return totals.count(nest, pieces)


def iterations(nest: Nest) -> Count:
    """Executions of the innermost bodies."""
    pieces: list[Piece] = []
    for scope in nest.innermost:
        pieces += scope.runs
    return totals.count(nest, pieces, complete=not nest.refused)


def executions(
    function: Function, loop: Loop, around: tuple[Loop, ...], effort: Effort | None = None
) -> Count | None:
    """How often the loop is entered per call: the product of the trip counts around it, their sum where
    they depend on each other. Conditions between the loops count with their weights; with one around all loops the
    number is a bound, as if it held."""
    outermost = around[0] if around else loop
    once = _once(function, outermost)
    if not around:
        return once
    nest = prepare(function, outermost, (), effort)
    scope = nest.scopes.inside(nest.entry, outermost)
    for outer, inner in zip(around, (*around[1:], loop), strict=True):
        found = _reached(nest.scopes, outer.body, inner, scope)
        if found is None:
            return None
        scope = found if inner is loop else nest.scopes.inside(found, inner)
    counted = totals.count(nest, list(scope.runs))
    return counted if once.exact or not counted.exact else Count(counted.expr, num(0), counted.expr, False)


def _once(function: Function, loop: Loop) -> Count:
    """One entry per call; at most one under a condition, or where something before it may leave the function."""
    return Count(num(1)) if id(loop) in _surely_reached(function) else Count(num(1), num(0), num(1), False)


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


def _reached(scopes: Scopes, body: tuple[Statement, ...], loop: Loop, scope: Scope) -> Scope | None:
    """The scope in which `loop` starts, somewhere in `body` (not inside another loop)."""
    way = _way(body, loop)
    for block, at, holds in way or ():
        keys = count(-1, -1)
        for statement in block[:at]:
            if isinstance(statement, Branch):
                scope = after(scopes, statement, scope, keys.__next__)
        step = block[at]
        if isinstance(step, Branch):
            scope = scopes.when(scope, step.predicate, step.place, next(keys), holds, id(step))
    return scope if way else None


def _way(body: tuple[Statement, ...], loop: Loop) -> list[Step] | None:
    """The statements that lead to `loop`, outermost first; None where it is not in `body` but inside another loop."""
    for at, statement in enumerate(body):
        if statement is loop:
            return [(body, at, True)]
        if isinstance(statement, Branch):
            for arm, holds in ((statement.then, True), (statement.otherwise, False)):
                found = _way(arm, loop)
                if found is not None:
                    return [(body, at, holds), *found]
    return None
