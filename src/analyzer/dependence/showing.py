"""Whether a dependence that could not be disproved certainly exists for some sizes.

*Decides*: that two accesses are surely evaluated, meet in different iterations for some sizes within the declared
extents, and that the order of the two shows: what is read was not written before by its own iteration, what is
overwritten was its iteration's last word, and the two values differ.
*Method*: feasibility of the exact system; for the rest, that no other write of the same iteration can interfere.
*Errs toward* not shown.
"""

from msgspec import Struct
from msgspec.structs import replace

from ..loops.ir import (
    Convert,
    Counter,
    Data,
    Entry,
    Exit,
    Expression,
    Literal,
    Loaded,
    Loop,
    statements,
)
from ..polyhedra.poly import ZERO, Poly, Symbol, number, symbol
from ..polyhedra.system import Constraint, Feasibility, System, at_least, either, equal
from .alias import Overlap
from .occurrences import Occurrence
from .scope import ALSO, EARLIER, LATER, Scope, condition, running, used_values
from .shapes import element_part, extent_constraints, same_shape


class Meeting(Struct, frozen=True):
    """Two accesses of one shape to one object; `differences` of their subscripts are 0 where they meet."""

    scope: Scope
    source: Occurrence
    sink: Occurrence
    differences: tuple[Poly, ...]

    def shown(self) -> bool:
        """Whether they certainly meet, in iterations whose order matters."""
        if not self.certain() or self.same_value():
            return False
        return any(self.exists(extra) and self.uncovered(extra) for extra in (System(), self.first_instance()))

    def distance(self) -> str:
        """The distance, when one subscript alone fixes it: a number or a formula in invariant symbols; 1 for one
        element that every iteration touches; else `*`."""
        return constant_distance(self.differences, self.scope)

    def certain(self) -> bool:
        """Whether both accesses are surely evaluated in the iterations that the constraints describe."""
        loop = self.scope.loop
        if any(isinstance(s, Exit) for s in statements(loop.body)) or self.source.access.bits or self.sink.access.bits:
            return False
        if self.source.test or self.sink.test:
            return False
        symbols = {s for o in (self.source, self.sink) for value in used_values(o) for s in value.symbols}
        return all(self.scope.free(s) for s in symbols) and _different_names(symbols)

    def first_instance(self) -> System:
        """The access that reads (or writes first) in the first iterations of its inner loops: before it, little has
        happened in its iteration."""
        o, side = (self.sink, LATER) if self.source.write else (self.source, EARLIER)
        depth = [outer.key for outer in o.loops].index(self.scope.loop.key)
        counters = (self.scope.rename(symbol(loop.counter), side) for loop in o.loops[depth + 1 :])
        return System(tuple(equal(c) for c in counters))

    def uncovered(self, extra: System) -> bool:
        """Whether what is read (if anything is) surely was not written before by the iteration that reads it, and what
        only is overwritten was the last word of both iterations."""
        sides = ((self.source, EARLIER), (self.sink, LATER))
        if self.source.write and self.sink.write:
            return not any(may_write_again(self.scope, o, side) for o, side in sides)
        return not any(may_write_before(self.scope, o, side, extra) for o, side in sides if not o.write)

    def same_value(self) -> bool:
        """Whether both store what may be the same value: then no order can be told from another."""
        x, y = self.source.stored, self.sink.stored
        return x is not None and y is not None and self.scope.repeats(x) and self.scope.repeats(y) and _alike(x, y)

    def exists(self, extra: System) -> bool:
        """Whether the two meet for some sizes (symbols are not negative), inside the declared extents. Products with
        the distance vanish when it is fixed, so distance 1 is tried on its own."""
        inside: list[Constraint] = []
        for o, side in ((self.source, EARLIER), (self.sink, LATER)):
            for s in element_part(o.access):
                inside += [replace(c, value=self.scope.rename(c.value, side)) for c in extent_constraints(s)]
        sizes = {s for o in (self.source, self.sink) for value in used_values(o) for s in value.symbols}
        inside += [at_least(symbol(s)) for s in sizes if isinstance(s.origin, Entry | Loaded)]
        base = self.scope.domain(self.source, EARLIER) + self.scope.domain(self.sink, LATER)
        wanted = base + extra + System(tuple(inside)) + System(tuple(equal(d) for d in self.differences))
        wanted = replace(wanted, exact=reached(self.source, self.scope.loop) and reached(self.sink, self.scope.loop))
        wanted += first_iterations(self.source, self.scope.loop)
        found = self.scope.feasible(wanted)
        if found is Feasibility.POSSIBLE and wanted.exact:
            found = self.scope.feasible(_at_distance(wanted, self.scope.distance, 1))
        return found is Feasibility.NONEMPTY


