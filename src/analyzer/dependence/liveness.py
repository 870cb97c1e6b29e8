"""Scalars that are live after a loop (memory: `access.liveness`).

*Errs toward* live.
"""

from ..access.dataflow import assignments
from ..ir.nodes import Loop, Variable
from .function_facts import Surroundings


def live_variables(around: Surroundings, loop: Loop, wanted: frozenset[int]) -> frozenset[int]:
    """Variables whose value after the loop somebody may read."""
    if not around.continuations.structured(loop):
        return wanted
    reachable = frozenset(
        a.target.key
        for a, _ in assignments(loop.body)
        if isinstance(a.target, Variable) and (a.target.scope in ("global", "static") or a.target.addressed)
    )
    return reachable | around.read_after(loop, wanted - reachable)
