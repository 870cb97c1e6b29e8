"""Variables that only their names lead to as long as a statement runs: their addresses are taken behind it, if at all.

*Decides*: for a statement of a function, and a loop as a whole, the names whose addresses all stand behind it. No call
in the statement, and no store through a pointer, changes a variable of that name.
*Errs toward* none: in functions where control may come back to what it has passed, by a label or a second return.

    old = a->x; for (i...) new[i] = old[i]; release(&old);          ->  old, in the loop
    for (t...) { for (i...) new[i] = old[i]; release(&old); }       ->  none
"""

from pycparser import c_ast

from ..ir.c_library import RETURNS_TWICE
from ..source.nodes import node_count, nodes
from .syntax import is_address_of_name


class LaterAddresses:
    """Of one function; see the module."""

    __slots__ = ("_first", "_places")

    def __init__(self, body: c_ast.Node) -> None:
        self._first: dict[str, int] = {}
        self._places: dict[int, int] = {}
        every = nodes(body)
        if any(_comes_back(node) for node in every):
            return
        for place, node in enumerate(every):
            again = id(node) in self._places  # in the arms of two branches
            self._places[id(node)] = -1 if again else place
            if isinstance(node, c_ast.UnaryOp) and is_address_of_name(node):
                self._first.setdefault(node.expr.name, place)

    def behind(self, statement: c_ast.Node) -> frozenset[str]:
        start = self._places.get(id(statement), -1)
        if start < 0 or not self._first:
            return frozenset()
        end = start + node_count(statement)
        return frozenset(name for name, place in self._first.items() if place >= end)


def _comes_back(node: c_ast.Node) -> bool:
    match node:
        case c_ast.Label():
            return True
        case c_ast.FuncCall(name=c_ast.ID(name=name)):
            return name in RETURNS_TWICE
        case _:
            return False
