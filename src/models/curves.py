"""Times as curves over one size: exact pieces, each a quotient of two polynomials, from 1 to the largest size.

A formula of counts and rates is made of sums, products, quotients, minima, maxima, floors and cases. Over one size n it
is therefore a list of pieces: polynomials add and multiply; a maximum changes from one side to the other, and a case
from one value to the other, where a difference of polynomials changes its sign. Such places are found by splitting at
the extremes of that difference, which are the sign changes of its derivative, and by bisection within the monotone
stretches: nothing is sampled. Of `floor(p / d)` and `p mod d` with whole coefficients and a number d the remainder
depends on n mod d only, so a curve is made for each residue, and is a polynomial there. Of many residues (`n / 256`)
only those are taken at which a floor steps on, and those before: between them a difference of times is taken to change
its sign at most once.

Coefficients are floats: places are exact but for rounding, which the caller of `last_loss` makes good by evaluating.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias, assert_never

from msgspec import Struct

from .expr import (
    Add,
    Div,
    Expr,
    FloorDiv,
    Gcd,
    Max,
    Min,
    Mod,
    Mul,
    Num,
    Piecewise,
    Sym,
    evaluate,
    floordiv,
    free_symbols,
)
from .expr.evaluation import operands
from .expr.nodes import remembered
from .polynomials import ONE, Polynomial, multiplied, reduced, sign, sign_changes, summed
from .values import Known, Tree, Value, leaves, number, symbols

LARGEST_SIZE = 2**40
MOST_RESIDUES = 64
LONGEST_PERIOD = 1024
"""Residues of which those are looked for at which a floor steps on."""
MOST_POWER = 12
"""Power of a size up to which curves are made: floats of larger ones cancel, and no program waits for n^13."""


class NotACurveError(ValueError):
    """A formula that is no list of pieces: a quotient rounded by what depends on a size, too many residues, too large a
    power."""


class Piece(Struct, frozen=True):
    """above(n) / below(n) for the sizes from `start` to the next piece."""

    start: int
    above: Polynomial
    below: Polynomial


Curve: TypeAlias = tuple[Piece, ...]


class Line:
    """Where one size n varies: every size that is not in `known` is n, and none is above `largest`. Parts of formulas
    are converted and evaluated once for all times that are asked for."""

    def __init__(self, known: Mapping[str, float], largest: int = LARGEST_SIZE) -> None:
        self.known, self.largest = known, largest
        self._makers: dict[tuple[int, int], _Maker] = {}
        self._values: dict[int, Known] = {}
        self._answers: dict[int, tuple[object, bool]] = {}

    def curve(self, time: Value | Expr, residue: tuple[int, int] = (0, 1)) -> Curve:
        """The curve of `time`. `residue` (r, k): only sizes n with n mod k = r are asked for. NotACurveError where
        there is none.

        Example: the curve of `max(n, 100)` has two pieces, from 1 and from 100."""
        maker = self._makers.get(residue)
        if maker is None:
            maker = self._makers[residue] = _Maker(self.known, residue)
        return maker.of(time)

    def at(self, time: Value | Expr, n: int) -> float:
        """Its value. ZeroDivisionError and OverflowError as Python's arithmetic raises them."""
        sizes = {**dict.fromkeys(sizes_of(time), n), **self.known}
        return number(time, sizes, self._values.setdefault(n, {}))

    def once(self, time: Value | Expr, answer: Callable[[], bool]) -> bool:
        """What `answer` says of `time`, asked once."""
        found = self._answers.get(id(time))
        if found is None:
            found = self._answers[id(time)] = (time, answer())
        return found[1]

    def largest_fitting(self, needed: Value | Expr, capacity: float) -> int:
        """The largest size at which no more than `capacity` is needed; 0 where there is none."""
        k = self.modulus(needed)
        return last_loss(self.curve(needed, (0, k)), constant(capacity), 0.0)

    def modulus(self, time: Value | Expr) -> int:
        """How many residues there are: the least common multiple of all divisors of floors and remainders.
        NotACurveError where it depends on a size."""
        return math.lcm(*(divisor for _, divisor in self._rounded(time)))

    def residues(self, *times: Value | Expr) -> tuple[int, Sequence[int]]:
        """How many residues these times have together, and those to make curves for: all, or of many the ends of the
        stretches of sizes in which nothing steps on. NotACurveError where these are more than MOST_RESIDUES.

        Example: of `n // 256`, 256 and [0, 255]; of `n // 4`, 4 and all of them."""
        rounded = frozenset[tuple[Expr, int]]().union(*map(self._rounded, times))
        period = math.lcm(*(divisor for _, divisor in rounded))
        if period <= MOST_RESIDUES:
            return period, range(period)
        steps = set[int]()
        for above, divisor in rounded if period <= LONGEST_PERIOD else ():
            steps |= _steps(*self._linear(above), divisor, period)
        chosen = sorted(steps | {(n - 1) % period for n in steps})
        if not 0 < len(chosen) <= MOST_RESIDUES:
            raise NotACurveError(f"a quotient is rounded by {period} different remainders")
        return period, chosen

    def _rounded(self, time: Value | Expr) -> frozenset[tuple[Expr, int]]:
        """What depends on the size and is rounded, with the number that it is divided by."""
        parts = leaves(time) if isinstance(time, Tree) else () if isinstance(time, float | int) else (time,)
        found = frozenset[FloorDiv | Mod]().union(*map(_roundings, parts))
        open_ = (part for part in found if not free_symbols(part) <= self.known.keys())
        return frozenset((part.numerator, self._divisor(part.denominator)) for part in open_)

    def _divisor(self, divisor: Expr) -> int:
        known = evaluate(divisor, self.known) if free_symbols(divisor) <= self.known.keys() else 0
        if not known or known != int(known):
            raise NotACurveError("a quotient by a size is rounded")
        return abs(int(known))

    def _linear(self, value: Expr) -> tuple[int, int]:
        """What a value grows by with the size, and what it is at 0."""
        open_ = free_symbols(value) - self.known.keys()
        known = {name: Fraction(size) for name, size in self.known.items()}
        at = [evaluate(value, {**known, **dict.fromkeys(open_, Fraction(n))}) for n in (0, 1, 2, LARGEST_SIZE)]
        start, factor = at[0], at[1] - at[0]
        straight = at[2:] == [start + 2 * factor, start + LARGEST_SIZE * factor]
        if not straight or int(start) != start or int(factor) != factor:
            raise NotACurveError("a quotient is rounded that does not grow evenly with a size")
        return int(factor), int(start)


