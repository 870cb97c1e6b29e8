"""A machine that chooses values as it goes, so that conditions turn out as wished.

*Decides*: the value of what is read for the first time. Until a condition has looked at it, it is open; the condition
that does draws it again, a few times, if it does not come out as wanted.
*Errs toward* nothing: the condition comes to what it comes to.

    if (p->key == key && p->flags & 12)        to be true    ->  key = 3, p->key = 3, p->flags = 4
"""

from collections.abc import Hashable
from random import Random

from msgspec import Struct, field

from ...ir.arithmetic import modulo, value_range
from ...ir.nodes import Access, Call, Choice, Convert, Expression, Load, Operation, Use, parts
from ...source.ctypes import CType, Floating, Integer, Pointer
from .arithmetic import COMPARISONS, Number, StuckError, converted
from .machine import Machine, known

DRAWS = 14
"""Values that are tried for one condition."""

MET = 2
"""Numbers from tables that floating values may be drawn from."""

APART = 1 << 16
"""Between the addresses of two pointers."""


class Computation(Struct, frozen=True):
    """How a variable got its value: an expression, what was chosen for it, and the leaves that decide about it."""

    value: Expression
    type: CType
    keys: tuple[Hashable, ...]
    inputs: tuple[Load | Use | Call, ...]


