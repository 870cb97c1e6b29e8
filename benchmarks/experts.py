"""What is said of the loops that experts have parallelised: those below a pragma that divides their iterations.

    python benchmarks/experts.py darknet=DIR gadget=DIR/libgadget -I DIR/include -D HAVE_X --exclude tests --list ...

Per program: how many of these loops are yes, conditional, no and unknown, by reason, and pragmas behind which no loop
was found (code that the preprocessor leaves out). Directives are read as with `-fopenmp`. A file that another one
includes, header or `.c`, is read where it is included (one that includes itself stands for itself); its loop counts
once, at the weakest of its answers.
`--list` names each loop that is not yes, with its reason; `--only FILE` looks at these files of the program alone, and
takes functions from all. Prints figures; asserts nothing.
"""

import argparse
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import FileFacts, LoopFacts, Verdict
from analyzer.settings.options import AnalysisOptions, SourceOptions

AS_WITH_OPENMP = "_OPENMP=201511"

_DIVIDES = re.compile(r"omp\b.*\b(for|distribute|taskloop|loop)\b|acc\b.*\b(loop|parallel|kernels)\b")
_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+((?:[^\n\\]|\\\n|\\.)*)", re.MULTILINE)
_INCLUDED = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"(?:[^"\n]*/)?([^"/\n]+\.c)"', re.MULTILINE)
_WEAKEST_FIRST = (Verdict.UNKNOWN, Verdict.NO, Verdict.CONDITIONAL, Verdict.YES)

At = tuple[str, int]
"""Name of a file, and a line."""


class Program(Struct):
    """The loops that experts divided, by place; `pragmas` that stand in its files, `seen` by the analysis."""

    name: str
    loops: dict[tuple[str, int, int], LoopFacts] = field(default_factory=dict)
    pragmas: set[At] = field(default_factory=set)
    seen: set[At] = field(default_factory=set)

    def add(self, file: FileFacts) -> None:
        for loop in (loop for function in file.functions for loop in function.loops if is_divided(loop)):
            at = (loop.place.path, loop.place.line, loop.place.column)
            self.loops[at] = min(self.loops.get(at, loop), loop, key=_strength)
            lines = (line for line, text in loop.loop.pragmas if _DIVIDES.match(text))
            self.seen.update((Path(loop.place.path).name, line) for line in lines)


def _strength(loop: LoopFacts) -> int:
    return _WEAKEST_FIRST.index(loop.parallelism.verdict)


def is_divided(loop: LoopFacts) -> bool:
    """Whether a pragma above the loop divides its iterations among threads or over a device."""
    return any(_DIVIDES.match(text) for _, text in loop.loop.pragmas)


def sources(place: Path, excluded: Iterable[str]) -> Iterator[Path]:
    for path in [place] if place.is_file() else sorted(place.rglob("*.c")):
        if not set(excluded) & set(path.relative_to(place.parent).parts):
            yield path


def pragmas(path: Path, text: str) -> Iterator[At]:
    """Where pragmas stand that divide a loop."""
    for match in _PRAGMA.finditer(text):
        if _DIVIDES.match(match[1].replace("\\\n", " ")):
            yield path.name, text.count("\n", 0, match.start()) + 1


def analysed(
    name: str,
    place: Path,
    options: SourceOptions,
    analysis: AnalysisOptions,
    excluded: Iterable[str],
    only: Collection[str],
) -> Program:
    texts = {path: path.read_text("utf-8", "replace") for path in sources(place, excluded)}
    headers = {path: path.read_text("utf-8", "replace") for path in place.rglob("*.h")} if not only else {}
    included = {name for path, text in texts.items() for name in _INCLUDED.findall(text) if name != path.name}
    program = Program(name)
    options = replace(options, together=tuple(sorted(str(path.resolve()) for path in texts)))
    for path, text in texts.items():
        if not only or path.name in only:
            program.pragmas.update(pragmas(path, text))
        if path.name in included or (only and path.name not in only):
            continue
        if only or headers or _INCLUDED.search(text) or any(pragmas(path, text)):
            facts = analyze_file(path, options, analysis, root=place if place.is_dir() else None)
            for file in (facts, *facts.headers):
                program.add(file)
    program.pragmas.update(at for path, text in headers.items() for at in pragmas(path, text))
    return program


def report(program: Program, listed: bool) -> None:
    answers = Counter(loop.parallelism.verdict.value for loop in program.loops.values())
    why = Counter(
        f"{loop.parallelism.verdict.value} {loop.parallelism.reason.code}"
        for loop in program.loops.values()
        if loop.parallelism.reason is not None
    )
    found = len(program.loops)
    useful = answers["yes"] + answers["conditional"]
    missed = len(program.pragmas - program.seen)
    shares = " | ".join(str(answers[v]) for v in ("yes", "conditional", "no", "unknown"))
    reasons = ", ".join(f"{code} {n}" for code, n in sorted(why.items(), key=lambda pair: (-pair[1], pair[0])))
    share = 100 * useful / max(1, found)
    print(f"| {program.name} | {found} | {shares} | {share:.0f} % | {missed} | {reasons} |", flush=True)
    for loop in program.loops.values() if listed else ():
        reason = loop.parallelism.reason
        if reason is not None:
            print(f"    {loop.id}: {loop.parallelism.verdict.value} {reason.code}: {reason.message}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", metavar="NAME=DIR", nargs="+")
    parser.add_argument("-D", dest="defines", action="append", default=[])
    parser.add_argument("-I", dest="includes", action="append", default=[])
    parser.add_argument("--exclude", action="append", default=[])
    parser.add_argument("--only", metavar="FILE", nargs="+", default=[])
    parser.add_argument("--assume", choices=("all", "pragmas"), default="all")
    parser.add_argument("--list", dest="listed", action="store_true")
    given = parser.parse_args()
    options = SourceOptions(defines=(AS_WITH_OPENMP, *given.defines), includes=tuple(given.includes))
    print("| program | loops | yes | conditional | no | unknown | useful | pragmas without a loop | why not |")
    print("|---|---|---|---|---|---|---|---|---|")
    for argument in given.programs:
        name, _, place = argument.rpartition("=")
        where, analysis = Path(place), AnalysisOptions(assume=given.assume)
        report(analysed(name or where.name, where, options, analysis, given.exclude, given.only), given.listed)


if __name__ == "__main__":
    main()