def sizes_of(time: Value | Expr) -> frozenset[str]:
    """All sizes that a time depends on."""
    return symbols(time) if isinstance(time, float | int | Tree) else free_symbols(time)


def last_loss(before: Curve, after: Curve, least_before: float, limit: int = LARGEST_SIZE) -> int:
    """The largest size up to `limit` at which `after` is not less than `before`, or `before` is less than
    `least_before`; 0 where there is none."""
    found = 0
    for start, last, a, b in reversed(list(_together(before, after))):
        if found:
            break
        if start > limit:
            continue
        end = min(last, limit)
        found = max(found, _last_at_least(_difference(b, a), start, end))
        if least_before > 0:
            short = _difference(a, Piece(1, (least_before,), ONE))
            found = max(found, _last_below(short, start, end))
    return found


def _last_at_least(p: Polynomial, start: int, end: int) -> int:
    """The largest n in start .. end with p >= 0, or 0."""
    if sign(p, end) >= 0:
        return end
    changes = sign_changes(p, start, end)
    return changes[-1] if changes else 0


def _last_below(p: Polynomial, start: int, end: int) -> int:
    if sign(p, end) < 0:
        return end
    changes = sign_changes(p, start, end)
    return changes[-1] if changes else 0


def _steps(factor: int, start: int, divisor: int, period: int) -> set[int]:
    """The residues at which what `start + factor*n` leaves, divided by a number, does not go on as it does mostly."""
    mostly = factor % divisor
    mostly -= divisor if 2 * mostly > divisor else 0
    rests = [(start + factor * n) % divisor for n in range(-1, period)]
    return {n for n in range(period) if rests[n + 1] - rests[n] != mostly}


@remembered("_roundings")
def _roundings(expr: Expr) -> frozenset[FloorDiv | Mod]:
    """The floors and remainders in an expression."""
    own = frozenset((expr,)) if isinstance(expr, FloorDiv | Mod) else frozenset[FloorDiv | Mod]()
    return own.union(*map(_roundings, operands(expr)))


