"""Every evaluated access of a function with its context: enclosing loops, guards, and its position in program order."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import count
from typing import assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from models.expr.nodes import remembered

from ..base.places import Place
from ..ir.endings import ends_program
from ..ir.nodes import (
    Access,
    Assign,
    AtomicOperation,
    Branch,
    Call,
    Choice,
    Convert,
    Declared,
    Evaluate,
    Exit,
    Expression,
    Function,
    Literal,
    Load,
    Loop,
    Object,
    Operation,
    Predicate,
    Refused,
    Statement,
    Text,
    Use,
    Variable,
    negate,
    parts,
    statements,
    walk,
)
from ..ir.same import same
from ..reductions.compensated_elements import compensated_elements
from ..reductions.temporaries import Joining
from ..reductions.updates import Update, asked_once, extremum_of, only_arm, update_of
from ..source.ctypes import Integer, Void


class Guard(Struct, frozen=True, dict=True):
    """A condition that holds at an access. `depth`: number of loops around the branch; `arm` tells branches of equal
    conditions apart. `predicate` is what is known of it; in full, that `condition` is true (or false)."""

    depth: int
    predicate: Predicate
    arm: int
    condition: Expression
    holds: bool = True
    text: str = ""


class Where(Struct, frozen=True, dict=True):
    """A place among loops, outermost first, and conditions. `test`: in the test of the innermost loop, which is
    evaluated once more than the body. All accesses of a block share theirs, and what was found out about it."""

    loops: tuple[Loop, ...]
    guards: tuple[Guard, ...]
    test: bool = False

    def under(self, predicate: Predicate, arm: int, condition: Expression, holds: bool, text: str = "") -> "Where":
        guard = Guard(len(self.loops), predicate if holds else negate(predicate), arm, condition, holds, text)
        return replace(self, guards=(*self.guards, guard))


class Occurrence(Struct, frozen=True, dict=True):
    """One access where it stands. `update`: it reads or writes the accumulator of this update. `stored`: the
    expression whose value is written. `within`: what does it, if that is an atomic operation."""

    access: Access
    write: bool
    position: int
    where: Where
    update: Update | None = None
    stored: Expression | None = None
    within: AtomicOperation | None = None

    @property
    def loops(self) -> tuple[Loop, ...]:
        return self.where.loops

    @property
    def guards(self) -> tuple[Guard, ...]:
        return self.where.guards

    @property
    def test(self) -> bool:
        return self.where.test

    @property
    def line(self) -> int:
        return self.access.place.line


class Departure(Struct, frozen=True):
    """An exit; `at`: where it stands, as an access of nothing. `position`: of the next access to memory. `value`: what
    a `return` returns."""

    exit: Exit
    at: Occurrence
    position: int
    value: Expression | None

    @property
    def guards(self) -> tuple[Guard, ...]:
        return self.at.guards


class Calling(Struct, frozen=True):
    """A call whose effects are not all known; `at`: where it stands, as an access of nothing. `position`: of the next
    access to memory."""

    call: Call
    at: Occurrence
    position: int

    @property
    def among_accesses(self) -> Occurrence:
        """Where it stands in the order of accesses to memory: with the last one before it."""
        return replace(self.at, position=self.position - 1)


class Division(Struct, frozen=True):
    """A division or remainder of integers, which traps where the divisor is 0; `at`: where it stands, as an access of
    nothing."""

    operation: Operation
    at: Occurrence


class Occurrences(Struct, frozen=True):
    """All accesses and exits in program order; `ranges`: positions inside each loop, by its key; `of_scalars`: the same
    of scalars; `around`: loops and conditions around each loop."""

    all: tuple[Occurrence, ...]
    ranges: Mapping[int, tuple[int, int]]
    around: Mapping[int, tuple[tuple[Loop, ...], tuple[Guard, ...]]]
    of_scalars: Mapping[int, tuple[int, int]]
    departures: tuple[Departure, ...] = ()
    scalars: tuple[Occurrence, ...] = ()
    """Reads and assignments of scalar variables, each as an access without subscripts, in an order of their own."""
    calls: tuple[Calling, ...] = ()
    branches: Mapping[int, tuple[tuple[Loop, ...], tuple[Guard, ...]]] = {}
    """Loops and conditions around each branch, by its `id`."""
    divisions: tuple[Division, ...] = ()
    supposed: tuple[Calling, ...] = ()
    """Calls that are supposed to be pure, or independent of each other (`ir.Call.supposed`), and get an address."""

    def inside(self, loop: Loop) -> tuple[Occurrence, ...]:
        start, end = self.ranges[loop.key]
        return self.all[start:end]

    def leaving(self, loop: Loop) -> tuple[Departure, ...]:
        """The exits that stand inside the loop."""
        return tuple(d for d in self.departures if any(each.key == loop.key for each in d.at.loops))

    def scalars_of(self, loop: Loop) -> tuple[Occurrence, ...]:
        start, end = self.of_scalars[loop.key]
        return self.scalars[start:end]

    def divisions_of(self, loop: Loop) -> tuple[Division, ...]:
        return tuple(d for d in self.divisions if any(each.key == loop.key for each in d.at.loops))

    def calls_of(self, loop: Loop) -> tuple[Calling, ...]:
        return tuple(c for c in self.calls if any(each.key == loop.key for each in c.at.loops))

    def supposed_of(self, loop: Loop) -> tuple[Calling, ...]:
        return tuple(c for c in self.supposed if any(each.key == loop.key for each in c.at.loops))


@remembered("_occurrences")
def occurrences(function: Function) -> Occurrences:
    """Worked out once: whoever asks anything of a loop of the function asks for them."""
    compensated = compensated_elements(function)
    collector = Collector(Joining(function), has_jumps(function), [], {}, {}, {}, compensated=compensated)
    collector.body(function.body, Where((), ()))
    return Occurrences(
        tuple(collector.found),
        collector.ranges,
        collector.around,
        collector.of_scalars,
        tuple(collector.departures),
        tuple(collector.scalars),
        tuple(collector.calls),
        collector.branches,
        tuple(collector.divisions),
        tuple(collector.supposed),
    )


def has_jumps(function: Function) -> bool:
    """Whether a place in the function may be reached in ways that are not seen."""
    every = statements(function.body)
    return any(isinstance(s, Refused) or (isinstance(s, Exit) and s.kind == "goto") for s in every)


class Collector(Struct):
    """Walks a lowered function in program order."""

    joining: Joining
    jumps: bool
    found: list[Occurrence]
    ranges: dict[int, tuple[int, int]]
    around: dict[int, tuple[tuple[Loop, ...], tuple[Guard, ...]]]
    of_scalars: dict[int, tuple[int, int]]
    departures: list[Departure] = field(default_factory=list)
    scalars: list[Occurrence] = field(default_factory=list)
    calls: list[Calling] = field(default_factory=list)
    branches: dict[int, tuple[tuple[Loop, ...], tuple[Guard, ...]]] = field(default_factory=dict)
    divisions: list[Division] = field(default_factory=list)
    supposed: list[Calling] = field(default_factory=list)
    place: Place | None = None
    arms: Iterator[int] = field(default_factory=count)
    compensated: Mapping[int, frozenset[Object]] = {}
    summed: frozenset[Object] = frozenset()
    """The arrays of which all that a statement does is to update elements (`compensated_elements`)."""

    def body(self, body: tuple[Statement, ...], where: Where) -> None:
        before: Statement | None = None
        for statement, written in self.joining.block(body, self.kept(body, where)):
            if isinstance(written, Branch):
                self.branches[id(written)] = (where.loops, where.guards)
            if isinstance(statement, Exit):
                self.departure(statement, before, where)
            else:
                self.statement(statement, where)
            if isinstance(written, Branch) and not where.loops and not self.jumps:
                where = self.behind(written, where)
            before = statement

    def kept(self, body: tuple[Statement, ...], where: Where) -> frozenset[int]:
        """Keys of variables in a block of which each access is to be seen, be they temporaries or not."""
        return frozenset()

    def behind(self, branch: Branch, where: Where) -> Where:
        """What holds after a branch, outside of loops: that the arm which ends the program was not taken. (Where the
        function jumps, a label behind the branch could be reached in other ways.)"""
        for arm, holds in ((branch.then, False), (branch.otherwise, True)):
            if ends_program(arm):
                return where.under(branch.predicate, next(self.arms), branch.condition, holds, branch.text)
        return where

    def departure(self, statement: Exit, before: Statement | None, where: Where) -> None:
        at = self.nothing(statement.kind, statement.place, where)
        returned = before.value if statement.kind == "return" and isinstance(before, Evaluate) else None
        self.departures.append(Departure(statement, at, len(self.found), returned))

    def nothing(self, text: str, place: Place, where: Where) -> Occurrence:
        access = Access(Text(place), (), "", 0, Void(), 0, text, place)
        return Occurrence(access, False, len(self.scalars), where)

    def statement(self, statement: Statement, where: Where) -> None:
        self.summed = self.compensated.get(id(statement), frozenset())
        match statement:
            case Assign():
                self.assign(statement, where)
            case Evaluate(value=value, control=control, place=place):
                self.place = place
                self.expression(value, replace(where, test=True) if control else where)
            case Branch():
                self.branch(statement, where)
            case Loop(body=body):
                start, first = len(self.found), len(self.scalars)
                self.around[statement.key] = (where.loops, where.guards)
                self.body(body, Where((*where.loops, statement), where.guards))
                self.ranges[statement.key] = (start, len(self.found))
                self.of_scalars[statement.key] = (first, len(self.scalars))
            case Exit() | Refused():
                pass
            case _:
                assert_never(statement)

    def assign(self, statement: Assign, where: Where) -> None:
        target = statement.target
        self.place = statement.place
        update = update_of(statement) if isinstance(target, Access) else None
        for part in (*statement.index, *(update.others if update else (statement.value,))):
            self.expression(part, where)
        done = statement.within
        if isinstance(target, Access):
            if update:
                self.access(target, False, where, update, within=done)
            self.access(target, True, where, update, statement.value, done)
        elif not statement.induction:
            self.scalar(target, True, where, statement.value, done)

    def branch(self, statement: Branch, where: Where) -> None:
        self.place = statement.place
        update = extremum_of(statement)
        if update is None or not isinstance(update.target, Access):
            self.expression(statement.condition, where)
            for arm, holds in ((statement.then, True), (statement.otherwise, False)):
                inside = where.under(statement.predicate, next(self.arms), statement.condition, holds, statement.text)
                self.body(arm, inside)
            return
        alone = only_arm(asked_once(statement))
        assert alone is not None
        (fold,), holds = alone
        assert isinstance(fold, Assign)
        for part in (*fold.index, *update.others):
            self.expression(part, where)
        self.access(update.target, False, where, update)
        inside = where.under(statement.predicate, next(self.arms), statement.condition, holds)
        self.access(update.target, True, inside, update)

    def expression(self, expression: Expression, where: Where) -> None:
        match expression:
            case Use(variable=variable, within=within):
                self.scalar(variable, False, where, within=within)
            case Load(access=access, index=index, within=within):
                for part in index:
                    self.expression(part, where)
                self.access(access, False, where, within=within)
            case Choice(condition=condition, predicate=predicate, then=then, otherwise=otherwise):
                self.expression(condition, where)
                self.expression(then, where.under(predicate, next(self.arms), condition, True))
                self.expression(otherwise, where.under(predicate, next(self.arms), condition, False))
            case _:
                for part in parts(expression):
                    self.expression(part, where)
                if isinstance(expression, Call) and not expression.known and not expression.closed:
                    at = self.nothing(expression.name, expression.place, where)
                    self.calls.append(Calling(expression, at, len(self.found)))
                elif isinstance(expression, Call) and expression.supposed is not None and expression.pointers:
                    at = self.nothing(expression.name, expression.place, where)
                    self.supposed.append(Calling(expression, at, len(self.found)))
                if isinstance(expression, Operation) and divides(expression):
                    at = self.nothing(expression.operator, expression.place, where)
                    self.divisions.append(Division(expression, at))

    def scalar(
        self,
        variable: Variable,
        write: bool,
        where: Where,
        stored: Expression | None = None,
        within: AtomicOperation | None = None,
    ) -> None:
        place = self.place or variable.place
        access = Access(Declared(variable), (), "", 0, variable.type, 0, variable.name, place)
        position = len(self.scalars)
        self.scalars.append(Occurrence(access, write, position, where, None, stored, within))

    def access(
        self,
        access: Access,
        write: bool,
        where: Where,
        update: Update | None = None,
        stored: Expression | None = None,
        within: AtomicOperation | None = None,
    ) -> None:
        position = len(self.found)
        if update is None and access.object in self.summed:
            update = Update(access, "+", floating=True, others=())
        self.found.append(Occurrence(access, write, position, where, update, stored, within))


def divides(operation: Operation) -> bool:
    """Whether the operation is a division of integers."""
    return operation.operator in ("/", "%") and isinstance(operation.type, Integer)


def distinct(found: Iterable[Occurrence]) -> Iterator[Occurrence]:
    """One of every set of accesses that are alike in all that a dependence test looks at; two of stores that do not all
    leave the same value, since no third one leaves the same as both. Example: `a[i] = 1; a[i] = 2; a[k] = 1`."""
    seen: dict[Hashable, Occurrence | None] = {}
    for o in found:
        alike = kind(o)
        if alike not in seen:
            seen[alike] = o if _leaves_steady_value(o) else None
            yield o
        elif (first := seen[alike]) is not None and not _leave_the_same(first, o):
            seen[alike] = None
            yield o


def _leaves_steady_value(o: Occurrence) -> bool:
    """Whether a store leaves what it may leave in each iteration: nothing that is read from memory, or given."""
    computed = (Literal, Use, Convert, Operation)
    return o.write and o.stored is not None and all(isinstance(e, computed) for e in walk(o.stored))


def _leave_the_same(a: Occurrence, b: Occurrence) -> bool:
    return a.stored is not None and b.stored is not None and same(a.stored, b.stored)


def kind(o: Occurrence) -> Hashable:
    """Equal for accesses that are alike in all that a dependence test looks at."""
    operator = o.update.operator if o.update else ""
    place = (o.access.object, o.access.subscripts, o.access.offset, o.access.size, o.access.type)
    guards = tuple((g.depth, g.predicate) for g in o.guards)
    return (place, o.write, tuple(loop.key for loop in o.loops), guards, o.test, operator)
