"""Helpers: functions of one file that others call, with what the file declares for itself."""

import random
from collections.abc import Sequence

from . import ways
from .phrases import Phrases
from .scope import PARAMETERS, Helper, Scope

OWN = ("int calls", "double last", "double *kept", "double memo[16]", "double pool[256]")
ROLES: dict[str, tuple[tuple[str, ...], ...]] = {
    "v": (("v",), ("v", "v"), ("k",), ("in", "k"), ("in", "k", "k"), ("field", "k"), ("cell",), ("cells", "k"),
          ("map", "k"), ("in", "map", "k"), ("v", "at"), ("field",)),
    "k": (("k",), ("map", "k"), ("k", "n"), ("field", "k")),
    "p": (("out", "k"), ("field", "k"), ("cells", "k")),
    "": (("out", "k", "v"), ("at", "v"), ("cell", "v"), ("cell",), ("cells", "k"), ("field", "k"), ("at", "at", "v"),
         ("field", "k", "v"), ("out", "in", "k"), ("open map", "k"), ("out", "map", "k", "v"), ("v",), ("at",)),
}  # fmt: skip

LARGE = f"{{ double w = 1; {250 * 'w = w * 0.5 + 1; '}}}"
"""Makes a function too large to be followed from its callers."""


class Bodies:
    """One file: its own macros, types and variables, under names that mean something else in other files."""

    def __init__(self, rng: random.Random, file: int, care: float) -> None:
        self.rng, self.file, self.care = rng, file, care
        self.used: set[str] = set()
        self.shift = rng.choice([-2, -1, 0, 1, 1, 2])
        self.factor = rng.choice([1, 2, 3])
        self.local_type = rng.choice(["double", "float", "int"])
        self.members = rng.choice(["double p, q;", "double q, p;", "int p; double q;"])
        self.wide = rng.choice([0, 1, 2])
        names = ("SHIFT", "TWICE", "amount", "struct pair", "WIDE", "PUT", "NUDGE")
        self.has = {name: rng.random() < 0.5 for name in names}
        self.put = rng.choice(["k", "k", "(k) + 1", "0"])

    def declarations(self) -> list[str]:
        """What stands behind the includes of the file."""
        found = {
            "SHIFT": f"#define SHIFT {self.shift}",
            "TWICE": f"#define TWICE(v) ((v) * {self.factor})",
            "amount": f"typedef {self.local_type} amount;",
            "struct pair": f"struct pair {{ {self.members} }};",
            "WIDE": f"enum {{ WIDE = {self.wide} }};",
            "PUT": f"#define PUT(p, k, v) do {{ (p)[{self.put}] = (v); }} while (0)",
        }
        table = f"static const double weights[256] = {{0.5, 1, {self.factor}, 0.25}};"
        variables = [f"static {v};" for v in OWN if self._uses(v)]
        mine = [text for k, text in found.items() if self.has[k]]
        return [*mine, table, "#define TABLE_OF_FILE (weights + 64)", *variables]

    def before_headers(self) -> list[str]:
        """What changes the meaning of the header here."""
        return [f"#define NUDGE {self.wide}"] if self.has["NUDGE"] else []

    def own_variables(self) -> list[str]:
        """The static variables of the file that change. Not pointers: where memory lies that was allocated meanwhile is
        different from run to run, and what pointers are used for shows elsewhere."""
        return [_name(v) for v in OWN if self._uses(v) and "*" not in v]

    def _uses(self, variable: str) -> bool:
        return _name(variable) in self.used

    def scope(self) -> Scope:
        """What every function of the file may name."""
        scope = Scope(self.file)
        scope.macros += ["TWICE"] if self.has["TWICE"] else []
        scope.macros += ["halved"]
        scope.has_put = self.has["PUT"]
        scope.shifts += ["SHIFT"] if self.has["SHIFT"] else []
        scope.shifts += ["WIDE"] if self.has["WIDE"] else []
        if self.rng.random() < 0.5:
            scope.values.append("g_scale")
        if self.rng.random() < 0.2:
            scope.add("in", "TABLE_OF_FILE")
        if self.rng.random() < 0.25:
            scope.add(self.rng.choice(["in", "out"]), "TABLE")
        if self.rng.random() < 0.15:
            scope.add(self.rng.choice(["in", "out"]), "g_buf")
        if self.rng.random() < 0.2:
            scope.add("map", "MAP")
        if self.rng.random() < 0.15:
            scope.add("field", "&g_field")
        if self.rng.random() < 0.1:
            scope.add("cells", "CELLS")
        if self.rng.random() < 0.2:
            scope.sizes.append("g_n")
        return scope

    def computing(self, helper: Helper) -> str:
        """A function that only computes with its parameters."""
        scope = Scope(self.file)
        for k, role in enumerate(helper.roles):
            scope.add(role, f"p{k}")
        value = Phrases(self.rng, scope, (), self.care).value()
        return f"{helper.head([f'p{k}' for k in range(len(helper.roles))])}\n{{\n    return {value};\n}}\n"

    def helper(self, name: str, helpers: Sequence[Helper]) -> tuple[Helper, str]:
        """A new function and its text."""
        kind = self.rng.random()
        if kind < 0.12:
            return self._recursive(name) if kind < 0.08 else self._filling(name)
        result = self.rng.choice(["v", "v", "v", "v", "k", "p", "", "", "", ""])
        roles = self.rng.choice(ROLES[result])
        own = self.rng.random() < 0.2
        names = _parameters(roles)
        scope = self.scope()
        for role, parameter in zip(roles, names, strict=True):
            scope.add(role, parameter)
        phrases = Phrases(self.rng, scope, helpers, self.care)
        lines, marks = self._body(phrases, result, roles, names)
        helper = Helper(name, self.file, result, roles, frozenset(marks | phrases.marks), own)
        if self.rng.random() < 0.12:
            lines.insert(0, LARGE)
        head = helper.head(names)
        if not own and roles and self.rng.random() < 0.04:
            kinds = "; ".join(PARAMETERS[r].format(x) for r, x in zip(roles, names, strict=True))
            head = f"{head.split('(')[0]}({', '.join(names)}) {kinds}; /* old style */"
        return helper, "\n".join([head, "{", *(f"    {x}" for x in lines), "}\n"])

    def _recursive(self, name: str) -> tuple[Helper, str]:
        if self.rng.random() < 0.5:
            helper = Helper(name, self.file, "k", ("k",))
            return helper, f"int {name}(int k)\n{{\n    return k <= 0 ? 0 : (1 + {name}(k / 2)) & 31;\n}}\n"
        helper = Helper(name, self.file, "v", ("in", "k"))
        body = f"return k <= 0 ? p[0] : p[k] + {name}(p, (k & 15) - 1);"
        return helper, f"double {name}(const double *p, int k)\n{{\n    {body}\n}}\n"

    def _filling(self, name: str) -> tuple[Helper, str]:
        """An index array: all values different, or not."""
        helper = Helper(name, self.file, "", ("open map", "n"), frozenset({"fills"}))
        value = self.rng.choice(["k", "31 - k", "(k * 5 + 1) & 31", "(k * 6) & 31", "k / 2", "k ^ 1", "k % (n + 1)"])
        loop = f"    for (int k = 0; k < 32; k++)\n        ids[k] = {value};"
        return helper, f"void {name}(int *ids, int n)\n{{\n{loop}\n}}\n"

    def _body(
        self, phrases: Phrases, result: str, roles: Sequence[str], names: Sequence[str]
    ) -> tuple[list[str], set[str]]:
        lines: list[str] = []
        marks: set[str] = set()
        if self.rng.random() < 0.4:
            lines += self._local(phrases)
        if self.rng.random() < 0.25:
            lines += ways.leaving(phrases, result)
        if self.rng.random() < 0.2:
            lines += ways.on_the_way(phrases, result, result == "")
        if self.rng.random() > self.care:
            lines += self._besides(roles, names, marks)
        if self.rng.random() < 0.1:
            lines += self._error(phrases, marks)
        if result == "" or self.rng.random() < 0.08:
            lines.append(phrases.store())
            if self.rng.random() < 0.3:
                lines += [*(ways.leaving(phrases, result) if self.rng.random() < 0.5 else ()), phrases.store()]
        if result == "v":
            lines.append(f"return {phrases.value()};")
        elif result == "k":
            lines.append(f"return ({phrases.position()}) & 31;")
        elif result == "p":
            at = phrases.position() if self.rng.random() > self.care else "k"
            arrays = [x for x, r in zip(names, roles, strict=True) if r == "out"]
            spots = [f"{x} + {at}" for x in arrays]
            spots += [f"&{x}[{at}].x" for x, r in zip(names, roles, strict=True) if r == "cells"]
            spots += [f"{x}->{self.rng.choice('uv')} + {at}" for x, r in zip(names, roles, strict=True) if r == "field"]
            lines.append(f"return {self.rng.choice(spots)};")
        return lines, marks

    def _local(self, phrases: Phrases) -> list[str]:
        kind = self.rng.randrange(4)
        if kind == 0 and self.has["amount"]:
            line = f"amount t = {phrases.value(1)};"
        elif kind == 1 and self.has["struct pair"]:
            line = f"struct pair w = {{.p = {phrases.value(1)}, .q = {phrases.value(1)}}};"
            phrases.scope.values += ["w.p", "w.q"]
            return [line]
        elif kind == 2 and phrases.scope.positions:
            start = phrases.value(1)
            line = f"double t = {start};"
            step = f"for (int j = 0; j < 3; j++) t += {phrases.value(1)};"
            phrases.scope.values.append("t")
            return [line, step]
        else:
            line = f"double t = {phrases.value(1)};"
            phrases.scope.assigned.append("t")
        phrases.scope.values.append("t")
        return [line]

    def _besides(self, roles: Sequence[str], names: Sequence[str], marks: set[str]) -> list[str]:
        """An effect that makes calls depend on each other."""
        pointers = [x for x, r in zip(names, roles, strict=True) if r in ("out", "at")]
        numbers = [x for x, r in zip(names, roles, strict=True) if r == "v"]
        value = self.rng.choice(numbers) if numbers else "1"
        kinds = [
            ("static", "calls", "calls++;"),
            ("static", "last", f"last = {value};"),
            ("static", "memo", f"memo[(int)({value}) & 15] += 1;"),
            ("static", "", f"static double before; g_scale = before; before = {value};"),
            ("global", "", "g_count++;"),
            ("global", "", f"g_sum += {value};"),
            ("global", "", "if (g_n > 4) g_n--;"),
            ("global", "", f"g_scale = {value};"),
            ("global", "", f"g_cells[3].x = {value};"),
            ("global", "", f"g_table[0] = {value};"),
            ("global", "", "g_buf = TABLE;"),
        ]
        kinds += [("keeps", "kept", f"if (kept) *kept += 1; kept = {p};") for p in pointers]
        mark, variable, line = self.rng.choice(kinds)
        marks.add(mark)
        self.used.add(variable)
        return [line]

    def _error(self, phrases: Phrases, marks: set[str]) -> list[str]:
        marks.add("ends")
        condition = self.rng.choice([phrases.condition(), "g_flag", f"{phrases.value(1)} < -3", "g_scale > 100"])
        what = self.rng.choice(
            [
                'fprintf(stderr, "not possible\\n"); exit(2);',
                'fprintf(stderr, "strange\\n");',
                "abort();",
                'puts("reported"); exit(1);',
            ]
        )
        return [f"if ({condition}) {{", f"    {what}", "}"]


def _name(variable: str) -> str:
    return variable.split()[-1].lstrip("*").split("[")[0]


def _parameters(roles: Sequence[str]) -> list[str]:
    """Names by role, all different."""
    stems = {"in": "p", "out": "p", "at": "d", "map": "ids", "open map": "ids", "field": "s", "cells": "c", "cell": "e"}
    found: list[str] = []
    for role in roles:
        stem = stems.get(role, role)
        found.append(stem if stem not in found else f"{stem}{len(found)}")
    return found
