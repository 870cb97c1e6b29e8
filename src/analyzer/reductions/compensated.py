"""Sums that carry along what rounding took from them: Kahan's, Neumaier's, and their kin.

*Decides*: whether a scalar of a loop is such a sum, or its correction.
*Method*: the block that assigns it is carried out in exact arithmetic, on linear forms. There a correction is 0 as long
  as it was 0 before, and the sum grows by what depends on neither. So each thread may have a sum and a correction that
  begin with 0, and they are added up in the end: the same sum in another order, with another rounding.
*Errs toward* no: sums and corrections in memory, that are read elsewhere in the loop, that anything but `+`, `-`,
  assignments and `if` makes up; a correction that is not known to be 0 where the loop begins.

    c = 0; for (...) { y = x[i] - c; t = s + y; c = (t - s) - y; s = t; }             ->  sum s, correction c
    c = 0; for (...) { v = x[i]; t = s + v;
                       if (fabs(s) >= fabs(v)) c += (s - t) + v; else c += (v - t) + s;
                       s = t; }                                                       ->  sum s, correction c
    c = 0; for (...) { y = x[i] - c; t = s + y; c = t - s; s = t; }                   ->  none: c is y in the end
    e = 0; for (...) { v = x[i] + e; q = (v + b) - b; e = v - q; s += q; }            ->  none: b is there to round q
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ..ir.blocks import Block, blocks
from ..ir.nodes import (
    Assign,
    Branch,
    Call,
    Convert,
    Exit,
    Expression,
    Function,
    Loop,
    Opaque,
    Operation,
    Statement,
    Use,
    Variable,
    evaluated,
    is_null,
    statements,
    walk,
)
from ..ir.restored_values import numbers_entering
from ..ir.same import same
from ..source.ctypes import Complex, CType, Floating

Form: TypeAlias = dict[int, int]
"""A sum with whole coefficients: of what scalars held before the block, by their keys, and of values that are not
looked into, by numbers below 0."""

MAGNITUDES = frozenset(name + suffix for name in ("fabs", "cabs") for suffix in ("", "f", "l"))


class _Scalars(Struct, frozen=True):
    """What a block makes up a compensated sum with. `taken`: other scalars that it takes values from; `steps`: the
    statements of the block that take part in it."""

    sums: frozenset[int]
    corrections: frozenset[int]
    temporaries: frozenset[int]
    taken: frozenset[int]
    steps: Block

    @property
    def keys(self) -> frozenset[int]:
        return self.sums | self.corrections | self.temporaries


def is_compensated(function: Function, loop: Loop, variable: Variable, live: frozenset[int]) -> bool:
    """Whether the scalar is a compensated sum of the loop, or the correction of one. `live`: scalars whose value after
    the loop somebody may read. Example: see the module."""
    every = list(_parts(loop.body, variable)) if _is_real(variable.type) else []
    found = _joined(every) if every else None
    if found is None or found.temporaries & live or not touch_alone(found.steps, loop.body, found.keys):
        return False
    return all(_begins_with_zero(function, loop, key, variable) for key in found.corrections)


def _parts(body: Block, variable: Variable) -> Iterator[_Scalars]:
    """The parts of a body that add to a sum, which the scalar is or corrects: lists of statements, or what stands
    between loops and branches in them."""
    for block in blocks(body):
        found = summed_up(block, variable)
        if found is None:
            yield from (part for run in _runs(block) if (part := summed_up(run, variable)) is not None)
        else:
            yield found


def _runs(block: Block) -> Iterator[Block]:
    """The statements of a block between those that hold others, but for branches that only choose values."""
    run: list[Statement] = []
    for statement in block:
        if isinstance(statement, Loop) or (isinstance(statement, Branch) and not _only_chooses(statement)):
            yield tuple(run)
            run = []
        else:
            run.append(statement)
    yield tuple(run)


def _joined(every: list[_Scalars]) -> _Scalars | None:
    """Several blocks that add to one sum as one; None where a scalar has another role in another block."""
    first = every[0]
    temporaries = frozenset().union(*(each.temporaries for each in every))
    for each in every:
        if (each.sums, each.corrections) != (first.sums, first.corrections) or each.taken & temporaries:
            return None
    return replace(first, temporaries=temporaries, steps=tuple(s for each in every for s in each.steps))


def _is_real(type_: CType) -> bool:
    return isinstance(type_, Floating | Complex)


def _only_chooses(branch: Branch) -> bool:
    return all(isinstance(s, Assign) and isinstance(s.target, Variable) for s in (*branch.then, *branch.otherwise))


def _assigns(block: Iterable[Statement]) -> Iterator[Assign]:
    """The assignments of a block, those in arms that only choose values among them."""
    for statement in block:
        if isinstance(statement, Assign):
            yield statement
        elif isinstance(statement, Branch) and _only_chooses(statement):
            yield from _assigns((*statement.then, *statement.otherwise))


def _assigned(block: Block) -> frozenset[int]:
    return frozenset(a.target.key for a in _assigns(block) if isinstance(a.target, Variable))


def _set_in(block: Block) -> frozenset[int]:
    """The scalars that a block assigns, with all that is inside it."""
    inside = (s.target for s in statements(block) if isinstance(s, Assign))
    return frozenset(target.key for target in inside if isinstance(target, Variable))


def _used(expression: Expression) -> Iterator[Variable]:
    return (e.variable for e in walk(expression) if isinstance(e, Use))


# --- which scalars of a block belong together


def summed_up(block: Block, variable: Variable) -> _Scalars | None:
    """The sums and corrections that a scalar of a block belongs to; None where it is nothing of the kind."""
    if variable.key not in _assigned(block):
        return None
    begun = _read_first(block)
    together = _together(block, variable, begun)
    steps = tuple(s for s in block if not together.isdisjoint(touched(s)))
    between = block[block.index(steps[0]) : block.index(steps[-1])]
    if any(isinstance(s, Exit) for s in statements(between)):
        return None
    exact = _Exact(together)
    values = exact.through(block, {})
    if values is None:
        return None
    states = together & begun
    corrections = frozenset(key for key in states if values[key] in ({}, {key: 1}))
    sums = frozenset(key for key in states - corrections if _grows(values[key], key, states - corrections))
    summed = frozenset(key for sum_ in sums for key in values[sum_])
    if variable.key not in states or states != sums | corrections or not corrections:
        return None
    if not exact.named <= summed | states:
        return None
    return _Scalars(sums, corrections, together - states, frozenset(exact.named - states), steps)


def _grows(value: Form, key: int, sums: frozenset[int]) -> bool:
    """Whether the scalar is increased by something that no sum goes into."""
    return value.get(key) == 1 and not any(other in sums for other in value if other != key)


def _read_first(block: Block) -> frozenset[int]:
    """The scalars that a block assigns, and may read before."""
    read: set[int] = set()
    made: set[int] = set()
    for statement in block:
        read.update(key for key in _read_in(statement) if key not in made)
        if isinstance(statement, Assign) and isinstance(statement.target, Variable):
            made.add(statement.target.key)
    return frozenset(read & _set_in(block))


def _read_in(statement: Statement) -> Iterator[int]:
    """The scalars that a statement, or one inside it, reads."""
    for s in statements((statement,)):
        yield from (e.variable.key for e in evaluated(s) if isinstance(e, Use))


def _together(block: Block, variable: Variable, begun: frozenset[int]) -> frozenset[int]:
    """The scalars into which its value goes, with those that they are made of and that keep something from one time to
    the next."""
    found: set[int] = set()
    more = {variable.key}
    while more - found:
        found |= more
        for assign in _assigns(block):
            made_of = {v.key: v for v in _used(assign.value)}
            if isinstance(assign.target, Variable) and not found.isdisjoint(made_of):
                more.add(assign.target.key)
            if isinstance(assign.target, Variable) and assign.target.key in found:
                more |= {key for key, v in made_of.items() if key in begun and _is_real(v.type)}
    return frozenset(found)


def touched(statement: Statement) -> Iterator[int]:
    """The scalars that a statement, or one inside it, reads or assigns."""
    yield from _read_in(statement)
    targets = (s.target for s in statements((statement,)) if isinstance(s, Assign))
    yield from (target.key for target in targets if isinstance(target, Variable))


# --- exact arithmetic


class _Exact:
    """The values of some scalars in exact arithmetic, as forms, through a block; None: they have no such form."""

    def __init__(self, followed: frozenset[int]) -> None:
        self.followed = followed
        self.named: set[int] = set()
        """What any of them was made of on the way: what is added and taken away again may be there to round them."""
        self.alike: list[tuple[Expression, int]] = []
        """Values that are not looked into, by what gives them, as long as nothing else happens."""
        self.last = 0

    def through(self, block: Iterable[Statement], values: dict[int, Form]) -> dict[int, Form] | None:
        """Behind these statements."""
        found: dict[int, Form] | None = values
        for statement in block:
            if found is None:
                break
            found = self._behind(statement, found)
        return found

    def _behind(self, statement: Statement, values: dict[int, Form]) -> dict[int, Form] | None:
        if self.followed.isdisjoint(touched(statement)):
            self.alike.clear()
            return values | {key: self._anything() for key in _set_in((statement,))}
        match statement:
            case Assign(target=Variable() as target, value=value) if _may_take_part(target):
                form = self._form(value, values)
                return None if form is None else values | {target.key: form}
            case Branch(condition=condition) if _only_chooses(statement) and _only_compares(condition):
                then, otherwise = (self.through(arm, values) for arm in (statement.then, statement.otherwise))
                return then if then == otherwise else None
            case _:
                return None

    def _anything(self) -> Form:
        self.last -= 1
        return {self.last: 1}

    def _form(self, value: Expression, values: dict[int, Form]) -> Form | None:
        if self.followed.isdisjoint(v.key for v in _used(value)) and not isinstance(value, Use):
            return {} if is_null(value) else self._unfollowed(value)
        match value:
            case Use(variable=variable):
                form = values.get(variable.key, {variable.key: 1})
                self.named |= form.keys()
                return form
            case Convert(type=to, argument=argument) if _is_embedded(argument.type, to):
                return self._form(argument, values)
            case Operation(operator="neg", arguments=(argument,)):
                return _combined({}, self._form(argument, values), -1)
            case Operation(operator="+" | "-" as operator, arguments=(left, right)):
                sign = 1 if operator == "+" else -1
                return _combined(self._form(left, values), self._form(right, values), sign)
            case _:
                return None

    def _unfollowed(self, value: Expression) -> Form:
        name = next((name for known, name in self.alike if same(known, value)), None)
        form = self._anything() if name is None else {name: 1}
        if name is None and not any(isinstance(e, Call | Opaque) for e in walk(value)):
            self.alike.append((value, self.last))
        self.named |= form.keys()
        return form


def _combined(left: Form | None, right: Form | None, sign: int) -> Form | None:
    if left is None or right is None:
        return None
    total = {key: left.get(key, 0) + sign * right.get(key, 0) for key in left.keys() | right.keys()}
    return {key: factor for key, factor in total.items() if factor}


def _may_take_part(target: Variable) -> bool:
    """Whether nothing but the statements that name a scalar reads or changes it."""
    return _is_real(target.type) and target.scope in ("local", "parameter") and not target.addressed


def _is_embedded(source: CType, to: CType) -> bool:
    """Whether a conversion keeps numbers, but for rounding."""
    return isinstance(to, Complex) if isinstance(source, Complex) else _is_real(source) and _is_real(to)


def _only_compares(condition: Expression) -> bool:
    """Whether nothing but the choice between the arms depends on a condition."""
    calls = (e for e in walk(condition) if isinstance(e, Call | Opaque))
    return all(isinstance(e, Call) and e.name.removeprefix("__builtin_") in MAGNITUDES for e in calls)


# --- in the loop and in the function


def touch_alone(steps: Iterable[Statement], body: Iterable[Statement], keys: frozenset[int]) -> bool:
    """Whether nothing of a body but some statements of it reads or assigns scalars."""
    alone, all_ = (Counter(key for s in each for key in touched(s) if key in keys) for each in (steps, body))
    return alone == all_


def _begins_with_zero(function: Function, loop: Loop, key: int, variable: Variable) -> bool:
    """Whether a correction is 0 wherever the loop begins, given that what adds to the sum leaves it 0."""
    every = (part for part in _parts(function.body, variable) if key in part.corrections)
    made = [a for part in every for a in _assigns(part.steps) if isinstance(a.target, Variable) and a.target.key == key]
    correction = made[0].target
    assert isinstance(correction, Variable)
    return numbers_entering(function, loop, correction, made) == frozenset({0})
