"""Stream: `A[i] = A[i] + B[i]`.

*Definition* (PMaC, section II): "Stepping through any array in a loop where the index is determined by a
loop induction variable is considered a stream." Here: a store whose element moves with the innermost loop
around it, and reads that move with it or not at all. *Refuses* whatever a more special idiom describes (see
`idioms`), and a store of nothing but the result of an inner loop."""

from ..counts.coalescing import of_access
from ..ir.nodes import Access, Counter
from .steps import Step


def matches(step: Step) -> bool:
    if not isinstance(step.target, Access) or not step.nest.is_regular(step.target):
        return False
    pattern = of_access(step.target, step.counter, True)
    if pattern in ("broadcast", "irregular"):
        return False
    reads = [load.access for load in step.reads()]
    around = [access for access in reads if not _comes_from_inside(step, access)]
    if len(around) < len(reads) and not step.loads():
        return False
    return all(
        step.nest.is_regular(access) and of_access(access, step.counter, True) != "irregular" for access in around
    )


def _comes_from_inside(step: Step, access: Access) -> bool:
    """Whether the value was read in a loop that is not around the statement: the result of an inner
    reduction."""
    around = {loop.counter for loop in (*step.nest.around, *step.loops)}
    counters = (c for s in access.subscripts for c in s.index.symbols if isinstance(c.origin, Counter))
    return any(c not in around for c in counters)
