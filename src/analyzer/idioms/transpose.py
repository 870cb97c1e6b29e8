"""Transpose: `A[i][j] = B[j][i]`.

*Definition* (PMaC, section II): "a matrix transpose, essentially reordering an array using the loop
induction variable". Here: a store and a read that both take two loops of the nest as subscripts, in
opposite orders; linearised subscripts (`a[i*n + j] = b[j*m + i]`) are taken apart first. *Refuses* accesses
that name both in the same order."""

from ..ir.nodes import Access
from ..ir.polynomials import Symbol
from .steps import Step


def matches(step: Step) -> bool:
    if not isinstance(step.target, Access) or not step.nest.is_regular(step.target) or step.accumulates():
        return False
    order = _order(step, step.target)
    return len(order) > 1 and any(
        step.nest.is_regular(load.access) and _reversed(order, _order(step, load.access)) for load in step.reads()
    )


def _order(step: Step, access: Access) -> list[Symbol]:
    """The counters in the order of the dimensions; those that share a dimension, or have two, are left out."""
    return step.nest.once(("order", id(access), step.innermost.key), lambda: _find_order(step, access))


def _find_order(step: Step, access: Access) -> list[Symbol]:
    mine = {loop.counter for loop in step.loops}
    found: list[Symbol] = []
    for index in step.dimensions(access):
        here = [c for c in index.symbols if c in mine]
        if len(here) == 1:
            found.append(here[0])
    return [c for c in found if found.count(c) == 1]


def _reversed(a: list[Symbol], b: list[Symbol]) -> bool:
    common = [c for c in a if c in b]
    return len(common) >= 2 and [c for c in b if c in common] != common
