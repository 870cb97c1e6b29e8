"""Scalars that are live after a loop (memory: `access.liveness`).

*Errs toward* live.
"""

from ..access.dataflow import assignments
from ..ir.nodes import Declared, Loop, Variable
from .function_facts import Surroundings


def live_variables(around: Surroundings, loop: Loop, wanted: frozenset[int]) -> frozenset[int]:
    """Variables whose value after the loop somebody may read."""
    if not around.continuations.structured(loop):
        return wanted
    targets = (a.target for a, _ in assignments(loop.body))
    reachable = frozenset(v.key for v in targets if isinstance(v, Variable) and _is_read_elsewhere(around, v))
    return reachable | around.read_after(loop, wanted - reachable)


def _is_read_elsewhere(around: Surroundings, variable: Variable) -> bool:
    """Whether a variable may be read by other functions, or through a pointer that is not followed to it."""
    if variable.scope in ("global", "static"):
        return True
    return variable.addressed and (not around.function.complete or Declared(variable) in around.known.addressed)
