"""Programs with functions that fill, change and read arrays, as `--suggest openmp-target` changes them for data that
stays on the device, compiled for a device with memory of its own, and held against what they printed before.

    python -m tests.clauses.whole_programs -n 100 --seed 1
    python -m tests.clauses.whole_programs -n 100 --seed 1 --form openacc      gcc: one memory, syntax alone

Memory of the device begins with garbage (clang's offloading to the host's own processor), so that a copy that is
missing changes what is printed. A program that differs is kept in `build/whole_programs`.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

N = 300_000
KEPT = Path("build/whole_programs")
HEAD = f"""#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N {N}
static void init(double *x, int n, int s) {{
    for (int i = 0; i < n; i++)
        x[i] = (i * 7 + s) % 19 * 0.25;
}}
static void step(double *restrict y, const double *restrict x, int n) {{
    for (int i = 1; i < n - 1; i++) {{
        double v = x[i];
        for (int k = 0; k < 20; k++) v = v * 0.5 + 0.25 * x[i - 1] + 0.25 * x[i + 1];
        y[i] = v;
    }}
}}
static void part(double *x, int n) {{
    for (int i = n / 4; i < n / 2; i++)
        x[i] += 1.5;
}}
static void scale(double *x, int n, double f) {{
    for (int i = 0; i < n; i++) {{
        double v = x[i];
        for (int k = 0; k < 30; k++) v = v * f + 0.125;
        x[i] = v;
    }}
}}
static double peek(const double *x, int i) {{ return x[i]; }}
static void poke(double *x, int i) {{ x[i] = x[i] * 0.5 + i; }}
static void in_order(double *x, int n) {{
    for (int i = 1; i < n; i++) x[i] = x[i - 1] * 0.5 + (x[i] > 3 ? x[i] : 1);
}}
static double total(const double *x, int n) {{
    double s = 0;
    for (int i = 0; i < n; i++) if (s < 1e9) s += x[i] * (i % 5);
    return s;
}}
static void both(double *restrict y, double *restrict x, int n) {{ step(y, x, n); scale(x, n, 0.5); }}
static void mixed(double *restrict y, double *restrict x, int n) {{
    step(y, x, n); poke(y, n / 3); scale(y, n, 0.75);
}}
static void keep(double *x, int is_first) {{
    static double *kept;
    if (is_first) kept = x;
    kept[1] += 1;
}}
"""
DECLARED = {
    "malloc": (
        "double *{v} = malloc(n * sizeof(double));",
        "double *{v} = (double *)malloc(sizeof *{v} * (size_t)n);",
        "double *{v};\n{v} = malloc((n + 2) * sizeof(*{v}));",
    ),
    "calloc": ("double *{v} = calloc(n, sizeof(double));",),
    "static": ("static double {v}[N];",),
    "global": ("",),
    "local": ("double {v}[N];", "double {v}[N] = {{1, 2}};"),
}


class Maker:
    """One program of random statements."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.names = ["a", "b", "c"][: chance.choice([1, 2, 2, 3])]
        self.kinds = {v: chance.choice(["malloc", *DECLARED]) for v in self.names}
        self.has_alias, self.has_member = chance.random() < 0.15, chance.random() < 0.1

    def program(self) -> str:
        held = "".join(f"static double {v}[N];\n" for v in self.names if self.kinds[v] == "global")
        body = "\n".join(f"    {line}" for line in (*self.declarations(), *self.statements(), *self.ends()))
        if self.chance.random() < 0.25:
            again = "e += work(argc + 1); " if self.chance.random() < 0.5 else ""
            start = f"int main(int argc, char **argv) {{ (void)argv; int e = work(argc); {again}return e; }}\n"
            return f"{HEAD}{held}static int work(int argc) {{\n{body}\n    return argc < 0;\n}}\n{start}"
        return f"{HEAD}{held}int main(int argc, char **argv) {{\n    (void)argv;\n{body}\n    return argc < 0;\n}}\n"

    def declarations(self) -> Iterator[str]:
        yield self.chance.choice(["int n = N;", "const int n = N;"])
        for v in self.names:
            yield self.chance.choice(DECLARED[self.kinds[v]]).format(v=v)
        if self.has_alias:
            yield f"double *p = {self.names[0]};"
        if self.has_member:
            yield f"struct {{ double *q; }} s = {{{self.names[-1]}}};"
        for v in self.chance.sample(self.names, len(self.names)):
            yield f"init({v}, n, {self.chance.randrange(9)});"

    def statements(self) -> list[str]:
        if self.chance.random() < 0.5:
            return self.several(0, 3, 8)
        rounds = self.chance.choice([4, 10])
        return [f"for (int t = 0; t < {rounds}; t++) {{", *self.several(1, 2, 5), "}", *self.several(0, 0, 3)]

    def several(self, depth: int, least: int, most: int) -> list[str]:
        return [line for _ in range(self.chance.randint(least, most)) for line in self.statement(depth)]

    def ends(self) -> Iterator[str]:
        for v in self.names:
            if self.chance.random() < 0.8:
                yield f'printf("%.17g %.17g\\n", total({v}, n), {v}[{self.chance.randrange(N)}]);'
            if self.kinds[v] == "malloc" and not self.has_alias and not self.has_member and self.chance.random() < 0.5:
                yield f"free({v});"

    def statement(self, depth: int) -> list[str]:
        if depth < 2 and self.chance.random() < 0.2:
            return self.around(depth)
        v, at = self.chance.choice(self.names), self.chance.randrange(N)
        w = self.chance.choice([x for x in self.names if x != v] or [v])
        one = [
            *(f"init({v}, n, 3);", f"scale({v}, n, 0.5);", f"scale({v}, n, 0.25);", f"part({v}, n);"),
            *(f'printf("%.17g\\n", peek({v}, {at}));', f"poke({v}, {at});", f"in_order({v}, n);", f"{v}[{at}] = 7;"),
            *(f"memset({v}, 0, n / 2 * sizeof(double));", "if (argc > 5) return 3;", f"keep({v}, 1);"),
            f"for (int i = 0; i < n; i++)\n{v}[i] *= 2;",
            *((f"p[{at}] = 4;",) if self.has_alias else ()),
            *((f"s.q[{at}] += 4;",) if self.has_member else ()),
        ]
        two = [
            *(f"step({w}, {v}, n);", f"step({v}, {w}, n);", f"both({w}, {v}, n);", f"mixed({w}, {v}, n);"),
            *(f"memcpy({v}, {w}, N / 3 * sizeof(double));", f"step({v}, {w}, n), step({w}, {v}, n);"),
            f"for (int i = 0; i < n; i++)\n{v}[i] = {v}[i] * 0.5 + {w}[i];",
        ]
        return [self.chance.choice(two if v != w and self.chance.random() < 0.5 else one)]

    def around(self, depth: int) -> list[str]:
        v, counter = self.chance.choice(self.names), f"t{depth}_{self.chance.randrange(1000)}"
        condition = self.chance.choice(["argc > 0", "argc < 0", f"peek({v}, 5) > 1", f"{v}[17] > 2"])
        match self.chance.randrange(4):
            case 0:
                leaves = [f"if ({counter} == 2) {self.chance.choice(['break', 'continue'])};"]
                inner = [*self.several(depth + 1, 1, 4), *(leaves if self.chance.random() < 0.3 else [])]
                return [f"for (int {counter} = 0; {counter} < 4; {counter}++) {{", *inner, "}"]
            case 1:
                return [f"if ({condition})\n{self.statement(9)[0]}"]
            case 2:
                return [f"if ({condition}) {{", *self.several(depth + 1, 1, 2), "} else {", *self.statement(9), "}"]
            case _:
                return [f"if ({condition}) {{", *self.several(depth + 1, 1, 2), "}"]


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path), "MALLOC_PERTURB_": "165"}
    line = ["bash", "-c", f"ulimit -s unlimited; {command}"]
    return subprocess.run(line, cwd=folder, env=env, capture_output=True, text=True, timeout=600)


