"""Memory that each iteration releases, by pointers of its own from a table: `free(rows[i])`.

*Decides*: whether iterations release, in any order, nothing that another one uses. No pointer is released twice, or
else the program has no meaning (C11 7.22.3.3): what one iteration releases no other one does, and later ones use none
of it. Earlier ones must not, either: what the loop touches besides is in other memory, or behind the same entry of the
table.
*Errs toward* that the order matters: for pointers that stand in no table, and where anything may be in that memory.

    for (i < n) { free(m->at[i]); free(m->value[i]); }      ->  in any order, under rows-distinct(m->at) and so on
    for (i < n) { s += rows[0][i]; free(rows[i]); }         ->  no: the first row is read after it is released
    for (i < n) { s += rows[i + 1][0]; free(rows[i]); }     ->  unknown
"""

from collections.abc import Iterator

from msgspec.structs import replace

from ..access.accesses import Occurrence
from ..facts.loop import Assumption
from ..ir.members import row_part
from ..ir.nodes import Access, Assign, Call, Expression, Load, Rows, Use, statements, unconverted
from ..ir.reasons import AssumptionKind
from ..memory.alias import Overlap, Relation, c_text
from ..source.ctypes import Pointer
from .finding import Finding
from .scope import Scope

DEEPEST = 4
"""Functions inside each other that hand a pointer on."""


def released(scope: Scope, call: Call) -> Finding | None:
    """What it rests on that a call of `free` may come in any order; None where it may not. Example: see the module."""
    given = _value(scope, call.arguments[0]) if len(call.arguments) == 1 else None
    if not isinstance(given, Load) or len(call.pointers) != 1 or not _is_of_iteration(scope, call, given.access):
        return None
    relations = list(_relations(scope, _behind(call, given.access)))
    if any(r.overlap in (Overlap.UNKNOWN, Overlap.SAME) for r in relations):
        return None
    line, name = call.place.line, c_text(call.pointers[0])
    apart = {Assumption(AssumptionKind.ROWS_DISTINCT, name, line)} if relations else set()
    return Finding(assumptions=frozenset(apart | {Assumption(*a, line=line) for r in relations for a in r.assumptions}))


def _value(scope: Scope, e: Expression) -> Expression:
    """What is released, where a function gets it that releases it: `drop(rows[i])`."""
    for _ in range(DEEPEST):
        match unconverted(e):
            case Use(variable=variable):
                every = (s for s in statements(scope.loop.body) if isinstance(s, Assign) and s.target == variable)
                values = [s.value for s in every]
                if len(values) != 1:
                    return e
                e = values[0]
            case plain:
                return plain
    return e


def _is_of_iteration(scope: Scope, call: Call, entry: Access) -> bool:
    """Whether the pointer stands in a table that the loop leaves alone but for the entry that it has released, at a
    place that changes with the iteration."""
    (x,) = call.pointers
    moving = any(scope.varies(s) for sub in entry.subscripts for s in sub.index.symbols)
    return isinstance(x, Rows) and not scope.fresh(x) and isinstance(entry.type, Pointer) and moving


def _behind(call: Call, entry: Access) -> Access:
    """An access of what is released."""
    assert isinstance(entry.type, Pointer)
    (x,) = call.pointers
    rows = tuple(replace(s, row_pointer=True) for s in entry.subscripts)
    return replace(entry, object=x, subscripts=rows, field="", offset=0, type=entry.type.target, structure=None)


def _relations(scope: Scope, memory: Access) -> Iterator[Relation]:
    """With what else is touched. What is released may have been accessed as any type of number: that these differ says
    nothing."""
    for o in scope.occurrences:
        if not _is_behind_the_entry(o, memory):
            number = not isinstance(o.access.type, Pointer)
            yield scope.overlap(o.access, replace(memory, type=o.access.type) if number else memory)


def _is_behind_the_entry(o: Occurrence, memory: Access) -> bool:
    """Whether an access is to what the same iteration releases: by the same pointer."""
    here = [s.index for s in row_part(o.access)]
    return o.access.object == memory.object and here == [s.index for s in memory.subscripts]
