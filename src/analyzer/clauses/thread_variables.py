"""Variables of which each thread has one, in a loop that uses that of the thread that comes to it.

*Decides*: by what the other threads get there: a name of its own for it, set before the loop.
"""

from ..facts.loop import Clauses, Rewrite, Separated
from ..ir.nodes import Variable
from ..source.ctypes import Array, Record
from .site import Site, Where


def of_one_thread(site: Site, each: Separated) -> Clauses:
    """The rewrite for one variable, which the loop does not assign: a pointer where it has elements or members, its
    value where it is a scalar.

    Example: `#pragma omp threadprivate(q)` and `for (i...) q[i] = 0;` need `p = q;` before the loop, and `p[i] = 0`."""
    variable = each.target
    assert isinstance(variable, Variable)
    name, has_parts = variable.name, isinstance(variable.type, Array | Record)
    kept = "let a pointer lead to it" if has_parts else "take its value"
    text = f"each thread has a `{name}` of its own: {kept} before the loop, and use that in the loop"
    if site.where(variable) is not Where.NAMED:
        text = f"{text} and in the functions that it calls"
        return Clauses(rewrites=(Rewrite("other", name, text),))
    return Clauses(rewrites=(Rewrite("of-one-thread", name, text, "pointer" if has_parts else "value"),))
