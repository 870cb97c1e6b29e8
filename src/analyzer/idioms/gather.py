"""Gather: `A[i] = B[C[i]]`.

*Definition* (PMaC, section II): "gathering data from a potentially random access area in memory to a
sequential array", by an index array. Here: a read whose place depends on other data read in the loop; where
the value goes does not matter, so that `s += v[k] * x[col[k]]` is a reduction of a gather. *Refuses* the
old value that a histogram adds to."""

from ..ir.nodes import Access, Load, walk
from ..reductions.combining import same_element
from . import pointer_chase
from .steps import Step, is_indirect


def matches(step: Step) -> bool:
    if pointer_chase.matches(step):
        return False
    for part in (step.value, *step.index):
        for e in walk(part):
            if not isinstance(e, Load) or not is_indirect(step.nest, e.access, e.index):
                continue
            if not (isinstance(step.target, Access) and same_element(e.access, step.target)):
                return True
    return False
