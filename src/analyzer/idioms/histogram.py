"""Histogram: `counts[key[i]]++`.

*Definition* (ours; PMaC has none): an associative update of an element whose place depends on data read in
the loop.
*Refuses* a plain store (scatter) and an update at a place that the loop counters name (stream or reduction).
"""

from ..ir.nodes import Access
from .steps import Step, is_indirect


def matches(step: Step) -> bool:
    if not isinstance(step.target, Access) or not step.accumulates():
        return False
    return is_indirect(step.nest, step.target, step.index)
