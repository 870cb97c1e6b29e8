"""Colours and levels: a list of rows, cut into ranges of rows that do not need each other.

*Decides*: whether an answer may rest on the condition `colours(rows)`: what the iterations of the loop select by the
list are different rows, and none of them uses what belongs to the row of another one. *Evidence* that this is what the
ranges are for: a loop around goes over them, `for (c...) for (q = first[c]; q < first[c + 1]; q++)`, or the list is one
of a table, `rows[colour][q]`; and what an iteration stores it stores to its own row alone.
*Errs toward* no such condition. *Does not handle*: ranges without a loop around, rows that are counted and not listed.

    for (c...) for (q = first[c]; q < first[c + 1]; q++) { i = rows[q]; ... t -= a[k] * x[col[k]]; ... x[i] = t; }
    for (q = 0; q < length[c]; q++) { i = rows[c][q]; ... x[i] += x[next[i]]; }
"""

from collections.abc import Iterable

from ..access.accesses import Occurrence
from ..access.subscripts import subscripts
from ..facts.loop import Assumption
from ..ir.members import element_part, row_part
from ..ir.nodes import Access, Computed, Counter, Loaded, Loop
from ..ir.polynomials import Poly, Symbol
from ..ir.reasons import AssumptionKind
from .index_arrays import is_left_alone
from .index_text import array_text
from .scope import Scope


def in_one_colour(scope: Scope, source: Occurrence, sink: Occurrence) -> frozenset[Assumption] | None:
    """The condition under which two accesses never meet, one of which at least is a store to the row of its iteration.
    Example: see the module."""
    rows = _rows(scope, source if source.write else sink)
    if rows is None or not (_is_of_table(scope, rows) or _goes_over_ranges(scope, source)):
        return None
    if source.write and sink.write and _rows(scope, sink) != rows:
        return None
    return frozenset({Assumption(AssumptionKind.COLOURS, array_text(rows, scope.loop), source.line)})


def _rows(scope: Scope, store: Occurrence) -> Access | None:
    """The list by which alone an iteration selects where it stores."""
    listed = {read for p in subscripts(store.access) for s in p.symbols if (read := _listed(scope, s)) is not None}
    own = all(_is_of_own_row(scope, s) for p in subscripts(store.access) for s in p.symbols)
    return next(iter(listed)) if own and len({read.object for read in listed}) == 1 else None


def _listed(scope: Scope, s: Symbol) -> Access | None:
    """The read of the list that a value is, or by which it is selected."""
    match s.origin:
        case Loaded(access=access) if scope.varies(s) and is_left_alone(scope, s):
            inner = (read for t in _selecting(access) if (read := _listed(scope, t)) is not None)
            return access if _counts(scope, _selecting(access)) else next(inner, None)
        case _:
            return None


def _is_of_own_row(scope: Scope, s: Symbol) -> bool:
    """Whether a value is a row of the list, what an array holds for it, a counter of a loop inside, or no other one in
    any iteration."""
    match s.origin:
        case Counter(loop=loop):
            return loop in scope.inner or not scope.varies(s)
        case Loaded(access=access) if scope.varies(s):
            selecting = _selecting(access)
            read = all(isinstance(t.origin, Loaded) and _is_of_own_row(scope, t) for t in selecting)
            return read or _counts(scope, selecting)
        case _:
            return not scope.varies(s)


def _selecting(access: Access) -> frozenset[Symbol]:
    return frozenset(s for sub in access.subscripts for s in sub.index.symbols)


def _counts(scope: Scope, symbols: Iterable[Symbol]) -> bool:
    """Whether an element is selected by the iteration alone."""
    moving = [s for s in symbols if scope.varies(s)]
    return moving == [scope.loop.counter]


def _goes_over_ranges(scope: Scope, o: Occurrence) -> bool:
    """Whether the loop runs from one value of an array to its neighbour, which a loop around selects."""
    around = o.loops[: scope.level(o)]
    first, ends = scope.loop.first, [r.numerator for r in scope.loop.trip or ()]
    begins = [] if first is None else _of_outer(first, around)
    return any(b.object == e.object for b in begins for end in ends for e in _of_outer(end, around) if b != e)


def _is_of_table(scope: Scope, rows: Access) -> bool:
    """Whether a list is one of several, and a value that stays the same says which."""
    which = [s for row in row_part(rows) for s in row.index.symbols]
    return bool(which) and not any(map(scope.varies, which))


def _of_outer(value: Poly, around: tuple[Loop, ...]) -> list[Access]:
    read = (s.origin.access for s in value.symbols if isinstance(s.origin, Loaded))
    return [a for a in read if any(_is_of(s, around) for sub in element_part(a) for s in sub.index.symbols)]


def _is_of(s: Symbol, loops: tuple[Loop, ...]) -> bool:
    """Whether it counts the iterations of one of the loops, or is made in each of them: `back ? last - c : c`."""
    made_in = s.origin.loops if isinstance(s.origin, Computed) else ()
    return any(s == loop.counter or loop.key in made_in for loop in loops)
