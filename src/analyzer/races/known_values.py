"""The integers that arrays hold, where the program itself sets all of them before a loop.

*Decides*: the value of a polynomial in an iteration, with what it reads from memory; what the elements of an array are
before a loop runs. *Method*: the stores of the function to the array are done one by one, in their order, behind what
its declaration initialises it with.
*Errs toward* unknown: a store of what is not known, under a condition that is not, through a pointer that leads
anywhere; a loop around both the stores and the loop; more than MOST_STORES.

    for (i = 0; i < 100; i++) perm[i] = 99 - i;    ... x[perm[i]] ...                      ->  x[99], x[98], ...
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from typing import TypeAlias

from msgspec import Struct, field

from ..dependence.witness.arithmetic import COMPARISONS, StuckError, binary, quotient, unary
from ..ir.arithmetic import modulo
from ..ir.c_library import effect
from ..ir.nodes import (
    Access,
    All,
    Any,
    Choice,
    Compare,
    Computed,
    Convert,
    Counter,
    Data,
    Declared,
    Either,
    Entry,
    Expression,
    Flipped,
    Literal,
    Load,
    Loaded,
    Loop,
    Object,
    Operation,
    Outermost,
    Predicate,
    Quotient,
    Remainder,
    Rest,
    Share,
    Steps,
    Use,
    Variable,
)
from ..ir.polynomials import Poly, Symbol
from ..source.ctypes import CType, Integer
from .recorded import Recorded, Step

SAMPLE = 24
"""A number of elements that a program may have."""

SAMPLE_OF_STEPS = 16
"""A value that a loop around may give to a variable, such as one that it doubles."""

MOST_STORES = 50_000
"""In one function."""

Env: TypeAlias = Mapping[Symbol, int]
"""The counters of the loops around."""

Visit: TypeAlias = tuple[tuple[int, ...], int, tuple[int, ...], bool]
"""Iterations of the loops around a loop, that of the loop itself, the place, and whether it is certain."""

Elements: TypeAlias = dict[tuple[int, ...], int]
"""What an array holds, by its subscripts."""

class UnknownValueError(Exception):
    """That a value is not known: "the error" below."""


class Values(Struct):
    """Of one function. `initial`: what the declaration of an array says that it holds; `apart`: whether two objects are
    different memory."""

    record: Recorded
    initial: Callable[[Variable], Sequence[int] | None]
    apart: Callable[[Object, Object], bool]
    free: Symbol | None = None
    """A value that may be any, as which a sample is taken."""
    samples: dict[Symbol, "Values"] = field(default_factory=dict)
    seen: dict[tuple[int, int, bool], list[Visit] | None] = field(default_factory=dict)
    """By key of a loop, and the place of a step: where that gets in each iteration (`by_values`)."""
    _held: dict[tuple[Object, str, int, int], Elements | None] = field(default_factory=dict)
    _done: int = 0

    def of(self, value: Poly, env: Env, before: int) -> int:
        """A polynomial; what it reads from memory, as that is `before` a place in program order. Raises the error."""
        return value.evaluate({s: self._symbol(s, env, before) for s in value.symbols})

    def sampled(self, s: Symbol) -> "Values":
        """The same, with a number for a value that is not known."""
        if s not in self.samples:
            self.samples[s] = Values(self.record, self.initial, self.apart, s)
        return self.samples[s]

    def trip(self, loop: Loop, env: Env, before: int) -> int:
        """How many iterations a loop has. Raises the error."""
        if not loop.trip or not loop.exact_trip or loop.at_least:
            raise UnknownValueError
        counts = (-(-self.of(r.numerator, env, before) // r.denominator) for r in loop.trip)
        return max(0, min(counts))

    def place(self, access: Access, env: Env, before: int) -> tuple[int, ...]:
        """The subscripts of an access; how many bytes it is from the start, where it has several. Raises the error."""
        if any(s.row_pointer for s in access.subscripts):
            raise UnknownValueError
        found = tuple(self.of(s.index, env, before) for s in access.subscripts)
        if len(found) < 2:
            return found
        strides = [None if s.stride is None else s.stride.constant for s in access.subscripts]
        parts = [i * stride for i, stride in zip(found, strides, strict=True) if stride is not None]
        if len(parts) < len(found):
            raise UnknownValueError
        return (sum(parts),)

    def holds(self, predicate: Predicate, env: Env, before: int) -> bool:
        """Raises the error."""
        match predicate:
            case Compare(value=value, relation=relation, modulus=0):
                return COMPARISONS[relation](self.of(value, env, before), 0)
            case All(parts=parts):
                return all([self.holds(p, env, before) for p in parts])
            case Any(parts=parts):
                return any([self.holds(p, env, before) for p in parts])
            case Data() | _:
                raise UnknownValueError

    def _symbol(self, s: Symbol, env: Env, before: int) -> int:
        match s.origin:
            case _ if s == self.free:
                made_in_a_loop = isinstance(s.origin, Entry | Computed) and s.origin.loops
                return SAMPLE_OF_STEPS if made_in_a_loop else SAMPLE
            case Counter() if s in env:
                return env[s]
            case Loaded(access=access):
                return _element(self._before(access, before), self.place(access, env, before))
            case Quotient(value=value, divisor=divisor, floor=floor):
                return _quotient(self.of(value, env, before), divisor, floor)
            case Remainder(value=value, divisor=divisor, floor=floor):
                number = self.of(value, env, before)
                return number - divisor * _quotient(number, divisor, floor)
            case Computed(meaning=Outermost(kind=kind, values=values)):
                return (max if kind == "max" else min)(self.of(v, env, before) for v in values)
            case Computed(meaning=Share(value=value, divisor=divisor)):
                return _quotient(self.of(value, env, before), self._divisor(divisor, env, before), False)
            case Computed(meaning=Rest(value=value, divisor=divisor)):
                number, by = self.of(value, env, before), self._divisor(divisor, env, before)
                return number - by * _quotient(number, by, False)
            case Computed(meaning=Flipped(value=value, divisor=mask)):
                return self.of(value, env, before) ^ self.of(mask, env, before)
            case Computed(meaning=Steps(distance=value, width=width)):
                by = self._divisor(width, env, before)
                return max(0, -(-self.of(value, env, before) // by))
            case Computed(meaning=Either(values=(then, otherwise), decided=Compare() as test)):
                return self.of(then if self.holds(test, env, before) else otherwise, env, before)
            case _:
                raise UnknownValueError

    def _divisor(self, value: Poly, env: Env, before: int) -> int:
        found = self.of(value, env, before)
        if found <= 0:
            raise UnknownValueError
        return found

    # --- what arrays hold

    def _before(self, access: Access, before: int) -> Elements:
        """What an object, or one member of its elements, holds before a place of the program, after all that is stored
        there. Raises the error."""
        key = (access.object, access.field, access.offset, before)
        if key not in self._held:
            self._held[key] = None
            with suppress(UnknownValueError):
                self._held[key] = self._filled(access, before)
        held = self._held[key]
        if held is None:
            raise UnknownValueError
        return held

    def _filled(self, access: Access, before: int) -> Elements:
        x = access.object
        stores = [s for s in self.record.steps if s.occurrence.write and not self._is_elsewhere(s, access)]
        around = [key for key, (first, end) in self.record.extents.items() if first < before < end]
        if any(s.at >= before or {loop.key for loop in s.occurrence.loops} & {*around} for s in stores):
            raise UnknownValueError
        if any(not _is_like(s.occurrence.access, access) for s in stores) or self._is_given(x):
            raise UnknownValueError
        held = {} if access.field else self._listed(x)
        self._store(stores, 0, {}, held)
        return held

    def _is_elsewhere(self, store: Step, access: Access) -> bool:
        """Whether it stores to another object, or to another member of an element."""
        stored = store.occurrence.access
        if stored.object != access.object:
            return self.apart(stored.object, access.object)
        beside = stored.offset + stored.size <= access.offset or access.offset + access.size <= stored.offset
        sized = stored.field and access.field and stored.size and access.size
        return bool(sized) and len(stored.subscripts) == len(access.subscripts) and beside

    def _is_given(self, x: Object) -> bool:
        """Whether a call that is not seen gets the address, and may store there."""
        calls = (s.call for s in self.record.steps if s.call is not None and x in s.call.pointers)
        return any((known := effect(c.name)) is None or not known.keeps_values for c in calls)

    def _listed(self, x: Object) -> Elements:
        listed = self.initial(x.variable) if isinstance(x, Declared) else None
        return {(i,): value for i, value in enumerate(listed or ())}

    def _store(self, stores: list[Step], level: int, env: Env, held: Elements) -> None:
        """Does stores that stand in the same loops down to a level."""
        for key, group in groupby(stores, key=lambda s: next((x.key for x in s.occurrence.loops[level:]), None)):
            these = [*group]
            if key is None:
                for s in these:
                    self._store_one(s, env, held)
                continue
            loop, begin = these[0].occurrence.loops[level], self.record.extents[key][0]
            for n in range(self.trip(loop, env, begin)):
                self._store(these, level + 1, {**env, loop.counter: n}, held)

    def _store_one(self, s: Step, env: Env, held: Elements) -> None:
        self._done += 1
        o, type_ = s.occurrence, s.occurrence.access.type
        if self._done > MOST_STORES or o.stored is None or not isinstance(type_, Integer):
            raise UnknownValueError
        begin = self.record.extents[o.loops[0].key][0] if o.loops else s.at
        if all([self.holds(g.predicate, env, begin) for g in s.conditions]):
            reader = _Reader(self, env, begin, o.access, held)
            held[self.place(o.access, env, begin)] = _as(reader.of(o.stored), type_)


def _is_like(x: Access, y: Access) -> bool:
    """Whether both are to one object, or to one member of its elements."""
    return (x.object, x.field, x.offset, x.size) == (y.object, y.field, y.offset, y.size)


class _Reader(Struct):
    """Reads expressions while an object is filled: what is in that is `held`."""

    values: Values
    env: Env
    before: int
    filled: Access
    held: Elements

    def of(self, e: Expression) -> int:
        """Raises the error."""
        match e:
            case Literal(value=int(number)):
                return number
            case Use(value=Poly() as value):
                return self.values.of(value, self.env, self.before)
            case Load(access=access):
                place = self.values.place(access, self.env, self.before)
                own = _is_like(access, self.filled)
                return _element(self.held if own else self.values._before(access, self.before), place)
            case Convert(type=type_, argument=argument):
                return _as(self.of(argument), type_)
            case Choice(operator="?:", condition=condition, then=then, otherwise=otherwise):
                return self.of(then) if self.of(condition) else self.of(otherwise)
            case Operation(operator=operator, type=Integer() as type_, arguments=arguments):
                return _computed(operator, [*map(self.of, arguments)], type_)
            case _:
                raise UnknownValueError


def _element(held: Elements, place: tuple[int, ...]) -> int:
    if place not in held:
        raise UnknownValueError
    return held[place]


def _quotient(value: int, divisor: int, floor: bool) -> int:
    return value // divisor if floor else quotient(value, divisor)


def _computed(operator: str, numbers: Sequence[int], type_: Integer) -> int:
    """The value of an operation on integers. Raises the error, also where C leaves it undefined."""
    try:
        match numbers:
            case [x]:
                return int(unary(operator, x, type_))
            case [x, y]:
                return int(binary(operator, x, y, type_))
            case _:
                raise UnknownValueError
    except StuckError as error:
        raise UnknownValueError from error


def _as(value: int, type_: CType) -> int:
    """Converted to an integer type."""
    if not isinstance(type_, Integer):
        raise UnknownValueError
    return modulo(value, type_)
