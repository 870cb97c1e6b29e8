"""Signs of polynomials in sizes: what closed forms need to know before they drop a case.

A *region* is a set of counters and constraints, each a polynomial that is >= 0. *Decides*: whether a
polynomial is >= 0 everywhere in a region for all *sizes*, values of the program that are taken to be >= 0
(definitions, size symbol). What must hold for every value that a variable can have, such as a dependence or the
bounds of a directive, is asked of `system`, which takes nothing for granted; `Region.system` is the same region there.
*Method*: counters are replaced, innermost first, by the bound of the region that makes the polynomial smallest; what is
left is a polynomial in sizes, which are >= their lower bound. *Errs toward* False: True is a proof, False says nothing.
*Does not handle* facts that need two constraints at once on one symbol.

    region with counter k, constraints k >= 0 and n - 2 - k >= 0:   n - 1 - k >= 0   is proved
    region without constraints:   n >= 0   is proved; `system.proves` does not, where n is an `int`
"""

from collections.abc import Iterable
from itertools import islice
from typing import Final

from msgspec import Struct, field

from models.expr.nodes import remembered

from ..ir.nodes import Computed, Counter, Either, Entry, Outermost, Quotient, Remainder
from ..ir.polynomials import Poly, Symbol, number, symbol
from ..ir.symbols import Kind
from .effort import Effort
from .system import System, at_least

DEPTH = 12
"""Substitutions tried in a row before a proof is given up: twice the depth of any nest seen in real code."""

MOST_TRIED = 500
"""Polynomials tried for one proof: those of nests with more than six loops that depend on each other are given up."""

MOST_PAIRS = 1000
"""Pairs of facts tried for one polynomial: what many conditions around a place prove together is not looked for."""

MOST_TERMS = 60
"""Terms of a polynomial that facts are tried on: one with more has a case for each of many conditions on data, and no
two facts make up for all that falls in it."""


class Region:
    """The integer points of `counters` (outer before inner) at which every one of `constraints` is >= 0.

    Nothing changes one once it is made: a plain class because it keeps what was asked of it, and the regions made from
    it."""

    __slots__ = ("_bounds", "_facts", "_hash", "_made", "answers", "constraints", "counters", "effort", "example")

    def __init__(
        self,
        counters: tuple[Symbol, ...] = (),
        constraints: tuple[Poly, ...] = (),
        effort: Effort | None = None,
        around: "_Example | None" = None,
    ) -> None:
        self.counters: Final = counters
        self.constraints: Final = constraints
        self.effort: Final = effort or Effort()
        """What proofs in it cost, and in the regions made from it."""
        self.example: Final = _Example(constraints, self.effort, around)
        self._hash: int | None = None
        self._bounds: dict[Symbol, list[tuple[int, Poly]]] = {}
        self._facts: _Facts | None = None
        self.answers: Final[dict[Poly, bool]] = {}
        """What `is_nonnegative` found."""
        self._made: dict[tuple[tuple[Symbol, ...], tuple[Poly, ...]], Region] = {}

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Region) and (self.counters, self.constraints) == (other.counters, other.constraints)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.counters, self.constraints))
        return self._hash

    def __repr__(self) -> str:
        return f"Region({self.counters}, {self.constraints})"

    def also(self, *constraints: Poly) -> "Region":
        """The part in which these hold, too."""
        return self.around((), constraints)

    def inside(self, counter: Symbol, *constraints: Poly) -> "Region":
        return self.around((counter,), constraints)

    def around(self, counters: tuple[Symbol, ...], constraints: tuple[Poly, ...]) -> "Region":
        """The points of further counters, inside this region."""
        key = (counters, constraints)
        if key not in self._made:
            self._made[key] = Region(
                (*self.counters, *counters), (*self.constraints, *constraints), self.effort, self.example
            )
        return self._made[key]

    def bounds(self, counter: Symbol) -> list[tuple[int, Poly]]:
        """(a, b) of the constraints a*counter + b >= 0 in which the factor is a number."""
        if counter not in self._bounds:
            factors = ((linear_coefficient(c, counter), c) for c in self.constraints)
            self._bounds[counter] = [(a, c.without(counter)) for a, c in factors if a is not None]
        return self._bounds[counter]

    @property
    def facts(self) -> "_Facts":
        """The constraints that hold no counter."""
        if self._facts is None:
            mine = set(self.counters)
            free = tuple(c for c in self.constraints if mine.isdisjoint(c.symbols))
            self._facts = _Facts(free, self.effort, self.example)
        return self._facts

    @property
    def system(self) -> System:
        """The same points, and those with sizes that are negative."""
        return System(tuple(map(at_least, self.constraints)))


