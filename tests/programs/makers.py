"""Functions that give memory: new each time, or what another file points to; members of a structure apart, or not."""

import random
from dataclasses import dataclass

NEW = "(double *)calloc(256, sizeof(double)) + 64"
POINTED_TO = ("g_buf", f"n > 8 ? g_buf : {NEW}", f"g_flag ? g_buf : {NEW}")
"""Memory of which inputs decide whether it overlaps with arrays that the caller has."""


@dataclass(frozen=True, slots=True)
class Maker:
    """`kind`: field (a structure), rows (a table of pointers), array. `variables`: static ones that it needs."""

    name: str
    file: int
    kind: str
    text: str
    variables: tuple[str, ...] = ()
    broken: int = 0
    """2: members of one structure overlap, 4: rows of a table do; as in runtime.c."""

    @property
    def head(self) -> str:
        return _head(self.name, self.kind)


def _head(name: str, kind: str) -> str:
    type_ = {"field": "struct field *", "rows": "double **", "array": "double *"}[kind]
    return f"{type_}{name}(int n)"


def maker(name: str, file: int, rng: random.Random, care: float) -> Maker:
    """One of these functions; with care one that gives memory of its own."""
    kind = rng.choice(["field", "field", "rows", "array"])
    apart = rng.random() < care
    given = rng.choice(POINTED_TO) if rng.random() < 0.6 else NEW
    variables: tuple[str, ...] = ()
    if kind == "field":
        lines = _field(rng, apart, given)
    elif kind == "rows":
        row = NEW if apart else rng.choice(["w[k > 0 ? k - 1 : 64]", "block + 64 + k / 2 * 16", "block + 64 + k"])
        block = [] if "block" not in row else ["double *block = (double *)calloc(1024, sizeof(double));"]
        spare = [] if "w[k" not in row else [f"w[64] = {NEW};"]
        loop = f"for (int k = 0; k < 32; k++) w[k] = {row};"
        lines = ["double **w = calloc(256, sizeof(double *));", *block, *spare, loop, "return w;"]
    elif apart:
        lines = [f"double *w = {given};", "return w;"]
    else:
        variables = ("double pool[256]",)
        lines = ["return pool + 64;"] if rng.random() < 0.6 else [f"return n > 8 ? pool + 64 : {NEW};"]
    text = "\n".join([_head(name, kind), "{", *(f"    {x}" for x in lines), "}\n"])
    broken = 0 if apart else {"field": 2, "rows": 4, "array": 0}[kind]
    return Maker(name, file, kind, text, variables, broken)


def _field(rng: random.Random, apart: bool, given: str) -> list[str]:
    """`given`: what one of its arrays is."""
    cells = "(struct cell *)calloc(256, sizeof(struct cell)) + 64"
    arrays = {"u": NEW, "v": NEW, "cells": cells}
    chosen = rng.choice([*arrays])
    if chosen != "cells":
        arrays[chosen] = given
    elif given != NEW:
        arrays["cells"] = rng.choice(["g_field.cells", "CELLS"])
    if not apart:
        arrays["v"] = rng.choice(["w->u", "w->u + 1", "w->u + n", "n > 4 ? w->u : " + NEW])
    return [
        "struct field *w = calloc(1, sizeof *w);",
        "w->n = n;",
        *(f"w->{name} = {memory};" for name, memory in arrays.items()),
        "w->map = (int *)calloc(256, sizeof(int)) + 64;",
        f"for (int k = 0; k < 32; k++) w->map[k] = {rng.choice(['k', '31 - k', 'k / 2', '(k * 3) & 31'])};",
        "for (int k = 0; k < 32; k++) { w->u[k] = k; w->v[k] = 2 * k; w->cells[k].kind = 31 - k; }",
        "return w;",
    ]
