"""Scatter: `A[B[i]] = C[i]`.

*Definition* (PMaC, section II): "Values are read from a sequential area of memory and saved to an area
accessed in a potentially random manner." Here: a store whose place depends on data read in the loop, by an index array
or because data decides which iterations store (`if (k[i]) a[n++] = b[i]`: a compaction).
*Refuses* an update of what is there (`A[B[i]] += x`): that is a histogram."""

from ..ir.nodes import Access
from .steps import Step, is_counted_by_data, is_indirect


def matches(step: Step) -> bool:
    if not isinstance(step.target, Access) or step.accumulates():
        return False
    if is_indirect(step.nest, step.target, step.index):
        return True
    return not step.nest.is_regular(step.target) and is_counted_by_data(step.nest, step.index)
