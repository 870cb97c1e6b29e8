"""Scalars that the loop also accesses through pointers.

*Decides*: for the scalars whose address may be known, whether a store of the loop may change them, or a load may see
them assigned, and what that this is not so rests on. One that is declared in the loop ends with its iteration: no
pointer to it may be followed in another one.
*Errs toward* `may-alias`.

    for (...) *p = n;       int n of the file     ->  may be one, unless the types differ
"""

from ..facts.loop import Assumption
from ..ir.nodes import Access, Assign, Declared, Use, Variable, evaluated, statements
from ..ir.reasons import ReasonCode
from ..memory.alias import Overlap, is_of_structure, shared_scalars
from ..source.ctypes import Complex, Floating, Integer, Pointer
from .finding import Finding, problem
from .scope import Scope


def behind_pointers(scope: Scope) -> Finding:
    """Stores through pointers that may change a scalar the loop uses, and loads that may see one it assigns."""
    used: dict[Variable, bool] = {}
    for statement in statements(scope.loop.body):
        for e in evaluated(statement):
            if isinstance(e, Use):
                used.setdefault(e.variable, False)
        if isinstance(statement, Assign) and isinstance(statement.target, Variable):
            used[statement.target] = True
    total = Finding()
    alike = {
        (o.write, o.access.object, o.access.type, is_of_structure(o.access)): o for o in reversed(scope.occurrences)
    }
    for variable in (v for v in shared_scalars(used, scope.known) if not scope.is_automatic(Declared(v))):
        for o in alike.values():
            if o.write or used[variable]:
                total += _touches(scope, variable, o.access)
    return total


def _touches(scope: Scope, variable: Variable, access: Access) -> Finding:
    size = variable.type.size if isinstance(variable.type, Integer | Floating | Complex | Pointer) else 0
    declared = Declared(variable)
    if access.object == declared:
        message = f"`{access.text}` is `{variable.name}` seen through a pointer"
        return problem(ReasonCode.MAY_ALIAS, message, access.place.line)
    scalar = Access(declared, (), "", 0, variable.type, size, variable.name, access.place)
    relation = scope.overlap(scalar, access)
    match relation.overlap:
        case Overlap.ASSUMED:
            named = (Assumption(*a, line=access.place.line) for a in relation.assumptions)
            return Finding(assumptions=frozenset(named))
        case Overlap.UNKNOWN:
            message = f"`{access.text}` may be the variable `{variable.name}`"
            return problem(ReasonCode.MAY_ALIAS, message, access.place.line)
        case _:
            return Finding()
