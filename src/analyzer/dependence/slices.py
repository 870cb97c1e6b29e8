"""Iterations that begin at a place that a value says, and go up from there, up to where the next one begins.

*Decides*: for two accesses in different iterations, the condition under which they are in slices that follow each
other. `slices(start[i])`, of a value that the iteration reads: all that it touches from there on lies before the places
at which later iterations begin. `slices(p)`, of a variable that it sets anew and that only goes up (`cursors`): the
same of what it reaches with p. `injective(p)`, of one that it sets anew for several parts: no two iterations reach one
place with it. *Errs toward* none: one that surely begins before its own place has no slice.

    for (k = 0; more(k); k++) to[start[i] + k] = x[k];                           ->  slices(start[i])
    p = ptr[i]; for (...) if (x[k]) list[p++] = k;                               ->  slices(p)
    for (...) { p = ptr[k]; for (...) if (x[k]) list[p++] = k; }                 ->  injective(p)
"""

from collections.abc import Iterator
from itertools import product

from ..access.accesses import Occurrence
from ..facts.loop import Assumption
from ..ir.members import element_part, row_part
from ..ir.nodes import Access, Either, Loaded, meaning_of, nested_symbols
from ..ir.polynomials import Poly, Symbol, symbol
from ..ir.reasons import AssumptionKind
from ..polyhedra.system import System, at_least, either
from ..source.ctypes import Integer
from .cursors import reached
from .index_arrays import Supposed, is_left_alone, is_one_expression
from .index_text import array_text, index_text
from .iterations import EARLIER, LATER
from .scope import Scope


def in_slices(scope: Scope, source: Occurrence, sink: Occurrence) -> Iterator[Supposed]:
    """Conditions, and what they say of the places that the two accesses touch. Example: see the module."""
    places = [element_part(o.access) for o in (source, sink)]
    rows = (s for o in (source, sink) for sub in row_part(o.access) for s in sub.index.symbols)
    if any(len(place) != 1 for place in places) or any(map(scope.varies, rows)):
        return
    x, y = (place[0].index for place in places)
    yield from _behind_cursors(scope, source, sink)
    for s, t in product(_beginnings(scope, x), _beginnings(scope, y)):
        text = index_text(s, scope.loop, scope.loop.variable or "")
        ended = any(_ends_at_neighbour(scope, begins, o) for begins, o in ((s, source), (t, sink)))
        if text is not None and not ended and is_one_expression(s, t) and is_left_alone(scope, s):
            yield (Assumption(AssumptionKind.SLICES, text, source.line),), _before(scope, x, symbol(t))
    for s, t in product(_first_parts(scope, x), _first_parts(scope, y)):
        text = index_text(s, scope.loop, scope.loop.variable or "")
        if text is not None and is_one_expression(s, t) and is_left_alone(scope, s):
            inside = at_least(scope.rename(y - symbol(t), LATER))
            said = _before(scope, x, symbol(t)) + System((inside,))
            yield (Assumption(AssumptionKind.SLICES, text, source.line),), said


def _behind_cursors(scope: Scope, source: Occurrence, sink: Occurrence) -> Iterator[Supposed]:
    """Conditions on variables that each iteration moves on."""
    for a, b in product(reached(scope, source), reached(scope, sink)):
        if (a.variable, a.unit) == (b.variable, b.unit):
            variable = a.variable
            kind = AssumptionKind.INJECTIVE if a.in_parts else AssumptionKind.SLICES
            conditions = [Assumption(kind, variable.name, source.line)]
            if isinstance(variable.type, Integer) and not variable.type.signed:
                conditions.append(Assumption(AssumptionKind.NO_OVERFLOW, variable.name, source.line))
            yield tuple(conditions), (_elsewhere if a.in_parts else _before)(scope, a.place, b.place)


def _before(scope: Scope, earlier: Poly, later: Poly) -> System:
    """That a place in the earlier iteration lies before one in the later iteration."""
    return System((at_least(scope.rename(later, LATER) - scope.rename(earlier, EARLIER) - 1),))


def _elsewhere(scope: Scope, earlier: Poly, later: Poly) -> System:
    """That a place in the earlier iteration is none in the later iteration."""
    gap = scope.rename(later, LATER) - scope.rename(earlier, EARLIER)
    return either((at_least(gap - 1),), (at_least(-gap - 1),))


def _beginnings(scope: Scope, place: Poly) -> Iterator[Symbol]:
    """The values read from memory from which the place counts, if an iteration touches several."""
    for s in sorted(place.symbols, key=lambda s: s.key):
        if isinstance(s.origin, Loaded) and scope.varies(s) and place.is_linear_in((s,)):
            rest = place - symbol(s)
            if s not in rest.symbols and rest.constant is None:
                yield s


def _first_parts(scope: Scope, place: Poly) -> Iterator[Symbol]:
    """The values read from memory at which only the first of several parts of an iteration begins, as a comparison
    says: `k == first[i] ? start[i] : ptr[k]`."""
    for s in sorted(place.symbols, key=lambda s: s.key):
        of = meaning_of(s)
        if isinstance(of, Either) and of.decided:
            then, _ = of.values
            behind = place - symbol(s)
            if behind.constant_term < 0 or not all(map(scope.counts_inside, behind.symbols)):
                continue
            read = (t for t in then.symbols if then == symbol(t) and isinstance(t.origin, Loaded))
            yield from filter(scope.varies, read)


def _ends_at_neighbour(scope: Scope, s: Symbol, o: Occurrence) -> bool:
    """Whether the value beside it in the array says in a bound of a loop where the slice ends: that is a range, of
    which `monotone` and `rising` say more. (`table[t + tasks]` of two lists in one table is not beside `table[t]`.)"""
    if not isinstance(s.origin, Loaded):
        return False
    begin = s.origin.access
    bounds = (v for loop in o.loops for r in loop.trip or () for v in r.numerator.symbols if v != s)
    read = (v.origin.access for v in nested_symbols(bounds) if isinstance(v.origin, Loaded))
    name = array_text(begin, scope.loop)
    return any(array_text(access, scope.loop) == name and _is_beside(begin, access) for access in read)


def _is_beside(a: Access, b: Access) -> bool:
    """Whether two places of an array are a number apart, or selected by values that are: `box[i]` and `box[i + 1]`."""
    places = [element_part(access) for access in (a, b)]
    if len(places[0]) != 1 or len(places[1]) != 1:
        return True
    gap = places[0][0].index - places[1][0].index
    match gap.terms:
        case (((Symbol(origin=Loaded(access=x)),), 1 | -1), ((Symbol(origin=Loaded(access=y)),), 1 | -1)):
            return x.object == y.object and gap.constant_term == 0 and _is_beside(x, y)
        case _:
            return gap.constant is not None
