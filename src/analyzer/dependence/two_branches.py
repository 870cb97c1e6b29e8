"""Writes in the two branches of an `if`, of which one is taken.

*Decides*: which writes of both branches are as one that happens in any case, and of which `if` before a read each
branch has a write that may reach it.
*Method*: two writes to the same place, under the same other conditions, count as one without the condition. Where they
are to other places, or to many by a loop, what is asked of the read is asked twice, once for each branch: it stands
under the condition then.
*Errs toward* leaving the condition where it is.

    if (dry) memset(f, 0, sizeof f); else for (j = 0; j < 3; j++) f[j] = h * v[j];  ->  f is filled, either way
"""

from itertools import combinations

from msgspec.structs import replace

from ..access.accesses import Guard, Occurrence
from ..ir.same import same_place


def either_way(writes: list[Occurrence]) -> list[Occurrence]:
    """The writes, where both branches of an `if` make one to the same place, that of the second one without the
    condition: behind it, either has happened. That of the first one is there for what is read in its branch."""
    under: dict[int, list[Occurrence]] = {}
    for w in writes:
        if w.guards:
            under.setdefault(id(w.guards[-1].condition), []).append(w)
    for alike in under.values():
        for a, b in combinations(alike, 2):
            if _opposite(a, b) and same_place(a.access, b.access):
                rest = [w for w in writes if w is not b]
                return either_way([*rest, replace(b, where=replace(b.where, guards=b.guards[:-1]))])
    return writes


def _opposite(a: Occurrence, b: Occurrence) -> bool:
    """Whether two writes under one condition stand in the two branches of its `if`, `b` in the second one, under the
    same other conditions."""
    if a.position > b.position or a.guards[-1].holds == b.guards[-1].holds:
        return False
    around = [g.arm for g in a.guards[:-1]] == [g.arm for g in b.guards[:-1]]
    return around and keys_of_loops(a) == keys_of_loops(b)


def keys_of_loops(o: Occurrence) -> list[int]:
    return [loop.key for loop in o.loops]


def in_each_case(writes: list[Occurrence], read: Occurrence) -> tuple[Occurrence, ...]:
    """The read in two cases, that one branch of an `if` before it was taken, and that the other one was: each has one
    of the writes. None if there is no such `if`, evaluated once in each iteration of loops that are around both."""
    arms = {guard.arm for guard in read.guards}
    taken: dict[int, dict[bool, Guard]] = {}
    for w in writes:
        guard = next((g for g in w.guards if g.arm not in arms), None)
        if guard is not None and w.position < read.position and guard.depth <= loops_around_both(w, read):
            both = taken.setdefault(id(guard.condition), {})
            both[guard.holds] = guard
            if len(both) == len((True, False)):
                return tuple(_under(read, each) for each in both.values())
    return ()


def _under(o: Occurrence, guard: Guard) -> Occurrence:
    return replace(o, where=replace(o.where, guards=(*o.guards, guard)))


def loops_around_both(a: Occurrence, b: Occurrence) -> int:
    """Number of loops around both."""
    pairs = zip(a.loops, b.loops, strict=False)
    return next((k for k, (x, y) in enumerate(pairs) if x.key != y.key), min(len(a.loops), len(b.loops)))
