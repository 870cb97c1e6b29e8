"""The first iterations of a loop from any state, with what nobody follows chosen as well.

*Decides*: how iterations go that begin in some state: what `trial` cannot say of variables, memory and calls gets a
value like any other that is read for the first time. What iterations do not read anew is the same in all of them.
*Method*: each value carries where it comes from: from what an iteration reads anew, or from a state that the function
may never get to. Whether the loop is left may not rest on the latter, but where it is compared with what is read anew,
or with a counter, and but for the test before the first iteration.
*Errs toward* `StuckError`: contents of memory to which a store went that is not followed, and what no program does.
*Not handled*: whether the function gets to the loop at all.

    for (; rc == OK && i < p->n; i++) { rc = next(p, &done); if (done) break; }     ->  leaves in iteration 1
"""

from collections.abc import Hashable, Iterator
from typing import TypeAlias

from msgspec import field

from ...access.dataflow import assigned
from ...ir.nodes import (
    Access,
    Allocated,
    Assign,
    Branch,
    Call,
    Choice,
    Declared,
    Expression,
    Load,
    Loop,
    Object,
    Operation,
    Statement,
    Text,
    Use,
    Variable,
    parts,
    walk,
)
from ...ir.pointer_roots import root
from ...ir.polynomials import Poly, Symbol
from ...source.ctypes import CType, Integer, Pointer
from .arithmetic import COMPARISONS, ImpossibleError, Number, StuckError
from .entry_values import is_const
from .machine import SCALAR, Cell, Place
from .trial import Trial

LONG = Integer("long", 8, True)


Origin: TypeAlias = int
"""Where a value comes from: bits, not a `Flag`, of which each `|` takes longer than most expressions."""

NONE: Origin = 0
ANEW: Origin = 1
"""From what an iteration reads anew, or gets from a call."""
SUPPOSED: Origin = 2
"""From the state in which the loop begins, which was not followed."""


