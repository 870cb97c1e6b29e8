"""Reduction: `s = s + A[i]`.

*Definition* (PMaC, section II): "the values returned from the read portion of the idiom are folded into a
temporary variable"; it "can be formed from a stream ... or a gather". Here: an associative update (`+ - * &
| ^`, min, max by call, `?:` or `if`) of a scalar, or of an element that stays the same while the innermost
loop runs. *Refuses* an update of an element that moves with the loop, and scalars the loop sets afresh."""

from ..loops.ir import Access, Variable
from .steps import Step


def matches(step: Step) -> bool:
    if not step.accumulates():
        return False
    match step.target:
        case Variable():
            return step.is_carried()
        case Access():
            return step.nest.is_regular(step.target) and step.counter not in step.counters(step.target)
        case _:
            return False
