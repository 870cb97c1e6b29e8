"""Strides that are to be long enough: `y[i * incy]` is one element in all iterations where incy is 0, and rows that
`p += pitch` leads to overlap where they are shorter than what is touched in them.

*Decides*: which sizes multiply a counter in the subscripts of two accesses, or say how many planes lie between them,
and may have to be no smaller than a number for the two never to meet: 1, or more than the numbers of rows and elements
between them; or than what columns reach.
*Errs toward* asking for more than is needed: with a negative stride they do not meet either.
*Does not handle*: sizes that have no name before the loop, or change in it.

    y[i * incy] = x[i];                             ->  at-least(incy>=1)
    for (i = k; i < n; i++) p[i] -= p[0];           ->  at-least(k>=1)
    a[i * m] = a[i * m + 2];                        ->  at-least(m>=3)
    a[k * m * n] = a[(k * m + 2) * n];              ->  at-least(m>=3)
    a[j * n + i] = a[k * m * n + i * m + j];        ->  at-least(k>=1), for i < n and j < m
    y[j * length + i * step] = 0, with j < columns  ->  at-least(step>=1), beside in-bounds(y)
    for (x = 0; x < w; x++) p[x] = 0; p += pitch;   ->  at-least(pitch>=w), in the loop around
    for (j = 0; j < n; j += s) a[i * p + q++] = 0;  ->  at-least(p*s>=n)
    for (j < len[i]) a[i * p + j] = 0;              ->  at-most(len<=p), and at-least(p>=m), at-least(p>=n) for
                                                        j < (all ? m : n)
    p = w + ld; for (i...) p[i] = w[i];             ->  distinct(p,w), for parts of one array as for two
    p = f[k]; w = f[3]; p[i] = w[i - 1];            ->  distinct(p,w)
    for (i < n) { u[i] = 1; u[i + c] = 2; }         ->  at-least(c>=n)
"""

import re
from collections.abc import Iterator
from itertools import chain

from ..access.accesses import Occurrence
from ..access.decided_values import one_of
from ..access.domains import domain
from ..access.planes import is_selected
from ..access.split_values import parts, triangles
from ..facts.loop import Assumption
from ..ir.members import element_part, row_part
from ..ir.nodes import Access, Computed, Steps, nested_symbols
from ..ir.polynomials import ZERO, Poly, Symbol, number, symbol
from ..ir.reasons import AssumptionKind
from ..ir.triangles import rows_of
from ..polyhedra.loop_bounds import counts, extremes
from ..polyhedra.system import System, at_least, proves, system, together
from .columns import Columns, Row
from .ordering import EVERYWHERE
from .scope import Scope
from .size_names import in_names, is_outside_pointer, of_values, side_by_side

MOST_ROWS = 4
"""Lengths of rows that one answer supposes something of: those of a block in space."""


def long_strides(scope: Scope, source: Occurrence, sink: Occurrence) -> Iterator[tuple[tuple[Assumption, ...], System]]:
    """Conditions on sizes, each with what it says. Example: see the module."""
    places = [s.index for o in (source, sink) for s in (*row_part(o.access), *element_part(o.access))]
    differences = [a - b for a in places for b in places]
    beside = {abs(c) for d in differences for m, c in d.terms if not any(map(counts, m))} | {0}
    begun = scope.loop.first.symbols if scope.loop.first is not None else ()
    first = (s for s in sorted(begun, key=lambda s: s.key) if any(s in place.symbols for place in places))
    between = (m for d in differences for m, _ in d.terms if len(m) > 1 and not any(map(counts, m)))
    for stride in dict.fromkeys((*chain.from_iterable(map(_strides, places)), *first, *chain.from_iterable(between))):
        name = in_names(scope, symbol(stride))
        if name is not None:
            for least in sorted({1, max(beside) + 1}):
                condition = Assumption(AssumptionKind.AT_LEAST, f"{name}>={least}", source.line)
                yield (condition,), system(at_least(symbol(stride) - least))


