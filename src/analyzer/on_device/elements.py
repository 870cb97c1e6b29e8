"""The elements of an object that a loop uses, counted along its outermost subscript.

    a[i][j], 1 <= i < n, 0 <= j < m      ->  rows 1 .. n - 1 of a
    p[2*i].x, 0 <= i < n                 ->  elements 0 .. 2*n - 2 of p

A map of OpenMP or OpenACC names a part of an array so: from an element on, so many of them. Whether bytes in between
are used does not matter for that, but for what comes back (`is_filled`).
"""

from msgspec.structs import replace

from ..counts.nest import Nest, Touch
from ..counts.rows import facts
from ..counts.sections import Section, of_touches
from ..ir.nodes import Subscript
from ..ir.polynomials import ZERO, Poly, number
from ..polyhedra.signs import is_nonnegative

ONE = number(1)
_ALONE = (Subscript(ZERO, None, ONE),)


def used(nest: Nest, touches: list[Touch], size: Poly) -> Section | None:
    """From the first to before the last element of `size` bytes, in elements; None where a subscript has no bound, or
    leads out of its row. Example: see the module."""
    found, in_bytes = of_touches(nest, [_outermost(nest, touch) for touch in touches]), of_touches(nest, touches)
    if found is None or in_bytes is None:
        return None
    known = facts(nest, touches).also(*in_bytes.conditions)
    gaps = (in_bytes.low - found.low * size, found.high * size - in_bytes.high)
    return found if all(is_nonnegative(gap, known) for gap in gaps) else _divided(in_bytes, size)


def _divided(in_bytes: Section, size: Poly) -> Section | None:
    """The elements that hold a section in bytes, where these are known to be whole."""
    unit = size.constant
    ends = [None if unit is None else end.divided_by(unit) for end in (in_bytes.low, in_bytes.high)]
    if ends[0] is None or ends[1] is None:
        return None
    return Section(ends[0], ends[1], in_bytes.conditions, in_bytes.exact)


def _outermost(nest: Nest, touch: Touch) -> Touch:
    """The access as one of elements of a byte each, with its outermost subscript alone."""

    def alone() -> Touch:
        first = next((s for s in touch.access.subscripts if not s.row_pointer), None)
        subscripts = _ALONE if first is None else (replace(first, stride=ONE),)
        return replace(touch, access=replace(touch.access, subscripts=subscripts, field="", offset=0, size=1))

    return nest.once(("outermost", id(touch)), alone)


def stride(touches: list[Touch]) -> Poly | None:
    """Bytes of an element; None where accesses take the object for arrays of different elements, or for none."""
    found = {first_stride(touch) for touch in touches}
    return found.pop() if len(found) == 1 else None


def first_stride(touch: Touch) -> Poly | None:
    """Bytes between neighbours along the outermost subscript; None where there is none."""
    return next((s.stride for s in touch.access.subscripts if not s.row_pointer), None)


def is_filled(nest: Nest, touches: list[Touch], elements: Section, size: Poly) -> bool:
    """Whether the bytes from the first to the last one that is used are those of these elements."""
    in_bytes = of_touches(nest, touches)
    return in_bytes is not None and (in_bytes.low, in_bytes.high) == (elements.low * size, elements.high * size)
