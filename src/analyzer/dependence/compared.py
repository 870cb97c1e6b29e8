"""Which accesses of a loop have to be compared: the others never meet, by the objects that they are to.

*Decides*: the pairs of accesses, at least one a write, that may touch one object in different iterations.
*Method*: by kind, since most of the accesses are alike: objects that do not overlap, variables that each iteration
declares, memory that a function gives to the iteration; and by families (`families`).
*Errs toward* comparing.
"""

from collections.abc import Collection, Iterable
from itertools import product
from typing import TypeAlias

from ..access.accesses import Occurrence
from ..facts.loop import Assumption
from ..memory.alias import Overlap
from .families import Settled
from .given_memory import given
from .scope import Scope

Kinds: TypeAlias = tuple[int, int]
"""The kinds (`Scope.of_kind`) of two accesses of which the first is written to."""


def _one_of_each(scope: Scope, found: tuple[Occurrence, ...]) -> dict[int, Occurrence]:
    """One access of each kind, a write where there is one. (What an iteration declares is no other one's.)"""
    one_of: dict[int, Occurrence] = {}
    for o in sorted(found, key=lambda o: not o.write):
        if not scope.is_automatic(o.access.object):
            one_of.setdefault(scope.of_kind(o.access), o)
    return one_of


def given_kinds(scope: Scope, found: tuple[Occurrence, ...]) -> dict[Kinds, frozenset[Assumption]]:
    """Kinds of accesses that never meet, as one is to memory that a function gave to the iteration, and what that rests
    on. (Most of the accesses to the rows of an image are.)"""
    every = product(_one_of_each(scope, found).items(), repeat=2) if scope.supposing else ()
    own = (((a, b), given(scope, x, y)) for (a, x), (b, y) in every if x.write)
    return {kinds: needed for kinds, needed in own if needed}


def pairs_of(
    scope: Scope, found: tuple[Occurrence, ...], of_calls: Collection[Kinds], of_families: Settled
) -> Iterable[tuple[Occurrence, Occurrence]]:
    """Ordered pairs (earlier iteration, later iteration) with a write among them and objects that may overlap. Nothing
    is asked of pairs that nobody takes."""
    found = tuple(o for o in found if not scope.is_automatic(o.access.object))
    alike = [scope.of_kind(o.access) for o in found]
    one_of = {kind: o.access for kind, o in _one_of_each(scope, found).items()}

    def are_apart(kinds: Kinds) -> bool:
        relation = scope.overlap(*(one_of[kind] for kind in kinds))
        return relation.overlap is Overlap.DISTINCT or kinds in of_calls

    for write, mine in zip(found, alike, strict=True):
        for other, its in zip(found, alike, strict=True) if write.write else ():
            if (other.write and other.position < write.position) or are_apart((mine, its)):
                continue
            if of_families.pairs and of_families.holds(write, other):
                continue
            yield write, other
            if other is not write:
                yield other, write
