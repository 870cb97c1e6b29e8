"""Places that directives name (`item_texts`), and whether two of them are one.

*Decides*: whether the items of two tasks, or the locks that two threads hold, are one place wherever two accesses meet.
*Method*: what is known of accesses is known of these places: which object, and which element.
*Errs toward* perhaps: a place behind a pointer that leads anywhere, or that an array selects which the loop sets.
"""

from enum import Enum, auto
from itertools import chain

from msgspec import Struct

from ..access.accesses import Occurrence
from ..dependence.pairs import never_meet_where
from ..ir.nodes import Access, Anything, Loaded, Loop
from ..ir.pointer_roots import root
from ..polyhedra.system import at_least, equal, system
from .item_texts import items
from .meeting import Asked
from .recorded import Entered, Point, Recorded, Step, read_at, read_of_lock


class Named(Struct, frozen=True):
    """An item of `depend`. `kind`: `in`, `out` and so on; `place`: the first byte of what it names, where that is
    known."""

    text: str
    kind: str
    place: Occurrence | None


class Same(Enum):
    """Whether two places are one wherever two accesses meet."""

    NEVER = auto()
    PERHAPS = auto()
    ALWAYS = auto()


def named_by(record: Recorded, task: Entered) -> tuple[Named, ...]:
    """The items of a task."""
    before = record.entered[task.arm].first
    every = enumerate(items(task.construct.directive))
    return tuple(Named(text, kind, _place(read_at(record, task.construct.key, i, before))) for i, (text, kind) in every)


def lock_at(record: Recorded, point: Point) -> Occurrence | None:
    """The place of the lock that is taken, or given back."""
    return _place(read_of_lock(record, point))


def _place(read: Step | None) -> Occurrence | None:
    return None if read is None else read.occurrence


def same(asked: Asked, loop: Loop, a: Step, b: Step, p: Occurrence | None, q: Occurrence | None) -> Same:
    """Whether two places, that of the first as `a` is done and that of the second as `b` is, are one wherever two
    iterations of the loop get to one place with `a` and `b`.

    Example: `&lock[k]` and `&lock[k]`, for `count[k]`."""
    if p is not None and q is not None and asked.are_apart(p.access.object, q.access.object):
        return Same.NEVER
    if p is None or q is None or p.access.object != q.access.object or _is_moved(asked, loop, p):
        return Same.PERHAPS
    x, y = p.access.subscripts, q.access.subscripts
    if len(x) != len(y):
        return Same.PERHAPS
    scope = asked.scope(loop)
    every = []
    for first, last, own, other in ((a, b, x, y), (b, a, y, x)):
        gaps = [scope.difference(s.index, t.index) for s, t in zip(own, other, strict=True)]
        every.append((first.occurrence, last.occurrence, gaps))
    unequal = [(f, e, system(at_least(gap * sign - 1))) for f, e, gaps in every for gap in gaps for sign in (1, -1)]
    if all(never_meet_where(scope, *each) for each in unequal):
        return Same.ALWAYS
    one = len(x) == 1 and not x[0].row_pointer
    if one and all(never_meet_where(scope, f, e, system(*map(equal, gaps))) for f, e, gaps in every):
        return Same.NEVER
    return Same.PERHAPS


def are_in_one(x: Access, y: Access) -> bool:
    """Whether two accesses are to elements of one object that is known, by as many subscripts."""
    known = x.object == y.object and not isinstance(root(x.object), Anything)
    return known and len(x.subscripts) == len(y.subscripts)


def _is_moved(asked: Asked, loop: Loop, p: Occurrence) -> bool:
    """Whether what selects the place is not known, or may change in the loop."""
    scope = asked.scope(loop)
    if isinstance(root(p.access.object), Anything):
        return True
    symbols = chain.from_iterable(s.index.symbols for s in p.access.subscripts)
    written = {w.access.object for w in scope.writes}
    return any(isinstance(s.origin, Loaded) and s.origin.access.object in written for s in symbols)
