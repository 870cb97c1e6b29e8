"""Memory behind two entries of one table of pointers, of which nobody knows whether both lead to one place.

*Decides*: the condition under which two accesses do not meet, where each is behind an entry that stays the same while
the loop runs, and both entries have names before it.
*Errs toward* None: where the loop sets pointers, for links from one structure to another one of its kind, and for
tables that begin with pointers into one block.

    for (i...) stack[top - 1][i] += stack[top][i];      ->  distinct(stack[top - 1],stack[top])
    for (i...) stack[top][i] = stack[i][top];           ->  none: another entry in each iteration
"""

from collections.abc import Iterator

from models.expr.nodes import remembered

from ..access.accesses import Occurrence
from ..access.subscripts import is_link
from ..base.regex import regex
from ..facts.loop import Assumption
from ..ir.members import row_part
from ..ir.nodes import Access, Assign, Loop, Rows, Variable, statements
from ..ir.polynomials import number
from ..ir.reasons import AssumptionKind
from ..memory.access_text import pointer_text
from ..memory.tables import table_behind
from ..polyhedra.system import System, at_least, system
from .scope import Scope


def behind_two_entries(
    scope: Scope, source: Occurrence, sink: Occurrence
) -> Iterator[tuple[tuple[Assumption, ...], System]]:
    """That what two entries of a table lead to does not overlap, and that the two accesses never meet then. Example:
    see the module."""
    rows, known = source.access.object, scope.known
    table = table_behind(rows)
    begun = table is not None and table[0] in known.listed_twice
    if scope.moves_pointers or is_link(source.access) or rows in known.in_one_block or begun:
        return
    one, other = (_name(scope, o.access) for o in (source, sink))
    if one is not None and other is not None and one != other:
        text = ",".join(sorted((one, other)))
        yield (Assumption(AssumptionKind.DISTINCT, text, source.line),), system(at_least(number(-1)))


def _name(scope: Scope, access: Access) -> str | None:
    """The entry as C has it before the loop; None where it is not the same in all iterations, or is behind no table."""
    entry = [s.index for s in row_part(access)]
    steady = entry and not any(scope.varies(s) for index in entry for s in index.symbols)
    text = pointer_text(access, scope.loop) if steady and isinstance(access.object, Rows) else None
    return text if text is not None and _set_in(scope.loop).isdisjoint(_NAME.findall(text)) else None


@remembered("_set_in_loop")
def _set_in(loop: Loop) -> frozenset[str]:
    """The variables that the loop sets: they have other values before it, or do not stand for anything there."""
    targets = (s.target for s in statements(loop.body) if isinstance(s, Assign))
    return frozenset(t.name for t in targets if isinstance(t, Variable))


_NAME = regex(r"[A-Za-z_]\w*")
