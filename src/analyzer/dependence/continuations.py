"""What runs after each loop of a function, for asking which values it leaves are still needed."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from ..loops.ir import Assign, Branch, Evaluate, Exit, Function, Loop, Refused, Statement, statements
from .scalars import Stretch


class Position(Struct, frozen=True):
    """A statement list and the index behind a loop in it; `above`: where the list itself stands; `inside`: the loop
    whose body the list is, if it is one."""

    body: tuple[Statement, ...]
    after: int
    above: "Position | None"
    inside: Loop | None


class Continuations(Struct, frozen=True):
    """`positions` by loop key. `structured`: no jumps that this view would miss."""

    positions: Mapping[int, Position]
    structured: bool

    def after(self, loop: Loop) -> Iterator[Stretch]:
        """The code that runs after the loop, nearest first."""
        position: Position | None = self.positions[loop.key]
        while position is not None:
            yield Stretch(position.body, position.after)
            if position.inside is not None:
                yield Stretch(position.body, 0, again=True)
            position = position.above


def continuations(function: Function) -> Continuations:
    positions: dict[int, Position] = {}
    _visit(function.body, None, None, positions)
    jumps = any(
        isinstance(s, Refused) or (isinstance(s, Exit) and s.kind == "goto") for s in statements(function.body)
    )
    return Continuations(positions, not jumps)


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
