"""Pairs of accesses to members of array elements, of which one is tested for all that are alike.

*Decides*: which pairs of accesses have one outcome, and what it is.
*Method*: two members of elements of one size share bytes only where they are the same member and the elements are one.
  So beyond the elements it only counts whether the members are the same or apart: of a structure of nine numbers, one
  pair of the same members and one of others stand for 81. Of elements of different objects, one pair stands for all.
  Pairs that never meet, whatever conditions they stand under, need no test with these (`unguarded_pairs`).
*Errs toward* a test for each pair: members of integers, which may be bounds of loops, or that overlap in part, places
  that tests read, stores that leave the same, parameters that calls lead into one array.

    u[i].c00 = v[k[i]].c00; u[i].c01 = v[k[i]].c01; ...     ->  u.c00 with v.c00, with v.c01, with u.c00, ...
"""

from collections.abc import Hashable, Iterable

from msgspec.structs import replace

from models.expr.nodes import remembered

from ..access.accesses import Occurrence
from ..access.subscripts import disjoint_bytes, fits, layout, same_shape
from ..ir.same import same_place
from ..memory.alias import Overlap
from ..source.ctypes import Complex, Floating
from .outcome import Dependence, Fold, Outcome
from .pairs import between
from .same_stores import store_the_same
from .scope import Scope
from .unguarded_pairs import UnguardedPairs


class MemberPairs:
    """The outcomes of pairs of accesses of one loop. `unguarded`: asked first, where there are many."""

    def __init__(self, scope: Scope, unguarded: UnguardedPairs | None = None) -> None:
        self.scope, self.unguarded = scope, unguarded
        self._numbers: dict[Hashable, int] = {}
        self._classes: dict[int, int | None] = {}
        self._shapes: dict[tuple[int, int], bool] = {}
        self._found: dict[Hashable, Outcome] = {}

    def are_more_than(self, most: int, pairs: Iterable[tuple[Occurrence, Occurrence]]) -> bool:
        """Whether more of these pairs than so many have to be tested."""
        keys: set[Hashable] = set()
        for number, pair in enumerate(pairs):
            if self.unguarded is None or self.unguarded.apart(*pair) is None:
                key = self._key(*pair)
                keys.add(number if key is None else key)
            if len(keys) + len(self.unguarded or ()) > most:
                return True
        return False

    def between(self, source: Occurrence, sink: Occurrence, show: bool) -> Outcome:
        """What `pairs.between` says."""
        if self.unguarded is not None and (apart := self.unguarded.apart(source, sink)) is not None:
            return apart
        alike = self._key(source, sink)
        if alike is None:
            return between(self.scope, source, sink, show)
        known = self._found.get((alike, show))
        if known is not None:
            return _of(known, source, sink)
        return self._found.setdefault((alike, show), between(self.scope, source, sink, show))

    def _key(self, source: Occurrence, sink: Occurrence) -> Hashable | None:
        """Equal for pairs with one outcome; None: no other pair is known to have it."""
        mine, its = self._class(source), self._class(sink)
        if mine is None or its is None:
            return None
        a, b = source.access, sink.access
        if self.scope.overlap(a, b).overlap is not Overlap.SAME and not self.scope.known.shared:
            return (mine, its)
        if not (_is_member(source) and _is_member(sink) and self._have_one_shape(mine, its, source, sink)):
            return None
        if (a.offset, a.size) != (b.offset, b.size):
            return (mine, its, "apart") if disjoint_bytes(a, b) else None
        return None if store_the_same(self.scope, source, sink) else (mine, its, "same")

    def _have_one_shape(self, mine: int, its: int, source: Occurrence, sink: Occurrence) -> bool:
        if (mine, its) not in self._shapes:
            self._shapes[mine, its] = same_shape(layout(source).elements, layout(sink).elements)
        return self._shapes[mine, its]

    def _class(self, o: Occurrence) -> int | None:
        """A number for all that a test looks at but which member of the element it is."""
        if id(o) not in self._classes:
            tested = any(same_place(t.access, o.access) for t in self.scope.tests)
            self._classes[id(o)] = None if tested else self._number(o)
        return self._classes[id(o)]

    def _number(self, o: Occurrence) -> int:
        access = o.access
        guards = tuple((g.depth, g.predicate) for g in o.guards)
        place = (self.scope.of_kind(access), access.subscripts, access.size, access.volatile, access.atomic)
        member = "" if _is_member(o) else (access.offset, access.text)
        operator = o.update.operator if o.update else ""
        kind = (place, member, o.write, tuple(loop.key for loop in o.loops), guards, o.test, operator)
        return self._numbers.setdefault(kind, len(self._numbers))


@remembered("_is_member")
def _is_member(o: Occurrence) -> bool:
    """Whether it is to a number in an element that is no bound of a loop, as those are integers."""
    return isinstance(o.access.type, Floating | Complex) and not o.access.bits and fits(o.access)


def _of(outcome: Outcome, source: Occurrence, sink: Occurrence) -> Outcome:
    """The outcome of one pair, for another one."""
    match outcome:
        case Dependence():
            return replace(outcome, source=source, sink=sink)
        case Fold() if source.update is not None:
            return replace(outcome, update=source.update)
        case _:
            return outcome
