"""Satisfiability of affine constraints over integers.

    System     ::= Constraint* Choice*          -- all of them hold
    Constraint ::= Poly >= 0 | Poly == 0
    Choice     ::= (Constraint*)*               -- one of these alternatives holds

*Decides*: `feasible(system)`: EMPTY (no integers satisfy it), NONEMPTY (some do), or a reason why neither is known.
*Method*: integer equalities by Euclid's algorithm and inequalities by Fourier-Motzkin elimination with gcd tightening
(Pugh, "The Omega test", 1991, sections 2.1-2.3.1) in `elimination`; isl for the rest (`isl`). A product of symbols
is taken for a symbol of its own; what keeps such products together are the given constraints multiplied by symbols
that cannot be negative (Sherali and Adams' reformulation-linearisation, first level).
*Errs toward* POSSIBLE: only EMPTY and NONEMPTY are proofs; with products, NONEMPTY is never claimed.
*Does not handle*: quotients and remainders by non-constant divisors (they are plain symbols). Nothing is taken for
granted of sizes: that they are >= 0 is what `signs` adds.

    >>> i, n = symbol(...), symbol(...)
    >>> feasible(system(at_least(i), at_least(n - 1 - i), equal(i - n)))
    Feasibility.EMPTY
"""

from collections.abc import Iterable, Iterator
from enum import Enum
from itertools import chain

from msgspec import Struct, field

from models.expr.nodes import remembered

from ..base.places import Place
from ..ir.nodes import Computed, Quotient, Remainder
from ..ir.polynomials import Monomial, Poly, Symbol, symbol
from ..ir.symbols import Kind, derived


class Feasibility(Enum):
    """EMPTY and NONEMPTY are proofs; POSSIBLE: not shown empty (a relaxation has solutions); TOO_COMPLEX: the
    budget ended first."""

    EMPTY = "empty"
    NONEMPTY = "nonempty"
    POSSIBLE = "possible"
    TOO_COMPLEX = "too-complex"


class Constraint(Struct, frozen=True, cache_hash=True):
    """`value >= 0`, or `value == 0` when `equal`."""

    value: Poly
    equal: bool = False

    def __str__(self) -> str:
        return f"{self.value} {'=' if self.equal else '>='} 0"


Conjunction = tuple[Constraint, ...]
Choice = tuple[Conjunction, ...]


class System(Struct, frozen=True, cache_hash=True):
    """All `constraints` and one alternative of each of `choices`. `exact` is false when something that restricts the
    solutions was left out: then solutions prove nothing."""

    constraints: Conjunction = ()
    choices: tuple[Choice, ...] = ()
    exact: bool = True

    def __add__(self, other: "System") -> "System":
        return System(
            self.constraints + other.constraints, self.choices + other.choices, self.exact and other.exact
        )


def together(systems: Iterable[System]) -> System:
    """The system in which all of them hold."""
    every = tuple(systems)
    return System(
        tuple(chain.from_iterable(s.constraints for s in every)),
        tuple(chain.from_iterable(s.choices for s in every)),
        all(s.exact for s in every),
    )


RELAXED = System(exact=False)
"""No constraint at all, and known to be one too few."""


def at_least(value: Poly) -> Constraint:
    """value >= 0"""
    return Constraint(value)


def equal(value: Poly) -> Constraint:
    """value == 0"""
    return Constraint(value, True)


def system(*constraints: Constraint) -> System:
    return System(constraints)


def either(*alternatives: Conjunction) -> System:
    """The system in which one of the alternatives holds."""
    return System((), (alternatives,))


def holds(constraint: Constraint) -> bool | None:
    """Whether a constraint without symbols is true; None when it has symbols."""
    value = constraint.value.constant
    if value is None:
        return None
    return value == 0 if constraint.equal else value >= 0


def negated(constraint: Constraint) -> System:
    """The system of exactly the points where the constraint does not hold."""
    value = constraint.value
    if constraint.equal:
        return either((at_least(value - 1),), (at_least(-value - 1),))
    return system(at_least(-value - 1))


