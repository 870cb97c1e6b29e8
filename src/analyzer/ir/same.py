"""When two pieces of the IR are the same code, equal in everything but the place where they stand; when two accesses
to one object are to different members."""

from msgspec import Struct

from .nodes import Access, Call, Choice, Convert, Expression, Literal, Load, Object, Operation, Use, parts
from .polynomials import Poly


class Location(Struct, frozen=True, cache_hash=True):
    """One place in memory: `size` bytes from `offset` on in one element of an object, or `bits` of them. `elements`:
    index and stride of each subscript, None where it selects a pointer."""

    object: Object
    elements: tuple[tuple[Poly, Poly | None], ...]
    bits: tuple[int, int] | None
    offset: int
    size: int


def location_of(access: Access) -> Location:
    """Equal for accesses that name the same bytes whenever the symbols in them have the same values. A bit-field is
    not the bytes that it shares with others, and `((struct s *)p)[1]` is not `p[1]`: to assign one leaves the other."""
    elements = tuple((s.index, None if s.row_pointer else s.stride) for s in access.subscripts)
    return Location(access.object, elements, access.bits, access.offset, access.size)


def same_place(a: Access, b: Access) -> bool:
    """Whether two accesses name the same bytes whenever the symbols in them have the same values."""
    return a.object == b.object and location_of(a) == location_of(b)


def same(a: Expression, b: Expression) -> bool:
    """Whether two expressions of one statement have the same value, or of two, if nothing in between assigns to their
    variables but to those that have formulas: same operators over the same operands, without unknown calls and volatile
    reads."""
    match a, b:
        case Literal(), Literal():
            return a.value == b.value and type(a.value) is type(b.value) and a.type == b.type
        case Use(), Use():
            is_volatile = getattr(a.variable.type, "volatile", False)
            return a.variable.key == b.variable.key and a.value == b.value and not is_volatile
        case Load(), Load():
            return same_place(a.access, b.access) and not a.access.volatile
        case Operation(), Operation():
            equal = a.operator == b.operator and a.type == b.type
        case Choice(), Choice():
            equal = a.operator == b.operator
        case Call(), Call():
            equal = a.name == b.name and a.gives_a_value_alone and not a.reads_own
        case Convert(), Convert():
            equal = a.type == b.type
        case _:
            return False
    inner_a, inner_b = parts(a), parts(b)
    return equal and len(inner_a) == len(inner_b) and all(map(same, inner_a, inner_b))
