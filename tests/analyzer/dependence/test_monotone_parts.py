"""What is said of the order of ends of parts, and of values that a comparison decides, against numbers."""

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from analyzer.access.decided_values import meanings
from analyzer.dependence.function_facts import surroundings_of
from analyzer.dependence.iterations import EARLIER, LATER
from analyzer.dependence.monotone_parts import ordered
from analyzer.dependence.scope import Scope
from analyzer.dependence.witness.arithmetic import StuckError, scaled
from analyzer.ir.nodes import Compare, Computed, Counter, Either, Entry, Loaded, Scaled, Share, loops
from analyzer.ir.polynomials import Poly, Symbol
from analyzer.ir.symbols import Kind
from analyzer.loops import lower_function
from analyzer.polyhedra.system import Constraint, System, holds
from analyzer.settings.options import SourceOptions
from analyzer.source import load_unit

ENDS = {
    "integers": ("t * n / p", "(t + 1) * n / p"),
    "from the end": ("(p - 1 - t) * (double)n / p", "(p - t) * (double)n / p"),
    "double": ("t * (double)n / p", "(t + 1) * (double)n / p"),
    "the share first": ("(double)t / p * n", "(double)(t + 1) / p * n"),
    "a cast": ("(long)(n * (double)t / (double)p)", "(long)(n * (double)(t + 1) / (double)p)"),
    "half of it": ("0.5 * t * n / p", "0.5 * (t + 1) * n / p"),
    "first and last": ("t == 0 ? 0 : t * (double)n / p", "t == p - 1 ? n : (t + 1) * (double)n / p"),
    "the last gets the rest": ("t * (n / p)", "t == p - 1 ? n : (t + 1) * (n / p)"),
    "wider steps": ("3 * t * n / p", "3 * (t + 2) * n / p"),
    "every second": ("2 * t * (double)n / p", "(2 * t + 1) * (double)n / p"),
}

NOTHING = {
    "in a divisor": ("n / (double)(t + 1)", "n / (double)(t + 2)"),
    "a sum": ("0.5 + t * (double)n / p", "0.5 + (t + 1) * (double)n / p"),
    "another type": ("(float)t * n / p", "(float)(t + 1) * n / p"),
    "two that differ": ("t * (double)t / p", "(t + 1) * (double)(t + 1) / p"),
    "a variable": ("x * t", "x * (t + 1)"),
    "a narrow type": ("(signed char)(t * (double)n / p)", "(signed char)((t + 1) * (double)n / p)"),
}


@cache
def scope_and_symbols(low: str, high: str) -> tuple[Scope, frozenset[Symbol]]:
    inner = "for (long i = lo; i < hi; i++) y[i] = 1;"
    body = f"for (long t = 0; t < p; t++) {{ long lo = {low}, hi = {high}; {inner} }}"
    unit = load_unit(Path("c.c"), SourceOptions(), None, f"void f(long n, long p, double x, double *y) {{ {body} }}")
    function = lower_function(unit, unit.functions[0])
    scope = surroundings_of(function).scope(next(loops(function.body)))
    (store,) = scope.writes
    return scope, scope.symbols_around(store)


class Values:
    """The values of symbols for numbers: of parameters by name, of the counter and of the distance."""

    def __init__(self, scope: Scope, named: dict[str, int], counter: int, distance: int) -> None:
        self.scope, self.named, self.counter, self.distance = scope, named, counter, distance

    def of(self, s: Symbol) -> int:
        if s.kind is Kind.DISTANCE:
            return self.distance
        match s.origin:
            case Counter():
                assert s == self.scope.loop.counter
                return self.counter
            case Entry(variable=variable):
                return self.named[variable.name]
            case Computed(meaning=Share(value=value, divisor=divisor)):
                a, b = self.poly(value), self.poly(divisor)
                return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            case Computed(meaning=Scaled(terms=terms)):
                return scaled(self.poly(t) if isinstance(t, Poly) else t for t in terms)
            case Computed(meaning=Either(values=(a, b), decided=Compare(value=value, relation=relation))):
                known = self.poly(value)
                chosen = known >= 0 if relation == ">=" else (known == 0) == (relation == "==")
                return self.poly(a if chosen else b)
            case _:
                raise AssertionError(s)

    def poly(self, value: Poly) -> int:
        return value.evaluate({s: self.of(s) for s in value.symbols})

    def hold(self, c: Constraint) -> bool:
        return bool(holds(Constraint(Poly.of({(): self.poly(c.value)}), c.equal)))

    def satisfy(self, wanted: System) -> bool:
        chosen = (any(all(map(self.hold, a)) for a in choice) for choice in wanted.choices)
        return all(map(self.hold, wanted.constraints)) and all(chosen)


def numbers() -> Iterator[tuple[dict[str, int], int, int]]:
    """Sizes of both signs, small ones and some that no `double` holds; an iteration, the distance to a later one."""
    rng = random.Random(7)
    for _ in range(3000):
        n = rng.choice((rng.randint(-9, 9), rng.randint(-(2**61), 2**61), 2**53 + rng.randint(-3, 3)))
        p = rng.choice((rng.randint(2, 9), rng.randint(2, 2**20)))
        counter = rng.randint(0, p - 2)
        yield {"n": n, "p": p}, counter, rng.randint(1, p - 1 - counter)


@pytest.mark.parametrize("case", ENDS)
def test_what_is_said_is_true(case: str) -> None:
    scope, symbols = scope_and_symbols(*ENDS[case])
    asked = [s for s in symbols if not isinstance(s.origin, Counter | Loaded)]
    known = ordered(scope, asked, asked)
    for side in (EARLIER, LATER):
        known += scope.moved(meanings(asked), side)
    assert known.choices
    tried = 0
    for named, counter, distance in numbers():
        values = Values(scope, named, counter, distance)
        try:
            assert values.satisfy(known), (named, counter, distance)
            tried += 1
        except StuckError:
            pass
    assert tried > 1000


@pytest.mark.parametrize("case", NOTHING)
def test_nothing_is_said(case: str) -> None:
    scope, symbols = scope_and_symbols(*NOTHING[case])
    assert ordered(scope, symbols, symbols) == System()
