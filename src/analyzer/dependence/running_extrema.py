"""The largest or smallest value so far, as each iteration uses it: a scan.

*Decides*: whether a variable that only an extremum sets carries a value that shows: `if (a[i] > m) m = a[i]; b[i] = m;`
*Method*: elements that the loop does not store may be anything, so that one of them is kept and the next one is not:
then the next iteration uses what this one kept. *Errs toward* no: other values than such elements, other uses.
"""

from ..access.dataflow import Read
from ..ir.nodes import Assign, Branch, Load, Statement, Variable, evaluated, is_use, statements, unconverted
from ..memory.alias import Overlap
from ..reductions.updates import extremum_of
from .scope import Scope


def is_running(scope: Scope, variable: Variable, made: list[tuple[Assign, bool]], exposed: list[Read]) -> bool:
    """Whether iterations certainly use what earlier ones kept, for some contents. Example: see the module."""
    keeping = [s for s in scope.loop.body if isinstance(s, Branch) and _keeps(s, variable)]
    if len(keeping) != 1 or len(made) != 1 or not any(r.certain for r in exposed):
        return False
    kept = unconverted(made[0][0].value)
    return isinstance(kept, Load) and _is_free(scope, kept) and any(_uses(s, variable) for s in scope.loop.body)


def _keeps(test: Branch, variable: Variable) -> bool:
    update = extremum_of(test)
    return update is not None and update.target == variable and update.operator in ("max", "min") and len(
        update.others
    ) == 1


def _is_free(scope: Scope, read: Load) -> bool:
    """Whether each iteration reads an element of its own, which the loop leaves alone."""
    apart = (Overlap.DISTINCT, Overlap.ASSUMED)
    stored = any(scope.overlap(w.access, read.access).overlap not in apart for w in scope.writes)
    counter = scope.loop.counter
    moves = [s.index.coefficient(counter).constant for s in read.access.subscripts if counter in s.index.symbols]
    others = (s for i in read.access.subscripts for s in i.index.symbols if s != counter)
    return not stored and moves not in ([], [0]) and None not in moves and not any(map(scope.varies, others))


def _uses(statement: Statement, variable: Variable) -> bool:
    """Whether a statement of every iteration stores what is made of the variable."""
    store = isinstance(statement, Assign) and not isinstance(statement.target, Variable)
    return store and any(is_use(e, variable) for s in statements((statement,)) for e in evaluated(s))
