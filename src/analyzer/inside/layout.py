"""Objects as arrays of isl: which name and which index an access has.

    members   every access counts in the same units: one array per member, the subscripts are the index
    rows      `a[i*n + j]` alone: the digits of the subscript, taken to stay in their rows (`in-bounds`)
    bytes     the object is seen in several ways: byte by byte
    whole     nothing better can be said: one cell, which every access may touch
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Literal, TypeAlias

from msgspec import Struct

from ..access.delinearize import Digit, Walk, digits, honest, radices
from ..access.planes import Radix
from ..access.subscripts import byte_offset, fits
from ..ir.members import element_part, row_part
from ..ir.nodes import Access, Allocated, Declared, Loop, Object, Variable
from ..ir.pointer_roots import root
from ..ir.polynomials import Poly
from ..memory.alias import c_text, member_text
from .instances import Instance, Target, Touch

Kind: TypeAlias = Literal["members", "rows", "bytes", "whole"]


class Layout(Struct, frozen=True):
    """How one object is written down; `radix` for rows."""

    kind: Kind
    radix: Radix = ()


def place(target: Target) -> Object:
    """The object that is touched; a scalar is one, too."""
    return Declared(target) if isinstance(target, Variable) else target.object


def layouts(found: Iterable[Instance]) -> dict[Object, Layout]:
    """The layout of every object of a nest."""
    by_object: dict[Object, list[tuple[Instance, Touch]]] = {}
    for instance in found:
        for touch in instance.touches:
            by_object.setdefault(place(touch.target), []).append((instance, touch))
    return {each: _layout(touches) for each, touches in by_object.items()}


def _layout(touches: list[tuple[Instance, Touch]]) -> Layout:
    accesses = [(i.loops, t.target) for i, t in touches if isinstance(t.target, Access)]
    if len(accesses) < len(touches):
        plain = all(not a.subscripts and not a.field for _, a in accesses)
        return Layout("members" if plain else "whole")
    found = [a for _, a in accesses]
    if len({_shape(a) for a in found}) == 1 and _one_member_each(found):
        single = len(found[0].subscripts) == 1 and not found[0].subscripts[0].row_pointer
        if single and any(not a.subscripts[0].index.is_affine for a in found):
            return _in_rows(accesses) or Layout("members")
        return Layout("members")
    rows = {len(row_part(a)) for a in found}
    strides = [s.stride for a in found for s in element_part(a)]
    known = all(s is not None and s.constant is not None for s in strides)
    return Layout("bytes" if len(rows) == 1 and known and all(a.size > 0 for a in found) else "whole")


def _shape(a: Access) -> tuple[tuple[Poly | None, bool], ...]:
    return tuple((s.stride, s.row_pointer) for s in a.subscripts)


def _one_member_each(found: list[Access]) -> bool:
    """Whether accesses of one shape touch the same bytes exactly where member and subscripts are the same: there is one
    member only, or all lie in one element and are the same or do not overlap."""
    members = sorted({(a.offset, a.size) for a in found})
    if not all(map(_no_wider, found)):
        return False
    apart = all(x[0] + x[1] <= y[0] for x, y in pairwise(members))
    return len(members) == 1 or (apart and all(fits(a) or not element_part(a) for a in found))


def _no_wider(a: Access) -> bool:
    """Whether an access is not wider than an element of its last subscript."""
    elements = element_part(a)
    stride = elements[-1].stride if elements else None
    known = stride.constant if stride is not None else None
    return a.size > 0 and (known is None or a.size <= known)


def _in_rows(accesses: list[tuple[tuple[Loop, ...], Access]]) -> Layout | None:
    """The radices over which every subscript of the array has honest digits."""
    longest = max((a.subscripts[0].index for _, a in accesses), key=lambda p: p.degree)
    for radix in radices(longest):
        found = [(digits(a.subscripts[0].index, radix), loops) for loops, a in accesses]
        walks = [Walk(taken, loops) for taken, loops in found if taken is not None]
        if radix and len(walks) == len(found) and all(honest(w, walks) for w in walks):
            return Layout("rows", radix)
    return None


class Where(Struct, frozen=True):
    """The array and index of one access; `array` is its identity and C text. `own`: loops that have an object of their
    own in every iteration, which are leading indices. `size`: bytes from the last index on, for an array of bytes.
    `certain`: it is the element that is touched; else it may be any."""

    array: tuple[object, str]
    own: tuple[Loop, ...]
    index: tuple[Poly, ...] = ()
    size: int = 0
    certain: bool = True


def where(target: Target, layout: Layout, loops: tuple[Loop, ...]) -> Where:
    """Where an access inside these loops is."""
    each = place(target)
    own = tuple(loop for loop in loops if _made_in(each, loop))
    if isinstance(target, Variable) or (not target.subscripts and layout.kind == "members"):
        text = target.name if isinstance(target, Variable) else member_text(target)
        part = (0, 0) if isinstance(target, Variable) or not target.field else (target.offset, target.size)
        return Where(((each, part), text), own)
    match layout.kind:
        case "members":
            index = tuple(s.index for s in target.subscripts)
            return Where(((each, (target.offset, target.size)), member_text(target)), own, index)
        case "rows":
            found = digits(target.subscripts[0].index, layout.radix) or ()
            return Where(((each, (target.offset, target.size)), member_text(target)), own, _values(found))
        case "bytes":
            rows = tuple(s.index for s in row_part(target))
            start = byte_offset(target)
            assert start is not None
            return Where(((each, "bytes"), f"{c_text(each)}_bytes"), own, (*rows, start), target.size)
        case "whole":
            return Where(((each, "whole"), c_text(each)), own, certain=False)


def _values(found: tuple[Digit, ...]) -> tuple[Poly, ...]:
    return tuple(d.value for d in reversed(found))


def _made_in(each: Object, loop: Loop) -> bool:
    """Whether every iteration of the loop has an object of its own."""
    match root(each):
        case Declared(variable=variable):
            return variable.scope == "local" and loop.key in variable.loops
        case Allocated(loops=counters):
            return loop.counter in counters
        case _:
            return False