def other_parts(scope: Scope, source: Occurrence, sink: Occurrence) -> Iterator[tuple[tuple[Assumption, ...], System]]:
    """That what the loop reaches by two pointers does not overlap, as far apart into one array as a size says, or into
    the arrays of one table. Example: see the module."""
    ways = [_part(scope, o.access) for o in (source, sink)]
    places = [[s.index for s in element_part(o.access)] for o in (source, sink)]
    if any(len(each) != 1 for each in places) or None in ways:
        return
    (one, at), (other, there) = (way for way in ways if way is not None)
    rows = [[s.index for s in row_part(o.access)] for o in (source, sink)]
    gaps = [a - b for a, b in zip(*rows, strict=False) if a != b]
    if not gaps and at == there:
        gaps = [places[0][0] - places[1][0]]
    apart = all(gap.symbols and not any(map(scope.varies, gap.symbols)) for gap in gaps)
    if one != other and gaps and apart:
        condition = Assumption(AssumptionKind.DISTINCT, ",".join(sorted((one, other))), source.line)
        yield (condition,), system(at_least(number(-1)))


def offsets(scope: Scope, source: Occurrence, sink: Occurrence) -> Iterator[tuple[tuple[Assumption, ...], System]]:
    """That planes of one array lie further apart than the loops go in one. Example: see the module."""
    places = [element_part(o.access) for o in (source, sink)]
    if any(len(part) != 1 for part in places) or places[0][0].stride != places[1][0].stride:
        return
    (a,), (b,) = places
    for s in sorted((a.index - b.index).symbols, key=lambda s: s.key):
        factors = [x.index.coefficient(s).constant if x.index.is_linear_in((s,)) else None for x in (a, b)]
        of_planes = None not in factors and min(f or 0 for f in factors) >= 0
        rest = a.index.without(s)
        if not of_planes or scope.varies(s) or rest != b.index.without(s):
            continue  # another place, not the same in another plane
        if not all(_is_counted_or_fixed(scope, t) for t in rest.symbols):
            continue
        gap = (factors[0] or 0) - (factors[1] or 0)
        if abs(gap) > 1 and source.loops != sink.loops:
            continue
        below, above = (sink, source) if gap > 0 else (source, sink)
        ends = (_end(below, rest, 1), _end(above, rest, -1))
        if None in ends:
            continue
        (last, needed), (first, more) = (end for end in ends if end is not None)
        wanted = [(symbol(s), last - first + 1), *((size, ZERO) for size in dict.fromkeys((*needed, *more)))]
        names = [side_by_side(scope, *pair) for pair in wanted]
        if s not in (last - first).symbols and not any(None in pair for pair in names):
            texts = (f"{large}>={small}" for large, small in names)
            conditions = tuple(Assumption(AssumptionKind.AT_LEAST, text, source.line) for text in texts)
            yield conditions, system(at_least(number(-1)))


def _is_counted_or_fixed(scope: Scope, s: Symbol) -> bool:
    """Whether a part of a place counts iterations, or is the same in all of them."""
    inside = any(counts(t) for t in nested_symbols((s,)))
    return counts(s) or not (inside or scope.varies(s))


def _end(o: Occurrence, place: Poly, sign: int) -> tuple[Poly, tuple[Poly, ...]] | None:
    """How far the loops around an access go, and what must not be below 0 for that."""
    for end in extremes(place, o.loops, sign):
        open_ = [c for c in end.given if not proves(domain(o), c)]
        if not any(c.equal for c in open_):
            return end.value, tuple(c.value for c in open_)
    return None


def _part(scope: Scope, access: Access) -> tuple[str, str] | None:
    """The variable from outside by which the loop gets to an element, if it leaves that alone, and the subscript."""
    found = re.match(r"([A-Za-z_]\w*)\[(.*)\]\Z", access.text)
    return (found[1], found[2]) if found and is_outside_pointer(scope, access, found[1]) else None


