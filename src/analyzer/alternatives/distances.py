"""Distance vectors: how many iterations of some loops lie between two accesses to one element.

*Decides*: for two accesses to one object, the vector over the loops, where it is the same for all elements. *Method*:
subscripts that move alike with the loops; linearised ones are taken apart first (`counts.shapes.apart`).
*Errs toward* not knowing: subscripts that move differently, or with something else.

    a[i][j] and a[i-1][j+1] over (i, j)   ->  {(1, -1)}: what the first touches, the second does one row later
    a[2*i] and a[2*i + 1]                 ->  {}: never the same element
    a[i] and a[idx[i]]                    ->  None
"""

from collections.abc import Iterable
from typing import TypeAlias

from msgspec import Struct

from ..counts.nest import Nest, facts_of
from ..counts.shapes import apart
from ..ir.nodes import Access, Loop, all_loops
from ..ir.polynomials import Poly

Vector: TypeAlias = tuple[int, ...]


class _Place(Struct, frozen=True):
    """Where an access goes: its subscripts, linearised ones taken apart; None where one is not linear in the loops of
    the nest, or something else in it changes while that runs."""

    access: Access
    dimensions: tuple[Poly, ...] | None


def vectors(nest: Nest, over: tuple[Loop, ...], a: Access, b: Access) -> frozenset[Vector] | None:
    """The iterations from that in which `a` touches an element to that in which `b` does: one vector, none where they
    never meet, or None where it is not known, or not one. Example: see the module."""
    return _vectors(nest, over, _place(nest, a), _place(nest, b))


def between_all(
    nest: Nest, over: tuple[Loop, ...], writes: Iterable[Access], others: Iterable[Access]
) -> frozenset[Vector] | None:
    """The vectors from the earlier to the later of two iterations that share an element of one object, where one
    writes; without those within one iteration. None where one of them is not known."""
    found: set[Vector] = set()
    touched = [_place(nest, other) for other in others]
    for write in (_place(nest, write) for write in writes):
        for other in touched:
            if write.access.object == other.access.object:
                between = _vectors(nest, over, write, other)
                if between is None:
                    return None
                found |= {forward(v) for v in between if any(v)}
    return frozenset(found)


def forward(vector: Vector) -> Vector:
    """The vector from the earlier of two iterations to the later one."""
    return vector if vector >= tuple(0 for _ in vector) else tuple(-v for v in vector)


def _vectors(nest: Nest, over: tuple[Loop, ...], a: _Place, b: _Place) -> frozenset[Vector] | None:
    x, y = a.dimensions, b.dimensions
    if (a.access.field, a.access.type, a.access.bits) != (b.access.field, b.access.type, b.access.bits):
        return None
    if x is None or y is None or len(x) != len(y) or len(a.access.subscripts) != len(b.access.subscripts):
        return None
    found: dict[int, int] = {}
    for first, second in zip(x, y, strict=True):
        gap = (first - second).constant
        counters = [loop for loop in all_loops(nest.loop) if loop.counter in first.symbols]
        if gap is None or len(counters) > 1:
            return None
        if not counters:
            if gap:
                return frozenset()
        elif counters[0] in over:
            factor = first.coefficient(counters[0].counter).constant
            if not factor:
                return None
            place = over.index(counters[0])
            if gap % factor or found.setdefault(place, gap // factor) != gap // factor:
                return frozenset()
    if len(found) < len(over):
        return None
    return frozenset({tuple(found[place] for place in range(len(over)))})


def is_regular(nest: Nest, access: Access) -> bool:
    """Whether all subscripts are linear in the loops of the nest, and nothing else in them changes while it runs."""
    counters = [loop.counter for loop in all_loops(nest.loop)]
    indices = [s.index for s in access.subscripts]
    return all(i.is_linear_in(counters) and not any(map(nest.variance.varies, i.symbols)) for i in indices)


def _place(nest: Nest, access: Access) -> _Place:
    if not is_regular(nest, access):
        return _Place(access, None)
    region = facts_of((*nest.around, *all_loops(nest.loop)), nest.effort)
    found: list[Poly] = []
    for s in access.subscripts:
        if s.stride is None:
            found.append(s.index)
        else:
            found += (d.index for d in apart(s.index, s.stride, s.extent, region, facts_of(())))
    return _Place(access, tuple(found))
