"""Where the memory of an access comes from, in words: what a reader needs to say whether two of them overlap."""

from ..base.places import Place
from ..ir.nodes import Access, Allocated, Anything, Declared, Held, Object, Pointee, Returned, Rows, Text, Variable
from ..ir.pointer_roots import root


def origins(a: Access, b: Access) -> str:
    """Of two accesses that may meet, in one phrase; where both come from one place, that once.

    Example: "one through the parameter `a`, the other through what `get()` returned (line 8)"."""
    one, other = _origin(a), _origin(b)
    return f"both through {one}" if one == other else f"the first through {one}, the second through {other}"


def origin(a: Access) -> str:
    """Of one access. Example: "it goes through the parameter `a`"."""
    return f"it goes through {_origin(a)}"


def _origin(access: Access) -> str:
    start = _start(root(access.object), access.place)
    return f"a pointer loaded via {start}" if isinstance(access.object, Rows) else start


def _start(x: Object, seen: Place) -> str:
    match x:
        case Declared(variable):
            return f"`{variable.name}`{_declared(variable, seen)}"
        case Pointee(variable):
            kind = {"parameter": "parameter", "global": "global pointer"}.get(variable.scope, "pointer")
            return f"the {kind} `{variable.name}`{_declared(variable, seen)}"
        case Allocated(call=call, place=place):
            return f"memory that `{call}()` gave {_at(place, seen)}"
        case Anything(pointer=Held(variable, line)):
            where = f" as of line {line}" if line else ""
            return f"the pointer `{variable.name}`{where}, which is not followed back"
        case Anything(pointer=Returned(function, place)):
            return f"what `{function}()` returned {_at(place, seen)}"
        case Anything(text=text):
            return f"the pointer `{text}`, of unknown origin"
        case Text(place):
            return f"a string {_at(place, seen)}"
        case _:
            return f"`{x}`"


def _declared(variable: Variable, seen: Place) -> str:
    """` (line 12)`; nothing of what no function declares: its place is not kept."""
    own = variable.scope in ("parameter", "local")
    return f" ({_at(variable.place, seen).removeprefix('on ')})" if own else ""


def _at(place: Place, seen: Place) -> str:
    """`on line 12`, with the file where that is another one than that of the access."""
    return f"on line {place.line}" + (f" of {place.path}" if place.path != seen.path else "")
