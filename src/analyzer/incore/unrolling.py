"""Which loops compilers unroll completely: their iterations are one after the other in the loop around."""

from ..ir.nodes import Assign, Evaluate, Loop

UNROLLED = 16
"""Iterations of a loop that compilers unroll completely where its body is small (gcc: max-completely-peel-times)."""
UNROLLED_STATEMENTS = 96
"""Statements that there are then (gcc: max-completely-peeled-insns, 200)."""


def is_unrolled(loop: Loop) -> bool:
    """Whether compilers put the iterations of an inner loop one after the other."""
    return 0 < trips(loop) <= UNROLLED and _unrolled_statements(loop) <= UNROLLED_STATEMENTS


def trips(loop: Loop) -> int:
    """The number of iterations, where the code says it; else 0."""
    known = [r.numerator.constant for r in loop.trip or () if r.denominator == 1]
    return min((t for t in known if t is not None), default=0) if loop.exact_trip and None not in known else 0


def _unrolled_statements(loop: Loop) -> int:
    """With all loops within unrolled; many where one of them cannot be."""
    total = 0
    for s in loop.body:
        if isinstance(s, Loop):
            total += _unrolled_statements(s) if trips(s) else UNROLLED_STATEMENTS
        elif not (isinstance(s, Evaluate) and s.control) and not (isinstance(s, Assign) and s.induction):
            total += 1
    return total * (trips(loop) or 1)
