"""Stencil: `A[i] = A[i-1] + A[i+1]`.

*Definition* (PMaC, section II): "accessing an array in a fixed pattern more complex than a simple
sequential manner, including a dependency between iterations of the loop". Here: the value comes from two or
more elements of one array at constant distances from each other along the loops, or from a window that
inner loops walk through (`in[i + u][j + v]`): neighbours, each of which another iteration reads as the other one.
*Refuses* a recurrence on the element before (scan), elements that no loop moves, halves of an array (`b[i] + b[i +
100]` for i < 100) and pairs (`b[2*i] + b[2*i + 1]`): no iteration reads what another one reads.
"""

from collections.abc import Iterable
from functools import partial
from itertools import combinations

from ..ir.nodes import Access, Counter, Loop, Variable
from ..ir.polynomials import Poly
from . import scan
from .steps import Step


def matches(step: Step) -> bool:
    return step.target is not None and _reads_neighbours(step, step.target) and not scan.matches(step)


def _reads_neighbours(step: Step, target: Variable | Access) -> bool:
    reads = [load.access for load in step.reads() if step.nest.is_regular(load.access)]
    reads = [access for access in reads if step.counters(access)]
    if any(step.is_window(access) for access in reads):
        return True
    if not isinstance(target, Access) or step.counter not in step.counters(target):
        return False
    return any(_are_neighbours(step, a, b) for group in _groups(step, reads) for a, b in combinations(group, 2))


def _groups(step: Step, reads: list[Access]) -> Iterable[list[Access]]:
    """Reads of one member of one object whose byte distance no loop changes."""
    found: dict[object, list[Access]] = {}
    for access in reads:
        moving = step.nest.once(("moving place", id(access)), partial(_moving, step, access))
        if moving is not None:
            found.setdefault((access.object, access.field, moving), []).append(access)
    return found.values()


def _moving(step: Step, access: Access) -> Poly | None:
    """The terms with counters of the place of an access."""
    place = step.nest.bytes_before(access)
    if place is None:
        return None
    return Poly(tuple(t for t in place.terms if any(isinstance(s.origin, Counter) for s in t[0])))


def _are_neighbours(step: Step, a: Access, b: Access) -> bool:
    """Whether the distance is the same in every iteration, of the loops around the nest, too (rows i and k are none),
    and so many iterations of these loops that some other one is that far away."""
    step.nest.effort.spend(1)
    gap = step.nest.distance(a, b)
    if gap is None or not gap.terms:
        return False
    here, there = step.dimensions(a), step.dimensions(b)
    loops = (*step.nest.around, *step.loops)
    return len(here) != len(there) or all(_is_walked(x, y - x, loops) for x, y in zip(here, there, strict=True))


def _is_walked(index: Poly, gap: Poly, loops: tuple[Loop, ...]) -> bool:
    """Whether a subscript takes the value `index + gap` in another iteration. One that several loops move, or in steps
    of no known width, is taken to."""
    if not gap.terms:
        return True
    moving = [(loop, index.coefficient(loop.counter)) for loop in loops]
    moving = [(loop, slope) for loop, slope in moving if slope.terms]
    if len(moving) != 1 or moving[0][1].constant is None:
        return bool(moving)
    (loop, slope), = moving
    shift = gap.divided_by(abs(slope.constant or 1))
    far = None if shift is None else shift.constant
    trips = [r.numerator.constant for r in loop.trip or () if r.denominator == 1]
    return far is not None and not any(known is not None and abs(far) >= known for known in trips)
