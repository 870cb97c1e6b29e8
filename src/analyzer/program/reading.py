"""From the IR of a function to its outline: loops by their ids, calls with what is passed, memory by where it is from.

Functions are lowered here without the bodies of what they call, so that each call is there to be followed, into another
file if need be. Loops keep the facts that were found with everything inlined.
"""

import os
from collections.abc import Iterable, Iterator
from functools import cached_property

from msgspec.structs import replace

from models.expr import Expr, add, mul, sym

from ..facts import FileFacts, FunctionFacts
from ..loops import lower_function
from ..loops.calls import ALLOCATORS
from ..loops.ir import (
    Access,
    Address,
    Allocated,
    Anything,
    Assign,
    Branch,
    Call,
    Choice,
    Compare,
    Computed,
    Convert,
    Counter,
    Declared,
    Entry,
    Evaluate,
    Expression,
    Function,
    Literal,
    Load,
    Loaded,
    Loop,
    Object,
    Operation,
    Pointee,
    Predicate,
    Remainder,
    Rows,
    Statement,
    Text,
    Use,
    Variable,
    expressions,
    statements,
    walk,
)
from ..places import Place
from ..polyhedra.poly import Poly, number
from ..source.ctypes import Array as ArrayType
from ..source.ctypes import CType
from ..source.ctypes import Pointer as PointerType
from ..source.unit import Definition, Unit
from .outline import Argument, Fork, Invoke, Nest, Outline, Pointer, Region, Result, Same, Step, Touch

LARGEST_FUNCTION = 3000
"""Statements of a function that is read; a larger one is called without being looked into."""


def outlines(unit: Unit, files: Iterable[FileFacts]) -> tuple[Outline, ...]:
    """Of every function of a unit whose body was parsed; `files`: the facts of its file and headers."""
    facts = {f.function.place: f for file in files for f in file.functions}
    alone = replace(unit, functions=())
    found = (_read(alone, d, facts.get(d.place)) for d in unit.functions if d.node is not None)
    return tuple(outline for outline in found if outline is not None)


def _read(unit: Unit, definition: Definition, facts: FunctionFacts | None) -> Outline | None:
    """An error of ours costs this function: calls of it are not followed."""
    try:
        return _outline(unit, definition, facts)
    except (Exception, RecursionError, MemoryError):
        if os.environ.get("BOATHULL_DEBUG"):
            raise
        return None


def _outline(unit: Unit, definition: Definition, facts: FunctionFacts | None) -> Outline | None:
    function = lower_function(unit, definition)
    if not function.complete or sum(1 for _ in statements(function.body)) > LARGEST_FUNCTION:
        return None
    assert definition.node is not None
    reader = _Reader(unit, function, facts)
    body = reader.steps(function.body)
    return Outline(
        name=function.name,
        path=function.place.path,
        line=function.place.line,
        parameters=tuple(p.name for p in function.parameters),
        body=(*reader.parameters(), *reader.choices, *body),
        regions=tuple(reader.regions.values()),
        arrays=reader.arrays(),
        labels=reader.labels,
        facts=facts if facts is not None and facts.loops else None,
        is_static="static" in (definition.node.decl.storage or ()),
    )


