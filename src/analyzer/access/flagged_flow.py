"""The data flow of one iteration where flags say what has been assigned.

*Decides*: as `dataflow`, and beside that which numbers a flag may hold at a point, and what is certainly assigned where
it holds one of them: where ways meet, and where a test of the flag leaves only some of its values.
*Does not handle*: flags of which an address is taken; values that are no numbers in the source.

    if (k < 0) found = 0; else { v = a[k]; found = 1; }   if (!found) continue;   y = v;       ->  v is not exposed
"""

from collections.abc import Callable, Hashable, Iterable
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ..ir.arithmetic import value_range
from ..ir.nodes import (
    Assign,
    Branch,
    Choice,
    Convert,
    Expression,
    Literal,
    Loop,
    Operation,
    Statement,
    Use,
    Variable,
)
from ..source.ctypes import Integer
from .dataflow import Flow, State, assignments

MOST_VALUES = 4
"""Numbers that a flag holds."""

COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "==": int.__eq__,
    "!=": int.__ne__,
    "<": int.__lt__,
    "<=": int.__le__,
    ">": int.__gt__,
    ">=": int.__ge__,
}


class Holds(Struct, frozen=True):
    """A flag holds one of these numbers."""

    flag: int
    values: frozenset[int]


class Where(Struct, frozen=True):
    """Where a flag holds a number, something is certainly assigned."""

    flag: int
    value: int
    assigned: Hashable


Fact: TypeAlias = Holds | Where


def flags(body: Iterable[Statement]) -> frozenset[int]:
    """Keys of the variables of a function to which a body assigns numbers, or others of them, and nothing else.
    Example: `found` of the module."""
    numbers: set[int] = set()
    others: set[int] = set()
    for s, _ in assignments(body):
        assert isinstance(s.target, Variable)
        plain = isinstance(s.target.type, Integer) and not s.target.addressed and s.target.scope == "local"
        kept = plain and (_number(s.value) is not None or isinstance(_plain(s.value), Use))
        (numbers if kept else others).add(s.target.key)
    return frozenset(numbers - others)


class FlaggedFlow(Flow):
    """As `Flow`, with facts about these `flags` in its states."""

    flags: frozenset[int] = frozenset()

    def statement(self, statement: Statement, state: State, certain: bool) -> State:
        match statement:
            case Assign(target=Variable() as flag, value=value) if flag.key in self.flags:
                known = [] if state is None else list(self._of_value(flag, value, state))
                after = super().statement(statement, state, certain)
                return None if after is None else _without(after, {flag.key}) | frozenset(known)
            case Branch(condition=condition, then=then, otherwise=otherwise, place=place) if _tests(
                condition, self.flags
            ):
                self._line = place.line
                self.expression(condition, state, certain)
                if_true = self.body(then, refined(state, condition, True), False)
                if_false = self.body(otherwise, refined(state, condition, False), False)
                return self.join(if_true, if_false)
            case _:
                return super().statement(statement, state, certain)

    def _of_value(self, target: Variable, value: Expression, state: frozenset[Hashable]) -> Iterable[Fact]:
        number, other = _number(value), _plain(value)
        if number is not None and _fits(target, (number,)):
            yield Holds(target.key, frozenset((number,)))
        elif isinstance(other, Use) and other.variable.key in self.flags:
            copied = other.variable.key
            held = next((f.values for f in state if isinstance(f, Holds) and f.flag == copied), frozenset[int]())
            if held and _fits(target, held):
                yield Holds(target.key, held)
                yield from (replace(f, flag=target.key) for f in state if isinstance(f, Where) and f.flag == copied)

    def loop(self, loop: Loop, state: State, certain: bool) -> State:
        return super().loop(loop, self._of_all_turns(loop, state), certain)

    def _of_all_turns(self, loop: Loop, state: State) -> State:
        """What is known where any iteration of an inner loop begins: what the one before has left of it."""
        changed = {s.target.key for s, _ in assignments(loop.body) if isinstance(s.target, Variable)} & self.flags
        if state is None or state == (without := _without(state, changed)):
            return state
        for _ in range(MOST_VALUES):
            turn = FlaggedFlow(self.certain, self.wanted, flags=self.flags)
            known = self.join(state, turn.with_exits(turn.body(loop.body, state), "continue", loop.key))
            if known == state:
                return state
            state = known
        return without

    def expression(self, expression: Expression, state: State, certain: bool) -> None:
        match expression:
            case Choice(condition=condition, then=then, otherwise=otherwise) if _tests(condition, self.flags):
                self.expression(condition, state, certain)
                self.expression(then, refined(state, condition, True), False)
                self.expression(otherwise, refined(state, condition, False), False)
            case _:
                super().expression(expression, state, certain)

    def join(self, a: State, b: State) -> State:
        if a is None or b is None or a == b:
            return b if a is None else a
        return (a & b) | frozenset(_of_both(a, b))


