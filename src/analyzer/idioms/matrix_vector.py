"""Matrix-vector multiplication: `y[i] += A[i][j] * x[j]`.

*Definition* (PMaC lists it beside the six idioms of section II): a reduction over a loop j of products of a
read that moves with i and j and one that moves with j alone; the result moves with i, or is a scalar that
the j loop accumulates. The transposed product `y[j] += A[i][j] * x[i]` counts as well. *Refuses* dot
products and outer products."""

from ..loops.ir import Access
from .steps import Step, products


def matches(step: Step) -> bool:
    if not step.accumulates():
        return False
    for a, b in products(step):
        if step.is_window(a.access) or step.is_window(b.access):
            continue
        left, right = step.counters(a.access), step.counters(b.access)
        matrix, vector = (left, right) if len(left) == 2 else (right, left)
        if len(matrix) != 2 or len(vector) != 1 or not vector < matrix:
            continue
        if isinstance(step.target, Access):
            if step.counters(step.target) == matrix - vector:
                return True
        elif step.counter in vector:
            return True
    return False
