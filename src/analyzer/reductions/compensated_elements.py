"""Sums in memory that carry along what rounding took from them, as `compensated` has them for scalars.

*Decides*: which statements of a function make up such a sum of elements, and of which arrays.
*Method*: the statements are looked at with a scalar in place of each element that they store to. An array of
  corrections is one of the function's own that holds 0 before the first of them, so that in exact arithmetic it always
  does: whatever elements a sum and its correction are, the sum grows by what depends on neither.
*Errs toward* none: arrays of corrections of which somebody has the address, two elements of one array that may be the
  same, sums in memory with a correction in a scalar.

    double c[2] = {0, 0}; for (...) { y = x[i] - c[k]; t = s[k] + y; c[k] = (t - s[k]) - y; s[k] = t; }    ->  s, c
    double c[2] = {0, 1}; for (...) ...                                                                    ->  none
"""

from collections.abc import Iterator, Mapping
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace

from ..ir.blocks import Block, blocks
from ..ir.nodes import (
    Access,
    Address,
    Assign,
    Branch,
    Call,
    Convert,
    Declared,
    Evaluate,
    Expression,
    Function,
    Load,
    Object,
    Operation,
    Statement,
    Use,
    Variable,
    accesses_of,
    evaluated,
    is_null,
    statements,
    walk,
)
from ..ir.same import Location, location_of
from ..source.ctypes import Complex, Floating
from .compensated import summed_up, touch_alone, touched

Place = tuple[Object, Location]

FIRST_KEY = 1 << 40
"""Of the scalars that stand for elements: larger than those of all variables."""


class _Sum(Struct, frozen=True):
    """Statements that make up a sum, with the arrays that its elements and its corrections are in."""

    steps: Block
    sums: frozenset[Object]
    corrections: frozenset[Object]
    temporaries: frozenset[int]


def compensated_elements(function: Function) -> Mapping[int, frozenset[Object]]:
    """By the `id` of each statement of such a sum, the arrays that it adds to, or keeps corrections in."""
    found = [s for block in blocks(function.body) for run in _runs(block) for s in _sums(run)]
    corrections = frozenset[Object]().union(*(s.corrections for s in found))
    sums = frozenset[Object]().union(*(s.sums for s in found))
    if not found or sums & corrections or not _are_read_nowhere_else(function, found):
        return {}
    steps = {id(step) for s in found for step in s.steps}
    if not all(_is_always_zero(function, x, steps) for x in corrections):
        return {}
    inside = ((s, each) for s in found for step in s.steps for each in statements((step,)))
    return {id(each): s.sums | s.corrections for s, each in inside}


def _runs(block: Block) -> Iterator[Block]:
    """The statements of a block between those that hold others, but for branches that only assign."""
    run: list[Statement] = []
    for statement in block:
        if isinstance(statement, Assign | Evaluate) or _only_assigns(statement):
            run.append(statement)
        else:
            yield tuple(run)
            run = []
    yield tuple(run)


def _only_assigns(statement: Statement) -> bool:
    arms = (*statement.then, *statement.otherwise) if isinstance(statement, Branch) else ()
    return bool(arms) and all(isinstance(s, Assign) for s in arms)


def _sums(run: Block) -> Iterator[_Sum]:
    stored = [a.target for s in run for a in _all(s) if isinstance(a, Assign) and isinstance(a.target, Access)]
    corrections = [a for a in stored if _may_correct(a)]
    named = _named(run, {a.object for a in stored}) if corrections and len(stored) > 1 else None
    renamed = None if named is None else [_with_scalars(s, named) for s in run]
    if named is None or renamed is None or None in renamed:
        return
    written = {id(new): old for old, new in zip(run, renamed, strict=True)}
    scalars = {v.key: place for place, v in named.items()}
    for place in dict.fromkeys(map(_place, corrections)):
        found = summed_up(tuple(s for s in renamed if s is not None), named[place])
        if found is None or named[place].key not in found.corrections:
            continue
        states = found.sums | found.corrections
        used = frozenset(key for step in found.steps for key in touched(step))
        if states <= scalars.keys() and used & scalars.keys() <= states:
            sums, kept = (frozenset(scalars[k][0] for k in keys) for keys in (found.sums, found.corrections))
            yield _Sum(tuple(written[id(s)] for s in found.steps), sums, kept, found.temporaries)


