"""Linearised subscripts as the dimensions they stand for: `a[i*n + j]` is element (i, j) of rows of n elements.

*Decides*: lengths of rows by which *every* reference to an array can be read, so that all of them have the same
dimensions. *Method*: what multiplies a counter is tried as the length of a row; it is one when the rest of each
subscript stays in 0 .. length - 1 in its region. A number is tried only where a subscript adds counters: `a[3*i + 1]`
takes the second of three elements and stays one-dimensional.
*Errs toward* one dimension. *Does not handle*: rows of a sum (`i*(n + 1) + j`).

    a[i*n + k], a[k*n + j]   ->   rows of n:  (i, k), (k, j)
"""

from collections.abc import Iterable, Iterator

from ..ir.polynomials import Monomial, Poly, Symbol
from ..polyhedra.signs import Region, is_nonnegative

Place = tuple[Poly, Region]
"""A subscript and where it is evaluated, all surrounding counters included."""


def row_lengths(places: list[Place], numbers: bool) -> tuple[Poly, ...]:
    """The lengths of inner rows that fit every subscript, outer first; `numbers`: they may be numbers."""
    for row in _candidates(places, numbers):
        divided = [split(index, row, region) for index, region in places]
        outer = [(d[0], region) for d, (_, region) in zip(divided, places, strict=True) if d is not None]
        if len(outer) == len(places):
            return (*row_lengths(outer, True), row)
    return ()


def digits(index: Poly, rows: tuple[Poly, ...], region: Region) -> Iterator[Poly]:
    """The subscript taken apart by these lengths, outer first."""
    inner: list[Poly] = []
    for row in reversed(rows):
        found = split(index, row, region)
        assert found is not None  # the lengths were chosen so
        index, rest = found
        inner.append(rest)
    yield index
    yield from reversed(inner)


def split(index: Poly, row: Poly, region: Region) -> tuple[Poly, Poly] | None:
    """(q, r) with index = q * row + r, where 0 <= r < row everywhere in the region; None when there is no such way."""
    for up in (False, True):
        outer, inner = _divided(index, row, up)
        if is_nonnegative(inner, region) and is_nonnegative(row - 1 - inner, region):
            return outer, inner
    return None


def _candidates(places: Iterable[Place], numbers: bool) -> list[Poly]:
    """What multiplies counters, numbers first, then products of sizes, short ones first."""
    factors: dict[int, None] = {}
    sizes: dict[Poly, None] = {}
    for index, region in places:
        mine = set(region.counters)
        several = sum(not mine.isdisjoint(m) for m, _ in index.terms) > 1
        for monomial, c in index.terms:
            rest = tuple(s for s in monomial if s not in mine)
            if len(rest) == len(monomial):
                continue
            if rest:
                sizes[Poly(((rest, 1),))] = None
            if numbers and several and abs(c) > 1:
                factors[abs(c)] = None
    return [Poly((((), n),)) for n in sorted(factors)] + sorted(sizes, key=lambda p: p.degree)


def _divided(index: Poly, row: Poly, up: bool) -> tuple[Poly, Poly]:
    """index = outer * row + inner, with as much as possible in `outer`; a constant is rounded down, or up."""
    ((sizes, factor),) = row.terms
    outer: dict[Monomial, int] = {}
    inner: dict[Monomial, int] = {}
    for monomial, c in index.terms:
        left = _without(monomial, sizes)
        whole = 0
        if left is not None and monomial:
            whole = (c + (factor - 1) // 2) // factor
        elif left is not None:
            whole = -(-c // factor) if up else c // factor
        if left is not None and whole:
            outer[left] = outer.get(left, 0) + whole
        inner[monomial] = inner.get(monomial, 0) + c - whole * factor
    return Poly.of(outer), Poly.of(inner)


def _without(monomial: Monomial, sizes: tuple[Symbol, ...]) -> Monomial | None:
    """The monomial divided by a product of sizes."""
    left = list(monomial)
    for s in sizes:
        if s not in left:
            return None
        left.remove(s)
    return tuple(left)
