"""Whether a dependence that could not be disproved certainly exists for some sizes.

*Decides*: that two accesses are surely evaluated, meet in different iterations for some sizes within the declared
extents, and that the order of the two shows: what is read was not written before by its own iteration, what is
overwritten was its iteration's last word, and the two values differ.
*Method*: feasibility of the exact system; for the rest, that no other write of the same iteration can interfere.
*Errs toward* not shown.
"""

from collections.abc import Iterator
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from ...access.accesses import Guard, Occurrence
from ...access.domains import running, says, used_values
from ...access.subscripts import extent_constraints, subscripts
from ...ir.members import element_part
from ...ir.nodes import (
    Anything,
    Call,
    Counter,
    Data,
    Declared,
    Entry,
    Expression,
    Held,
    Literal,
    Load,
    Loaded,
    Loop,
    Object,
    Quotient,
    Remainder,
    Use,
    nested_symbols,
    parts,
    unconverted,
)
from ...ir.pointer_roots import root
from ...ir.polynomials import ZERO, Poly, Symbol, number, symbol
from ...ir.same import same_place
from ...ir.symbols import Kind
from ...polyhedra.system import Constraint, Feasibility, System, at_least, equal, together
from ..iterations import EARLIER, LATER
from ..ordering import may_write_again, may_write_before
from ..scope import Scope
from .entry_values import free_contents, free_object
from .free_contents import Demand, Mention, possible, required, separate, staying
from .free_sizes import free_sizes