def _all(statement: Statement) -> Iterator[Statement]:
    return statements((statement,))


def _place(access: Access) -> Place:
    return access.object, location_of(access)


def _may_correct(access: Access) -> bool:
    x = access.object
    own = isinstance(x, Declared) and x.variable.scope == "local" and not x.variable.per_thread
    return own and isinstance(access.type, Floating | Complex)


def _named(run: Block, stored: set[Object]) -> dict[Place, Variable] | None:
    """A scalar for each element of these objects that the statements touch; None where two may be the same one."""
    found: dict[Place, Access] = {}
    for access in (a for s in run for inner in _all(s) for a in accesses_of(inner) if a.object in stored):
        first = found.setdefault(_place(access), access)
        if first.type != access.type or access.volatile or access.atomic:
            return None
    if not all(_are_apart(a, b) for a, b in combinations(found.values(), 2) if a.object == b.object):
        return None
    scalars = (Variable(a.text, FIRST_KEY + k, a.type, "local", a.place) for k, a in enumerate(found.values()))
    return dict(zip(found, scalars, strict=True))


def _are_apart(a: Access, b: Access) -> bool:
    """Whether two elements of one array are certainly different ones."""
    alike = len(a.subscripts) == len(b.subscripts) and (a.field, a.type) == (b.field, b.type)
    pairs = zip(a.subscripts, b.subscripts, strict=True) if alike else ()
    return any((x.index - y.index).constant for x, y in pairs)


def _with_scalars(statement: Statement, named: Mapping[Place, Variable]) -> Statement | None:
    """The statement with scalars for elements; None where it uses one in a way that is not looked into."""
    match statement:
        case Assign(target=target, value=value):
            new = _renamed(value, named)
            scalar = named.get(_place(target)) if isinstance(target, Access) else target
            return None if new is None else replace(statement, target=scalar or target, value=new)
        case Evaluate(value=value):
            new = _renamed(value, named)
            return None if new is None else replace(statement, value=new)
        case Branch(condition=condition, then=then, otherwise=otherwise):
            new = _renamed(condition, named)
            arms = [[_with_scalars(s, named) for s in arm] for arm in (then, otherwise)]
            kept = [tuple(s for s in arm if s is not None) for arm in arms]
            if new is None or [len(arm) for arm in kept] != [len(arm) for arm in arms]:
                return None
            return replace(statement, condition=new, then=kept[0], otherwise=kept[1])
        case _:
            return None


def _renamed(e: Expression, named: Mapping[Place, Variable]) -> Expression | None:
    match e:
        case Load(access=access) if (scalar := named.get(_place(access))) is not None:
            return Use(scalar, access.type)
        case Convert(argument=argument):
            new = _renamed(argument, named)
            return None if new is None else replace(e, argument=new)
        case Operation(arguments=arguments) | Call(arguments=arguments):
            every = [_renamed(argument, named) for argument in arguments]
            kept = tuple(new for new in every if new is not None)
            return replace(e, arguments=kept) if len(kept) == len(every) else None
        case _:
            read = (_place(part.access) for part in walk(e) if isinstance(part, Load))
            return e if named.keys().isdisjoint(read) else None


def _are_read_nowhere_else(function: Function, found: list[_Sum]) -> bool:
    """Whether nothing else of the function uses the scalars that the sums are worked out in."""
    keys = frozenset[int]().union(*(s.temporaries for s in found))
    steps = {id(step): step for s in found for step in s.steps}
    return touch_alone(steps.values(), function.body, keys)


def _is_always_zero(function: Function, x: Object, steps: set[int]) -> bool:
    """Whether nobody has the address of the array, and all that it begins with, or that is stored in it besides, is
    0."""
    if isinstance(x, Declared) and x.variable.key in function.initialised - function.zeroed:
        return False
    inside = {id(each) for s in statements(function.body) if id(s) in steps for each in _all(s)}
    for s in statements(function.body):
        if any(isinstance(e, Address) and e.object == x for e in evaluated(s)):
            return False
        if id(s) not in inside and _stores_a_number(s, x):
            return False
    return True


def _stores_a_number(s: Statement, x: Object) -> bool:
    """Whether a statement stores something else than 0 in an array."""
    match s:
        case Assign(target=Access(object=target), value=value):
            return target == x and not is_null(value)
        case _:
            return False
