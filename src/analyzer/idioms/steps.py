"""What an idiom is looked for in: one statement of a nest with the loops around it and the values that flow into it
(`flow`)."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from msgspec import Struct, field

from ..base.places import Place
from ..counts.nest import Nest as Counted
from ..counts.nest import facts_of
from ..counts.shapes import apart
from ..counts.variance import Variance
from ..ir.nodes import (
    Access,
    Assign,
    Branch,
    Counter,
    Evaluate,
    Expression,
    Load,
    Loop,
    Operation,
    Statement,
    Use,
    Variable,
    parts,
    statements,
    walk,
)
from ..ir.polynomials import Poly, Symbol, symbol
from ..polyhedra.effort import Effort
from ..polyhedra.signs import Region
from ..reductions.combining import alike, bare, combines, is_target, same_element
from .flow import flowing

T = TypeVar("T")


class Nest(Struct, frozen=True):
    """The nest that is searched: its root, the loops around it, and every value that a scalar gets inside
    it."""

    loop: Loop
    around: tuple[Loop, ...]
    variance: Variance
    assigned: dict[int, tuple[Assign, ...]]
    effort: Effort = field(default_factory=Effort)
    memo: dict[object, Any] = field(default_factory=dict)
    """What was found of values and accesses of the nest, by their identity: every idiom asks for the same."""

    def once(self, question: object, answer: Callable[[], T]) -> T:
        """The answer to a question about the nest, worked out when it is asked for the first time."""
        if question not in self.memo:
            self.effort.spend(1)
            self.memo[question] = answer()
        found: T = self.memo[question]
        return found

    def distance(self, a: Access, b: Access) -> Poly | None:
        """Byte distance of two accesses to one member of one object, when both have strides everywhere."""
        if a.object != b.object or a.field != b.field:
            return None
        first, second = self.bytes_before(a), self.bytes_before(b)
        return None if first is None or second is None else second - first

    def bytes_before(self, access: Access) -> Poly | None:
        """Where in its object an access lies, when it has strides everywhere."""
        return self.once(("bytes", id(access)), lambda: _bytes_before(access))

    def is_regular(self, access: Access) -> bool:
        """Whether all subscripts are linear in counters and otherwise do not change while the nest runs."""
        return self.once(("regular", id(access)), lambda: self._is_regular(access))

    def _is_regular(self, access: Access) -> bool:
        for s in access.subscripts:
            moving = _counters_of(s.index)
            if not s.index.is_linear_in(moving) or any(self.variance.varies(x) for x in s.index.symbols):
                return False
        return True


class Step(Struct, frozen=True):
    """One statement. `target` is None for a condition. `guards`: conditions around it inside its innermost
    loop."""

    nest: Nest
    loops: tuple[Loop, ...]
    target: Variable | Access | None
    value: Expression
    index: tuple[Expression, ...]
    place: Place
    text: str
    guards: tuple[Expression, ...] = ()
    siblings: tuple[Statement, ...] = ()

    @property
    def innermost(self) -> Loop:
        return self.loops[-1]

    @property
    def counter(self) -> Symbol:
        return self.innermost.counter

    def loads(self) -> tuple[Load, ...]:
        """Reads of data in the statement's own text (reads that only make subscripts are not among them)."""
        return tuple(_data(self.value))

    def reads(self) -> tuple[Load, ...]:
        """Reads of data that flow into the value, through scalars of the nest too."""
        return self.nest.once(
            ("reads", id(self.value)),
            lambda: tuple(dict.fromkeys(flowing(self.value, self.siblings, self.nest.assigned, self.nest.effort))),
        )

    def counters(self, access: Access) -> frozenset[Symbol]:
        """The loops around the statement whose variables occur in the subscripts, by their counters."""
        return self.nest.once(("counters", id(access), self.innermost.key), lambda: self._counters(access))

    def _counters(self, access: Access) -> frozenset[Symbol]:
        mine = {loop.counter for loop in self.loops}
        return frozenset(c for s in access.subscripts for c in self._in_variables(s.index).symbols if c in mine)

    def _in_variables(self, index: Poly) -> Poly:
        """The index with each counter standing for its loop's variable: a j that starts at i + 1 is a variable of its
        own, though i + 1 + counter names i."""
        for counter, value in self._window_counters():
            index = index.substitute({counter: value})
        return index

    def _window_counters(self) -> list[tuple[Symbol, Poly]]:
        return self.nest.once(("moving", self.innermost.key), self._moving)

    def _moving(self) -> list[tuple[Symbol, Poly]]:
        """Counters of loops that begin at a variable of another one, inner first, in terms of their own variable. One
        that is always as long (`for (k = i - 2; k <= i + 2; k++)`) walks through a window that moves with the other."""
        loops = (*self.nest.around, *self.loops)
        outer = {loop.counter for loop in loops}
        found: list[tuple[Symbol, Poly]] = []
        for loop in reversed(loops):
            step = loop.step.constant if loop.step is not None else None
            if loop.first is None or _is_fixed(loop):
                continue
            if step in (1, -1) and not outer.isdisjoint(loop.first.symbols):
                found.append((loop.counter, (symbol(loop.counter) - loop.first) * step))
        return found

    def dimensions(self, access: Access) -> tuple[Poly, ...]:
        """The subscripts of a regular access in loop variables, linearised ones taken apart."""
        return self.nest.once(("dimensions", access.subscripts, self.innermost.key), lambda: self._dimensions(access))

    def _dimensions(self, access: Access) -> tuple[Poly, ...]:
        region = self.nest.once(("region", self.innermost.key), self._facts)
        found: list[Poly] = []
        for s in access.subscripts:
            if s.stride is None:
                found.append(s.index)
            else:
                found += (d.index for d in apart(s.index, s.stride, s.extent, region, facts_of(())))
        return tuple(map(self._in_variables, found))

    def _facts(self) -> Region:
        return facts_of((*self.nest.around, *self.loops), self.nest.effort)

    def is_window(self, access: Access) -> bool:
        """Whether a subscript adds two loops (`in[i + u]`), the inner of which always has the same range."""
        return any(_is_fixed(loop) for added in self._added(access) for loop in added[1:])

    def is_skewed(self, access: Access) -> bool:
        """Whether a subscript adds two loops: the array has fewer dimensions than loops move it."""
        return any(self._added(access))

    def _added(self, access: Access) -> list[list[Loop]]:
        """The loops, two or more, that move one dimension one element at a time."""
        return self.nest.once(("added", id(access), self.innermost.key), lambda: list(self._find_added(access)))

    def _find_added(self, access: Access) -> Iterator[list[Loop]]:
        if not self._window_counters() and all(len(_counters_of(s.index)) < 2 for s in access.subscripts):
            return
        for index in self.dimensions(access):
            unit = [loop for loop in self.loops if index.coefficient(loop.counter).constant in (1, -1)]
            if len(unit) > 1:
                yield unit

    def accumulates(self) -> bool:
        """Whether the new value is the old one combined with something by an associative operator: `s += x`,
        `s = s + x`, `s = fmax(s, x)`, `s = x > s ? x : s`, `if (x > s) s = x`."""
        question = ("accumulates", id(self.value), len(self.guards))
        return self.nest.once(question, self._accumulates)

    def _accumulates(self) -> bool:
        return self.target is not None and (combines(self.value, self.target) or self._is_guarded_extreme())

    def is_carried(self) -> bool:
        """Whether every assignment to the scalar inside the innermost loop accumulates: nothing sets it
        afresh."""
        if not isinstance(self.target, Variable) or self.innermost.key in self.target.loops:
            return False
        inside = _steps(self.nest, self.loops, self.innermost.body, ())
        return all(step.accumulates() for step in inside if step.target == self.target)

    def is_fresh_in(self, counters: frozenset[Symbol]) -> bool:
        """Whether each iteration of these loops sets the target before it accumulates into it."""
        for depth, loop in enumerate(self.loops, 1):
            if loop.counter in counters:
                inside = _steps(self.nest, self.loops[:depth], loop.body, ())
                if not any(s.targets(self.target) and not s.accumulates() for s in inside):
                    return False
        return True

    def targets(self, other: "Variable | Access | None") -> bool:
        """Whether the statement sets this scalar or element."""
        if isinstance(self.target, Access) and isinstance(other, Access):
            return same_element(self.target, other)
        return self.target is not None and self.target == other

    def _is_guarded_extreme(self) -> bool:
        if not self.guards or self.target is None:
            return False
        match self.guards[-1]:
            case Operation(operator="<" | "<=" | ">" | ">=", arguments=(left, right)):
                sides = (bare(left), bare(right))
                chosen = bare(self.value)
                return any(is_target(x, self.target) and alike(y, chosen) for x, y in (sides, sides[::-1]))
            case _:
                return False


