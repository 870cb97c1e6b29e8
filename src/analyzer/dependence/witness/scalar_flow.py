"""Whether a scalar certainly carries a value from one iteration to the next, for some contents of memory.

*Decides*: a read that some iteration evaluates before it assigns the variable, and an assignment that the iteration
before makes: the two accesses of a carried dependence.
*Method*: the assignments that may come before the read in its own iteration must be skipped: each is in the other
branch, or stands under a condition that can be false. That these conditions go together is `free_contents`' question.
*Errs toward* None: `if (c[i]) t = 1; if (c[i]) use(t);` carries nothing.

    if (a[i] > max) { max = a[i]; k = i; }       ->  max is read one iteration after it was assigned
"""



from itertools import chain

from msgspec import Struct

from models.expr.nodes import remembered

from ...access.accesses import Guard, Occurrence
from ...access.domains import condition
from ...ir.nodes import Declared, negate
from ...ir.polynomials import Poly, symbol
from ...polyhedra.system import System, equal
from ..iterations import EARLIER, LATER
from ..scope import Scope
from .free_contents import Demand, inner_guards, possible
from .proof import Meeting, first_of_inner

MOST_TRIED = 8
"""Reads and assignments of one variable looked at."""


FAR = 5
"""Iterations apart, where neighbours test the same elements: `x[i] > x[i - 1] && x[i] > x[i + 1]` holds for one of two.
Whatever those in between assign, what is read comes from an earlier one."""


class Carried(Struct, frozen=True):
    """An assignment, and the read that sees its value one iteration later."""

    write: Occurrence
    read: Occurrence
    always: bool
    """In every iteration, whatever the data."""
    of_contents: bool
    """Only for contents of memory that were chosen."""


def carried(scope: Scope, found: tuple[Occurrence, ...]) -> Carried | None:
    """The first pair among the reads and assignments of one variable that is certain for some contents."""
    writes = [o for o in found if o.write]
    if len(writes) > MOST_TRIED or len(found) > MOST_TRIED**2:
        return None
    for read in [o for o in found if not o.write][:MOST_TRIED]:
        skipped = _skipped(scope, writes, read)
        if skipped is None:
            continue
        for write in writes:
            always = not skipped and not inner_guards(scope, write) and not inner_guards(scope, read)
            for distance in (1,) if always else (1, FAR):
                meeting = _happens(scope, write, read, skipped, distance)
                if meeting is not None:
                    return Carried(write, read, always, meeting.of_contents)
    return None


def overwritten(scope: Scope, found: tuple[Occurrence, ...]) -> bool:
    """Whether two iterations certainly assign the variable different values, while a later one need not assign it: the
    last to do so decides what the loop leaves, and no copy per iteration says which that is."""
    writes = [o for o in found if o.write]
    if len(writes) > MOST_TRIED:
        return False
    guards = [inner_guards(scope, o) for o in writes]
    skips = [Demand(g[0].condition, not g[0].holds, LATER) for g in guards if g]
    if len(skips) < len(writes):
        return False
    for made in guards:  # some iteration assigns it, and a later one does not
        taken = [Demand(g.condition, g.holds, EARLIER) for g in made]
        if not possible(scope, [*taken, *skips]):
            return False
    next_ = System((equal(symbol(scope.distance) - 1),))
    for write in writes:
        if write.stored is None or scope.repeats(write.stored):
            continue
        meeting = Meeting(scope, write, write, (), (), _entering(scope))
        first = first_of_inner(scope, write, EARLIER) + first_of_inner(scope, write, LATER)
        for each in (meeting, meeting.on_data()):
            if each is not None and each.certain() and each.exists(next_ + first):
                return True
    return False


def _skipped(scope: Scope, writes: list[Occurrence], read: Occurrence) -> list[Guard] | None:
    """For every assignment that may come before the read in its iteration, the condition that has to fail; None where
    one certainly comes before it."""
    failing = []
    for write in writes:
        if write.position > read.position or _apart(write, read):
            continue
        shared = {g.arm for g in read.guards}
        own = [g for g in inner_guards(scope, write) if g.arm not in shared]
        if not own:
            return None
        failing.append(own[0])
    return failing


def _apart(a: Occurrence, b: Occurrence) -> bool:
    """Whether the two stand in different branches of one `if`."""
    return any(g.condition is h.condition and g.holds != h.holds for g in a.guards for h in b.guards)


def _happens(
    scope: Scope, write: Occurrence, read: Occurrence, skipped: list[Guard], distance: int
) -> Meeting | None:
    extra = System((equal(symbol(scope.distance) - distance),))
    demands: list[Demand] = []
    mentioned: list[Poly] = []
    for guard in skipped:
        failing = condition(negate(guard.predicate))
        if failing.exact:
            extra += scope.moved(failing, LATER)
            mentioned += [c.value for c in (*failing.constraints, *chain(*chain(*failing.choices)))]
        else:
            demands.append(Demand(guard.condition, not guard.holds, LATER))
    extra += first_of_inner(scope, write, EARLIER) + first_of_inner(scope, read, LATER)
    apart = distance if distance > 1 else None
    meeting = Meeting(scope, write, read, (), tuple(demands), _entering(scope), tuple(mentioned), apart)
    if meeting.certain() and meeting.exists(extra):
        return meeting
    asked = meeting.on_data()
    return asked if asked is not None and asked.certain() and asked.exists(extra) else None


@remembered("_entering")
def _entering(scope: Scope) -> frozenset[int]:
    """Scalars that no iteration assigns before it reads them; of inner loops only the first iteration is looked at."""
    read: dict[int, int] = {}
    assigned: dict[int, int] = {}
    for o in scope.history.scalars:
        if isinstance(o.access.object, Declared):
            key = o.access.object.variable.key
            if o.write:
                assigned.setdefault(key, o.position)
            else:
                read[key] = o.position
    return frozenset(key for key, last in read.items() if last < assigned.get(key, last + 1))
