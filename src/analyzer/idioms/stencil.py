"""Stencil: `A[i] = A[i-1] + A[i+1]`.

*Definition* (PMaC, section II): "accessing an array in a fixed pattern more complex than a simple
sequential manner, including a dependency between iterations of the loop". Here: the value comes from two or
more elements of one array at constant distances from each other along the loops, or from a window that
inner loops walk through (`in[i + u][j + v]`).
*Refuses* a recurrence on the element before (scan) and elements that no loop moves.
"""

from ..loops.ir import Access, Counter
from . import scan
from .steps import Step, distance


def matches(step: Step) -> bool:
    if step.target is None or scan.matches(step):
        return False
    reads = [load.access for load in step.reads() if step.nest.is_regular(load.access)]
    reads = [access for access in reads if step.counters(access)]
    if any(step.is_window(access) for access in reads):
        return True
    if not isinstance(step.target, Access) or step.counter not in step.counters(step.target):
        return False
    return any(_are_neighbours(a, b) for i, a in enumerate(reads) for b in reads[i + 1 :])


def _are_neighbours(a: Access, b: Access) -> bool:
    """Whether the distance is the same in every iteration, of the loops around the nest, too: rows i and k are none."""
    gap = distance(a, b)
    return gap is not None and bool(gap.terms) and not any(isinstance(s.origin, Counter) for s in gap.symbols)
