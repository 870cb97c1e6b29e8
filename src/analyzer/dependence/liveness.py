"""What a loop leaves behind that somebody may still read.

*Errs toward* live.
"""

from ..access.dataflow import assignments
from ..ir.nodes import Anything, Declared, Loop, Object, Variable
from ..ir.pointer_roots import root
from ..source.ctypes import Array
from .function_facts import Surroundings
from .scope import Scope


def live_memory(around: Surroundings, scope: Scope, o: Object) -> bool:
    """Whether anybody may read the object after the loop."""
    targets = scope.known.targets(o)
    if o not in targets:
        return any(live_memory(around, scope, each) for each in targets)
    if not (isinstance(o, Declared) and o.variable.scope == "local"):
        return True
    if scope.fresh(o):  # its life ends with the iteration
        return False
    addressed = o in scope.known.objects
    if addressed and (scope.known.leaks or o in scope.known.passed or not isinstance(o.variable.type, Array)):
        return True
    start, end = around.occurrences.ranges[scope.loop.key]
    outer, _ = around.occurrences.around[scope.loop.key]
    again = around.occurrences.ranges[outer[0].key][0] if outer else start  # where a loop around it comes by again
    first = again if around.continuations.structured(scope.loop) else 0
    outside = (*around.occurrences.all[first:start], *around.occurrences.all[end:])
    reads = (a.access.object for a in outside if not a.write)
    return any(read == o or (addressed and isinstance(root(read), Anything)) for read in reads)


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
