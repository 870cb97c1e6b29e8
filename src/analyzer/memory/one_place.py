"""Tables of pointers that may be one: what is stored in one of them may be read from another one.

*Decides*: which pointers a function itself may have stored in a table (object and member), beside those that it stores
there by this name: through a pointer that is itself read from memory, and leads to an object whose address was stored
or taken; as another member of a union, or as bytes of the structure.
*Errs toward* more pointers than there are.

    t[0] = &s;  s.p = y;  t[0]->p = x;        ->  s.p may lead to x
    u.p = y;  u.q = x;                        ->  so may u.p, of a union
"""

import math
from collections.abc import Collection, Iterable, Mapping
from typing import TypeAlias

from ..ir.members import end_of_members, shares_bytes
from ..ir.nodes import Access, Allocated, Anything, Declared, Object, Rows
from ..source.ctypes import Pointer, Record, element
from .tables import Table, table_of, unversioned

Stored: TypeAlias = Mapping[Table, frozenset[Object]]
"""The objects to which pointers lead, by the table in which they stand."""


def united(held: Stored, known: Collection[Object], accesses: Iterable[Access]) -> dict[Table, frozenset[Object]]:
    """The pointers that may stand in each table. `known`: objects to which pointers may lead that are read from memory.
    Example: see the module."""
    found = dict(held)
    every = [a for a in accesses if isinstance(a.type, Pointer)]
    members = {table_of(a) for a in every} | held.keys()
    for (base, member), stored in held.items():
        if isinstance(base, Rows | Anything):
            for other in filter(_holds_pointers, known):
                inside = {m for x, m in members if x == other and m.endswith(member)}  # it may lead to a part of it
                for each in {member, *inside}:
                    found[other, each] = found.get((other, each), frozenset()) | stored
    for first, second in _overlapping(every):
        both = found.get(first, frozenset()) | found.get(second, frozenset())
        if both:
            found[first] = found[second] = both
    return found


def same_pointers(accesses: Iterable[Access]) -> frozenset[frozenset[Table]]:
    """Two members of a union, each two that are one pointer: `u->bytes` and `u->numbers`."""
    every = [a for a in accesses if isinstance(a.type, Pointer)]
    pairs = _overlapping(every) if any(map(shares_bytes, every)) else []
    return frozenset(frozenset(pair) for pair in pairs if "" not in (pair[0][1], pair[1][1]))


def _holds_pointers(x: Object) -> bool:
    match x:
        case Declared(variable=variable):
            return isinstance(element(variable.type), Record | Pointer)
        case _:
            return isinstance(x, Allocated)


def _overlapping(accesses: Iterable[Access]) -> list[tuple[Table, Table]]:
    """Members of one object that share bytes, as they are accessed."""
    places: dict[Object, dict[str, tuple[int, float]]] = {}
    for access in accesses:
        end = end_of_members(access)
        at = (access.offset, math.inf if end is None else end)
        places.setdefault(unversioned(access.object), {})[access.field] = at
    pairs: list[tuple[Table, Table]] = []
    for x, members in places.items():
        named = sorted(members)
        for k, one in enumerate(named):
            for other in named[k + 1 :]:
                (low, high), (first, last) = members[one], members[other]
                if not one or (low < last and first < high):
                    pairs.append(((x, one), (x, other)))
    return pairs
