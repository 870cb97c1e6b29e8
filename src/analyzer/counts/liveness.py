"""Whether what a loop stores can be seen after it.

*Decides*: memory behind parameters, globals, statics and unknown pointers is always live. A local array is
live when the function reads it after the loop, or anywhere in a loop around it, and when its address is passed on or
kept anywhere.
*Errs toward* live.
"""

from bisect import bisect_left
from collections.abc import Iterator

from msgspec import Struct

from ..ir.nodes import (
    Address,
    Allocated,
    Anything,
    Assign,
    Branch,
    Call,
    Declared,
    Evaluate,
    Expression,
    Function,
    Load,
    Loop,
    Object,
    Pointee,
    Refused,
    Rows,
    Statement,
    Text,
    expressions,
    parts,
    walk,
)


def is_live_after(function: Function, loop: Loop, around: tuple[Loop, ...], object_: Object) -> bool:
    """Whether a value stored to `object_` in `loop` may be read once the loop has ended."""
    match object_:
        case Declared(variable=variable):
            if variable.scope != "local":
                return True
        case Allocated():
            pass
        case Rows(base=base):
            return is_live_after(function, loop, around, base)
        case Pointee() | Text() | Anything():
            return True
    uses = _uses_in(function)
    if object_ in uses.escaped:
        return True
    first, _ = uses.ranges[(*around, loop)[0].key]
    start, end = uses.ranges[loop.key]
    at = uses.places.get(object_, [])
    if uses.jumps and at:
        return True
    return bisect_left(at, first) < bisect_left(at, start) or bisect_left(at, end) < len(at)


class _Uses(Struct):
    """Where a function reads each object or lets its address out, as ascending positions among its `length` statements;
    the positions of each loop's statements, as a half-open range; objects whose address is stored or passed on."""

    function: Function
    places: dict[Object, list[int]]
    ranges: dict[int, tuple[int, int]]
    escaped: set[Object]
    length: int
    jumps: bool = False
    """What is not followed, such as a `goto`, may lead back to what stands before a loop."""


_last: list[_Uses] = []
"""Of the function asked for last: its loops ask one after the other."""


def _uses_in(function: Function) -> _Uses:
    if not _last or _last[0].function is not function:
        uses = _Uses(function, {}, {}, set(), 0)
        _collect(uses, function.body)
        _last[:] = [uses]
    return _last[0]


def _collect(uses: _Uses, body: tuple[Statement, ...]) -> None:
    for statement in body:
        at = uses.length
        uses.length += 1
        for expression in expressions(statement):
            for object_ in _used(expression):
                uses.places.setdefault(object_, []).append(at)
            for part in walk(expression):
                if isinstance(part, Call):
                    uses.escaped.update(o for pointer in part.pointers for o in _bases(pointer))
        match statement:
            case Assign(value=value) | Evaluate(value=value, control=False):  # as an initialiser is evaluated
                uses.escaped.update(o for stored in _kept(value) for o in _bases(stored))
            case Branch(then=then, otherwise=otherwise):
                _collect(uses, then)
                _collect(uses, otherwise)
            case Loop(body=inner):
                _collect(uses, inner)
                uses.ranges.setdefault(statement.key, (at, uses.length))
            case Refused():
                uses.jumps = True
            case _:
                pass


def _used(expression: Expression) -> Iterator[Object]:
    """The objects that an expression reads or lets the address out of."""
    for part in walk(expression):
        match part:
            case Load(access=access):
                yield from _bases(access.object)
            case Call(pointers=pointers):
                for pointer in pointers:
                    yield from _bases(pointer)
            case Address(object=found) if found is not None:
                yield from _bases(found)
            case _:
                pass


def _kept(value: Expression) -> Iterator[Object]:
    """The objects of which a value holds the address: `c ? t : u`, `{ t, n }`."""
    match value:
        case Address(object=found) if found is not None:
            yield found
        case Load():
            pass  # an address in a subscript only says where to read
        case _:
            for part in parts(value):
                yield from _kept(part)


def _bases(object_: Object) -> Iterator[Object]:
    """The object, and those that hold the pointers to it."""
    yield object_
    if isinstance(object_, Rows):
        yield from _bases(object_.base)
