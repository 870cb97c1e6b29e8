"""One pass over a nest: what is evaluated in which scope, and which memory is touched in which order.

A `Nest` is what every count of one loop is computed from. Statements after a conditional `break`,
`continue` or `return` run under the negated condition; an exit that sits deeper makes the rest of the body
a bound (`exit@LINE`)."""

import collections
from collections.abc import Callable
from typing import Any, TypeVar, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from ..base.places import Place
from ..ir.nodes import (
    Access,
    Allocated,
    Anything,
    Assign,
    Branch,
    Call,
    Choice,
    Computed,
    Convert,
    Counter,
    Data,
    Declared,
    Evaluate,
    Exit,
    Expression,
    Function,
    Load,
    Loop,
    Object,
    Opaque,
    Operation,
    Pointee,
    Predicate,
    Refused,
    Rows,
    Statement,
    Text,
    Variable,
    all_loops,
    parts,
    statements,
)
from ..ir.polynomials import Poly, Symbol
from ..ir.symbols import Kind, numbered
from ..loops.substitute import running
from ..polyhedra.effort import Effort
from ..polyhedra.signs import Region
from ..polyhedra.summation import Atoms
from ..source.ctypes import Pointer
from . import operations
from .formulas import Formulas
from .operations import Tally
from .scopes import Scope, Scopes, Weights
from .variance import Variance
from .wrapping import Wrapping, inside, wrapping

T = TypeVar("T")


class Touch(Struct, frozen=True):
    """One access in one scope; `order` counts evaluations in source order; `control`: only to run a loop."""

    access: Access
    scope: Scope
    writes: bool
    order: int
    control: bool = False


class Nest(Struct, frozen=True):
    """The nest rooted at `loop` inside the loops `around`: what counts, species, idioms and messages are asked of.
    `innermost`: scopes of the bodies without inner loops. `unknown`: what the counts leave out, in words; `refused`:
    statements the IR could not hold."""

    function: Function
    loop: Loop
    around: tuple[Loop, ...]
    variance: Variance
    scopes: Scopes
    formulas: Formulas
    entry: Scope
    wrapping: Wrapping
    tallies: tuple[tuple[Scope, collections.Counter[str]], ...] = ()
    touches: tuple[Touch, ...] = ()
    innermost: tuple[Scope, ...] = ()
    messages: tuple[tuple[Call, Scope], ...] = ()
    """Calls to MPI, which count network bytes and nothing else (`mpi.traffic`)."""
    unknown: tuple[str, ...] = ()
    refused: bool = False
    hides_loops: bool = False
    """A call that is not followed leads to a loop."""
    bodies: dict[int, Scope] = field(default_factory=dict)
    memo: dict[object, Any] = field(default_factory=dict)
    """Answers of `once`. Those on one touch are found under its identity: `touches` keeps it alive."""

    def moves(self, object_: Object) -> bool:
        """Whether the object may be another one in another iteration: behind a pointer of unknown origin that the
        nest sets, or one in memory that it stores to; or memory allocated inside it."""
        match object_:
            case Anything(key=made):  # keys count up while a function is lowered
                return self.sets_pointers or made > self.loop.key
            case Allocated(loops=made):
                return any(
                    isinstance(s.origin, Counter) and s.origin.loop in self.variance.keys for s in made
                )
            case Rows(base=base, field=member):
                return self.moves(base) or (base, member) in self.stored_pointers
            case Declared() | Pointee() | Text():
                return False

    @property
    def effort(self) -> Effort:
        """What its formulas have cost so far."""
        return self.scopes.atoms.effort

    @property
    def sets_pointers(self) -> bool:
        return self.once("sets pointers", lambda: any(map(_sets_a_pointer, statements(self.loop.body))))

    @property
    def stored_pointers(self) -> frozenset[tuple[Object, str]]:
        """The objects, and members of them, in which the nest stores pointers."""
        accesses = (t.access for t in self.touches if t.writes)
        return self.once(
            "stored pointers", lambda: frozenset((a.object, a.field) for a in accesses if isinstance(a.type, Pointer))
        )

    def assumed(self) -> tuple[str, ...]:
        """Bounds that only an assumption keeps from changing: read from memory, or global while the loop calls; and
        narrow loop variables taken not to wrap."""
        named = self.once("presumed", lambda: [name for inner in all_loops(self.loop) for name, _ in inner.presumed])
        if not (named or self.variance.assumed or self.wrapping.kept):
            return ()
        kept = tuple(f"no-overflow({name})" for name in self.wrapping.kept)
        return (*(f"bound-invariant({text})" for text in dict.fromkeys((*self.variance.assumed, *named))), *kept)

    def named(self, name: str) -> Symbol:
        """A size of the nest that no symbol of the code stands for: the length of an array, a value read elsewhere."""
        known: dict[str, Symbol] = self.once("named", dict)
        fresh = numbered(Kind.OPEN, len(known), name, Computed(name, Place("", 0)), 0)
        return known.setdefault(name, fresh)

    def once(self, question: object, answer: Callable[[], T]) -> T:
        """The answer to a question about the nest, worked out when it is asked for the first time."""
        if question not in self.memo:
            self.memo[question] = answer()
        found: T = self.memo[question]
        return found