class _Example:
    """A point at which polynomials are >= 0, sought when it is first asked for. `around`: that of the first of them (or
    of more than them), which mostly does for all."""

    __slots__ = ("_around", "_effort", "_known", "_point", "_sought")

    def __init__(self, known: tuple[Poly, ...], effort: Effort, around: "_Example | None" = None) -> None:
        self._known = known
        self._effort = effort
        self._around = around
        self._point: dict[Symbol, int] | None = None
        self._sought = False

    def refutes(self, poly: Poly) -> bool:
        """Whether `poly` is < 0 there, so that nothing proves it."""
        if not self._sought:
            self._sought = True
            self._effort.spend(len(self._known))
            near = self._near()
            self._point = _example(self._known) if near is None else near
        return self._point is not None and _at(poly, self._point) < 0

    def _near(self) -> dict[Symbol, int] | None:
        if self._around is None or self._around._point is None:
            return None
        point, added = self._around._point, self._known[len(self._around._known) :]
        return None if any(_at(fact, point) < 0 for fact in added) else point


class _Facts:
    """Polynomials that are >= 0, by the terms that they can cancel."""

    def __init__(self, known: tuple[Poly, ...], effort: Effort, around: _Example) -> None:
        self.effort = effort
        self._cancelling: dict[Symbol, list[tuple[frozenset[Symbol], Poly]]] = {}
        self._useful: dict[Poly, None] = {}
        for fact in known:
            if any(c < 0 or None in map(least, m) for m, c in fact.terms):
                self._useful[fact] = None
            for monomial, c in fact.terms:
                if c < 0 and monomial:
                    self._cancelling.setdefault(monomial[0], []).append((frozenset(monomial), fact))
        self.example = _Example(known, effort, around)

    def helping(self, poly: Poly) -> Iterable[Poly]:
        """The facts of which a multiple taken away may leave nothing that falls: those that can cancel a term of the
        highest degree that falls without end, if there is one. A fact that sizes alone make true helps nobody."""
        falling = _falling(poly)
        if falling is None:
            return self._useful
        found = (each for s in falling for each in self._cancelling.get(s, ()))
        return dict.fromkeys(fact for symbols, fact in found if falling >= symbols)


