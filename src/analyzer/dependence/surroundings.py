"""Facts about a whole function that the test of each of its loops asks for."""

from collections.abc import Callable

from msgspec import Struct, field

from ..loops.ir import Entry, Function, Loaded, Loop
from ..polyhedra.poly import symbol
from ..polyhedra.system import Feasibility, System, at_least, feasible, proves
from .alias import Escapes, escapes
from .continuations import Continuations, continuations
from .occurrences import Occurrences, occurrences
from .scope import Scope, running, surroundings


class Surroundings(Struct):
    """One function under analysis; `_runs` is a cache."""

    function: Function
    occurrences: Occurrences
    known: Escapes
    continuations: Continuations
    _runs: dict[int, bool] = field(default_factory=dict)

    def scope(self, loop: Loop) -> Scope:
        return Scope(loop, self.occurrences.inside(loop), self.known)

    def runs(self, loop: Loop) -> bool:
        """Whether the loop has at least one iteration whenever it is reached."""
        if loop.key not in self._runs:
            self._runs[loop.key] = loop.at_least > 0 or self._has_iteration(loop)
        return self._runs[loop.key]

    def repeats(self, loop: Loop) -> bool:
        """Whether the loop certainly has two iterations for some sizes."""
        if loop.trip is None or not loop.exact_trip:
            return False
        sizes = (s for r in loop.trip for s in r.numerator.symbols if isinstance(s.origin, Entry | Loaded))
        second = System((at_least(symbol(loop.counter) - 1), *(at_least(symbol(s)) for s in sizes)))
        around, _ = self.occurrences.around[loop.key]
        return feasible(surroundings(around, ()) + running(loop) + second) is not Feasibility.EMPTY

    def _has_iteration(self, loop: Loop) -> bool:
        if not loop.exact_trip or loop.trip is None:
            return False
        around = surroundings(*self.occurrences.around[loop.key])
        return all(proves(around, at_least(ratio.numerator - 1)) for ratio in loop.trip)


Runs = Callable[[Loop], bool]


def surroundings_of(function: Function) -> Surroundings:
    return Surroundings(function, occurrences(function), escapes(function), continuations(function))
