"""Where the statements of a function lead to: to a loop, out of it, to the end of the program."""

from collections.abc import Iterator

from pycparser import c_ast

from ...ir.c_library import Effect, effect
from ...source.nodes import nodes, of_tree
from .scalars import Node

LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)

TOWARDS, NEITHER, STOPS, LEAVES = 1, 0, -1, -2
"""A branch leads to the loop; none of these; to the end of the program; out of the loop, or of what is around it."""


class Ways:
    """The branches of a function, as they lead to a loop, or away from it."""

    def __init__(self, function: c_ast.FuncDef, loop: Node) -> None:
        self.around = frozenset(id(n) for n in _path(function.body, loop))
        self.labels = frozenset(n.name for n in nodes(loop, c_ast.Label))
        self.direct = frozenset(id(n) for n in _direct(loop.stmt))
        """What is in the loop, and in no other one inside of it."""
        self.header = frozenset(map(id, nodes(loop.next))) if isinstance(loop, c_ast.For) and loop.next else frozenset()
        self.may_leave = any(self._leaves(loop.stmt, False))
        self._known: dict[tuple[int, bool], int] = {}

    def holds(self, node: Node) -> bool:
        """Whether the loop is in a statement."""
        return id(node) in self.around

    def way(self, branch: Node | None, inside: bool) -> int:
        """Where a branch leads to; `inside`: the loop runs."""
        if branch is None:
            return NEITHER
        key = (id(branch), inside)
        if key not in self._known:
            self._known[key] = self._way(branch, inside)
        return self._known[key]

    def _way(self, branch: Node, inside: bool) -> int:
        if not inside and self.holds(branch):
            return TOWARDS
        if stops(branch):
            return STOPS
        return LEAVES if any(self._leaves(branch, False)) else NEITHER

    def _leaves(self, node: Node, nested: bool) -> Iterator[bool]:
        match node:
            case c_ast.Return():
                yield True
            case c_ast.Goto(name=name):
                yield name not in self.labels
            case c_ast.Break():
                yield not nested
            case _:
                inner = nested or isinstance(node, (*LOOPS, c_ast.Switch))
                for child in node:
                    yield from self._leaves(child, inner)


def stops(node: Node | None) -> bool:
    """Whether a statement ends the program: what an assertion does that fails."""
    return node is not None and _calls_the_end(node)


def leaves_function(node: Node | None) -> bool:
    """Whether a statement leaves its function: most often as something went wrong."""
    return node is not None and _holds_return(node)


@of_tree
def _holds_return(node: Node) -> bool:
    return bool(nodes(node, c_ast.Return, c_ast.Goto))


@of_tree
def _calls_the_end(node: Node) -> bool:
    names = (call.name.name for call in nodes(node, c_ast.FuncCall) if isinstance(call.name, c_ast.ID))
    return any(effect(name) is Effect.NO_RETURN for name in names)


def _direct(node: Node) -> Iterator[Node]:
    yield node
    if not isinstance(node, (*LOOPS, c_ast.Switch)):
        for child in node:
            yield from _direct(child)


def _path(node: Node, target: Node) -> list[Node]:
    """The nodes around a loop, and it itself."""
    if node is target:
        return [node]
    for child in node:
        found = _path(child, target)
        if found:
            return [node, *found]
    return []
