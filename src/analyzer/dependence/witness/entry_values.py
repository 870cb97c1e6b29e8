"""Loads of a loop whose memory is unchanged since function entry.

*Decides*: whether a load of a loop reads what was in memory when the function was called; whether a value that earlier
iterations made was made without another one.
*Errs toward* no: memory that the function wrote before the loop, its own arrays and `const` data are not free.

    for (i...) if (a[i] > a[i + 1]) { t = a[i]; a[i] = a[i + 1]; a[i + 1] = t; }      ->  a[i + 1] is, a[i] is not
"""

from ...access.accesses import Departure, Occurrence
from ...access.dataflow import assignments
from ...ir.members import disjoint_members
from ...ir.nodes import Access, Allocated, Anything, Declared, Load, Object, Text, Use, Variable, is_use, walk
from ...ir.pointer_roots import root
from ...ir.same import same_place
from ...memory.alias import Overlap
from ...polyhedra.system import Feasibility
from ...source.ctypes import CType, Pointer, element
from ..iterations import EARLIER, LATER
from ..ordering import may_write_before, meeting
from ..scope import Scope


def free_contents(scope: Scope, access: Access) -> bool:
    """Whether what a load of the loop reads is what the function found there when it was called."""
    return scope.once_for(_free_contents, access)


def _free_contents(scope: Scope, access: Access) -> bool:
    if access.volatile or access.bits or not free_object(scope, access.object, access.type):
        return False
    read = next((o for o in scope.occurrences if not o.write and same_place(o.access, access)), None)
    return read is not None and not any(_changed_by(scope, write, read) for write in scope.writes)


def free_object(scope: Scope, x: Object, type_: CType) -> bool:
    """Whether the memory existed before the function was called, and nothing in view has written it before the loop."""
    base = root(x)
    if isinstance(base, Allocated | Text) or x in scope.history.written:
        return False
    if isinstance(base, Declared):
        return base.variable.scope == "global" and not is_const(base.variable.type) and not is_const(type_)
    return True


def comes_first(scope: Scope, made: Access, chosen: Access) -> bool:
    """Whether what is read as `made` is as earlier iterations left it, and none of them had read the place `chosen`."""
    read, lever = (
        next((o for o in scope.occurrences if not o.write and same_place(o.access, x)), None) for x in (made, chosen)
    )
    if read is None or lever is None or may_write_before(scope, read, EARLIER, scope.writes):
        return False
    return _is_read_anew(scope, lever)


def carried_before(scope: Scope, made: Variable, chosen: Access) -> bool:
    """Whether a scalar is read as earlier iterations left it, and none of them had read the place `chosen`."""
    found = scope.of_scalar(made)
    reads, writes = ([o.position for o in found if o.write is write] for write in (False, True))
    lever = next((o for o in scope.occurrences if not o.write and same_place(o.access, chosen)), None)
    return lever is not None and max(reads, default=0) < min(writes, default=0) and _is_read_anew(scope, lever)


def _is_read_anew(scope: Scope, lever: Occurrence) -> bool:
    """Whether no earlier iteration had read the place."""
    reads = (o for o in scope.occurrences if not o.write)
    seen = (o for o in reads if scope.overlap(o.access, lever.access).overlap is not Overlap.DISTINCT)
    return all(
        o.access.object == lever.access.object and meeting(scope, o, EARLIER, lever, LATER) is Feasibility.EMPTY
        for o in seen
    )


def walks(scope: Scope, load: Load) -> frozenset[int]:
    """The pointers, by key, by which a load gets to memory that is another one in each iteration, or may be: the loop
    moves them on from where they are (`p = p->next`, `p = next(p)`), and nothing that leads there has read it."""
    if not isinstance(root(load.access.object), Anything):
        return frozenset()
    used = [e.variable for part in load.index for e in walk(part) if isinstance(e, Use)]
    return frozenset(v.key for v in used if isinstance(v.type, Pointer) and _moves_on(scope, v))


def _moves_on(scope: Scope, pointer: Variable) -> bool:
    made = [a.value for a, _ in assignments(scope.loop.body) if a.target == pointer]
    return bool(made) and all(any(is_use(e, pointer) for e in walk(value)) for value in made)


def _changed_by(scope: Scope, write: Occurrence, read: Occurrence) -> bool:
    """Whether a store of the loop may have changed what is read, in the same iteration or in one before."""
    if scope.overlap(write.access, read.access).overlap is not Overlap.SAME:
        return False  # pointers may be chosen apart
    if disjoint_members(write.access, read.access):
        return False
    if may_write_before(scope, read, EARLIER, (write,)):
        return True
    if _leaves_then(scope, write) or _rewritten_between(scope, write, read):
        return False
    return meeting(scope, write, EARLIER, read, LATER) is not Feasibility.EMPTY


def _leaves_then(scope: Scope, write: Occurrence) -> bool:
    """Whether the iteration that stores is the last one: it leaves the loop afterwards (`x[i] = 0; break;`)."""
    arms, around = {g.arm for g in write.guards}, {loop.key for loop in write.loops}
    return any(
        leaves_loop(scope, d)
        and d.position > write.position
        and {g.arm for g in d.at.guards} <= arms
        and {loop.key for loop in d.at.loops} <= around
        for d in scope.history.departures
    )


def leaves_loop(scope: Scope, departure: Departure) -> bool:
    """Whether an exit inside of the loop leaves it, and not only a loop in it."""
    exit_ = departure.exit
    return exit_.kind in ("return", "goto") or (exit_.kind == "break" and exit_.leaves == scope.loop.key)


def _rewritten_between(scope: Scope, write: Occurrence, read: Occurrence) -> bool:
    """Whether a call that may do anything certainly comes between a store and a read in the next iteration."""
    depth = scope.level(write) + 1
    return any(
        (c.position > write.position or c.position <= read.position)
        and scope.visible(write.access.object, c.call)
        and len(c.at.loops) == depth
        and not any(g.depth >= depth for g in c.at.guards)
        for c in scope.unseen
    )


def is_const(type_: CType) -> bool:
    return getattr(element(type_), "const", False)
