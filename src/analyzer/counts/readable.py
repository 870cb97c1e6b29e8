"""What a test of a condition may read where the loop of a nest begins.

*Decides*: whether an element of an index array is read in every iteration (a condition around the loop's own read may
keep it from leaving the array), and whether C has the same expression there for a value that the loop selects by.
"""

from ..access.subscripts import element_part, row_part
from ..ir.nodes import Access, Computed, Declared, Either, Loaded, Pointee, Rows
from ..ir.polynomials import Symbol
from ..memory.access_text import written
from .nest import Nest, Touch
from .pointers_in_c import around_subscript, is_set, stays
from .scopes import Arm


def is_read_in_any_case(nest: Nest, access: Access) -> bool:
    """Whether the element of an access, or a member of it, is accessed without a condition."""
    return any(
        t.access.object == access.object
        and row_part(t.access) == row_part(access)
        and element_part(t.access)[:1] == element_part(access)[:1]
        and not _is_conditional(t)
        for t in nest.touches
    )


def _is_conditional(touch: Touch) -> bool:
    return any(isinstance(part, Arm) for part in touch.scope.path)


def is_readable(nest: Nest, s: Symbol) -> bool:
    """Whether a value, and all that it is selected by, can be read before the loop, for each iteration."""
    match s.origin:
        case Loaded(access=access, loops=loops) if nest.loop.key in loops:
            inner = (t for sub in access.subscripts for t in sub.index.symbols)
            read = _begins_there(nest, access) and is_read_in_any_case(nest, access)
            return read and all(is_readable(nest, t) for t in inner)
        case Computed(meaning=Either(text=text)):
            used = (t for t in nest.touches if any(s in sub.index.symbols for sub in t.access.subscripts))
            chosen = any(not _is_conditional(t) for t in used)
            return chosen and stays(nest, text.replace("?", " "), besides=nest.loop.variable)
        case _:
            return True


def _begins_there(nest: Nest, access: Access) -> bool:
    """Whether the pointer in the text of an access is, before the loop, where its object begins."""
    found, x = written(access), access.object
    if found is None or not stays(nest, found.pointer):
        return False
    match x:
        case Rows(field=field) if field:
            return found.pointer.replace("->", ".").endswith(f".{field.rpartition('.')[2]}")
        case Pointee(variable=variable):
            return found.pointer == variable.name and not is_set(nest, variable.name)
        case Declared(variable=variable):
            return found.pointer == variable.name
        case _:
            return around_subscript(nest, access) is not None