class Draws(Machine, kw_only=True):
    """A machine, and what it has chosen. `numbers`: those that integers are chosen from first."""

    draw: Random
    numbers: tuple[int, ...]
    chosen: dict[Hashable, Number]
    """What was chosen, by what it is the value of."""
    steady: set[Hashable] = field(default_factory=set)
    """Those of the chosen values that no iteration reads anew."""
    fresh: list[Hashable] = field(default_factory=list)
    """What was chosen, in its order."""
    hints: tuple[Number, ...] = ()
    """What it may be compared with."""
    drawing: bool = False
    """Whether a condition did not come out as wanted with what was chosen first."""
    pending: dict[int, Hashable] = field(default_factory=dict)
    """Variables, by their keys, that hold what was chosen last and nothing has looked at since."""
    read_from: dict[int, Access] = field(default_factory=dict)
    """The accesses by which those of them were read that come from memory."""
    open_values: dict[int, Computation] = field(default_factory=dict)
    """Variables that are computed from what was chosen then, and what nothing has looked at since."""
    types: dict[int, CType] = field(default_factory=dict)
    kinds: dict[Hashable, CType] = field(default_factory=dict)
    """The types of what was chosen."""
    met: list[Number] = field(default_factory=list)
    """Numbers from tables that were read last: floating values are compared with them."""
    looked: set[int] = field(default_factory=set)
    """Those of them that a condition, or a statement, looks at."""

    def decide(self, condition: Expression, wanted: bool) -> bool:
        """What a condition comes to: as wanted, if values that are read first by it can make it so. Where its parts one
        after the other do not come to that, they are drawn together: `c < 'a' || c > 'f'` is to be false."""
        if not isinstance(condition, Choice):
            return self.by_parts(condition, wanted)
        mark, symbols = len(self.fresh), dict(self.symbols)
        pending, open_values = dict(self.pending), dict(self.open_values)
        if self.by_parts(condition, wanted) == wanted:
            return wanted
        self.forget(mark)
        self.symbols, self.pending, self.open_values = symbols, pending, open_values
        return self.drawn(condition, wanted)

    def by_parts(self, condition: Expression, wanted: bool) -> bool:
        match condition:
            case Convert(type=Integer() as wide, argument=argument) if _fits(argument.type, wide):
                return self.decide(argument, wanted)
            case Operation(operator="!", arguments=(inner,)):
                return not self.decide(inner, not wanted)
            case Choice(operator="&&", condition=first, then=second):
                if wanted:
                    return self.decide(first, True) and self.decide(second, True)
                return self.one_of(first, second, False)
            case Choice(operator="||", condition=first, otherwise=second):
                if not wanted:
                    return self.decide(first, False) or self.decide(second, False)
                return self.one_of(first, second, True)
            case _:
                return self.drawn(condition, wanted)

    def one_of(self, first: Expression, second: Expression, wanted: bool) -> bool:
        """What comes of two conditions of which one is to be as wanted, and decides then: the first, or else the
        second; where that cannot be, the first after all."""
        mark, symbols = len(self.fresh), dict(self.symbols)
        if self.draw.random() < 0.5:
            return wanted if self.decide(first, wanted) == wanted else self.decide(second, wanted)
        if self.decide(first, not wanted) == wanted or self.decide(second, wanted) == wanted:
            return wanted
        self.forget(mark)
        self.symbols = symbols
        return wanted if self.decide(first, wanted) == wanted else self.decide(second, wanted)

    def drawn(self, condition: Expression, wanted: bool) -> bool:
        mark, symbols, outer = len(self.fresh), dict(self.symbols), (self.hints, self.drawing, self.looked)
        self.hints, self.drawing, self.looked = (), False, set()
        try:
            for _ in range(DRAWS):
                try:
                    found = self.value(condition) != 0
                except StuckError:
                    if len(self.fresh) == mark and not self.looked:
                        raise
                else:
                    if found == wanted or (len(self.fresh) == mark and not self.looked):
                        return found
                    self.hints = self.operands(condition)
                self.drawing = True
                self.forget(mark)
                self.symbols = dict(symbols)
                self.draw_again()
            return self.value(condition) != 0
        finally:
            self.seen()
            self.hints, self.drawing, self.looked = outer

    def draw_again(self) -> None:
        """Another value for the variables that nothing but this condition has looked at."""
        for key in self.looked & self.pending.keys():
            what = self.pending[key]
            self.chosen[what] = found = self.pick(self.kinds[what])
            self.variables[key] = converted(found, self.types[key])
            if key in self.read_from:
                self.reads(self.read_from[key], found)
        for key in self.looked & self.open_values.keys():
            made = self.open_values.pop(key)
            self.chosen.update({what: self.pick(self.kinds[what]) for what in made.keys})
            self.variables[key] = converted(known(self.value(made.value)), made.type)
            self.open_values[key] = made

    def operands(self, condition: Expression) -> tuple[Number, ...]:
        """Numbers that values of the condition are compared with, or that are next to them."""
        match condition:
            case Choice():
                return tuple(v for part in parts(condition) for v in self.operands(part))
            case Operation(operator=operator, arguments=(left, right)) if operator in COMPARISONS:
                values = (self.value(side) for side in (left, right))
                near = (0,) if operator in ("==", "!=") else (0, 0, 1, -1)
                return tuple(v + by for v in values if isinstance(v, int) for by in near)
            case _:
                return ()

    def forget(self, mark: int) -> None:
        """Takes back what was chosen since."""
        for key in self.fresh[mark:]:
            del self.chosen[key]
            self.steady.discard(key)
        del self.fresh[mark:]

    # --- values that are chosen

    def choose(self, key: Hashable, type_: CType, steady: bool) -> Number:
        found = self.chosen.get(key)
        if found is None:
            found = self.chosen[key] = self.pick(type_)
            self.fresh.append(key)
            self.kinds[key] = type_
            if steady:
                self.steady.add(key)
        elif self.open_values or self.pending:
            self.open_values = {v: made for v, made in self.open_values.items() if key not in made.keys}
            self.pending = {variable: what for variable, what in self.pending.items() if what != key}
        return found

    def pick(self, type_: CType) -> Number:
        draw = self.draw
        match type_:
            case Pointer():
                known = [v for v in self.hints if v]
                if known and draw.random() < 0.4:
                    return draw.choice(known)
                return 0 if draw.random() < (0.4 if self.drawing else 0.05) else APART * draw.randrange(1, 1 << 20)
            case Integer():
                low, high = value_range(type_)
                pool = self.hints if self.hints and draw.random() < 0.6 else self.numbers
                return modulo(max(low, min(high, int(draw.choice(pool)))), type_)
            case Floating():
                if self.met and draw.random() < 0.5:
                    return draw.choice(self.met[-MET:])
                return draw.choice(self.hints or (-2, 0, 1, 3))
            case _:
                raise StuckError("no number")

    def seen(self) -> None:
        """What was looked at is not open any more."""
        for key in self.looked:
            self.pending.pop(key, None)
            self.open_values.pop(key, None)
        self.looked.clear()


def _fits(inner: CType, outer: Integer) -> bool:
    return isinstance(inner, Integer) and inner.size <= outer.size and outer.name != "_Bool"
