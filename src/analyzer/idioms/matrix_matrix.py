"""Matrix-matrix multiplication: `C[i][j] += A[i][k] * B[k][j]`.

*Definition* (PMaC lists it beside the six idioms of section II): a contraction (see `contraction`) of two reads, both
of which have loops of their own beside the summed one. Transposed operands count as well, and so do dimensions that
only make more rows (`sum[p] += A[r][q][s] * B[s][p]`). *Refuses* windows and products that share no summed loop."""

from .contraction import contractions
from .steps import Step


def matches(step: Step) -> bool:
    return any(left and right for left, right in contractions(step))
