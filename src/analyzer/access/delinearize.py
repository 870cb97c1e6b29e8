"""`a[i*n + j]` read as `a[i][j]` with rows of n elements: one subscript as the digits of a number in mixed radix.

*Decides*, without an assumption, the lengths of rows by which every one of some subscripts can be read (`row_lengths`,
`in_rows`): what multiplies a counter is one when the rest of each subscript stays in 0 .. length - 1. A number is tried
only where a subscript adds counters: `a[3*i + 1]` takes the second of three elements and stays one-dimensional.
*Decides*, under the assumption `in-bounds`, the digits of two subscripts over the same radices, and whether assuming
that every digit stays in its row is honest: it can be true for all iterations at once, for some sizes.
*Does not handle*: rows of a sum without an assumption.

    a[(i*m + j)*n + k]       ->  digits i, j, k with extents m for j and n for k
    a[i*(n + 2) + j + 1]     ->  digits i, j + 1 with the extent n + 2 for j + 1
    a[i*n + k], a[k*n + j]   ->  rows of n: (i, k), (k, j)
    a[i + j*js + k*ks]       ->  digits i, j, k with extents js for i and ks / js for j
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from math import gcd, inf
from typing import TypeAlias

from msgspec import Struct

from models.expr.nodes import remembered

from ..ir.nodes import Computed, Counter, Entry, Loaded, Loop, nested_symbols
from ..ir.polynomials import ZERO, Monomial, Poly, Symbol, number, symbol, without_factors
from ..polyhedra.loop_bounds import counts, extremes, is_quotient
from ..polyhedra.signs import Region, is_nonnegative
from ..polyhedra.system import (
    Feasibility,
    System,
    Work,
    at_least,
    either,
    equal,
    feasible,
    proves,
    system,
    together,
)
from .decided_values import extreme, meanings
from .planes import Radix, is_of_planes, planes, without_gaps
from .split_values import ranges

Row: TypeAlias = tuple[Poly, Region]
"""A subscript and where it is evaluated, all surrounding counters included."""


def row_lengths(places: Sequence[Row], counters: Collection[Symbol], numbers: bool = True) -> tuple[Poly, ...]:
    """The lengths of inner rows that fit every subscript, outer first: what multiplies `counters`. `numbers`: they may
    be numbers."""
    for row in factors_of_counters((index for index, _ in places), counters, numbers):
        parts = [split(index, row, region) for index, region in places]
        outer = [(part[0], region) for part, (_, region) in zip(parts, places, strict=True) if part is not None]
        if len(outer) == len(places):
            return (*row_lengths(outer, counters), row)
    return ()


def in_rows(index: Poly, rows: Sequence[Poly], region: Region) -> tuple[Poly, ...]:
    """The subscript taken apart by lengths that `row_lengths` found for it, outer first."""
    inner: list[Poly] = []
    for row in reversed(rows):
        found = split(index, row, region)
        assert found is not None  # the lengths were chosen so
        index, rest = found
        inner.append(rest)
    return (index, *reversed(inner))


def split(index: Poly, row: Poly, region: Region) -> tuple[Poly, Poly] | None:
    """(q, r) with index = q * row + r, where 0 <= r < row everywhere in the region; None when there is no such way.
    The last element of the row before is `(i + 1)*n - 1`, the first one of the next `i*8 + 8`."""
    outer, inner = divided(index, row)
    reaches, ends = is_nonnegative(inner, region), is_nonnegative(row - 1 - inner, region)
    if reaches and ends:
        return outer, inner
    if not reaches and not ends:
        return None
    by = 1 if reaches else -1
    outer, inner = outer + by, inner - row * by
    inside = is_nonnegative(inner, region) and is_nonnegative(row - 1 - inner, region)
    return (outer, inner) if inside else None


def factors_of_counters(indices: Iterable[Poly], counters: Collection[Symbol], numbers: bool = True) -> list[Poly]:
    """What multiplies counters, numbers first, then products of sizes, short ones first: in a linearised subscript, the
    lengths of its inner rows."""
    mine = set(counters)
    factors: set[int] = set()
    sizes: dict[Poly, None] = {}
    for index in indices:
        several = sum(not mine.isdisjoint(m) for m, _ in index.terms) > 1
        for monomial, c in index.terms:
            rest = tuple(s for s in monomial if s not in mine)
            if len(rest) == len(monomial):
                continue
            if rest:
                sizes[Poly(((rest, 1),))] = None
            if numbers and several and abs(c) > 1:
                factors.add(abs(c))
    return [number(n) for n in sorted(factors)] + sorted(sizes, key=lambda p: p.degree)


def divided(index: Poly, row: Poly) -> tuple[Poly, Poly]:
    """(q, r) with index = q * row + r, with as much as possible in q. Of a row of one term: of a term, the nearest
    multiple of a number; of the constant, the one below. A row of several terms is a sum with a `leading` symbol."""
    if len(row.terms) > 1:
        return _divided_by_sum(index, row)
    ((sizes, factor),) = row.terms
    outer: dict[Monomial, int] = {}
    inner: dict[Monomial, int] = {}
    for monomial, c in index.terms:
        left = without_factors(monomial, sizes)
        whole = 0 if left is None else (c + (factor - 1) // 2 if monomial else c) // factor
        if left is not None and whole:
            outer[left] = outer.get(left, 0) + whole
        inner[monomial] = inner.get(monomial, 0) + c - whole * factor
    return Poly.of(outer), Poly.of(inner)


def _divided_by_sum(index: Poly, row: Poly) -> tuple[Poly, Poly]:
    lead = leading(row)
    assert lead is not None
    s, sign = lead
    quotient = ZERO
    while s in index.symbols:
        times = Poly.of({without_factors(m, (s,)): c * sign for m, c in index.terms if s in m})  # type: ignore[misc]
        quotient, index = quotient + times, index - times * row
    return quotient, index


def leading(row: Poly) -> tuple[Symbol, int] | None:
    """A symbol that is a term of a sum, once or with a minus, and that is in no other term: `n` of `n - 2`."""
    alone = ((m[0], c) for m, c in row.terms if len(m) == 1 and abs(c) == 1)
    return next(((s, c) for s, c in alone if sum(s in m for m, _ in row.terms) == 1), None)


# --- rows under an assumption

class Digit(Struct, frozen=True):
    """0 <= value < extent is what being in the row means; the leading digit has no extent."""

    value: Poly
    extent: Poly | None


@remembered("_radices")
def radices(index: Poly) -> tuple[Radix, ...]:
    """Candidate radices: sizes that multiply counters, products and sums of sizes that do, and numbers that multiply
    all of these, or values that data select."""
    products = [m for m, _ in index.terms if len(m) > 1]
    if not products:
        return ((), *_rows_of_data(index))
    sizes = sorted({s for m in products for s in m if not isinstance(s.origin, Counter)}, key=lambda s: s.key)
    rows = dict.fromkeys((*_short_rows(index), *map(symbol, sizes), *_wide_rows(index)))
    return (*((row, *rest) for row in rows for rest in radices(divided(index, row)[0])), *planes(index))


def _rows_of_data(index: Poly) -> Iterator[Radix]:
    """Numbers that multiply values which data select, each a multiple of the one before: 64 of `64*row[k] + column[k]`.
    Who selects both says that the second one is a place in a row."""
    strides = sorted({c for m, c in index.terms if len(m) == 1 and is_of_data(m[0]) and c > 0})
    if len(strides) > 1 and all(b % a == 0 for a, b in pairwise(strides)):
        steps = (strides[0], *(b // a for a, b in pairwise(strides)))
        yield tuple(number(n) for n in steps if n > 1)


def suggests_rows(index: Poly) -> bool:
    """Whether a subscript shows the lengths of rows."""
    return not index.is_affine or any(radices(index))


def _short_rows(index: Poly) -> Iterator[Poly]:
    """A number that multiplies all products, and with them whole rows: 3 of `3*(i*n + j) + k`, where k is one of three
    coordinates. It is right where that provably is below it."""
    factor = gcd(*(c for m, c in index.terms if len(m) > 1))
    if factor > 1 and any(c % factor == 0 for m, c in index.terms if len(m) == 1):
        yield number(factor)


def _wide_rows(index: Poly) -> Iterator[Poly]:
    """Products and sums of sizes, and multiples of them, that multiply a counter or a part of one, or a row that data
    select, and that leave nothing but a place in a row."""
    moving = sorted((s for s in index.symbols if counts(s) or is_of_data(s)), key=lambda s: s.key)
    for row in dict.fromkeys(index.coefficient(s) for s in moving):
        if row.is_affine and (_is_plain(row) if len(row.terms) < 2 else leading(row) is None):
            continue
        if len(row.terms) > 1 and leading(row) is None:
            continue
        if not any(map(counts, row.symbols)) and divided(index, row)[1].is_affine:
            yield row


def _is_plain(row: Poly) -> bool:
    """Whether a row of at most one term is a number, or as long as one size."""
    return row.constant is not None or abs(row.terms[0][1]) == 1


@remembered("_skewed")
def skewed(index: Poly) -> tuple[Radix, ...]:
    """Radices that nothing names: rows one longer or shorter than the step of a counter that also runs along them, as
    in `i*(m + 1) + (d - i)`. They are right where every digit provably stays in its row."""
    return tuple((row, *rest) for row in _skewed_rows(index) for rest in radices(divided(index, row)[0]))


def _skewed_rows(index: Poly) -> Iterator[Poly]:
    for s in sorted((s for s in index.symbols if isinstance(s.origin, Counter)), key=lambda s: s.key):
        step = index.coefficient(s)
        if step.degree == 1 and len(step.terms) == 1 and not any(isinstance(t.origin, Counter) for t in step.symbols):
            yield from (row for row in (step + 1, step - 1) if leading(row) and divided(index, row)[1].is_affine)


def digits(index: Poly, radix: Radix) -> tuple[Digit, ...] | None:
    """The digits over these radices, innermost first; None when something nonlinear is left in one."""
    known = _digits(index)
    if radix not in known:
        known[radix] = _read(index, radix)
    return known[radix]


@remembered("_digits")
def _digits(_: Poly) -> dict[Radix, tuple[Digit, ...] | None]:
    """By radix: a subscript is asked for with each one that it is compared with."""
    return {}


def _read(index: Poly, radix: Radix) -> tuple[Digit, ...] | None:
    found: list[Digit] = []
    index = index.substitute(without_gaps(radix))
    for row in radix:
        index, column = divided(index, row)
        if column.constant_term < 0 and all(c < 0 for _, c in column.terms):  # (i + 1)*n - 1 - j is in row i
            column, index = column + row, index - 1
        elif any(map(is_of_data, column.symbols)) and 2 * column.constant_term > (row.constant or inf):
            column, index = column - row, index + 1  # one before the place that data select
        found.append(Digit(column, row))
    found.append(Digit(index, None))
    return tuple(found) if all(d.value.is_affine for d in found) else None


class Walk(Struct, frozen=True):
    """The digits of one access, the loops around it, and what is known of sizes there."""

    digits: tuple[Digit, ...]
    loops: tuple[Loop, ...]
    given: System = System()

    @property
    def started(self) -> System:
        """What is true of sizes where the access happens at all."""
        return together((self.given, *(_runs(loop, 1) for loop in self.loops)))

    def in_row(self, digit: Digit) -> System | None:
        """That the digit stays in its row throughout the loops, as far as sizes decide; None where its ends are
        unknown."""
        assert digit.extent is not None
        lows, highs = extremes(digit.value, self.loops, -1), extremes(digit.value, self.loops, 1)
        if not lows or not highs:
            return None
        low = either(*((at_least(e.value), *e.given) for e in lows))
        return low + either(*((at_least(digit.extent - 1 - e.value), *e.given) for e in highs))

    def witness(self, position: int) -> System | None:
        """What is true of sizes where a digit runs along one of several rows and stays in it; None where it does not:
        `a[i]` shows no rows of n."""
        digit, above = self.digits[position], self.digits[position + 1 :]
        along = is_moved(digit.value, self.loops) and any(is_moved(d.value, self.loops) for d in above)
        inside = self.in_row(digit) if along else None
        return None if inside is None else self.started + inside


def honest(walk: Walk, beside: Sequence[Walk], twice: Loop | None = None, asked: bool = False) -> bool:
    """Whether some sizes keep every digit of an access in its row throughout the loops; `beside`: other accesses to the
    array. `a[i*n + 1]` alone says nothing of a row: n may be 0 or 1. Beside `a[i*n + j]` with j in its row it does, and
    `a[i*n + k]` does by itself, for a column that the code names.
    `twice`: a loop of which at least two iterations must be so: all of `a[i*n - i + j]` but the first leave their rows.
    `asked`: somebody asks for all lengths, so that nothing else has to show them.
    """
    started = walk.started + (System() if twice is None else _runs(twice, 2)) + _several_rows(walk)
    wanted = started = started + _lengths(walk.digits)
    for position, digit in enumerate(walk.digits):
        if digit.extent is None:
            continue
        if not asked and not is_moved(digit.value, walk.loops) and not (
            _is_named(digit.value)
            or _surely_inside(digit, started)
            or any(_surely_inside(digit, started + w) for each in beside if (w := each.witness(position)) is not None)
        ):
            return False
        inside = walk.in_row(digit)
        if inside is None or not _has_room(digit, walk, started + inside):
            return False
        wanted += inside
    found = feasible(wanted + _meanings(wanted, walk.digits))
    of_planes = any(d.extent is not None and is_of_planes(d.extent) for d in walk.digits)
    return found is Feasibility.NONEMPTY or (found is Feasibility.POSSIBLE and not of_planes)


def _has_room(digit: Digit, walk: Walk, inside: System) -> bool:
    """Whether what is added to a column that moves may be anything but 0: that of `a[i*n + j + p]`, with j all along
    the row, leads to another plane."""
    assert digit.extent is not None
    counters = {loop.counter for loop in walk.loops}
    if counters.isdisjoint(digit.value.symbols):
        return True
    added = [s for s in digit.value.symbols if not isinstance(s.origin, Counter) and s not in digit.extent.symbols]
    sides = ((at_least(symbol(s) - 1), at_least(-symbol(s) - 1)) for s in added)
    known = inside + meanings(_symbols(inside))
    return all(any(feasible(known + system(side)) is not Feasibility.EMPTY for side in each) for each in sides)


def _several_rows(walk: Walk) -> System:
    """That quotients in the digits, which count rows, come to more than 0: within one row nothing meets."""
    quotients = {s for d in walk.digits for s in d.value.symbols if is_quotient(s) and is_moved(symbol(s), walk.loops)}
    ends = (extremes(symbol(s), walk.loops, 1) for s in sorted(quotients, key=lambda s: s.key))
    return together(either(*((at_least(e.value - 1), *e.given) for e in each)) for each in ends if each)


def _lengths(found: tuple[Digit, ...]) -> System:
    """What the lengths of the rows are, and the places in them; between which values those lie that are parts of a
    value."""
    lengths = {s for d in found if d.extent is not None for s in d.extent.symbols}
    places = {s for d in found for s in d.value.symbols}
    return together(map(extreme, sorted(lengths | places, key=lambda s: s.key))) + ranges(places)


def _meanings(wanted: System, found: tuple[Digit, ...]) -> System:
    """What the other sizes are that are spoken of: `w` of `int w = m > n ? m : n;`."""
    lengths = {s for d in found if d.extent is not None for s in d.extent.symbols}
    return together(extreme(s) for s in sorted(_symbols(wanted) - lengths, key=lambda s: s.key))


def _symbols(x: System) -> set[Symbol]:
    alternatives = (x.constraints, *(a for choice in x.choices for a in choice))
    return {s for constraints in alternatives for c in constraints for s in c.value.symbols}


def _runs(loop: Loop, times: int) -> System:
    """What is true of sizes with which a loop has so many iterations: of `n * m`, neither is 0."""
    trips = [r for r in loop.trip or () if not any(isinstance(s.origin, Counter) for s in r.numerator.symbols)]
    ends = [end for r in trips if r.numerator.is_affine for end in r.beyond(times - 1)]
    factors = (m for r in trips if len(r.numerator.terms) == 1 for m, _ in r.numerator.terms if len(m) > 1)
    return system(*map(at_least, (*ends, *(symbol(s) - 1 for m in factors for s in dict.fromkeys(m)))))


def surely_inside(found: tuple[Digit, ...], around: System, work: Work) -> bool:
    """Whether every digit provably stays in its row; no where `work` is spent before that is known."""
    around += _lengths(found) + _meanings(around, found)
    ends = ((d, d.extent) for d in found if d.extent is not None)
    return all(proves(around, at_least(d.value), work) and _ends(around, d.value, row, work) for d, row in ends)


def _ends(around: System, place: Poly, row: Poly, work: Work) -> bool:
    """Whether a place lies before the end of its row. Rows that follow each other backwards (`i / n` and `i % n` of a
    negative n) hold each element once, too."""
    if proves(around, at_least(row - 1 - place), work):
        return True
    turns = all(proves(around + system(at_least(r - 1)), at_least(r - 1 - place), work) for r in (row, -row))
    return turns and feasible(around + system(equal(row)), work) is Feasibility.EMPTY


def surely_outside(found: tuple[Digit, ...], around: System, work: Work) -> bool:
    """Whether no access at all can have every digit in its row; no where `work` is spent before that is known."""
    inside = (c for d in found if d.extent is not None for c in (at_least(d.value), at_least(d.extent - 1 - d.value)))
    return feasible(around + system(*inside), work) is Feasibility.EMPTY


def is_moved(value: Poly, loops: tuple[Loop, ...]) -> bool:
    """Whether a value changes with a counter of the loops."""
    moving = nested_symbols(value.symbols)
    return any(loop.counter in moving for loop in loops)


def _is_named(place: Poly) -> bool:
    """Whether a place in a row is a size that the function was given or reads, or something beyond one: `k`, `k + 1`,
    `at[i]`, `at[i] >> k`; or one that data count from another number, `at[i] - 1`. Not `n - k`, which counts from the
    end of a row, but of which one? And not where a walk has got to."""
    counted = place.constant_term >= 0 or all(map(is_of_data, place.symbols))
    upwards = counted and all(c > 0 for m, c in place.terms if m)
    return bool(place.symbols) and upwards and all(map(_is_given, place.symbols))


def _is_given(s: Symbol) -> bool:
    match s.origin:
        case Entry(line=line, loops=made_in):
            return not line and not made_in
        case _:
            return is_of_data(s)


def is_of_data(s: Symbol) -> bool:
    match s.origin:
        case Loaded() | Computed(of_data=True):
            return True
        case _:
            return False


def _surely_inside(digit: Digit, started: System) -> bool:
    """Whether a place that is the same in all iterations lies in its row for all sizes with which the loops run."""
    assert digit.extent is not None
    outside = (at_least(-digit.value - 1), at_least(digit.value - digit.extent))
    return all(feasible(started + system(o)) is Feasibility.EMPTY for o in outside)
