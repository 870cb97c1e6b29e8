"""Boxes and extremes of affine regions: ranges of counters, and the smallest and largest value of a
subscript.

*Decides*: `project` (what is left of a region when some counters are ignored), `ranges` (a region whose
counters do not depend on each other, as intervals), `lowest` and `highest` (values reached by a
polynomial). *Method*: Fourier-Motzkin elimination with unit factors, which is exact over the integers; a
factor > 1 is divided out with floor where only sizes remain. *Errs toward* `exact=False`, and then
outwards: a bound is never inside the true range."""

from math import gcd

from msgspec import Struct

from ..ir.polynomials import Poly, Symbol
from .signs import Region, is_nonnegative, linear_coefficient
from .summation import Atoms, NotClosedError, tightest

MOST_KEPT = 40
"""Constraints that a counter leaves behind: where more are, each further one multiplies them again."""

COMPETING = 8
"""Combinations of competing bounds that are tried for the best one."""


class Extreme(Struct, frozen=True):
    """`value` is reached where every one of `conditions` is >= 0 (else the region is empty); not `exact`: a
    bound."""

    value: Poly
    conditions: tuple[Poly, ...]
    exact: bool


class Range(Struct, frozen=True):
    """low <= counter < high."""

    low: Poly
    high: Poly


class Eliminator(Struct):
    """Removes counters one by one, innermost first, keeping track of where the rest is empty."""

    atoms: Atoms
    facts: Region

    def bounds(self, counter: Symbol, region: Region) -> tuple[list[Poly], list[Poly], tuple[Poly, ...]]:
        """Lower bounds (inclusive), upper bounds (exclusive) of a counter, and the constraints without it.

        Raises NotClosedError for a factor that is not a number, or divides something that depends on
        counters."""
        lows: list[Poly] = []
        highs: list[Poly] = []
        rest: list[Poly] = []
        others = set(region.counters) - {counter}
        for constraint in dict.fromkeys(region.constraints):
            if counter not in constraint.symbols:
                rest.append(constraint)
                continue
            a = linear_coefficient(constraint, counter)
            if a is None:
                raise NotClosedError(f"{constraint} has no constant factor before a counter")
            bound = constraint.without(counter)
            moving = [c for m, c in bound.terms if others.intersection(m)]
            if any(c % a for c in moving):
                raise NotClosedError(f"{constraint} divides a counter")
            if a > 0:
                lows.append(-self.atoms.floor(bound, a))
            else:
                highs.append(self.atoms.floor(bound, -a) + 1)
        if not lows or not highs:
            raise NotClosedError("a counter has no bound")
        return lows, highs, tuple(rest)

    def tight(self, counter: Symbol, region: Region) -> tuple[list[Poly], list[Poly], Region]:
        """The bounds of a counter that may be the tightest somewhere, and the region seen without it: the
        points over which its range is not empty."""
        question = ("tight", counter, region, self.facts)
        if question not in self.atoms.answers:
            self.atoms.effort.spend(2 + len(region.constraints))
            self.atoms.answers[question] = self._tight(counter, region)
        found: tuple[list[Poly], list[Poly], Region] = self.atoms.answers[question]
        return found

    def _tight(self, counter: Symbol, region: Region) -> tuple[list[Poly], list[Poly], Region]:
        lows, highs, rest = self.bounds(counter, region)
        outer = tuple(c for c in region.counters if c != counter)
        known = self.facts.around(outer, rest)
        low = tightest(lows, known, outer, "max", self.atoms)
        high = tightest(highs, known, outer, "min", self.atoms)
        conditions = tuple(h - b - 1 for h in high for b in low if not is_nonnegative(h - b - 1, known))
        return low, high, Region(outer, (*rest, *conditions))


def project(region: Region, keep: frozenset[Symbol], atoms: Atoms, facts: Region) -> Region:
    """The region in the counters `keep` only: the points over which the other ranges are not empty. Raises
    NotClosedError where that is not a set of affine constraints."""
    for counter in reversed(region.counters):
        if counter not in keep:
            region = _without(counter, region, atoms, facts)
    return region


def _without(counter: Symbol, region: Region, atoms: Atoms, facts: Region) -> Region:
    """Fourier-Motzkin: a*k + b >= 0 and c*k <= d meet in an integer k exactly where a*d + c*b >= 0, if a or
    c is 1."""
    atoms.effort.spend(2 + len(region.constraints))
    outer = tuple(c for c in region.counters if c != counter)
    rest = [c for c in dict.fromkeys(region.constraints) if counter not in c.symbols]
    bounds: list[tuple[int, Poly]] = []
    for constraint in dict.fromkeys(region.constraints):
        if counter in constraint.symbols:
            a = linear_coefficient(constraint, counter)
            if a is None:
                raise NotClosedError(f"{constraint} has no constant factor before a counter")
            bounds.append((a, constraint.without(counter)))
    for a, b in (x for x in bounds if x[0] > 0):
        for c, d in ((-y[0], y[1]) for y in bounds if y[0] < 0):
            meeting = d * a + b * c
            if a > 1 and c > 1:
                if (b.symbols | d.symbols) & set(outer):
                    raise NotClosedError(f"{counter} is divided on both sides")
                meeting = atoms.floor(d, c) + atoms.floor(b, a)
            known = facts.around(outer, tuple(rest))
            if not is_nonnegative(meeting, known):
                rest.append(meeting)
                if len(rest) > max(MOST_KEPT, len(region.constraints)):
                    raise NotClosedError(f"the bounds of {counter} meet in too many ways")
    return Region(outer, tuple(rest))


