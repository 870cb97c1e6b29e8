"""Values that are taken apart into a row and a place in it, `i / m` and `i % m`: both together say which i it is.

*Decides*: between which values such parts lie, and, of two values over rows of one length, that they differ by a row at
least where their rows differ, and by no more than their places where they do not.
*Does not handle*: rows of a length that changes in the loop.

    r = i / m, c = i % m, a[r*m + c] in two iterations i and i':   r == r' and c == c'   only where i == i'
"""

from collections.abc import Iterable

from ..ir.nodes import Computed, Rest, Share, nested_symbols
from ..ir.polynomials import Poly, Symbol, symbol
from ..polyhedra.system import System, at_least, either, equal, together


def parts(symbols: Iterable[Symbol]) -> tuple[tuple[Symbol, Share | Rest], ...]:
    """The symbols that are parts of a value, and those that these are made of, with what they are."""
    found = [
        (s, s.origin.meaning)
        for s in nested_symbols(symbols)
        if isinstance(s.origin, Computed) and isinstance(s.origin.meaning, Share | Rest)
    ]
    return tuple(sorted(found, key=lambda part: part[0].key))


def ranges(symbols: Iterable[Symbol]) -> System:
    """Between which values the parts among the symbols lie: 0 <= i / m <= i, and 0 <= i % m < m."""
    return together(_range(s, meaning) for s, meaning in parts(symbols))


def _range(s: Symbol, meaning: Share | Rest) -> System:
    part = symbol(s)
    most = meaning.value if isinstance(meaning, Share) else meaning.divisor - 1
    return System((at_least(part), at_least(most - part)))


def pairs(symbols: Iterable[Symbol]) -> tuple[tuple[Symbol, Symbol, Share], ...]:
    """Row and place of each value of which both are among the symbols."""
    found = parts(symbols)
    places = {(m.value, m.divisor): s for s, m in found if isinstance(m, Rest)}
    rows = ((s, m) for s, m in found if isinstance(m, Share) and (m.value, m.divisor) in places)
    return tuple((s, places[m.value, m.divisor], m) for s, m in rows)


def told_apart(rows: tuple[Poly, Poly], starts: tuple[Poly, Poly], length: Poly) -> System:
    """What two rows of one length say of where they start (the value without the place in the row): the same row starts
    at the same value, others a row apart at least."""
    (a, b), (x, y) = rows, starts
    return either(
        (equal(a - b), equal(x - y)),
        (at_least(a - b - 1), at_least(x - y - length)),
        (at_least(b - a - 1), at_least(y - x - length)),
    )
