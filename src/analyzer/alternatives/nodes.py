"""Linked lists: the next node is known when this one has been read.

*Decides*: whether a loop goes from node to node by a pointer in the node. That the work on the nodes is parallel is not
decided: no node may be twice in the list, and each iteration may change its own node alone.

    for (p = list; p; p = p->next) p->v *= 2;        ->  nodes
"""

from ..facts.loop import Alternative, LoopFacts
from ..ir.nodes import Assign, Load, Variable, loops, statements, unconverted
from ..source.ctypes import Pointer
from .variant import Variants


def found(variants: Variants, facts: LoopFacts) -> tuple[Alternative, ...]:
    """How to go through a list in parallel, if the loop goes through one. Example: see the module."""
    loop = variants.loop
    walkers = [s.target for s in statements(loop.body) if isinstance(s, Assign) and _follows_a_link(s)]
    if len(walkers) != 1 or not isinstance(walkers[0], Variable) or any(loops(loop.body)):
        return ()
    name = walkers[0].name
    text = (
        f"an array of nodes: collect the values of `{name}` in an array first, then go through it in parallel; it pays "
        "where the work on a node takes much longer than reading its link"
    )
    legality = "not decided: no node may be twice in the list, and an iteration may change nothing but its own node"
    return (Alternative("nodes", text, legality),)


def _follows_a_link(s: Assign) -> bool:
    """`p = p->next`."""
    target, value = s.target, unconverted(s.value)
    if not isinstance(target, Variable) or not isinstance(target.type, Pointer) or not isinstance(value, Load):
        return False
    return value.access.text.startswith((f"{target.name}->", f"(*{target.name})."))
