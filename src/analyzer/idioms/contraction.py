"""Sums of products over a loop that moves both factors: the common part of matrix products.

    target += A * B     summed = loops in A and in B, but not in the target
                        own    = loops in A alone, loops in B alone

The target moves with the own loops, or is set afresh in each of their iterations and accumulated by the innermost loop,
a summed one (`s = 0; for (k...) s += ...; C[i][j] = s;`)."""

from collections.abc import Iterator

from ..ir.nodes import Access
from ..ir.polynomials import Symbol
from .steps import Step, products

Counters = frozenset[Symbol]


def contractions(step: Step) -> Iterator[tuple[Counters, Counters]]:
    """The loops of its own that each factor has, for every pair of factors that a summed loop joins."""
    if not step.accumulates():
        return
    target = step.counters(step.target) if isinstance(step.target, Access) else frozenset()
    for a, b in products(step):
        left, right = step.counters(a.access), step.counters(b.access)
        summed, own = (left & right) - target, left ^ right
        kept = own - target
        if not summed or (kept and step.counter not in summed) or step.is_skewed(a.access) or step.is_skewed(b.access):
            continue
        if step.is_fresh_in(kept):
            yield left - right, right - left
