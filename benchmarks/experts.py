"""What is said of the loops that experts have parallelised: those below a pragma that divides their iterations.

    python benchmarks/experts.py darknet=DIR gadget=DIR/libgadget -I DIR/include -D HAVE_X --exclude tests --list ...

Per program: how many of these loops are yes, conditional, no and unknown, by reason, and pragmas behind which no loop
was found (code that the preprocessor leaves out). Directives are read as with `-fopenmp`; a loop of a header counts
once.
`--list` names each loop that is not yes, with its reason. Prints figures; asserts nothing.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import LoopFacts
from analyzer.settings.options import AnalysisOptions, SourceOptions

AS_WITH_OPENMP = "_OPENMP=201511"

_DIVIDES = re.compile(r"omp\b.*\b(for|distribute|taskloop|loop)\b|acc\b.*\b(loop|parallel|kernels)\b")
_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+((?:[^\n\\]|\\\n|\\.)*)", re.MULTILINE)


class Program(Struct):
    """The loops that experts divided, by id; `pragmas` that stand in its files, `seen` by the analysis."""

    name: str
    loops: dict[str, LoopFacts]
    pragmas: int
    seen: set[tuple[str, int]]


def is_divided(loop: LoopFacts) -> bool:
    """Whether a pragma above the loop divides its iterations among threads or over a device."""
    return any(_DIVIDES.match(text) for _, text in loop.loop.pragmas)


def sources(place: Path, excluded: Iterable[str]) -> Iterator[Path]:
    for path in [place] if place.is_file() else sorted(place.rglob("*.c")):
        if not set(excluded) & set(path.relative_to(place.parent).parts):
            yield path


def pragmas(paths: Iterable[Path]) -> int:
    """How many pragmas that divide a loop the texts have."""
    texts = (path.read_text("utf-8", "replace") for path in paths)
    return sum(_DIVIDES.match(m[1].replace("\\\n", " ")) is not None for text in texts for m in _PRAGMA.finditer(text))


def analysed(
    name: str, place: Path, options: SourceOptions, analysis: AnalysisOptions, excluded: Iterable[str]
) -> Program:
    files = list(sources(place, excluded))
    headers = sorted(place.rglob("*.h")) if place.is_dir() else []
    program = Program(name, {}, pragmas([*files, *headers]), set())
    options = replace(options, together=tuple(sorted(str(path.resolve()) for path in files)))
    for path in files:
        if not pragmas([path]) and not headers:
            continue
        facts = analyze_file(path, options, analysis, root=place if place.is_dir() else None)
        for file in (facts, *facts.headers):
            for loop in (loop for function in file.functions for loop in function.loops if is_divided(loop)):
                program.loops.setdefault(loop.id, loop)
                program.seen.update((loop.place.path, line) for line, text in loop.loop.pragmas if _DIVIDES.match(text))
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
    missed = program.pragmas - len(program.seen)
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
    parser.add_argument("--assume", choices=("all", "pragmas"), default="all")
    parser.add_argument("--list", dest="listed", action="store_true")
    given = parser.parse_args()
    options = SourceOptions(defines=(AS_WITH_OPENMP, *given.defines), includes=tuple(given.includes))
    print("| program | loops | yes | conditional | no | unknown | useful | pragmas without a loop | why not |")
    print("|---|---|---|---|---|---|---|---|---|")
    for argument in given.programs:
        name, _, place = argument.rpartition("=")
        analysis = AnalysisOptions(assume=given.assume)
        report(analysed(name or Path(place).name, Path(place), options, analysis, given.exclude), given.listed)


if __name__ == "__main__":
    main()
