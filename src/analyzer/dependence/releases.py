"""Memory that each iteration releases, by pointers of its own from a table: `free(rows[i])`.

*Decides*: whether iterations release, in any order, nothing that another one uses. No pointer is released twice, or
else the program has no meaning (C11 7.22.3.3): what one iteration releases no other one does, and later ones use none
of it. Earlier ones must not, either: what the loop touches besides is in other memory, or behind the same entry of the
table. An iteration may set that entry anew, to null or to new memory; `realloc` releases what it gets, and reads it.
*Errs toward* that the order matters: for pointers that stand in no table, and where anything may be in that memory.

    for (i < n) { free(m->at[i]); free(m->value[i]); }      ->  in any order, under rows-distinct(m->at) and so on
    for (i < n) { free(v[i].at); v[i].at = malloc(m); }     ->  in any order
    for (i < n) v[i].at = realloc(v[i].at, m);              ->  in any order
    for (i < n) { s += rows[0][i]; free(rows[i]); }         ->  no: the first row is read after it is released
    for (i < n) { s += rows[i + 1][0]; free(rows[i]); }     ->  unknown
"""

from collections.abc import Iterator

from msgspec.structs import replace

from ..access.accesses import Occurrence
from ..facts.loop import Assumption
from ..ir.members import row_part
from ..ir.nodes import (
    Access,
    Allocated,
    Assign,
    Call,
    Expression,
    Load,
    Rows,
    Subscript,
    Use,
    statements,
    unconverted,
)
from ..ir.polynomials import number
from ..ir.reasons import AssumptionKind
from ..memory.alias import Overlap, Relation, behind_members, c_text
from ..memory.tables import unversioned
from ..source.ctypes import Integer, Pointer
from .finding import Finding
from .own_entries import is_set_anew, moved_from
from .scope import Scope

NUMBER = Integer("long", 8, True)
"""What stands for all numbers in memory."""

DEEPEST = 4
"""Functions inside each other that hand a pointer on."""


RELEASING = {"free": 1, "realloc": 2}
"""How many arguments they have, the first of which is released."""


def released(scope: Scope, call: Call) -> Finding | None:
    """What it rests on that a call of these may come in any order; None where it may not. Example: see the module."""
    given = _value(scope, call.arguments[0]) if len(call.arguments) == RELEASING[call.name] else None
    if not isinstance(given, Load) or len(call.pointers) != 1 or not _is_of_iteration(scope, call, given.access):
        return None
    relations = list(_relations(scope, _behind(scope, call, given.access), given.access))
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


def _behind(scope: Scope, call: Call, entry: Access) -> Access:
    """An access of what is released: of a number, where there are no pointers in it."""
    assert isinstance(entry.type, Pointer)
    (x,), held = call.pointers, entry.type.target
    rows = tuple(replace(s, row_pointer=True) for s in entry.subscripts)
    elements = Subscript(number(0), None, number(1))
    type_ = NUMBER if scope.known.is_of_numbers(held) else held
    return replace(entry, object=x, subscripts=(*rows, elements), field="", offset=0, type=type_, structure=None)


def _relations(scope: Scope, memory: Access, entry: Access) -> Iterator[Relation]:
    """With what else is touched. What is released may have been accessed as any type of number: that these differ says
    nothing. What the loop allocates is none of what stood in the table before it, if that is all that it sets entries
    to."""
    anew = is_set_anew(scope, entry)
    for o in scope.occurrences:
        x = o.access.object
        new = anew and ((isinstance(x, Allocated) and scope.fresh(x)) or moved_from(scope, x, entry))
        if new or _is_behind_the_entry(o, memory):
            continue
        number = not isinstance(o.access.type, Pointer)
        behind = replace(memory, type=o.access.type) if number else memory
        relation = scope.overlap(o.access, behind)
        if relation.overlap is Overlap.UNKNOWN and anew:
            relation = behind_members(o.access, behind, scope.known) or relation
        yield relation


def _is_behind_the_entry(o: Occurrence, memory: Access) -> bool:
    """Whether an access is to what the same iteration releases, or has set in its place: by the same entry."""
    here, there = ([s.index for s in row_part(access)] for access in (o.access, memory))
    return unversioned(o.access.object) == unversioned(memory.object) and here == there
