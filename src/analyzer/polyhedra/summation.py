"""Closed forms of sums over the integer points of nested loops.

    sum of value over { k1, k2, ... : every constraint >= 0 }   =   pieces   "value where these conditions
    hold, else 0"

*Method*: the innermost counter is summed away with Faulhaber's formula between its lower and upper bound;
where several bounds compete the region is split into the cases of which one wins, and where a bound needs a
division (stride d) the outer counters are split into their residues mod d, so that the division becomes
exact. What remains free of counters becomes a condition on sizes. Every step is an equality, so a result is
exact; what no step fits raises `NotClosedError`.

    >>> 0 <= i, i <= n-1, 0 <= j, j <= n-2-i    sum of 1    ==    n*(n - 1)/2

*Source*: Faulhaber's sums of powers (Knuth, Concrete Mathematics, 6.78); splitting as in Pugh, "Counting
solutions to Presburger formulas", PLDI 1994. *Does not handle*: bounds with a symbolic factor (`i*n + j <
m`), more than `PIECES` cases, divisors above `RESIDUES`; those are left to
`barvinok`, the exact count of general parametric polytopes."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from ..base.places import Place
from ..ir.nodes import Computed, Quotient, Remainder
from ..ir.polynomials import Poly, Symbol, symbol
from ..ir.symbols import Kind, division, numbered
from .barvinok import counted
from .effort import Effort
from .powers import Fractional, between
from .signs import Region, is_nonnegative, least, linear_coefficient, rounds_down

PIECES = 16
"""Cases of one sum: a formula with more of them helps nobody."""
STEPS = 160
"""Sums over one counter that are made for one sum, cases and residues counted."""
RESIDUES = 16


class NotClosedError(Exception):
    """No closed form is known for this sum; the message says which step failed."""


class Piece(Struct, frozen=True):
    """`value` where every condition is >= 0, else 0."""

    conditions: tuple[Poly, ...]
    value: Fractional


class Atoms(Struct):
    """Symbols that stand for the largest or smallest of some polynomials in sizes, one per set of
    polynomials."""

    parts: dict[Symbol, tuple[str, tuple[Poly, ...]]] = field(default_factory=dict)
    answers: dict[object, Any] = field(default_factory=dict)
    """Answers to questions about regions and polynomials of this nest, asked for every subscript alike."""
    _known: dict[object, Symbol] = field(default_factory=dict)
    _nested: dict[Symbol, int] = field(default_factory=dict)
    effort: Effort = field(default_factory=Effort)
    """What sums, extremes and formulas of this nest cost."""

    def _new(self, identity: object, origin: Computed | Quotient, low: int | None) -> Symbol:
        made = numbered(Kind.ATOM, len(self._known), f"atom{len(self._known)}", origin, low)
        return self._known.setdefault(identity, made)

    def extreme(self, kind: str, parts: tuple[Poly, ...]) -> Poly:
        """The `max` or `min` of polynomials free of counters."""
        lows = [least_value(p) for p in parts]
        known = [low for low in lows if low is not None]
        low = None
        if kind == "max" and known:
            low = max(known)
        elif kind == "min" and len(known) == len(lows):
            low = min(known)
        made = self._new((kind, frozenset(parts)), Computed(kind, Place("", 0)), low)
        self.parts[made] = (kind, parts)
        self._nested[made] = 1 + max(map(self.nested, parts))
        return symbol(made)

    def nested(self, poly: Poly) -> int:
        """How many extremes a polynomial has inside each other."""
        return max((self._nested.get(s, 0) for s in poly.symbols), default=0)

    def floor(self, value: Poly, divisor: int) -> Poly:
        """floor(value / divisor); whole multiples are taken out, a constant rest is computed."""
        if divisor == 1:
            return value
        whole = Poly(tuple((m, c // divisor) for m, c in value.terms if c % divisor == 0))
        rest = Poly(tuple((m, c) for m, c in value.terms if c % divisor))
        shift = rest.constant_term // divisor
        rest, whole = rest - shift * divisor, whole + shift
        if rest.constant is not None:
            return whole
        origin = Quotient(rest, divisor, True)
        return whole + symbol(self._new(origin, origin, None))


def least_value(poly: Poly) -> int | None:
    """The largest constant c for which `poly >= c` is certain, from the bounds of its symbols term by
    term."""
    total = 0
    for monomial, c in poly.terms:
        if not monomial:
            total += c
            continue
        lows = [least(s) for s in monomial]
        if c < 0 or any(low is None or low < 0 for low in lows):
            return None
        product = c
        for low in lows:
            product *= low or 0
        total += product
    return total


def total(region: Region, value: Fractional, atoms: Atoms, facts: Region | None = None) -> list[Piece]:
    """The sum of `value` over `region`, as pieces to be added up. `facts`: what is known around the region
    (counters of outer loops and their bounds), used to drop conditions, never to change the sum where it
    holds. What has no closed form is counted by barvinok, where it is installed and quick enough.

    Raises NotClosedError."""
    facts = facts or Region()
    try:
        return closed_form(region, value, atoms, facts)
    except NotClosedError:
        found = None if value.poly.symbols & set(region.counters) else counted(region, atoms, facts)
        if found is None:
            raise
        return [Piece(conditions, value * Fractional(points, over)) for conditions, points, over in found]


def closed_form(region: Region, value: Fractional, atoms: Atoms, facts: Region) -> list[Piece]:
    """`total` by sums of powers alone. Raises NotClosedError."""
    return _Summation(atoms, facts).over(region.counters, region.constraints, value)


class _Summation(Struct):
    atoms: Atoms
    facts: Region
    made: int = 0
    steps: int = 0

    def over(
        self, counters: tuple[Symbol, ...], constraints: tuple[Poly, ...], value: Fractional
    ) -> list[Piece]:
        self.steps += 1
        if self.steps > STEPS:
            raise NotClosedError(f"more than {STEPS} steps")
        self.atoms.effort.spend(5 + len(constraints) + len(value.poly.terms))
        split = self._quotient(counters, constraints, value)
        if split is not None:
            return split
        if not counters:
            return self._finish(constraints, value)
        counter, outer = counters[-1], counters[:-1]
        below, above, rest = self._bounds(counter, constraints)
        for bound, divisor in (*below, *above):
            blocking = self._indivisible(bound, divisor, outer)
            if blocking is not None:
                return self._residues(blocking, divisor, counters, constraints, value)
        lows = [-self.atoms.floor(bound, a) for bound, a in below]
        highs = [self.atoms.floor(bound, a) + 1 for bound, a in above]
        return self._cases(counter, outer, (lows, highs), rest, value)

    def _bounds(
        self, counter: Symbol, constraints: tuple[Poly, ...]
    ) -> tuple[list[tuple[Poly, int]], list[tuple[Poly, int]], tuple[Poly, ...]]:
        """The constraints as b + a*k >= 0 (k >= -b/a), b - a*k >= 0 (k <= b/a) with (b, a), and those
        without k."""
        below: list[tuple[Poly, int]] = []
        above: list[tuple[Poly, int]] = []
        rest: list[Poly] = []
        for constraint in dict.fromkeys(constraints):
            if counter not in constraint.symbols:
                rest.append(constraint)
                continue
            a = linear_coefficient(constraint, counter)
            if a is None:
                raise NotClosedError(f"the bound {constraint} has no constant factor before a counter")
            (below if a > 0 else above).append((constraint.without(counter), abs(a)))
        if not below or not above:
            raise NotClosedError("a loop counter has no bound")
        return below, above, tuple(rest)

    def _indivisible(self, bound: Poly, divisor: int, outer: tuple[Symbol, ...]) -> Symbol | None:
        """An outer counter that keeps `bound / divisor` from being a polynomial plus something free of
        counters."""
        mine = set(outer)
        for monomial, c in bound.terms:
            inside = [s for s in monomial if s in mine]
            if not inside or c % divisor == 0:
                continue
            if divisor > RESIDUES:
                raise NotClosedError(f"a stride of {divisor} inside a loop whose counter shifts it")
            return inside[0]
        return None

    def _residues(
        self,
        counter: Symbol,
        modulus: int,
        counters: tuple[Symbol, ...],
        constraints: tuple[Poly, ...],
        value: Fractional,
    ) -> list[Piece]:
        """counter = modulus * counter' + r for every residue r: the same points, in `modulus` classes."""
        pieces: list[Piece] = []
        for r in range(modulus):
            change = {counter: symbol(counter) * modulus + r}
            moved = tuple(_substitute(c, change) for c in constraints)
            pieces += self.over(counters, moved, Fractional(_substitute(value.poly, change), value.over))
        return pieces

    def _quotient(
        self, counters: tuple[Symbol, ...], constraints: tuple[Poly, ...], value: Fractional
    ) -> list[Piece] | None:
        """Splits by residues until no quotient or remainder of a counter is left; None when there is none."""
        symbols = value.poly.symbols.union(*[c.symbols for c in constraints])
        if not any(isinstance(s.origin, Quotient | Remainder) for s in symbols):
            return None
        mine = set(counters)
        for s in _with_dividends(s for p in (*constraints, value.poly) for s in p.symbols):
            if not isinstance(s.origin, Quotient | Remainder) or mine.isdisjoint(s.origin.value.symbols):
                continue
            inner, divisor = s.origin.value, s.origin.divisor
            if any(t.origin.value.symbols & mine for t in inner.symbols if isinstance(t.origin, Quotient | Remainder)):
                continue  # the quotient inside comes first
            if not rounds_down(s.origin, Region(counters, constraints)):
                raise NotClosedError(f"the sign of the dividend in {s.name} is not known")
            blocking = self._indivisible(inner, divisor, counters)
            if blocking is not None:
                return self._residues(blocking, divisor, counters, constraints, value)
            quotient = self.atoms.floor(inner, divisor)
            change = {s: quotient if isinstance(s.origin, Quotient) else inner - quotient * divisor}
            moved = tuple(_substitute(c, change) for c in constraints)
            return self.over(counters, moved, Fractional(_substitute(value.poly, change), value.over))
        return None

    def _cases(
        self,
        counter: Symbol,
        outer: tuple[Symbol, ...],
        bounds: tuple[list[Poly], list[Poly]],
        rest: tuple[Poly, ...],
        value: Fractional,
    ) -> list[Piece]:
        """One lower and one upper bound: splits where several could be the tightest."""
        self.atoms.effort.spend(2 + len(rest))
        region = self._known(outer, rest)
        lows = tightest(bounds[0], region, outer, "max", self.atoms)
        highs = tightest(bounds[1], region, outer, "min", self.atoms)
        for side, kind in ((lows, "max"), (highs, "min")):
            if len(side) > 1:
                first, second, *others = side
                gap = first - second if kind == "max" else second - first
                pieces: list[Piece] = []
                for winner, condition in ((first, gap), (second, -gap - 1)):
                    kept = ([winner, *others], highs) if kind == "max" else (lows, [winner, *others])
                    pieces += self._cases(counter, outer, kept, (*rest, condition), value)
                return pieces
        low, high = lows[0], highs[0]
        if not is_nonnegative(high - low, region):
            rest = (*rest, high - low)
        return self.over(outer, rest, between(value, counter, low, high))

    def _known(self, outer: tuple[Symbol, ...], rest: tuple[Poly, ...]) -> Region:
        return self.facts.around(outer, rest)

    def _finish(self, conditions: tuple[Poly, ...], value: Fractional) -> list[Piece]:
        open_: list[Poly] = []
        for condition in dict.fromkeys(conditions):
            known = condition.constant
            if known is not None and known < 0:
                return []
            facts = self._known((), tuple(open_))
            if is_nonnegative(-condition - 1, facts):
                return []
            if not is_nonnegative(condition, facts):
                open_.append(condition)
        if not value.poly.terms:
            return []
        self.made += 1
        if self.made > PIECES:
            raise NotClosedError(f"more than {PIECES} cases")
        return [Piece(tuple(open_), value)]


