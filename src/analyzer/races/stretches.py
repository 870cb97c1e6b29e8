"""The way of one thread through what it does: what lies between two places where it waits.

*Decides*: the steps on each way from a place to the next stop; at the end of a loop a thread goes on with the next
iteration or leaves it, and it may pass a condition or a loop that has a stop inside. All threads go the same way, as
stops are for all of them. *Errs toward* more ways. *Limits*: MOST_WAYS, beyond which all is one way.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import TypeAlias

from msgspec import Struct

from ..ir.nodes import Loop
from .recorded import Extent, Recorded

MOST_WAYS = 400
"""From one place."""

_NEVER = 1 << 60

Stops: TypeAlias = tuple[int, ...]
"""Places where something waits, in program order."""


class Course(Struct, frozen=True, dict=True):
    """`places`: of the steps, in order; `inside`: where the course begins and ends; `once`: keys of loops that are no
    loops of the thread."""

    recorded: Recorded
    places: tuple[int, ...]
    inside: tuple[int, int]
    once: set[int]

    def stretches(self, begins: Iterable[int], stops: Stops) -> tuple[frozenset[int], ...]:
        """The steps on each way from these places to the next stop."""
        return tuple(dict.fromkeys(way for begin in dict.fromkeys(begins) for way in self._few_ways(begin, stops)))

    def reached(self, begin: int, stops: Stops) -> frozenset[int]:
        """The steps that are reached from a place on some way without passing a stop."""
        return frozenset().union(*self._few_ways(begin, stops))

    def _few_ways(self, begin: int, stops: Stops) -> list[frozenset[int]]:
        found = list(islice(self._ways(begin, stops, frozenset()), MOST_WAYS + 1))
        return found if len(found) <= MOST_WAYS else [frozenset(self.places)]

    def _ways(self, start: int, stops: Stops, been: frozenset[int]) -> Iterator[frozenset[int]]:
        if start in been:
            yield frozenset()
            return
        been |= {start}
        stop = next((place for place in stops if place > start), _NEVER)
        ends = [(last, first) for first, last in self._loops if first <= start < last <= stop]
        if ends:
            last, first = min(ends)
            here = self._steps(start, last)
            for place in (first, last):
                yield from (here | way for way in self._ways(place, stops, been))
        else:
            yield self._steps(start, stop)
        for first, last in self._passable:
            if start < first < stop < last:
                here = self._steps(start, first)
                yield from (here | way for way in self._ways(last, stops, been))

    def _steps(self, start: int, end: int) -> frozenset[int]:
        return frozenset(self.places[bisect_left(self.places, _step(start)) : bisect_left(self.places, _step(end))])

    @cached_property
    def _loops(self) -> tuple[tuple[int, int], ...]:
        """Where the loops begin and end that the thread repeats."""
        return tuple(self._within((e for key, e in self.recorded.extents.items() if key not in self.once)))

    @cached_property
    def _passable(self) -> tuple[tuple[int, int], ...]:
        """Where loops without an iteration, and arms that are not taken, begin and end."""
        extents = self.recorded.extents.items()
        empty = (e for key, e in extents if key not in self.once and not _runs(self.recorded.loops[key]))
        arms = ((first - 1, last) for first, last in self._within(self.recorded.branches.values()))
        return (*self._within(empty), *arms)

    def _within(self, extents: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        begin, end = self.inside
        return ((place_of(first), place_of(last)) for first, last in extents if begin <= first and last <= end)


def _runs(loop: Loop) -> bool:
    trips = [ratio.numerator.constant for ratio in loop.trip or ()]
    return loop.at_least > 0 or (bool(trips) and all(trip is not None and trip > 0 for trip in trips))


def place_of(step: int) -> int:
    """The place of a step among stops, and among the ends of constructs, which lie between steps."""
    return 4 * step


def _step(place: int) -> int:
    """The first step from there on."""
    return -(-place // 4)


def end_of(extent: Extent) -> int:
    """Where all that is in a construct is done: a task that ends it lasts from just before that."""
    return 4 * extent.end - 1
