"""Rows of one size in planes of another one: `a[i + j*js + k*ks]` and `out[t*C + h*(C / NH) + i]`.

*Decides*: the lengths of rows, counted in rows of the dimension below, of a subscript whose strides are no products of
each other. That rows are not longer than their planes, nor elements beyond their rows, is what `in-bounds` assumes.
*Method*: a plane of ks elements has ks / js whole rows of js, a symbol of its own, and may be longer. An element that
is in a row is in one row of one plane, so that planes may be taken to be as long as their whole rows are.
*Does not handle*: strides that are sums.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import TypeAlias

from ..base.places import Place
from ..ir.nodes import Computed, Counter, Loaded, Share, nested_symbols
from ..ir.polynomials import Poly, Symbol, symbol, without_factors
from ..ir.symbols import Key, Kind, derived
from ..polyhedra.loop_bounds import counts, is_quotient

Radix: TypeAlias = tuple[Poly, ...]
"""Lengths of rows, innermost first."""


def planes(index: Poly) -> Iterator[Radix]:
    """Rows of one size in planes of another one, as `i + j*js + k*ks` has them. Whether the rows fill their planes says
    nobody: a plane of ks elements has ks / js whole rows of js, and an element is in one row of one plane at most."""
    strides = _strides(index)
    rows = [_in_between(outer, inner) for inner, outer in pairwise(strides)]
    if None not in rows and any(is_of_planes(row) for row in rows if row is not None):
        yield (strides[0], *(row for row in rows if row is not None))


def _strides(index: Poly) -> list[Poly]:
    """What multiplies nothing but a counter, or what it selects, those of inner loops first: none where one of them has
    two strides, the sum of which is its own."""
    found: dict[Poly, Symbol] = {}
    several: dict[Symbol, set[Poly]] = {}
    for m, _ in index.terms:
        moving = [s for s in m if is_counted(s)] or [s for s in m if is_selected(s)]
        sizes = tuple(s for s in m if s not in moving)
        if len(moving) == 1 and sizes and all(s.kind is Kind.PROGRAM for s in sizes):
            stride = Poly(((sizes, 1),))
            found[stride] = max(moving[0], found.get(stride, moving[0]), key=_speed)
            several.setdefault(moving[0], set()).add(stride)
    if any(len(strides) > 1 for strides in several.values()):
        return []
    return sorted(found, key=lambda stride: _speed(found[stride]), reverse=True)


def is_counted(s: Symbol) -> bool:
    """Whether it is a counter, or a part of one: `r % ny` and `r / ny` of one loop over rows."""
    return counts(s) and any(map(_is_counter, nested_symbols((s,))))


def _is_counter(s: Symbol) -> bool:
    return isinstance(s.origin, Counter)


def _speed(s: Symbol) -> tuple[int, bool, Key]:
    """What changes fastest, the remainder of a counter faster than its quotient, comes last."""
    innermost = max((t.number for t in nested_symbols((s,)) if _is_counter(t)), default=s.number)
    return innermost, not is_quotient(s), s.key


def _in_between(plane: Poly, row: Poly) -> Poly | None:
    """How many rows of one size a plane of another one has: all of it, where that is a product with the first."""
    ((outer, _),), ((inner, _),) = plane.terms, row.terms
    rest = without_factors(outer, inner)
    if rest is not None:
        return Poly(((rest, 1),)) if rest else None
    return symbol(_whole_rows(outer[0], inner[0])) if len(outer) == len(inner) == 1 else None


def _whole_rows(plane: Symbol, row: Symbol) -> Symbol:
    share = Computed("rows of a plane", Place("", 0), meaning=Share(symbol(plane), symbol(row)))
    return derived(Kind.ROWS, plane, share, f"{plane.name}/{row.name}", low=0, which=row.number)


def is_of_planes(row: Poly) -> bool:
    """Whether a length counts the rows of a plane."""
    return any(s.kind is Kind.ROWS for s in row.symbols)


def is_selected(s: Symbol) -> bool:
    """Whether it is a counter, or a value of an array that counters select: `i`, `idx[i]`."""
    match s.origin:
        case Counter():
            return True
        case Loaded(access=access):
            return any(is_selected(t) for sub in access.subscripts for t in sub.index.symbols)
        case _:
            return False


def without_gaps(radix: Radix) -> dict[Symbol, Poly]:
    """The planes as long as their whole rows are: two elements in rows are one exactly where that makes them one."""
    lengths: dict[Symbol, Poly] = {}
    for row in radix:
        match row.terms:
            case (((Symbol(origin=Computed(meaning=Share(value=plane, divisor=inner))) as rows,), 1),) if (
                rows.kind is Kind.ROWS
            ):
                (longer,) = plane.symbols
                lengths[longer] = inner.substitute(lengths) * row
            case _:
                pass
    return lengths