@remembered("_least")
def least(s: Symbol) -> int | None:
    """The smallest value of a symbol: sizes are >= 0 unless their origin says more (definitions, size
    symbol); of an analysis' own symbols `low` is all that is known."""
    match s.origin:
        case Counter():
            return 0
        case Quotient(value=value, divisor=divisor):
            low = _constant_lower_bound(value)
            if low is None:
                return s.low
            return low // divisor if rounds_down(s.origin) else -(-low // divisor)
        case Remainder():
            return 0 if rounds_down(s.origin) else s.low
        case Computed(meaning=Outermost(kind=kind, values=parts)):
            lows = [_constant_lower_bound(p) for p in parts]
            if kind == "max" and (both := Poly.sum(parts).constant) is not None:
                lows.append(-(-both // 2))  # the larger one of a value and its negative
            known = [low for low in lows if low is not None]
            return None if len(known) < (1 if kind == "max" else 2) else (max if kind == "max" else min)(known)
        case Computed(meaning=Either(values=parts)):
            known = [low for low in map(_constant_lower_bound, parts) if low is not None]
            lows = [s.low, min(known)] if len(known) == len(parts) else [s.low]
            return max((low for low in lows if low is not None), default=None)
        case Computed(falls=True) | Entry(falls=True):
            return s.low
        case _:
            return max(0, s.low or 0) if s.kind is Kind.PROGRAM else s.low


def rounds_down(division: Quotient | Remainder, region: Region | None = None) -> bool:
    """Whether C's division, which drops the fraction, is the one that rounds down: so for a shift, and where the
    dividend is not negative. A remainder lies between 0 and divisor - 1 then."""
    return division.floor or is_nonnegative(division.value, region)


def larger(s: Symbol, region: Region) -> Poly | None:
    """What a symbol that is max(a, b) is, where b surely is not the smaller one: n for max(0, n) of a size n."""
    match s.origin:
        case Computed(meaning=Outermost(kind="max", values=(a, b))) if is_nonnegative(b - a, region):
            return b
        case _:
            return None


@remembered("_constant_lower_bound")
def _constant_lower_bound(poly: Poly) -> int | None:
    """The smallest constant that sizes alone guarantee, None when a term can go down without end."""
    degree = poly.degree
    if degree < 2:
        return _lowest_sum(poly)
    if any(c < 0 for m, c in poly.terms if len(m) == degree):
        return None  # counting symbols from their smallest value changes terms of lower degree only
    shifted = _from_least(poly)
    if shifted is None or any(c < 0 for m, c in shifted.terms if m):
        return None
    return shifted.constant_term


def _lowest_sum(poly: Poly) -> int | None:
    """`_constant_lower_bound` of what most polynomials are: a sum of multiples of symbols."""
    total = 0
    for monomial, c in poly.terms:
        low = least(monomial[0]) if monomial else 1
        if low is None or (monomial and c < 0):
            return None
        total += c * low
    return total


def _from_least(poly: Poly) -> Poly | None:
    """The polynomial in symbols counted from their smallest value; None when one has none."""
    lows = {s: least(s) for s in poly.symbols}
    return None if None in lows.values() else poly.substitute({s: symbol(s) + low for s, low in lows.items() if low})


def _given(known: _Facts, poly: Poly) -> bool:
    """Whether `poly`, which sizes alone do not keep from falling, is >= 0 where every polynomial of `known` is: a sum
    of multiples of at most two of them and of something that sizes alone keep from falling.

    Example: `n - 1` given `n - 3` is; `n - m` is not."""
    if len(poly.terms) > MOST_TERMS or known.example.refutes(poly):
        return False
    left: dict[Poly, Poly] = {}
    for fact in known.helping(poly):
        for factor in _factors(poly, fact):
            known.effort.spend(1)
            rest = poly - fact * factor
            if _is_certain(rest):
                return True
            left[rest] = fact
    pairs = ((rest, other) for rest, fact in left.items() for other in known.helping(rest) if other != fact)
    for rest, other in islice(pairs, MOST_PAIRS):
        known.effort.spend(2)
        if any(_is_certain(rest - other * factor) for factor in _factors(rest, other)):
            return True
    return False


PASSES = 3
"""Times that all facts are gone through for an example of them."""


def _example(known: tuple[Poly, ...]) -> dict[Symbol, int] | None:
    """Sizes at which all of `known` hold: the smallest ones, raised where one does not hold; None if that leads
    nowhere."""
    point: dict[Symbol, int] = {}
    for _ in range(PASSES):
        raised = False
        for fact in reversed(known):  # inner counters first: `j < i < n` raises i, then n
            missing = -_at(fact, point)
            rising = next(((m[0], c) for m, c in fact.terms if c > 0 and len(m) == 1), None)
            if missing > 0 and rising is not None:
                raised = True
                s, c = rising
                point[s] -= -missing // c
        if not raised:
            break
    return None if any(_at(fact, point) < 0 for fact in known) else point


def _at(poly: Poly, point: dict[Symbol, int]) -> int:
    """The value at a point; symbols that are not in it yet get their smallest value (0 where they have none)."""
    total = 0
    for monomial, c in poly.terms:
        for s in monomial:
            if s not in point:
                point[s] = least(s) or 0
            c *= point[s]
        total += c
    return total


def _falling(poly: Poly) -> frozenset[Symbol] | None:
    """The symbols of a term of the highest degree that falls without end: only a fact can make up for it."""
    degree = poly.degree
    return next((frozenset(m) for m, c in poly.terms if c < 0 and m and len(m) == degree), None)


def _is_certain(poly: Poly) -> bool:
    low = _constant_lower_bound(poly)
    return low is not None and low >= 0


def _factors(poly: Poly, fact: Poly) -> set[Poly]:
    """What to multiply a fact by so that it could cancel a term: 1, and the ratio of each term to the
    fact's first one where that is a number or a size."""
    if not fact.terms or not fact.terms[0][0]:
        return set()
    lead, c = fact.terms[0]
    found = {number(1)}
    for monomial, d in poly.terms:
        left = list(monomial)
        for s in lead:
            if s not in left:
                break
            left.remove(s)
        else:
            if d * c > 0 and d % c == 0 and all((least(s) or 0) >= 0 and least(s) is not None for s in left):
                found.add(Poly(((tuple(left), d // c),)))
    return found


def is_nonnegative(poly: Poly, region: Region | None = None) -> bool:
    """Whether `poly` >= 0 at every point of the region (an empty region proves everything it can); None: anywhere.
    Example: see the module."""
    known = poly.constant
    if region is None or (known is not None and known >= 0):
        return _is_certain(poly)
    found = region.answers.get(poly)
    if found is None:
        region.effort.spend(1 + len(region.constraints))
        found = region.answers[poly] = _proved(poly, region)
    return found


def _proved(poly: Poly, region: Region) -> bool:
    mine = poly.symbols
    if _is_certain(poly) or (mine and any(_is_certain(poly - c) for c in region.constraints if c.symbols <= mine)):
        return True
    return not region.example.refutes(poly) and _Proof(region).of(poly, DEPTH)


class _Proof(Struct):
    """The search for one proof. Bounds of several counters lead to the same polynomial in any order: `failed` keeps
    with which depth it was given up; `left`: polynomials that may still be tried."""

    region: Region
    failed: dict[Poly, int] = field(default_factory=dict)
    left: int = MOST_TRIED

    def of(self, poly: Poly, depth: int) -> bool:
        known = poly.constant
        if known is not None and (known >= 0 or not self.region.constraints):
            return known >= 0
        if _is_certain(poly):
            return True
        counter = next((c for c in reversed(self.region.counters) if c in poly.symbols), None)
        if counter is None:
            return _given(self.region.facts, poly)
        if depth == 0 or self.failed.get(poly, 0) >= depth or not poly.is_linear_in((counter,)) or self.left == 0:
            return False
        self.left -= 1
        self.region.effort.spend(max(4, len(poly.terms)))
        if self._at_a_bound(poly, counter, depth):
            return True
        self.failed[poly] = depth
        return False

    def _at_a_bound(self, poly: Poly, counter: Symbol, depth: int) -> bool:
        slope, rest = poly.coefficient(counter), poly.without(counter)
        for rising in (True, False):
            if not self.of(slope if rising else -slope, depth - 1) or not slope.terms:
                continue
            # rising: the smallest value is at a lower bound a*k + b >= 0, a > 0, that is k >= -b/a
            for a, bound in self.region.bounds(counter):
                if (a > 0) != rising:
                    continue
                smallest = rest * abs(a) + slope * (-bound if rising else bound)
                if self.of(smallest, depth - 1):
                    return True
        return False


def linear_coefficient(constraint: Poly, counter: Symbol) -> int | None:
    """The number that multiplies `counter`; None when it does not occur, not linearly, or times another symbol."""
    return constraint.coefficient(counter).constant or None if constraint.is_linear_in((counter,)) else None