def refined(state: State, condition: Expression, holds: bool) -> State:
    """What is known behind a test of a flag; None where its values do not lead there."""
    match _plain(condition):
        case Choice(condition=first, then=then, otherwise=Literal(value=0)) if holds:
            return refined(refined(state, first, True), then, True)
        case Choice(condition=first, then=Literal(value=1), otherwise=otherwise) if not holds:
            return refined(refined(state, first, False), otherwise, False)
        case _:
            pass
    test = _test(condition)
    if state is None or test is None:
        return state
    flag, is_true = test
    for fact in state:
        if isinstance(fact, Holds) and fact.flag == flag:
            left = frozenset(value for value in fact.values if is_true(value) is holds)
            if not left:
                return None
            told = (_told(state, flag, value) for value in left)
            return (state - {fact}) | {Holds(flag, left)} | frozenset.intersection(*told)
    return state


def _told(state: frozenset[Hashable], flag: int, value: int) -> frozenset[Hashable]:
    """What is assigned where a flag holds a number."""
    return frozenset(w.assigned for w in state if isinstance(w, Where) and (w.flag, w.value) == (flag, value))


def _of_both(a: frozenset[Hashable], b: frozenset[Hashable]) -> Iterable[Fact]:
    """What is known of flags where two ways meet."""
    held = [{f.flag: f.values for f in state if isinstance(f, Holds)} for state in (a, b)]
    either = [_assigned(a), _assigned(b)]
    implied = {f.assigned for f in a | b if isinstance(f, Where)}
    open_ = (either[0] | either[1] | implied) - (either[0] & either[1])
    for flag in held[0].keys() & held[1].keys():
        values = held[0][flag] | held[1][flag]
        if len(values) > MOST_VALUES:
            continue
        yield Holds(flag, values)
        for value in values:
            for x in open_:
                if all(
                    value not in known[flag] or x in assigned or Where(flag, value, x) in state
                    for known, assigned, state in zip(held, either, (a, b), strict=True)
                ):
                    yield Where(flag, value, x)


def _assigned(state: frozenset[Hashable]) -> frozenset[Hashable]:
    return frozenset(x for x in state if not isinstance(x, Holds | Where))


def _without(state: frozenset[Hashable], flags: set[int]) -> frozenset[Hashable]:
    return frozenset(x for x in state if not isinstance(x, Holds | Where) or x.flag not in flags)


def _plain(value: Expression) -> Expression:
    """A value without conversions that keep it whatever it is."""
    while isinstance(value, Convert) and isinstance(value.type, Integer):
        low, high = value_range(value.type)
        match value.argument:
            case Literal(value=int(number)):
                kept = low <= number <= high
            case Use(type=Integer() as type_) | Convert(type=Integer() as type_):
                first, last = value_range(type_)
                kept = low <= first and last <= high
            case _:
                kept = False
        if not kept:
            break
        value = value.argument
    return value


def _number(value: Expression) -> int | None:
    match _plain(value):
        case Literal(value=int(number)):
            return number
        case _:
            return None


def _fits(flag: Variable, numbers: Iterable[int]) -> bool:
    """Whether a variable holds these numbers as they are."""
    low, high = value_range(flag.type) if isinstance(flag.type, Integer) else (0, -1)
    return all(low <= number <= high for number in numbers)


def _tests(condition: Expression, flags: frozenset[int]) -> bool:
    """Whether a condition, or a part of it, asks for the value of a flag."""
    match _plain(condition):
        case Choice(condition=first, then=then, otherwise=otherwise):
            return any(_tests(part, flags) for part in (first, then, otherwise))
        case _:
            test = _test(condition)
            return test is not None and test[0] in flags


def _test(condition: Expression) -> tuple[int, Callable[[int], bool]] | None:
    """The flag that a condition asks for, and for which of its values it holds."""
    match _plain(condition):
        case Use(variable=variable):
            return variable.key, bool
        case Operation(operator="!", arguments=(inner,)):
            found = _test(inner)
            return None if found is None else (found[0], lambda value: not found[1](value))
        case Operation(operator=operator, type=Integer() as type_, arguments=(left, right)) if operator in COMPARISONS:
            number, flag = _number(right), _plain(left)
            if not type_.signed or number is None or not isinstance(flag, Use) or not _fits(flag.variable, (number,)):
                return None
            return flag.variable.key, lambda value: COMPARISONS[operator](value, number)
        case _:
            return None
