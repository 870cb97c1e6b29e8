"""Matrix-matrix multiplication: `C[i][j] += A[i][k] * B[k][j]`.

*Definition* (PMaC lists it beside the six idioms of section II): a reduction over a loop k of products of
two reads, one of which moves with i and k and the other with k and j; the result moves with i and j, or is
a scalar that the k loop accumulates. Transposed operands count as well. *Refuses* windows and products that
share no loop, or both."""

from ..loops.ir import Access
from .steps import Step, products


def matches(step: Step) -> bool:
    if not step.accumulates():
        return False
    for a, b in products(step):
        if step.is_window(a.access) or step.is_window(b.access):
            continue
        left, right = step.counters(a.access), step.counters(b.access)
        summed = left & right
        if len(left) != 2 or len(right) != 2 or len(summed) != 1:
            continue
        if isinstance(step.target, Access):
            if step.counters(step.target) == (left | right) - summed:
                return True
        elif step.counter in summed:
            return True
    return False
