"""From the IR of a function to its outline: loops by their ids, calls with what is passed, memory by where it is from.

Functions are lowered here without the bodies of what they call, so that each call is there to be followed, into another
file if need be. Loops keep the facts that were found with everything inlined.
"""

import os
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import assert_never

from msgspec.structs import replace

from models.expr import Expr, Num

from ..access.nest_limits import depth
from ..base.places import Place
from ..dependence.premises import settled
from ..facts.loop import FileFacts, FunctionFacts, SizeSymbol
from ..ir.c_library import ALLOCATORS
from ..ir.formula_names import mean_trip
from ..ir.nodes import (
    Access,
    Assign,
    Branch,
    Call,
    Convert,
    Evaluate,
    Exit,
    Expression,
    Function,
    Load,
    Loop,
    Operation,
    Refused,
    Statement,
    Use,
    Variable,
    evaluated,
    statements,
    walk,
)
from ..loops import lower_function
from ..source.ctypes import Array as ArrayType
from ..source.ctypes import CType, Integer
from ..source.ctypes import Function as FunctionType
from ..source.ctypes import Pointer as PointerType
from ..source.unit import Definition, Unit
from .integers import integer, period
from .linking import DEFAULT_ENTRY
from .outline import (
    Argument,
    Fork,
    Invoke,
    Leave,
    Nest,
    Outline,
    Put,
    Result,
    Same,
    Step,
    Touch,
    open_sizes,
    without_code,
)
from .pointing import Pointing, arrays, depends, moves

INT_SIZE = 4
"""Bytes of the smallest type whose values are passed as they are: what is narrower may be cut."""

LARGEST_FUNCTION = 3000
"""Statements of a function that is read; a larger one is called without being looked into."""

DEEPEST_FUNCTION = 100
"""Loops and branches inside each other, likewise: what is handed between processes must not be nested deeper. Each
`if (x) return;` holds all that follows it."""


def outlines(
    unit: Unit, files: Iterable[FileFacts], *, is_all: bool = False, sizes_only: bool = False
) -> tuple[Outline, ...]:
    """Of every function of a unit whose body was parsed; `files`: the facts of its file and headers. `sizes_only`: what
    they say of sizes is all that is wanted, and they have no facts of loops.

    `is_all`: the unit is the whole program, and no sizes are given. Then a function that nothing calls, with a size
    that only a caller could say, settles that there is no answer, and nothing else is read."""
    facts = {f.function.place: f for file in files for f in file.functions}
    parsed = [d for d in unit.functions if d.node is not None]
    visible = frozenset(d.name for d in parsed)
    alone = replace(unit, functions=())
    if is_all and DEFAULT_ENTRY not in visible:
        called = frozenset[str]().union(*(d.calls for d in parsed))
        by_place = {d.place: d for d in parsed if d.name not in called and not d.borrowed}
        for place, found in facts.items():  # those of the file itself first
            if place in by_place and open_sizes(found, ()):
                outline = _read(alone, by_place[place], found, visible, sizes_only)
                if outline is not None:
                    return (outline,)
    read = (_read(alone, d, facts.get(d.place), visible, sizes_only) for d in parsed if not d.borrowed)
    return tuple(outline for outline in read if outline is not None)


def open_trips(file: FileFacts) -> Iterator[SizeSymbol]:
    """Sizes that stand for how often the loops run of which that is not known, so that a user can give them."""
    for function in file.functions:
        for loop in function.loops:
            trips = loop.counts.trip_count
            if trips is None or trips.expr is None:
                yield SizeSymbol(mean_trip(loop.place.line), loop.function, None, "unknown")


def _read(
    unit: Unit, definition: Definition, facts: FunctionFacts | None, visible: frozenset[str], sizes_only: bool
) -> Outline | None:
    """An error of ours costs this function: calls of it are not followed."""
    try:
        return _outline(unit, definition, facts, visible, sizes_only)
    except (Exception, RecursionError, MemoryError):
        if os.environ.get("BOATHULL_DEBUG"):
            raise
        return None


