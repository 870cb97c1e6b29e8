"""Matrix-vector multiplication: `y[i] += A[i][j] * x[j]`.

*Definition* (PMaC lists it beside the six idioms of section II): a contraction (see `contraction`) of two reads, one of
which has a loop of its own beside the summed one. The transposed product `y[j] += A[i][j] * x[i]` counts as well.
*Refuses* dot products (no own loop) and outer products (no summed one)."""

from .contraction import contractions
from .steps import Step


def matches(step: Step) -> bool:
    return any(bool(left) != bool(right) for left, right in contractions(step))
