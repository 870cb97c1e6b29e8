"""Inner loops that begin at a variable of a parallel loop: what moves with it, and what does not.

    for (i...) for (j = i; j < n; j++)        ... a[j]      j runs to a fixed end: no variable of i's is in a[j]
    for (t...) for (j = t; j < t + 8; j++)    ... a[j]      a part of fixed length moves with t: a[t + k]

Counters begin at 0, so that j is i + counter in both; in the first form the counter is written as j - i, with a symbol
for the variable j."""

from msgspec import Struct, field

from ..ir.nodes import Computed, Loop, all_loops
from ..ir.polynomials import Poly, Symbol, symbol
from ..ir.symbols import Kind, derived
from ..polyhedra.signs import Region


class Variables(Struct, frozen=True):
    """The counters that are written in variables: their symbols and their values."""

    symbols: dict[Symbol, Symbol] = field(default_factory=dict)
    values: dict[Symbol, Poly] = field(default_factory=dict)

    def region(self, region: Region) -> Region:
        """The region over variables."""
        if self.symbols.keys().isdisjoint(region.counters):
            return region
        counters = tuple(self.symbols.get(c, c) for c in region.counters)
        return Region(counters, tuple(c.substitute(self.values) for c in region.constraints))


def inner_variables(root: Loop, chain: tuple[Loop, ...]) -> Variables:
    """The loops of the nest at `root` that begin at a variable of the parallel `chain` and end elsewhere."""
    parallel = {loop.counter for loop in chain}
    found = Variables()
    for loop in all_loops(root):
        if loop in chain or loop.first is None or loop.step is None or loop.step.constant not in (1, -1):
            continue
        moving = parallel & loop.first.symbols
        if moving and all(moving & r.numerator.symbols for r in loop.trip or ()):
            # it may be negative: no lower bound
            variable = derived(
                Kind.VARIABLE, loop.counter, Computed("variable", loop.place), str(loop.variable)
            )
            found.symbols[loop.counter] = variable
            found.values[loop.counter] = (symbol(variable) - loop.first.substitute(found.values)) * loop.step.constant
    return found