def reached(o: Occurrence, loop: Loop) -> bool:
    """Whether the constraints say exactly when the access is evaluated, once the loop runs at all: data may decide
    whether the loop is reached, but not what its body does."""
    depth = [outer.key for outer in o.loops].index(loop.key)
    inner = sum((running(each) for each in o.loops[depth:]), System())
    guards = (condition(g.predicate) for g in o.guards if g.depth > depth or not isinstance(g.predicate, Data))
    return inner.exact and all(g.exact for g in guards)


def first_iterations(o: Occurrence, loop: Loop) -> System:
    """Outer loops whose number of iterations is not known run at least once: that is the iteration looked at."""
    depth = [outer.key for outer in o.loops].index(loop.key)
    unknown = (outer for outer in o.loops[:depth] if outer.trip is None or not outer.exact_trip)
    return System(tuple(equal(symbol(outer.counter)) for outer in unknown))


def may_write_before(scope: Scope, read: Occurrence, side: int, extra: System) -> bool:
    """Whether some write of the same iteration may reach the element before this read does."""
    return any(_may_meet(scope, write, read, side, extra, before=True) for write in scope.writes)


def may_write_again(scope: Scope, write: Occurrence, side: int) -> bool:
    """Whether a write of the same iteration may overwrite what this one wrote."""
    return any(_may_meet(scope, other, write, side, System(), before=False) for other in scope.writes)


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
    depth = [outer.key for outer in write.loops].index(scope.loop.key) + 1
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
    differences = tuple(
        equal(scope.rename(x.index, write_side) - scope.rename(y.index, read_side))
        for x, y in zip(a.subscripts, b.subscripts, strict=True)
    )
    return System(differences) if same_shape(element_part(a), element_part(b)) else None


def _at_distance(wanted: System, distance: Symbol, value: int) -> System:
    fixed = {distance: number(value)}

    def fix(c: Constraint) -> Constraint:
        return replace(c, value=c.value.substitute(fixed))

    return System(
        tuple(fix(c) for c in wanted.constraints),
        tuple(tuple(tuple(fix(c) for c in a) for a in choice) for choice in wanted.choices),
        wanted.exact,
    )


def _alike(x: Expression, y: Expression) -> bool:
    """Whether two stored expressions may have the same value; only different constants surely do not."""
    while isinstance(x, Convert):
        x = x.argument
    while isinstance(y, Convert):
        y = y.argument
    return not (isinstance(x, Literal) and isinstance(y, Literal)) or x.value == y.value


def _different_names(symbols: set[Symbol]) -> bool:
    """Two symbols of one name may be two readings of one value: then not every pair of values occurs."""
    named = [s.name for s in symbols if isinstance(s.origin, Entry | Loaded)]
    return len(named) == len(set(named))


def constant_distance(differences: tuple[Poly, ...], scope: Scope) -> str:
    """The distance, when one subscript alone fixes it: a number or a formula in invariant symbols; 1 for one element
    that every iteration touches; else `*`."""
    if all(d == ZERO for d in differences):
        return "1"
    for difference in differences:
        slope = difference.coefficient(scope.distance).constant
        rest = difference.without(scope.distance)
        if not slope or any(scope.varies(s) or s.key < 0 for s in rest.symbols):
            continue
        value = (-rest).divided_by(slope)
        if value is None or any(isinstance(s.origin, Counter) for s in value.symbols):
            continue
        if value.constant is None or value.constant >= 1:
            return str(value)
    return "*"
