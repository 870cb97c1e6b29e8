"""Stores of one and the same value by several iterations: `seen[idx[i]] = 1`.

*Decides*: whether two stores leave the same in memory whichever comes last: a number, or a value that no iteration
changes, into places that are the same or do not overlap. That no iteration reads the place is for others to say.
*Errs toward* no: values from memory or calls, places that may overlap in part, bit-fields.
"""

from ..access.accesses import Occurrence
from ..access.subscripts import layout, same_shape
from ..ir.nodes import Convert, Expression, Literal, Operation, Use, parts
from ..ir.same import same
from ..source.ctypes import Floating, Integer
from .scope import Scope


def store_the_same(scope: Scope, a: Occurrence, b: Occurrence) -> bool:
    """Whether the order of two stores in different iterations does not show. Example: see the module."""
    return a.write and b.write and _are_alike(a, b) and _same_value(scope, a, b)


def only_stored_alike(scope: Scope, found: tuple[Occurrence, ...]) -> bool:
    """Whether all that a loop does to a variable is to store the same. Example: `if (a[i] < 0) any = 1;`."""
    return all(o.write and isinstance(o.access.type, Integer | Floating) for o in found) and all(
        _same_value(scope, found[0], o) for o in found
    )


def _same_value(scope: Scope, a: Occurrence, b: Occurrence) -> bool:
    if a.stored is None or b.stored is None:
        return False
    return same(a.stored, b.stored) and _is_steady(scope, a.stored)


def _are_alike(a: Occurrence, b: Occurrence) -> bool:
    """Whether both are to ordinary numbers, which overlap as a whole or not at all."""
    x, y = a.access, b.access
    plain = isinstance(x.type, Integer | Floating) and x.type == y.type and x.size == y.size and x.offset == y.offset
    if not plain or x.volatile or x.atomic or x.bits or y.bits:
        return False
    if x.object != y.object or x.field != y.field or not same_shape(layout(a).elements, layout(b).elements):
        return False
    unit = x.subscripts[-1].stride if x.subscripts else None
    return not x.subscripts or (unit is not None and (unit.constant or 0) >= x.size)


def _is_steady(scope: Scope, value: Expression) -> bool:
    """Whether the value is the same in every iteration."""
    match value:
        case Literal():
            return True
        case Use(variable=variable, value=known):
            own = variable.scope in ("local", "parameter") and not variable.addressed
            moving = known is not None and any(map(scope.varies, known.symbols))
            return own and variable.key not in scope.assigned and not moving
        case Convert() | Operation():
            return all(_is_steady(scope, part) for part in parts(value))
        case _:
            return False