def long_rows(
    scope: Scope, source: Occurrence, sink: Occurrence, known: System = EVERYWHERE
) -> Iterator[tuple[tuple[Assumption, ...], System]]:
    """Conditions on the lengths of rows, each with what it says; `known`: what is supposed of values beside. Example:
    see the module."""
    divided = list(_divisors(scope, source))
    for needed in Columns(scope, source, sink, known, from_front=True).unevidenced(sums=True):
        said = [each for row in needed for each in _as_long_as(scope, row, source.line)]
        yield from (((condition,), means) for condition, means in said)
        for every in (said, [*said, *divided]) if divided else (said,):
            if 1 < len(every) <= MOST_ROWS:
                conditions, means = zip(*every, strict=True)
                yield conditions, together(means)


def _divisors(scope: Scope, o: Occurrence) -> Iterator[tuple[Assumption, System]]:
    """That what divides a counter is not below 1: `r % ny` lies before ny then; that a triangle has a size."""
    used = [s for subscript in element_part(o.access) for s in subscript.index.symbols]
    for length in dict.fromkeys(meaning.divisor for _, meaning in parts(used)):
        name = None if length.constant is not None else in_names(scope, length)
        if name is not None and not proves(domain(o), at_least(length - 1)):
            yield Assumption(AssumptionKind.AT_LEAST, f"{name}>=1", o.line), system(at_least(length - 1))
    for rows in _triangles(o) if triangles(used) else ():
        name = in_names(scope, rows)
        if name is not None and not proves(domain(o), at_least(rows)):
            yield Assumption(AssumptionKind.AT_LEAST, f"{name}>=0", o.line), system(at_least(rows))


def _triangles(o: Occurrence) -> Iterator[Poly]:
    """The numbers of rows of packed triangles of which the loops go through all elements: n of `k < n*(n + 1)/2`."""
    trips = (ratio.numerator for loop in o.loops for ratio in loop.trip or ())
    found = (rows_of(symbol(s)) for trip in trips for s in sorted(trip.symbols, key=lambda s: s.key))
    return (rows for rows in dict.fromkeys(found) if rows is not None)


def _as_long_as(scope: Scope, row: Row, line: int) -> Iterator[tuple[Assumption, System]]:
    """That a row is as long as what is touched in it; of the larger of two, as long as both."""
    for every in chain(((wanted,) for wanted in row.wanted), map(one_of, row.wanted)):
        said = [(as_long_as(scope, row.extent, wanted, line), row.extent - wanted) for wanted in every]
        known = [(condition, system(at_least(spare))) for condition, spare in said if condition is not None]
        if len(known) == len(every):
            yield from known
            return


def as_long_as(scope: Scope, extent: Poly, wanted: Poly, line: int) -> Assumption | None:
    """That a row has at least so many elements, in names, if need be for each value of an array; None where no row has:
    m is not m + 1."""
    if ((extent - wanted).constant or 0) < 0:
        return None
    for sides in ((extent, wanted), *_in_steps(extent, wanted)):
        names = side_by_side(scope, *sides)
        if None not in names:
            return Assumption(AssumptionKind.AT_LEAST, f"{names[0]}>={names[1]}", line)
    for s in filter(scope.varies, wanted.symbols):
        values, most = of_values(scope, s), in_names(scope, extent + symbol(s) - wanted)
        if values is not None and most is not None:
            return Assumption(AssumptionKind.AT_MOST, f"{values}<={most}", line)
    return None


def _in_steps(extent: Poly, wanted: Poly) -> Iterator[tuple[Poly, Poly]]:
    """That a row has as many elements as a loop has steps, without a division: `w*step >= n` for `w >= n / step`."""
    for s in sorted(wanted.symbols, key=lambda s: s.key):
        if wanted.coefficient(s).constant == 1 and isinstance(s.origin, Computed):
            match s.origin.meaning:
                case Steps(distance=distance, width=width):
                    yield (extent - wanted.without(s)) * width, distance
                case _:
                    pass


def _strides(place: Poly) -> Iterator[Symbol]:
    """What multiplies counters, and values that they select."""
    for monomial, _ in place.terms:
        if any(map(is_selected, monomial)):
            yield from (s for s in monomial if not is_selected(s))
