"""Other ways of counting the same nest (`--count-as`), named in every output.

    definitions   the rules of docs/soundness.md: every evaluation counts, conditions are weighted
    textual       operators and references as the text has them, once per iteration of the innermost loop around them:
                  both arms of a condition count, and a loop test counts as often as the body
    references    loads and stores are the distinct references of an iteration of the innermost loop around them, each
                  once, as a store if it is written at all; intensity is flops over their bytes. So the PerDome paper
                  counts: `b[i] += pow(a[j][i], 16)` is 16 flops on 8 bytes. A reference that stands
                  under several conditions counts in every iteration
    perdome       the same under the paper's name

Iterations, footprints and transfers are the same in all of them: they say what happens, not how it is counted.
"""

from collections import Counter
from collections.abc import Iterator
from typing import assert_never

from msgspec.structs import replace

from ..facts.loop import Count
from ..ir.nodes import (
    Address,
    Assign,
    Branch,
    Call,
    Choice,
    Convert,
    Evaluate,
    Exit,
    Expression,
    Literal,
    Load,
    Loop,
    Opaque,
    Operation,
    Refused,
    Statement,
    Use,
    parts,
)
from ..settings.options import CountAs
from . import totals
from .nest import Nest, Touch, build
from .scopes import Scope

OPERATIONS = ("flops_fp32", "flops_fp64", "fma_fp32", "fma_fp64", "fp_other", "int_ops")
ACCESSES = ("loads", "stores", "bytes_loaded", "bytes_stored")


def counted(nest: Nest, count_as: CountAs) -> dict[str, Count]:
    """Operations, loads and stores per entry of the nest, by the names of `facts.loop.Counts`."""
    match count_as:
        case "definitions":
            chosen = dict.fromkeys((*OPERATIONS, *ACCESSES), nest)
        case "textual":
            bare = build(nest.function, without_conditions(nest.loop), nest.around, nest.effort)
            chosen = dict.fromkeys((*OPERATIONS, *ACCESSES), bare)
        case "references" | "perdome":
            distinct = replace(nest, tallies=tuple(_distinct(nest)), memo={})
            chosen = dict.fromkeys(OPERATIONS, nest) | dict.fromkeys(ACCESSES, distinct)
        case _:
            assert_never(count_as)
    return {name: totals.total(of, name) for name, of in chosen.items()}


# --- textual


def without_conditions(loop: Loop) -> Loop:
    """The loop with everything under a condition done always, and nothing left early."""
    return replace(loop, body=_always(loop.body))


def _always(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    return tuple(each for statement in body for each in _statements(statement))


def _statements(statement: Statement) -> Iterator[Statement]:
    match statement:
        case Assign(value=value, index=index):
            yield replace(statement, value=_both(value), index=tuple(map(_both, index)))
        case Evaluate(value=value):
            yield replace(statement, value=_both(value), control=False)
        case Branch(condition=condition, then=then, otherwise=otherwise):
            yield Evaluate(_both(condition), statement.place, statement.text)
            yield from _always((*then, *otherwise))
        case Loop():
            yield without_conditions(statement)
        case Refused():
            yield statement
        case Exit():
            pass
        case _:
            assert_never(statement)


def _both(expression: Expression) -> Expression:
    """The expression with both arms of a choice evaluated."""
    inner = tuple(map(_both, parts(expression)))
    match expression:
        case Literal() | Use():
            return expression
        case Load() | Address():
            return replace(expression, index=inner)
        case Operation() | Call():
            return replace(expression, arguments=inner)
        case Choice(type=type_):
            return Opaque("void", type_, inner)
        case Convert():
            return replace(expression, argument=inner[0])
        case Opaque():
            return replace(expression, parts=inner)
        case _:
            assert_never(expression)


# --- references


def _distinct(nest: Nest) -> Iterator[tuple[Scope, Counter[str]]]:
    """One tally per distinct reference of an innermost iteration, in the scope in which it is made."""
    found: dict[tuple[int | None, object], list[Touch]] = {}
    for touch in nest.touches:
        a = touch.access
        found.setdefault((_loop(touch.scope), (a.object, a.subscripts, a.offset, a.size)), []).append(touch)
    for (loop, _), touches in found.items():
        size = touches[0].access.size
        written = any(t.writes for t in touches)
        tally = Counter(stores=1, bytes_stored=size) if written else Counter(loads=1, bytes_loaded=size)
        yield _scope(nest, loop, touches), tally


def _loop(scope: Scope) -> int | None:
    """Key of the innermost loop around."""
    return next((key for key in reversed(scope.path) if isinstance(key, int)), None)


def _scope(nest: Nest, loop: int | None, touches: list[Touch]) -> Scope:
    first = min((t.scope for t in touches), key=lambda s: len(s.path))
    if all(t.scope.path[: len(first.path)] == first.path for t in touches):
        return first
    return first if loop is None else nest.bodies.get(loop, first)
