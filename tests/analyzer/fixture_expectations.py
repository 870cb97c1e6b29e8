"""Reads the expected answers that stand in a comment above each loop of `fixtures/c/`.

    Expectation ::= '// expect:' Field* ('// +' Field*)*          -- continuation lines
    Field       ::= KEY '=' (WORD | '"' TEXT '"')

An expectation belongs to the first line below it that is neither blank nor a comment nor a directive. Several
in a row belong to the loops of that one line, from left to right. `fixtures/README.md` describes every key.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ANSWERS = {"yes", "conditional", "no", "unknown", "unparsed"}

TEXTS = {"variable", "class", "species", "reason", "distance", "reductions", "private", "last_private", "first_private"}
TEXTS |= {"wanted", "assumptions", "conditions", "idioms", "coalescing", "pragmas", "needs"}
BOUNDS = {"lower", "upper", "step"}
COUNTS = {"trip", "executions", "iterations", "flops_fp32", "flops_fp64", "fma_fp32", "fma_fp64", "fp_other"}
COUNTS |= {"int_ops", "loads", "stores", "bytes_loaded", "bytes_stored", "footprint", "read_footprint"}
COUNTS |= {"write_footprint", "transfer_in", "transfer_out", "complexity", "intensity"}
KEYS = {"parallel"} | TEXTS | BOUNDS | COUNTS

_FIELD = re.compile(r'([a-z_0-9]+)=(?:"([^"]*)"|(\S+))(?:\s+|$)')
_MACRO = re.compile(r"^\s*#\s*define\s+([A-Za-z_]\w*)\s+\(?(\d+)\)?[uUlL]*\s*(?:/[/*].*)?$", re.MULTILINE)


class FixtureError(Exception):
    """An expectation that does not follow the grammar."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What one loop must be found to be. `line` is the loop's, `rank` its number among the loops of that
    line, `written` the line of the comment."""

    line: int
    rank: int
    written: int
    fields: tuple[tuple[str, str], ...]

    @property
    def answers(self) -> frozenset[str]:
        """The acceptable values of `parallel`."""
        return frozenset(dict(self.fields)["parallel"].split("|"))


def read(path: Path) -> tuple[Expectation, ...]:
    """Every expectation of a fixture in the order of its text.

    Raises FixtureError for an unknown key, a loop without `parallel`, or a comment that stands above nothing.
    Example: `// expect: parallel=no reason=carried-dependence distance=1`.
    """
    found: list[Expectation] = []
    pending: list[tuple[int, str]] = []
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        stripped = text.strip()
        if stripped.startswith("// expect:"):
            pending.append((number, stripped.removeprefix("// expect:")))
        elif stripped.startswith("// +"):
            if not pending:
                raise FixtureError(f"{path}:{number}: continues no expectation")
            written, before = pending[-1]
            pending[-1] = (written, f"{before} {stripped.removeprefix('// +')}")
        elif pending and stripped and not stripped.startswith(("//", "#")):
            found += [
                Expectation(number, rank, written, tuple(_fields(fields, path, written)))
                for rank, (written, fields) in enumerate(pending)
            ]
            pending = []
    if pending:
        raise FixtureError(f"{path}:{pending[0][0]}: no loop follows")
    return tuple(found)


def macros(path: Path) -> dict[str, int]:
    """The object-like macros of a fixture that are plain decimal numbers."""
    return {name: int(value) for name, value in _MACRO.findall(path.read_text(encoding="utf-8"))}


def loop_keywords(path: Path) -> dict[int, int]:
    """How many `for`, `while` and `do` loops begin on each line, read from the text alone: an own count to
    hold the expectations against. The `while` that ends a `do` belongs to it; directives are left out."""
    starts: dict[int, int] = {}
    open_bodies: list[bool] = []  # per open brace: whether it is the body of a `do`
    bare_bodies = 0  # open `do` without braces: their `while` follows a semicolon
    previous = ""
    for line, token in _tokens(path.read_text(encoding="utf-8")):
        bare_bodies += previous == "do" and token != "{"
        if token == "{":
            open_bodies.append(previous == "do")
        elif token == "}":
            previous = "end of do" if open_bodies and open_bodies.pop() else token
            continue
        elif token == "while" and bare_bodies and previous == ";":
            bare_bodies -= 1
        elif token in ("for", "do") or (token == "while" and previous != "end of do"):
            starts[line] = starts.get(line, 0) + 1
        previous = token
    return starts


def _tokens(text: str) -> Iterator[tuple[int, str]]:
    """Words and punctuation with their lines, without comments, literals and directives."""
    blank = re.compile(
        r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*',
        re.DOTALL | re.MULTILINE,
    )
    bare = blank.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    for number, line in enumerate(bare.splitlines(), 1):
        for token in re.findall(r"\w+|[^\w\s]", line):
            yield number, token


def _fields(text: str, path: Path, line: int) -> Iterator[tuple[str, str]]:
    """The fields of one expectation, checked."""
    rest, seen = text.strip(), set()
    while rest:
        match = _FIELD.match(rest)
        if match is None:
            raise FixtureError(f"{path}:{line}: cannot read {rest!r}")
        key, value = match[1], match[2] if match[2] is not None else match[3]
        if key not in KEYS or key in seen:
            raise FixtureError(f"{path}:{line}: {key!r} is unknown or repeated")
        seen.add(key)
        if key == "parallel" and not _is_answer(value):
            raise FixtureError(f"{path}:{line}: parallel={value}")
        yield key, value
        rest = rest[match.end() :]
    if "parallel" not in seen:
        raise FixtureError(f"{path}:{line}: no parallel=")


def _is_answer(value: str) -> bool:
    """`a` or `a|b`; never one that lets both yes and no pass."""
    answers = set(value.split("|"))
    return answers <= ANSWERS and not {"yes", "no"} <= answers
