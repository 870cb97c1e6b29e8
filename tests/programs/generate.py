"""Programs of two to four C files with a header, made from a seed: helpers that files lend each other, and functions
with loops (kernels) that call them."""

import random
from dataclasses import dataclass
from pathlib import Path

from .bodies import Bodies
from .kernels import CALLED_WITH, kernel
from .makers import Maker, maker
from .scope import Helper

SHAPES = Path(__file__).with_name("shapes.h").read_text()
PREAMBLE = "#include <stdio.h>\n#include <stdlib.h>\n#include <math.h>\n"
GLOBALS = {
    "double g_scale": "",
    "double g_sum": "",
    "double g_table[256]": "",
    "double *g_buf": "",
    "int g_n": "",
    "int g_count": " = 1",
    "int g_flag": "",
    "int g_map[256]": "",
    "struct field g_field": "",
    "struct cell g_cells[256]": "",
}
"""Variables of every program, and their initial values."""
MACROS = """#define TABLE (g_table + 64)
#define MAP (g_map + 64)
#define CELLS (g_cells + 64)
"""
INLINES = """#ifndef NUDGE
#define NUDGE 0
#endif
static inline double halved(double v) { return v * 0.5; }
static inline int nudge(int k) { return k + NUDGE; }
"""
"""Of which `nudge` means something else where a file says so before it includes the header."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A function with loops. `parameters`: their names, which say what a caller hands over."""

    name: str
    file: str
    parameters: tuple[str, ...]
    returns: bool
    restricted: bool
    broken: int = 0
    """What the program itself lets overlap in it (`Maker.broken`)."""

    @property
    def prototype(self) -> str:
        listed = ", ".join(CALLED_WITH[p][0].format(p) for p in self.parameters)
        return f"{'double' if self.returns else 'void'} {self.name}({listed or 'void'})"


@dataclass(frozen=True, slots=True)
class Program:
    """`files`: what the analyser is given, with the header; `hidden`: a file that only the linker gets. `own`: the
    static variables of each file."""

    seed: str
    header: str
    files: dict[str, str]
    hidden: str
    kernels: tuple[Kernel, ...]
    own: dict[str, tuple[str, ...]]
    pure: frozenset[str]
    """Hidden functions that only give a value."""

    def __str__(self) -> str:
        parts = {"h.h": self.header, **self.files, **({"hidden.c": self.hidden} if self.hidden else {})}
        return "\n".join(f"/* --- {name} --- */\n{text}" for name, text in parts.items())


HIDDEN = f"""{PREAMBLE}#include "h.h"
static int hidden_calls;
double hidden_pure(double v) {{ return v * 0.5 + 1; }}
double hidden_reader(int k) {{ return g_table[k] + 1; }}
double hidden_counter(double v) {{ hidden_calls++; return v + hidden_calls; }}
void hidden_report(const char *text) {{ fprintf(stderr, "%s\\n", text); }}
"""
HIDDEN_HELPERS = (
    Helper("hidden_pure", -1, "v", ("v",), frozenset({"hidden"})),
    Helper("hidden_reader", -1, "v", ("k",), frozenset({"hidden"})),
    Helper("hidden_counter", -1, "v", ("v",), frozenset({"hidden"})),
)
HIDDEN_HEADS = "".join(
    f"{head};\n"
    for head in (
        "double hidden_pure(double v)",
        "double hidden_reader(int k)",
        "double hidden_counter(double v)",
        "void hidden_report(const char *text)",
    )
)
"""Without a declaration each would be taken to return an int, and calls of it would have no defined value."""


def generate(seed: str) -> Program:
    """The program of a seed; the same one each time."""
    return _Maker(seed).program()


