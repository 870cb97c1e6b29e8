"""Stream: `A[i] = A[i] + B[i]`.

*Definition* (PMaC, section II): "Stepping through any array in a loop where the index is determined by a
loop induction variable is considered a stream." Here: a store whose element moves with the innermost loop
around it, and reads that move with it at the same stride or not at all. *Refuses* whatever a more special
idiom describes (see `idioms`)."""

from ..coalescing import of_access
from ..loops.ir import Access, Counter
from .steps import Step


def matches(step: Step) -> bool:
    if not isinstance(step.target, Access) or not step.nest.is_regular(step.target):
        return False
    pattern = of_access(step.target, step.counter, True)
    if pattern in ("broadcast", "irregular"):
        return False
    for load in step.reads():
        if not step.nest.is_regular(load.access) or _comes_from_inside(step, load.access):
            return False
        if of_access(load.access, step.counter, True) == "irregular":
            return False
    return True


def _comes_from_inside(step: Step, access: Access) -> bool:
    """Whether the value was read in a loop that is not around the statement: the result of an inner
    reduction."""
    around = {loop.counter for loop in (*step.nest.around, *step.loops)}
    counters = (c for s in access.subscripts for c in s.index.symbols if isinstance(c.origin, Counter))
    return any(c not in around for c in counters)
