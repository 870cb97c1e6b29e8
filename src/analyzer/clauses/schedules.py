"""Which iterations a thread takes, where equal parts of them are not equal parts of the work.

*Decides*: whether a loop inside runs longer the further the parallel loop is (a triangle, a packed matrix). Compilers
give each thread one stretch of iterations unless a `schedule` says more: of two threads, the one with the longer rows
does three quarters of a triangle. In turn, one iteration each, both do half of it.

*Does not see* work that data decides (rows of a sparse matrix, loops that are left early): nobody knows where it is.
"""

from ..ir import nodes as ir

IN_TURN = "static,1"


def schedule(loop: ir.Loop) -> str | None:
    """What to write in a `schedule` clause; None where the compiler's own choice is as good.

    Example: `static,1` for `for (i...) for (j = i; j < n; j++)`, None for a rectangle."""
    inner = ir.loops(loop.body)
    bounds = (ratio.numerator for each in inner for ratio in each.trip or ())
    return IN_TURN if any(loop.counter in bound.symbols for bound in bounds) else None
