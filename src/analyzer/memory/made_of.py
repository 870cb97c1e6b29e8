"""Which of its own objects pointers may lead to that are not followed.

*Decides*: for values of pointers in a function, the objects whose addresses it may have made them of. What a call
returns and what is read from memory is not made here: a call gives back no object that no call was given, and memory
holds no pointer that was not stored before (of variables that others lead to see `Escapes.held_by_variables`).
*Method*: all that is assigned to the pointer variables on the way, wherever that is.
*Errs toward* `SOMEWHERE`, any object: arithmetic with addresses as numbers, and values that the IR does not hold.

    find(list)                                  ->  nothing
    p, after p = find(list); if (!p) p = t;     ->  t
    (void *)(((uintptr_t)t + 63) & -64)         ->  somewhere
"""

from collections.abc import Iterable, Iterator, Mapping

from models.expr.nodes import remembered

from ..ir.nodes import (
    Address,
    Allocated,
    Anything,
    Assign,
    Call,
    Choice,
    Expression,
    Function,
    Held,
    Literal,
    Load,
    Object,
    Returned,
    Rows,
    Use,
    Variable,
    every_statement,
    unconverted,
)
from ..source.ctypes import Function as FunctionType
from ..source.ctypes import Pointer

SOMEWHERE = Anything("", 0)
"""What a pointer of unknown origin leads to."""


def made_of(function: Function, pointers: Iterable[Expression]) -> frozenset[Object]:
    """The objects whose addresses these may be from this function. Example: see the module."""
    values = _assigned(function)
    found: set[Object] = set()
    known: set[int] = set()
    todo = list(pointers)
    while todo:
        for origin in _origins(todo.pop()):
            if isinstance(origin, Variable):
                todo += () if origin.key in known else values.get(origin.key, ())
                known.add(origin.key)
            else:
                found.add(origin)
    return frozenset(found)


@remembered("_assigned")
def _assigned(function: Function) -> Mapping[int, list[Expression]]:
    """What each variable is set to, by its key: asked for every pointer variable of the function."""
    values: dict[int, list[Expression]] = {}
    for s in every_statement(function):
        if isinstance(s, Assign) and isinstance(s.target, Variable):
            values.setdefault(s.target.key, []).append(s.value)
    return values


def _origins(value: Expression) -> Iterator[Object | Variable]:
    """What a pointer is made of: objects, and other pointer variables."""
    match unconverted(value):
        case Call(made=Allocated() as new):
            yield new
        case Use(variable=Variable(type=Pointer()) as variable) | Address(
            object=Anything(pointer=Held(variable=variable))
        ):
            yield variable
        case Call() | Load() | Literal() | Address(object=Rows() | Anything(pointer=Returned())):
            pass
        case Address(object=None, type=FunctionType()):
            pass
        case Address(object=found) if found is not None:
            yield SOMEWHERE if isinstance(found, Anything) else found
        case Choice(then=then, otherwise=otherwise):
            yield from (*_origins(then), *_origins(otherwise))
        case _:
            yield SOMEWHERE
