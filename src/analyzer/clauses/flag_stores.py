"""Stores of what a call says of its success to a flag that all iterations read: `status = store(view);`.

*Decides*: which stores a condition of the answer (`cold`) says to leave the flag as it is: they would be the only ones
to it, and a race, although they change nothing.
*Errs toward* listing.

    if (status == FAILED) continue;  ...  status = store(view);     ->  store only where that changes `status`
"""

from collections.abc import Iterator

from pycparser import c_ast

from ..facts.loop import Rewrite
from ..ir import nodes as ir
from ..ir.reasons import AssumptionKind
from ..loops.c_text import c_text
from ..source.nodes import nodes
from .site import Site


def flag_stores(site: Site, loop: ir.Loop) -> Iterator[Rewrite]:
    """What to write in place of each of these stores."""
    branches = (s for s in ir.statements(loop.body) if isinstance(s, ir.Branch))
    supposed = {branch.place for branch in branches if branch.supposed is AssumptionKind.COLD}
    for store in nodes(site.node, c_ast.Assignment):
        place = site.unit.place(store)
        if place in supposed:
            flag = c_text(store.lvalue)
            text = (
                f"`{flag}` on line {place.line}: keep what `{c_text(store.rvalue)}` gives in a variable of the "
                f"iteration, and store it only where that changes `{flag}`, which other threads read"
            )
            yield Rewrite("other", flag, text, places=(place,))
