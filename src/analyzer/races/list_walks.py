"""Nodes of a list, each of which a loop comes to once.

*Decides*: whether two accesses to nodes, in two iterations of a loop that walks a list, are to two nodes, or to other
members of them. *Method*: `for (p = head; p; p = p->next)` ends only where `p` is null; would it come to a node twice,
it would never end, as long as nothing stores to `next`.
*Errs toward* no: other ways out of the loop, a test that reads more than the pointer, stores that may be to `next`.

    for (p = head; p; p = p->next) {  #pragma omp task firstprivate(p)
                                      p->value *= 2;  }                                    ->  each to its own node
"""

from ..access.subscripts import disjoint_bytes
from ..ir.nodes import (
    Access,
    Anything,
    Assign,
    Call,
    Evaluate,
    Exit,
    Held,
    Load,
    Loop,
    Use,
    Variable,
    statements,
    unconverted,
    walk,
)
from ..source.ctypes import Pointer
from .recorded import Step
from .sharing import variable_of
from .teams import Team, Together


def are_of_other_nodes(team: Team, together: Together, a: Step, b: Step) -> bool:
    """Whether two accesses are to other nodes, or other members of one. Example: see the module."""
    x, y = a.occurrence.access, b.occurrence.access
    if x.object != y.object or x.structure is None or x.structure != y.structure or x.structure.shares:
        return False
    if any(s.index.constant != 0 for s in (*x.subscripts, *y.subscripts)):
        return False
    if together.loop is None:
        return disjoint_bytes(x, y)
    link = _link(together.loop, x)
    return link is not None and not any(_may_store_to(s, link) for s in team.steps if s.occurrence.write)


def _link(loop: Loop, node: Access) -> Access | None:
    """The member by which a loop gets from one node to the next, where it ends only at the last one."""
    match node.object:
        case Anything(pointer=Held(variable=pointer)) if loop.trip is None and _ends_at_null(loop, pointer):
            pass
        case _:
            return None
    stores = [s for s in statements(loop.body) if isinstance(s, Assign) and s.target == pointer]
    value = unconverted(stores[0].value) if len(stores) == 1 and stores[0] in loop.body else None
    return value.access if isinstance(value, Load) and value.access.object == node.object else None


def _ends_at_null(loop: Loop, pointer: Variable) -> bool:
    tests = [s for s in loop.body if isinstance(s, Evaluate) and s.control]
    exits = (s for s in statements(loop.body) if isinstance(s, Exit) and s.kind != "continue")
    if len(tests) != 1 or any(True for _ in exits):
        return False
    parts = [*walk(tests[0].value)]
    used = {e.variable.key for e in parts if isinstance(e, Use)}
    return used == {pointer.key} and not any(isinstance(e, Load | Call) for e in parts)


def _may_store_to(s: Step, link: Access) -> bool:
    """Whether it may store to the member of some node: a store by a name does not, nor one of a number."""
    access = s.occurrence.access
    if variable_of(s) is not None:
        return False
    if access.structure is not None and access.structure == link.structure:
        return not disjoint_bytes(access, link)
    return access.size in (0, 1) or isinstance(access.type, Pointer)
