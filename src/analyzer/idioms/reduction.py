"""Reduction: `s = s + A[i]`.

*Definition* (PMaC, section II): "the values returned from the read portion of the idiom are folded into a
temporary variable"; it "can be formed from a stream ... or a gather". Here: an associative update (`+ - * &
| ^`, min, max by call, `?:` or `if`) of a scalar, or of an element that stays the same while the innermost
loop runs. *Refuses* an update of an element that moves with the loop, scalars the loop sets afresh, plain counting
(`n++`, `i += step`), where there is nothing to fold (`if (A[i] > 0) n++` folds a condition), and scalars whose running
value says where elements lie (`if (k[i]) a[n++] = b[i]`)."""

from ..ir.nodes import Access, Assign, Call, Choice, Counter, Load, Use, Variable, evaluated, statements, walk
from .steps import Step


def matches(step: Step) -> bool:
    if not step.accumulates():
        return False
    match step.target:
        case Variable():
            return step.is_carried() and not _counts(step, step.target) and not _places(step, step.target)
        case Access():
            return step.nest.is_regular(step.target) and step.counter not in step.counters(step.target)
        case _:
            return False


def _places(step: Step, target: Variable) -> bool:
    """Whether the innermost loop uses the running value in a subscript."""
    found = list(statements(step.innermost.body))
    indices = [part for s in found if isinstance(s, Assign) for part in s.index]
    read = (e for s in found for e in evaluated(s) if isinstance(e, Load))
    indices += [part for load in read for part in load.index]
    return any(isinstance(e, Use) and e.variable == target for part in indices for e in walk(part))


def _counts(step: Step, target: Variable) -> bool:
    """Whether the innermost loop adds the same amount to the scalar in every iteration."""
    if step.guards:
        return False
    changed = {s.target for s in statements(step.innermost.body) if isinstance(s, Assign)}
    for e in walk(step.value):
        if isinstance(e, Load | Call | Choice):
            return False
        if isinstance(e, Use) and e.variable != target:
            moves = e.value is not None and any(isinstance(s.origin, Counter) for s in e.value.symbols)
            if moves or e.variable in changed:
                return False
    return True
