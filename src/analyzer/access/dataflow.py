"""What one iteration does to scalar variables: read first, written for certain, written perhaps.

*Method*: forward data flow over the structured body, once; the state is the set of variables certainly assigned so
far (an inner loop counts only when it certainly runs). A read of a variable that is not in it is *exposed*: it may
see a value from before the iteration.
*Errs toward* exposed.
"""

from collections.abc import Callable, Hashable, Iterable
from typing import assert_never

from msgspec import Struct, field

from models.expr.nodes import remembered

from ..ir.nodes import (
    Access,
    Assign,
    Branch,
    Choice,
    Evaluate,
    Exit,
    Expression,
    Load,
    Loop,
    Refused,
    Statement,
    Use,
    Variable,
    parts,
)
from ..ir.same import Location, location_of

State = frozenset[Hashable] | None
"""What is certainly assigned here: keys of variables, and places in memory that are followed like variables; None:
this point is not reached."""

class Read(Struct, frozen=True):
    """An exposed read. `certain`: evaluated in every iteration in which the inner loops around it run, before any
    statement that might assign the variable."""

    variable: Variable
    line: int
    certain: bool


class Certain(Struct, frozen=True):
    """What is known of control: whether an inner loop certainly has an iteration, and whether a condition certainly
    holds (or fails)."""

    runs: Callable[[Loop], bool] = lambda _: False
    holds: Callable[[Branch], bool | None] = lambda _: None
    mentions: Callable[[Statement], frozenset[int] | None] = lambda _: None
    """Of a statement, `Mentions.of`; None: not known."""
    last: Callable[[tuple[Statement, ...], frozenset[int]], int] = lambda body, _: len(body)
    """Of a block, `Mentions.last`."""


class Flow(Struct):
    """The data flow of one stretch of code: that of the variables `wanted`, and no other, or of all of them and of
    places in memory. `exposed`: the places that are read before they are certainly assigned."""

    certain: Certain
    wanted: frozenset[int] | None = None
    exposed: set[Location] = field(default_factory=set)
    reads: list[Read] = field(default_factory=list)
    touched: set[Hashable] = field(default_factory=set)
    _exits: dict[tuple[str, int | None], list[frozenset[Hashable]]] = field(default_factory=dict)
    _line: int = 0

    def body(self, body: Iterable[Statement], state: State, certain: bool = True) -> State:
        for statement in body:
            state = self.statement(statement, state, certain)
        return state

    def statement(self, statement: Statement, state: State, certain: bool) -> State:
        if self.wanted is not None:
            mentioned = self.certain.mentions(statement)
            if mentioned is not None and self.wanted.isdisjoint(mentioned):
                return state
        match statement:
            case Assign(target=target, value=value, index=index, place=place):
                self._line = place.line
                for part in (*index, value):
                    self.expression(part, state, certain)
                if state is not None and self.follows(target):
                    key = target.key if isinstance(target, Variable) else location_of(target)
                    self.touched.add(key)
                    state |= {key}
                return state
            case Evaluate(value=value, place=place):
                self._line = place.line
                self.expression(value, state, certain)
                return state
            case Branch(condition=condition, then=then, otherwise=otherwise, place=place):
                self._line = place.line
                self.expression(condition, state, certain)
                if_true, if_false = self.body(then, state, False), self.body(otherwise, state, False)
                if if_true == if_false or (holds := self.certain.holds(statement)) is None:
                    return self.join(if_true, if_false)
                return if_true if holds else if_false
            case Loop():
                return self.loop(statement, state, certain)
            case Exit(kind=kind, leaves=leaves):
                if state is not None:
                    self._exits.setdefault((kind, leaves), []).append(state)
                return None
            case Refused():
                return state
            case _:
                assert_never(statement)

    def follows(self, target: Variable | Access) -> bool:
        return self.wanted is None or (isinstance(target, Variable) and target.key in self.wanted)

    def loop(self, loop: Loop, state: State, certain: bool) -> State:
        after = self.body(loop.body, state, certain and loop.trip is not None and loop.exact_trip)
        after = self.with_exits(after, "continue", loop.key)
        if state is not None and not self.certain.runs(loop):
            after = self.join(after, state)
        for kind in ("break", "goto"):
            after = self.with_exits(after, kind, loop.key)
        return after

    def with_exits(self, state: State, kind: str, key: int) -> State:
        for exit_state in self._exits.pop((kind, key), []):
            state = self.join(state, exit_state)
        return state

    def join(self, a: State, b: State) -> State:
        """What is certain where two ways meet."""
        if a is None or b is None:
            return b if a is None else a
        return a & b

    def escaping(self) -> bool:
        """Whether an exit leads out of the code looked at so far."""
        return any(self._exits.values())

    def expression(self, expression: Expression, state: State, certain: bool) -> None:
        match expression:
            case Use(variable=variable):
                if state is not None and variable.key not in state and self.follows(variable):
                    surely = certain and variable.key not in self.touched
                    self.reads.append(Read(variable, self._line, surely))
            case Load(access=access, index=index):
                for part in index:
                    self.expression(part, state, certain)
                if state is not None and self.wanted is None:
                    place = location_of(access)
                    if place not in self.exposed and not _holds(state, place):
                        self.exposed.add(place)
            case Choice(condition=condition, then=then, otherwise=otherwise):
                self.expression(condition, state, certain)
                self.expression(then, state, False)
                self.expression(otherwise, state, False)
            case _:
                for part in parts(expression):
                    self.expression(part, state, certain)


