"""Places counted from the far end of an array, that are to lie behind those counted from its beginning.

*Decides*: which size has to be large enough for what a loop does at one end of a dimension to be apart from what it
does at the other end.
*Errs toward* none: only of places that are as far from the end as the loop goes (`u[n - g + i]` with i < g, `u[n - 1 -
i]`), which the code means to be at an end: `u[i + k]` may be the next one.

    for (i < g) { u[i] = u[n - 2*g + i];  u[n - g + i] = u[g + i]; }      ->  at-least(n>=3*g)
    for (i < g) { u[i] *= w[i];  u[n - 1 - i] *= w[i]; }                  ->  at-least(n+1>=2*g)
"""

from collections.abc import Iterator

from msgspec import Struct

from ..access.accesses import Occurrence
from ..access.domains import domain
from ..access.subscripts import subscripts
from ..facts.loop import Assumption
from ..ir.polynomials import Poly
from ..ir.reasons import AssumptionKind
from ..polyhedra.loop_bounds import extremes
from ..polyhedra.system import Feasibility, System, at_least, proves, system
from .iterations import EARLIER
from .scope import Scope
from .size_names import side_by_side


class FarEnd(Struct, frozen=True):
    """That one end is `large` enough for the places there not to be as low as `small` says; with the names of both."""

    large: str
    small: str
    spare: Poly
    line: int

    @property
    def condition(self) -> Assumption:
        return Assumption(AssumptionKind.AT_LEAST, f"{self.large}>={self.small}", self.line)

    @property
    def says(self) -> System:
        return system(at_least(self.spare))


def far_ends(scope: Scope, source: Occurrence, sink: Occurrence) -> Iterator[FarEnd]:
    """What is asked of sizes, for each dimension in which one of the two is at the far end. Example: see the module."""
    places = list(zip(subscripts(source.access), subscripts(sink.access), strict=False))
    for a, b in places:
        for (far, at), (near, beside) in (((a, source), (b, sink)), ((b, sink), (a, source))):
            first, last = _end(scope, far, at, -1), _end(scope, near, beside, 1)
            if first is None or last is None or not _is_from_the_end(scope, first, last, at):
                continue
            for spare in _wanted(scope, first - last, a + b):
                names = side_by_side(scope, *spare.sides)
                known = scope.domain(source, EARLIER) + system(at_least(spare))
                if None not in names and scope.feasible(known) is not Feasibility.EMPTY:
                    yield FarEnd(str(names[0]), str(names[1]), spare, source.line)


def _wanted(scope: Scope, distance: Poly, both: Poly) -> tuple[Poly, ...]:
    """What has to be positive or 0 for the two ends to be that far apart. Where each iteration is as far from one end
    as from the other, its own two places may be one in the middle: `u[i]`, `u[n - 1 - i]` with 2*g = n + 1."""
    mirrored = not any(map(scope.varies, both.symbols))
    return (distance, distance - 1) if mirrored else (distance - 1,)


def _end(scope: Scope, place: Poly, o: Occurrence, sign: int) -> Poly | None:
    """How far the iterations of the loop go in one direction."""
    for end in extremes(place, o.loops[scope.level(o) :], sign):
        known = all(proves(domain(o), c) for c in end.given)
        if known and not any(map(scope.varies, end.value.symbols)):
            return end.value
    return None


def _is_from_the_end(scope: Scope, first: Poly, last: Poly, o: Occurrence) -> bool:
    """Whether a place is some size less as many as the iterations reach, and the other one is not beside that size."""
    trips = {s for loop in o.loops[scope.level(o) :] for ratio in loop.trip or () for s in ratio.numerator.symbols}
    sizes = {m: c for m, c in first.terms if m}
    ends = [m for m, c in sizes.items() if c > 0 and not trips.intersection(m) and m not in dict(last.terms)]
    return bool(ends) and any(c < 0 and trips.intersection(m) for m, c in sizes.items())
