"""What a region of threads does, event by event, and whether two of its events race: the truth by enumeration.

The threads of a team are 0 to 31; an iteration, a `single` block and a section may be done by any of them.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable
from itertools import combinations

from msgspec import Struct

TEAM = 32


class Who(Struct, frozen=True):
    """`work`: the construct that shares it out (0: every thread does it, and `part` is its number), `part`: which
    iteration or section of that, `static`: what loops have in common whose equal iterations one thread does."""

    work: int
    part: Hashable = 0
    static: str = ""


class Event(Struct, frozen=True):
    """An access to one element. `phase`: how many barriers are before it, and the size with which the program runs."""

    phase: tuple[int, int]
    who: Who
    place: Hashable
    write: bool
    locks: frozenset[str] = frozenset()
    atomic: bool = False


def race(events: Iterable[Event]) -> bool:
    """Whether two threads may get to one place between two barriers, one of them to store."""
    groups: dict[Hashable, set[Event]] = defaultdict(set)
    for event in events:
        groups[event.phase, event.place].add(event)
    return any(_meet(a, b) for group in groups.values() for a, b in combinations(group, 2))


def _meet(a: Event, b: Event) -> bool:
    if not (a.write or b.write) or a.locks & b.locks or (a.atomic and b.atomic):
        return False
    x, y = a.who, b.who
    if x.work == y.work:
        return x.part != y.part
    return not (x.static and x.static == y.static and x.part == y.part)
