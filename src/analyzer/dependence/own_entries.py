"""Memory that every iteration reaches by an entry of a table that is its own, and that it may set anew.

*Decides*: whether a loop sets the entries of a table of pointers only so, each iteration the one entry that it selects
with its number, to null or to memory that it allocates; and that two accesses in different iterations do not meet
which are behind such entries: what stood there before is other memory for each entry (`rows-distinct`), and new memory
is none of it.
*Errs toward* no: for entries of other iterations (`s[i + 1].at[k]`), links, and entries that the function fills from
one block. That two iterations do not have one entry follows from the stores to it, which are dependent on each other
otherwise.

    for (i < n) { s = &m->s[i];  if (s->room < k) { s->at = realloc(s->at, k);  s->room = k; }  s->at[k - 1] = x; }
"""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ..access.accesses import Occurrence
from ..facts.loop import Assumption
from ..ir.members import row_part
from ..ir.nodes import (
    Access,
    Allocated,
    Anything,
    Assign,
    Call,
    Load,
    Object,
    Returned,
    Rows,
    Variable,
    evaluated,
    statements,
    unconverted,
)
from ..ir.polynomials import Poly
from ..ir.reasons import AssumptionKind
from ..memory.alias import c_text
from ..memory.escape import is_moved, made_by, sets_to_null
from ..memory.tables import unversioned
from ..source.ctypes import Pointer, Record, element

if TYPE_CHECKING:
    from .scope import Scope


def set_anew(scope: "Scope", entry: Access) -> tuple[Access, ...]:
    """The stores to an entry that an iteration has for itself, where they, and no others to its table, set it to null
    or to memory that the iteration allocates; none where the loop does not set it."""
    moving = any(scope.varies(s) for index in indices(entry) for s in index.symbols)
    if not moving or not isinstance(entry.type, Pointer):
        return ()
    stores = [s for s in statements(scope.loop.body) if isinstance(s, Assign) and _is_in_table(s.target, entry)]
    own = all(indices(s.target) == indices(entry) and _is_new(scope, s, entry) for s in stores)
    found = tuple(s.target for s in stores if isinstance(s.target, Access))
    led_to = Rows(entry.object, entry.field, len(entry.subscripts))
    behind = replace(entry, object=led_to, field="", type=entry.type.target, structure=None)
    return found if own and scope.leaves_way_to(behind, found) else ()


def own_stores(scope: "Scope") -> tuple[Access, ...]:
    """All stores to such entries in the loop."""
    targets = (s.target for s in statements(scope.loop.body) if isinstance(s, Assign))
    return tuple(t for t in targets if isinstance(t, Access) and isinstance(t.type, Pointer) and set_anew(scope, t))


def _is_new(scope: "Scope", store: Assign, entry: Access) -> bool:
    """Whether each iteration stores null, or other memory than all others: what it allocates or moves, or what a
    function gives it that is supposed to be independent."""
    made = store.leads.object if store.leads is not None else made_by(store)
    if made is None or not scope.fresh(made):
        return sets_to_null(store)
    return isinstance(made, Allocated) or moved_from(scope, made, (entry,)) or bool(scope.given_by(made))


def moved_from(scope: "Scope", x: Object, entries: tuple[Access, ...]) -> bool:
    """Whether an object is what `realloc` gave for the pointer in one of these entries."""
    if not entries or not isinstance(x, Anything) or not is_moved(x):
        return False
    calls = (e for s in statements(scope.loop.body) for e in evaluated(s) if isinstance(e, Call))
    made = [call for call in calls if isinstance(x.pointer, Returned) and call.place == x.pointer.place]
    given = [unconverted(call.arguments[0]) for call in made if call.name == "realloc" and call.arguments]
    return bool(given) and all(isinstance(e, Load) and _is_one(e.access, entries[0]) for e in given)


def _is_one(access: Access, entry: Access) -> bool:
    return _is_in_table(access, entry) and indices(access) == indices(entry)


def _is_in_table(target: Variable | Access, entry: Access) -> bool:
    if not isinstance(target, Access):
        return False
    return (unversioned(target.object), target.field) == (unversioned(entry.object), entry.field)


def indices(access: Variable | Access) -> list[Poly]:
    """What selects the element, of every dimension."""
    return [s.index for s in access.subscripts] if isinstance(access, Access) else []


def behind_own_entries(scope: "Scope", source: Occurrence, sink: Occurrence) -> frozenset[Assumption] | None:
    """What it rests on that two accesses in different iterations are to different memory, behind entries of one table;
    None where that is not so. Example: see the module."""
    entries = [_own_entry(scope, o) for o in (source, sink)]
    others = (o.access.object for o, e in zip((source, sink), entries, strict=True) if e is None)
    known = [e for e in entries if e is not None]
    if not known or not all(isinstance(x, Allocated) and scope.fresh(x) for x in others):
        return None
    if not all(_is_one(e, known[0]) for e in known):
        return None
    rows = (o for o in (source, sink) if isinstance(o.access.object, Rows))
    return frozenset(Assumption(AssumptionKind.ROWS_DISTINCT, c_text(o.access.object), o.line) for o in rows)


def _own_entry(scope: "Scope", o: Occurrence) -> Access | None:
    """The entry, one that its iteration sets, by which an access gets to memory."""
    x, here = o.access.object, [s.index for s in row_part(o.access)]
    if isinstance(x, Rows):
        entries = [e.access for e in scope.occurrences if _is_entry(e.access, x) and indices(e.access) == here]
        if scope.known.may_repeat(x) or any(_is_link(e, x) for e in entries):
            return None
    elif is_moved(x):
        entries = [e.access for e in scope.occurrences if e.write and moved_from(scope, x, (e.access,))]
    else:
        return None
    return next((e for e in entries[:1] if set_anew(scope, e)), None)


def _is_entry(access: Access, x: Rows) -> bool:
    return unversioned(access.object) == unversioned(x.base) and access.field == x.field


def _is_link(entry: Access, x: Object) -> bool:
    """Whether a pointer leads to structures of the kind in which it stands."""
    led = element(entry.type.target) if isinstance(entry.type, Pointer) else None
    inside = entry.structure is not None and isinstance(led, Record) and led.key in entry.structure.holds
    return inside or (isinstance(led, Record) and entry.structure is None)