class Meeting(Struct, frozen=True):
    """Two accesses of one shape to one object; `differences` of their subscripts are 0 where they meet."""

    scope: Scope
    source: Occurrence
    sink: Occurrence
    differences: tuple[Poly, ...]
    also: tuple[Demand, ...] = ()
    """What else must happen."""
    entering: frozenset[int] = frozenset()
    """Scalars that still have the values with which the iteration began (see `free_contents.possible`)."""
    mentioned: tuple[Poly, ...] = ()
    """Values in the later iteration that further constraints are about."""
    apart: int | None = None
    """How many iterations they are apart, where that is chosen."""
    repeated: bool = False
    """The later iteration reads the same places as the earlier one."""

    def shown(self) -> bool:
        """Whether they certainly meet, in iterations whose order matters."""
        if not self.certain() or self.same_value():
            return False
        return any(self.exists(extra) and self.uncovered(extra) for extra in (System(), self.first_instance()))

    def on_data(self) -> "Meeting | None":
        """The same with conditions as demands on contents; None where that changes nothing."""
        source, sink = (on_data(self.scope, o) for o in (self.source, self.sink))
        same = source is self.source and sink is self.sink
        return None if same else replace(self, source=source, sink=sink)

    def distance(self) -> str:
        """The distance, when one subscript alone fixes it: a number or a formula in invariant symbols; 1 for one
        element that every iteration touches; else `*`."""
        return constant_distance(self.differences, self.scope)

    def certain(self) -> bool:
        """Whether both accesses are evaluated, for some contents, in the iterations that the constraints describe."""
        if self.source.access.bits or self.sink.access.bits:
            return False
        if any(o.test and o.access.subscripts for o in (self.source, self.sink)):
            return False
        fixed = self.fixed()
        demands = self.demands()
        if fixed is None or demands is None:
            return False
        return possible(self.scope, demands, fixed, self.entering, self.apart)

    def demands(self) -> list[Demand] | None:
        """Conditions under which both accesses are evaluated and the loop goes on; None where that cannot be."""
        stays = staying(self.scope, of=(self.source, self.sink))
        taken = required(self.scope, self.source, EARLIER) + required(self.scope, self.sink, LATER)
        return None if stays is None else [*taken, *self.also, *stays]

    def fixed(self) -> list[Mention] | None:
        """The values that the constraints choose; None where some of them cannot be chosen at will."""
        used = [(s, side) for side in (EARLIER, LATER) for s in self.symbols(side)]
        other = {s for s, _ in used if not _choosable(self.scope, s)}
        if other - self.sizes() or not self.different_names():
            return None
        found = [m for s, side in used for m in _mention(s, side)]
        return found if self.independent(found) else None

    def sizes(self) -> frozenset[Symbol]:
        """Values that cannot be chosen, but that only say how often loops run (`n = m / k`): sizes like any other; and
        what was read before the loop, from memory that the loop changes (`n = s[0]`). Where conditions on data are to
        be met as well, they might depend on it."""
        if self.mentioned or self.demands():
            return frozenset()
        before = (s for side in (EARLIER, LATER) for s in self.symbols(side) if _is_read_before(self.scope, s))
        return free_sizes(self.scope, (self.source, self.sink), self.differences) | frozenset(before)

    def different_names(self) -> bool:
        """Two symbols of one name may be two readings of one value: then not every pair of values occurs."""
        used = {self.scope.read_again.get(s, s) for side in (EARLIER, LATER) for s in self.symbols(side)}
        named = [s.name for s in used if isinstance(s.origin, Entry | Loaded)]
        return len(named) == len(set(named))

    def symbols(self, side: int) -> set[Symbol]:
        """What the constraints on one of the two accesses are about."""
        values = [*used_values(self.source if side == EARLIER else self.sink)]
        return {s for value in (*values, *(self.mentioned if side == LATER else ())) for s in value.symbols}

    def independent(self, chosen: list[Mention]) -> bool:
        """Whether values that differ between the iterations are read from different places in each."""
        loads = [(m.leaf.access, m.side) for m in chosen if isinstance(m.leaf, Load)]
        moving = [(a, side) for a, side in loads if any(self.scope.varies(s) for i in subscripts(a) for s in i.symbols)]
        return all(
            separate(self.scope, a, x, b, y, self.apart) or ((x == y or self.repeated) and same_place(a, b))
            for k, (a, x) in enumerate(moving)
            for b, y in moving[k + 1 :]
        )

    @property
    def of_contents(self) -> bool:
        """Whether the contents of memory are chosen such that the two meet."""
        symbols = (self.symbols(EARLIER) | self.symbols(LATER)) - self.sizes()
        return bool(self.demands()) or not all(self.scope.free(s) for s in symbols)

    def first_instance(self) -> System:
        """The access that reads (or writes first) in the first iterations of its inner loops: before it, little has
        happened in its iteration."""
        o, side = (self.sink, LATER) if self.source.write else (self.source, EARLIER)
        return first_of_inner(self.scope, o, side)

    def uncovered(self, extra: System) -> bool:
        """Whether what is read (if anything is) surely was not written before by the iteration that reads it, and what
        only is overwritten was the last word of both iterations."""
        sides = ((self.source, EARLIER), (self.sink, LATER))
        if self.source.write and self.sink.write:
            return not any(may_write_again(self.scope, o, side) for o, side in sides)
        reads = ((o, side) for o, side in sides if not o.write)
        return not any(may_write_before(self.scope, o, side, self.scope.writes, extra) for o, side in reads)

    def same_value(self) -> bool:
        """Whether both store what may be the same value: then no order can be told from another."""
        x, y = self.source.stored, self.sink.stored
        if x is not None and x is y and _decided_by_place(self.scope, self.source, x):
            return True
        return x is not None and y is not None and self.scope.repeats(x) and self.scope.repeats(y) and _alike(x, y)

    def exists(self, extra: System) -> bool:
        """Whether the two meet for some sizes (symbols are not negative), inside the declared extents. Products with
        the distance vanish when it is fixed, so distance 1 is tried on its own."""
        inside: list[Constraint] = []
        for o, side in ((self.source, EARLIER), (self.sink, LATER)):
            for s in element_part(o.access):
                inside += [replace(c, value=self.scope.rename(c.value, side)) for c in extent_constraints(s)]
        used = frozenset(s for o in (self.source, self.sink) for value in used_values(o) for s in value.symbols)
        sizes = sorted(nested_symbols(used), key=lambda s: s.key)
        inside += [at_least(symbol(s)) for s in sizes if isinstance(s.origin, Entry | Loaded)]
        base = self.scope.domain(self.source, EARLIER) + self.scope.domain(self.sink, LATER)
        wanted = base + extra + System(tuple(inside)) + System(tuple(equal(d) for d in self.differences))
        wanted = replace(wanted, exact=reached(self.source, self.scope.loop) and reached(self.sink, self.scope.loop))
        wanted += first_iterations(self.source, self.scope.loop, self.of_contents)
        found = self.scope.feasible(wanted)
        if found is Feasibility.POSSIBLE and wanted.exact:
            found = self.scope.feasible(_at_distance(wanted, self.scope.distance, 1))
        return found is Feasibility.NONEMPTY


