"""When two pieces of the IR are the same code, equal in everything but the place where they stand; when two accesses
to one object are to different members."""

from .nodes import Access, Call, Choice, Convert, Expression, Literal, Load, Operation, Use, parts


def same_place(a: Access, b: Access) -> bool:
    """Whether two accesses name the same bytes whenever the symbols in them have the same values."""
    return (
        a.object == b.object
        and a.offset == b.offset
        and a.size == b.size
        and a.bits == b.bits
        and len(a.subscripts) == len(b.subscripts)
        and all(
            (x.index, x.stride, x.row_pointer) == (y.index, y.stride, y.row_pointer)
            for x, y in zip(a.subscripts, b.subscripts, strict=True)
        )
    )


def same(a: Expression, b: Expression) -> bool:
    """Whether two expressions of one statement have the same value: same operators over the same operands, without
    unknown calls and volatile reads."""
    match a, b:
        case Literal(), Literal():
            return a.value == b.value and type(a.value) is type(b.value) and a.type == b.type
        case Use(), Use():
            return a.variable.key == b.variable.key
        case Load(), Load():
            return same_place(a.access, b.access) and not a.access.volatile
        case Operation(), Operation():
            equal = a.operator == b.operator and a.type == b.type
        case Choice(), Choice():
            equal = a.operator == b.operator
        case Call(), Call():
            equal = a.name == b.name and (a.known or a.closed)
        case Convert(), Convert():
            equal = a.type == b.type
        case _:
            return False
    inner_a, inner_b = parts(a), parts(b)
    return equal and len(inner_a) == len(inner_b) and all(map(same, inner_a, inner_b))


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