def _sets_a_pointer(s: Statement) -> bool:
    return isinstance(s, Assign) and isinstance(s.target, Variable) and isinstance(s.target.type, Pointer)


def facts_of(around: tuple[Loop, ...], effort: Effort | None = None) -> Region:
    """What holds inside the loops around a nest: every counter lies below every bound of its loop."""
    region = Region(effort=effort)
    for loop in around:
        region = inside(region, loop)
    return region


def prepare(function: Function, loop: Loop, around: tuple[Loop, ...], effort: Effort | None = None) -> Nest:
    """A nest of which nothing is counted yet."""
    effort = effort or Effort()
    variance = Variance(loop)
    facts = facts_of(around, effort)
    scopes = Scopes(Atoms(effort=effort), Weights(), facts, variance)
    formulas = Formulas(scopes.atoms, {inner.key: inner for inner in around}, facts)
    return Nest(function, loop, around, variance, scopes, formulas, scopes.start(), wrapping(loop, around, facts))


def build(function: Function, loop: Loop, around: tuple[Loop, ...], effort: Effort | None = None) -> Nest:
    """The nest of `loop`, walked once. `effort`: what it and all that is asked of it may cost; where that is spent,
    TooMuchWorkError is raised. Without one nothing is given up."""
    nest = prepare(function, loop, around, effort)
    walk = _Walk(nest)
    walk.loop(loop, nest.entry)
    return replace(
        nest,
        tallies=tuple(walk.tallies),
        touches=tuple(walk.touches),
        innermost=tuple(walk.innermost),
        messages=tuple(walk.messages),
        unknown=tuple(walk.unknown),
        refused=walk.refused,
        hides_loops=walk.hides_loops,
        bodies=walk.bodies,
    )


def after(scopes: Scopes, branch: Branch, scope: Scope) -> Scope:
    """The scope of what follows a branch: where no arm of it has left."""
    then, otherwise = _leaves(branch.then), _leaves(branch.otherwise)
    if then != otherwise:
        return scopes.when(scope, branch.predicate, branch.place, otherwise, id(branch))
    inner = any(isinstance(s, Exit) for s in statements((*branch.then, *branch.otherwise)))
    if inner and not then:
        return scopes.partly(scope, branch.place)
    return scope