class _Maker:
    """Curves of one size; each part of a formula is converted once."""

    def __init__(self, known: Mapping[str, float], residue: tuple[int, int]) -> None:
        self.known = known
        self.residue = residue
        self.made: dict[int, tuple[object, Curve]] = {}

    def of(self, time: Value | Expr) -> Curve:
        if time.__class__ is not Tree and isinstance(time, float | int):
            return constant(float(time))
        found = self.made.get(id(time))
        if found is None:
            found = self.made[id(time)] = (time, self._tree(time) if isinstance(time, Tree) else self._expr(time))
        return found[1]

    def _tree(self, tree: Tree) -> Curve:
        parts = [self.of(part) for part in tree.arguments]
        match tree.operation:
            case "+":
                return _folded(plus, parts)
            case "*":
                return _folded(times, parts)
            case "/":
                return over(*parts)
            case "max":
                return _folded(upper, parts)
            case "min":
                return _folded(lower, parts)
            case "if":
                return chosen(*parts)
            case other:
                assert_never(other)

    def _expr(self, expr: Expr) -> Curve:
        match expr:
            case Num(value):
                return constant(float(value))
            case Sym(name):
                return constant(float(self.known[name])) if name in self.known else (Piece(1, (0.0, 1.0), ONE),)
            case Add(parts):
                return _folded(plus, [self.of(part) for part in parts])
            case Mul(parts):
                return _folded(times, [self.of(part) for part in parts])
            case Div(above, below):
                return over(self.of(above), self.of(below))
            case FloorDiv(Max(parts), below):  # rounding keeps the order
                return _folded(upper, [self.of(floordiv(part, below)) for part in parts])
            case FloorDiv(Min(parts), below):
                return _folded(lower, [self.of(floordiv(part, below)) for part in parts])
            case FloorDiv(above, below):
                rest = plus(self.of(above), scaled(constant(self._remainder(above, below)), -1.0))
                return over(rest, self.of(below))
            case Mod(above, below):
                return constant(self._remainder(above, below))
            case Gcd():
                return constant(1.0)  # some sizes have more: the curve is that of most
            case Max(parts):
                return _folded(upper, [self.of(part) for part in parts])
            case Min(parts):
                return _folded(lower, [self.of(part) for part in parts])
            case Piecewise(cases, otherwise):
                found = self.of(otherwise)
                for condition, then in reversed(cases):
                    found = chosen(self.of(condition), self.of(then), found)
                return found
            case _:
                assert_never(expr)

    def _remainder(self, above: Expr, below: Expr) -> float:
        """above mod below, the same for all sizes of this residue."""
        part = Mod(above, below)
        values = {name: Fraction(value) for name, value in self.known.items()}
        r, k = self.residue
        open_ = free_symbols(part) - values.keys()
        found = {evaluate(part, {**values, **dict.fromkeys(open_, Fraction(n))}) for n in (r, r + k, r + 5 * k)}
        if len(found) > 1:
            raise NotACurveError(f"a quotient of {above} is rounded")
        return float(found.pop())


def _folded(operation: Callable[[Curve, Curve], Curve], parts: list[Curve]) -> Curve:
    result = parts[0]
    for part in parts[1:]:
        result = operation(result, part)
    return result


# --- curves

NOTHING: Curve = (Piece(1, (), ONE),)


def constant(value: float) -> Curve:
    return (Piece(1, (value,) if value else (), ONE),)


def scaled(curve: Curve, factor: float) -> Curve:
    return tuple(Piece(p.start, multiplied(p.above, (factor,)), p.below) for p in curve)


def plus(left: Curve, right: Curve) -> Curve:
    if left == NOTHING:
        return right
    if len(left) == len(right) == 1 and left[0].below == right[0].below:  # most parts of a sum: no power grows
        return (Piece(1, summed(left[0].above, right[0].above), left[0].below),)
    return _combined(left, right, _added)


def times(left: Curve, right: Curve) -> Curve:
    if len(left) == 1 and left[0].below == ONE and len(left[0].above) == 1:
        return scaled(right, left[0].above[0])
    return _combined(left, right, lambda a, b: reduced(multiplied(a.above, b.above), multiplied(a.below, b.below)))