def _holds(state: frozenset[Hashable], place: Location) -> bool:
    """Whether the bytes of a place are certainly assigned: itself, a structure that it is a member of, or all of its
    members one by one."""
    if place in state:
        return True
    reached, end = place.offset, place.offset + place.size
    parts_ = (p for p in state if isinstance(p, Location) and _is_beside(p, place))
    for part in sorted(parts_, key=lambda p: p.offset):
        if part.offset <= reached:
            reached = max(reached, part.offset + part.size)
    return place.size > 0 and reached >= end


def _is_beside(part: Location, place: Location) -> bool:
    """Whether the two are of one element."""
    return part.elements == place.elements and part.bits == place.bits and part.object == place.object


def assignments(body: Iterable[Statement], certain: bool = True) -> Iterable[tuple[Assign, bool]]:
    """Every assignment to a scalar in a body, and whether each run of the body (with its inner loops) makes it."""
    for statement in body:
        match statement:
            case Assign(target=Variable()):
                yield statement, certain
            case Branch(then=then, otherwise=otherwise):
                yield from assignments(then, False)
                yield from assignments(otherwise, False)
            case Loop(body=inner):
                yield from assignments(inner, certain and statement.trip is not None and statement.exact_trip)
            case Assign() | Evaluate() | Exit() | Refused():
                pass
            case _:
                assert_never(statement)


@remembered("_assigned")
def assigned(loop: Loop) -> tuple[Variable, ...]:
    """The scalars that a loop assigns, each once, in the order of their first assignments."""
    targets = (a.target for a, _ in assignments(loop.body))
    return tuple(dict.fromkeys(v for v in targets if isinstance(v, Variable)))


class Stretch(Struct, frozen=True):
    """Statements `body[start:]` that run after a loop; `again`: the next iteration of a loop around it, which may not
    come."""

    body: tuple[Statement, ...]
    start: int
    again: bool = False


def live_after(path: Iterable[Stretch], certain: Certain, wanted: frozenset[int]) -> set[int]:
    """Which of the wanted variables may be read before they are assigned again, along `path`: the rest of the block,
    then, for each loop around it, that loop's next iteration and what follows it. Unknown calls read everything that
    is not local; what they leave unassigned at the end is for the caller to judge (`unassigned` in the result's
    complement is not reported)."""
    live: set[int] = set()
    state: State = frozenset()
    for stretch in path:
        before = state
        for k in range(stretch.start, len(stretch.body)):
            open_ = frozenset() if state is None else wanted - state - live
            if not open_ or k > certain.last(stretch.body, open_):
                break
            flow = Flow(certain, open_)
            after = flow.statement(stretch.body[k], state, True)
            live |= {r.variable.key for r in flow.reads} & wanted
            state = state if flow.escaping() or after is None else after
        if stretch.again:
            state = before
    return live