def _decided_by_place(scope: Scope, o: Occurrence, stored: Expression) -> bool:
    """Whether iterations that store to one place store one value: `a[i % 8] = b[i % 8];`."""
    moving = [{s for s in i.symbols if scope.varies(s)} for i in subscripts(o.access)]
    if any(len(m) > 1 or not i.is_affine for m, i in zip(moving, subscripts(o.access), strict=True)):
        return False
    known: set[Symbol] = set().union(*moving)
    stores = {write.access.object for write in scope.writes}

    def same_again(e: Expression) -> bool:
        match e:
            case Use(variable=variable, value=None):
                return variable.key not in scope.assigned
            case Use(value=Poly() as value):
                return not any(scope.varies(s) and s not in known for s in value.symbols)
            case Load(access=access):
                if access.volatile or access.object in stores:
                    return False
                read = any(isinstance(s.origin, Loaded) and same_place(s.origin.access, access) for s in known)
                used = {s for i in subscripts(access) for s in i.symbols}
                return read or not any(scope.varies(s) and s not in known for s in used)
            case Call(known=False, closed=False):
                return False
            case _:
                return all(map(same_again, parts(e)))

    return same_again(stored)


def on_data(scope: Scope, o: Occurrence) -> Occurrence:
    """The access with its conditions on values from memory, and on those that the loop carries, as demands on contents
    instead of constraints: which iterations they hold in is chosen with the contents."""
    depth = scope.level(o)

    def asked(g: Guard) -> bool:
        values = [c.value for c in (*says(g).constraints, *chain(*chain(*says(g).choices)))]
        return g.depth > depth and any(
            isinstance(s.origin, Loaded) or not _choosable(scope, s) for v in values for s in v.symbols
        )

    on_contents = [asked(g) for g in o.guards]
    if not any(on_contents):
        return o
    guards = tuple(replace(g, predicate=Data()) if a else g for g, a in zip(o.guards, on_contents, strict=True))
    return replace(o, where=replace(o.where, guards=guards))


def reached(o: Occurrence, loop: Loop) -> bool:
    """Whether the constraints say exactly when the access is evaluated, conditions on data apart: those around the loop
    decide whether it is reached, and those in it are demands on the contents of memory."""
    depth = [outer.key for outer in o.loops].index(loop.key)
    inner = together(running(each) for each in o.loops[depth + 1 :])
    around = (says(g) for g in o.guards if g.depth <= depth and not isinstance(g.predicate, Data))
    return inner.exact and all(g.exact for g in around)


def first_of_inner(scope: Scope, o: Occurrence, side: int) -> System:
    """The first iteration of every inner loop around an access."""
    depth = scope.level(o)
    counters = (scope.rename(symbol(loop.counter), side) for loop in o.loops[depth + 1 :])
    return System(tuple(equal(c) for c in counters))


def _choosable(scope: Scope, s: Symbol) -> bool:
    """Whether the value can be chosen at will: as an argument, or as contents of memory that nothing in view wrote."""
    match s.origin:
        case Quotient(value=value) | Remainder(value=value):
            return all(_choosable(scope, t) for t in value.symbols)
        case Loaded(access=access) if scope.varies(s):
            return free_contents(scope, access) and not _is_moved_by_calls(scope, access.object)
        case Loaded(access=access) if _is_own(access.object) and access.object in scope.history.written:
            return False
        case _:
            return scope.free(s)


def _is_read_before(scope: Scope, s: Symbol) -> bool:
    """Whether it is the contents of memory as they are before the loop, which nothing in view wrote until then."""
    match s.origin:
        case Loaded(access=access, loops=made_in):
            return scope.loop.key not in made_in and free_object(scope, access.object, access.type)
        case _:
            return False


