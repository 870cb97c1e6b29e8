"""Variables that an iteration sets and reads under the same condition, which nothing changes in between.

*Decides*: whether every read of a variable comes behind an assignment of the same iteration under conditions that all
hold where it is read, too; and whether all iterations set it before they read it, or none ever does, because of
conditions on data that are the same in all of them (`first_private` knows those on sizes).
*Errs toward* no: assignments in inner loops, conditions of which the loop changes a part.

    if (c[i]) t = a[i];  ...  if (c[i]) b[i] = t;        ->  t is private: no iteration reads what another one set
    if (c[i]) t = a[i];  c[i] = 1;  if (c[i]) b[i] = t;  ->  it may be
    if (p) t = p[i];  b[i] = t;                          ->  all iterations set t, or none does
    if (p[0]) t = a[i];  p[0] = 1;  b[i] = t;            ->  nobody knows
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


def set_in_all_or_none(scope: Scope, variable: Variable, written: int) -> frozenset[Assumption] | None:
    """The assumptions under which every iteration sets a variable before it reads it, the last one all that any of them
    sets, or else no iteration ever sets it; None where that is not known. `written`: how many statements of the loop do
    (`first_private.variable_from_before`). Example: see the module."""
    found = scope.of_scalar(variable)
    writes, reads = [o for o in found if o.write], [o for o in found if not o.write]
    if len(writes) != written or variable.addressed or _may_be_skipped(scope):
        return None
    for first in (w for w in writes if w.loops[-1].key == scope.loop.key):
        guards = inner_guards(scope, first)
        decides = all(_holds(scope, g, w) for g in guards for w in writes)
        steady = [_never_changes(scope, g.condition) for g in guards]
        if decides and None not in steady and all(first.position < r.position for r in reads):
            return frozenset().union(*(s for s in steady if s is not None))
    return None


def _may_be_skipped(scope: Scope) -> bool:
    return any(d.exit.kind in ("continue", "goto") for d in scope.history.departures)


def _holds(scope: Scope, guard: Guard, at: Occurrence) -> bool:
    return any(g.arm == guard.arm or _is_same(guard, g) for g in inner_guards(scope, at))


def _never_changes(scope: Scope, condition: Expression) -> frozenset[Assumption] | None:
    """What it rests on that a condition has one value in all iterations."""
    for e in walk(condition):
        match e:
            case Use(variable=variable, value=value):
                own = variable.scope in ("local", "parameter") and not variable.addressed
                moves = variable.key in scope.assigned or (value is not None and any(map(scope.varies, value.symbols)))
                if not own or moves:
                    return None
            case Load(access=access):
                places = (s for sub in access.subscripts for s in sub.index.symbols)
                if access.volatile or scope.fresh(access.object) or any(map(scope.varies, places)):
                    return None
            case _:
                pass
    return None if scope.moves_pointers else _stays(scope, condition)


def _needed(scope: Scope, write: Occurrence, read: Occurrence) -> frozenset[Assumption] | None:
    """What it rests on that the conditions of a write hold at the read."""
    needed: set[Assumption] = set()
    guards = inner_guards(scope, read)
    for guard in inner_guards(scope, write):
        if any(g.arm == guard.arm for g in guards):
            continue
        if not _holds(scope, guard, read):
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
