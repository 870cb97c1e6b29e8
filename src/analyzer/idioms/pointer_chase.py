"""Pointer chase: `p = p->next`, `i = next[i]`.

*Definition* (ours; PMaC has none): a loop variable becomes what is read at the place it names, so that each
read must wait for the one before. *Refuses* a walking pointer (`p++`) and a read at a place that the
variable does not name."""

from ..ir.nodes import Convert, Load, Use, Variable, walk
from .steps import Step


def matches(step: Step) -> bool:
    value = step.value
    while isinstance(value, Convert):
        value = value.argument
    if not isinstance(step.target, Variable) or not isinstance(value, Load):
        return False
    used = (e for part in value.index for e in walk(part))
    named = any(isinstance(e, Use) and e.variable == step.target for e in used)
    return named and step.innermost.key not in step.target.loops
