"""Pointers that a loop swaps: each iteration permutes the objects that they point to.

*Decides*: for local pointers that a loop only exchanges (`t = p; p = q; q = t;` at the end of a time step), how the
memory behind them overlaps in an iteration, with each other and with other objects: as the objects do to which they
were set before the loop.
*Errs toward* nothing: each pointer is set once before the loop, or is a parameter that nothing else sets, and all that
the loop's own statement list does to them is a permutation; assignments under conditions or in inner loops are not
looked at. All of them are set in one list of statements: where a loop around comes by again, what sets one sets all.

    double *p = a, *q = b;
    for (t...) { for (i...) q[i] = p[i + 1]; double *s = p; p = q; q = s; }    ->  p and q apart if a and b are
"""

from collections.abc import Hashable, Iterator, Mapping
from typing import TypeVar

from models.expr.nodes import remembered

from ..ir.blocks import blocks
from ..ir.nodes import (
    Access,
    Address,
    Allocated,
    Anything,
    Assign,
    Call,
    Declared,
    Exit,
    Expression,
    Function,
    Held,
    Loop,
    Object,
    Pointee,
    Refused,
    Statement,
    Use,
    Variable,
    accesses_of,
    evaluated,
    loops,
    statements,
    unconverted,
)
from ..ir.pointer_roots import root
from ..source.ctypes import Floating, Integer, Pointer

K = TypeVar("K", bound=Hashable)


def permuted(function: Function) -> Iterator[Mapping[Object, tuple[Object, ...]]]:
    """For each loop that permutes pointers: the objects behind them in an iteration, with the objects that each may be,
    in one order for all: two are never the same one."""
    for loop in loops(function.body):
        names = _exchanged(loop)
        if len(names) < 2 or not all(_in_view(function, v) for v in names):
            continue
        if not _set_together(function, loop, names):
            continue
        entered = [_set_once(function, loop, v) for v in names]
        targets = tuple(x for x in entered if x is not None)
        behind = [_behind(loop, v) for v in names]
        if len(targets) == len(names) == len(set(targets)):
            yield {x: targets for x in behind if x is not None}


@remembered("_exchanged")
def _exchanged(loop: Loop) -> list[Variable]:
    """The pointers that the loop's body leaves as a permutation of what they were."""
    values: dict[int, int] = {}
    known: dict[int, Variable] = {}
    assigned = [s for s in loop.body if isinstance(s, Assign) and _is_pointer(s.target)]
    for s in assigned:
        source = unconverted(s.value)
        assert isinstance(s.target, Variable)
        known[s.target.key] = s.target
        values[s.target.key] = values.get(source.variable.key, source.variable.key) if isinstance(source, Use) else -1
    inner = [s.target for s in statements(loop.body) if isinstance(s, Assign) and _is_pointer(s.target)]
    found = [known[key] for key in sorted(permutation(values))]
    once = len(inner) == len(assigned) and all(v.scope in ("local", "parameter") for v in found)
    return found if once and not _left_between(loop.body, assigned) else []


def permutation(values: Mapping[K, K]) -> set[K]:
    """The largest set of places that only exchange what they hold. `values`: whose value each of them gets.

        permutation({"p": "q", "q": "p", "t": "p"})     ->  {"p", "q"}
    """
    kept = set(values)
    while True:
        inner = {place for place in kept if values[place] in kept}
        inner &= {values[place] for place in inner}
        if inner == kept:
            return kept
        kept = inner


def _in_view(function: Function, variable: Variable) -> bool:
    """Whether all that sets the variable are its assignments: of `swap(&p, &q)` with the body of the helper in view,
    the helper's own pointers hold the addresses, and nobody reads those."""
    if not variable.addressed:
        return True
    whole = Declared(variable)
    every = list(statements(function.body))
    if any(isinstance(s, Refused) or any(a.object == whole for a in accesses_of(s)) for s in every):
        return False
    if any(isinstance(s, Assign) and isinstance(s.target, Access) and _may_set_pointers(s.target) for s in every):
        return False
    holding = [s.target for s in every if isinstance(s, Assign) and _is_address(unconverted(s.value), whole)]
    inner = [e for s in every for e in evaluated(s)]
    read = {e.variable for e in inner if isinstance(e, Use)}
    taken = sum(_is_address(e, whole) for e in inner)
    return len(holding) == taken and all(isinstance(t, Variable) and t not in read for t in holding)


def _may_set_pointers(target: Access) -> bool:
    """Whether a store to who knows where may be one to a pointer: numbers are none, but for bytes (C11 6.5p7)."""
    of_numbers = isinstance(target.type, Integer | Floating) and target.type.size > 1
    return isinstance(root(target.object), Anything) and not of_numbers


def _is_address(value: Expression, whole: Object) -> bool:
    return isinstance(value, Address) and value.object == whole


def _left_between(body: tuple[Statement, ...], assigned: list[Assign]) -> bool:
    """Whether control may leave a body after some of the assignments and before others (`p = q; if (c) continue; q =
    s;`)."""
    places = [k for k, s in enumerate(body) if any(s is a for a in assigned)]
    between = body[places[0] : places[-1]] if places else ()
    own = {each.key for each in loops(between)}
    return any(isinstance(s, Exit) and s.leaves not in own for s in statements(between))


def _is_pointer(target: object) -> bool:
    return isinstance(target, Variable) and isinstance(target.type, Pointer)


def _set_together(function: Function, loop: Loop, names: list[Variable]) -> bool:
    """Whether all pointers get their first values in one list of statements, as parameters do at the start."""
    lists = {id(function.body) for v in names if v.scope == "parameter"}
    for block in blocks(function.body):
        if block is not loop.body and any(isinstance(s, Assign) and s.target in names for s in block):
            lists.add(id(block))
    return len(lists) == 1


def _set_once(function: Function, loop: Loop, variable: Variable) -> Object | None:
    """The object to which the one assignment outside the loop sets the pointer, or the caller does."""
    inside = {id(s) for s in statements(loop.body)}
    made = [s for s in statements(function.body) if isinstance(s, Assign) and s.target == variable]
    outside = [s for s in made if id(s) not in inside]
    if variable.scope == "parameter":
        restrict = isinstance(variable.type, Pointer) and variable.type.restrict
        return Pointee(variable, restrict) if not outside else None
    if len(outside) != 1:
        return None
    match unconverted(outside[0].value):
        case Address(object=found):
            return found
        case Use(variable=Variable(scope="parameter", type=Pointer(restrict=restrict)) as given):
            changed = any(isinstance(s, Assign) and s.target == given for s in statements(function.body))
            return None if changed or given.addressed else Pointee(given, restrict)
        case Call(made=Allocated() as fresh):
            return fresh
        case Use(variable=Variable(scope="local") as other) if not other.addressed and other != variable:
            return _set_once(function, loop, other) if _is_kept(function, loop, other) else None
        case _:
            return None


def _is_kept(function: Function, loop: Loop, variable: Variable) -> bool:
    """Whether the loop leaves the pointer alone."""
    return not any(isinstance(s, Assign) and s.target == variable for s in statements(loop.body))


def _behind(loop: Loop, variable: Variable) -> Object | None:
    """The name that memory behind the pointer has in the loop, be it of elements or of pointers to rows."""
    roots = {root(access.object) for s in statements(loop.body) for access in accesses_of(s)}
    found = [x for x in roots if isinstance(x, Anything) and x.pointer == Held(variable) and x.key > loop.key]
    return found[0] if len(found) == 1 else None
