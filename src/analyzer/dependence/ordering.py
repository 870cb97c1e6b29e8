"""The order in which one iteration, or two of them, access an element.

*Decides*: whether some write of an iteration may reach an element before (after) another access of it does, and whether
two accesses of different iterations may meet at all.
*Errs toward* that they may.
"""

from collections.abc import Iterable

from ..access.accesses import Occurrence
from ..access.subscripts import disjoint_bytes, fit_together, same_shape
from ..ir.members import element_part
from ..ir.polynomials import Poly, Symbol, number, symbol
from ..memory.alias import Overlap
from ..polyhedra.system import Constraint, Feasibility, System, at_least, either, equal
from .iterations import ALSO
from .scope import Scope

EVERYWHERE = System()
NOWHERE = System((at_least(number(-1)),))


def may_write_before(
    scope: Scope, read: Occurrence, side: int, writes: Iterable[Occurrence], extra: System = EVERYWHERE
) -> bool:
    """Whether one of the writes may, in the same iteration, reach the element before this read does."""
    return any(_may_meet(scope, write, read, side, extra, before=True) for write in writes)


def may_write_again(scope: Scope, write: Occurrence, side: int) -> bool:
    """Whether a write of the same iteration may overwrite what this one wrote."""
    return any(_may_meet(scope, other, write, side, EVERYWHERE, before=False) for other in scope.writes)


def _may_meet(scope: Scope, write: Occurrence, other: Occurrence, side: int, extra: System, before: bool) -> bool:
    """Whether a write may touch the element of another access of the same iteration, before or after that."""
    order = _order(scope, write, other, side, before)
    if order is None:
        return False
    match scope.overlap(write.access, other.access).overlap:
        case Overlap.DISTINCT | Overlap.ASSUMED:
            return False
        case Overlap.UNKNOWN:
            return True
        case Overlap.SAME:
            gap = _gap(scope, write, side + ALSO, other, side)
            around = scope.domain(write, side + ALSO) + scope.domain(other, side) + order + extra
            return gap is None or scope.feasible(around + gap) is not Feasibility.EMPTY


def _order(scope: Scope, write: Occurrence, other: Occurrence, side: int, before: bool) -> System | None:
    """The iterations of the inner loops around both in which the write comes before (after) the other access, in the
    order of the program; None when there are none."""
    sign = 1 if before else -1
    alternatives: list[tuple[Constraint, ...]] = []
    equal_so_far: tuple[Constraint, ...] = ()
    depth = scope.level(write) + 1
    for mine, its in zip(write.loops[depth:], other.loops[depth:], strict=False):
        if mine.key != its.key:
            break
        counter = symbol(mine.counter)
        gap = scope.rename(counter, side) - scope.rename(counter, side + ALSO)
        alternatives.append((*equal_so_far, at_least(gap * sign - 1)))
        equal_so_far = (*equal_so_far, equal(gap))
    if (other.position - write.position) * sign > 0:
        alternatives.append(equal_so_far)
    return either(*alternatives) if alternatives else None


def _gap(scope: Scope, write: Occurrence, write_side: int, read: Occurrence, read_side: int) -> System | None:
    """The constraints under which a write meets a read of the same object; None where that cannot be said."""
    a, b = write.access, read.access
    if len(a.subscripts) != len(b.subscripts):
        return None
    if disjoint_bytes(a, b) and same_shape(a.subscripts, b.subscripts) and fit_together(a, b):
        return NOWHERE
    differences = tuple(
        equal(scope.rename(x.index, write_side) - scope.rename(y.index, read_side))
        for x, y in zip(a.subscripts, b.subscripts, strict=True)
    )
    return System(differences) if same_shape(element_part(a), element_part(b)) else None


def meeting(scope: Scope, a: Occurrence, a_side: int, b: Occurrence, b_side: int) -> Feasibility:
    """Whether two accesses to one object may touch the same element: in two iterations (EARLIER, LATER), or in one
    (EARLIER, EARLIER + ALSO), whatever inner loops do in between."""
    gap = _gap(scope, a, a_side, b, b_side)
    if gap is None:
        return Feasibility.POSSIBLE
    if any(never_zero(c.value, scope.distance) for c in gap.constraints):
        return Feasibility.EMPTY
    return scope.feasible(scope.domain(a, a_side) + scope.domain(b, b_side) + gap)


def never_zero(difference: Poly, distance: Symbol) -> bool:
    """Whether `difference` is not 0 for any distance >= 1, when it is a*distance + b with numbers a, b."""
    known = difference.constant
    if known is not None:
        return known != 0
    if not difference.symbols <= {distance} or not difference.is_affine:
        return False
    a = difference.coefficient(distance).constant or 0
    b = difference.constant_term
    return b % a != 0 or -b // a < 1
