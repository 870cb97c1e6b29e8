"""Where an object begins whose pointer the program moved on before the loop: `st - 1` where `st = it + 1` leads.

*Decides*: the address of the object from which the byte offsets of its accesses count, by the pointer of one of them:
what its subscript says, taken from the place where the access is, is how far the pointer is behind the beginning.
*Errs toward* none: where the loop sets the pointer, or C cannot have that distance where the loop begins.

    const short *st = it + 1;  for (i = 0; i < n; i++) y[i] = st[i];      ->  (char *)(st) - (2L)
"""

from collections.abc import Iterable

from ..ir.nodes import Access, all_loops
from ..memory.access_text import written
from .nest import Nest
from .pointers_in_c import is_named_here, stays, value_of_subscript
from .values_in_c import in_long, value_in_c


def begin_before(nest: Nest, accesses: Iterable[Access]) -> str | None:
    """Example: see the module."""
    found = (_begin_before(nest, access) for access in accesses)
    return next((text for text in found if text is not None), None)


def _begin_before(nest: Nest, access: Access) -> str | None:
    text = written(access, nest.loop)
    places = [s for s in access.subscripts if not s.row_pointer]
    if text is None or len(places) != 1 or not stays(nest, text.pointer) or not is_named_here(nest, access):
        return None
    (place,) = places
    said = value_of_subscript(nest, text.subscripts[0], place.index)
    if said is None or place.stride is None:
        return None
    moved = (place.index - said) * place.stride
    if not moved.symbols.isdisjoint({loop.counter for loop in all_loops(nest.loop)}):
        return None
    distance = value_in_c(nest, moved)
    return None if distance is None else f"(char *)({text.pointer}) - {in_long(distance)}"
