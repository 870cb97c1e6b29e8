"""Subscripts with products of sizes and counters, `a[i*m + j]` against `a[j]`: apart for `i == 0` as for `i >= 1`.

*Decides*: that two accesses never meet, where products of symbols are what keeps them apart.
*Method*: lower bounds of the factors, multiplied (Sherali and Adams' reformulation-linearisation, second level): from
`i >= a` and `m >= b` follows `(i - a)*(m - b) >= 0`. Where that is not enough, for each factor in turn: it is 0, at
least 1, or at most -1, and in none of these cases they meet. Of an outer loop that counts down, the value that its
variable has is the factor, not the number of the iteration.
*Errs toward* meeting. *Does not handle*: several factors told apart at once.

    for (j = 0; j < m; j++) a[i*m + j] = a[j];      ->  i == 0: the same element; i >= 1: i*m + j >= m > j
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations

from msgspec.structs import replace

from ..ir.nodes import Loop, Quotient, Remainder
from ..ir.polynomials import Poly, Symbol, number, symbol
from ..ir.symbols import Kind, derived, division
from ..polyhedra.system import Conjunction, Constraint, Feasibility, System, Work, at_least, equal, proves

MOST_FACTORS = 4


def apart_by_cases(
    around: System,
    meets: System,
    outer: Iterable[Loop],
    feasible: Callable[[System], Feasibility],
    work: Work,
    bounds: dict[Symbol, Poly | None],
) -> bool:
    """Whether `meets` cannot hold in `around`, inside the loops `outer`; what that costs is added to `work`, and no is
    said when it is spent. `bounds`: what is found out of symbols in `around`, kept for the next question. Example: see
    the module."""
    products = _products(meets) or _products(around)
    if not products:
        return False
    values = dict(_counting_down(outer))
    around, meets = _substituted(around, values), _substituted(meets, values)
    products = _products(meets) or _products(around)
    factors = sorted({s for m in products for s in m}, key=lambda s: s.key)
    if len(factors) > MOST_FACTORS:
        return False
    bounds |= {s: _bound(around, s, work) for s in factors if s not in bounds}
    known = {s: bound for s in factors if (bound := bounds[s]) is not None}

    def empty(case: Constraint | None, bounds: Mapping[Symbol, Poly]) -> bool:
        rows = System((*([case] if case else ()), *_multiplied(products, bounds)))
        return feasible(around + meets + rows) is Feasibility.EMPTY

    def empty_by_sign(s: Symbol) -> bool:
        signs = (symbol(s) - 1, *(() if s in known else (-symbol(s) - 1,)))
        return empty(equal(symbol(s)), known) and all(empty(at_least(b), {**known, s: b}) for b in signs)

    undecided = (s for s in factors if known.get(s, symbol(s)) == symbol(s))
    return empty(None, known) or any(empty_by_sign(s) for s in undecided)


def _products(system: System) -> set[tuple[Symbol, ...]]:
    """The products of symbols in what it says."""
    return {m for c in _every(system) for m, _ in c.value.terms if len(m) > 1}


def _every(system: System) -> Iterator[Constraint]:
    """The constraints, and those of all alternatives."""
    yield from system.constraints
    yield from (c for choice in system.choices for alternative in choice for c in alternative)


def _bound(around: System, s: Symbol, work: Work) -> Poly | None:
    """s - 2, s - 1 or s, the first of them that surely is not negative."""
    return next((b for b in (symbol(s) - 2, symbol(s) - 1, symbol(s)) if proves(around, at_least(b), work)), None)


def _multiplied(products: set[tuple[Symbol, ...]], bounds: Mapping[Symbol, Poly]) -> Iterator[Constraint]:
    """The bounds of the factors, and for each product of them, whole or in part, the product of their bounds."""
    parts = {part for p in products for size in range(2, len(p) + 1) for part in combinations(p, size)}
    yield from (at_least(bound) for bound in bounds.values())
    for part in sorted(parts, key=lambda part: [s.key for s in part]):
        if all(s in bounds for s in part):
            value = number(1)
            for s in part:
                value *= bounds[s]
            yield at_least(value)


def counted_from_below(system: System, loop: Loop, earlier: Symbol, distance: Symbol) -> System | None:
    """The same, of a loop that counts down and in which counters are divided or multiplied, by the value of its
    variable in the later iteration, the smaller one, in place of the counter in the `earlier` one: `i * (i + 1) / 2`
    of an i that goes down grows with that value. None for other loops."""
    value = dict(_counting_down((loop,))).get(loop.counter)
    if value is None:
        return None
    divided = any(isinstance(s.origin, Quotient | Remainder) for c in _every(system) for s in c.value.symbols)
    return _substituted(system, {earlier: value - symbol(distance)}) if divided or _products(system) else None


def _counting_down(loops: Iterable[Loop]) -> Iterator[tuple[Symbol, Poly]]:
    """The counter of each loop that counts down, by the value of its variable."""
    for loop in loops:
        if loop.step is not None and loop.step.constant == -1 and loop.first is not None:
            value = derived(Kind.VARIABLE, loop.counter, loop.counter.origin, str(loop.variable))
            yield loop.counter, loop.first - symbol(value)


def _substituted(system: System, values: Mapping[Symbol, Poly]) -> System:
    if not values:
        return system
    images = {**values, **dict(_divisions(system, values))}

    def put(constraints: Conjunction) -> Conjunction:
        return tuple(replace(c, value=c.value.substitute(images)) for c in constraints)

    choices = tuple(tuple(put(a) for a in choice) for choice in system.choices)
    return System(put(system.constraints), choices, system.exact)


def _divisions(system: System, values: Mapping[Symbol, Poly]) -> Iterator[tuple[Symbol, Poly]]:
    """The quotients and remainders of which a dividend is another one then."""
    for s in {s for c in _every(system) for s in c.value.symbols}:
        match s.origin:
            case Quotient(value=value) | Remainder(value=value) if not values.keys().isdisjoint(value.symbols):
                origin = replace(s.origin, value=value.substitute(dict(values)))
                yield s, symbol(division(s, origin, isinstance(origin, Remainder)))
            case _:
                pass