def _outline(
    unit: Unit, definition: Definition, facts: FunctionFacts | None, visible: frozenset[str], sizes_only: bool
) -> Outline | None:
    if facts is not None and facts.loops and not definition.calls & visible and not _has_inlined(facts.function):
        function = facts.function
    else:
        function = settled(lower_function(unit, definition))
    if not function.complete or sum(1 for _ in statements(function.body)) > LARGEST_FUNCTION:
        return None
    if depth(function.body, branches=True) > DEEPEST_FUNCTION:
        return None
    assert definition.node is not None
    reader = _Reader(unit, function, facts)
    body = reader.steps(function.body)
    pointing = reader.pointing
    made = Outline(
        name=function.name,
        path=function.place.path,
        line=function.place.line,
        parameters=tuple(p.name for p in function.parameters),
        body=(*reader.parameters(), *pointing.choices, *body),
        regions=tuple(pointing.regions.values()),
        labels=pointing.labels,
        is_static="static" in (definition.node.decl.storage or ()),
        blocks=frozenset(reader.blocks),
    )
    if facts is None or not facts.loops:
        return made
    named, varying, other = arrays(facts, unit.statics)
    return replace(
        made,
        facts=None if sizes_only else without_code(facts),
        arrays=named,
        varying=varying,
        body=(*made.body, *other.choices),
        regions=tuple({**other.regions, **pointing.regions}.values()),
        labels={**other.labels, **pointing.labels},
    )


def _has_inlined(function: Function) -> bool:
    """Whether loops of another function stand in it, be it of one that is called through a pointer."""
    return any(isinstance(s, Loop) and s.inlined for s in statements(function.body))


