"""Which places an access goes through while a loop runs, and how far it moves from one iteration to the next."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from msgspec import Struct

from models.incore import Pace

from ..counts.coalescing import is_filled
from ..ir.invariance import varies
from ..ir.members import element_part, row_part
from ..ir.nodes import Access, Loop, Object
from ..ir.polynomials import ZERO, Poly, Symbol

LINE = 64
"""Bytes of a line: of x86 and of most Arm processors."""


class Course(Struct, frozen=True):
    """The places that an access goes through: `address` in bytes from the start of its `row`, which the subscripts of
    the pointers say that are followed on the way (none: from the start of the object), and `step`, in bytes from one
    iteration to the next. `regular`: every iteration accesses the same row, and goes on by the same step."""

    row: tuple[Poly, ...]
    address: Poly
    step: Poly
    regular: bool

    @property
    def fixed(self) -> bool:
        """Whether every iteration accesses the same place."""
        return self.regular and not self.step.terms

    @property
    def is_shifted(self) -> bool:
        """Whether it begins elsewhere than at a line, if its array and the rows of it begin there."""
        return self.regular and self.address.constant_term % LINE != 0


class Touched(Struct, frozen=True):
    """One access of the body; `share`: in how many of the iterations it is made."""

    access: Access
    course: Course
    is_store: bool
    share: float


def paces(touched: Iterable[Touched]) -> list[tuple[Touched, Pace, int]]:
    """Each access with how far it moves from one iteration to the next, and how many elements side by side an iteration
    accesses there: `unit` also for members of structures, if these are all of them."""
    everything = list(touched)
    groups: dict[object, set[Poly]] = {}
    for t in everything:
        groups.setdefault(_group(t), set()).add(t.course.address)
    return [(t, *_pace(t, len(groups[_group(t)]))) for t in everything]


def _group(t: Touched) -> object:
    return t.access.object, t.course.row, t.is_store, t.course.step


def _pace(t: Touched, beside: int) -> tuple[Pace, int]:
    if not t.course.regular:
        return "scattered", 1
    step, size = t.course.step.constant, t.access.size
    if step is None or not size or not is_filled(step, size, beside):  # of a type that nothing declares: no size
        return "apart", 1
    return "unit", max(1, abs(step) // size)


Spot: TypeAlias = tuple[Object, tuple[Poly, ...], Poly]
"""An element of memory: an object, a row of it, and the address there."""


def spot(t: Touched) -> Spot:
    return t.access.object, t.course.row, t.course.address


def place_of(access: Access) -> tuple[tuple[Poly, ...], Poly | None]:
    """The subscripts up to the last pointer that is followed, and the bytes from where it leads to; None for elements
    of a size that nothing declares."""
    row, behind = row_part(access), element_part(access)
    parts = [s.index * s.stride for s in behind if s.stride is not None]
    if len(parts) < len(behind):
        return tuple(s.index for s in access.subscripts), None
    return tuple(s.index for s in row), Poly.sum(parts) + access.offset


def course_of(loop: Loop, access: Access, numbers: Mapping[Symbol, Poly]) -> Course:
    """How an access of the loop goes; `numbers`: those of the counters of unrolled loops."""
    row, address = place_of(access)
    if address is None:
        return Course(row, ZERO, ZERO, regular=False)
    if numbers:
        row, address = tuple(i.substitute(numbers) for i in row), address.substitute(numbers)
    step = address.coefficient(loop.counter)
    stays = not any(varies_in(loop, i.symbols) for i in row)
    return Course(row, address, step, stays and is_even(loop, address, step))


def is_even(loop: Loop, value: Poly, step: Poly) -> bool:
    """Whether a value changes by this step from each iteration to the next."""
    rest = value.without(loop.counter).symbols
    if loop.counter in step.symbols or not value.is_linear_in((loop.counter,)):
        return False
    return not varies_in(loop, (*rest, *step.symbols))


def varies_in(loop: Loop, symbols: Iterable[Symbol]) -> bool:
    """Whether one of them changes from iteration to iteration."""
    return any(varies(s, {loop.key}.__contains__, lambda read: True) for s in symbols)
