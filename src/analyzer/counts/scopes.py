"""Where code runs: the set of iterations of a nest that reach a statement, as weighted affine regions.

    Scope ::= counter* Case*            -- counters of the loops of the nest around the statement, outer first
    Case  ::= weight constraint*        -- it runs at the points where the constraints hold, `weight` times

Conditions are indicator functions: `a && b` is a*b, `a || b` is 1 - (1 - a)*(1 - b), `a != 0` is 1 - (a ==
0), and a condition on data is a *weight* p in [0, 1], one per condition, with p*p = p. A loop whose
iterations cannot be counted (unknown or not closed) becomes a weight as well: its mean number of
iterations, `trip@LINE`; an early exit becomes the fraction of the iterations that are run, `exit@LINE`;
iterations that are too complex to be counted become a share of the longest that the loop can run,
`share@LINE`. So every count is a polynomial in sizes and weights."""

from operator import attrgetter
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from ..base.places import Place
from ..ir.formula_names import weight
from ..ir.nodes import All, Any, Compare, Computed, Counter, Data, Loaded, Loop, Predicate, Ratio
from ..ir.polynomials import Monomial, Poly, Symbol, number, symbol
from ..ir.symbols import Kind, numbered
from ..polyhedra.extremes import above
from ..polyhedra.powers import Fractional
from ..polyhedra.signs import Region, is_nonnegative
from ..polyhedra.summation import Atoms, NotClosedError, Piece, total
from .variance import Variance

CASES = 12
"""Cases of one scope; a condition that makes more is treated like one on data."""

TERMS = 8
"""Terms of one weight: behind more conditions on data only the share that arrives is kept."""

MOST = 64
"""Weights of one nest: a formula in more of them helps nobody, and would grow with every statement."""

_key = attrgetter("key")



class Case(Struct, frozen=True):
    weight: Poly
    constraints: tuple[Poly, ...] = ()


class Arm(Struct, frozen=True):
    """One arm of a branch, or what follows a place where control may leave."""

    number: int


Path: TypeAlias = tuple[int | Arm, ...]
"""The loops, by their keys, and the arms of branches around a place, outer first."""


class Scope(Struct, frozen=True, dict=True):
    """`runs`: how often the scope is entered per entry of the nest; `assumed`: data, exits or unknown trips decide
    too."""

    counters: tuple[Symbol, ...]
    cases: tuple[Case, ...]
    runs: tuple[Piece, ...]
    path: Path = ()
    assumed: bool = False

    @property
    def box(self) -> tuple[Poly, ...] | None:
        """The constraints when there is one case without a weight."""
        return self.cases[0].constraints if len(self.cases) == 1 else None


class Weights(Struct):
    """The weights of one nest, by place and kind. The first condition of a line is p@LINE, further ones
    p@LINE:COLUMN. A nest with more than `MOST` of them is too complex: what comes later in the text shares
    one weight per kind, p@others."""

    places: dict[Symbol, Place] = field(default_factory=dict)
    shared: dict[Kind, Symbol] = field(default_factory=dict)
    _made: dict[tuple[Kind, Place, object], Symbol] = field(default_factory=dict)
    _names: dict[str, int] = field(default_factory=dict)

    def at(self, kind: Kind, place: Place, which: object = 0) -> Symbol:
        found = self._made.get((kind, place, which))
        if found is not None:
            return found
        if len(self.places) >= MOST:
            return self._shared(kind)
        name = weight(kind, place.line)
        if name in self._names:
            name = f"{name}:{place.column}"
        self._names[name] = self._names.get(name, 0) + 1
        if self._names[name] > 1:
            name = f"{name}.{self._names[name]}"
        made = self._made[kind, place, which] = self._new(kind, name)
        self.places[made] = place
        return made

    def are_shared(self, cases: "tuple[Case, ...]") -> bool:
        """Whether a condition has no weight of its own."""
        return any(s in c.weight.symbols for c in cases for s in self.shared.values())

    def _shared(self, kind: Kind) -> Symbol:
        if kind not in self.shared:
            self.shared[kind] = self._new(kind, weight(kind, "others"))
        return self.shared[kind]

    def _new(self, kind: Kind, name: str) -> Symbol:
        number = len(self.places) + len(self.shared)
        return numbered(kind, number, name, Computed(name, Place("", 0)), 0, None if kind is Kind.TRIP else 1)


