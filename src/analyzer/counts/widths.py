"""Accesses that are wider than the steps between them, and so share bytes: `*(uint32_t *)(text + i)` for every i.

*Decides*: for accesses of one layout, shapes whose elements lie apart, with the bytes of one such element:

    step < width      (length - 1) * step + width bytes in one piece
    step >= width     the elements as they are

*Errs toward* nothing known: rows that reach into each other, widths that are no multiple of the stride, several shapes
whose elements lie apart only by themselves.
"""

from collections.abc import Sequence

from ..ir.polynomials import Poly, number
from ..polyhedra.signs import Region, is_nonnegative
from .shapes import Box, Dimension, Points, Side

Shapes = Sequence[Box | Points]


def apart(shapes: Shapes, dims: tuple[Dimension, ...], width: int, facts: Region) -> tuple[Shapes, int] | None:
    """The shapes and the bytes of an element; None where elements share bytes in a way that is not followed. `dims`:
    the dimensions of the shapes; `width`: of an access, in bytes."""
    stride = dims[-1].stride if dims else None
    if stride is None or stride.constant is None or width <= stride.constant:
        return shapes, width
    boxes = [s for s in dict.fromkeys(shapes) if isinstance(s, Box)]
    if len(boxes) < len(set(shapes)):
        return None
    steps = [box.sides[-1].step * stride.constant for box in boxes]
    if any(not _keeps_to_its_row(box, dims, stride.constant, width, facts) for box in boxes):
        return None
    if len(boxes) == 1 and steps[0] >= width:
        return shapes, width
    if any(step > width for step in steps) or width % stride.constant:
        return None
    return [_widened(box, width // stride.constant) for box in boxes], stride.constant


def _keeps_to_its_row(box: Box, dims: tuple[Dimension, ...], stride: int, width: int, facts: Region) -> bool:
    """Whether the last access of a row ends before the next row begins."""
    pitch = dims[-2].stride if len(dims) > 1 else None
    side = box.sides[-1]
    known = facts.also(*box.conditions)
    return pitch is None or is_nonnegative(pitch - (side.length - 1) * (side.step * stride) - width, known)


def _widened(box: Box, units: int) -> Box:
    """The box of strides: from the first byte to the last one."""
    last = box.sides[-1]
    whole = Side(last.low, (last.length - 1) * last.step + units)
    return Box((*box.sides[:-1], whole), (*box.conditions, *_not_empty(box)), box.exact)


def _not_empty(box: Box) -> tuple[Poly, ...]:
    """What was said by a length of 0."""
    return tuple(side.length - number(1) for side in box.sides if side.length.constant is None)