UNDECIDED = (Feasibility.NONEMPTY, Feasibility.POSSIBLE, Feasibility.TOO_COMPLEX)
"""What may be known of a system of which no part is empty: as little as of its worst part."""

MAX_BRANCHES = 64
"""Alternatives tried before a system counts as too complex."""


class Work(Struct):
    """What systems have cost so far, in eliminations: one that goes through many numbers counts as several, a call of
    isl as ISL_COST. Nothing is decided once `limit` of them are `done`. `known`: what was decided before."""

    done: int = 0
    limit: int = 1 << 62
    cells: int = 0
    """Numbers gone through that are not in `done` yet."""
    known: "dict[tuple[Conjunction, bool], Feasibility]" = field(default_factory=dict)

    @property
    def is_spent(self) -> bool:
        return self.done >= self.limit

    def spend(self, cells: int) -> None:
        """Adds what going through so many numbers costs."""
        self.cells += cells
        self.done += self.cells // CELLS
        self.cells %= CELLS


ISL_COST = 3

CELLS = 1000
"""Numbers in rows that cost as much as an elimination besides: three times as many as most go through."""

CHOICE_CELLS = 40
"""Such numbers that looking at a choice costs as much as: the cases of a long switch are as many choices."""


def feasible(wanted: System, work: Work | None = None) -> Feasibility:
    """Whether some integers satisfy the system; what that costs is added to `work`, and TOO_COMPLEX is said when that
    is spent. Raises nothing. Example: see the module."""
    from .parts import parts

    work = work or Work()
    choices = wanted.choices + truncation_cases(divisions(_all(wanted))).choices
    whole = System(wanted.constraints, choices)
    found = Feasibility.NONEMPTY if wanted.exact else Feasibility.POSSIBLE
    for part in parts(whole) if len(choices) > 1 else [whole]:
        result = _search(part.constraints, part.choices, work, min(work.done + MAX_BRANCHES, work.limit))
        if result is Feasibility.EMPTY:
            return result
        found = max(found, result, key=UNDECIDED.index)
    return found


def proves(context: System, constraint: Constraint, work: Work | None = None) -> bool:
    """Whether every solution of `context` satisfies `constraint`; false when `work` is spent before that is known."""
    if constraint in context.constraints or holds(constraint) is True:
        return True
    return feasible(context + negated(constraint), work) is Feasibility.EMPTY


def _search(constraints: Conjunction, choices: tuple[Choice, ...], work: Work, limit: int) -> Feasibility:
    """Depth first over the alternatives; a prefix that is already empty is not extended."""
    if choices:
        from .propagation import settled

        if work.is_spent:
            return Feasibility.TOO_COMPLEX
        work.spend(CHOICE_CELLS * len(choices))
        left = settled(constraints, choices)
        if left is None:
            return Feasibility.EMPTY
        constraints, choices = left
    found = _conjunction(constraints, work, complete=not choices)
    if found is Feasibility.EMPTY or not choices:
        return found
    results: set[Feasibility] = set()
    for alternative in choices[0]:
        if work.done > limit:
            return Feasibility.TOO_COMPLEX
        result = _search(constraints + alternative, choices[1:], work, limit)
        if result is Feasibility.NONEMPTY:
            return result
        results.add(result)
    for verdict in (Feasibility.TOO_COMPLEX, Feasibility.POSSIBLE):
        if verdict in results:
            return verdict
    return Feasibility.EMPTY


def _conjunction(constraints: Conjunction, work: Work, complete: bool) -> Feasibility:
    """`complete`: nothing is to be added, so that an answer is worth the exact method."""
    key = (constraints, complete)
    found = work.known.get(key)
    if found is None:
        if work.is_spent:
            return Feasibility.TOO_COMPLEX
        found = work.known[key] = _decided(constraints, work, complete)
    return found