class Scopes:
    """Makes scopes of one nest, whose varying symbols `variance` knows; `facts` hold around it."""

    def __init__(self, atoms: Atoms, weights: Weights, facts: Region, variance: Variance) -> None:
        self.atoms = atoms
        self.weights = weights
        self.facts = facts
        self._variance = variance
        self._lost: set[Symbol] = set()
        self._arms = 0

    def start(self) -> Scope:
        return self._closed((), (Case(number(1)),), (), False) or Scope((), (), ())

    # --- loops

    def inside(self, scope: Scope, loop: Loop) -> Scope:
        """The body of a loop of the nest."""
        counter = symbol(loop.counter)
        cases = self._trip_cases(loop)
        found = None
        if cases is not None:
            if not loop.exact_trip:
                ends = self.weights.at(Kind.EXIT, loop.place)
                cases = tuple(Case(_times(c.weight, ends), c.constraints) for c in cases)
            cases = tuple(Case(c.weight, (counter, *c.constraints)) for c in cases)
            joined = _product(scope.cases, cases)
            assumed = scope.assumed or not loop.exact_trip
            found = self._closed((*scope.counters, loop.counter), joined, (*scope.path, loop.key), assumed)
            if found is not None:
                return found
            found = self._bounded(scope, loop)
            if found is not None:
                return found
        self._lost.add(loop.counter)
        mean = self.weights.at(Kind.TRIP, loop.place)
        cases = tuple(Case(_times(c.weight, mean), c.constraints) for c in scope.cases)
        return self._closed(scope.counters, cases, (*scope.path, loop.key), True) or scope

    def _bounded(self, scope: Scope, loop: Loop) -> Scope | None:
        """The body of a loop whose iterations are too many cases to count: some share of the longest it can run."""
        if scope.box is None or not loop.trip:
            return None
        region = Region(scope.counters, scope.box)
        ends = [(end[0], r.denominator * end[1]) for r in loop.trip if (end := above(r.numerator, region)) is not None]
        if not ends:
            return None
        longest = self._smallest([self.atoms.floor(end + d - 1, d) for end, d in ends])
        share = self.weights.at(Kind.SHARE, loop.place)
        counter = symbol(loop.counter)
        inside = tuple(end - 1 - counter * d for end, d in ends)
        more = () if is_nonnegative(longest, self.facts) else (longest,)
        values = (Fractional(_times(p.value.poly * longest, share), p.value.over) for p in scope.runs)
        runs = (Piece((*p.conditions, *more), value) for p, value in zip(scope.runs, values, strict=True))
        cases = (Case(_times(scope.cases[0].weight, share), (*scope.box, counter, *inside)),)
        return Scope((*scope.counters, loop.counter), cases, tuple(runs), (*scope.path, loop.key), True)

    def _smallest(self, values: list[Poly]) -> Poly:
        return values[0] if len(values) == 1 else self.atoms.extreme("min", tuple(dict.fromkeys(values)))

    def _trip_cases(self, loop: Loop) -> tuple[Case, ...] | None:
        """The iterations as constraints on the counter; None when a bound is unknown or changes on the
        way."""
        if loop.trip is None or any(self._unusable(r.numerator) for r in loop.trip):
            return None
        counter = symbol(loop.counter)
        longest = self._at_least(loop, loop.trip)
        if longest is not None:
            return (Case(number(1), (longest - 1 - counter,)),)
        inside = (Case(number(1), tuple(self._variance.canonical(_within(counter, r)) for r in loop.trip)),)
        if loop.at_least <= 0 or not loop.trip:
            return inside
        always = (Case(number(1), (number(loop.at_least - 1) - counter,)),)
        return either(inside, always)

    def _at_least(self, loop: Loop, trip: tuple[Ratio, ...]) -> Poly | None:
        """The trip count max(at_least, ratio) of a `do` loop, where it does not depend on other counters."""
        if (
            loop.at_least <= 0
            or len(trip) != 1
            or any(isinstance(s.origin, Counter) or self._variance.moves(s) for s in trip[0].numerator.symbols)
        ):
            return None
        numerator = self._variance.canonical(trip[0].numerator)
        ceiling = self.atoms.floor(numerator + trip[0].denominator - 1, trip[0].denominator)
        if is_nonnegative(ceiling - loop.at_least, self.facts):
            return ceiling
        return self.atoms.extreme("max", (ceiling, number(loop.at_least)))

    def ended(self, loop: Loop) -> Poly | None:
        """The counter of a loop when its test fails, where that is a polynomial."""
        if not loop.exact_trip or loop.trip is None or len(loop.trip) != 1 or loop.trip[0].denominator != 1:
            return None
        trip = self._variance.canonical(loop.trip[0].numerator)
        if any(self._variance.moves(s) for s in trip.symbols):
            return None
        if is_nonnegative(trip, self.facts):
            return trip
        depends = any(isinstance(s.origin, Counter) for s in trip.symbols)
        return None if depends else self.atoms.extreme("max", (trip, number(0)))

    # --- conditions

    def when(
        self, scope: Scope, predicate: Predicate, place: Place, holds: bool, which: object = 0
    ) -> Scope:
        """The part of a scope where a condition holds, or does not hold."""
        path = (*scope.path, self._arm())
        cases = self._indicator(predicate, place, which)
        if cases is not None and not self.weights.are_shared(cases):
            cases = tuple(c for c in cases if not self._is_never(c, scope))
            chosen = cases if holds else _not(cases)
            assumed = scope.assumed or any(c.weight.constant is None for c in cases)
            joined = _product(scope.cases, chosen)
            if len(joined) > CASES:
                pass
            elif any(len(c.weight.terms) > TERMS for c in joined):
                return self._reached(scope, place, (which, holds), path)
            else:
                found = self._closed(scope.counters, joined, path, assumed)
                if found is not None:
                    return found
        alone = self.weights.at(Kind.BRANCH, place, which)
        p = symbol(alone)
        weighted = _product(scope.cases, (Case(p if holds else -p + 1),))
        if alone in self.weights.shared.values() or any(len(c.weight.terms) > TERMS for c in weighted):
            return self._reached(scope, place, (which, holds), path)
        return self._closed(scope.counters, weighted, path, True) or scope

    def _is_never(self, case: Case, scope: Scope) -> bool:
        """Whether no counter of the scope fulfils the case: `i < 0` for an i that counts up from 0."""
        if len(case.constraints) != 1 or not scope.cases:
            return False
        always = (c for c in scope.cases[0].constraints if all(c in other.constraints for other in scope.cases))
        inside = Region(scope.counters, (*self.facts.constraints, *always))
        return is_nonnegative(-case.constraints[0] - 1, inside)

    def _reached(self, scope: Scope, place: Place, which: object, path: Path) -> Scope:
        """Behind many conditions on data: one weight for all of them, how often this place is reached."""
        if not scope.cases:
            return replace(scope, path=path)  # never reached
        reached = self.weights.at(Kind.BRANCH, place, which)
        weight = symbol(reached)
        if reached in self.weights.shared.values() and len(scope.cases) == 1:
            (case,) = scope.cases
            cases = (Case(_times(case.weight, reached), case.constraints),)
            return self._closed(scope.counters, cases, path, True) or scope
        common = tuple(c for c in scope.cases[0].constraints if all(c in x.constraints for x in scope.cases))
        trips = [s for s in scope.cases[0].weight.symbols if s.kind is Kind.TRIP]
        for s in trips:
            weight = weight * symbol(s)
        return self._closed(scope.counters, (Case(weight, common),), path, True) or scope

    def partly(self, scope: Scope, place: Place) -> Scope:
        """What follows a place where control may leave on some path: run by a fraction of the iterations."""
        fraction = self.weights.at(Kind.EXIT, place)
        cases = tuple(Case(_times(c.weight, fraction), c.constraints) for c in scope.cases)
        return self._closed(scope.counters, cases, (*scope.path, self._arm()), True) or scope

    def _arm(self) -> Arm:
        self._arms += 1
        return Arm(self._arms)

    def _indicator(self, predicate: Predicate, place: Place, which: object) -> tuple[Case, ...] | None:
        match predicate:
            case Data():
                return (Case(symbol(self.weights.at(Kind.BRANCH, place, which))),)
            case Compare(value=value) if self._unusable(value) or self._is_data(value):
                return (Case(symbol(self.weights.at(Kind.BRANCH, place, which))),)
            case Compare(value=value, relation=relation):
                return _compare(self._variance.canonical(value), relation)
            case All(parts=parts) | Any(parts=parts):
                joined: tuple[Case, ...] = (Case(number(1)),)
                for part in parts:
                    inner = self._indicator(part, place, which)
                    if inner is None:
                        return None
                    joined = _product(joined, inner if isinstance(predicate, All) else _not(inner))
                    if len(joined) > CASES:
                        return None
                return joined if isinstance(predicate, All) else _not(joined)

    def _is_data(self, value: Poly) -> bool:
        """Whether a condition compares what is read from memory and may be negative: no size of the nest."""
        return any(
            isinstance(s.origin, Loaded) and (s.low is None or s.low < 0) and s not in self._variance.sizes
            for s in self._variance.canonical(value).symbols
        )

    def _unusable(self, poly: Poly) -> bool:
        return any(s in self._lost or self._variance.varies(s) for s in poly.symbols)

    # --- counting

    def _closed(
        self, counters: tuple[Symbol, ...], cases: tuple[Case, ...], path: Path, assumed: bool
    ) -> Scope | None:
        """The scope with its number of runs; None when there is no closed form."""
        pieces: list[Piece] = []
        try:
            for case in cases:
                region = Region(counters, case.constraints)
                pieces += total(region, Fractional(case.weight), self.atoms, self.facts)
        except NotClosedError:
            return None
        return Scope(counters, cases, tuple(pieces), path, assumed)


