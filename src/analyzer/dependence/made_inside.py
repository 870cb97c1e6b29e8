"""Memory that an iteration allocates, or declares, itself.

*Decides*: whether all that leads to an object was made to lead there by the same iteration, and to memory that begins
with it: then no other iteration gets there, and it may be released in any order. *Method*: what the function has stored
in the tables of pointers on the way, each of which begins anew in an iteration, or is set by it before it is read.
(`points_to` follows no variable that an iteration finds as another one left it, where that allocates; what that has
declared is gone.) *Errs toward* not.

    double *t[2]; for (i...) { t[0] = malloc(8 * m); for (j...) t[0][j] = i;  free(t[0]); }         ->  t[0] leads there
    for (i...) { if (i % 2) t[0] = malloc(8 * m);  for (j...) t[0][j] = i; }                        ->  perhaps not
    for (i...) { double *t[1] = {T[0]};  T[i + 1] = malloc(8);  t[0][0] = i; }    ->  T[0] may be from an earlier run
"""

from ..ir.nodes import Allocated, Anything, Declared, Object, Rows
from .new_structures import made_for
from .private_arrays import private
from .scope import Scope


def is_made_inside(scope: Scope, x: Object) -> bool:
    """Whether the iteration itself makes whatever a pointer leads to. Example: see the module."""
    if x not in scope.made_inside:
        ends, tables = _followed(scope, x)
        begin = all(isinstance(each, Declared | Allocated) and scope.fresh(each) for each in ends)
        scope.made_inside[x] = begin and all(_is_set_anew(scope, table) for table in tables)
    return scope.made_inside[x]


def _followed(scope: Scope, x: Object) -> tuple[set[Object], set[Object]]:
    """What the pointers that lead to an object were made to lead to, and the tables on the way."""
    ends, tables, found = set[Object](), set[Object](), set[Object]()
    todo = [*(scope.known.targets(x) if isinstance(x, Anything) else (x,))]
    while todo:
        each = todo.pop()
        if each in found:
            continue
        found.add(each)
        stored = scope.known.stored_behind(each) if isinstance(each, Rows) else None
        stored = (made_for(scope, each) or None) if stored is None else stored
        if stored is not None and isinstance(each, Rows):
            tables.add(each.base)
            todo += stored
        else:
            ends.add(each)
    return ends, tables


def _is_set_anew(scope: Scope, table: Object) -> bool:
    """Whether an iteration finds in a table only what it has stored there itself."""
    if not isinstance(table, Declared | Allocated):
        return False
    return scope.fresh(table) or private(scope, scope.accesses_to(table)) == frozenset()
