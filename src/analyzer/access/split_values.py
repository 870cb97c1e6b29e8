"""Values that are taken apart into a row and a place in it, `i / m` and `i % m`: both together say which i it is.

*Decides*: between which values such parts lie, and, of two values over rows of one length, that they differ by a row at
least where their rows differ, and by no more than their places where they do not. For every value, and every length but
0 (C11 6.5.5): below 0 the division rounds up, and the remainder is not above 0.
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
    """Between which values the parts among the symbols lie: 0 <= i / m <= i, and 0 <= i % m < m, for i >= 0 and m >= 1;
    otherwise as C has it."""
    return together(_range(symbol(s), meaning) for s, meaning in parts(symbols))


def _range(part: Poly, meaning: Share | Rest) -> System:
    value, length = meaning.value, meaning.divisor
    forwards, backwards = at_least(length - 1), at_least(-length - 1)
    above, below = at_least(value), at_least(-value - 1)
    if isinstance(meaning, Share):
        return either(
            (forwards, above, at_least(part), at_least(value - part)),
            (forwards, below, at_least(-part), at_least(part - value)),
            (backwards,),
        )
    return either(
        (forwards, above, at_least(part), at_least(length - 1 - part)),
        (forwards, below, at_least(-part), at_least(part + length - 1)),
        (backwards, at_least(part - length - 1), at_least(-length - 1 - part)),
    )


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
    behind, before = at_least(a - b - 1), at_least(b - a - 1)
    forwards, backwards = at_least(length - 1), at_least(-length - 1)
    return either(
        (equal(a - b), equal(x - y)),
        (forwards, behind, at_least(x - y - length)),
        (forwards, before, at_least(y - x - length)),
        (backwards, behind, at_least(y - x + length)),
        (backwards, before, at_least(x - y + length)),
    )
