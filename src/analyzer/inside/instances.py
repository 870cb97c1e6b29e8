"""The statements of a nest as sets of instances, and what each instance touches.

A statement here is an assignment, a condition or a loop test that reads or writes something that another instance may
touch: arrays, pointed-to objects and scalars. Loop variables and others that the counters replace are no memory.
"""

from collections.abc import Iterator
from itertools import count
from typing import TypeAlias, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from ..ir.nodes import (
    Access,
    Assign,
    Branch,
    Call,
    Choice,
    Counter,
    Entry,
    Evaluate,
    Exit,
    Expression,
    Function,
    Load,
    Loop,
    Opaque,
    Predicate,
    Quotient,
    Refused,
    Remainder,
    Statement,
    Use,
    Variable,
    evaluated,
    expressions,
    negate,
    parts,
    statements,
)
from ..ir.polynomials import Poly, Symbol

Target: TypeAlias = Access | Variable


class Touch(Struct, frozen=True):
    """One read or write. `under`: conditions within the statement (`?:`, `&&`, `||`)."""

    target: Target
    write: bool
    under: tuple[Predicate, ...] = ()


class Instance(Struct, frozen=True):
    """A statement with the loops of the nest around it and the conditions `under` which it runs. `order`: its position,
    and that of every loop around it but the outermost, in the list of statements it stands in. `test`: the test of the
    innermost loop, which runs once more than the body."""

    text: str
    line: int
    loops: tuple[Loop, ...]
    under: tuple[Predicate, ...]
    order: tuple[int, ...]
    test: bool
    touches: tuple[Touch, ...]


class Body(Struct, frozen=True):
    """All instances of a nest; `notes` say what is not among them. `leaves`: a jump may keep instances from running."""

    instances: tuple[Instance, ...]
    notes: tuple[str, ...]
    leaves: bool


def instances(function: Function, root: Loop) -> Body:
    """The instances of the nest rooted at `root`."""
    walker = _Walker(_memory(function), _assigned(root))
    walker.loop(root, _Where())
    leaves = any(isinstance(s, Exit) for s in statements(root.body))
    return Body(tuple(walker.found), tuple(dict.fromkeys(walker.notes)), leaves)


def _memory(function: Function) -> frozenset[int]:
    """Keys of the scalars whose value is read as such somewhere, and of those that others can see."""
    keys: set[int] = set()
    counted: set[int] = set()
    for statement in statements(function.body):
        used = (e for e in evaluated(statement) if isinstance(e, Use) and not _is_counted(e.value))
        keys.update(e.variable.key for e in used)
        match statement:
            case Assign(target=Variable() as v) if v.addressed or v.scope in ("global", "static"):
                keys.add(v.key)
            case Loop(inductions=inductions):
                counted.update(i.variable.key for i in inductions)
            case _:
                pass
    return frozenset(keys - counted)


def _is_counted(value: Poly | None) -> bool:
    """Whether a value is a formula in counters and in what the function was called with."""
    return value is not None and all(map(_is_fixed, value.symbols))


def _is_fixed(s: Symbol) -> bool:
    match s.origin:
        case Counter():
            return True
        case Entry(line=line, loops=made_in):
            return not line and not made_in
        case Quotient(value=value) | Remainder(value=value):
            return _is_counted(value)
        case _:
            return False


def _assigned(root: Loop) -> frozenset[int]:
    """Keys of the scalars that the nest assigns: the others only deliver a value from outside."""
    targets = (s.target for s in statements(root.body) if isinstance(s, Assign))
    return frozenset(t.key for t in targets if isinstance(t, Variable))


class _Where(Struct, frozen=True):
    loops: tuple[Loop, ...] = ()
    under: tuple[Predicate, ...] = ()
    order: tuple[int, ...] = ()

    def given(self, predicate: Predicate) -> "_Where":
        return replace(self, under=(*self.under, predicate))


class _Walker(Struct):
    memory: frozenset[int]
    assigned: frozenset[int]
    found: list[Instance] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def loop(self, loop: Loop, where: _Where) -> None:
        inside = replace(where, loops=(*where.loops, loop))
        self.body(loop.body, inside, count())

    def body(self, body: tuple[Statement, ...], where: _Where, places: Iterator[int]) -> None:
        for statement in body:
            self.statement(statement, where, places)

    def statement(self, statement: Statement, where: _Where, places: Iterator[int]) -> None:
        match statement:
            case Assign(target=target, induction=induction):
                if not induction:
                    touches = [*self.reads(statement)]
                    if isinstance(target, Access) and target.bits:
                        touches.append(Touch(target, False))  # the rest of the unit is kept
                    if isinstance(target, Access) or target.key in self.memory:
                        touches.append(Touch(target, True))
                        self.add(statement.text, statement.place.line, where, places, touches)
            case Evaluate(control=control):
                once_more = control and where.loops[-1].kind != "do"
                touches = list(self.reads(statement))
                self.add(statement.text, statement.place.line, where, places, touches, once_more)
            case Branch(predicate=predicate, then=then, otherwise=otherwise):
                self.add(statement.text, statement.place.line, where, places, list(self.reads(statement)))
                self.body(then, where.given(predicate), places)
                self.body(otherwise, where.given(negate(predicate)), places)
            case Loop():
                self.loop(statement, replace(where, order=(*where.order, next(places))))
            case Exit(kind=kind, place=place):
                self.notes.append(f"line {place.line}: the {kind} may end iterations early; domains are upper bounds")
            case Refused(message=message, place=place):
                self.notes.append(f"line {place.line}: not in these relations: {message}")
            case _:
                assert_never(statement)

    def add(
        self, text: str, line: int, where: _Where, places: Iterator[int], touches: list[Touch], test: bool = False
    ) -> None:
        if touches:
            order = (*where.order, next(places))
            self.found.append(Instance(text, line, where.loops, where.under, order, test, tuple(touches)))

    def reads(self, statement: Statement) -> Iterator[Touch]:
        for expression in expressions(statement):
            yield from self.expression(expression, ())

    def expression(self, expression: Expression, under: tuple[Predicate, ...]) -> Iterator[Touch]:
        match expression:
            case Choice(condition=condition, predicate=predicate, then=then, otherwise=otherwise):
                yield from self.expression(condition, under)
                yield from self.expression(then, (*under, predicate))
                yield from self.expression(otherwise, (*under, negate(predicate)))
                return
            case Use(variable=variable) if variable.key in self.assigned & self.memory:
                yield Touch(variable, False, under)
            case Call(name=name, known=known, place=place) if not known or expression.pointers:
                self.notes.append(f"line {place.line}: what {name}() reads and writes is not in these relations")
            case Opaque(reason=reason) if reason != "void":
                self.notes.append(f"not in these relations: {reason}")
            case _:
                pass
        for part in parts(expression):
            yield from self.expression(part, under)
        if isinstance(expression, Load):
            yield Touch(expression.access, False, under)
