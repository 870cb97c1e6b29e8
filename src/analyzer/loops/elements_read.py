"""Functions that only read the elements of an array of the file.

*Decides*: by the text of a function, whether each use of the array's name is an element that is read: nothing stores to
it, and its address is not given away. *Errs toward* more than that.

    s += list[i];     ->  only read          list[i] = 0;  sort(list, n);  p = &list[2];     ->  more
"""

from pycparser import c_ast

from ..source.nodes import nodes
from ..source.unit import Definition

_CHANGES = ("++", "--", "p++", "p--", "&")
"""Operators that change what they stand at, or give its address away."""


def does_more_than_read(definition: Definition, name: str) -> bool:
    """Whether a function may do more with an array of numbers, by its name. Example: see the module."""
    if definition.node is None:
        return True
    named = sum(isinstance(n, c_ast.ID) and n.name == name for n in nodes(definition.node, c_ast.ID))
    elements = [n for n in nodes(definition.node, c_ast.ArrayRef) if _is_element(n, name)]
    stores = (n.lvalue for n in nodes(definition.node, c_ast.Assignment) if isinstance(n, c_ast.Assignment))
    changes = (n for n in nodes(definition.node, c_ast.UnaryOp) if isinstance(n, c_ast.UnaryOp))
    changed = (n.expr for n in changes if n.op in _CHANGES)
    return named != len(elements) or any(_is_element(n, name) for n in (*stores, *changed))


def _is_element(node: c_ast.Node, name: str) -> bool:
    return isinstance(node, c_ast.ArrayRef) and isinstance(node.name, c_ast.ID) and node.name.name == name
