"""Functions with loops, which call helpers of their own file and of others."""

from collections.abc import Sequence

from .bodies import Bodies
from .makers import Maker
from .phrases import Phrases
from .scope import Helper

CALLED_WITH: dict[str, tuple[str, str]] = {
    "n": ("int {}", "n"),
    "m": ("int {}", "n"),
    "a": ("double *{}", "out"),
    "b": ("double *{}", "out"),
    "x": ("double {}", "v"),
    "idx": ("int *{}", "open map"),
    "ptr": ("int *{}", "rows"),
    "s": ("struct field *{}", "field"),
    "t": ("struct field *{}", "field"),
    "c": ("struct cell *{}", "cells"),
}
"""Parameters of kernels: how they are declared, and their role. Every input has a value for each."""


def kernel(
    name: str, bodies: Bodies, helpers: Sequence[Helper], makers: Sequence[Maker]
) -> tuple[str, tuple[str, ...], bool, bool]:
    """The text of a function, the names of its parameters, whether it returns a number, and whether its pointers are
    `restrict`."""
    return _Kernel(name, bodies, helpers, makers).written()

FAILURE = "return failure;"
"""What leaves a loop, until it is known whether the function returns a number."""


class _Kernel:
    def __init__(self, name: str, bodies: Bodies, helpers: Sequence[Helper], makers: Sequence[Maker]) -> None:
        self.makers = makers
        self.name, self.bodies, self.helpers, self.rng = name, bodies, helpers, bodies.rng
        self.scope = bodies.scope()
        optional = [p for p in CALLED_WITH if p != "n"]
        chosen = self.rng.sample(optional, self.rng.randrange(2, 6))
        self.parameters = tuple(p for p in CALLED_WITH if p == "n" or p in chosen)
        self.restricted = self.rng.random() < 0.3
        self.declared: list[str] = []
        self.returned = ""
        self.tags: set[str] = set()
        for p in self.parameters:
            self._parameter(p)

    def _parameter(self, p: str) -> None:
        text, role = CALLED_WITH[p]
        if p == "b" and self.rng.random() < 0.6:
            text, role = "const double *{}", "in"
        elif p == "idx" and self.rng.random() < 0.7:
            text, role = "const int *{}", "map"
        if self.restricted and role in ("in", "out"):
            text = text.replace("{}", "restrict {}")
        self.declared.append(text.format(p))
        if role == "rows":
            self.scope.maps.append(p)
        else:
            self.scope.add(role, p)

    def written(self) -> tuple[str, tuple[str, ...], bool, bool]:
        lines = self._made()
        for _ in range(self.rng.choice([1, 1, 1, 2])):
            if self.rng.random() < 0.15 and self.scope.open_maps:
                lines += self._fills_map()
            lines += self._loop()
        head = f"{'double' if self.returned else 'void'} {self.name}({', '.join(self.declared)})"
        lines += [f"return {self.returned};"] if self.returned else []
        lines = [line.replace(FAILURE, "return -1;" if self.returned else "return;") for line in lines]
        text = "\n".join([head, "{", *(f"    {x}" for x in lines), "}\n"])
        return text, self.parameters, bool(self.returned), self.restricted

    def _made(self) -> list[str]:
        """Memory of its own."""
        lines: list[str] = []
        if not self.makers or self.rng.random() < 0.5:
            return lines
        for name in self.rng.choice([("w",), ("w",), ("w", "w2")]):
            made = self.rng.choice(self.makers)
            declared = made.head.split(made.name)[0]
            lines.append(f"{declared}{name} = {made.name}(n);")
            if made.kind == "rows":
                self.scope.rows.append(name)
            else:
                self.scope.add("field" if made.kind == "field" else "out", name)
        return lines

    def _fills_map(self) -> list[str]:
        ids = self.rng.choice(self.scope.open_maps)
        fillers = [h for h in self.helpers if "fills" in h.marks and h.roles == ("open map", "n")]
        if fillers and self.rng.random() < 0.6:
            return [f"{self.rng.choice(fillers).name}({ids}, n);"]
        value = self.rng.choice(["k", "31 - k", "(k * 5 + 1) & 31", "k / 2", "k ^ 1", "3"])
        return ["for (int k = 0; k < 32; k++)", f"    {ids}[k] = {value};"]

    def _phrases(self, counter: str) -> Phrases:
        phrases = Phrases(self.rng, self.scope, self.helpers, self.bodies.care)
        phrases.counter = counter
        return phrases

    def _bound(self) -> str:
        choices = [*self.scope.sizes] * 3
        choices += [f"{s}->n" for s in self.scope.fields if not s.startswith("&")]
        choices += ["g_n"] if "g_n" in self.scope.sizes else ["24"]
        return self.rng.choice(choices)

    def _loop(self) -> list[str]:
        counter = self.rng.choice("ijk")
        phrases = self._phrases(counter)
        self.scope.positions.append(counter)
        before, body, after = self._statements(phrases)
        if self.rng.random() < 0.1:
            failed = self.rng.choice([f"{phrases.value()} > 40", f"{phrases.value()} < -40", phrases.condition()])
            between = [k for k in range(len(body) + 1) if not "".join(body[k : k + 1]).startswith((" ", "{", "}"))]
            body.insert(self.rng.choice(between), f"if ({failed}) {FAILURE}")
        self.scope.positions.remove(counter)
        before, header, step = [*before], *self._header(counter, before)
        return [*before, header, "{", *(f"    {x}" for x in [*body, *step]), "}", *after]

    def _header(self, i: str, before: list[str]) -> tuple[str, list[str]]:
        bound = self._bound()
        match self.rng.randrange(8):
            case 0:
                return f"for (int {i} = {bound} - 1; {i} >= 0; {i}--)", []
            case 1:
                return f"for (int {i} = 1; {i} < {bound}; {i} += 2)", []
            case _:
                return f"for (int {i} = 0; {i} < {bound}; {i}++)", []

    def _tag(self, counter: str) -> str:
        """How names end that one loop of the function has for itself."""
        tag = f"{counter}{self.rng.randrange(100)}"
        while tag in self.tags:
            tag = f"{counter}{self.rng.randrange(100)}"
        self.tags.add(tag)
        return tag

    def _statements(self, phrases: Phrases) -> tuple[list[str], list[str], list[str]]:
        """What stands before the loop, in it, and behind it."""
        before: list[str] = []
        body: list[str] = []
        after: list[str] = []
        scope, tag = self.scope, self._tag(phrases.counter)
        if self.rng.random() < 0.35:
            name = f"t{tag}"
            if self.rng.random() < 0.4:
                before.append(f"double {name};")
                body.append(f"{name} = {phrases.value()};")
            else:
                body.append(f"double {name} = {phrases.value()};")
            scope.values.append(name)
            scope.assigned.append(name)
        for _ in range(self.rng.choice([1, 1, 1, 2, 2, 3])):
            body += self._statement(phrases)
        if scope.assigned:
            for name in [x for x in scope.assigned if x == f"t{tag}"]:
                scope.assigned.remove(name)
                scope.values.remove(name)
        if self.rng.random() < 0.25:
            self._reduction(phrases, tag, before, body)
        return before, body, after

    def _statement(self, phrases: Phrases) -> list[str]:
        match self.rng.randrange(10):
            case 0:
                return [f"if ({phrases.condition()})", f"    {phrases.store()}"]
            case 1 if "ptr" in self.parameters:
                return self._row(phrases)
            case 2:
                return self._inner(phrases)
            case _:
                return [phrases.store()]

    def _row(self, phrases: Phrases) -> list[str]:
        i, j = phrases.counter, "e"
        header = f"for (int {j} = ptr[{i}]; {j} < ptr[{i} + 1]; {j}++)"
        return self._nested(phrases, header, j)

    def _inner(self, phrases: Phrases) -> list[str]:
        bound = self.rng.choice([x for x in self.scope.sizes if x != "g_n"] + ["4"])
        return self._nested(phrases, f"for (int e = 0; e < {bound}; e++)", "e")

    def _nested(self, phrases: Phrases, header: str, variable: str) -> list[str]:
        outer = phrases.counter
        self.scope.positions.append(variable)
        if self.rng.random() < 0.5:
            phrases.counter = variable
        statement = phrases.store()
        phrases.counter = outer
        self.scope.positions.remove(variable)
        return [header, f"    {statement}"]

    def _reduction(self, phrases: Phrases, tag: str, before: list[str], body: list[str]) -> None:
        name = f"sum{tag}"
        before.append(f"double {name} = 0;")
        value = phrases.value()
        line = self.rng.choice(
            [
                f"{name} += {value};",
                f"{name} += {value};",
                f"if ({value} > {name}) {name} = {value};",
                f"{name} = {value};",
            ]
        )
        body.append(line)
        self.returned = f"{self.returned} + {name}" if self.returned else name
