"""Pairs of accesses that never meet, whatever conditions they stand under.

*Decides*: for two accesses, that they are apart in different iterations even if each is made whenever the loops around
it come there; one test stands for all pairs that only differ in conditions, or in inner loops that repeat them.
*Method*: the iterations in which an access is made are some of those in which it might be, so what holds without the
conditions holds with them.
*Errs toward* None: where a condition is needed, the pair has to be tested with it.

    if (t) r[6 * i] += t[0]; ... for (k...) if (r[6 * i] > x) r[6 * i] = x;     ->  one pair: no condition is needed
"""

from collections.abc import Hashable

from msgspec.structs import replace

from ..access.accesses import Occurrence, kind
from ..ir.nodes import Counter, Loop, nested_symbols
from .outcome import Independent
from .pairs import between
from .scope import Scope


class UnguardedPairs:
    """The pairs of one loop, of which each kind is tested once."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self._numbers: dict[Hashable, int] = {}
        self._always: dict[int, tuple[int, Occurrence]] = {}
        self._found: dict[tuple[int, int], Independent | None] = {}

    def __len__(self) -> int:
        """How many tests it took."""
        return len(self._found)

    def apart(self, source: Occurrence, sink: Occurrence) -> Independent | None:
        """What it rests on that the two never meet; None where that takes a closer look."""
        (mine, always), (its, also) = self._whenever(source), self._whenever(sink)
        if (mine, its) not in self._found:
            outcome = between(self.scope, always, also, show=False)
            self._found[mine, its] = outcome if isinstance(outcome, Independent) else None
        return self._found[mine, its]

    def _whenever(self, o: Occurrence) -> tuple[int, Occurrence]:
        """The access without its conditions and the loops that only repeat it, and the number of its kind."""
        if id(o) not in self._always:
            always = replace(o, where=replace(o.where, loops=self._counting(o), guards=()))
            self._always[id(o)] = self._numbers.setdefault(kind(always), len(self._numbers)), always
        return self._always[id(o)]

    def _counting(self, o: Occurrence) -> tuple[Loop, ...]:
        """The loops around an access, but for innermost ones in all iterations of which it is to the same place."""
        parts = (p for s in o.access.subscripts for p in (s.index, s.stride) if p is not None)
        moving = [s for s in nested_symbols({s for p in parts for s in p.symbols}) if self.scope.varies(s)]
        if not all(isinstance(s.origin, Counter) for s in moving):
            return o.loops
        counters = {s.origin.loop for s in moving if isinstance(s.origin, Counter)}
        depths = [depth for depth, loop in enumerate(o.loops, 1) if loop.key in counters]
        return o.loops[: max([self.scope.level(o) + 1, *depths])]
