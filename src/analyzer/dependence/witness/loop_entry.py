"""What may be chosen where a loop begins: the state in which a function gets to it.

*Decides*: which variables and memory may hold anything as a loop begins for the first time, which variables have the
value of an expression there, and what each iteration reads anew.
*Errs toward* `StuckError`: variables that a loop before sets; memory of the function's own, unless a call that is not
seen got it; what the function stored to before.

    p = find(s); if (!p) p = s->first; for (; p; p = p->next)     ->  p: that of s->first, if find(s) gives null
"""

from collections.abc import Iterator
from functools import cached_property

from msgspec import Struct

from ...access.accesses import Guard, Occurrence
from ...access.dataflow import assignments
from ...base.places import Place
from ...ir.c_library import never_returns
from ...ir.members import in_other_bytes
from ...ir.nodes import (
    Access,
    Allocated,
    Anything,
    Assign,
    Call,
    Declared,
    Entry,
    Evaluate,
    Exit,
    Expression,
    Held,
    Load,
    Object,
    Refused,
    Returned,
    Statement,
    Text,
    Variable,
    evaluated,
    loops,
    statements,
    unconverted,
)
from ...ir.pointer_roots import root
from ..function_facts import Surroundings
from ..scope import Scope
from .arithmetic import StuckError
from .chosen_values import named_in
from .entry_values import is_const, leaves_loop

SMALL = (0, 1, 2, 3, 5)


class Made(Struct, frozen=True):
    """An assignment to a variable: the expression, what holds, or not, where it is the last one, and its position."""

    value: Expression
    wanted: tuple[tuple[Expression, bool], ...]
    position: int


def loop_entry(around: Surroundings, scope: Scope) -> "LoopEntry":
    """That of a loop, of which several witnesses ask the same."""
    return around.once(("loop entry", id(scope)), lambda: LoopEntry(around, scope))


