"""Variables that compilers take for unset once threads share a loop.

*Decides*: of which scalars of the function a compiler cannot see that they have a value where the loop gets them: it
makes a function of the loop, to which it passes them, and warns. Those that one branch before the loop sets and another
one does not; and those that are private because an iteration reads them under the condition under which it has set
them, which in a function of its own is two conditions.
*Method*: `access.dataflow` over the whole function, without what is known of conditions.
*Errs toward* unset. *Leaves out* what a loop around declares, whose last value might be there again.

    double *a, *b;  if (p) a = x; else b = x;  for (...) if (p) a[i] = 0; else b[i] = 1;      ->  a and b
    double t;  for (...) { if (c[i]) t = a[i];  b[i] = 0;  if (c[i]) b[i] = t; }              ->  t
    double t = 0;  the same loop                                            ->  t, which has a value before
"""

from collections.abc import Iterator

from msgspec import field

from models.expr.nodes import remembered

from ..access.dataflow import Certain, Flow, State, assigned, assignments
from ..facts.loop import Clauses, Unset
from ..ir.nodes import Function, Loop, Variable
from ..source.ctypes import Floating, Integer, Pointer
from .canonical import surely_runs
from .site import Site


def unset(site: Site, found: Clauses) -> tuple[Unset, ...]:
    """Those among the variables that the loop has by name, in the order of the alphabet. `found`: its clauses. Example:
    see the module."""
    return tuple(_unset(site, found))


def _unset(site: Site, found: Clauses) -> Iterator[Unset]:
    entered = _entered(site.function).get(site.loop.key)
    if entered is None:
        return
    others = {i.variable for i in found.inductions} | {r.variable for r in found.reductions}
    for variable in sorted(_scalars(site.function), key=lambda v: v.name):
        declared = site.visible.get(variable.name)
        if declared is None or site.unit.place(declared) != variable.place or variable.loops:
            continue
        if variable.name not in site.mentioned_in_iterations - others:
            continue
        is_set = variable.key in entered or declared.init is not None
        if variable.name in found.private:
            wants_value = _is_read_first(site.loop, variable)
        else:
            wants_value = not is_set and (variable.name in found.first_private or variable not in assigned(site.loop))
        if wants_value:
            yield Unset(variable.name, None if is_set else variable.place)


def _is_read_first(loop: Loop, variable: Variable) -> bool:
    """Whether an iteration reads the variable before it has set it, so far as the order of its statements tells."""
    flow = Flow(Certain(runs=surely_runs), frozenset({variable.key}))
    flow.body(loop.body, frozenset())
    return bool(flow.reads)


@remembered("_scalars")
def _scalars(function: Function) -> tuple[Variable, ...]:
    """The automatic variables that hold one value, and that the function sets somewhere."""
    targets = (a.target for a, _ in assignments(function.body))
    own = (v for v in targets if isinstance(v, Variable) and v.scope == "local" and not v.inlined)
    return tuple(dict.fromkeys(v for v in own if isinstance(v.type, Integer | Floating | Pointer)))


class _Entered(Flow):
    """What is certainly assigned where each loop begins, by key, the first time."""

    states: dict[int, State] = field(default_factory=dict)

    def loop(self, loop: Loop, state: State, certain: bool) -> State:
        self.states[loop.key] = state
        return Flow.loop(self, loop, state, certain)


@remembered("_entered")
def _entered(function: Function) -> dict[int, State]:
    flow = _Entered(Certain(runs=surely_runs), frozenset(v.key for v in _scalars(function)))
    flow.body(function.body, frozenset())
    return flow.states
