"""Loops that ask for the number of their thread, or how many there are: `own = scratch[omp_get_thread_num()];`.

*Decides*: what to do with such a call. The answer takes the loop as one thread runs it, with one number in all
iterations, and so with one piece of memory that the number selects: its clauses are for that.
"""

from collections.abc import Iterator

from ..facts.loop import Rewrite
from ..ir import nodes as ir
from ..ir.c_library import OF_TEAM, THREAD_NUMBER

_TEXT = (
    f"`{THREAD_NUMBER}()` gives each thread another number: call it before the loop; or leave it where it is, if it "
    "does nothing but select memory in which no iteration leaves anything for another one or for later (such memory "
    "needs no other copies)"
)


def thread_numbers(loop: ir.Loop) -> Iterator[Rewrite]:
    """What to write for the calls in a loop, if there are any."""
    every = (e for s in ir.statements(loop.body) for e in ir.evaluated(s))
    asked = {e.name for e in every if isinstance(e, ir.Call)}
    if THREAD_NUMBER in asked:
        yield Rewrite("other", f"{THREAD_NUMBER}()", _TEXT)
    for name in OF_TEAM:
        if name in asked and name != THREAD_NUMBER:
            yield Rewrite("other", f"{name}()", f"`{name}()` is another number in a parallel loop: call it before")
