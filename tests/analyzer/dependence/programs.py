"""Random small loop nests as C text and, apart from the analysis, as something that runs.

A program is a nest of one or two loops over statements on `long` memory: `a`, `b` (pointers, apart from each other),
`M` (two-dimensional), scalars `s`, `t`. It runs in any order of the iterations of one loop, with privates poisoned at
the start of each iteration; memory after the run shows whether the order mattered.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass


class Memory(dict[object, int]):
    """Values by place. `now` is the running iteration of the loop under test (None outside it); `flows`: a value was
    read that another iteration had written; `conflicts`: two iterations touched a place, one of them writing."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.now: object = None
        self.writers: dict[object, object] = {}
        self.readers: dict[object, set[object]] = {}
        self.flows = self.conflicts = False
        self.contents = 0

    def store(self, key: object, value: int) -> None:
        self[key] = value
        others = self.readers.get(key, set()) | {self.writers.get(key, self.now)}
        self.conflicts = self.conflicts or bool(self.now is not None and others - {self.now})
        if self.now is not None:
            self.writers[key] = self.now

    def load(self, key: object) -> int:
        writer = self.writers.get(key)
        if self.now is not None:
            self.flows = self.flows or (writer is not None and writer != self.now)
            self.conflicts = self.conflicts or self.flows
            self.readers.setdefault(key, set()).add(self.now)
        return self.get(key, _initial(key if self.contents == 0 else (self.contents, key)))


Values = dict[str, int]
POISON = 987_654_321
MODULUS = 1_000_003


@dataclass(frozen=True)
class Affine:
    """c + sum of coefficient * name."""

    terms: tuple[tuple[str, int], ...]
    constant: int

    def value(self, values: Values) -> int:
        return self.constant + sum(c * values[name] for name, c in self.terms)

    def __str__(self) -> str:
        parts = [f"{c} * {name}" for name, c in self.terms] + [str(self.constant)]
        return " + ".join(parts)


@dataclass(frozen=True)
class Element:
    array: str
    indices: tuple[Affine, ...]
    modulo: int = 0

    def key(self, values: Values) -> object:
        found = tuple(index.value(values) for index in self.indices)
        return (self.array, *(x % self.modulo if self.modulo and x >= 0 else x for x in found))

    def __str__(self) -> str:
        inner = [f"({i}) % {self.modulo}" if self.modulo else str(i) for i in self.indices]
        return self.array + "".join(f"[{i}]" for i in inner)


@dataclass(frozen=True)
class Statement:
    """`target = mix of reads`; `operator` makes it an update: `target += ...`. `condition` may stand before it."""

    target: Element | str
    reads: tuple[Element | str, ...]
    salt: int
    operator: str = ""
    condition: Condition | None = None
    names: tuple[str, ...] = ()

    def text(self) -> str:
        counters = [f"{7919 ** k} * ({name} + 3) * ({name} + 3)" for k, name in enumerate(self.names, 1)]
        terms = [str(self.salt), *counters, *(f"{3 + 2 * k} * {r}" for k, r in enumerate(self.reads))]
        value = " + ".join(terms)
        assign = f"{self.target} {self.operator}= {value};"
        return f"if ({self.condition}) {assign}" if self.condition else assign

    def run(self, memory: Memory, values: Values) -> None:
        if self.condition and not self.condition.holds(memory, values):
            return
        total = self.salt + sum(7919 ** k * (values[name] + 3) ** 2 for k, name in enumerate(self.names, 1))
        total += sum((3 + 2 * k) * read(memory, r, values) for k, r in enumerate(self.reads))
        where = self.target if isinstance(self.target, str) else self.target.key(values)
        if self.operator == "+":
            total += read(memory, self.target, values)
        memory.store(where, total % MODULUS)


@dataclass(frozen=True)
class Condition:
    """`left < right`, affine, or a comparison of an element with a number."""

    left: Affine | Element
    right: int

    def holds(self, memory: Memory, values: Values) -> bool:
        left = self.left.value(values) if isinstance(self.left, Affine) else read(memory, self.left, values) % 7
        return left < self.right

    def __str__(self) -> str:
        left = str(self.left) if isinstance(self.left, Affine) else f"{self.left} % 7"
        return f"{left} < {self.right}"


def read(memory: Memory, what: Element | str, values: Values) -> int:
    return memory.load(what if isinstance(what, str) else what.key(values))


def _initial(key: object) -> int:
    return sum(ord(c) * (k + 3) for k, c in enumerate(str(key))) % 997