def _is_moved_by_calls(scope: Scope, x: Object) -> bool:
    """Whether the loop gets to memory by a variable of the program that calls alone could set to something else: that
    they do is not supposed."""
    match root(x):
        case Anything(pointer=Held(variable=variable)):
            return variable.scope in ("global", "static") and variable.key not in scope.assigned
        case _:
            return False


def _is_own(x: Object) -> bool:
    """Whether memory is that of a local structure or array: what is in it, the function stored."""
    return isinstance(x, Declared) and x.variable.scope == "local"


def _mention(s: Symbol, side: int) -> Iterator[Mention]:
    """What a constraint on the symbol is a constraint on."""
    match s.origin:
        case Loaded(access=access):
            yield Mention(Load(access), side)
        case Entry(variable=variable):
            yield Mention(Use(variable, variable.type), side)
        case Quotient(value=value) | Remainder(value=value):
            for t in value.symbols:
                yield from _mention(t, side)
        case _:
            pass


def first_iterations(o: Occurrence, loop: Loop, of_contents: bool) -> System:
    """Outer loops whose number of iterations is not known run at least once: that is the iteration looked at. Where the
    contents of memory are chosen, it is the first of all outer loops: nothing was overwritten yet."""
    depth = [outer.key for outer in o.loops].index(loop.key)
    unknown = (outer for outer in o.loops[:depth] if of_contents or outer.trip is None or not outer.exact_trip)
    return System(tuple(equal(symbol(outer.counter)) for outer in unknown))


def _at_distance(wanted: System, distance: Symbol, value: int) -> System:
    """The system with products of the distance made linear; what quotients and remainders say of it holds as well."""
    fixed = {distance: number(value)}

    def fix(c: Constraint) -> Constraint:
        return replace(c, value=c.value.substitute(fixed))

    return System(
        (*(fix(c) for c in wanted.constraints), equal(symbol(distance) - value)),
        tuple(tuple(tuple(fix(c) for c in a) for a in choice) for choice in wanted.choices),
        wanted.exact,
    )


def _alike(x: Expression, y: Expression) -> bool:
    """Whether two stored expressions may have the same value; only different constants surely do not."""
    x, y = unconverted(x), unconverted(y)
    return not (isinstance(x, Literal) and isinstance(y, Literal)) or x.value == y.value


def coincidence(differences: tuple[Poly, ...], scope: Scope) -> str:
    """In words, which values that stay as they are have to be equal for the two to meet: "`a` equals `b`" for `T[a][i]`
    and `T[b][i - 1]`; empty where none have to."""
    for d in differences:
        known = all(isinstance(s.origin, Entry | Loaded) and _is_shared(s, scope) for s in d.symbols)
        if d.symbols and known:
            sides = (Poly.of({m: abs(c) for m, c in d.terms if (c > 0) is positive}) for positive in (True, False))
            first, second = sorted(map(_side, sides), key=str.isdigit)
            return f"`{first}` equals `{second}`"
    return ""


def _is_shared(s: Symbol, scope: Scope) -> bool:
    """Whether the symbol means the same in both iterations."""
    return s.kind is Kind.PROGRAM and not scope.varies(s)


def _side(value: Poly) -> str:
    match value.terms:
        case ((((Symbol(name=name),), 1),)):
            return name
        case _:
            return str(value)


def constant_distance(differences: tuple[Poly, ...], scope: Scope) -> str:
    """The distance, when one subscript alone fixes it: a number or a formula in invariant symbols; 1 for one element
    that every iteration touches; else `*`."""
    if all(d == ZERO for d in differences):
        return "1"
    for difference in differences:
        slope = difference.coefficient(scope.distance).constant
        rest = difference.without(scope.distance)
        if not slope or not all(_is_shared(s, scope) for s in rest.symbols):
            continue
        value = (-rest).divided_by(slope)
        if value is None or any(isinstance(s.origin, Counter) for s in value.symbols):
            continue
        if value.constant is None or value.constant >= 1:
            return str(value)
    return "*"