BUILT = {
    "openmp-target": "clang -w -O1 -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu p.c -o after -lm",
    "openacc": "gcc -w -O1 -fopenacc p.c -o after -lm",
}


def tried(text: str, form: str, folder: Path) -> tuple[str, str]:
    """What became of one program, and its text as it is changed."""
    path = folder / "p.c"
    path.write_text(text)
    assert run("gcc -w -O1 p.c -o before -lm", folder).returncode == 0
    change = f"{sys.executable} -m analyzer p.c -t h200 --no-cache --suggest {form} --apply"
    assert run(change, folder).returncode == 0
    changed = path.read_text()
    if not re.search(r"(target|acc) (enter )?data", changed):
        return "no data stays", changed
    if run(BUILT[form], folder).returncode:
        return "refused by the compiler", changed
    before, after = (run(f"./{name}; echo $?", folder).stdout for name in ("before", "after"))
    if before != after:
        return "differ", changed
    run(change, folder)
    return "equal" if path.read_text() == changed else "changed twice", changed


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--form", choices=BUILT, default="openmp-target")
    options = parser.parse_args(arguments)
    tally, written = Counter[str](), Counter[str]()
    for k in range(options.n):
        folder = KEPT / f"{options.form}_{options.seed}_{k}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        what, changed = tried(Maker(random.Random(f"{options.seed} {k}")).program(), options.form, folder.resolve())
        tally[what] += 1
        written.update(re.findall(r"#pragma (?:omp target|acc) ((?:enter |exit )?data|update)", changed))
        if what in ("equal", "no data stays"):
            shutil.rmtree(folder)
        else:
            print(f"{folder}: {what}", flush=True)
    for name, count in (*sorted(tally.items()), *sorted(written.items())):
        print(f"{name:40} {count:8}")
    return 1 if tally.keys() - {"equal", "no data stays"} else 0


if __name__ == "__main__":
    sys.exit(main())
