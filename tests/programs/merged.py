"""The same program as several files and as one: `python -m tests.programs.merged -n 500 --seed 1`.

What each file has for itself is renamed, and the files are put behind each other. An answer about a loop of the files
may say less than that about the one file, but never the contrary. Of loops that both call parallel, counts that both
call exact are equal, but for sizes that a call may have changed (`n@12`).
"""

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from .generate import PREAMBLE, Program, generate
from .judge import analysed

OWN = re.compile(
    r"\b(calls|last|kept|memo|pool|weights|TABLE_OF_FILE|adjust|SHIFT|TWICE|WIDE|amount|pair|PUT|nudge)\b(?!_)"
)
"""What files declare for themselves."""
INCLUDE = '#include "h.h"\n'


class Count(msgspec.Struct, frozen=True):
    expr: str | None
    exact: bool


class Loop(msgspec.Struct, frozen=True):
    function: str
    parallel: str
    counts: dict[str, Count | float | str | None]


class _File(msgspec.Struct, frozen=True):
    loops: tuple[Loop, ...]


class _Document(msgspec.Struct, frozen=True):
    files: tuple[_File, ...]


def merged(program: Program) -> Program:
    """The program as one file."""
    parts = [_part(k, *text.split(INCLUDE)) for k, text in enumerate(program.files.values())]
    return replace(program, files={"m.c": PREAMBLE + INCLUDE + "\n".join(parts)})


def _part(number: int, head: str, text: str) -> str:
    """A file without its includes; `nudge` of the header as it is there."""
    said = re.search(r"#define NUDGE (.*)", head)
    own = f"static inline int nudge_{number}(int k) {{ return k + {said[1] if said else '0'}; }}\n"
    return own + OWN.sub(rf"\1_{number}", text)


def compared(program: Program, folder: Path, numbers: Counter[str]) -> list[str]:
    """Where the two readings of a program contradict each other."""
    apart, together = (_loops(p, folder) for p in (program, merged(program)))
    numbers["programs"] += 1
    found = [] if apart.keys() == together.keys() else [f"{program.seed}: loops {apart.keys() ^ together.keys()}"]
    for key in apart.keys() & together.keys():
        one, two = apart[key], together[key]
        numbers[f"{one.parallel}, {two.parallel}"] += 1
        if {one.parallel, two.parallel} == {"yes", "no"}:
            found.append(f"{program.seed}: {key}: {one.parallel} of the files, {two.parallel} of all in one")
        elif one.parallel == two.parallel == "yes":
            found += [f"{program.seed}: {key}: {text}" for text in _other_counts(one, two, numbers)]
    return found


def _loops(program: Program, folder: Path) -> dict[tuple[str, int], Loop]:
    """By function and number."""
    said = analysed(program, folder)
    if isinstance(said, str):
        raise RuntimeError(f"{program.seed}: {said}")
    times = Counter[str]()
    found = {}
    for loop in (x for f in msgspec.json.decode(said, type=_Document).files for x in f.loops):
        found[loop.function, times[loop.function]] = loop
        times[loop.function] += 1
    return found


def _other_counts(one: Loop, two: Loop, numbers: Counter[str]) -> Iterable[str]:
    for name, count in one.counts.items():
        other = two.counts.get(name)
        if not (isinstance(count, Count) and isinstance(other, Count) and count.exact and other.exact):
            continue
        numbers["exact counts compared"] += 1
        if _plain(count.expr) != _plain(other.expr) and "@" not in f"{count.expr}{other.expr}":
            yield f"{name} {count.expr} of the files, {other.expr} of all in one"


def _plain(formula: str | None) -> str:
    """Without the numbers of files."""
    return re.sub(r"_\d\b", "", formula or "")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="merged", description=__doc__)
    parser.add_argument("-n", type=int, default=100, help="number of programs")
    parser.add_argument("--seed", default="1")
    options = parser.parse_args(arguments)
    numbers, findings = Counter[str](), 0
    with tempfile.TemporaryDirectory() as folder:
        for k in range(options.n):
            for text in compared(generate(f"{options.seed}-{k}"), Path(folder), numbers):
                print(text, flush=True)
                findings += 1
    print("\n".join(f"{name:50} {number:9}" for name, number in sorted(numbers.items())))
    print(f"{'contradictions':50} {findings:9}")
    return int(findings > 0)


if __name__ == "__main__":
    sys.exit(main())