def _counters_of(index: Poly) -> list[Symbol]:
    return [s for s in index.symbols if isinstance(s.origin, Counter)]


def _is_fixed(loop: Loop) -> bool:
    """Whether the number of iterations does not change with the loops around."""
    numerators = [r.numerator for r in loop.trip or ()]
    return bool(numerators) and not any(isinstance(s.origin, Counter) for n in numerators for s in n.symbols)


def steps(counted: Counted) -> list[Step]:
    """Every statement of the nest that stores or decides something, in source order; loop control is left
    out."""
    loop = counted.loop
    assigned: dict[int, tuple[Assign, ...]] = {}
    for statement in statements(loop.body):
        if isinstance(statement, Assign) and isinstance(statement.target, Variable) and not statement.induction:
            key = statement.target.key
            assigned[key] = (*assigned.get(key, ()), statement)
    nest = Nest(loop, counted.around, counted.variance, assigned, counted.effort)
    return list(_steps(nest, (loop,), loop.body, ()))


def _steps(
    nest: Nest, around: tuple[Loop, ...], body: tuple[Statement, ...], guards: tuple[Expression, ...]
) -> Iterator[Step]:
    for s in body:
        match s:
            case Assign(induction=False):
                yield Step(nest, around, s.target, s.value, s.index, s.place, s.text, guards, body)
            case Evaluate(control=False):
                yield Step(nest, around, None, s.value, (), s.place, s.text, guards, body)
            case Branch():
                yield Step(nest, around, None, s.condition, (), s.place, s.text, guards, body)
                yield from _steps(nest, around, s.then, (*guards, s.condition))
                yield from _steps(nest, around, s.otherwise, (*guards, s.condition))
            case Loop():
                yield from _steps(nest, (*around, s), s.body, ())
            case _:
                pass


