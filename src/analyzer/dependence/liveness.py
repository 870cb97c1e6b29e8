"""What is live after a loop: scalars, and memory (`access.liveness`) of which calls of the loop get the address.

*Errs toward* live.
"""

from ..access.dataflow import assignments
from ..access.liveness import is_live_after
from ..ir.nodes import (
    Address,
    Call,
    Declared,
    Loop,
    Object,
    Variable,
    accesses_of,
    evaluated,
    every_statement,
    statements,
    unconverted,
)
from ..ir.reasons import AssumptionKind
from .function_facts import Surroundings
from .scope import Scope


def live_variables(around: Surroundings, loop: Loop, wanted: frozenset[int]) -> frozenset[int]:
    """Variables whose value after the loop somebody may read."""
    if not around.continuations.structured(loop):
        return wanted
    targets = (a.target for a, _ in assignments(loop.body))
    reachable = frozenset(v.key for v in targets if isinstance(v, Variable) and _is_read_elsewhere(around, loop, v))
    return reachable | around.read_after(loop, wanted - reachable)


def is_read_later(around: Surroundings, scope: Scope, x: Object) -> bool:
    """Whether somebody may read memory after the loop. Calls in it that are supposed to be independent do not keep the
    address that they get."""
    return is_live_after(around.function, scope.loop, x, lent=scope.supposing)


def _is_read_elsewhere(around: Surroundings, loop: Loop, variable: Variable) -> bool:
    """Whether a variable may be read by other functions, or through a pointer that is not followed to it."""
    if variable.scope in ("global", "static"):
        return True
    if not variable.addressed:
        return False
    x = Declared(variable)
    seen_otherwise = any(a.object == x for s in every_statement(around.function) for a in accesses_of(s))
    if not around.function.complete or seen_otherwise:  # as bytes, say
        return True
    return x in around.known.addressed and not _is_only_lent(around, loop, x)


def _is_only_lent(around: Surroundings, loop: Loop, x: Declared) -> bool:
    """Whether nothing but calls in the loop that are supposed to be independent get the address of a variable."""
    inside = {id(s) for s in statements(loop.body)}
    for s in every_statement(around.function):
        every = evaluated(s)
        taken = {id(e) for e in every if isinstance(e, Address) and e.object == x}
        calls = (e for e in every if isinstance(e, Call) and e.supposed is AssumptionKind.INDEPENDENT)
        if taken and (id(s) not in inside or not taken <= {id(unconverted(a)) for c in calls for a in c.arguments}):
            return False
    return True