class _Reader:
    """Reads one function; `regions` and `labels` collect what its statements name."""

    def __init__(self, unit: Unit, function: Function, facts: FunctionFacts | None) -> None:
        self.unit, self.function, self.facts = unit, function, facts
        self.regions: dict[Pointer, Region] = {}
        self.labels: dict[Pointer, str] = {}
        self.choices: list[Step] = []
        self.pending: dict[Place, list[str]] = {}
        for loop in facts.loops if facts is not None else ():
            self.pending.setdefault(loop.place, []).append(loop.id)

    def parameters(self) -> Iterator[Step]:
        for i, p in enumerate(self.function.parameters):
            if isinstance(p.type, PointerType):
                yield Same(self.variable(p), ("parameter", i))

    # --- statements

    def steps(self, body: tuple[Statement, ...]) -> tuple[Step, ...]:
        found: list[Step] = []
        for statement in body:
            match statement:
                case Loop():
                    waiting = self.pending.get(statement.place)
                    identity = waiting.pop(0) if waiting and not statement.inlined else None
                    found.append(Nest(identity, self.steps(statement.body)))
                case Branch():
                    found += self.evaluated(statement)
                    then, otherwise = self.steps(statement.then), self.steps(statement.otherwise)
                    if then or otherwise:
                        share = _share(statement.predicate)
                        found.append(Fork(statement.place.line, share, then, otherwise))
                case Assign():
                    found += self.evaluated(statement)
                    found += self.stored(statement)
                case Evaluate():
                    found += self.evaluated(statement)
                    if statement.text.startswith("return"):
                        pointer = self.pointer(statement.value)
                        found += [Result(pointer)] if pointer else []
                case _:
                    pass
        return tuple(_without_repeats(found))

    def evaluated(self, statement: Statement) -> Iterator[Step]:
        for expression in expressions(statement):
            for part in walk(expression):
                match part:
                    case Load(access=access):
                        yield Touch(self.of_object(access.object), access.size, False, statement.place.line)
                    case Call():
                        yield from self.called(part)
                    case _:
                        pass

    def called(self, call: Call) -> Iterator[Step]:
        if call.name in ALLOCATORS or call.known:
            return
        arguments = tuple(self.argument(a) for a in call.arguments)
        indirect = call.name not in self.unit.prototypes and not call.name.isidentifier()
        indirect = indirect or call.name in {p.name for p in self.function.parameters}
        yield Invoke(call.name, call.place.line, arguments, self.pointer(call), indirect)

    def argument(self, expression: Expression) -> Argument:
        value = _value(expression)
        return Argument(self.pointer(expression), None if value is None else _formula(value))

    def stored(self, statement: Assign) -> Iterator[Step]:
        target = statement.target
        pointed = self.pointer(statement.value)
        match target:
            case Variable():
                if isinstance(target.type, PointerType) and pointed is not None:
                    yield Same(self.variable(target), pointed)
            case Access():
                place = self.of_object(target.object)
                if isinstance(target.type, PointerType) and pointed is not None:
                    yield Same((*place, target.field), pointed)
                else:
                    yield Touch(place, target.size, True, statement.place.line)

    # --- memory

    def arrays(self) -> dict[str, dict[str, Pointer]]:
        """The memory behind the names of the arrays in the facts."""
        found: dict[str, dict[str, Pointer]] = {}
        for loop in self.facts.loops if self.facts is not None else ():
            named: dict[str, Pointer] = {}
            for statement in statements(loop.loop.body):
                for access in _accesses(statement):
                    named.setdefault(str(access.object), self.of_object(access.object))
            found[loop.id] = named
        return found

    def of_object(self, object_: Object) -> Pointer:
        match object_:
            case Declared(variable=variable):
                return self.declared(variable)
            case Pointee(variable=variable):
                return self.variable(variable)
            case Allocated(call=call, place=place):
                return self.heap(call, place, None)
            case Rows(base=base, field=field):
                return (*self.of_object(base), field)
            case Text():
                return ("text",)
            case Anything(reason=reason):
                return self.named(reason)

    def named(self, reason: str) -> Pointer:
        """A pointer that was not followed: what its variable points to at one time or another."""
        found = self.pointers.get(reason, [])
        return self.variable(found[0]) if len(found) == 1 else ("unknown", reason)

    @cached_property
    def pointers(self) -> dict[str, list[Variable]]:
        """The pointer variables of the function by name."""
        found: dict[str, list[Variable]] = {}
        used = (v for s in statements(self.function.body) for v in _variables(s))
        for variable in dict.fromkeys((*self.function.parameters, *used)):
            if isinstance(variable.type, PointerType):
                found.setdefault(variable.name, []).append(variable)
        return found

    def declared(self, variable: Variable) -> Pointer:
        match variable.scope:
            case "global":
                pointer: Pointer = ("global", variable.name)
            case "static":
                pointer = ("static", f"{self.function.name}.{variable.name}")
            case _:
                pointer = ("local", variable.name, *_position(variable.place))
        size = self.size_of(variable)
        self.regions.setdefault(pointer, Region(pointer, variable.name, size, pointer[0] == "local"))
        return pointer

    def size_of(self, variable: Variable) -> Expr | None:
        type_: CType = variable.type
        count = 1
        while isinstance(type_, ArrayType):
            length = type_.length
            if not isinstance(length, int):
                return None
            type_, count = type_.element, count * length
        size = getattr(type_, "size", None)
        return mul(count, size) if isinstance(size, int) else None

    def variable(self, variable: Variable) -> Pointer:
        """What a pointer variable points to."""
        pointer: Pointer = ("pointer", variable.name, *_position(variable.place))
        if variable.scope == "global":
            pointer = ("pointed", variable.name)
        self.labels.setdefault(pointer, variable.name)
        return pointer

    def heap(self, call: str, place: Place, size: Expr | None) -> Pointer:
        pointer: Pointer = ("heap", place.line, place.column)
        known = self.regions.get(pointer)
        if known is None or (known.bytes is None and size is not None):
            self.regions[pointer] = Region(pointer, f"{call}@{place.line}", size, call != "calloc")
        return pointer

    def pointer(self, expression: Expression) -> Pointer | None:
        """The memory that the value of an expression leads to; None where it is no pointer, or to nothing known."""
        match expression:
            case Address(object=None) | Address(object=Text()):
                return None
            case Address(object=object_) if object_ is not None:
                return self.of_object(object_)
            case Use(variable=variable, type=PointerType()):
                return self.variable(variable)
            case Load(access=access) if isinstance(access.type, PointerType):
                return (*self.of_object(access.object), access.field)
            case Convert(argument=argument):
                return self.pointer(argument)
            case Call(name=name, place=place, arguments=arguments) if name in ALLOCATORS:
                values = [_value(a) for a in arguments]
                size = number(1) if name in ("calloc", "malloc") else None
                for value in values:
                    size = None if value is None or size is None else size * value
                return self.heap(name, place, None if size is None else _formula(size))
            case Call(place=place, type=PointerType()):
                return ("result", place.line, place.column)
            case Operation(arguments=arguments):
                return next((p for a in arguments if (p := self.pointer(a)) is not None), None)
            case Choice(then=then, otherwise=otherwise):
                left, right = self.pointer(then), self.pointer(otherwise)
                if left is not None and right is not None:
                    self.choices.append(Same(left, right))
                return left or right
            case _:
                return None


