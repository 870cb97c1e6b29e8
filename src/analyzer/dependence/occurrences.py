"""Every evaluated access of a function with what surrounds it: loops, conditions, and its order in the program."""

from collections.abc import Hashable, Iterator, Mapping
from itertools import count
from typing import assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from ..loops.ir import (
    Access,
    Assign,
    Branch,
    Choice,
    Evaluate,
    Exit,
    Expression,
    Function,
    Load,
    Loop,
    Predicate,
    Refused,
    Statement,
    negate,
    parts,
)
from .updates import Update, extremum_of, update_of


class Guard(Struct, frozen=True):
    """A condition that holds at an access. `depth`: number of loops around the branch; `arm` tells branches of equal
    conditions apart."""

    depth: int
    predicate: Predicate
    arm: int


class Occurrence(Struct, frozen=True):
    """One access where it stands. `loops`: those around it, outermost first. `test`: it belongs to the test of the
    innermost loop, which is evaluated once more than the body. `update`: it reads or writes the accumulator of this
    update. `stored`: the expression whose value is written."""

    access: Access
    write: bool
    position: int
    loops: tuple[Loop, ...]
    guards: tuple[Guard, ...]
    test: bool = False
    update: Update | None = None
    stored: Expression | None = None

    @property
    def line(self) -> int:
        return self.access.place.line


class Occurrences(Struct, frozen=True):
    """All accesses in program order; `ranges`: positions inside each loop, by its key; `around`: loops and conditions
    around each loop."""

    all: tuple[Occurrence, ...]
    ranges: Mapping[int, tuple[int, int]]
    around: Mapping[int, tuple[tuple[Loop, ...], tuple[Guard, ...]]]

    def inside(self, loop: Loop) -> tuple[Occurrence, ...]:
        start, end = self.ranges[loop.key]
        return self.all[start:end]


def occurrences(function: Function) -> Occurrences:
    collector = _Collector([], {}, {})
    collector.body(function.body, _Where((), ()))
    return Occurrences(tuple(collector.found), collector.ranges, collector.around)


class _Where(Struct, frozen=True):
    loops: tuple[Loop, ...]
    guards: tuple[Guard, ...]
    test: bool = False

    def under(self, predicate: Predicate, arm: int) -> "_Where":
        return replace(self, guards=(*self.guards, Guard(len(self.loops), predicate, arm)))


class _Collector(Struct):
    found: list[Occurrence]
    ranges: dict[int, tuple[int, int]]
    around: dict[int, tuple[tuple[Loop, ...], tuple[Guard, ...]]]
    arms: Iterator[int] = field(default_factory=count)

    def body(self, body: tuple[Statement, ...], where: _Where) -> None:
        for statement in body:
            self.statement(statement, where)

    def statement(self, statement: Statement, where: _Where) -> None:
        match statement:
            case Assign():
                self.assign(statement, where)
            case Evaluate(value=value, control=control):
                self.expression(value, replace(where, test=control))
            case Branch():
                self.branch(statement, where)
            case Loop(body=body):
                start = len(self.found)
                self.around[statement.key] = (where.loops, where.guards)
                self.body(body, _Where((*where.loops, statement), where.guards))
                self.ranges[statement.key] = (start, len(self.found))
            case Exit() | Refused():
                pass
            case _:
                assert_never(statement)

    def assign(self, statement: Assign, where: _Where) -> None:
        target = statement.target
        update = update_of(statement) if isinstance(target, Access) else None
        for part in (*statement.index, *(update.others if update else (statement.value,))):
            self.expression(part, where)
        if isinstance(target, Access):
            if update:
                self.access(target, False, where, update)
            self.access(target, True, where, update, statement.value)

    def branch(self, statement: Branch, where: _Where) -> None:
        update = extremum_of(statement)
        if update is None or not isinstance(update.target, Access):
            self.expression(statement.condition, where)
            self.body(statement.then, where.under(statement.predicate, next(self.arms)))
            self.body(statement.otherwise, where.under(negate(statement.predicate), next(self.arms)))
            return
        (fold,) = statement.then
        assert isinstance(fold, Assign)
        for part in (*fold.index, *update.others):
            self.expression(part, where)
        self.access(update.target, False, where, update)
        self.access(update.target, True, where.under(statement.predicate, next(self.arms)), update)

    def expression(self, expression: Expression, where: _Where) -> None:
        match expression:
            case Load(access=access, index=index):
                for part in index:
                    self.expression(part, where)
                self.access(access, False, where)
            case Choice(condition=condition, predicate=predicate, then=then, otherwise=otherwise):
                self.expression(condition, where)
                self.expression(then, where.under(predicate, next(self.arms)))
                self.expression(otherwise, where.under(negate(predicate), next(self.arms)))
            case _:
                for part in parts(expression):
                    self.expression(part, where)

    def access(
        self,
        access: Access,
        write: bool,
        where: _Where,
        update: Update | None = None,
        stored: Expression | None = None,
    ) -> None:
        position = len(self.found)
        self.found.append(
            Occurrence(access, write, position, where.loops, where.guards, where.test, update, stored)
        )


def distinct(found: tuple[Occurrence, ...]) -> Iterator[Occurrence]:
    """One of every set of accesses that are alike in all that a dependence test looks at."""
    seen = set()
    for o in found:
        if kind(o) not in seen:
            seen.add(kind(o))
            yield o


def kind(o: Occurrence) -> Hashable:
    """Equal for accesses that are alike in all that a dependence test looks at."""
    operator = o.update.operator if o.update else ""
    place = (o.access.object, o.access.subscripts, o.access.offset, o.access.size, o.access.type)
    guards = tuple((g.depth, g.predicate) for g in o.guards)
    return (place, o.write, tuple(loop.key for loop in o.loops), guards, o.test, operator)
