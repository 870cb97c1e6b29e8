"""What a test of a condition may read where the loop of a nest begins.

*Decides*: whether an element of an index array is read in every iteration (a condition around the loop's own read may
keep it from leaving the array), and whether C has the same expression there for a value that the loop selects by.
"""

from ..base.regex import regex
from ..dependence.index_text import beginning, behind, member_behind
from ..ir.members import element_part, row_part, selecting
from ..ir.nodes import Access, Computed, Declared, Either, Entry, Load, Loaded, Pointee, Rows, Use, stands_in
from ..ir.polynomials import ZERO, Poly, Symbol
from ..memory.access_text import beginning_of_last_group, written
from ..source.ctypes import CType, Integer, Pointer, Record, element
from .nest import Nest, Touch
from .pointers_in_c import around_subscript, is_in_view, is_named_here, is_set, stays
from .scopes import Arm


def around_element(nest: Nest, access: Access) -> tuple[str, str] | None:
    """What stands around the subscript of an element, and the member behind it, where the loop begins: `s->a` and `.x`
    of `s->a[i].x`, also where an inlined function reads it by other names."""
    parts = around_subscript(nest, access)
    found = written(access, nest.loop)
    if parts is not None or found is None or not _begins_there(nest, access):
        return parts
    return beginning(access, found), member_behind(found)


def inside_structure(nest: Nest, access: Access) -> tuple[str, str] | None:
    """The same of an array in the structure that a pointer leads to, whose element 0 that is: `s->p` and `.x` of
    `s->p[i].x`; None of others."""
    bare = _MEMBERS.sub("", access.text)
    start, parts = beginning_of_last_group(bare), element_part(access)
    shown = len(parts) == 2 and access.text.count("[") == 1 and parts[0].index == ZERO and parts[1] == selecting(access)
    if start is None or not shown or "->" not in bare[:start] or not stays(nest, bare[:start]):
        return None
    return (bare[:start], access.text[len(bare) :]) if stands_in(nest.loop, access) else None


_MEMBERS = regex(r"(?:\.\w+)+\Z")


def is_read_in_any_case(nest: Nest, access: Access) -> bool:
    """Whether the element of an access, or a member of it, is accessed without a condition."""
    return any(
        t.access.object == access.object
        and row_part(t.access) == row_part(access)
        and element_part(t.access)[:1] == element_part(access)[:1]
        and not is_conditional(t)
        for t in nest.touches
    )


def is_conditional(touch: Touch) -> bool:
    """Whether some iterations may leave an access out."""
    return any(isinstance(part, Arm) for part in touch.scope.path)


def is_readable(nest: Nest, s: Symbol) -> bool:
    """Whether a value, and all that it is selected by, can be read before the loop, for each iteration."""
    match s.origin:
        case Loaded(access=access, loops=loops) if nest.loop.key in loops:
            inner = (t for sub in access.subscripts for t in sub.index.symbols)
            read = _begins_there(nest, access) and is_read_in_any_case(nest, access)
            return read and all(is_readable(nest, t) for t in inner)
        case Computed(meaning=Either(values=values, pointer=Load() | Use() as p)):
            used = (t for t in nest.touches if any(s in sub.index.symbols for sub in t.access.subscripts))
            return not all(map(is_conditional, used)) and _is_readable_choice(nest, p, *values)
        case Entry(variable=variable):
            return is_in_view(nest, variable)
        case _:
            return True


def _is_readable_choice(nest: Nest, p: Load | Use, then: Poly, otherwise: Poly) -> bool:
    read = behind(p, then)
    if read is None or not _begins_there(nest, read):
        return False
    inner = {t for sub in read.subscripts for t in sub.index.symbols} | otherwise.symbols
    return all(is_readable(nest, t) for t in inner)


def _begins_there(nest: Nest, access: Access) -> bool:
    """Whether the pointer to where an object begins (`beginning`) has that value where the loop begins."""
    found, x = written(access, nest.loop), access.object
    if found is None or not stays(nest, pointer := beginning(access, found)) or not is_named_here(nest, access):
        return False
    match x:
        case Rows(field=field) if field:
            return pointer == found.pointer
        case Pointee(variable=variable):
            by_name = variable.scope == "parameter" and not variable.addressed and _is_element(access, variable.type)
            return not is_set(nest, variable.name) and (pointer == found.pointer or by_name)
        case Declared(variable=variable):
            return pointer == found.pointer or _is_element(access, variable.type)
        case _:
            return around_subscript(nest, access) is not None


def _is_element(access: Access, type_: CType) -> bool:
    """Whether an access is to an element of what a variable of this type holds or leads to as C has it there, not to
    bytes of it, or as another number (`((int *)bytes)[i]`)."""
    there = element(type_.target if isinstance(type_, Pointer) else type_)
    match there, access.type:
        case Record(), _:
            return access.field != ""
        case Integer(size=size, signed=signed), Integer():
            return (access.type.size, access.type.signed) == (size, signed)
        case _:
            return type(there) is type(access.type)