class AnyState(Trial, kw_only=True):
    """A run of the first iterations of a loop that goes on where `Trial` does not know how."""

    blurred: set[Object] = field(default_factory=set)
    """To which something was stored, nobody knows what or where."""
    origin: Origin = NONE
    """Of what was evaluated last."""
    around: Origin = NONE
    """Of the conditions around the statement that runs."""
    origins: dict[Place, Origin] = field(default_factory=dict)
    """Of what was assigned."""
    supposed: set[Hashable] = field(default_factory=set)
    """Those of the chosen values that were not followed."""
    leaves: tuple[bool, bool] = (False, False)
    """Whether the loop may be left where the condition that is asked next holds, and where it does not."""
    asked: Origin = NONE
    """Of the condition that was asked last: of several, the one that decided."""
    unsure: set[int] = field(default_factory=set)
    """Variables, by their keys, that are assigned because of what was supposed."""
    doubtful: set[Cell] = field(default_factory=set)
    """Memory that is touched because of what was supposed."""
    leaving: Origin = NONE
    """Of what decided in this iteration whether the loop is left."""

    # --- control

    def statement(self, statement: Statement, stop: int) -> Statement | None:
        self.origin = NONE
        around = self.around
        try:
            return Trial.statement(self, statement, stop)
        finally:
            self.around = around

    def iterate(self, loop: Loop, k: int, stop: int = 0) -> Statement | None:
        if loop.key == self.entry.loop.key:
            self.leaving = self.around = NONE
        return Trial.iterate(self, loop, k, stop)

    def wanted(self, branch: Branch) -> bool:
        self.leaves = self.entry.leaves(branch.then), self.entry.leaves(branch.otherwise)
        return Trial.wanted(self, branch)

    def goes_on(self) -> bool:
        is_asked = next(reversed(self.running)) == self.entry.loop.key and self.iteration > 0
        self.leaves = False, is_asked
        return Trial.goes_on(self)

    def decide(self, condition: Expression, wanted: bool) -> bool:
        (if_true, if_false), self.leaves = self.leaves, (False, False)
        found = Trial.decide(self, condition, wanted)
        self.around |= self.origin
        if if_true if found else if_false:
            one = isinstance(condition, Choice) and found == (condition.operator == "||")
            decided = self.asked if one else self.origin
            if decided & SUPPOSED:
                raise ImpossibleError("supposed")
            self.leaving |= decided
        return found

    def may_hold(self, condition: Expression, holds: bool) -> bool:
        """What nobody can make so is supposed to be."""
        mark = len(self.fresh)
        if not Trial.may_hold(self, condition, holds):
            self.supposed.update(self.fresh[mark:])
        return True

    def drawn(self, condition: Expression, wanted: bool) -> bool:
        before, self.origin = self.origin, NONE
        found = Trial.drawn(self, condition, wanted)
        if not isinstance(condition, Choice):
            self.compares(condition)
            self.asked = self.origin
        self.origin |= before
        return found

    def operands(self, condition: Expression) -> tuple[Number, ...]:
        before = self.origin
        try:
            return Trial.operands(self, condition)
        finally:
            self.origin = before  # hints for what is chosen, no more

    def compares(self, condition: Expression) -> None:
        """Whatever was supposed, what it is compared with may be the same or not: what is read anew, or a counter."""
        if self.origin & ANEW or self.counts(condition):
            self.origin &= ~SUPPOSED

    def counts(self, condition: Expression) -> bool:
        """Whether a counter is compared with a bound."""
        return any(self.entry.scope.varies(s) for value in _known(condition) for s in value.symbols)

    def loop(self, loop: Loop, stop: int) -> Statement | None:
        try:
            return Trial.loop(self, loop, stop)
        except StuckError:
            if self.steps < 0:
                raise
        for variable in assigned(loop):
            self.blur(variable)
        return None

    # --- stores

    def assign(self, statement: Assign) -> None:
        try:
            Trial.assign(self, statement)
        except ImpossibleError:
            raise
        except StuckError:
            self.blur(statement.target)
        if isinstance(statement.target, Variable):
            self.origins[statement.target.key] = self.origin | self.around
            if self.around & SUPPOSED:
                self.unsure.add(statement.target.key)

    def store(self, access: Access, value: Number) -> None:
        Trial.store(self, access, value)
        self.origins[self.cell(access)] = self.origin | self.around

    def touch(self, cell: Cell, access: Access, write: bool, before: Number, after: Number) -> None:
        if self.around & SUPPOSED:
            self.doubtful.add(cell)
        Trial.touch(self, cell, access, write, before, after)

    def noticed(self, e: Call) -> None:
        if not self.around & SUPPOSED:
            Trial.noticed(self, e)

    def blur(self, target: Variable | Access) -> None:
        """Nobody knows what was stored."""
        if isinstance(target, Access):
            self.blurred.add(target.object)
        else:
            self.variables[target.key] = self.new(("blurred", target.key, self.line), target.type)
            self.origins[target.key] = ANEW
            self.lost.pop(target.key, None)
            self.pending.pop(target.key, None)

    # --- values

    def value(self, e: Expression) -> Number:
        if type(e) is Load and e.access.object in self.blurred:
            raise ImpossibleError(e.access.text)
        if type(e) is Operation and e.operator in COMPARISONS:
            before, self.origin = self.origin, NONE
            found = self.followed(e)
            self.compares(e)
            self.origin |= before
            return found
        return self.followed(e)

    def followed(self, e: Expression) -> Number:
        try:
            return Trial.value(self, e)
        except ImpossibleError:
            raise
        except StuckError:
            return self.unknown(e)

    def unknown(self, e: Expression) -> Number:
        """A value for what is not followed: the same in all iterations, unless what it is made from is not."""
        scope, within = self.entry.scope, list(walk(e))
        read = [part.access for part in within if isinstance(part, Load)]
        called = [part for part in within if isinstance(part, Call)]
        stored = {write.access.object for write in scope.writes}
        if any(access.object in stored or _is_constant(access) for access in read):
            raise ImpossibleError("stored to")
        what = (e.access.object, e.access.text) if isinstance(e, Load) else id(e)
        if scope.repeats(e) and not called:
            return self.suppose(("unknown", what), e.type)
        if any(call.known for call in called) or not (read or called or self.origin & ANEW):
            raise ImpossibleError("computed")
        return self.new(("unknown", what), e.type)

    def new(self, key: tuple[Hashable, ...], type_: CType) -> Number:
        """A value that each iteration has anew."""
        if not isinstance(type_, SCALAR):
            raise StuckError("no number")
        return self.choose((*key, self.moment), type_, False)

    def suppose(self, key: Hashable, type_: CType) -> Number:
        """A value that is the same in all iterations."""
        if not isinstance(type_, SCALAR):
            raise StuckError("no number")
        self.supposed.add(key)
        return self.choose(key, type_, True)

    def choose(self, key: Hashable, type_: CType, steady: bool) -> Number:
        if not steady:
            self.origin |= ANEW
        if key in self.supposed:
            self.origin |= SUPPOSED
        return Trial.choose(self, key, type_, steady)

    def used(self, e: Use) -> Number:
        known = len(self.flow.found)
        found = Trial.used(self, e)
        for key in [*self.flow.found][known:]:
            if self.around & SUPPOSED or key in self.unsure:
                del self.flow.found[key]
        return found

    def variable(self, variable: Variable) -> Number:
        if variable.key in self.origins:
            self.origin |= self.origins[variable.key]
        return Trial.variable(self, variable)

    def entered(self, variable: Variable) -> Number:
        try:
            return Trial.entered(self, variable)
        except ImpossibleError:
            raise
        except StuckError:
            return self.suppose(("variable", variable.key, None), variable.type)

    def symbol(self, s: Symbol) -> int:
        try:
            return Trial.symbol(self, s)
        except ImpossibleError:
            raise
        except StuckError:
            if self.entry.scope.varies(s):
                raise ImpossibleError(s.name) from None
            return int(self.suppose(("symbol", s), LONG))

    def read(self, cell: Cell, type_: CType, overwritten: bool) -> Number:
        if not overwritten and cell in self.origins:
            self.origin |= self.origins[cell]
        try:
            return Trial.read(self, cell, type_, overwritten)
        except ImpossibleError:
            raise
        except StuckError:
            is_told = not self.origin & ANEW or cell[0] in self.entry.named.tables
            if self.reading is None or (is_told and _is_constant(self.reading)):
                raise ImpossibleError(str(cell[0])) from None
            stored = cell[0] in self.entry.stores and not isinstance(type_, Pointer)
            if stored or isinstance(cell[0], Declared | Allocated) or self.entry.is_steady(self.reading):
                return self.suppose(("memory", cell), type_)
            return self.choose(("memory", cell), type_, False)

    def instance(self, x: Object) -> list[int]:
        """Memory to which one pointer leads is found by its value, where nobody knows what moves that."""
        try:
            return Trial.instance(self, x)
        except ImpossibleError:
            raise
        except StuckError:
            used = {e.variable for part in self.index for e in walk(part) if isinstance(e, Use)}
            pointers = [v for v in used if isinstance(v.type, Pointer)]
            if len(pointers) != 1:
                raise
            return [int(self.variable(pointers[0]))]


def _known(e: Expression) -> Iterator[Poly]:
    """What is known of the variables that an expression is computed from, but for those that say where to read."""
    match e:
        case Use(value=Poly() as value):
            yield value
        case Load() | Call():
            pass
        case _:
            for part in parts(e):
                yield from _known(part)


def _is_constant(access: Access) -> bool:
    """Whether the program says what stands there."""
    base = root(access.object)
    variable = getattr(base, "variable", None)
    return isinstance(base, Text) or is_const(access.type) or (variable is not None and is_const(variable.type))
