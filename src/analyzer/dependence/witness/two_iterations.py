"""Whether a loop has two iterations at all, for some sizes and contents: without, nothing is carried between them."""

from ...access.domains import running, surroundings
from ...ir.nodes import Entry, Loaded, nested_symbols
from ...ir.polynomials import symbol
from ...polyhedra.system import Feasibility, System, at_least, feasible
from ..function_facts import Surroundings
from ..scope import Scope
from .free_contents import possible, staying


def repeats(around: Surroundings, scope: Scope) -> bool:
    """Whether the loop certainly has a second iteration for some sizes and contents."""
    loop = scope.loop
    if loop.trip is None or not loop.exact_trip:
        demands = staying(scope)
        if demands is None or not possible(scope, demands):
            return False
    used = nested_symbols(s for r in loop.trip or () for s in r.numerator.symbols)
    sizes = sorted((s for s in used if isinstance(s.origin, Entry | Loaded)), key=lambda s: s.key)
    second = System((at_least(symbol(loop.counter) - 1), *(at_least(symbol(s)) for s in sizes)))
    outer, _ = around.occurrences.around[loop.key]
    return feasible(surroundings(outer, ()) + running(loop) + second) is not Feasibility.EMPTY
