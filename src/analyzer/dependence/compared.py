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


def _of_kinds(scope: Scope, found: tuple[Occurrence, ...]) -> Iterable[tuple[Kinds, Occurrence, Occurrence]]:
    """One access of each kind, a write where there is one, with one of each other kind. (What an iteration declares is
    no other one's.)"""
    one_of: dict[int, Occurrence] = {}
    for o in sorted(found, key=lambda o: not o.write):
        if not scope.is_automatic(o.access.object):
            one_of.setdefault(scope.of_kind(o.access), o)
    every = product(one_of.items(), repeat=2)
    return (((a, b), x, y) for (a, x), (b, y) in every if x.write)


def given_kinds(scope: Scope, found: tuple[Occurrence, ...]) -> dict[Kinds, frozenset[Assumption]]:
    """Kinds of accesses that never meet, as one is to memory that a function gave to the iteration, and what that rests
    on. (Most of the accesses to the rows of an image are.)"""
    every = _of_kinds(scope, found) if scope.supposing else ()
    own = ((kinds, given(scope, x, y)) for kinds, x, y in every)
    return {kinds: needed for kinds, needed in own if needed}


def pairs_of(
    scope: Scope, found: tuple[Occurrence, ...], of_calls: Collection[Kinds], of_families: Settled
) -> Iterable[tuple[Occurrence, Occurrence]]:
    """Ordered pairs (earlier iteration, later iteration) with a write among them and objects that may overlap."""
    found = tuple(o for o in found if not scope.is_automatic(o.access.object))
    alike = [scope.of_kind(o.access) for o in found]
    apart = {k for k, x, y in _of_kinds(scope, found) if scope.overlap(x.access, y.access).overlap is Overlap.DISTINCT}
    apart.update(of_calls)
    for write, mine in zip(found, alike, strict=True):
        for other, its in zip(found, alike, strict=True) if write.write else ():
            if (other.write and other.position < write.position) or (mine, its) in apart:
                continue
            if of_families.pairs and of_families.holds(write, other):
                continue
            yield write, other
            if other is not write:
                yield other, write