def _compare(value: Poly, relation: str) -> tuple[Case, ...]:
    match relation:
        case ">=":
            return (Case(number(1), (value,)),)
        case "==":
            return (Case(number(1), (value, -value)),)
        case _:
            return (Case(number(1)), Case(number(-1), (value, -value)))


def _within(counter: Poly, ratio: Ratio) -> Poly:
    """k < ceil(a / d) over the integers: a - 1 - d*k >= 0."""
    return ratio.numerator - 1 - counter * ratio.denominator


def either(a: tuple[Case, ...], b: tuple[Case, ...]) -> tuple[Case, ...]:
    """Where one of two indicators holds."""
    return _not(_product(_not(a), _not(b)))


def _not(cases: tuple[Case, ...]) -> tuple[Case, ...]:
    """1 - indicator."""
    return _merged((Case(number(1)), *(Case(-c.weight, c.constraints) for c in cases)))


def _product(a: tuple[Case, ...], b: tuple[Case, ...]) -> tuple[Case, ...]:
    return _merged(
        tuple(
            Case(_both(x.weight, y.weight), tuple(dict.fromkeys((*x.constraints, *y.constraints))))
            for x in a
            for y in b
        )
    )


def _times(weight: Poly, s: Symbol) -> Poly:
    """The weight times a symbol that it holds once at the most: a fraction, or what several loops share."""
    terms: dict[Monomial, int] = {}
    for monomial, c in weight.terms:
        more = monomial if s in monomial else tuple(sorted((*monomial, s), key=_key))
        terms[more] = terms.get(more, 0) + c
    return Poly.of(terms)


def _both(a: Poly, b: Poly) -> Poly:
    """The product of two weights, in which p*p is p for the weight of a condition: it holds or it does not."""
    if a.symbols.isdisjoint(b.symbols):
        return a * b
    terms: dict[Monomial, int] = {}
    for x, c in a.terms:
        for y, d in b.terms:
            more = tuple([s for s in y if s.high != 1 or s not in x])
            both = tuple(sorted(x + more, key=_key)) if x and more else x or more
            terms[both] = terms.get(both, 0) + c * d
    return Poly.of(terms)


def _merged(cases: tuple[Case, ...]) -> tuple[Case, ...]:
    """Cases with the same constraints together, those of weight 0 dropped."""
    if len(cases) == 1:
        return cases if cases[0].weight.terms else ()
    weights: dict[frozenset[Poly], Poly] = {}
    order: dict[frozenset[Poly], tuple[Poly, ...]] = {}
    for case in cases:
        key = frozenset(case.constraints)
        order.setdefault(key, case.constraints)
        weights[key] = weights.get(key, number(0)) + case.weight
    return tuple(Case(w, order[key]) for key, w in weights.items() if w.terms)
