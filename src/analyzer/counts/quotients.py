"""Quotients and remainders of loop counters in conditions, replaced by linear constraints.

    j <= i / 2    is    2*j <= i                     exactly, for i >= 0
    i % 3 == 0    says nothing linear of i           every i, and more than there are

*Decides*: linear constraints that hold wherever the given ones do. *Method*, for a quotient q of v by d and an
integer r:

    q + r >= 0   <=>   v + d*r >= 0                    -q + r >= 0   <=>   d*r - v + d - 1 >= 0

with other factors of q only `=>`, as v - d + 1 <= d*q <= v; a remainder lies between 0 and d - 1. C's truncating
division is the same where v >= 0, and else rounds up: v - d + 1 <= d*q <= v + d - 1.
*Errs toward* more points, and says so."""

from ..ir.nodes import Quotient, Remainder
from ..ir.polynomials import Poly, Symbol, number
from ..polyhedra.signs import Region, rounds_down
from ..polyhedra.system import definition


def without_quotients(region: Region) -> tuple[Region, bool]:
    """A region without quotients and remainders of its counters around the given one; and whether it is the same.

    >>> without_quotients(Region((i, j), (i, 99 - i, j, floor(i / 2) - j)))
    (Region((i, j), (i, 99 - i, j, i - 2*j)), True)
    """
    counters = frozenset(region.counters)
    if not any(_follows(s, counters) for c in region.constraints for s in c.symbols):
        return region, True
    plain = (c for c in region.constraints if not any(_follows(s, counters) for s in c.symbols))
    known = Region(region.counters, tuple(plain))
    found = [_linear(c, counters, known) for c in region.constraints]
    return Region(region.counters, tuple(dict.fromkeys(c for c, _ in found))), all(same for _, same in found)


def with_quotients(facts: Region, region: Region, index: Poly) -> Region:
    """The points of a region in which `facts` hold, with what is known of quotients of sizes there and in a subscript:
    2*(width/2) is at least width - 1."""
    symbols = index.symbols.union(*(c.symbols for c in region.constraints))
    quotients = sorted((s for s in symbols if isinstance(s.origin, Quotient)), key=lambda s: s.key)
    known = [c.value for s in quotients for c in definition(s)]
    return facts.around(region.counters, (*region.constraints, *known))


def _follows(s: Symbol, counters: frozenset[Symbol]) -> bool:
    match s.origin:
        case Quotient(value=value) | Remainder(value=value):
            return any(t in counters or _follows(t, counters) for t in value.symbols)
        case _:
            return False


def _linear(condition: Poly, counters: frozenset[Symbol], known: Region) -> tuple[Poly, bool]:
    """What the condition says without its quotients, one after the other; and whether that is all of it."""
    same = True
    while (s := next((s for s in condition.symbols if _follows(s, counters)), None)) is not None:
        factor, rest = condition.coefficient(s).constant, condition.without(s)
        if factor is None or s in rest.symbols:
            return number(0), False
        match s.origin:
            case Quotient(value=value, divisor=d):
                down = rounds_down(s.origin, known)
                largest = value if down else value + (d - 1)
                condition = (largest if factor > 0 else value - (d - 1)) * factor + rest * d
                same = same and down and abs(factor) == 1
            case Remainder(divisor=d):
                least = 0 if rounds_down(s.origin, known) else 1 - d
                condition, same = rest + (d - 1 if factor > 0 else least) * factor, False
            case _:
                return number(0), False
    return condition, same
