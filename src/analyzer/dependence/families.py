"""Elements of small matrices that are written out, compared as one: `m[i][0][0] = ...; m[i][0][1] = ...; ...`

*Decides*: for accesses to one array that differ only in subscripts that are numbers, whether any of them meets one of
another such *family* in a later iteration, and what it rests on that none does.
*Method*: one of the other subscripts is never equal, whichever elements the numbers select (`m[i]` and `m[i + d]`), as
long as all stay in their rows; else the smallest sections that hold the families are compared as bytes.
*Errs toward* None: the pairs are compared one by one, as all accesses are that have no family.
"""

from collections.abc import Hashable, Iterable, Iterator
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from ..access.accesses import Occurrence
from ..access.subscripts import bounds_open, layout, same_shape
from ..facts.loop import Assumption
from ..ir.nodes import Subscript
from ..ir.polynomials import ZERO
from ..ir.reasons import AssumptionKind
from ..memory.alias import Overlap
from .ordering import never_zero
from .outcome import Independent
from .pairs import between
from .scope import Scope

FEWEST = 4
"""Members of a family for which comparing it as one is worth the while."""


class Family(Struct, frozen=True):
    """Accesses that differ in numbers only; the first is a store if one of them is."""

    members: tuple[Occurrence, ...]
    bounds: frozenset[Assumption]
    """That they stay in their rows."""
    premises: frozenset[Assumption]

    @property
    def first(self) -> Occurrence:
        return self.members[0]


class Settled(Struct, frozen=True):
    """By `id` of an access, the number of its family; the pairs of families that are settled (the first with a store),
    and what that rests on."""

    family: dict[int, int]
    pairs: frozenset[tuple[int, int]]
    assumptions: frozenset[Assumption]

    def holds(self, write: Occurrence, other: Occurrence) -> bool:
        """Whether the two need no test of their own."""
        return (self.family.get(id(write)), self.family.get(id(other))) in self.pairs


def settled(scope: Scope, found: tuple[Occurrence, ...]) -> Settled:
    """What is settled of these accesses by comparing families."""
    families = list(enumerate(_families(scope, found)))
    needed = {
        (i, j): apart(scope, a, b) for (i, a), (j, b) in product(families, repeat=2) if a.first.write
    }
    return Settled(
        {id(o): i for i, each in families for o in each.members},
        frozenset(pair for pair, needs in needed.items() if needs is not None),
        frozenset().union(*(needs for needs in needed.values() if needs is not None)),
    )


def _families(scope: Scope, found: tuple[Occurrence, ...]) -> Iterator[Family]:
    """The families among these accesses, in the order of their first members."""
    alike: dict[Hashable, list[Occurrence]] = {}
    for o in found:
        if (key := _key(scope, o)) is not None:
            alike.setdefault(key, []).append(o)
    for members in alike.values():
        if len(members) >= FEWEST:
            members.sort(key=lambda o: not o.write)
            bounds = frozenset().union(*map(bounds_open, members))
            yield Family(tuple(members), bounds, frozenset().union(*map(scope.premises, members)))


def _key(scope: Scope, o: Occurrence) -> Hashable | None:
    parts = layout(o)
    if parts.rows or not parts.fits or all(n is None for n in parts.numbers):
        return None
    selected = tuple(None if _is_number(s) else (s.index, s.extent, s.stride) for s in parts.elements)
    shape = tuple(s.stride for s in parts.elements)
    around = tuple(loop.key for loop in o.loops)
    return (scope.of_kind(o.access), selected, shape, o.access.offset, o.access.size, around)


def _is_number(s: Subscript) -> bool:
    """Whether a subscript is a number that surely stays in its extent."""
    if s.extent is None or s.stride is None:
        return False
    index, extent = s.index.constant, s.extent.constant
    return index is not None and extent is not None and s.stride.constant is not None and 0 <= index < extent


def apart(scope: Scope, a: Family, b: Family) -> frozenset[Assumption] | None:
    """What it rests on that no member of one family meets one of the other in a later iteration of the loop, whichever
    of the two comes first; None where that is not as simple (see the module)."""
    x, y = a.first, b.first
    if scope.overlap(x.access, y.access).overlap is not Overlap.SAME:
        return None
    if not _differ(scope, x, y) or not _differ(scope, y, x) or _never_meet(scope, x, y) is None:
        return None
    bounds = a.bounds | b.bounds
    if bounds and not _named(bounds) <= _named(scope.assumed_bounds):  # nobody needs them for the two
        wide = _never_meet(scope, _section(a), _section(b))
        return None if wide is None else wide | a.premises | b.premises
    scope.assumed_bounds |= bounds
    return bounds | a.premises | b.premises


def _never_meet(scope: Scope, x: Occurrence, y: Occurrence) -> frozenset[Assumption] | None:
    """What that rests on for two accesses, without conditions."""
    needed: frozenset[Assumption] = frozenset()
    for pair in ((x, y), (y, x)):
        match between(scope, *pair, False):
            case Independent(assumptions=assumptions) if not any(each.kind.is_condition for each in assumptions):
                needed |= assumptions
            case _:
                return None
    return needed


def _section(family: Family) -> Occurrence:
    """The smallest section that holds all members, as one access."""
    access = family.first.access
    at = [_bytes(layout(o).elements) for o in family.members]
    subscripts = tuple(replace(s, index=ZERO) if _is_number(s) else s for s in access.subscripts)
    size = max(at) - min(at) + access.size
    wide = replace(access, subscripts=subscripts, offset=access.offset + min(at), size=size)
    return replace(family.first, access=wide)


def _bytes(elements: tuple[Subscript, ...]) -> int:
    """The distance from the element with 0 in place of the numbers."""
    found = (s.index * s.stride for s in elements if s.stride is not None and _is_number(s))
    return sum(each.constant or 0 for each in found)


def _named(assumptions: Iterable[Assumption]) -> set[tuple[AssumptionKind, str]]:
    """Without their lines."""
    return {(each.kind, each.text) for each in assumptions}


def _differ(scope: Scope, earlier: Occurrence, later: Occurrence) -> bool:
    """Whether a subscript that is no number in either is never equal."""
    mine, its = layout(earlier).elements, layout(later).elements
    return same_shape(mine, its) and any(
        not _is_number(s) and not _is_number(t) and never_zero(scope.difference(s.index, t.index), scope.distance)
        for s, t in zip(mine, its, strict=True)
    )