def ranges(
    region: Region, atoms: Atoms, facts: Region
) -> tuple[dict[Symbol, Range], tuple[Poly, ...]] | None:
    """The range of every counter and the conditions under which all are non-empty; None when counters
    depend on each other. Raises NotClosedError."""
    mine = set(region.counters)
    if any(len(mine & c.symbols) > 1 for c in region.constraints):
        return None
    work = Eliminator(atoms, facts)
    found: dict[Symbol, Range] = {}
    for counter in reversed(region.counters):
        lows, highs, region = work.tight(counter, region)
        found[counter] = Range(lows[0], highs[0])
    return found, open_conditions(region.constraints, facts)


def open_conditions(conditions: tuple[Poly, ...], facts: Region) -> tuple[Poly, ...]:
    """Those of the conditions that are not known to hold."""
    kept: list[Poly] = []
    for condition in dict.fromkeys(conditions):
        region = facts.also(*kept)
        if not is_nonnegative(condition, region):
            kept.append(condition)
    return tuple(kept)


def lowest(poly: Poly, region: Region, atoms: Atoms, facts: Region) -> Extreme:
    """The smallest value of `poly` in the region. Raises NotClosedError when no bound is found."""
    shift = poly.constant_term  # a[i][0], a[i][1] ... ask the same
    base = poly - shift
    question = ("lowest", base, region, facts)
    if question not in atoms.answers:
        atoms.answers[question] = _reached_lowest(base, region, atoms, facts)
    found: Extreme = atoms.answers[question]
    return Extreme(found.value + shift, found.conditions, found.exact) if shift else found


def _reached_lowest(poly: Poly, region: Region, atoms: Atoms, facts: Region) -> Extreme:
    try:
        found = _lowest(Eliminator(atoms, facts), poly, region, COMPETING)
    except NotClosedError:  # 2*j <= i: the largest j is no polynomial in i, but that of all i is
        bound = above(-poly, region)
        if bound is None:
            raise
        found = Extreme(-atoms.floor(*bound), (), False)
    if found.exact or not _is_reached(poly - found.value, region, atoms, facts, found.conditions):
        return found
    return Extreme(found.value, found.conditions, True)


def _is_reached(gap: Poly, region: Region, atoms: Atoms, facts: Region, conditions: tuple[Poly, ...]) -> bool:
    """Whether `gap` is 0 at some point of the region whenever the conditions hold."""
    common = gcd(*(c for _, c in gap.terms)) if gap.terms else 1
    gap = gap.divided_by(common) or gap
    try:
        left = project(region.also(gap, -gap), frozenset(), atoms, facts)
    except NotClosedError:
        return False
    known = facts.also(*conditions)
    return all(is_nonnegative(c, known) for c in left.constraints)


def _lowest(work: Eliminator, poly: Poly, region: Region, budget: int) -> Extreme:
    if not region.counters:
        return Extreme(poly, open_conditions(region.constraints, work.facts), True)
    counter = region.counters[-1]
    lows, highs, inner = work.tight(counter, region)
    if counter not in poly.symbols:
        return _lowest(work, poly, inner, budget)
    known = work.facts.around(inner.counters, inner.constraints)
    ends = _ends(poly, counter, lows, highs, known)
    options = [
        _lowest(work, poly.substitute({counter: e}), inner, budget // len(ends)) for e in ends[: budget or 1]
    ]
    if len(options) == 1:
        return options[0] if len(ends) == 1 else Extreme(options[0].value, options[0].conditions, False)
    # every bound gives a value that the polynomial cannot fall below: the largest of them is the best
    best = options[0]
    for other in options[1:]:
        if is_nonnegative(other.value - best.value, work.facts):
            best = other
    return Extreme(best.value, best.conditions, False)


def highest(poly: Poly, region: Region, atoms: Atoms, facts: Region) -> Extreme:
    """The largest value of `poly` in the region. Raises NotClosedError when no bound is found."""
    found = lowest(-poly, region, atoms, facts)
    return Extreme(-found.value, found.conditions, found.exact)


def above(poly: Poly, region: Region) -> tuple[Poly, int] | None:
    """(b, d), free of counters, with poly <= b / d everywhere in the region: one bound per counter, innermost first,
    taken over the rationals. None where a counter has no bound or a symbolic factor.

    >>> above(3*j, {0 <= i < n, 0 <= 2*j <= i})         (3*(n - 1), 2)
    """
    scale = 1
    usable = list(region.constraints)
    for counter in reversed(region.counters):
        holding = [c for c in usable if counter in c.symbols]
        usable = [c for c in usable if counter not in c.symbols]
        if counter not in poly.symbols:
            continue
        slope = linear_coefficient(poly, counter)
        if slope is None:
            return None
        limits = [(a, c) for c in holding if (a := linear_coefficient(c, counter)) and a * slope < 0]
        if not limits:
            return None
        # a*k + b >= 0 with a < 0 < slope is k <= b/|a|, and with a > 0 > slope it is -k <= b/a
        a, limit = min(limits, key=lambda x: (abs(x[0]), len(x[1].terms)))
        poly = poly.without(counter) * abs(a) + limit.without(counter) * abs(slope)
        scale *= abs(a)
    return poly, scale


def _ends(poly: Poly, counter: Symbol, lows: list[Poly], highs: list[Poly], region: Region) -> list[Poly]:
    """The values of the counter at which something linear in it may be smallest."""
    if not poly.is_linear_in((counter,)):
        raise NotClosedError("a subscript that is not linear in a counter")
    slope = poly.coefficient(counter)
    if is_nonnegative(slope, region):
        return lows
    if is_nonnegative(-slope, region):
        return [high - 1 for high in highs]
    raise NotClosedError("a subscript whose direction is not known")
