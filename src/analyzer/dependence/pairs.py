"""Whether one access of an iteration can touch what another access touches in a later iteration.

*Decides*: for two accesses, at least one a write, and a loop: `Independent` (with the assumptions that needs), or
`Dependence`, `shown` when it certainly exists for some sizes.
*Method*: relation of the objects (`alias`); then subscript by subscript where both have the same shape and stay in
their rows, else as intervals of bytes; constant differences first, then emptiness of the integer system (`system`).
*Errs toward* a dependence that is not `shown`.
"""

import typing
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from ..facts import Assumption
from ..loops.ir import (
    Access,
    Convert,
    Counter,
    Data,
    Entry,
    Exit,
    Expression,
    Literal,
    Loaded,
    Loop,
    Quotient,
    Remainder,
    Rows,
    Subscript,
    statements,
)
from ..polyhedra.poly import ZERO, Poly, Symbol, number, symbol
from ..polyhedra.system import Constraint, Feasibility, System, at_least, either, equal, proves, system
from .alias import Overlap, c_text, differ_in_type, member_text
from .linearised import Digit, digits, honest, radices
from .occurrences import Occurrence
from .scope import ALSO, EARLIER, LATER, Scope, condition, domain, running, used_values
from .updates import Update


@dataclass(frozen=True, slots=True)
class Independent:
    assumptions: frozenset[Assumption] = frozenset()


@dataclass(frozen=True, slots=True)
class Dependence:
    """`source` in an iteration before that of `sink`. `distance` in iterations, as text; `code` says why it stands:
    carried-dependence, may-alias, non-affine-access or too-complex."""

    source: Occurrence
    sink: Occurrence
    code: str
    distance: str = "*"
    shown: bool = False

    @property
    def kind(self) -> typing.Literal["flow", "anti", "output"]:
        if not self.source.write:
            return "anti"
        return "output" if self.sink.write else "flow"


@dataclass(frozen=True, slots=True)
class Fold:
    """Both fold a value into the same accumulator by the same operator; `moving`: into one of several elements."""

    update: Update
    moving: bool


Outcome: TypeAlias = Independent | Dependence | Fold


def between(scope: Scope, source: Occurrence, sink: Occurrence) -> Outcome:
    """The dependence from `source` to `sink` in a later iteration of the loop, or its absence."""
    relation = scope.overlap(source.access, sink.access)
    if relation.overlap is not Overlap.SAME and _tested_to_the_end(source, sink):
        return Independent()
    match relation.overlap:
        case Overlap.DISTINCT:
            return Independent()
        case Overlap.ASSUMED:
            assert relation.assumption is not None
            return Independent(frozenset({Assumption(*relation.assumption, line=source.line)}))
        case Overlap.UNKNOWN:
            return _bound_read(scope, source, sink) or Dependence(source, sink, "may-alias")
        case Overlap.SAME:
            return _same_object(scope, source, sink)


def _tested_to_the_end(a: Occurrence, b: Occurrence) -> bool:
    """A read in a loop's test against a store of another type: the last test still reads what it read before."""
    return any(o.test and not o.write for o in (a, b)) and differ_in_type(a.access.type, b.access.type)


def _bound_read(scope: Scope, a: Occurrence, b: Occurrence) -> Independent | None:
    """A read of a bound or subscript that is taken not to be changed by the loop."""
    for read in (a, b):
        if not read.write:
            for s in scope.invariants:
                assert isinstance(s.origin, Loaded)
                if s.origin.access.text == read.access.text and s.origin.access.object == read.access.object:
                    return Independent(scope.invariance(frozenset({s})))
    return None


