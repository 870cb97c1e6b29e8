"""Variables that an iteration sets and reads under the same condition, which nothing changes in between.

*Decides*: whether every read of a variable comes behind an assignment of the same iteration under conditions that all
hold where it is read, too. *Errs toward* no: assignments in inner loops, conditions of which the loop changes a part.

    if (c[i]) t = a[i];  ...  if (c[i]) b[i] = t;        ->  t is private: no iteration reads what another one set
    if (c[i]) t = a[i];  c[i] = 1;  if (c[i]) b[i] = t;  ->  it may be
"""

from ..access.accesses import Guard, Occurrence
from ..facts.loop import Assumption
from ..ir.nodes import Call, Expression, Load, Opaque, Use, Variable, walk
from ..ir.same import same
from ..memory.alias import Overlap
from .scope import Scope
from .witness.free_contents import inner_guards


def set_where_read(scope: Scope, variable: Variable) -> frozenset[Assumption] | None:
    """The assumptions under which every iteration reads only what it has set; None where it may read something else.
    Example: see the module."""
    found = scope.of_scalar(variable)
    writes = [o for o in found if o.write and o.loops[-1].key == scope.loop.key]
    needed: set[Assumption] = set()
    for read in (o for o in found if not o.write):
        behind = (_needed(scope, w, read) for w in writes if w.position < read.position)
        known = next((n for n in behind if n is not None), None)
        if known is None:
            return None
        needed |= known
    return frozenset(needed)


def _needed(scope: Scope, write: Occurrence, read: Occurrence) -> frozenset[Assumption] | None:
    """What it rests on that the conditions of a write hold at the read."""
    needed: set[Assumption] = set()
    guards = inner_guards(scope, read)
    for guard in inner_guards(scope, write):
        if any(g.arm == guard.arm for g in guards):
            continue
        if not any(_is_same(guard, g) for g in guards):
            return None
        steady = _stays(scope, guard.condition)
        if steady is None:
            return None
        needed |= steady
    return frozenset(needed)


def _is_same(a: Guard, b: Guard) -> bool:
    return a.holds == b.holds and same(a.condition, b.condition)


def _stays(scope: Scope, condition: Expression) -> frozenset[Assumption] | None:
    """What it rests on that a condition has one value throughout an iteration."""
    needed: set[Assumption] = set()
    for e in walk(condition):
        match e:
            case Call() | Opaque():
                return None
            case Use(variable=variable, value=None) if variable.key in scope.assigned:
                return None
            case Use(variable=variable, value=value) if value is not None and variable.key in scope.assigned:
                if not all(s == scope.loop.counter or not scope.varies(s) for s in value.symbols):
                    return None
            case Load(access=access):
                for write in scope.writes:
                    relation = scope.overlap(write.access, access)
                    if relation.overlap not in (Overlap.DISTINCT, Overlap.ASSUMED):
                        return None
                    needed |= {Assumption(*a, line=write.line) for a in relation.assumptions}
            case _:
                pass
    return frozenset(needed)
