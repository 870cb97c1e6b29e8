"""Two different iterations of one loop, as two copies of everything that may differ between them.

The earlier iteration has the loop's counter c, the later one c + d with d >= 1; counters of inner loops and values
made inside the loop get one copy per iteration; counters of outer loops, parameters and everything else invariant are
shared.
"""

from msgspec.structs import replace

from ..ir.nodes import (
    Compare,
    Computed,
    Either,
    Flipped,
    Kept,
    Loop,
    OfFloating,
    Passed,
    Power,
    Quotient,
    Remainder,
    Rest,
    Share,
    TrianglePlace,
    TriangleRow,
)
from ..ir.polynomials import Poly, Symbol, symbol
from ..ir.symbols import Kind, derived
from ..polyhedra.system import Conjunction, System

EARLIER, LATER = 0, 1
ALSO = 2
"""Added to a side: another access in the same iteration, with counters of inner loops of its own."""


class TwoIterations:
    """An earlier and a later iteration of a loop."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.distance = derived(Kind.DISTANCE, loop.counter, loop.counter.origin, "distance", 1)
        self._copies: dict[tuple[Symbol, int], Symbol] = {}
        self._renamed_values: dict[tuple[Poly, int], Poly] = {}
        self._differences: dict[tuple[Poly, Poly], Poly] = {}

    def varies(self, s: Symbol) -> bool:
        """Whether the symbol may have different values in two iterations of the loop (with equal outer counters)."""
        raise NotImplementedError

    def rename(self, value: Poly, side: int) -> Poly:
        """The value in the earlier or the later iteration."""
        key = (value, side)
        if key not in self._renamed_values:
            copies = {s: self._copy(s, side) for s in value.symbols if self.varies(s)}
            self._renamed_values[key] = value.substitute(copies)
        return self._renamed_values[key]

    def difference(self, a: Poly, b: Poly) -> Poly:
        """`a` in the earlier iteration minus `b` in the later one: arrays that are used alike share most of them."""
        if (a, b) not in self._differences:
            self._differences[a, b] = self.rename(a, EARLIER) - self.rename(b, LATER)
        return self._differences[a, b]

    def _copy(self, s: Symbol, side: int) -> Poly:
        if s == self.loop.counter:
            return symbol(s) + symbol(self.distance) if side % ALSO == LATER else symbol(s)
        if (s, side) not in self._copies:
            origin = s.origin
            match origin:
                case Quotient(value=value) | Remainder(value=value):
                    origin = replace(origin, value=self.rename(value, side))
                case Computed(meaning=(Share() | Rest() | Flipped()) as part):
                    part = replace(part, value=self.rename(part.value, side), divisor=self.rename(part.divisor, side))
                    origin = replace(origin, meaning=part)
                case Computed(meaning=(TriangleRow() | TrianglePlace() | Power()) as part):
                    origin = replace(origin, meaning=replace(part, value=self.rename(part.value, side)))
                case Computed(meaning=Passed(most=most)):
                    origin = replace(origin, meaning=Passed(self.rename(most, side)))
                case Computed(meaning=Kept(before=before, least=least, most=most)):
                    kept = Kept(*(self.rename(value, side) for value in (before, least, most)))
                    origin = replace(origin, meaning=kept)
                case Computed(meaning=OfFloating() as made):
                    origin = replace(origin, meaning=made.of(lambda value: self.rename(value, side)))
                case Computed(meaning=Either(values=(a, b), decided=Compare(value=c) as test)):
                    test = replace(test, value=self.rename(c, side))
                    origin = replace(origin, meaning=Either((self.rename(a, side), self.rename(b, side)), decided=test))
                case _:
                    pass
            self._copies[s, side] = derived(Kind.COPY, s, origin, low=s.low, high=s.high, which=side)
        return symbol(self._copies[s, side])

    def moved(self, plain: System, side: int) -> System:
        """The constraints as they are in one of the two iterations."""
        choices = tuple(tuple(self._renamed(a, side) for a in choice) for choice in plain.choices)
        return System(self._renamed(plain.constraints, side), choices, plain.exact)

    def _renamed(self, constraints: Conjunction, side: int) -> Conjunction:
        return tuple(replace(c, value=self.rename(c.value, side)) for c in constraints)
