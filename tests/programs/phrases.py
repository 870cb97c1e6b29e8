"""Expressions and statements made at random from what a scope names."""

import random
from collections.abc import Callable, Sequence

from .scope import Helper, Scope

DEEPEST = 2
DIRTY = frozenset({"static", "global", "keeps", "ends"})


class Phrases:
    """`care`: how often a choice is the one that leaves iterations independent, where there is one."""

    def __init__(self, rng: random.Random, scope: Scope, helpers: Sequence[Helper], care: float) -> None:
        self.rng, self.scope, self.care = rng, scope, care
        self.helpers = [h for h in helpers if not h.own or h.file == scope.file]
        self.counter = ""
        """The loop variable, where the text is the body of a loop of interest."""
        self.written: set[str] = set()
        """Arrays that the loop writes."""
        self.marks: set[str] = set()
        """Of all helpers that were called."""

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def one(self, of: Sequence[str]) -> str:
        return self.rng.choice(list(of))

    # --- expressions

    def position(self, depth: int = 0) -> str:
        """An `int` in the range of all subscripts."""
        scope = self.scope
        base = self.one(scope.positions)
        kinds: list[Callable[[], str]] = [lambda: base] * 6 + [lambda: self._moved(base)] * 2
        if scope.maps:
            kinds += [lambda: f"{self.one(scope.maps)}[{base}]"] * 2
        if scope.cells:
            kinds.append(lambda: f"{self.one(scope.cells)}[{base}].kind")
        if depth < DEEPEST:
            kinds += [lambda: self.call("k", depth) or base, lambda: f"nudge({base})"]
        if base == self.counter and depth == 0:
            kinds += [lambda: f"2 * {base}", lambda: f"31 - {base}", lambda: f"({base} ^ 1)", lambda: f"{base} / 2"]
        return self.rng.choice(kinds)()

    def _moved(self, base: str) -> str:
        if self.scope.shifts and self.chance(0.4):
            return f"{base} + {self.one(self.scope.shifts)}"
        return self.rng.choice([f"{base} + 1", f"{base} - 1", f"{base} + 2", f"{base} - 3"])

    def value(self, depth: int = 0) -> str:
        """A number."""
        scope = self.scope
        kinds: list[Callable[[], str]] = [self.constant]
        if scope.values:
            kinds += [lambda: self.one(scope.values)] * 3
        if scope.positions:
            kinds += [lambda: self.one(scope.positions)]
            if scope.sources:
                kinds += [self.element] * 5
            if scope.rows:
                kinds += [lambda: f"{self.one(scope.rows)}[{self.position(1)} & 31][{self.position(1)}]"] * 2
            if scope.cells:
                kinds += [lambda: f"{self.one(scope.cells)}[{self.position(1)}].{self.one('xy')}"] * 2
        if scope.one_cell:
            kinds += [lambda: f"{self.one(scope.one_cell)}->{self.one('xy')}"] * 2
        if scope.spots:
            kinds.append(lambda: f"*{self.one(scope.spots)}")
        if depth < DEEPEST:
            kinds += [lambda: self._sum(depth)] * 3 + [lambda: self.call("v", depth) or self.constant()] * 7
            kinds += [lambda: f"({self.condition(depth + 1)} ? {self.value(depth + 1)} : {self.value(depth + 1)})"]
            if scope.macros:
                kinds.append(lambda: f"{self.one(scope.macros)}({self.value(depth + 1)})")
        return self.rng.choice(kinds)()

    def element(self) -> str:
        """Of an array; with care not of one that the loop writes elsewhere."""
        others = [x for x in self.scope.sources if x not in self.written]
        if others and self.chance(self.care):
            return f"{self.one(others)}[{self.position(1)}]"
        name = self.one(self.scope.sources)
        at = self.counter if self.counter and self.chance(self.care) else self.position(1)
        return f"{name}[{at}]"

    def constant(self) -> str:
        return self.one(["0.5", "1", "2", "0.25", "3"])

    def _sum(self, depth: int) -> str:
        left, right = self.value(depth + 1), self.value(depth + 1)
        return self.rng.choice([f"{left} + {right}", f"({left} - {right})", f"{self.constant()} * ({left})"])

    def condition(self, depth: int = 0) -> str:
        scope = self.scope
        kinds: list[Callable[[], str]] = [lambda: f"{self.value(max(depth, 1))} > {self.constant()}"]
        if scope.positions:
            kinds += [lambda: f"{self.one(scope.positions)} & 1", lambda: f"{self.one(scope.positions)} > 4"]
            if scope.maps:
                kinds.append(lambda: f"{self.one(scope.maps)}[{self.one(scope.positions)}] > 9")
        if scope.sizes:
            kinds.append(lambda: f"{self.one(scope.sizes)} > 3")
        return self.rng.choice(kinds)()

    # --- calls

    def call(self, result: str, depth: int = 0) -> str | None:
        """A call of a helper with such a result; None where there is none that can be called here."""
        usable = [h for h in self.helpers if h.result == result and self._can_call(h)]
        clean = [h for h in usable if not h.marks & DIRTY]
        usable = clean if clean and self.chance(self.care) else usable
        others = [h for h in usable if h.file != self.scope.file]
        usable = others if others and self.chance(0.6) else usable
        if not usable:
            return None
        helper = self.rng.choice(usable)
        self.marks |= helper.marks
        writes = {"out", "open map", "cells"} & set(helper.roles)
        return f"{helper.name}({', '.join(self._argument(r, depth, bool(writes)) for r in helper.roles)})"

    def _can_call(self, helper: Helper) -> bool:
        s = self.scope
        needed = {
            "k": s.positions,
            "n": s.sizes,
            "in": s.sources,
            "out": s.targets,
            "at": s.spots or (s.targets and s.positions) or s.assigned,
            "map": s.maps,
            "open map": s.open_maps,
            "field": s.fields,
            "cells": s.cells,
            "cell": s.one_cell or (s.cells and s.positions),
        }
        return all(needed.get(r, True) for r in helper.roles)

    def _argument(self, role: str, depth: int, writes: bool) -> str:
        scope = self.scope
        match role:
            case "v":
                return self.value(depth + 1)
            case "k":
                return self.place() if writes else self.position(depth + 1)
            case "n":
                return self.one(scope.sizes)
            case "in":
                others = [x for x in scope.sources if x not in self.written]
                return self.one(others if others and self.chance(self.care) else scope.sources)
            case "out":
                name = self.one([x for x in scope.targets if x in self.written] or scope.targets)
                self.written.add(name)
                return name
            case "at":
                return self.spot()
            case "map":
                return self.one(scope.maps)
            case "open map":
                return self.one(scope.open_maps)
            case "field":
                return self.one(scope.fields)
            case "cells":
                return self.one(scope.cells)
            case _:
                if scope.one_cell and (not scope.cells or not scope.positions or self.chance(0.5)):
                    return self.one(scope.one_cell)
                return f"&{self.one(scope.cells)}[{self.place()}]"

    def spot(self) -> str:
        """The address of one number."""
        scope = self.scope
        kinds: list[Callable[[], str]] = [lambda x=x: x for x in scope.spots]  # type: ignore[misc]
        kinds += [lambda x=x: f"&{x}" for x in scope.assigned]  # type: ignore[misc]
        if scope.targets and scope.positions:
            kinds += [lambda: f"&{self._target()}[{self.place()}]", lambda: f"{self._target()} + {self.place()}"]
        if scope.cells and scope.positions:
            kinds.append(lambda: f"&{self.one(scope.cells)}[{self.place()}].{self.one('xy')}")
        return self.rng.choice(kinds)()

    def place(self) -> str:
        """Where a loop writes: with care, another place in each iteration."""
        if not self.counter:
            return self.position(1)
        if self.chance(self.care):
            maps = [f"{x}[{self.counter}]" for x in self.scope.maps]
            return self.one([self.counter] * (4 + 2 * len(maps)) + maps)
        return self.position()

    def _target(self) -> str:
        again = [x for x in self.scope.targets if x in self.written]
        name = self.one(again if again and self.chance(self.care) else self.scope.targets)
        self.written.add(name)
        return name

    # --- statements

    def store(self) -> str:
        """An assignment to memory."""
        scope = self.scope
        kinds: list[Callable[[], str]] = []
        if scope.targets and scope.positions:
            kinds += [self._store_element] * 5
        if scope.cells and scope.positions:
            kinds += [lambda: f"{self.one(scope.cells)}[{self.place()}].{self.one('xy')} = {self.value()};"]
        if scope.one_cell:
            kinds += [lambda: f"{self.one(scope.one_cell)}->{self.one('xy')} {self._op()} {self.value()};"] * 3
        if scope.spots:
            kinds += [lambda: f"*{self.one(scope.spots)} {self._op()} {self.value()};"] * 3
        kinds += [self._call_statement] * 3
        if scope.has_put and scope.targets and scope.positions:
            kinds += [lambda: f"PUT({self._target()}, {self.place()}, {self.value()});"]
        if scope.rows and scope.positions:
            kinds += [lambda: f"{self.one(scope.rows)}[{self.place()} & 31][{self.position(1)}] = {self.value()};"] * 4
        if scope.open_maps and scope.positions:
            kinds.append(lambda: f"{self.one(scope.open_maps)}[{self.place()}] = ({self.position(1)}) & 31;")
        return self.rng.choice(kinds)()

    def _op(self) -> str:
        return self.one(["=", "=", "=", "+=", "-="])

    def _store_element(self) -> str:
        name, at = self._target(), self.place()
        return f"{name}[{at}] {self._op()} {self.value()};"

    def _call_statement(self) -> str:
        called = self.call("")
        if called is not None and self.chance(0.8):
            return f"{called};"
        pointer = self.call("p")
        if pointer is not None:
            return f"*{pointer} {self._op()} {self.value()};"
        if called is not None:
            return f"{called};"
        if self.scope.targets and self.scope.positions:
            return self._store_element()
        name = self.one(self.scope.assigned) if self.scope.assigned else "g_sum"
        return f"{name} = {self.value()};"