@dataclass(frozen=True)
class Program:
    """`for i < n { before; for j in low..high { inner }; after }`; `bounds` of j, None for a single loop."""

    before: tuple[Statement, ...]
    bounds: tuple[Affine, Affine] | None
    inner: tuple[Statement, ...]
    after: tuple[Statement, ...]
    live: tuple[str, ...]

    def text(self) -> str:
        lines = ["for (long i = 0; i < n; i++) {", *(s.text() for s in self.before)]
        if self.bounds:
            low, high = self.bounds
            lines += [f"for (long j = {low}; j < {high}; j++) {{", *(s.text() for s in self.inner), "}"]
        lines += [*(s.text() for s in self.after), "}"]
        return "\n".join(lines) + "".join(f"\nout += {v};" for v in self.live)

    def run(
        self,
        sizes: Values,
        loop: int,
        order: Callable[[Sequence[int]], Sequence[int]],
        contents: int = 0,
        **roles: Sequence[str],
    ) -> Memory:
        """Memory after the run with the iterations of one loop (0: outer, 1: inner) in the given order; `private` and
        `last` name the scalars that each iteration of it has for itself; `contents` numbers what memory holds first."""
        memory = Memory({"s": 5, "t": 11})
        memory.contents = contents
        outer = range(sizes["n"])

        def inner_loop(i: int) -> None:
            if not self.bounds:
                return
            low, high = (b.value({**sizes, "i": i}) for b in self.bounds)
            tested = loop == 1
            _each(memory, range(low, high), order if tested else list, roles if tested else {}, body(i), tested)

        def body(i: int) -> Callable[[int], None]:
            def one(j: int) -> None:
                for s in self.inner:
                    s.run(memory, {**sizes, "i": i, "j": j})

            return one

        def iteration(i: int) -> None:
            for s in self.before:
                s.run(memory, {**sizes, "i": i})
            inner_loop(i)
            for s in self.after:
                s.run(memory, {**sizes, "i": i})

        tested = loop == 0
        _each(memory, outer, order if tested else list, roles if tested else {}, iteration, tested)
        seen = Memory({k: v for k, v in memory.items() if not isinstance(k, str) or k in self.live})
        seen.flows, seen.conflicts = memory.flows, memory.conflicts
        return seen


def _each(
    memory: Memory,
    iterations: range,
    order: Callable[[Sequence[int]], Sequence[int]],
    roles: dict[str, Sequence[str]],
    body: Callable[[int], None],
    tested: bool,
) -> None:
    own = [*roles.get("private", ()), *roles.get("last", ()), *roles.get("first", ())]
    begins = dict.fromkeys(own, POISON) | {v: memory[v] for v in roles.get("first", ())}
    kept: Memory = {}
    for x in order(iterations):
        memory.update(begins)
        if tested:
            memory.now = x
        body(x)
        if x == iterations[-1]:
            kept = {v: memory[v] for v in roles.get("last", ())}
    if iterations:
        memory.update(dict.fromkeys(own, POISON))
        memory.update(kept)
    if tested:  # another run of the loop is another loop
        memory.now = None
        memory.writers.clear()
        memory.readers.clear()


# --- making programs


def program(seed: int) -> Program:
    rng = random.Random(seed)
    nested = rng.random() < 0.55
    names = ["i", "j"] if nested else ["i"]
    bounds = None
    if nested:
        low = rng.choice([Affine((), 0), Affine((), 1), Affine((("i", 1),), 0)])
        high = rng.choice([Affine((("m", 1),), 0), Affine((), 4), Affine((("i", 1),), 1), Affine((("n", 1),), 0)])
        bounds = (low, high)
    outer = _statements(rng, ["i"], rng.choice([0, 0, 1, 2]) if nested else rng.choice([1, 2, 3]))
    inner = _statements(rng, names, rng.choice([1, 1, 2])) if nested else ()
    after = _statements(rng, ["i"], rng.choice([0, 0, 1])) if nested else ()
    live = tuple(v for v in ("s", "t") if rng.random() < 0.4)
    return Program(outer, bounds, inner, after, live)


def _statements(rng: random.Random, names: list[str], count: int) -> tuple[Statement, ...]:
    return tuple(_statement(rng, names) for _ in range(count))


def _statement(rng: random.Random, names: list[str]) -> Statement:
    target = rng.choice(["s", "t"]) if rng.random() < 0.3 else _element(rng, names)
    reads = tuple(
        rng.choice(["s", "t"]) if rng.random() < 0.2 else _element(rng, names) for _ in range(rng.choice([0, 1, 1, 2]))
    )
    condition = None
    if rng.random() < 0.2:
        left = _affine(rng, names) if rng.random() < 0.6 else _element(rng, names)
        condition = Condition(left, rng.randint(0, 4))
    operator = "+" if rng.random() < 0.2 else ""
    salted = tuple(names) if rng.random() < 0.9 else ()
    return Statement(target, reads, rng.randint(1, 99), operator, condition, salted)


def _affine(rng: random.Random, names: list[str]) -> Affine:
    terms = [(n, rng.choice([1, 1, 1, 2, -1])) for n in names if rng.random() < 0.75]
    if rng.random() < 0.15:
        terms.append((rng.choice(["n", "m"]), rng.choice([1, 1, -1])))
    return Affine(tuple(terms), rng.randint(-2, 3))


def _element(rng: random.Random, names: list[str]) -> Element:
    kind = rng.random()
    if kind < 0.25:
        inside = [Affine(((rng.choice(names), 1),), rng.randint(8, 12)) for _ in range(2)]
        return Element("M", (inside[0], inside[1]))
    modulo = rng.choice([2, 3]) if kind > 0.93 else 0
    index = _affine(rng, names)
    return Element(rng.choice("ab"), (Affine(index.terms, index.constant + (40 if modulo else 0)),), modulo)