class _Maker:
    def __init__(self, seed: str) -> None:
        self.seed, self.rng = seed, random.Random(seed)
        self.names = [f"{c}.c" for c in "abcd"[: self.rng.choice([2, 2, 3, 3, 4])]]
        self.care = self.rng.choice([0.97, 0.9, 0.8, 0.6])
        self.hidden = self.rng.random() < 0.2
        self.bodies = [Bodies(self.rng, k, self.care) for k in range(len(self.names))]
        self.helpers: list[Helper] = list(HIDDEN_HELPERS) if self.hidden else []
        self.makers: list[Maker] = []
        self.texts: list[list[str]] = [[] for _ in self.names]
        self.prototypes: list[str] = []
        self.kernels: list[Kernel] = []

    def program(self) -> Program:
        for number in range(self.rng.randrange(4, 10)):
            self._helper(number)
        if self.rng.random() < 0.5:
            self._same_name()
        for number in range(self.rng.choice([0, 0, 1, 2])):
            self._maker(number)
        for number in range(self.rng.randrange(2, 6)):
            self._kernel(number)
        files = {name: self._file(k) for k, name in enumerate(self.names)}
        own = {name: tuple(self.bodies[k].own_variables()) for k, name in enumerate(self.names)}
        hidden = HIDDEN if self.hidden else ""
        return Program(self.seed, self._header(), files, hidden, tuple(self.kernels), own, frozenset({"hidden_pure"}))

    def _helper(self, number: int) -> None:
        file = self.rng.randrange(len(self.names))
        helper, text = self.bodies[file].helper(f"f{number}", self.helpers)
        self.texts[file].append(text)
        self.helpers.append(helper)
        if not helper.own:
            self.prototypes.append(f"{helper.head([f'p{k}' for k in range(len(helper.roles))])};")

    def _same_name(self) -> None:
        """Static functions of one name in two files, each with its own body."""
        one, two = self.rng.sample(range(len(self.names)), 2)
        role = self.rng.choice([("v",), ("k",), ("v", "v")])
        for file in (one, two):
            helper = Helper("adjust", file, "v", role, frozenset(), True)
            self.texts[file].insert(0, self.bodies[file].computing(helper))
            self.helpers.append(helper)
        for file, body in ((one, "use_one"), (two, "use_two")):
            helper = Helper(body, file, "v", role)
            names = [f"p{k}" for k in range(len(role))]
            self.texts[file].append(f"{helper.head(names)}\n{{\n    return adjust({', '.join(names)}) + 1;\n}}\n")
            self.helpers.append(helper)
            self.prototypes.append(f"{helper.head(names)};")

    def _maker(self, number: int) -> None:
        file = self.rng.randrange(len(self.names))
        made = maker(f"make{number}", file, self.rng, self.care)
        self.makers.append(made)
        self.texts[file].append(made.text)
        self.bodies[file].used.update(v.split()[-1].split("[")[0] for v in made.variables)
        self.prototypes.append(f"{made.head};")

    def _kernel(self, number: int) -> None:
        file = self.rng.randrange(len(self.names))
        name = f"loop{number}"
        text, parameters, returns, restricted = kernel(name, self.bodies[file], self.helpers, self.makers)
        self.texts[file].append(text)
        broken = sum({m.broken for m in self.makers if f"{m.name}(" in text})
        self.kernels.append(Kernel(name, self.names[file], parameters, returns, restricted, broken))

    def _header(self) -> str:
        variables = "".join(f"extern {declared};\n" for declared in GLOBALS)
        hidden = HIDDEN_HEADS if self.hidden else ""
        self.rng.shuffle(self.prototypes)
        shared = f"{SHAPES}{variables}{MACROS}{INLINES}{hidden}"
        return "\n".join(["#ifndef H_H\n#define H_H", shared, *self.prototypes, "#endif\n"])

    def _file(self, number: int) -> str:
        mine = [f"{d}{v};" for k, (d, v) in enumerate(GLOBALS.items()) if k % len(self.names) == number]
        head = [*self.bodies[number].before_headers(), PREAMBLE + '#include "h.h"']
        parts = [*head, *self.bodies[number].declarations(), *mine, "", *self.texts[number]]
        return "\n".join(parts)

