"""The continuation of each loop: what runs after it, for deciding which of its values are live."""

from collections.abc import Iterator, Mapping
from typing import assert_never

from msgspec import Struct

from models.expr.nodes import remembered

from ..ir.nodes import Assign, Branch, Evaluate, Exit, Function, Loop, Refused, Statement, statements
from .dataflow import Stretch


class Position(Struct, frozen=True):
    """A statement list and the index behind a loop in it; `above`: where the list itself stands; `inside`: the loop
    whose body the list is, if it is one."""

    body: tuple[Statement, ...]
    after: int
    above: "Position | None"
    inside: Loop | None


class Continuations(Struct, frozen=True):
    """`positions` by loop key. `calm`: the loops that begin behind the last `goto`, which this view would miss."""

    positions: Mapping[int, Position]
    calm: frozenset[int]

    def structured(self, loop: Loop) -> bool:
        """Whether `after` tells all that may run after the loop. Every `goto` that the IR keeps jumps forward: one that
        stands before the loop, and before all loops around it, is over when the loop begins."""
        outermost, position = loop, self.positions.get(loop.key)
        while position is not None:
            outermost, position = position.inside or outermost, position.above
        return outermost.key in self.calm

    def after(self, loop: Loop) -> Iterator[Stretch]:
        """The code that runs after the loop, nearest first."""
        position: Position | None = self.positions[loop.key]
        while position is not None:
            yield Stretch(position.body, position.after)
            if position.inside is not None:
                yield Stretch(position.body, 0, again=True)
            position = position.above


@remembered("_continuations")
def continuations(function: Function) -> Continuations:
    positions: dict[int, Position] = {}
    _visit(function.body, None, None, positions)
    calm: set[int] = set()
    for s in statements(function.body):
        match s:
            case Loop(key=key):
                calm.add(key)
            case Exit(kind="goto"):
                calm.clear()
            case Refused():
                return Continuations(positions, frozenset())
            case _:
                pass
    return Continuations(positions, frozenset(calm))


def _visit(
    body: tuple[Statement, ...], above: Position | None, inside: Loop | None, positions: dict[int, Position]
) -> None:
    for k, statement in enumerate(body):
        match statement:
            case Loop(body=inner):
                here = Position(body, k + 1, above, inside)
                positions[statement.key] = here
                _visit(inner, here, statement, positions)
            case Branch(then=then, otherwise=otherwise):
                here = Position(body, k + 1, above, inside)
                _visit(then, here, None, positions)
                _visit(otherwise, here, None, positions)
            case Assign() | Evaluate() | Exit() | Refused():
                pass
            case _:
                assert_never(statement)
