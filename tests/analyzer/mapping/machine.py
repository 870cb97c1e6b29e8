"""Runs nests of the IR over memory of its own, as they are and as threads in a random order.

Knows nothing of dependences: that a mapping is legal is seen from equal memory. Integers modulo a prime: sums in
another order are equal, and products and differences mix so that other orders of anything else are not.
"""

import random
from collections.abc import Iterator, Mapping

from analyzer.ir.nodes import (
    Access,
    Assign,
    Convert,
    Evaluate,
    Expression,
    Literal,
    Load,
    Loop,
    Operation,
    Statement,
    Use,
    Variable,
)
from analyzer.ir.polynomials import Poly

PRIME = 1_000_003

Memory = dict[tuple[str, tuple[int, ...]], int]
Names = Mapping[str, int]


class Machine:
    """`sizes`: the parameters of the function, by name; `memory` begins with a number for each element that is used."""

    def __init__(self, sizes: Names) -> None:
        self.sizes = sizes
        self.memory: Memory = {}

    def run(self, loop: Loop) -> Memory:
        """The memory after the nest as it is written."""
        self._body((loop,), {}, {})
        return self.memory

    def run_threads(self, root: Loop, threads: tuple[Loop, ...], order: random.Random) -> Memory:
        """The memory after a thread for each combination of iterations of the outermost loops, in any order. What is
        beside the loops in their bodies is done by every thread before or after them."""
        every = list(self._threads(threads, {}))
        order.shuffle(every)
        for counters in every:
            self._body(threads[-1].body, counters, {})
        return self.memory

    def _threads(self, left: tuple[Loop, ...], counters: dict[str, int]) -> Iterator[dict[str, int]]:
        if not left:
            yield counters
            return
        for at in range(self._trip(left[0], counters)):
            yield from self._threads(left[1:], {**counters, left[0].counter.name: at})

    def _trip(self, loop: Loop, counters: Names) -> int:
        assert loop.trip is not None
        return max(0, min(-(-self._poly(r.numerator, counters) // r.denominator) for r in loop.trip))

    def _poly(self, value: Poly, counters: Names) -> int:
        total = 0
        for term, factor in value.terms:
            product = factor
            for s in term:
                product *= counters[s.name] if s.name in counters else self.sizes[s.name]
            total += product
        return total

    def _body(self, body: tuple[Statement, ...], counters: Names, scalars: dict[int, int]) -> None:
        for s in body:
            match s:
                case Loop():
                    for at in range(self._trip(s, counters)):
                        self._body(s.body, {**counters, s.counter.name: at}, scalars)
                case Assign(induction=True) | Evaluate():
                    pass
                case Assign(target=Variable(key=key), value=value):
                    scalars[key] = self._value(value, counters, scalars)
                case Assign(target=Access() as target, value=value):
                    self.memory[self._place(target, counters)] = self._value(value, counters, scalars)
                case _:
                    raise AssertionError(s)

    def _place(self, access: Access, counters: Names) -> tuple[str, tuple[int, ...]]:
        return str(access.object), tuple(self._poly(s.index, counters) for s in access.subscripts)

    def _value(self, e: Expression, counters: Names, scalars: Mapping[int, int]) -> int:
        match e:
            case Literal(value=value):
                return int(value)
            case Load(access=access):
                place = self._place(access, counters)
                return self.memory.setdefault(place, hash((len(place[0]), ord(place[0][0]), *place[1])) % PRIME)
            case Use(value=Poly() as value):
                return self._poly(value, counters)
            case Use(variable=variable):
                return scalars[variable.key]
            case Convert(argument=argument):
                return self._value(argument, counters, scalars)
            case Operation(operator=operator, arguments=(a, b)):
                x, y = self._value(a, counters, scalars), self._value(b, counters, scalars)
                return {"+": x + y, "-": x - y, "*": x * y}[operator] % PRIME
            case _:
                raise AssertionError(e)
