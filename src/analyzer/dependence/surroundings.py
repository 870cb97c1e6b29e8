"""Facts about a whole function that the test of each of its loops asks for."""

from collections.abc import Callable
from dataclasses import dataclass, field

from ..loops.ir import Function, Loop
from ..polyhedra.system import at_least, proves
from .alias import Escapes, escapes
from .continuations import Continuations, continuations
from .occurrences import Occurrences, occurrences
from .scope import Scope, surroundings


@dataclass(slots=True)
class Surroundings:
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

    def _has_iteration(self, loop: Loop) -> bool:
        if not loop.exact_trip or loop.trip is None:
            return False
        around = surroundings(*self.occurrences.around[loop.key])
        return all(proves(around, at_least(ratio.numerator - 1)) for ratio in loop.trip)


Runs = Callable[[Loop], bool]


def surroundings_of(function: Function) -> Surroundings:
    return Surroundings(function, occurrences(function), escapes(function), continuations(function))
