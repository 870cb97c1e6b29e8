"""Counters that are only there to be taken apart, `k / n` and `k % n`, as the two counters that they stand for.

*Decides*: a region in rows and places, and what the parts of a counter, and the counter itself, are in it: the same
points, one for each. *Method*: 0 <= k < m*n with i = k / n and j = k % n is 0 <= i < m, 0 <= j < n, where sizes are not
negative; parts of parts likewise.
*Does not handle*: counters under other conditions, of loops that do not go through whole rows, or from elsewhere than
0: they stay.

    for (k = 0; k < m*n; k++) b[k] = a[k / n] * c[k % n];       ->  b[i*n + j], a[i], c[j] for i < m, j < n
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from ..base.places import Place
from ..ir.nodes import Computed, Quotient, Remainder, Rest, Share, nested_symbols
from ..ir.polynomials import Poly, Symbol, number, symbol
from ..ir.symbols import Kind, derived
from ..polyhedra.signs import Region
from .nest import Nest

MOST_SPLITS = 4

Part: TypeAlias = tuple[Symbol, Poly, Poly, bool]
"""A part, what it is a part of, the length of a row, and whether it is the row."""


def taken_apart(nest: Nest, values: Iterable[Poly], region: Region) -> tuple[Mapping[Symbol, Poly], Region]:
    """What stands for counters and their parts among the values, and the region in which it does. Example: see the
    module."""
    parts = tuple(_parts(nest, values))
    change: dict[Symbol, Poly] = {}
    known = {symbol(c): c for c in region.counters} if parts else {}
    for _ in range(MOST_SPLITS):
        found = next((f for _, value, length, _ in parts if (f := _whole_rows(region, known, value, length))), None)
        if found is None:
            break
        counter, (row, place), length, region = found
        taken = {counter: symbol(row) * length + symbol(place)}
        change = {s: v.substitute(taken) for s, v in change.items()} | taken
        (value,) = (v for v, c in known.items() if c == counter)
        del known[value]
        for s, of, by, is_row in parts:
            if (of, by) == (value, length):
                change[s] = symbol(row if is_row else place)
                known[symbol(s)] = row if is_row else place
    return change, region


def _parts(nest: Nest, values: Iterable[Poly]) -> Iterator[Part]:
    """Those among the symbols, by lengths that the nest leaves alone."""
    for s in sorted(nested_symbols(s for v in values for s in v.symbols), key=lambda s: s.key):
        match s.origin:
            case Computed(meaning=(Share(value=value, divisor=length) | Rest(value=value, divisor=length)) as part):
                if not any(map(nest.variance.varies, length.symbols)):
                    yield s, value, length, isinstance(part, Share)
            case Quotient(value=value, divisor=divisor) | Remainder(value=value, divisor=divisor):
                yield s, value, number(divisor), isinstance(s.origin, Quotient)
            case _:
                pass


def _whole_rows(
    region: Region, known: Mapping[Poly, Symbol], value: Poly, length: Poly
) -> tuple[Symbol, tuple[Symbol, Symbol], Poly, Region] | None:
    """A counter that goes through whole rows of a length, its row and place, and the region in these."""
    counter = known.get(value)
    if counter is None:
        return None
    bounds = [c for c in region.constraints if counter in c.symbols]
    ends = [c + symbol(counter) for c in bounds if c != symbol(counter)]
    if symbol(counter) not in bounds or len(ends) != 1 or not ends[0].symbols.isdisjoint(region.counters):
        return None
    rows = (ends[0] + 1).divided_by(length)
    if rows is None:
        return None
    origin = Computed("part", Place("", 0))
    row, place = (derived(Kind.PART, counter, origin, counter.name + mark, 0, which=w) for w, mark in enumerate("/%"))
    at = region.counters.index(counter)
    counters = (*region.counters[:at], row, place, *region.counters[at + 1 :])
    inside = (symbol(row), rows - 1 - symbol(row), symbol(place), length - 1 - symbol(place))
    others = (c for c in region.constraints if c not in bounds)
    return counter, (row, place), length, Region(counters, (*others, *inside))
