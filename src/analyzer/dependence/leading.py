"""Objects that a pointer may lead to, wherever it has walked: arithmetic on it stays in its object (C11 6.5.6p8).

*Decides*: for local pointers and pointer parameters that nobody else can set, the objects that their assignments in the
function name. That is asked where the value of the pointer is not known, so that its memory has a name of its own.
*Method*: the union over all assignments, until nothing is added; a step (`p++`, `p += k`) adds nothing.
*Errs toward* nothing: a pointer that is set from memory, from a call or by its address is not followed, nor is one
that only started there.

    p = a; q = b; for (i...) for (j...) *p++ = *q++;        ->  p leads to a, q to b
"""

from collections.abc import Iterable, Mapping

from ..loops.ir import (
    Address,
    Anything,
    Assign,
    Declared,
    Expression,
    Function,
    Object,
    Pointee,
    Refused,
    Use,
    Variable,
    statements,
    unconverted,
)
from ..source.ctypes import Pointer


def leading(function: Function, lent: Iterable[Object] = ()) -> Mapping[str, frozenset[Object]]:
    """The objects, by the name of the pointer (that of all pointers of one name together). `lent`: objects whose
    address is taken somewhere: who has the address of a pointer (`get(&p)`) may set it."""
    made: dict[str, list[Expression]] = {}
    unknown = {o.variable.name for o in lent if isinstance(o, Declared)}
    pointers = (v for v in function.parameters if isinstance(v.type, Pointer) and v.name not in unknown)
    own = {v.name: Pointee(v, v.type.restrict) for v in pointers if isinstance(v.type, Pointer)}
    for s in statements(function.body):
        match s:
            case Assign(target=Variable(type=Pointer()) as pointer, value=value):
                made.setdefault(pointer.name, []).append(value)
                if pointer.addressed or pointer.scope not in ("local", "parameter"):
                    unknown.add(pointer.name)
            case Refused():
                return {}
            case _:
                pass
    found: dict[str, set[Object]] = {name: {own[name]} if name in own else set() for name in [*own, *made]}
    while True:
        before = {name: set(objects) for name, objects in found.items()}
        for name, values in made.items():
            for value in values:
                _add(name, value, found, own, unknown)
        if found == before:
            return {name: frozenset(objects) for name, objects in found.items() if objects and name not in unknown}


def _add(
    name: str, value: Expression, found: dict[str, set[Object]], own: Mapping[str, Pointee], unknown: set[str]
) -> None:
    """What one assignment adds to the objects of a pointer, or that it is unknown."""
    match unconverted(value):
        case Address(object=Anything(reason=reason)) | Use(variable=Variable(name=reason)):
            source = pointer_name(reason)
            if source in unknown or (source not in found and source not in own):
                unknown.add(name)
            else:
                found[name] |= found[source] if source in found else {own[source]}
        case Address(object=object_) if object_ is not None:
            found[name].add(object_)
        case _:
            unknown.add(name)


def pointer_name(reason: str) -> str:
    """The pointer that memory of unknown origin is named after: `p`, or `p@12` for what it is from line 12 on."""
    return reason.partition("@")[0]
