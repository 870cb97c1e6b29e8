"""The way from the beginning of a function to a loop in it, with values that are chosen as they are read.

*Decides*: a state in which a function gets to a loop, where `loop_entry` cannot say: loops before it have set its
variables, or the function has stored to the memory that it reads.
*Method*: the machine of `trial`, begun where the function begins. Conditions are to come out so that the loop is
reached: towards it where it is in one of two branches, away from what leaves the function elsewhere. Earlier loops are
run as their tests say.
*Errs toward* `StuckError`: as `trial`; local memory that was never set, versions of variables that the run has not met.

    n = 0; while (list[n]) n++;  for (i = 0; i < n; i++) if (list[i] == key) break;     ->  n = 2, list = {3, 1, 0}
"""

from collections.abc import Iterator
from functools import cached_property

from ...access.dataflow import assignments
from ...ir.nodes import (
    Access,
    Address,
    Anything,
    Branch,
    Call,
    Computed,
    Entry,
    Exit,
    Literal,
    Load,
    Loaded,
    Loop,
    Object,
    Statement,
    Use,
    Variable,
    statements,
    unconverted,
    walk,
)
from ...ir.pointer_roots import root
from ...ir.polynomials import Symbol
from ...source.ctypes import Pointer
from ..function_facts import Surroundings
from ..scope import Scope
from .arithmetic import Number, StuckError
from .carried_values import CarriedValues
from .entry_values import is_const
from .loop_entry import LoopEntry, Made
from .trial import INT, Trial

MOST_BEFORE = 40
"""Iterations of a loop on the way."""

ANYWHERE = Anything("", 0)
"""All memory that a variable leads to: its value says where."""


class FunctionStart(LoopEntry):
    """What may be chosen where a function begins: arguments, globals, and all memory that is not its own."""

    def __init__(self, around: Surroundings, scope: Scope) -> None:
        super().__init__(around, scope)
        self.around_keys = {each.key for each in self.outer}
        self.leading = frozenset(_leading(around.function.body, scope.loop))
        self.stepping = frozenset(_stepping(around.function.body))
        self._ends: dict[int, bool] = {}

    @cached_property
    def stores(self) -> dict[Object, list[Access]]:
        return {}  # what the function stores, the run has in its memory

    def made(self, variable: Variable, limit: int | None = None) -> tuple[Made, ...]:
        if variable.scope not in ("parameter", "global") or is_const(variable.type):
            raise StuckError(variable.name)
        return ()

    def is_given(self, variable: Variable) -> bool:
        return False  # the run says when a call gets its address

    def ends(self, body: tuple[Statement, ...]) -> bool:
        """Whether some statement of a branch leaves the function, or a loop around the one that is to be reached."""
        key = id(body)
        if key not in self._ends:
            self._ends[key] = self.stops(body) or any(map(self._is_end, statements(body)))
        return self._ends[key]

    def _is_end(self, statement: Statement) -> bool:
        match statement:
            case Exit(leaves=leaves):
                return leaves is None or leaves in self.around_keys
            case _:
                return False


class Approach(Trial, kw_only=True):
    """A run of a function up to a loop, and of the first iterations of that. `start`: what may be chosen."""

    start: FunctionStart
    arrived: bool = False

    def approach(self) -> None:
        """Runs the function up to the loop. Raises `StuckError` where it does not get there."""
        self.reach(self.start.around.function, self.start.loop)
        self.arrived = True
        self.running = {each.key: self.symbols[each.counter] for each in self.start.outer}
        self.steady |= set(self.fresh)
        self.pending.clear()
        self.flow = CarriedValues()

    def wanted(self, branch: Branch) -> bool:
        if self.arrived:
            return Trial.wanted(self, branch)
        then, otherwise = id(branch.then) in self.start.leading, id(branch.otherwise) in self.start.leading
        if then == otherwise:
            then, otherwise = self.start.ends(branch.otherwise), self.start.ends(branch.then)
        return self.draw.random() < 0.5 if then == otherwise else then

    def goes_on(self) -> bool:
        if self.arrived:
            return Trial.goes_on(self)
        key, k = next(reversed(self.running.items()))
        return key in self.start.around_keys or k == 0 or self.draw.random() < 0.5

    def most(self, loop: Loop) -> int:
        return Trial.most(self, loop) if self.arrived else MOST_BEFORE

    def called(self, x: Object) -> Object:
        """Memory that a variable leads to is the same under each of its names."""
        return ANYWHERE if isinstance(x, Anything) and self.holder(x) is not None else x

    def instance(self, x: Object) -> list[int]:
        holder = self.holder(x)
        if holder is not None:
            return [int(self.variable(holder))]
        if isinstance(root(x), Anything) and not self.arrived:
            raise StuckError(str(x))
        return Trial.instance(self, x)

    def holder(self, x: Object) -> Variable | None:
        """The variable by which memory of unknown origin is found: the only pointer that leads there, unless it steps
        evenly, so that the subscripts say where."""
        if not isinstance(root(x), Anything):
            return None
        used = {e.variable for part in self.index for e in walk(part) if isinstance(e, Use) and _is_pointer(e)}
        if len(used) != 1 or used & self.start.stepping:
            return None
        return next(iter(used))

    def before(self, s: Symbol) -> Number | None:
        match s.origin:
            case Entry(variable=variable, line=0, loops=()):
                return self.entered(variable)
            case Loaded(access=access, loops=()) if self.cell(access) not in self.memory:
                return self.load(access)
            case Computed(given=True, loops=()):
                return self.choose(("computed", s), INT, True)
            case _:
                return None


def _stepping(body: tuple[Statement, ...]) -> Iterator[Variable]:
    """Pointers that the function moves by a number of elements."""
    for a, _ in assignments(body):
        follows = not a.induction and isinstance(unconverted(a.value), Load | Call | Use | Address | Literal)
        if isinstance(a.target, Variable) and isinstance(a.target.type, Pointer) and not follows:
            yield a.target


def _is_pointer(e: Use) -> bool:
    return isinstance(e.variable.type, Pointer)


def _leading(body: tuple[Statement, ...], loop: Loop) -> set[int]:
    """The branches around a loop, by the identity of their statements."""
    for statement in body:
        match statement:
            case Loop():
                if statement.key == loop.key:
                    return {id(body)}
                found = _leading(statement.body, loop)
            case Branch(then=then, otherwise=otherwise):
                found = _leading(then, loop) or _leading(otherwise, loop)
            case _:
                continue
        if found:
            return found | {id(body)}
    return set()