class _Reader:
    """Reads the statements of one function."""

    def __init__(self, unit: Unit, function: Function, facts: FunctionFacts | None) -> None:
        self.unit, self.function = unit, function
        self.pointing = Pointing(function, unit.statics)
        self.walking = {
            s.target
            for s in statements(function.body)
            if isinstance(s, Assign) and isinstance(s.target, Variable) and isinstance(s.target.type, PointerType)
            if s.induction or isinstance(s.value, Operation)
        }
        local = (v for s in statements(function.body) for v in _set_by(s) if v.scope == "local")
        self.blocks = {self.pointing.variable(v) for v in local if _is_to_array(v.type)}
        self.around: list[int] = []
        self.pending: dict[Place, list[str]] = {}
        for loop in facts.loops if facts is not None else ():
            self.pending.setdefault(loop.place, []).append(loop.id)

    def parameters(self) -> Iterator[Step]:
        for i, p in enumerate(self.function.parameters):
            if isinstance(p.type, PointerType):
                yield Same(self.pointing.variable(p), ("parameter", i))

    def steps(self, body: tuple[Statement, ...]) -> tuple[Step, ...]:
        found: list[Step] = []
        for statement in body:
            match statement:
                case Loop():
                    waiting = self.pending.get(statement.place)
                    identity = waiting.pop(0) if waiting and not statement.inlined else None
                    self.around.append(statement.key)
                    found.append(Nest(identity, self.steps(statement.body), self.line(statement)))
                    self.around.pop()
                case Branch():
                    found += self.evaluated(statement)
                    found += [] if statement.supposed is None else [Leave(self.line(statement))]
                    then, otherwise = self.steps(statement.then), self.steps(statement.otherwise)
                    if then or otherwise:
                        when = period(statement.predicate, self.around[-1] if self.around else None)
                        found.append(Fork(self.line(statement), when, then, otherwise))
                case Assign():
                    found += self.evaluated(statement)
                    found += self.stored(statement)
                case Evaluate():
                    found += self.evaluated(statement)
                    if statement.text.startswith("return"):
                        pointer = self.pointing.pointer(statement.value)
                        found += [Result(pointer)] if pointer else []
                case Exit() | Refused():
                    found += [Leave(self.line(statement))] if _leaves(statement) else []
                case _:
                    assert_never(statement)
        return tuple(_without_repeats(found))

    def line(self, of: Statement | Call) -> int:
        """0 in a file that is included in the function."""
        return of.place.line if of.place.path == self.function.place.path else 0

    def evaluated(self, statement: Statement) -> Iterator[Step]:
        for part in evaluated(statement):
            match part:
                case Load(access=access):
                    yield self.touch(access, statement, writes=False)
                case Call():
                    yield from self.called(part)
                case _:
                    pass

    def touch(self, access: Access, statement: Statement, *, writes: bool) -> Touch:
        """An element that is another one in each iteration of the loops around stands for all of them."""
        size = None if moves(access) else access.size
        return Touch(self.pointing.of_object(access.object), size, writes, self.line(statement))

    def called(self, call: Call) -> Iterator[Step]:
        if call.name in ALLOCATORS or call.known:
            return
        types = self.unit.prototypes.get(call.name)
        into = types.parameters if isinstance(types, FunctionType) else ()
        arguments = tuple(self.argument(a, t) for a, t in zip_longest(call.arguments, into[: len(call.arguments)]))
        if call.name != "free":
            self.hand_on(call.arguments)
        indirect = call.name not in self.unit.prototypes and not call.name.isidentifier()
        indirect = indirect or call.name in {p.name for p in self.function.parameters}
        yield Invoke(call.name, self.line(call), arguments, self.pointing.pointer(call), indirect)

    def argument(self, expression: Expression, into: CType | None) -> Argument:
        """`into`: the type of the parameter, where the function is declared."""
        pointer = self.pointing.pointer(expression)
        used = [part for part in walk(expression) if isinstance(part, Use)] if pointer is not None else []
        moves = any(u.variable in self.walking or (u.value is not None and depends(u.value)) for u in used)
        return Argument(pointer, _kept(integer(expression), into) if pointer is None else None, moves)

    def hand_on(self, values: Iterable[Expression]) -> None:
        """Of a pointer to an array that is handed on as it is, nobody knows how many arrays are used."""
        for value in values:
            while isinstance(value, Convert):
                value = value.argument
            if isinstance(value, Use) and isinstance(value.type, PointerType):
                self.blocks.discard(self.pointing.variable(value.variable))

    def stored(self, statement: Assign) -> Iterator[Step]:
        target = statement.target
        self.hand_on((statement.value,))
        pointed = self.pointing.pointer(statement.value)
        match target:
            case Variable():
                if isinstance(target.type, PointerType) and pointed is not None:
                    yield Same(self.pointing.variable(target), pointed, self.line(statement))
                elif target.scope == "global" and target.name in self.unit.statics:
                    yield Put(target.name, integer(statement.value), statement.place.line)
            case Access():
                if isinstance(target.type, PointerType) and pointed is not None:
                    yield Same((*self.pointing.of_object(target.object), target.field), pointed)
                else:
                    yield self.touch(target, statement, writes=True)


def _kept(value: Expr | None, into: CType | None) -> Expr | None:
    """The value that arrives in a parameter; None where its type may not hold it."""
    match into, value:
        case Integer(size=size), Num(value=number) if size < INT_SIZE:
            return value if 0 <= number < 2 ** (8 * size - 1) else None
        case Integer(size=size), _ if size < INT_SIZE:
            return None
        case _:
            return value


def _leaves(statement: Exit | Refused) -> bool:
    """Whether it does more than to go on with a loop, or behind it."""
    return isinstance(statement, Refused) or statement.kind in ("return", "goto")


def _set_by(statement: Statement) -> Iterator[Variable]:
    if isinstance(statement, Assign) and isinstance(statement.target, Variable):
        yield statement.target


def _is_to_array(type_: CType) -> bool:
    return isinstance(type_, PointerType) and isinstance(type_.target, ArrayType)


def _without_repeats(steps: list[Step]) -> Iterator[Step]:
    """Each step once between two steps that do more than touch memory."""
    seen: set[Step] = set()
    for step in steps:
        match step:
            case Touch():
                if step not in seen:
                    seen.add(step)
                    yield step
            case Same() | Put() | Leave():
                yield step
            case _:
                seen.clear()
                yield step