# --- expressions


def _data(expression: Expression) -> Iterator[Load]:
    if isinstance(expression, Load):
        yield expression
        return
    for part in parts(expression):
        yield from _data(part)


def is_counted_by_data(nest: Nest, index: tuple[Expression, ...]) -> bool:
    """Whether a subscript is a scalar that the nest moves on where data says so: `if (k[i]) a[n++] = b[i]`."""
    used = {e.variable for part in index for e in walk(part) if isinstance(e, Use)}
    moved = (s for s in _steps(nest, (nest.loop,), nest.loop.body, ()) if s.target in used)
    return any(isinstance(e, Load) for s in moved for guard in s.guards for e in _deep(nest, guard, frozenset()))


def is_indirect(nest: Nest, access: Access, index: tuple[Expression, ...]) -> bool:
    """Whether the place of an access depends on data: irregular, with a read of memory in its subscripts."""
    if nest.is_regular(access):
        return False
    return any(isinstance(e, Load) for part in index for e in _deep(nest, part, frozenset()))


def _deep(nest: Nest, expression: Expression, seen: frozenset[int]) -> Iterator[Expression]:
    """The expression with everything in it, and in the scalars that the nest computes it from."""
    for e in walk(expression):
        yield e
        if isinstance(e, Use) and e.variable.key in nest.assigned and e.variable.key not in seen:
            for assign in nest.assigned[e.variable.key]:
                yield from _deep(nest, assign.value, seen | {e.variable.key})


def products(step: Step) -> Iterator[tuple[Load, Load]]:
    """Pairs of reads that are multiplied with each other in the value."""
    for e in walk(step.value):
        if isinstance(e, Operation) and e.operator == "*" and not e.address:
            factors = [f for f in _factors(step.nest, e) if isinstance(f, Load)]
            yield from ((a, b) for i, a in enumerate(factors) for b in factors[i + 1 :])


def _factors(nest: Nest, expression: Expression) -> Iterator[Expression]:
    match bare(expression):
        case Operation(operator="*", arguments=arguments):
            for a in arguments:
                yield from _factors(nest, a)
        case Use(variable=variable) if len(nest.assigned.get(variable.key, ())) == 1:
            yield bare(nest.assigned[variable.key][0].value)
        case other:
            yield other


def shift(a: Access, b: Access) -> tuple[int, ...] | None:
    """b - a per subscript when both name elements of one array at a constant distance."""
    if (a.object, a.field) != (b.object, b.field) or len(a.subscripts) != len(b.subscripts):
        return None
    gaps = [(y.index - x.index) for x, y in zip(a.subscripts, b.subscripts, strict=True)]
    known = [g.constant for g in gaps]
    return None if any(g is None for g in known) else tuple(g for g in known if g is not None)


def _bytes_before(access: Access) -> Poly | None:
    if any(s.stride is None for s in access.subscripts):
        return None
    return Poly.sum(s.index * s.stride for s in access.subscripts if s.stride is not None)
