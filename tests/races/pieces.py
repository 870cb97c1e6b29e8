"""Pieces of programs, as texts in which choices are left open, and the writer that decides them.

«r1|r2||f1|f2»     a choice that makes the piece racy (r1, r2) or free of races (f1, f2)
<<x|y>>            a choice that does not matter
A B C              arrays of LEN doubles; M, a square of doubles; X, indices; S T U, scalars
LIM                the number of iterations, a constant or not
@                  the number of the piece, in names of its own
//~                a place where threads may wait (see `detector`)
%%                 what stands before is at file scope, what follows is the body of a function
"""

import re
from random import Random

from msgspec import Struct

LEN, ITERATIONS, SIDE = 200, 24, 12
_SWITCH = re.compile(r"«([^«»]*?)\|\|([^«»]*)»")
_CHOICE = re.compile(r"<<((?:(?!<<|>>).)*?)>>", re.S)
_NAMES = {"A": "a", "B": "b", "C": "c", "M": "m", "X": "x", "S": "s", "T": "t", "U": "u"}
_ARRAYS, _SCALARS = "ABC", "STU"


class Piece(Struct, frozen=True):
    """Code of one function, `function`, and what it needs at file scope. `racy`: the truth."""

    kind: str
    number: int
    outside: str
    body: str
    racy: bool
    parameters: tuple[str, ...] = ()
    """Arrays that it is given."""

    @property
    def text(self) -> str:
        given = "".join(f", double *{name}" for name in self.parameters)
        return f"{self.outside}static void piece_{self.number}(int n{given})\n{{\n{self.body}}}\n"


def written(kind: str, template: str, number: int, racy: bool, rng: Random) -> Piece:
    """The piece with all choices made. Arrays and scalars are declared where chance puts them."""
    text = template
    while found := _CHOICE.search(text):
        text = text[: found.start()] + rng.choice(found[1].split("|")) + text[found.end() :]
    while found := _SWITCH.search(text):
        text = text[: found.start()] + rng.choice(found[1 if racy else 2].split("|")) + text[found.end() :]
    text = text.replace("LIM", rng.choice(("n", "n", "N", str(ITERATIONS)))).replace("@", f"_{number}")
    outside, _, body = text.rpartition("%%\n")
    placed, parameters, declared, first, last = _placed(text, number, rng, "global" if outside else "")
    for name, other in placed.items():
        outside, body = (re.sub(rf"\b{name}\b", other, each) for each in (outside, body))
    lines = [f"    {line}" if line and not line.startswith("#") else line for line in body.splitlines()]
    inside = "".join(f"    {line}\n" for line in first) + "\n".join(lines) + "\n"
    inside += "".join(f"    {line}\n" for line in last)
    return Piece(kind, number, "".join(f"{d}\n" for d in declared) + outside, inside, racy, tuple(parameters))


def _placed(
    text: str, number: int, rng: Random, where: str
) -> tuple[dict[str, str], list[str], list[str], list[str], list[str]]:
    """New names; parameters; declarations at file scope; what comes first in the function, and last."""
    used = [name for name in _NAMES if re.search(rf"\b{name}\b", text)]
    names: dict[str, str] = {}
    parameters: list[str] = []
    declared: list[str] = []
    first: list[str] = []
    shown: list[str] = []
    arrays = where or rng.choice(("local", "global", "given", "heap"))
    scalars = where or rng.choice(("local", "local", "global"))
    square = where or rng.choice(("local", "global"))
    for name in used:
        place = arrays if name in _ARRAYS else scalars if name in _SCALARS else square
        new = names[name] = f"{_NAMES[name]}_{number}" if place == "global" else _NAMES[name]
        if name in _ARRAYS:
            shown.append(f"{new}[1] + {new}[{ITERATIONS - 1}]")
            match place:
                case "global":
                    declared.append(f"static double {new}[LEN];")
                case "local":
                    first.append(f"double {new}[LEN];")
                case "given":
                    parameters.append(new)
                case _:
                    first.append(f"double *{new} = malloc(LEN * sizeof(double));")
            first.append(f"for (int q = 0; q < LEN; q++)\n        {new}[q] = q % 5;")
        elif name in _SCALARS:
            shown.append(new)
            kind = "int" if name == "U" else "double"
            declared += [f"static {kind} {new};"] if place == "global" else []
            first.append(f"{new} = 1;" if place == "global" else f"{kind} {new} = 1;")
        else:
            kind, size = ("double", "[SIDE][SIDE]") if name == "M" else ("int", "[LEN]")
            shown.append(f"{new}[1]" + ("[2]" if name == "M" else ""))
            (declared if place == "global" else first).append(
                f"{'static ' if place == 'global' else ''}{kind} {new}{size};"
            )
            if name == "M":
                first.append(f"for (int q = 0; q < SIDE * SIDE; q++)\n        {new}[q / SIDE][q % SIDE] = q % 7;")
    last = [f'printf("%g\\n", (double)({" + ".join(shown)}));'] if shown else []
    first.sort(key=lambda line: line.startswith("for"))
    return names, parameters, declared, first, last


def program(pieces: list[Piece]) -> str:
    """A complete program that runs each piece once."""
    head = (
        "#include <math.h>\n#include <omp.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
        f"#define LEN {LEN}\n#define N {ITERATIONS}\n#define SIDE {SIDE}\n\n"
    )
    body = []
    for piece in pieces:
        given = [f"p{piece.number}_{name}" for name in piece.parameters]
        body += [f"    static double {name}[LEN];\n" for name in given]
        body.append(f"    piece_{piece.number}(n{''.join(f', {name}' for name in given)});\n")
    main = f"int main(int argc, char **argv)\n{{\n    int n = argc > 1 ? atoi(argv[1]) : {ITERATIONS};\n{''.join(body)}"
    return head + "\n".join(p.text for p in pieces) + f"\n{main}    return 0;\n}}\n"