def _decided(constraints: Conjunction, work: Work, complete: bool) -> Feasibility:
    from .elimination import eliminate

    work.done += 1
    truths = [holds(c) for c in constraints]
    if False in truths:
        return Feasibility.EMPTY
    kept = tuple(dict.fromkeys(c for c, truth in zip(constraints, truths, strict=True) if truth is None))
    defined = (*kept, *_definitions(kept))
    rows = (*defined, *_ranges(defined))
    products = {m for c in rows for m, _ in c.value.terms if len(m) > 1}
    found = eliminate(rows, work)
    if products and found is not Feasibility.EMPTY:
        rows += tuple(_multiplied(rows, products, work))
        found = eliminate(rows, work)
        work.done += 1
    if found is Feasibility.POSSIBLE and complete and not products:
        from .isl import is_empty

        found = is_empty(rows)
        work.done += ISL_COST
    return Feasibility.POSSIBLE if products and found is Feasibility.NONEMPTY else found


LARGE = 1 << 20
"""Bounds of this size are limits of wide types; they matter only to constraints that hold numbers as large."""


def _ranges(constraints: Conjunction) -> Iterator[Constraint]:
    """What the types of the symbols say of their values."""
    large = any(abs(c) >= LARGE for constraint in constraints for _, c in constraint.value.terms)
    for s in _symbols(constraints):
        if s.low is not None and (large or abs(s.low) < LARGE):
            yield at_least(symbol(s) - s.low)
        if s.high is not None and (large or abs(s.high) < LARGE):
            yield at_least(-symbol(s) + s.high)


# --- quotients and remainders


def _definitions(constraints: Iterable[Constraint]) -> Iterator[Constraint]:
    """The defining inequalities of every quotient and remainder in the constraints, and of those inside them.

    For C's truncating division only `|value - divisor * quotient| < divisor` is stated here, which holds for either
    sign; the exact cases are `truncation_cases`."""
    for s in divisions(constraints):
        yield from definition(s)


def symbols_of(wanted: System) -> frozenset[Symbol]:
    """The symbols of a system, and those that its quotients and remainders are made of."""
    return frozenset().union(*[made_of(c.value) for c in _all(wanted)])


@remembered("_made_of")
def made_of(value: Poly) -> frozenset[Symbol]:
    """The symbols of a value, and those that its quotients and remainders are made of."""
    return _symbols((Constraint(value), *_definitions((Constraint(value),))))


def _all(wanted: System) -> Conjunction:
    return (*wanted.constraints, *chain.from_iterable(chain.from_iterable(wanted.choices)))


def divisions(constraints: Iterable[Constraint]) -> list[Symbol]:
    """The quotients and remainders in constraints, and those that they are made of, by their keys."""
    return sorted(frozenset().union(*[_divisions(c.value) for c in constraints]), key=lambda s: s.key)


@remembered("_divisions")
def _divisions(value: Poly) -> frozenset[Symbol]:
    divided = {s: s.origin.value for s in value.symbols if isinstance(s.origin, Quotient | Remainder)}
    return frozenset(divided).union(*map(_divisions, divided.values()))


def _symbols(constraints: Iterable[Constraint]) -> frozenset[Symbol]:
    return frozenset().union(*[c.value.symbols for c in constraints])


def definition(s: Symbol) -> Conjunction:
    """Constraints that every value of a quotient symbol satisfies; none for other symbols.

    A remainder r of v by d is written through a hidden quotient, so that `v == d * q + r` stays linear."""
    match s.origin:
        case Quotient(value=value, divisor=d, floor=floor):
            rest = value - symbol(s) * d
            low = 0 if floor else 1 - d
            return (at_least(rest - low), at_least(-rest + (d - 1)))
        case Remainder(value=value, divisor=d, floor=floor):
            low = 0 if floor else 1 - d
            quotient = hidden_quotient(s)
            return (
                equal(value - symbol(quotient) * d - symbol(s)),
                at_least(symbol(s) - low),
                at_least(-symbol(s) + (d - 1)),
            )
        case _:
            return ()