def _position(place: Place) -> tuple[int, int]:
    return place.line, place.column


def _accesses(statement: Statement) -> Iterator[Access]:
    for expression in expressions(statement):
        yield from (part.access for part in walk(expression) if isinstance(part, Load))
    if isinstance(statement, Assign) and isinstance(statement.target, Access):
        yield statement.target


def _variables(statement: Statement) -> Iterator[Variable]:
    for expression in expressions(statement):
        yield from (part.variable for part in walk(expression) if isinstance(part, Use))
    if isinstance(statement, Assign) and isinstance(statement.target, Variable):
        yield statement.target


def _without_repeats(steps: list[Step]) -> Iterator[Step]:
    """Each step once between two steps that do more than touch memory."""
    seen: set[Step] = set()
    for step in steps:
        match step:
            case Touch():
                if step not in seen:
                    seen.add(step)
                    yield step
            case Same():
                yield step
            case _:
                seen.clear()
                yield step


# --- integers


def _value(expression: Expression) -> Poly | None:
    """An integer argument as a polynomial; None where it is not one."""
    match expression:
        case Literal(value=int() as value):
            return number(value)
        case Use(value=value):
            return value
        case Convert(argument=argument):
            return _value(argument)
        case Operation(operator="neg", arguments=(argument,)):
            inner = _value(argument)
            return None if inner is None else -inner
        case Operation(operator=operator, arguments=(left, right)) if operator in ("+", "-", "*", "/"):
            a, b = _value(left), _value(right)
            if a is None or b is None:
                return None
            match operator:
                case "+":
                    return a + b
                case "-":
                    return a - b
                case "*":
                    return a * b
                case _:
                    x, y = a.constant, b.constant
                    return number(x // y) if x is not None and y is not None and x >= 0 and y > 0 else None
        case _:
            return None


def _formula(poly: Poly) -> Expr | None:
    """In the names that sizes have in this function; None where a loop's counter is in it."""
    terms = []
    for monomial, factor in poly.terms:
        if not all(isinstance(s.origin, Entry | Loaded | Computed) for s in monomial):
            return None
        terms.append(mul(factor, *(sym(s.name) for s in monomial)))
    return add(0, *terms)


def _share(predicate: Predicate) -> float | None:
    """How often a condition on the counter of a loop holds: `t % 100 == 0` every hundredth time."""
    match predicate:
        case Compare(value=value, relation="==" | "!=" as relation):
            symbols = list(value.symbols)
            if len(symbols) == 1 and isinstance(symbols[0].origin, Remainder) and _counts(symbols[0].origin):
                share = 1 / symbols[0].origin.divisor
                return share if relation == "==" else 1 - share
            return None
        case _:
            return None


def _counts(remainder: Remainder) -> bool:
    """Whether it is of a loop's counter that takes every value."""
    symbols = list(remainder.value.symbols)
    return len(symbols) == 1 and isinstance(symbols[0].origin, Counter) and remainder.value.degree == 1
