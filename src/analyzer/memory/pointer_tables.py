"""Tables of pointers that a function fills: whether each entry leads to a row of its own, and how long rows are.

*Decides*: for all stores to one table together, whether two entries may lead to one place; and the pitch, the bytes
between what neighbouring entries lead to, where rows are cut out of one block.
*Method*: each store says where its entry leads, relative to a block or to another entry. All of them have to agree on
one line through the block: so many bytes further per entry, along each dimension of the table.
*Errs toward* entries that repeat: so may offsets that data decides (`rows[i] = all + start[i]`).

    rows[i] = all + i * m;                         ->  rows of m elements
    rows[0] = all; rows[i] = rows[i - 1] + m;      ->  the same
    rows[i] = all + i * (n - i);                   ->  may repeat: rows 0 and n are one
    rows[i] = all + start[i];                      ->  may repeat
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import TypeAlias

from msgspec import Struct

from models.expr.nodes import remembered

from ..ir import c_library as library
from ..ir.nodes import (
    Access,
    Allocated,
    Anything,
    Assign,
    Branch,
    Call,
    Choice,
    Computed,
    Convert,
    Counter,
    Entry,
    Expression,
    Function,
    Leads,
    Load,
    Loaded,
    Loop,
    Object,
    Operation,
    Returned,
    Statement,
    Subscript,
    is_null,
    nested_symbols,
    unconverted,
    walk,
)
from ..ir.polynomials import ZERO, Poly, Symbol
from ..polyhedra.loop_bounds import extremes
from ..polyhedra.system import Feasibility, at_least, feasible, system
from ..source.ctypes import Pointer
from ..source.features import is_of_c_library
from .exchanged_entries import exchanges
from .tables import Table, table_behind, table_of, unversioned

Pitches: TypeAlias = dict[int, Poly]
"""Bytes per entry along the dimensions of a table, by their position among the subscripts."""


class Store(Struct, frozen=True):
    """One assignment to an entry, and the loops around it."""

    made: Assign
    target: Access
    loops: tuple[Loop, ...]

    @property
    def counters(self) -> list[Symbol]:
        return sorted({s for sub in self.target.subscripts for s in _counters(sub.index)}, key=lambda s: s.key)


class Filling(Struct, frozen=True):
    """`repeats`: two entries may lead to one place. `pitches`: lengths that rows can have without reaching into each
    other; none where nothing is known. `block`: what they are cut out of. `is_one`: all entries lead to one place."""

    repeats: bool
    pitches: frozenset[Poly] = frozenset()
    block: Object | None = None
    is_one: bool = False


REPEATS = Filling(True)


@remembered("_fillings")
def fillings(function: Function) -> dict[Table, Filling]:
    """What the stores of a function make of each table. Example: see the module."""
    found: dict[Table, list[Store]] = {}
    permuting = exchanges(function)
    for store in _stores(function.body, ()):
        if id(store.made) in permuting:
            continue  # the entries lead where they did
        found.setdefault(table_of(store.target), []).append(store)
    return {table: _filling(table, stores) for table, stores in found.items()}


def may_share(function: Function, rows: Object) -> bool:
    """Whether two rows behind pointers that the function itself sets may be one, or reach into each other."""
    table = table_behind(rows)
    found = fillings(function).get(table) if table is not None else None
    return found is not None and (found.repeats or bool(found.pitches))


def _stores(body: tuple[Statement, ...], around: tuple[Loop, ...]) -> Iterator[Store]:
    for s in body:
        match s:
            case Assign(target=Access(type=Pointer()) as target):
                yield Store(s, target, around)
            case Branch(then=then, otherwise=otherwise):
                yield from _stores(then, around)
                yield from _stores(otherwise, around)
            case Loop(body=inner):
                yield from _stores(inner, (*around, s))
            case _:
                pass


def _filling(table: Table, stores: list[Store]) -> Filling:
    line = [s for s in stores if not _is_fresh(s)]
    if _lead_to_one([s for s in stores if s not in line]):
        return REPEATS
    if not line:
        return Filling(False)
    if any(s.counters for s in stores) and all(_leads_as(s, stores[0]) for s in stores):
        return Filling(True, is_one=True)
    relative = {id(s) for s in line if s.made.leads is not None and table_behind(s.made.leads.object) == table}
    line += [s for s in stores if relative and _is_fresh(s) and not s.counters and s.made.leads is not None]
    pitches: Pitches = {}
    starts: set[tuple[Object, tuple[Subscript, ...], Poly]] = set()
    for s in sorted(line, key=lambda s: not s.counters):  # what moves tells how far
        where = s.made.leads
        if where is None:
            return REPEATS
        beside = where.rows if id(s) in relative else None
        rest = _along(s, where, beside, pitches)
        if rest is None:
            return REPEATS
        if beside is None:
            starts.add((unversioned(where.object), where.rows, rest))
        elif rest != ZERO:
            return REPEATS
    if not pitches or len(starts) > 1 or not all(_in_order(s, pitches) for s in line):
        return REPEATS
    block = next((where.object for s in line if (where := s.made.leads) is not None and id(s) not in relative), None)
    return Filling(False, frozenset({pitches[max(pitches)]}), block)


def _leads_as(store: Store, first: Store) -> bool:
    """Whether a pointer leads where the first one does, whichever entry it is stored in."""
    a, b = store.made.leads, first.made.leads
    if a is None or b is None or _counters(a.by) or any(_counters(s.index) for s in a.rows):
        return False
    here = unversioned(a.object)
    new = isinstance(here, Allocated) and bool(here.loops)
    return not new and not isinstance(here, Anything) and (here, a.rows, a.by) == (unversioned(b.object), b.rows, b.by)


def _along(store: Store, where: Leads, beside: tuple[Subscript, ...] | None, known: Pitches) -> Poly | None:
    """What remains of the distance to the block, or to the entry `beside`, when so many bytes per entry are taken off
    along each dimension: the same in all iterations. Adds to the pitches that are known; None where it does not fit."""
    rest, entry = where.by, store.target.subscripts
    if beside is not None and len(beside) != len(entry):
        return None
    for k in reversed(range(len(entry))):
        steps = entry[k].index if beside is None else entry[k].index - beside[k].index
        pitch = known.get(k) or _pitch(rest, steps, beside is not None)
        if pitch is not None:
            known[k] = pitch
            rest = rest - pitch * steps
        elif _counters(steps) or (beside is not None and steps != ZERO):
            return None
    return rest if not _counters(rest) else None


def _pitch(by: Poly, steps: Poly, one_line: bool) -> Poly | None:
    """How many bytes each of the steps makes."""
    counters = _counters(steps)
    if counters:
        slope = steps.coefficient(counters[0]).constant
        found = by.coefficient(counters[0]).divided_by(slope) if slope else None
    else:
        found = by.divided_by(steps.constant) if one_line and steps.constant else None
    return found if found is not None and found != ZERO and not _counters(found) else None


def _in_order(store: Store, pitches: Pitches) -> bool:
    """Whether rows of an outer dimension begin behind those of the inner ones, for some sizes: `all + (i * m + j) * n`
    with j below m."""
    dimensions = sorted(pitches)
    for outer, inner in pairwise(dimensions):
        each = pitches[outer].divided_by(pitches[inner])
        index = store.target.subscripts[inner].index
        lows, highs = extremes(index, store.loops, -1), extremes(index, store.loops, 1)
        if each is None or len(lows) != 1 or len(highs) != 1:
            return False
        room = at_least(each - 1 - (highs[0].value - lows[0].value))
        runs = (at_least(r.numerator - 1) for loop in store.loops for r in loop.trip or ())
        if feasible(system(room, *(c for c in runs if not _counters(c.value)))) is Feasibility.EMPTY:
            return False
    return True


def _counters(value: Poly) -> list[Symbol]:
    """Counters of loops, and values that some loop makes anew: the pitch may not depend on either."""
    return sorted((s for s in nested_symbols(value.symbols) if _is_made(s)), key=lambda s: s.key)


def _is_made(s: Symbol) -> bool:
    match s.origin:
        case Counter():
            return True
        case Entry(loops=loops) | Computed(loops=loops):
            return bool(loops)
        case Loaded(access=access):
            return any(_counters(sub.index) for sub in access.subscripts)
        case _:
            return False


# --- memory of its own for each entry


def _is_fresh(store: Store) -> bool:
    """Whether the pointer comes from a call, or leads to memory allocated in the same iteration of all the loops that
    the entry moves with."""
    if _is_from_a_call(store.made.value):
        return True
    where = store.made.leads
    block = where.object if where is not None else None
    if isinstance(block, Anything) and isinstance(block.pointer, Returned):  # by way of a function that looked at it
        return _may_be_new(block.pointer.function) and bool(store.counters) and all(
            block.key > s.number for s in store.counters
        )
    return isinstance(block, Allocated) and bool(store.counters) and set(store.counters) <= set(block.loops)


def _lead_to_one(fresh: list[Store]) -> bool:
    """Whether one new pointer is stored in two entries: `t[i] = t[i + n] = malloc(m)`."""
    entries: dict[Object, set[tuple[Poly, ...]]] = {}
    for store in fresh:
        new = _made_for(store)
        if new is not None:
            entries.setdefault(new, set()).add(tuple(s.index for s in store.target.subscripts))
    return any(len(places) > 1 for places in entries.values())


def _made_for(store: Store) -> Object | None:
    """The memory that is new to an entry, by the call that gives it."""
    value = unconverted(store.made.value)
    if store.made.leads is not None:
        return unversioned(store.made.leads.object)
    return value.made if isinstance(value, Call) else None


def _is_from_a_call(value: Expression) -> bool:
    """Whether a call gives the pointer, whatever conditions in it say: where they do not take one, it is null.

    `(T *)allocate(n) + 1`, `n ? allocate(n) : NULL`, `grid_alloc(n)->data`; not `rows && i % 2 ? rows[i - 1] :
    allocate(n)`, `find(n)->data`, `all + place(n)`."""
    match value:
        case Choice(then=then, otherwise=otherwise):
            return all(is_null(arm) or _is_from_a_call(arm) for arm in (then, otherwise))
        case Convert(argument=argument):
            return _is_from_a_call(argument)
        case Operation(arguments=arguments):
            return any(_is_from_a_call(a) for a in arguments if isinstance(a.type, Pointer))
        case Call(type=Pointer(), name=name):
            return _may_be_new(name)
        case Load():
            return any(isinstance(e, Call) and library.says_it_allocates(e.name) for e in walk(value))
        case _:
            return False


def _may_be_new(function: str) -> bool:
    """Whether a function may give new memory: what the C library finds in a text, or in an array, is none."""
    return not is_of_c_library(function) or function in library.ALLOCATORS | library.GIVE_NEW
