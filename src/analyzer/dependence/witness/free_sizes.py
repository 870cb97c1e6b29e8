"""Computed values that are free sizes all the same: they may be as large as any.

*Decides*: for the bounds of the loops around two accesses, which of the symbols in them may have any value above 0,
although nobody can choose it: `for (i = 0; i < n / k; i++)` runs as often as it likes.
*Method*: such a symbol is all that its bound consists of, and occurs nowhere else; what is known of how it is made
lets it grow without end.
*Errs toward* none: truth values, the smaller of a size and 1, bounds of two such symbols, and what the function counted
in ways that nobody followed, where sizes say how far apart the accesses are.

    int m = n / k; for (i = 0; i < m; i++) s = s * x;      ->  m
    int m = n > k; for (i = 0; i < m; i++) s = s * x;      ->  none: m is 0 or 1
"""

from collections.abc import Iterable, Iterator
from itertools import chain

from ...access.accesses import Occurrence
from ...access.domains import says
from ...ir.nodes import (
    Computed,
    Counter,
    Either,
    Entry,
    Flipped,
    Kept,
    Loaded,
    Meaning,
    Outermost,
    Passed,
    Power,
    Quotient,
    Rest,
    Rounded,
    Scaled,
    Share,
    SizeOf,
    Steps,
    TrianglePlace,
    TriangleRow,
)
from ...ir.polynomials import Poly, Symbol
from ..scope import Scope

SMALLEST = 127
"""The largest value of the smallest type of which a value may be a size: not of a truth value."""


def free_sizes(scope: Scope, accesses: tuple[Occurrence, ...], values: Iterable[Poly]) -> frozenset[Symbol]:
    """The symbols that only bound the loops around the accesses and may be large. `values`: what else is asked of
    symbols (the differences of subscripts). Example: see the module."""
    values = tuple(values)
    bounds = [r.numerator for o in accesses for loop in o.loops for r in loop.trip or ()]
    alone = {s for s in map(_alone, bounds) if s is not None}
    mixed = (value for value in bounds if _alone(value) is None)
    tests = chain.from_iterable(map(_tested, accesses))
    elsewhere = {s for value in chain(mixed, tests, values) for s in value.symbols}
    beside_sizes = not all(isinstance(s.origin, Counter) for value in values for s in value.symbols)
    found = (s for s in alone - elsewhere if not scope.free(s) and _may_be_large(scope, s))
    return frozenset(s for s in found if not (beside_sizes and _is_counted(s)))


def _is_counted(s: Symbol) -> bool:
    """Whether the function made it in a way that nobody followed, so that it may be bounded by what sizes allow:
    `for (i = 0; i < n * n; i++) if (x[i]) m++;  for (k = 0; k < m; k++) y[k] = y[n * n + k];`."""
    match s.origin:
        case Entry() | Computed(meaning=None):
            return True
        case _:
            return False


def _alone(bound: Poly) -> Symbol | None:
    """n of `2*n + 1`."""
    match (bound - bound.constant_term).terms:
        case (((s,), c),) if c > 0:
            return s
        case _:
            return None


def _tested(o: Occurrence) -> Iterator[Poly]:
    """What the conditions around an access are about."""
    for found in map(says, o.guards):
        yield from (c.value for c in (*found.constraints, *chain(*chain(*found.choices))))


def _may_be_large(scope: Scope, s: Symbol) -> bool:
    if s.high is not None and s.high < SMALLEST:
        return False
    match s.origin:
        case Computed(loops=made_in, meaning=meaning):
            return scope.loop.key not in made_in and _allows(scope, meaning)
        case Entry(loops=made_in) | Loaded(loops=made_in):
            return scope.loop.key not in made_in or scope.free(s)
        case Quotient(value=value):
            return _grows(scope, value)
        case _:
            return scope.free(s)


def _allows(scope: Scope, meaning: Meaning | None) -> bool:
    """Whether what is known of how a value is made lets it be large."""
    match meaning:
        case Steps(distance=value) | Share(value=value) | TriangleRow(value=value) | TrianglePlace(value=value):
            return _grows(scope, value)
        case Outermost(kind="min", values=values):
            return all(_grows(scope, v) for v in values)
        case Outermost(values=values) | Either(values=values):
            return any(_grows(scope, v) and all(map(scope.free, v.symbols)) for v in values)
        case SizeOf() | Rest() | Flipped() | Power() | Scaled() | Passed() | Kept():
            return False
        case Rounded() | None:
            return True


def _grows(scope: Scope, value: Poly) -> bool:
    """Whether the value is large when its symbols are."""
    if value.constant is not None:
        return value.constant >= SMALLEST
    falls = any(c < 0 for monomial, c in value.terms if monomial)
    return not falls and all(_may_be_large(scope, s) for s in value.symbols)
