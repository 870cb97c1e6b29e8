"""How many elements a subscript can select at most, by what its type or its expression leaves: `table[byte]`,
`x & 255`, `x % k`, `x >> 24`.

*Decides* an upper bound on the different elements of an access whose subscript the nest reads or computes. *Method*:
each symbol of the subscript that changes in the nest takes at most so many values; the product of these is the bound.
*Does not handle* symbols that are wide and free: then there is no bound.

    t[x[i]]    with unsigned char x[]: 256          t[x[i] % k]    with unsigned x[]: k
    t[i*n*n + x[j]*n + x[k]]    in rows of n, for i < m: m*n*n
"""

from math import prod

from ..access.delinearize import digits, is_of_data, radices
from ..ir.nodes import Access, Computed, Loaded, Quotient, Remainder, Rest, all_loops
from ..ir.polynomials import Poly, Symbol, number, symbol
from ..polyhedra.loop_bounds import counts, extremes
from ..source.ctypes import Integer
from .nest import Nest

WIDEST = 2
"""Bytes of an integer of which all values are few."""


def most_elements(nest: Nest, access: Access) -> Poly | None:
    """At most so many elements are accessed in all iterations of the nest; None where nothing says so."""
    if nest.moves(access.object):
        return None
    moving = {s for part in access.subscripts for s in part.index.symbols if nest.variance.moves(s)}
    total = number(1)
    for s in moving:
        most = _values(nest, s, access)
        if most is None:
            return None
        total = total * most
    return total


def most_in_columns(nest: Nest, access: Access) -> Poly | None:
    """The same, if columns that data select lie in their rows (`in-bounds`); None where nothing says how many rows."""
    selected = {s for part in access.subscripts for s in part.index.symbols if nest.variance.moves(s)}
    of_data = {s for s in selected if not counts(s)}
    if nest.moves(access.object) or any(s.row_pointer for s in access.subscripts):
        return None
    if not of_data or not all(map(is_of_data, of_data)):
        return None
    total = number(1)
    for s in access.subscripts:
        most = _in_columns(nest, s.index) if s.extent is None or _moves(nest, s.extent) else s.extent
        if most is None:
            return None
        total = total * most
    return total


def _in_columns(nest: Nest, index: Poly) -> Poly | None:
    """The length of the rows, and of planes of rows, times how many there are."""
    for radix in radices(index):
        found = digits(index, radix) if radix and not any(_moves(nest, row) for row in radix) else None
        moving = [] if found is None else [s for s in found[-1].value.symbols if nest.variance.moves(s)]
        numbers = [_between_ends(nest, s) for s in moving]
        if found is not None and None not in numbers:
            return prod((*radix, *(n for n in numbers if n is not None)), start=number(1))
    return None


def _between_ends(nest: Nest, s: Symbol) -> Poly | None:
    """How many values a counter, or a part of one, goes through at most."""
    low, high = (next(iter(extremes(symbol(s), all_loops(nest.loop), sign)), None) for sign in (-1, 1))
    if low is None or high is None or _moves(nest, high.value) or _moves(nest, low.value):
        return None
    return high.value - low.value + 1


def _moves(nest: Nest, value: Poly) -> bool:
    return any(map(nest.variance.moves, value.symbols))


def _values(nest: Nest, s: Symbol, access: Access) -> Poly | None:
    match s.origin:
        case Loaded(access=read):
            return _of_type(read)
        case Remainder(divisor=divisor, floor=floor):
            return number(divisor if floor else 2 * divisor - 1)
        case Computed(meaning=Rest(divisor=divisor)) if not any(map(nest.variance.moves, divisor.symbols)):
            return divisor
        case Quotient(value=value, divisor=divisor, floor=floor):
            return _of_quotient(value, divisor, access) if floor else None
        case _:
            return None


def _of_type(read: Access) -> Poly | None:
    if read.bits is not None and read.bits[1] <= 8 * WIDEST:
        return number(1 << read.bits[1])
    small = isinstance(read.type, Integer) and read.type.size <= WIDEST
    return number(1 << (8 * read.type.size)) if small and isinstance(read.type, Integer) else None


def _of_quotient(value: Poly, divisor: int, access: Access) -> Poly | None:
    """`x >> 24` of an unsigned x: its highest bits. What the value is modulo its type is known where it may wrap."""
    highest = next((w.high for w in access.wraps if w.value == value and w.low == 0), None)
    if highest is None:
        match [s.origin for s in value.symbols]:
            case [Loaded(access=Access(type=Integer(signed=False, size=size), bits=None))] if value.degree == 1:
                factor = value.coefficient(*value.symbols).constant
                highest = ((1 << (8 * size)) - 1) * factor if factor is not None and factor > 0 else None
            case _:
                pass
    return None if highest is None else number(highest // divisor + 1)
