"""What an idiom is looked for in: one statement of a nest with the loops around it and the values that flow into it
(`flow`)."""

from collections.abc import Iterator

from msgspec import Struct, field

from ..counts.nest import facts_of
from ..counts.shapes import apart
from ..counts.variance import Variance
from ..loops.ir import (
    Access,
    Assign,
    Branch,
    Call,
    Choice,
    Convert,
    Counter,
    Evaluate,
    Expression,
    Literal,
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
from ..places import Place
from ..polyhedra.poly import Poly, Symbol, symbol
from .flow import flowing

REDUCTIONS = frozenset(("+", "-", "*", "&", "|", "^"))
EXTREMES = frozenset(("fmin", "fmax", "fminf", "fmaxf", "fminl", "fmaxl"))


class Nest(Struct, frozen=True):
    """The nest that is searched: its root, the loops around it, and every value that a scalar gets inside
    it."""

    loop: Loop
    around: tuple[Loop, ...]
    variance: Variance
    assigned: dict[int, tuple[Assign, ...]]
    flowing: dict[int, tuple[Load, ...]] = field(default_factory=dict)
    """Reads that flow into a value of the nest, by the identity of the value: every idiom asks for them."""

    def is_regular(self, access: Access) -> bool:
        """Whether all subscripts are linear in counters and otherwise do not change while the nest runs."""
        for s in access.subscripts:
            moving = [c for c in s.index.symbols if isinstance(c.origin, Counter)]
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
        known, key = self.nest.flowing, id(self.value)
        if key not in known:
            known[key] = tuple(dict.fromkeys(flowing(self.value, self.siblings, self.nest.assigned)))
        return known[key]

    def counters(self, access: Access) -> frozenset[Symbol]:
        """The loops around the statement whose variables occur in the subscripts, by their counters."""
        mine = {loop.counter for loop in self.loops}
        return frozenset(c for s in access.subscripts for c in self._in_variables(s.index).symbols if c in mine)

    def _in_variables(self, index: Poly) -> Poly:
        """The index with each counter standing for its loop's variable: a j that starts at i + 1 is a variable of its
        own, though i + 1 + counter names i."""
        loops = (*self.nest.around, *self.loops)
        outer = {loop.counter for loop in loops}
        for loop in reversed(loops):
            first = loop.first
            if first is None or loop.counter not in index.symbols or outer.isdisjoint(first.symbols):
                continue
            step = loop.step.constant if loop.step is not None else None
            if step in (1, -1):
                index = index.substitute({loop.counter: (symbol(loop.counter) - first) * step})
        return index

    def dimensions(self, access: Access) -> tuple[Poly, ...]:
        """The subscripts of a regular access in loop variables, linearised ones taken apart."""
        region = facts_of((*self.nest.around, *self.loops))
        found: list[Poly] = []
        for s in access.subscripts:
            if s.stride is None:
                found.append(s.index)
            else:
                found += (d.index for d in apart(s.index, s.stride, s.extent, region, facts_of(())))
        return tuple(map(self._in_variables, found))

    def is_window(self, access: Access) -> bool:
        """Whether a subscript adds two loops (`in[i + u]`), the inner of which always has the same range."""
        return any(_is_fixed(loop) for added in self._added(access) for loop in added[1:])

    def is_skewed(self, access: Access) -> bool:
        """Whether a subscript adds two loops: the array has fewer dimensions than loops move it."""
        return any(self._added(access))

    def _added(self, access: Access) -> Iterator[list[Loop]]:
        """The loops, two or more, that move one dimension one element at a time."""
        for index in self.dimensions(access):
            unit = [loop for loop in self.loops if index.coefficient(loop.counter).constant in (1, -1)]
            if len(unit) > 1:
                yield unit

    def accumulates(self) -> bool:
        """Whether the new value is the old one combined with something by an associative operator: `s += x`,
        `s = s + x`, `s = fmax(s, x)`, `s = x > s ? x : s`, `if (x > s) s = x`."""
        return self.target is not None and (_combines(self.value, self.target) or self._is_guarded_extreme())

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
        if not self.guards or not isinstance(self.target, Variable):
            return False
        match self.guards[-1]:
            case Operation(operator="<" | "<=" | ">" | ">=", arguments=(left, right)):
                sides = (_bare(left), _bare(right))
                chosen = _bare(self.value)
                return any(_is_target(x, self.target) and alike(y, chosen) for x, y in (sides, sides[::-1]))
            case _:
                return False


def _is_fixed(loop: Loop) -> bool:
    """Whether the number of iterations does not change with the loops around."""
    numerators = [r.numerator for r in loop.trip or ()]
    return bool(numerators) and not any(isinstance(s.origin, Counter) for n in numerators for s in n.symbols)


def steps(loop: Loop, around: tuple[Loop, ...]) -> list[Step]:
    """Every statement of the nest that stores or decides something, in source order; loop control is left
    out."""
    assigned: dict[int, tuple[Assign, ...]] = {}
    for statement in statements(loop.body):
        if isinstance(statement, Assign) and isinstance(statement.target, Variable) and not statement.induction:
            key = statement.target.key
            assigned[key] = (*assigned.get(key, ()), statement)
    nest = Nest(loop, around, Variance(loop), assigned)
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


def _bare(expression: Expression) -> Expression:
    """Without conversions."""
    while isinstance(expression, Convert):
        expression = expression.argument
    return expression


def _is_target(expression: Expression, target: Variable | Access) -> bool:
    match _bare(expression), target:
        case Use(variable=variable), Variable():
            return variable == target
        case Load(access=access), Access():
            return same_element(access, target)
        case _:
            return False


def same_element(a: Access, b: Access) -> bool:
    indices = [s.index for s in a.subscripts] == [s.index for s in b.subscripts]
    return (a.object, a.field, a.offset) == (b.object, b.field, b.offset) and indices


def alike(a: Expression, b: Expression) -> bool:
    """Whether two expressions compute the same from the same operands, wherever they stand in the text."""
    a, b = _bare(a), _bare(b)
    match a, b:
        case Load(access=x), Load(access=y):
            return same_element(x, y)
        case Use(variable=v), Use(variable=w):
            return v == w
        case Literal(value=v), Literal(value=w):
            return v == w
        case (Operation(operator=v), Operation(operator=w)) | (Call(name=v), Call(name=w)) if v == w:
            return len(parts(a)) == len(parts(b)) and all(map(alike, parts(a), parts(b)))
        case _:
            return False


def _combines(expression: Expression, target: Variable | Access) -> bool:
    match _bare(expression):
        case Operation(operator="-", arguments=(left, right)):
            return (_is_target(left, target) or _combines(left, target)) and not _mentions(right, target)
        case Operation(operator=operator, arguments=(left, right)) if operator in REDUCTIONS:
            for mine, other in ((left, right), (right, left)):
                if _is_target(mine, target) or _combines_alike(mine, target, operator):
                    return not _mentions(other, target)
            return False
        case Call(name=name, arguments=(left, right)) if name.removeprefix("__builtin_") in EXTREMES:
            return _is_target(left, target) != _is_target(right, target)
        case Choice(operator="?:", condition=condition, then=then, otherwise=otherwise):
            sides = _is_target(then, target), _is_target(otherwise, target)
            return sides[0] != sides[1] and any(_is_target(e, target) for e in walk(condition))
        case _:
            return False


def _combines_alike(expression: Expression, target: Variable | Access, operator: str) -> bool:
    """A chain of one operator (`s + a + b`); `+` and `-` are of a kind."""
    inner = _bare(expression)
    kinds = {"+", "-"} if operator in ("+", "-") else {operator}
    return isinstance(inner, Operation) and inner.operator in kinds and _combines(inner, target)


def _mentions(expression: Expression, target: Variable | Access) -> bool:
    return any(_is_target(e, target) for e in walk(expression))


def products(step: Step) -> Iterator[tuple[Load, Load]]:
    """Pairs of reads that are multiplied with each other in the value."""
    for e in walk(step.value):
        if isinstance(e, Operation) and e.operator == "*" and not e.address:
            factors = [f for f in _factors(step.nest, e) if isinstance(f, Load)]
            yield from ((a, b) for i, a in enumerate(factors) for b in factors[i + 1 :])


def _factors(nest: Nest, expression: Expression) -> Iterator[Expression]:
    match _bare(expression):
        case Operation(operator="*", arguments=arguments):
            for a in arguments:
                yield from _factors(nest, a)
        case Use(variable=variable) if len(nest.assigned.get(variable.key, ())) == 1:
            yield _bare(nest.assigned[variable.key][0].value)
        case other:
            yield other


def shift(a: Access, b: Access) -> tuple[int, ...] | None:
    """b - a per subscript when both name elements of one array at a constant distance."""
    if (a.object, a.field) != (b.object, b.field) or len(a.subscripts) != len(b.subscripts):
        return None
    gaps = [(y.index - x.index) for x, y in zip(a.subscripts, b.subscripts, strict=True)]
    known = [g.constant for g in gaps]
    return None if any(g is None for g in known) else tuple(g for g in known if g is not None)


def distance(a: Access, b: Access) -> Poly | None:
    """Byte distance of two accesses to one object, when both have strides everywhere."""
    if a.object != b.object or a.field != b.field:
        return None
    total = Poly()
    for access, sign in ((a, -1), (b, 1)):
        for s in access.subscripts:
            if s.stride is None:
                return None
            total = total + s.index * s.stride * sign
    return total