class LoopEntry:
    """One loop, as it begins."""

    def __init__(self, around: Surroundings, scope: Scope) -> None:
        self.around, self.scope, self.loop = around, scope, scope.loop
        start, _ = around.occurrences.of_scalars[self.loop.key]
        self.first, _ = around.occurrences.ranges[self.loop.key]
        self.scalars = around.occurrences.scalars[:start]
        self.outer, self.guards = around.occurrences.around[self.loop.key]
        self.named = named_in(around.function)
        self.numbers = (*SMALL, *self.named.constants)
        calls = (c.call for c in around.occurrences.calls if not c.call.known and c.position <= self.first)
        self.passed = frozenset(x for call in calls for x in call.pointers)
        self.namesakes: dict[Object, set[Object]] = {}
        """Objects that are one, as the function compares pointers into them."""
        for x, y in around.function.ranges:
            if x != y:
                self.namesakes.setdefault(x, set()).add(y)
                self.namesakes.setdefault(y, set()).add(x)
        self._made: dict[tuple[int, int | None], tuple[Made, ...]] = {}
        self._leaves: dict[int, bool] = {}
        self._stops: dict[int, bool] = {}
        self._open: dict[Access, bool] = {}
        self._steady: dict[Access, bool] = {}
        self._anew: dict[Object, tuple[int, ...] | None] = {}

    @cached_property
    def stores(self) -> dict[Object, list[Access]]:
        """By object, where the function stores before the loop: not what a call may have changed again that certainly
        comes between."""
        arms = {g.arm for g in self.guards}
        calls = [c for c in self.around.occurrences.calls if c.position <= self.first and not c.call.known]
        between = [c for c in calls if {g.arm for g in c.at.guards} <= arms]
        found: dict[Object, list[Access]] = {}
        for o in self.around.occurrences.all[: self.first]:
            x = o.access.object
            if o.write and not any(o.position < c.position and self.scope.visible(x, c.call) for c in between):
                found.setdefault(x, []).append(o.access)
        return found

    @cached_property
    def written(self) -> frozenset[tuple[Object, str]]:
        """The objects and fields of these."""
        return frozenset((x, access.field) for x, accesses in self.stores.items() for access in accesses)

    def leaves(self, body: tuple[Statement, ...]) -> bool:
        """Whether some statement of a branch ends the loop."""
        key = id(body)
        if key not in self._leaves:
            self._leaves[key] = any(isinstance(s, Exit) and id(s) in self._leaving for s in statements(body))
        return self._leaves[key]

    def ending(self, body: tuple[Statement, ...]) -> Exit | None:
        """The exit at the end of a branch that ends the loop whatever comes before: nothing there jumps elsewhere, or
        ends the program."""
        last = body[-1] if body else None
        if not isinstance(last, Exit) or id(last) not in self._leaving or self.stops(body):
            return None
        return last if all(s is last for s in statements(body) if isinstance(s, Exit | Refused)) else None

    def stops(self, body: tuple[Statement, ...]) -> bool:
        """Whether some statement of a branch ends the program: what an assertion does that fails."""
        key = id(body)
        if key not in self._stops:
            calls = (e for s in statements(body) for e in evaluated(s) if isinstance(e, Call))
            self._stops[key] = any(never_returns(call.name) for call in calls)
        return self._stops[key]

    @property
    def is_left(self) -> bool:
        """Whether some statement ends the loop."""
        return bool(self._leaving)

    @property
    def conditions(self) -> Iterator[tuple[Expression, bool]]:
        """What holds where the loop is: the tests of the loops around it, and the conditions."""
        yield from ((s.value, True) for each in self.outer for s in each.body if isinstance(s, Evaluate) and s.control)
        yield from ((g.condition, g.holds) for g in self.guards)

    @cached_property
    def _leaving(self) -> frozenset[int]:
        return frozenset(id(d.exit) for d in self.scope.history.departures if leaves_loop(self.scope, d))

    def made(self, variable: Variable, limit: int | None = None) -> "tuple[Made, ...]":
        """How the variable may have got the value that it has as the loop begins, or where an assignment stands
        (`limit`: its position); none where it may have any value."""
        if (variable.key, limit) not in self._made:
            self._made[variable.key, limit] = self._makings(variable, limit)
        return self._made[variable.key, limit]

    def _makings(self, variable: Variable, limit: int | None) -> "tuple[Made, ...]":
        sets = [o for o in self._sets(variable) if limit is None or o.position < limit]
        certain = [k for k, o in enumerate(sets) if not self._own(o)]
        if not sets:
            if variable.scope not in ("parameter", "global") or is_const(variable.type):
                raise StuckError(variable.name)
            return ()
        last = sets[certain[-1] if certain else 0 :]
        if not all(self._is_in_same_loops(o) for o in last):
            raise StuckError(variable.name)
        found = (self._made_by(o, last[k + 1 :]) for k, o in enumerate(last))
        return tuple(made for made in found if made is not None)

    def _made_by(self, o: Occurrence, later: list[Occurrence]) -> "Made | None":
        """The assignment as the last one: none of the later ones is made."""
        wanted = [(g.condition, g.holds) for g in self._own(o)]
        arms = {g.arm for g in o.guards}
        for other in later:
            if any(g.condition is h.condition and g.holds != h.holds for g in other.guards for h in o.guards):
                continue
            own = [g for g in self._own(other) if g.arm not in arms]
            if not own:
                return None
            wanted.append((own[0].condition, not own[0].holds))
        return None if o.stored is None else Made(o.stored, tuple(wanted), o.position)

    def _own(self, o: Occurrence) -> list[Guard]:
        """The conditions around an assignment that are not around the loop."""
        around = {g.arm for g in self.guards}
        return [g for g in o.guards if g.arm not in around]

    def _sets(self, variable: Variable) -> list[Occurrence]:
        """The assignments to a variable from which the function may come to the loop, in their order."""
        return self._sets_of.get(variable, [])

    @cached_property
    def _sets_of(self) -> dict[Variable, list[Occurrence]]:
        found: dict[Variable, list[Occurrence]] = {}
        for o in self.scalars:
            if o.write and isinstance(o.access.object, Declared) and not self._is_elsewhere(o):
                found.setdefault(o.access.object.variable, []).append(o)
        return found

    def is_given(self, variable: Variable) -> bool:
        """Whether a call that is not seen got the address of a variable that nothing sets before the loop."""
        return Declared(variable) in self.passed and not self._sets(variable)

    def is_last(self, value: Entry) -> bool:
        """Whether that is what the variable holds as the loop begins."""
        sets = self._sets(value.variable)
        return value.line == (sets[-1].line if sets else 0)

    def _is_elsewhere(self, o: Occurrence) -> bool:
        """Whether it stands in the other branch of a condition around the loop."""
        return any(g.condition is h.condition and g.holds != h.holds for g in o.guards for h in self.guards)

    def _is_in_same_loops(self, o: Occurrence) -> bool:
        return {each.key for each in o.loops} <= {each.key for each in self.outer}

    def is_open(self, access: Access) -> bool:
        """Whether memory may hold anything as the loop begins."""
        if access not in self._open:
            self._open[access] = self._is_open(access)
        return self._open[access]

    def _is_open(self, access: Access) -> bool:
        base, stores = root(access.object), self.stores.get(access.object, ())
        if isinstance(base, Text) or not all(in_other_bytes(store, access) for store in stores):
            return False
        if isinstance(base, Allocated):
            return base in self.passed
        if isinstance(base, Declared):
            if is_const(base.variable.type) or is_const(access.type):
                return False
            return base.variable.scope == "global" or base in self.passed
        return True

    def is_steady(self, access: Access) -> bool:
        """Whether all iterations read the same there."""
        if access not in self._steady:
            moving = any(self.scope.varies(s) for sub in access.subscripts for s in sub.index.symbols)
            self._steady[access] = not moving and self.anew(access.object) == ()
        return self._steady[access]

    def anew(self, x: Object) -> tuple[int, ...] | None:
        """The loops, by key, in each iteration of which a pointer leads to other memory; None where only some of them
        move it. Raises `StuckError` where it is not known what moves it."""
        base = root(x)
        if not isinstance(base, Anything):
            return ()
        if base not in self._anew:
            self._anew[base] = self._moved_in(base)
        return self._anew[base]

    @cached_property
    def _assignments(self) -> dict[int, list[tuple[Assign, bool]]]:
        """By key of the loop and of each in it, all to scalars, and whether each iteration makes them."""
        return {each.key: list(assignments(each.body)) for each in (self.loop, *loops(self.loop.body))}

    def _moved_in(self, x: Anything) -> tuple[int, ...] | None:
        match x.pointer:
            case Held(variable=variable):
                made = {key: [m for m in each if m[0].target == variable] for key, each in self._assignments.items()}
                if not all(isinstance(unconverted(a.value), Load | Call) for a, _ in made[self.loop.key]):
                    raise StuckError(variable.name)
                if not all(certain for each in made.values() for _, certain in each):
                    return None
                return tuple(key for key, each in made.items() if each)
            case Returned(place=place):
                inside = (self.loop, *loops(self.loop.body))
                calls = {each.key: [e for s in statements(each.body) for e in evaluated(s)] for each in inside}
                return tuple(key for key, all_ in calls.items() if any(_is_call(e, place) for e in all_))
            case _:
                raise StuckError(x.text)


def _is_call(e: Expression, place: Place) -> bool:
    return isinstance(e, Call) and e.place == place
