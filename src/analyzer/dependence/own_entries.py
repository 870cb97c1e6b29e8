"""Memory that every iteration reaches by an entry of a table that is its own, and that it may set anew.

*Decides*: which pointers a loop stores that lead to nothing, or to memory of the iteration alone; and that two accesses
in different iterations do not meet which are behind entries of one table that their iterations may set so: what stood
there before is other memory for each entry (`rows-distinct`), and new memory is none of it.
*Method*: that no iteration sets the entry of another one is asked where the entries themselves are compared; so an
entry leads to what stood there before the loop, or to what its own iteration has made.
*Errs toward* no: for entries of other iterations (`s[i + 1].at[k]`), links, and entries that the function fills from
one block.

    for (i < n) { s = &m->s[i];  if (s->room < k) { s->at = realloc(s->at, k);  s->room = k; }  s->at[k - 1] = x; }
"""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ..access.accesses import Occurrence
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
    evaluated,
    is_null,
    statements,
    unconverted,
)
from ..ir.polynomials import Poly
from ..memory.escape import is_moved, made_by
from ..memory.tables import table_of, unversioned
from ..source.ctypes import Pointer, Record, element

if TYPE_CHECKING:
    from .scope import Scope


def new_stores(scope: "Scope") -> tuple[Access, ...]:
    """Where the loop stores pointers that are null, or lead to other memory in each iteration: what that allocates, or
    moves from where it stood, or what a function gives it that is supposed to be independent."""
    stores = (s for s in statements(scope.loop.body) if isinstance(s, Assign))
    targets = ((s, s.target) for s in stores if isinstance(s.target, Access))
    return tuple(t for s, t in targets if isinstance(t.type, Pointer) and _is_new(scope, s, t))


def _is_new(scope: "Scope", store: Assign, entry: Access) -> bool:
    made = store.leads.object if store.leads is not None else made_by(store)
    if made is None or not scope.fresh(made):
        return is_null(store.value)
    return isinstance(made, Allocated) or moved_from(scope, made, entry) or bool(scope.given_by(made))


def moved_from(scope: "Scope", x: Object, entry: Access) -> bool:
    """Whether an object is what `realloc` gave for the pointer in an entry."""
    if not isinstance(x, Anything) or not is_moved(x):
        return False
    calls = (e for s in statements(scope.loop.body) for e in evaluated(s) if isinstance(e, Call))
    made = [call for call in calls if isinstance(x.pointer, Returned) and call.place == x.pointer.place]
    given = [unconverted(call.arguments[0]) for call in made if call.name == "realloc" and call.arguments]
    return bool(given) and all(isinstance(e, Load) and _is_one(e.access, entry) for e in given)


def _own_entry(scope: "Scope", o: Occurrence) -> Occurrence | None:
    """The store to the entry by which an access gets to memory, where its iteration sets it, and no other pointer on
    the way, unless to new memory. Example: see the module."""
    x, here = o.access.object, [s.index for s in row_part(o.access)]
    stores = [w for w in scope.writes if isinstance(w.access.type, Pointer)]
    if isinstance(x, Rows):
        entries = [w for w in stores if _leads_to(w.access, x) and indices(w.access) == here]
    else:
        entries = [w for w in stores if moved_from(scope, x, w.access)]
    if not entries or any(_is_link(w.access) or not _are_apart(scope, w.access) for w in entries):
        return None
    return entries[0] if is_set_anew(scope, entries[0].access) else None


def _are_apart(scope: "Scope", entry: Access) -> bool:
    """Whether the function stores no pointer twice in the table of an entry, and none into one block."""
    filling = scope.known.filled.get(table_of(entry))
    led_to = Rows(entry.object, entry.field, len(entry.subscripts))
    return filling is not None and not filling.pitches and not scope.known.may_repeat(led_to)


def is_set_anew(scope: "Scope", entry: Access) -> bool:
    """Whether all pointers on the way to what an entry leads to stay as they are in an iteration, or become new."""
    if not isinstance(entry.type, Pointer):
        return False
    led_to = Rows(entry.object, entry.field, len(entry.subscripts))
    behind = replace(entry, object=led_to, field="", type=entry.type.target, structure=None)
    return scope.leaves_way_to(behind, beside_new=True)


def are_by_one(scope: "Scope", source: Occurrence, sink: Occurrence) -> Occurrence | None:
    """The store to the entry by which both accesses get to memory, or one of them where the other is to memory that its
    iteration allocates; None where that is not so."""
    entries = [scope.once_for(_own_entry, o) for o in (source, sink)]
    others = (o.access.object for o, e in zip((source, sink), entries, strict=True) if e is None)
    known = [e for e in entries if e is not None]
    if not known or not all(isinstance(x, Allocated) and scope.fresh(x) for x in others):
        return None
    return known[0] if all(_is_one(e.access, known[0].access) for e in known) else None


def _is_one(access: Access, entry: Access) -> bool:
    same = (unversioned(access.object), access.field) == (unversioned(entry.object), entry.field)
    return same and indices(access) == indices(entry)


def indices(access: Access) -> list[Poly]:
    """What selects the element, of every dimension."""
    return [s.index for s in access.subscripts]


def _leads_to(access: Access, x: Rows) -> bool:
    return unversioned(access.object) == unversioned(x.base) and access.field == x.field


def _is_link(entry: Access) -> bool:
    """Whether a pointer leads to structures of the kind in which it stands."""
    led = element(entry.type.target) if isinstance(entry.type, Pointer) else None
    inside = entry.structure is not None and isinstance(led, Record) and led.key in entry.structure.holds
    return inside or (isinstance(led, Record) and entry.structure is None)
