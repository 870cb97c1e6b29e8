"""Random C programs of several files against their construction: who is called, how often, with which arrays."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from .placed import placed

KERNELS = ("first", "second", "third")
ARRAYS = ("u", "v", "w", "x")


class Made:
    """Text of a program, and the loops that it runs in order: (function, its arrays, executions)."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.files = {"k.c": "".join(self.kernel(name) for name in KERNELS)}
        self.layers: dict[str, list[tuple[float, str, tuple[int, ...]]]] = {}
        middle = "".join(f"void {name}(double *p, double *q, int n);\n" for name in KERNELS)
        for name in ("low", "high"):
            callees = [*KERNELS, *self.layers]
            middle += self.layer(name, callees)
        self.files["m.c"] = middle
        self.truth: list[tuple[str, frozenset[str], float]] = []
        self.files["main.c"] = self.main()

    def kernel(self, name: str) -> str:
        return f"void {name}(double *p, double *q, int n) {{ for (int i = 0; i < n; i++) p[i] += q[i]; }}\n"

    def layer(self, name: str, callees: list[str]) -> str:
        """A function that calls others in loops and conditions, its pointers in any order."""
        text, calls = "", []
        for line in self.calls(callees, ("p", "q"), 1.0, calls, "t"):
            text += f"    {line}\n"
        self.layers[name] = calls
        return f"void {name}(double *p, double *q, int n) {{\n{text}}}\n"

    def calls(
        self, callees: list[str], names: tuple[str, ...], times: float, found: list, counter: str
    ) -> Iterator[str]:
        for _ in range(self.rng.randint(1, 3)):
            chosen = tuple(self.rng.sample(range(len(names)), 2))
            callee = self.rng.choice(callees)
            call = f"{callee}({names[chosen[0]]}, {names[chosen[1]]}, n);"
            kind = self.rng.random()
            if kind < 0.35:
                n = self.rng.randint(2, 40)
                found.append((times * n, callee, chosen))
                yield f"for (int {counter} = 0; {counter} < {n}; {counter}++) {call}"
            elif kind < 0.6:
                n, d = self.rng.randint(5, 40), self.rng.randint(2, 7)
                r = self.rng.randrange(d)
                found.append((times * sum(k % d == r for k in range(n)), callee, chosen))
                yield f"for (int {counter} = 0; {counter} < {n}; {counter}++) if ({counter} % {d} == {r}) {call}"
            else:
                found.append((times, callee, chosen))
                yield call

    def main(self) -> str:
        found: list[tuple[float, str, tuple[int, ...]]] = []
        lines = list(self.calls([*KERNELS, *self.layers], ARRAYS, 1.0, found, "s"))
        for times, callee, chosen in found:
            self.run(callee, tuple(ARRAYS[k] for k in chosen), times)
        declared = "".join(f"void {name}(double *p, double *q, int n);\n" for name in (*KERNELS, *self.layers))
        arrays = "".join(f"    double *{name} = malloc(8 * n);\n" for name in ARRAYS)
        body = "".join(f"    {line}\n" for line in lines)
        return f"#include <stdlib.h>\n{declared}int main(void) {{\n    int n = 5000;\n{arrays}{body}    return 0;\n}}\n"

    def run(self, callee: str, given: tuple[str, ...], times: float) -> None:
        if callee in KERNELS:
            self.truth.append((callee, frozenset(given), times))
            return
        for n, inner, chosen in self.layers[callee]:
            self.run(inner, tuple(given[k] for k in chosen), times * n)


@pytest.mark.parametrize("seed", range(25))
def test_loops_run_as_often_and_on_the_arrays_that_the_program_says(seed: int, tmp_path: Path) -> None:
    made = Made(seed)
    found = placed(tmp_path, made.files)
    assert [(p.function, frozenset(p.arrays)) for p in found.loops] == [
        (name, arrays) for name, arrays, _ in made.truth
    ]
    assert [p.executions for p in found.loops] == pytest.approx([times for _, _, times in made.truth])
    assert not found.assumptions
    assert not found.barriers
