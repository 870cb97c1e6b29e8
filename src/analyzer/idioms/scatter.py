"""Scatter: `A[B[i]] = C[i]`.

*Definition* (PMaC, section II): "Values are read from a sequential area of memory and saved to an area
accessed in a potentially random manner." Here: a store whose place depends on data read in the loop.
*Refuses* an update of what is there (`A[B[i]] += x`): that is a histogram."""

from ..loops.ir import Access
from .steps import Step, is_indirect


def matches(step: Step) -> bool:
    if not isinstance(step.target, Access) or step.accumulates():
        return False
    return is_indirect(step.nest, step.target, step.index)
