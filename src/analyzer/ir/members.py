"""The members of an element that accesses name: the pointers that are followed to get to it, and its bytes."""

from ..source.ctypes import Record
from .nodes import Access, Declared, Subscript, Variable


def row_part(access: Access) -> tuple[Subscript, ...]:
    """The subscripts up to the last pointer that is followed."""
    followed = [k for k, s in enumerate(access.subscripts) if s.row_pointer]
    return access.subscripts[: followed[-1] + 1] if followed else ()


def element_part(access: Access) -> tuple[Subscript, ...]:
    """The subscripts behind the last pointer that is followed."""
    return access.subscripts[len(row_part(access)) :]


def selecting(access: Access) -> Subscript | None:
    """The subscript that selects the element, where all others are numbers: the first of `edge[i][1]`."""
    elements = element_part(access)
    moving = [s for s in elements if s.index.constant is None] or list(elements[:1])
    return moving[0] if len(moving) == 1 else None


def inner_part(access: Access) -> tuple[Subscript, ...]:
    """The subscripts that may leave their rows without leaving the object: all but the first, and the first in a member
    of one structure (`s.mass[k]`)."""
    elements = element_part(access)
    match access.object:
        case Declared(variable=Variable(type=Record())) if elements == access.subscripts:
            return elements
        case _:
            return elements[1:]


def disjoint_members(a: Access, b: Access) -> bool:
    """Whether two accesses to one object touch different bytes of every element: members that do not overlap."""
    if len(a.subscripts) != len(b.subscripts) or not a.size or not b.size:
        return False
    strides = [(x.stride, y.stride) for x, y in zip(a.subscripts, b.subscripts, strict=True)]
    if any(x != y for x, y in strides) or len([s for s in a.subscripts if not s.row_pointer]) > 1:
        return False
    if a.subscripts and not a.subscripts[-1].row_pointer:
        stride = a.subscripts[-1].stride
        element = stride.constant if stride is not None else None
        if element is None or max(a.offset + a.size, b.offset + b.size) > element:
            return False
    return a.offset + a.size <= b.offset or b.offset + b.size <= a.offset


def in_other_bytes(a: Access, b: Access) -> bool:
    """Whether two accesses to one object touch other bytes of every element: other members, be they arrays, as long as
    subscripts stay in them. A flexible array member has no end: then the two have to be in one element.

        struct { int n; struct { double x; int key; } item[]; } *l;        l->n and l->item[i].key   ->  True
    """
    if disjoint_members(a, b):
        return True
    if not a.size or not b.size or [s.stride for s in _leading(a)] != [s.stride for s in _leading(b)]:
        return False
    ends = end_of_members(a), end_of_members(b)
    if None in ends and (row_part(a), _leading(a)) != (row_part(b), _leading(b)):
        return False
    return any(end is not None and end <= other.offset for end, other in zip(ends, (b, a), strict=True))


def _leading(access: Access) -> tuple[Subscript, ...]:
    """The subscript that says which of several structures it is, if any."""
    elements = element_part(access)
    return elements[: len(elements) - len(inner_part(access))]


def end_of_members(access: Access) -> int | None:
    """The byte of an element behind all that an access with other inner subscripts may touch; None: there is none."""
    end = access.offset + access.size
    for s in inner_part(access):
        extent, stride = (None if v is None else v.constant for v in (s.extent, s.stride))
        if extent is None or stride is None:
            return None
        end += (extent - 1) * stride
    return end


def shares_bytes(access: Access) -> bool:
    """Whether an access is to a member of a structure in which members share bytes, as those of unions do."""
    return access.structure is not None and access.structure.shares
