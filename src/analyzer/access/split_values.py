"""Values that are taken apart into a row and a place in it, `i / m` and `i % m`: both together say which i it is.

*Decides*: between which values such parts lie, and, of two values over rows of one length, that they differ by a row at
least where their rows differ, and by no more than their places where they do not. For every value, and every length but
0 (C11 6.5.5): below 0 the division rounds up, and the remainder is not above 0.
*Does not handle*: rows of a length that changes in the loop.

    r = i / m, c = i % m, a[r*m + c] in two iterations i and i':   r == r' and c == c'   only where i == i'

Rows of a packed triangle have 1, 2, 3, ... elements: the one above is as long as its number, and one more.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import product

from ..ir.nodes import Computed, Counter, Divided, Rest, Share, TrianglePlace, TriangleRow, meaning_of, nested_symbols
from ..ir.polynomials import Poly, Symbol, symbol
from ..ir.triangles import rows_of
from ..polyhedra.system import Conjunction, System, at_least, either, equal, together


def parts(symbols: Iterable[Symbol]) -> tuple[tuple[Symbol, Share | Rest], ...]:
    """The symbols that are parts of a value over rows of one length, and those that these are made of, with what they
    are."""
    return tuple((s, meaning) for s, meaning in _divided(symbols) if isinstance(meaning, Share | Rest))


def _divided(symbols: Iterable[Symbol]) -> tuple[tuple[Symbol, Divided], ...]:
    found = [(s, of) for s in nested_symbols(symbols) if isinstance(of := meaning_of(s), Divided)]
    return tuple(sorted(found, key=lambda part: part[0].key))


def ranges(symbols: Iterable[Symbol]) -> System:
    """Between which values the parts among the symbols lie: 0 <= i / m <= i, and 0 <= i % m < m, for i >= 0 and m >= 1;
    otherwise as C has it."""
    divided = _divided(symbols)
    found = tuple((s, meaning) for s, meaning in divided if isinstance(meaning, Share | Rest))
    of_triangles = System(tuple(c for s, meaning in divided for c in _in_triangle(s, meaning, divided)))
    return of_triangles + _in_rows(found)


def _in_triangle(s: Symbol, meaning: Divided, divided: tuple[tuple[Symbol, Divided], ...]) -> Conjunction:
    """A row and a place in it, of which one is known, are no more than the element, and the place no more than the
    row."""
    if not isinstance(meaning, TriangleRow | TrianglePlace):
        return ()
    part, rows = symbol(s), (t for t, m in divided if m == TriangleRow(meaning.value))
    beyond = (at_least(symbol(row) - part) for row in rows if row != s)
    return (at_least(part), at_least(meaning.value - part), *beyond)


def _in_rows(found: tuple[tuple[Symbol, Share | Rest], ...]) -> System:
    lengths = tuple(dict.fromkeys(meaning.divisor for _, meaning in found))
    if len(found) > 1 and len(lengths) <= MOST_LENGTHS and all(_sign(m.value, lengths, ()) for _, m in found):
        return either(*(_with_signs(found, dict(zip(lengths, signs, strict=True))) for signs in _signs(lengths)))
    return together(_range(symbol(s), meaning) for s, meaning in found)


MOST_LENGTHS = 2
"""Lengths of rows of which all signs are gone through together: parts of parts would be too many cases else."""


def _signs(lengths: tuple[Poly, ...]) -> Iterator[tuple[int, ...]]:
    return product((1, -1), repeat=len(lengths))


def _with_signs(found: tuple[tuple[Symbol, Share | Rest], ...], signs: Mapping[Poly, int]) -> Conjunction:
    """The ranges of parts of values of known signs, for lengths of these signs."""
    known = [at_least(length * sign - 1) for length, sign in signs.items()]
    for s, meaning in found:
        of_value, length = _sign(meaning.value, signs, signs), meaning.divisor * signs[meaning.divisor]
        share = isinstance(meaning, Share)
        size = symbol(s) * (of_value * signs[meaning.divisor] if share else of_value)
        known += [at_least(size), at_least(meaning.value * of_value - size if share else length - 1 - size)]
    return tuple(known)


def _sign(value: Poly, lengths: Collection[Poly], signs: Mapping[Poly, int] | tuple[()]) -> int:
    """The sign of a value that counts iterations, or is a part of such a value; 0 for any other one. `signs`: those of
    the lengths, any where there are none."""
    if value.terms and all(c > 0 and all(isinstance(s.origin, Counter) for s in m) for m, c in value.terms):
        return 1
    match value.terms:
        case (((Symbol(origin=Computed(meaning=(Share() | Rest()) as meaning)),), 1),) if meaning.divisor in lengths:
            turned = signs[meaning.divisor] if signs and isinstance(meaning, Share) else 1
            return _sign(meaning.value, lengths, signs) * turned
        case _:
            return 0


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


def triangles(symbols: Iterable[Symbol]) -> tuple[tuple[Symbol, Symbol, Poly], ...]:
    """Row and place of each element of a packed triangle of which both are among the symbols."""
    divided = _divided(symbols)
    places = {m.value: s for s, m in divided if isinstance(m, TrianglePlace)}
    rows = ((s, m.value) for s, m in divided if isinstance(m, TriangleRow) and m.value in places)
    return tuple((s, places[value], value) for s, value in rows)


def within_triangle(symbols: Iterable[Symbol]) -> System:
    """What elements of so many rows say of their rows: k < n*(n + 1)/2 is in a row before n."""
    whole = [(rows, s) for s in sorted(symbols, key=lambda s: s.key) if (rows := rows_of(symbol(s))) is not None]
    found = triangles(symbols)
    return together(
        either((at_least(rows - symbol(r) - 1),), (at_least(k - symbol(s)),), (at_least(-rows - 2),))
        for r, _, k in found
        for rows, s in whole
    )


def told_apart_in_triangle(rows: tuple[Poly, Poly], starts: tuple[Poly, Poly]) -> System:
    """What two rows of a packed triangle say of where they start: later rows start behind the end of earlier ones."""
    (a, b), (x, y) = rows, starts
    return either(
        (equal(a - b), equal(x - y)),
        (at_least(a - b - 1), at_least(x - y - b - 1)),
        (at_least(b - a - 1), at_least(y - x - a - 1)),
    )


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
