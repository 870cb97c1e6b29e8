"""Structures that an iteration allocates, with memory of their own, before it hands them out.

*Decides*: what a pointer in memory that the iteration has allocated leads to, where the address of that memory is
stored for others: what the iteration itself has put there by name, as long as nothing in the loop can set the pointer
in another way. *Method*: all pointers that the loop stores by other names lead to other kinds of things; no call may
store any.
*Errs toward* not: links, and structures that a function gets which cannot be seen.

    v = malloc(sizeof *v);  v->at = malloc(n);  for (k...) v->at[k] = i;  list[i] = v;       ->  v->at is that memory
    v = malloc(sizeof *v);  v->at = list[i - 1]->at;  v->at[0] = i;                          ->  anybody's
    v = malloc(sizeof *v);  v->at = malloc(n);  list[i] = v;  list[j]->at = q;               ->  perhaps q
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..ir import c_library as library
from ..ir.members import shares_bytes
from ..ir.nodes import Access, Allocated, Call, Declared, Loop, Object, Rows, Text, evaluated, statements
from ..ir.reasons import AssumptionKind
from ..memory.escape import Escapes, may_keep
from ..source.ctypes import Pointer, Record
from ..source.effective_types import Target, all_apart, target_of, targets_in

if TYPE_CHECKING:
    from .scope import Scope


def made_for(scope: "Scope", x: Object) -> frozenset[Object]:
    """The memory, made by the iteration, that an object may be which is behind a pointer in a structure of the
    iteration; none where that is not so. Example: see the module."""
    if not isinstance(x, Rows) or not isinstance(x.base, Allocated) or not scope.fresh(x.base):
        return frozenset()
    stored = scope.known.stored_behind(x, reached=True) or frozenset()
    if not all(isinstance(each, Allocated) and scope.fresh(each) for each in stored):
        return frozenset()
    return stored if _is_set_by_name(scope, x) and not scope.once_for(_calls_store, scope.loop) else frozenset()


def _is_set_by_name(scope: "Scope", x: Rows) -> bool:
    """Whether the pointers that lead to an object are set by the name of the memory in which they stand alone."""
    named = [a for a in scope.stored_pointers if a.object == x.base and a.field == x.field]
    others = [a for a in scope.stored_pointers if not isinstance(a.object, Allocated | Declared)]
    kinds = {target_of(a.type) if isinstance(a.type, Pointer) and not shares_bytes(a) else () for a in named}
    return bool(kinds) and all(_lead_elsewhere(scope.known, each, kinds) for each in others)


def _lead_elsewhere(known: Escapes, stored: Access, kinds: Iterable[Target]) -> bool:
    """Whether what is stored leads to nothing of some kinds."""
    match stored.type:
        case Pointer() as pointer if not shares_bytes(stored):
            return all_apart(target_of(pointer), frozenset(kinds))
        case Record(key=key) if key in known.parts:
            return all(all_apart(kind, targets_in(known.parts[key])) for kind in kinds)
        case _:
            return False


def _calls_store(scope: "Scope", loop: Loop) -> bool:
    """Whether a call in the loop may set pointers in memory: an allocator does not, nor does a function that is
    supposed to be independent."""
    calls = (e for s in statements(loop.body) for e in evaluated(s) if isinstance(e, Call))
    return any(may_keep(call) and not _only_gives_memory(call) for call in calls)


def _only_gives_memory(call: Call) -> bool:
    if call.supposed is AssumptionKind.INDEPENDENT or call.name in library.ALLOCATORS:
        return True
    return call.made is not None and all(isinstance(x, Text) for x in call.pointers)
