"""C text of a syntax node, on one line, for messages and names."""

from functools import cache
from typing import TYPE_CHECKING

from pycparser import c_ast

from ..source.nodes import of_tree
from ..source.rewrite import CONDITION_VALUE

if TYPE_CHECKING:
    from pycparser.c_generator import CGenerator

LONGEST = 120


@cache
def _generator() -> "CGenerator":
    from pycparser.c_generator import CGenerator

    return CGenerator()


def c_text(node: c_ast.Node) -> str:
    """The node as C, white space collapsed and cut at 120 characters: `a[i + 1] = 2 * b[i]`."""
    is_name = isinstance(node, c_ast.ID) and len(node.name) <= LONGEST  # half of what is asked for
    return str(node.name) if is_name else _written(node)


@of_tree
def _written(node: c_ast.Node) -> str:
    text = " ".join(_generator().visit(node).split())
    if CONDITION_VALUE in text:
        text = text.replace(f"? ({CONDITION_VALUE}) :", "?:")
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