def _with_dividends(symbols: Iterable[Symbol]) -> dict[Symbol, None]:
    """The symbols and those that quotients and remainders among them are made of."""
    found: dict[Symbol, None] = {}
    pending = list(symbols)
    while pending:
        s = pending.pop()
        if s not in found:
            found[s] = None
            if isinstance(s.origin, Quotient | Remainder):
                pending += s.origin.value.symbols
    return found


def _substitute(poly: Poly, change: dict[Symbol, Poly]) -> Poly:
    """Substitution that also reaches into the dividends of quotients and remainders."""
    inner: dict[Symbol, Poly] = dict(change)
    for s in poly.symbols:
        match s.origin:
            case (Quotient(value=value) | Remainder(value=value)) as origin if s not in change:
                dividend = _substitute(value, change)
                if dividend != value:
                    moved = replace(origin, value=dividend)
                    inner[s] = symbol(division(s, moved, isinstance(moved, Remainder)))
            case _:
                pass
    return poly.substitute(inner)


def tightest(
    bounds: list[Poly], region: Region, outer: tuple[Symbol, ...], kind: str, atoms: Atoms
) -> list[Poly]:
    """The bounds (`max`: lower, `min`: upper ones) that may be the tightest somewhere in the region; those
    whose gap is free of the `outer` counters become one atom."""
    sign = 1 if kind == "max" else -1
    kept: list[Poly] = []
    for bound in dict.fromkeys(bounds):
        if any(is_nonnegative((other - bound) * sign, region) for other in kept):
            continue
        kept = [other for other in kept if not is_nonnegative((bound - other) * sign, region)]
        kept.append(bound)
    mine = set(outer)
    merged: list[Poly] = []
    for bound in kept:
        for n, other in enumerate(merged):
            if not (bound - other).symbols & mine:
                common = Poly(tuple(t for t in bound.terms if t in other.terms))
                merged[n] = common + atoms.extreme(kind, (other - common, bound - common))
                break
        else:
            merged.append(bound)
    return merged