def _same_object(scope: Scope, source: Occurrence, sink: Occurrence) -> Outcome:
    a = source.access
    if scope.fresh(a.object):
        return Dependence(source, sink, "may-alias") if isinstance(a.object, Rows) else Independent()
    if isinstance(a.object, Rows) and scope.moves_pointers:
        return Dependence(source, sink, "may-alias")
    return _Pair(scope, source, sink).decide()


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two accesses to one object."""

    scope: Scope
    source: Occurrence
    sink: Occurrence

    def decide(self) -> Outcome:
        rows = self.row_differences()
        if rows is None:
            return Dependence(self.source, self.sink, "may-alias")
        needs = self.disproved(rows)
        if needs is None:
            return self.fold(rows) or self.dependence(rows)
        if rows and not self.always_equal(rows):
            if self.scope.known.may_repeat(self.source.access.object):
                return Dependence(self.source, self.sink, "may-alias")
            name = c_text(self.source.access.object)
            needs |= {Assumption("rows-distinct", name, self.source.line)}
        return Independent(needs | self.premises())

    # --- differences of subscripts between the two iterations

    def difference(self, a: Poly, b: Poly) -> Poly:
        return self.scope.rename(a, EARLIER) - self.scope.rename(b, LATER)

    def row_differences(self) -> tuple[Poly, ...] | None:
        a, b = row_part(self.source.access), row_part(self.sink.access)
        if len(a) != len(b):
            return None
        return tuple(self.difference(x.index, y.index) for x, y in zip(a, b, strict=True))

    def element_differences(self) -> tuple[Poly, ...] | None:
        """Per dimension, when both accesses have the same shape and touch the same bytes of an element or lie in it."""
        a, b = element_part(self.source.access), element_part(self.sink.access)
        if not same_shape(a, b) or not (fits(self.source.access) and fits(self.sink.access)):
            return None
        return tuple(self.difference(x.index, y.index) for x, y in zip(a, b, strict=True))

    def same_member(self) -> bool:
        a, b = self.source.access, self.sink.access
        return (a.offset, a.size) == (b.offset, b.size) and a.size > 0

    def displacement(self) -> Poly | None:
        """Byte address in the earlier iteration minus byte address in the later one."""
        a, b = byte_offset(self.source.access), byte_offset(self.sink.access)
        return None if a is None or b is None else self.difference(a, b)

    # --- disproving

    def base(self) -> System:
        return self.scope.domain(self.source, EARLIER) + self.scope.domain(self.sink, LATER)

    def disproved(self, rows: tuple[Poly, ...]) -> frozenset[Assumption] | None:
        """The in-bounds assumptions under which the two never meet; None when they may."""
        if any(never_zero(r, self.scope.distance) for r in rows):
            return frozenset()
        same_row = System(tuple(equal(r) for r in rows))
        bounds = self.bounds_needed()  # only proofs by subscripts rest on them
        differences = self.element_differences()
        if differences is None:  # bytes are all that can be compared
            if self.empty_by_bytes(same_row, System()):
                return frozenset()
            if self.empty_by_bytes(same_row, self.row_bounds()):
                return bounds
        elif self.empty_by_subscripts(same_row, differences):
            return frozenset() if not bounds or self.empty_whatever_bounds(same_row) else bounds
        if self.empty_by_digits(same_row):
            return frozenset(bounds_of(o) for o in (self.source, self.sink))
        return None

    def empty_by_subscripts(self, same_row: System, differences: tuple[Poly, ...]) -> bool:
        a, b = self.source.access, self.sink.access
        if disjoint_bytes(a, b):
            return True
        if any(never_zero(d, self.scope.distance) for d in differences):
            return True
        meets = System(tuple(equal(d) for d in differences))
        return self.scope.feasible(self.base() + same_row + meets) is Feasibility.EMPTY

    def empty_whatever_bounds(self, same_row: System) -> bool:
        """Whether the accesses never meet even if subscripts leave their rows; only asked of rows of known length."""
        strides = (s.stride for o in (self.source, self.sink) for s in element_part(o.access))
        known = all(s is not None and s.constant is not None for s in strides)
        return known and self.empty_by_bytes(same_row, System())

    def empty_by_bytes(self, same_row: System, extra: System) -> bool:
        gap = self.displacement()
        if gap is None or not self.source.access.size or not self.sink.access.size:
            return False
        meets = system(at_least(gap + (self.source.access.size - 1)), at_least(-gap + (self.sink.access.size - 1)))
        return self.scope.feasible(self.base() + same_row + meets + extra) is Feasibility.EMPTY

    def empty_by_digits(self, same_row: System) -> bool:
        """The subscripts as rows and columns of linearised arrays, all columns taken to be in their rows."""
        for first, second in self.digit_pairs():
            inside = honest(first, self.source.loops) and honest(second, self.sink.loops)
            differences = [self.difference(x.value, y.value) for x, y in zip(first, second, strict=True)]
            if not inside:
                continue
            if any(never_zero(d, self.scope.distance) for d in differences):
                return True
            meets = System(tuple(equal(d) for d in differences))
            if self.scope.feasible(self.base() + same_row + meets) is Feasibility.EMPTY:
                return True
        return False

    def digit_pairs(self) -> Iterator[tuple[tuple[Digit, ...], tuple[Digit, ...]]]:
        a, b = element_part(self.source.access), element_part(self.sink.access)
        if len(a) != 1 or not same_shape(a, b) or not self.same_member() or a[0].index.is_affine:
            return
        if not fits(self.source.access):  # apart by their first bytes, they may still overlap
            return
        for radix in radices(a[0].index):
            first, second = digits(a[0].index, radix), digits(b[0].index, radix)
            if first is not None and second is not None:
                yield first, second

    def always_equal(self, rows: tuple[Poly, ...]) -> bool:
        if all(r == ZERO for r in rows):
            return True
        return all(proves(self.base(), equal(r)) for r in rows)

    # --- what a proof rests on

    def bounds_needed(self) -> frozenset[Assumption]:
        return frozenset(bounds_of(o) for o in (self.source, self.sink) if not self.scope.once(in_bounds, o))

    def row_bounds(self) -> System:
        """Every subscript but the first stays in its extent, in both iterations."""
        found: list[Constraint] = []
        for o, side in ((self.source, EARLIER), (self.sink, LATER)):
            for s in element_part(o.access)[1:]:
                found += [replace(c, value=self.scope.rename(c.value, side)) for c in extent_constraints(s)]
        return System(tuple(found))

    def premises(self) -> frozenset[Assumption]:
        """Bounds and subscripts read from memory that the loop is taken not to change."""
        used = frozenset(
            s
            for o in (self.source, self.sink)
            for value in used_values(o)
            for s in value.symbols
        )
        return self.scope.invariance(used)

    # --- folding

    def fold(self, rows: tuple[Poly, ...]) -> Fold | None:
        a, b = self.source.update, self.sink.update
        differences = self.element_differences()
        if a is None or b is None or a.operator != b.operator or differences is None or not self.same_member():
            return None
        if self.source.access.type != self.sink.access.type or self.source.access.bits or self.sink.access.bits:
            return None
        return Fold(a, any(d != ZERO for d in (*rows, *differences)))

    # --- showing

    def dependence(self, rows: tuple[Poly, ...]) -> Dependence:
        differences = self.element_differences()
        if differences is None or not self.same_member():
            return Dependence(self.source, self.sink, self.code())
        meets = (*rows, *differences)
        distance = constant_distance(meets, self.scope)
        for first, second in self.digit_pairs() if distance == "*" else ():
            by_digit = tuple(self.difference(x.value, y.value) for x, y in zip(first, second, strict=True))
            distance = constant_distance(by_digit, self.scope) if distance == "*" else distance
        attempts = (System(), self.first_instance())
        shown = self.certain() and not self.same_value()
        shown = shown and any(self.exists(meets, extra) and self.uncovered(extra) for extra in attempts)
        code = "carried-dependence" if shown else self.code()
        return Dependence(self.source, self.sink, code, distance, shown)

    def code(self) -> str:
        if self.scope.exhausted:
            return "too-complex"
        symbols = {s for o in (self.source, self.sink) for v in subscripts(o.access) for s in v.symbols}
        followed = all(isinstance(s.origin, Counter | Entry | Quotient | Remainder) for s in symbols)
        linear = all(v.is_affine for o in (self.source, self.sink) for v in subscripts(o.access))
        return "carried-dependence" if followed and linear else "non-affine-access"

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

    def exists(self, differences: tuple[Poly, ...], extra: System) -> bool:
        """Whether the two meet for some sizes (symbols are not negative), inside the declared extents. Products with
        the distance vanish when it is fixed, so distance 1 is tried on its own."""
        inside: list[Constraint] = []
        for o, side in ((self.source, EARLIER), (self.sink, LATER)):
            for s in element_part(o.access):
                inside += [replace(c, value=self.scope.rename(c.value, side)) for c in extent_constraints(s)]
        sizes = {s for o in (self.source, self.sink) for value in used_values(o) for s in value.symbols}
        inside += [at_least(symbol(s)) for s in sizes if isinstance(s.origin, Entry | Loaded)]
        wanted = self.base() + extra + System(tuple(inside)) + System(tuple(equal(d) for d in differences))
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


# --- shapes


def row_part(access: Access) -> tuple[Subscript, ...]:
    """The subscripts up to the last pointer that is followed."""
    followed = [k for k, s in enumerate(access.subscripts) if s.row_pointer]
    return access.subscripts[: followed[-1] + 1] if followed else ()


def element_part(access: Access) -> tuple[Subscript, ...]:
    """The subscripts behind the last pointer that is followed."""
    return access.subscripts[len(row_part(access)) :]


def same_shape(a: tuple[Subscript, ...], b: tuple[Subscript, ...]) -> bool:
    """Whether two lists of subscripts count in the same units, so that equal subscripts mean equal elements."""
    return len(a) == len(b) and all(
        x.stride == y.stride and x.stride is not None for x, y in zip(a, b, strict=True)
    )


def fits(access: Access) -> bool:
    """Whether the access lies inside one element of its last subscript."""
    elements = element_part(access)
    stride = elements[-1].stride if elements else None
    element = stride.constant if stride is not None else None
    return access.size > 0 and (not elements or (element is not None and access.offset + access.size <= element))


def disjoint_bytes(a: Access, b: Access) -> bool:
    """Different members of elements that both accesses stay in."""
    return a.offset + a.size <= b.offset or b.offset + b.size <= a.offset


def byte_offset(access: Access) -> Poly | None:
    """The byte offset of the access behind the last pointer that is followed."""
    total = number(access.offset)
    for s in element_part(access):
        if s.stride is None:
            return None
        total = total + s.index * s.stride
    return total


def subscripts(access: Access) -> tuple[Poly, ...]:
    return tuple(s.index for s in access.subscripts)


def extent_constraints(s: Subscript) -> tuple[Constraint, ...]:
    """0 <= index < extent"""
    if s.extent is None:
        return ()
    return (at_least(s.index), at_least(s.extent - 1 - s.index))


def bounds_of(o: Occurrence) -> Assumption:
    """The assumption that the access stays in its row."""
    return Assumption("in-bounds", member_text(o.access), o.line)


def in_bounds(o: Occurrence) -> bool:
    """Whether every subscript but the first provably stays in its row."""
    inner = element_part(o.access)[1:]
    if not inner:
        return True
    around = domain(o)
    return all(
        s.extent is not None and all(proves(around, c) for c in extent_constraints(s)) for s in inner
    )


# --- constant differences


def never_zero(difference: Poly, distance: Symbol) -> bool:
    """Whether `difference` is not 0 for any distance >= 1, when it is a*distance + b with numbers a, b."""
    if not difference.symbols <= {distance} or not difference.is_affine:
        return False
    a = difference.coefficient(distance).constant or 0
    b = difference.constant_term
    if a == 0:
        return b != 0
    return b % a != 0 or -b // a < 1


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
