"""What is live after a loop: scalars, and memory (`access.liveness`) of which calls of the loop get the address.

*Errs toward* live.
"""

from models.expr.nodes import remembered

from ..access.dataflow import Flow, assignments
from ..access.liveness import is_live_after, loops_that_read
from ..ir.nodes import (
    Address,
    Call,
    Declared,
    Function,
    Loop,
    Object,
    Refused,
    Variable,
    accesses_of,
    evaluated,
    every_statement,
    loops,
    statements,
    unconverted,
    used,
)
from ..ir.reasons import AssumptionKind
from .function_facts import Surroundings
from .private_arrays import private
from .scope import Scope


def live_variables(around: Surroundings, loop: Loop, wanted: frozenset[int]) -> frozenset[int]:
    """Variables whose value after the loop somebody may read."""
    if not around.continuations.structured(loop):
        return wanted - _used_only_inside(around, loop, wanted)
    targets = (a.target for a, _ in assignments(loop.body))
    reachable = frozenset(v.key for v in targets if isinstance(v, Variable) and _is_read_elsewhere(around, loop, v))
    return reachable | around.read_after(loop, wanted - reachable)


def _used_only_inside(around: Surroundings, loop: Loop, wanted: frozenset[int]) -> frozenset[int]:
    """Of the variables of these keys, those of the function that no code but the loop reads, and the loop only what it
    has set in the same iteration: then it does not matter what runs after it, the loop itself once more, say. (A jump
    to a label in the loop is refused.)"""
    inside = {id(s): s for s in statements(loop.body)}
    if any(isinstance(s, Refused) for s in inside.values()):
        return frozenset()
    assigned: dict[int, set[Variable]] = {key: set() for key in wanted}
    for a, _ in assignments(loop.body):
        if isinstance(a.target, Variable) and a.target.key in wanted:
            assigned[a.target.key].add(a.target)
    read_outside = frozenset[int]().union(*(used(s) for s in every_statement(around.function) if id(s) not in inside))

    def is_used_only_inside(key: int) -> bool:
        if any(v.scope != "local" or v.addressed or key in read_outside for v in assigned[key]):
            return False
        flow = Flow(around.certain, frozenset({key}))
        flow.body(loop.body, frozenset())
        return not flow.reads

    return frozenset(filter(is_used_only_inside, wanted))


def is_read_later(around: Surroundings, scope: Scope, x: Object) -> bool:
    """Whether somebody may read after the loop what it left in memory: not other loops of which each iteration sets
    what it reads there. Calls in it that are supposed to be independent do not keep the address that they get."""
    if not is_live_after(around.function, scope.loop, x, lent=scope.supposing):
        return False
    elsewhere = loops_that_read(around.function, scope.loop, x, lent=scope.supposing)
    if elsewhere is None:
        return True
    return not all(any(_sets_what_it_reads(around, key, x) for key in nested) for nested in elsewhere)


def _sets_what_it_reads(around: Surroundings, key: int, x: Object) -> bool:
    """Whether each iteration of another loop sets in memory what it reads there, whatever is assumed."""
    if (key, x) not in around.set_first:
        other = around.scope(next(loop for loop in loops(around.function.body) if loop.key == key))
        around.set_first[key, x] = private(other, other.accesses_to(x)) == frozenset()
    return around.set_first[key, x]


def _is_read_elsewhere(around: Surroundings, loop: Loop, variable: Variable) -> bool:
    """Whether a variable may be read by other functions, or through a pointer that is not followed to it."""
    if variable.scope in ("global", "static"):
        return True
    if not variable.addressed:
        return False
    x = Declared(variable)
    if not around.function.complete or x in _accessed(around.function):  # as bytes, say
        return True
    return x in around.known.addressed and not _is_only_lent(around, loop, x)


@remembered("_accessed")
def _accessed(function: Function) -> frozenset[Object]:
    """The memory that the function loads from or stores to by name."""
    return frozenset(a.object for s in every_statement(function) for a in accesses_of(s))


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