def hidden_quotient(remainder: Symbol) -> Symbol:
    """The quotient that belongs to a remainder: one fixed symbol per remainder."""
    return derived(Kind.QUOTIENT, remainder, Computed("quotient", Place("", 0)), f"{remainder.name}'")


def truncation_cases(symbols: Iterable[Symbol]) -> System:
    """For truncating quotients and remainders: the sign of the rest follows the sign of the value."""
    total = System()
    for s in symbols:
        match s.origin:
            case Quotient(value=value, divisor=d, floor=False):
                rest = value - symbol(s) * d
            case Remainder(value=value, floor=False):
                rest = symbol(s)
            case _:
                continue
        total += either((at_least(value), at_least(rest)), (at_least(-value - 1), at_least(-rest)))
    return total


# --- products

MAX_PRODUCT_ROWS = 60


def _multiplied(rows: Conjunction, products: set[Monomial], work: Work) -> Iterator[Constraint]:
    """Constraints times symbols that cannot be negative, where the result speaks of products that occur.

    Example: from `d >= 1` and `n >= 0` follows `d*n - n >= 0`, which is what separates the rows of `a[i*n + j]`. Of a
    symbol that is >= 1, what is beyond that is the factor."""
    factors = {s for m in products for s in m}
    wanted = set(products)
    for m in products:  # the products inside a longer product serve as symbols on the way to it
        wanted.update(tuple(s for k, s in enumerate(m) if k != skip) for skip in range(len(m)) if len(m) > 2)
    others = {s: {_without_one(m, s) for m in wanted if s in m} for s in factors}
    signs: dict[Symbol, int | None] = {}
    made: dict[Constraint, None] = {}
    squared = sorted({s for m in products for s in m if m.count(s) > 1}, key=lambda s: s.key)
    frontier = [*rows, *(at_least(symbol(s) - 1) for s in squared if _is_positive(s, rows, work))]
    for _ in range(max(len(m) for m in products) - 1):
        fresh: list[Constraint] = []
        for row in frontier:
            monomials = [m for m, _ in row.value.terms if m]
            for s in factors if monomials else ():
                if not others[s].issuperset(monomials):
                    continue  # the result would speak of products that do not occur
                if s not in signs:
                    signs[s] = _sign(s, rows, work)
                if signs[s] is not None or row.equal:
                    factor = symbol(s) - max(0, s.low or 0) if signs[s] == 1 else symbol(s) * (signs[s] or 1)
                    fresh.append(Constraint(row.value * factor, row.equal))
        frontier = [c for c in dict.fromkeys(fresh) if c not in made][:MAX_PRODUCT_ROWS]
        made.update(dict.fromkeys(frontier))
    yield from made


def _is_positive(s: Symbol, rows: Conjunction, work: Work) -> bool:
    """Whether the linear rows imply s >= 1, although its own bounds do not."""
    from .elimination import eliminate

    if s.low is None or s.low > 0:
        return False
    linear = tuple(c for c in rows if c.value.is_affine)
    return eliminate((*linear, at_least(-symbol(s))), work) is Feasibility.EMPTY


def _without_one(monomial: Monomial, s: Symbol) -> Monomial:
    at = monomial.index(s)
    return (*monomial[:at], *monomial[at + 1 :])


def _sign(s: Symbol, rows: Conjunction, work: Work) -> int | None:
    """1 when the linear rows imply s >= 0, -1 when they imply s <= 0, None when neither."""
    if s.low is not None and s.low >= 0:
        return 1
    from .elimination import eliminate

    linear = tuple(c for c in rows if c.value.is_affine)
    for sign in (1, -1):
        bounded = any(m == (s,) and (c.equal or x * sign > 0) for c in linear for m, x in c.value.terms)
        if bounded and eliminate((*linear, at_least(symbol(s) * -sign - 1)), work) is Feasibility.EMPTY:
            return sign
    return None
