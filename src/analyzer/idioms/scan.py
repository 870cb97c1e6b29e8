"""Scan (prefix sum): `A[i] = A[i-1] + A[i]`.

*Definition* (ours; PMaC has none): every element is the associative combination of the one before it with
new data, or a running reduction is stored in every iteration (`s += a[i]; b[i] = s;`). A linear recurrence (`x[i] =
a[i] * x[i-1] + b[i]`) is one, too: its steps compose to steps of the same form. *Refuses* a stencil, which also reads
other neighbours, a reduction whose running value nobody keeps, and a recurrence that is not linear."""

from collections.abc import Callable
from functools import partial

from ..ir.nodes import Access, Assign, Expression, Operation, Use, Variable, walk
from ..reductions.combining import REDUCTIONS, bare, is_target, same_element
from .steps import Step, shift

LINEAR = frozenset("+-*")


def matches(step: Step) -> bool:
    if not isinstance(step.target, Access) or not step.nest.is_regular(step.target):
        return False
    if step.counter not in step.counters(step.target):
        return False
    return _continues_previous(step, step.target) or _stores_running_value(step)


def _continues_previous(step: Step, target: Access) -> bool:
    """The value combines the element that the iteration before stored, and no other neighbour of it."""
    own = [load.access for load in step.reads() if load.access.object == target.object]
    earlier = [access for access in own if not same_element(access, target)]
    if not earlier or any(shift(target, access) != _one_back(step, target) for access in earlier):
        return False
    return is_linear(step.value, partial(is_target, target=earlier[0]))


def is_linear(value: Expression, is_previous: Callable[[Expression], bool]) -> bool:
    """Whether the previous value enters once, by sums and products, or by one other associative operator.

    Example: `a[i] * x[i-1] + b[i]` is, of `x[i-1]`; `x[i-1] * x[i-1]` is not."""
    value = bare(value)
    if is_previous(value):
        return True
    if not isinstance(value, Operation) or value.operator not in REDUCTIONS:
        return False
    holding = [a for a in value.arguments if any(map(is_previous, walk(a)))]
    if len(holding) != 1:
        return False
    return is_linear(holding[0], is_previous) if value.operator in LINEAR else is_previous(bare(holding[0]))


def _one_back(step: Step, target: Access) -> tuple[int, ...] | None:
    """The shift of the element that the iteration before stored."""
    back = [-s.index.coefficient(step.counter) for s in target.subscripts]
    known = [b.constant for b in back]
    return None if any(b is None for b in known) else tuple(b for b in known if b is not None)


def _stores_running_value(step: Step) -> bool:
    value = bare(step.value)
    if not isinstance(value, Use):
        return False
    return any(_is_running(step, s, value.variable) for s in step.siblings)


def _is_running(step: Step, statement: object, variable: Variable) -> bool:
    if not isinstance(statement, Assign) or statement.target != variable or statement.induction:
        return False
    update = Step(step.nest, step.loops, statement.target, statement.value, (), statement.place, statement.text)
    here = [a for a in step.nest.assigned.get(variable.key, ()) if a in step.siblings]
    return len(here) == 1 and update.accumulates() and step.innermost.key not in variable.loops
