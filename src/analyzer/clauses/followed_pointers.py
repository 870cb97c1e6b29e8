"""Pointers that all iterations of a loop follow: where vectors of all threads make a sum, each thread wants its own.

*Decides*: which pointers that the loop names stay what they are, so that `firstprivate` copies them.

Threads find a variable that they share by its address. Of a pointer that is read there in each iteration clang does not
know that it is apart from the thread's part of the sum, whose address the library gets: the part stays in memory, and
there are no vectors (-O2 warns), or wrong ones (clang 14 with -O1).
"""

from pycparser import c_ast

from ..loops.syntax import parameter_declarations
from ..source.ctypes import Array, Pointer
from ..source.nodes import nodes
from .site import Site


def followed(site: Site) -> tuple[str, ...]:
    """Names, in the order of the alphabet. Example: `a` in `for (i = 0; i < n; i++) s += a[i];`."""
    named = site.mentioned_in_iterations - site.functions - site.changed - _led_to(site)
    return tuple(sorted(name for name in named if _is_pointer(site, name)))


def _led_to(site: Site) -> frozenset[str]:
    """Variables whose address the function takes: somebody may set them by that."""
    taken = (n.expr for n in nodes(site.definition.node, c_ast.UnaryOp) if n.op == "&")
    return frozenset(place.name for place in taken if isinstance(place, c_ast.ID))


def _is_pointer(site: Site, name: str) -> bool:
    """A parameter that is written as an array is one, too."""
    declared, node = site.visible.get(name), site.definition.node
    is_parameter = node is not None and any(declared is each for each in parameter_declarations(node))
    return isinstance(site.type_of(name), Pointer | Array if is_parameter else Pointer)
