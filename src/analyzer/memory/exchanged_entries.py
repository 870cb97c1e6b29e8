"""Entries of tables that a function only exchanges: `t = s->u; s->u = s->next; s->next = t;` after a sweep.

*Decides*: which stores of pointers only permute entries of tables, members of structures among them, so that what is
taken of the tables (their rows are distinct, members lead to arrays of their own) stays true.
*Errs toward* nothing: they are entries of one table, or members of one structure; all pointers that the function stores
in these tables are among those stores, in a list of statements that does nothing else in between; more than two entries
have to be named by numbers. What was read before an exchange may be what another entry leads to behind it.

    double *t = a[k]; a[k] = a[p]; a[p] = t;        ->  the rows of a are as distinct as before
    s->u = s->next; s->next = other;                ->  none: other may be one of them
"""

from collections.abc import Iterator
from typing import TypeAlias

from models.expr.nodes import remembered

from ..ir.blocks import blocks
from ..ir.nodes import (
    Access,
    Assign,
    Expression,
    Function,
    Load,
    Statement,
    Use,
    Variable,
    every_statement,
    unconverted,
)
from ..ir.polynomials import Poly
from ..source.ctypes import Pointer
from .exchanged_pointers import permutation
from .tables import Table, table_of

Place: TypeAlias = int | tuple[Table, tuple[Poly, ...]]
"""A variable, by its key, or an entry of a table."""

ELSEWHERE = -1
"""No place: a pointer from somewhere else."""


@remembered("_exchanges")
def exchanges(function: Function) -> frozenset[int]:
    """The stores, by identity. Example: see the module."""
    found = [list(_exchanging(block)) for block in blocks(function.body)]
    ours = {id(s) for made in found for s in made}
    others = {table for s in every_statement(function) if id(s) not in ours and (table := _stored_to(s)) is not None}
    spoilt = {(x, "") for x, _ in others} | others
    return frozenset(id(s) for made in found if spoilt.isdisjoint(map(_stored_to, made)) for s in made)


def _stored_to(s: Statement) -> Table | None:
    """The table, where the statement stores a pointer."""
    match s:
        case Assign(target=Access(type=Pointer()) as entry):
            return table_of(entry)
        case _:
            return None


def _exchanging(block: tuple[Statement, ...]) -> Iterator[Assign]:
    """The stores of a list of statements after which entries are a permutation of what they were before it."""
    if not any(_stored_to(s) is not None for s in block):
        return
    values: dict[Place, Place] = {}
    stores: list[tuple[Assign, Place]] = []
    for s in block:
        target = _place(s.target) if isinstance(s, Assign) else None
        if isinstance(s, Assign) and target is not None:
            source = _source(s.value)
            values[target] = ELSEWHERE if source is None else values.get(source, source)
            stores.append((s, target))
    entries: dict[Place, Place] = {place: value for place, value in values.items() if isinstance(place, tuple)}
    kept = [place for place in permutation(entries) if isinstance(place, tuple)]
    in_one_table = len({table for table, _ in kept}) == 1
    of_one_structure = len({(structure, at) for (structure, _), at in kept}) == 1
    numbered = len(kept) <= 2 or all(index.constant is not None for _, at in kept for index in at)
    made = [s for s, place in stores if place in kept]
    if (in_one_table or of_one_structure) and numbered and _at_once(block, made):
        yield from made


def _at_once(block: tuple[Statement, ...], made: list[Assign]) -> bool:
    """Whether nothing but pointers is used from the first of the stores to the last."""
    places = [k for k, s in enumerate(block) if any(s is each for each in made)]
    between = block[places[0] : places[-1]] if places else ()
    return all(isinstance(s, Assign) and isinstance(s.target.type, Pointer) for s in between)


def _place(target: Variable | Access) -> Place | None:
    match target:
        case Variable(type=Pointer(), key=key, addressed=False):
            return key
        case Access(type=Pointer(), volatile=False) as entry:
            return table_of(entry), tuple(s.index for s in entry.subscripts)
        case _:
            return None


def _source(value: Expression) -> Place | None:
    """The place whose value that is."""
    match unconverted(value):
        case Use(variable=variable):
            return _place(variable)
        case Load(access=access):
            return _place(access)
        case _:
            return None