class _Walk:
    def __init__(self, nest: Nest) -> None:
        self.nest = nest
        self.tallies: list[tuple[Scope, collections.Counter[str]]] = []
        self.touches: list[Touch] = []
        self.innermost: list[Scope] = []
        self.messages: list[tuple[Call, Scope]] = []
        self.unknown: dict[str, None] = {}
        self.refused = False
        self.hides_loops = False
        self.bodies: dict[int, Scope] = {}
        self._control = False
        self._tally_of: dict[int, collections.Counter[str]] = {}
        """By the identity of the scope; `tallies` keeps the scopes alive."""
        self._ended: tuple[Symbol, Poly | None] = (nest.loop.counter, None)
        """Of the loop whose test fails: its counter, and what it is then."""
        self._running = list(nest.around)
        """The loops in an iteration of which the statement stands."""

    def loop(self, loop: Loop, scope: Scope) -> None:
        inside = self.nest.scopes.inside(scope, loop)
        self.bodies[loop.key] = inside
        if not any(isinstance(s, Loop) for s in statements(loop.body)):
            self.innermost.append(inside)
        self._running.append(loop)
        self.block(loop.body, inside)
        self._running.pop()
        if loop.kind != "do":
            self._last_test(loop, scope)

    def _last_test(self, loop: Loop, scope: Scope) -> None:
        """The test that fails, with all that is done in it: once more than the body."""
        ends = next((at for at, s in enumerate(loop.body) if isinstance(s, Evaluate) and s.control), -1)
        self._control = True
        self._ended = (loop.counter, self.nest.scopes.ended(loop))
        for statement in loop.body[: ends + 1]:
            match statement:
                case Evaluate(value=value):
                    self.expression(value, scope, again=True)
                case Assign(target=target, value=value, index=index):
                    for part in index:
                        self.expression(part, scope, again=True, control=True)
                    self.expression(value, scope, again=True)
                    if isinstance(target, Access):
                        self._touch(self._at_the_end(target), scope, writes=True)
                        self._add(scope, operations.store(target))
                case _:
                    self.unknown[f"what the last test in line {loop.place.line} does is not counted"] = None
        self._control = False

    def block(self, body: tuple[Statement, ...], scope: Scope) -> None:
        for position, statement in enumerate(body):
            self.statement(statement, scope)
            if isinstance(statement, Exit | Refused):
                continue
            if isinstance(statement, Branch) and position + 1 < len(body):
                scope = after(self.nest.scopes, statement, scope)

    def statement(self, statement: Statement, scope: Scope) -> None:
        match statement:
            case Assign(target=target, value=value, index=index, compound=compound):
                for part in () if compound else index:
                    self.expression(part, scope, control=True)
                self.expression(value, scope)
                if isinstance(target, Access):
                    self._touch(target, scope, writes=True)
                    self._add(scope, operations.store(target))
            case Evaluate(value=value, control=control):
                self._control = control
                self.expression(value, scope)
                self._control = False
            case Branch(condition=condition, predicate=predicate, then=then, otherwise=otherwise):
                self.expression(condition, scope)
                if then:
                    self.block(then, self._when(scope, predicate, statement, holds=True))
                if otherwise:
                    self.block(otherwise, self._when(scope, predicate, statement, holds=False))
            case Loop():
                self.loop(statement, scope)
            case Refused(message=message):
                self.refused = True
                self.unknown[message] = None
            case Exit():
                pass
            case _:
                assert_never(statement)

    def _when(self, scope: Scope, predicate: Predicate, at: Branch | Choice, holds: bool) -> Scope:
        return self.nest.scopes.when(scope, predicate, at.place, holds, id(at))

    def expression(
        self, expression: Expression, scope: Scope, again: bool = False, control: bool = False
    ) -> None:
        """Counts an expression. `again`: a loop test that fails, whose accesses are the last ones once
        more; `control`: the operand of index arithmetic or of a comparison of indices, which is no
        arithmetic on data."""
        control = control or (isinstance(expression, Operation) and expression.address)
        self._add(scope, operations.of(expression, control))
        match expression:
            case Load(access=access):
                for part in parts(expression):
                    self.expression(part, scope, again, True)
                self._add(scope, operations.load(access))
                self._touch(self._at_the_end(access) if again else access, scope, writes=False)
                return
            case Choice(condition=condition, predicate=predicate, then=then, otherwise=otherwise):
                self.expression(condition, scope, again, control)
                if again:  # its counter has a value here that it has in no iteration
                    predicate = Data()
                for arm, holds in ((then, True), (otherwise, False)):
                    if _costs(arm):
                        self.expression(arm, self._when(scope, predicate, expression, holds), again, control)
                return
            case Call(name=name, known=False) if name.startswith("MPI_"):
                self.messages.append((expression, scope))
            case Call(name=name, known=False, loops=has_loops):
                self.unknown[f"what {name}() does is not counted"] = None
                self.hides_loops |= has_loops
            case Opaque(reason=reason) if reason != "void":
                self.unknown[f"`{reason}` is not counted"] = None
            case _:
                pass
        control = control and isinstance(expression, Operation | Convert)
        for part in parts(expression):
            self.expression(part, scope, again, control)

    def _add(self, scope: Scope, tally: Tally) -> None:
        if not tally:
            return
        at = self._tally_of.get(id(scope))
        if at is None:
            at = self._tally_of[id(scope)] = collections.Counter()
            self.tallies.append((scope, at))
        for name, n in tally.items():
            at[name] += n

    def _at_the_end(self, access: Access) -> Access:
        """The access of a test that fails: the counter of its loop is how often it ran. Where that is no polynomial,
        the place is one of those that no formula has."""
        counter, ended = self._ended
        if ended is None:
            return access
        places = (replace(s, index=s.index.substitute({counter: ended})) for s in access.subscripts)
        return replace(access, subscripts=tuple(places))

    def _touch(self, access: Access, scope: Scope, writes: bool) -> None:
        if operations.touches_memory(access):
            canonical = self.nest.variance.canonical
            subscripts = tuple(replace(s, index=canonical(running(s.index, self._running))) for s in access.subscripts)
            order = len(self.touches) + 1
            self.touches.append(Touch(replace(access, subscripts=subscripts), scope, writes, order, self._control))


def _costs(expression: Expression) -> bool:
    """Whether evaluating an expression counts anything or may leave something uncounted."""
    if operations.of(expression) or isinstance(expression, Load | Call | Opaque):
        return True
    return any(_costs(part) for part in parts(expression))


def _leaves(body: tuple[Statement, ...]) -> bool:
    """Whether control never reaches the end of a block."""
    if not body:
        return False
    match body[-1]:
        case Exit():
            return True
        case Branch(then=then, otherwise=otherwise):
            return _leaves(then) and _leaves(otherwise)
        case _:
            return False