def over(left: Curve, right: Curve) -> Curve:
    return _combined(left, right, lambda a, b: reduced(multiplied(a.above, b.below), multiplied(a.below, b.above)))


def upper(left: Curve, right: Curve) -> Curve:
    return _split(left, right, larger=True)


def lower(left: Curve, right: Curve) -> Curve:
    return _split(left, right, larger=False)


def chosen(condition: Curve, then: Curve, otherwise: Curve) -> Curve:
    """`then` where `condition` >= 0."""
    pieces: list[Piece] = []
    for start, end, test in _stretches(condition):
        pieces += _clipped(then if test else otherwise, start, end)
    return _joined(pieces)


def _stretches(condition: Curve) -> Iterator[tuple[int, int, bool]]:
    """Where `condition` is >= 0 and where it is not: first and last size, and which."""
    for piece, end in _with_ends(condition):
        product = multiplied(piece.above, piece.below)
        start = piece.start
        for after in (*sign_changes(product, start, end), end):
            yield start, after, sign(product, start if start == after else after) >= 0
            start = after + 1
            if start > end:
                break


def _split(left: Curve, right: Curve, *, larger: bool) -> Curve:
    pieces: list[Piece] = []
    for start, end, a, b in _together(left, right):
        difference = _difference(a, b)
        at = start
        for after in (*sign_changes(difference, start, end), end):
            best = a if (sign(difference, after) >= 0) == larger else b
            pieces.append(Piece(at, best.above, best.below))
            at = after + 1
            if at > end:
                break
    return _joined(pieces)


def _difference(a: Piece, b: Piece) -> Polynomial:
    """A polynomial with the sign of a - b."""
    if a.below == b.below == ONE:
        return summed(a.above, multiplied(b.above, (-1.0,)))
    above = summed(multiplied(a.above, b.below), multiplied(multiplied(b.above, a.below), (-1.0,)))
    return multiplied(above, multiplied(a.below, b.below))


def _added(a: Piece, b: Piece) -> tuple[Polynomial, Polynomial]:
    if a.below == b.below:
        return summed(a.above, b.above), a.below
    return reduced(summed(multiplied(a.above, b.below), multiplied(b.above, a.below)), multiplied(a.below, b.below))


def _combined(left: Curve, right: Curve, operation: Callable[[Piece, Piece], tuple[Polynomial, Polynomial]]) -> Curve:
    if len(left) == len(right) == 1:
        made: Curve = (Piece(1, *operation(left[0], right[0])),)
    else:
        made = _joined([Piece(start, *operation(a, b)) for start, _, a, b in _together(left, right)])
    power = max(len(p) - 1 for piece in made for p in (piece.above, piece.below))
    if power > MOST_POWER:
        raise NotACurveError(f"a formula multiplies {power} sizes")
    return made


def _together(left: Curve, right: Curve) -> Iterator[tuple[int, int, Piece, Piece]]:
    """First and last size of each stretch on which both are one piece."""
    if len(left) == len(right) == 1:
        yield 1, LARGEST_SIZE, left[0], right[0]
        return
    i = j = 0
    start = 1
    while start <= LARGEST_SIZE:
        next_i = left[i + 1].start if i + 1 < len(left) else LARGEST_SIZE + 1
        next_j = right[j + 1].start if j + 1 < len(right) else LARGEST_SIZE + 1
        after = min(next_i, next_j)
        yield start, after - 1, left[i], right[j]
        i += next_i == after
        j += next_j == after
        start = after


def _with_ends(curve: Curve) -> Iterator[tuple[Piece, int]]:
    for at, piece in enumerate(curve):
        yield piece, curve[at + 1].start - 1 if at + 1 < len(curve) else LARGEST_SIZE


def _clipped(curve: Curve, start: int, end: int) -> Iterator[Piece]:
    for piece, last in _with_ends(curve):
        if last >= start and piece.start <= end:
            yield Piece(max(piece.start, start), piece.above, piece.below)


def _joined(pieces: list[Piece]) -> Curve:
    kept: list[Piece] = []
    for piece in pieces:
        if not kept or (kept[-1].above, kept[-1].below) != (piece.above, piece.below):
            kept.append(piece)
    return tuple(kept)
