"""What is in force while a part of a function is lowered, for `with`: a scope of names, a condition that holds, a list
of statements of its own. (Written as classes: `contextlib.contextmanager` would cost as much as lowering a name.)
"""

from typing import TYPE_CHECKING

from ..ir.nodes import Predicate, Statement

if TYPE_CHECKING:
    from .context import Context


class Collected:
    """Statements made inside go to a list of their own; deferred effects are put at its end."""

    def __init__(self, ctx: "Context") -> None:
        self._ctx = ctx

    def __enter__(self) -> list[Statement]:
        ctx = self._ctx
        self._saved = ctx.out, ctx.deferred
        ctx.out, ctx.deferred = [], []
        return ctx.out

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        ctx = self._ctx
        if kind is None:
            ctx.flush()
        ctx.out, ctx.deferred = self._saved


class Scope:
    """Names declared inside are forgotten at the end."""

    def __init__(self, ctx: "Context") -> None:
        self._ctx = ctx

    def __enter__(self) -> None:
        self._ctx.frames[-1].append({})

    def __exit__(self, *_: object) -> None:
        self._ctx.frames[-1].pop()


class Addressing:
    """Arithmetic lowered inside only computes subscripts, addresses or loop control."""

    def __init__(self, ctx: "Context") -> None:
        self._ctx = ctx

    def __enter__(self) -> None:
        self._ctx.depth_of_address += 1

    def __exit__(self, *_: object) -> None:
        self._ctx.depth_of_address -= 1


class Under:
    """Statements lowered inside only run where the condition holds."""

    def __init__(self, ctx: "Context", guard: Predicate) -> None:
        self._ctx, self._guard = ctx, guard

    def __enter__(self) -> None:
        self._ctx.guards.append(self._guard)

    def __exit__(self, *_: object) -> None:
        self._ctx.guards.pop()
