"""What follows from two subscripts being equal that are no sums: remainders by one size, and partners by one mask.

*Decides*: whether `a[(i + k) % n]`, or `a[i ^ j]` beside `a[i]`, can be one element in two iterations.
*Method*: equal remainders by n differ by a multiple of n before; from `i ^ j == k` follows `k ^ j == i`, and from
`i ^ j == k ^ j` follows `i == k`. *Errs toward* nothing that follows.

    for (i = 0; i < n; i++) b[(i + k) % n] = a[i];                            ->  i moves by less than n: never equal
    for (i = 0; i < n; i++) { p = i ^ j; if (i < p) swap(&a[i], &a[p]); }     ->  of two partners one has the smaller p
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from ..ir.nodes import Computed, Flipped, Remainder, Rest
from ..ir.polynomials import Poly, Symbol, number, symbol
from ..polyhedra.system import Feasibility, System, at_least, equal
from .ordering import never_zero

Feasible = Callable[[System], Feasibility]


def never_equal(differences: Iterable[Poly], given: System, distance: Symbol, feasible: Feasible) -> bool:
    """Whether no iterations make all these differences of subscripts 0. `given`: what holds in the two iterations.
    Example: see the module."""
    meets = tuple(equal(d) for d in differences)
    found = [_parted(d) for d in differences]
    if any(part is not None and _remainders_differ(*part, given, distance, feasible) for part in found):
        return True
    known = tuple(chain.from_iterable(_partners(d, _symbols(given, differences)) for d in differences))
    return bool(known) and feasible(given + System(meets) + System(tuple(map(equal, known)))) is Feasibility.EMPTY


def _parted(difference: Poly) -> tuple[Poly, Poly] | None:
    """The values of which the remainders are compared, as a difference, and what they are divided by."""
    match difference.terms:
        case (((a,), x), ((b,), y)) if (x, y) in ((1, -1), (-1, 1)):
            first, second = _division(a), _division(b)
            if first is None or second is None or first[1] != second[1] or first[2] != second[2]:
                return None
            return first[0] - second[0], first[1]
        case _:
            return None


def _division(s: Symbol) -> tuple[Poly, Poly, bool] | None:
    match s.origin:
        case Computed(meaning=Rest(value=value, divisor=divisor)):
            return value, divisor, False
        case Remainder(value=value, divisor=divisor, floor=floor):
            return value, number(divisor), floor
        case _:
            return None


def _remainders_differ(gap: Poly, divisor: Poly, given: System, distance: Symbol, feasible: Feasible) -> bool:
    """Whether two values are different, and differ by less than the divisor."""
    if not never_zero(gap, distance) and feasible(given + System((equal(gap),))) is not Feasibility.EMPTY:
        return False
    return all(
        feasible(given + System((at_least(side - divisor),))) is Feasibility.EMPTY for side in (gap, -gap)
    )


def _symbols(given: System, differences: Iterable[Poly]) -> frozenset[Symbol]:
    constraints = chain(given.constraints, *chain(*given.choices))
    values = (*differences, *(c.value for c in constraints))
    return frozenset(s for value in values for s in value.symbols)


def _partners(difference: Poly, known: frozenset[Symbol]) -> Iterator[Poly]:
    """What is 0 as well where a difference with partners in it is."""
    for monomial, factor in difference.terms:
        if len(monomial) != 1 or factor not in (1, -1):
            continue
        partner = _partner(monomial[0])
        if partner is None:
            continue
        value, mask = partner
        other = (symbol(monomial[0]) * factor - difference) * factor  # what it equals
        for s in known:
            back = _partner(s)
            if back is not None and back == (other, mask):
                yield symbol(s) - value
            if back is not None and back[1] == mask and other == symbol(s):
                yield back[0] - value


def _partner(s: Symbol) -> tuple[Poly, Poly] | None:
    match s.origin:
        case Computed(meaning=Flipped(value=value, divisor=mask)):
            return value, mask
        case _:
            return None
