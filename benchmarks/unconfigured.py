"""How much of a source tree is understood as it was checked out: no `./configure`, no CMake, no generated header.

    python benchmarks/unconfigured.py zlib=DIR flac=DIR/src --exclude tests ...

For each tree: its functions, those with every statement understood (`functions_analyzed` of the JSON summary: the same
rule, without the dependence analysis behind it), their share, and the reasons of what was left out. A function of a
header counts once, as understood if it is in one of the files that include it. `--list` names what was left out.

    python benchmarks/unconfigured.py flac=DIR --configured BUILD

analyses the files that BUILD/compile_commands.json names twice, once as its flags say and once without them and with
nothing that the build made, and prints each loop that is answered otherwise, or is only there in one of the two.
Prints figures; asserts nothing.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from analyzer.base.errors import InputError
from analyzer.base.recursion import deep_recursion
from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import Count, LoopFacts
from analyzer.ir import nodes as ir
from analyzer.loops import lower_function
from analyzer.settings.options import AnalysisOptions, SourceOptions
from analyzer.source import load_unit
from analyzer.source.findings import INTERNAL_ERROR, LIMIT, PREPROCESSOR, SYNTAX
from analyzer.source.nodes import nodes
from analyzer.source.unit import Definition, Unit

_LOSES = (SYNTAX, LIMIT, INTERNAL_ERROR)
_NAMES = re.compile(r"function \w+|'[^']*'|before: .*")


def sources(place: Path, excluded: Iterable[str]) -> Iterator[Path]:
    for path in [place] if place.is_file() else sorted(place.rglob("*.c")):
        if path.is_file() and not any(part in path.relative_to(place.parent).parts for part in excluded):
            yield path


def missing(unit: Unit, definition: Definition) -> str | None:
    """Why not every statement of a function is understood; None if it is."""
    if definition.skipped:
        return None
    if definition.node is None:
        return "left out"
    if not any(type(node).__name__ in ("For", "While", "DoWhile") for node in nodes(definition.node.body)):
        return None
    with deep_recursion():
        lowered = lower_function(unit, definition)
    refused = next((s for s in ir.statements(lowered.body) if isinstance(s, ir.Refused)), None)
    return None if refused is None else f"{refused.code}: {_NAMES.sub('...', refused.message)}"


def report(name: str, place: Path, excluded: Iterable[str], defines: Iterable[str], listed: bool) -> None:
    """Prints what is understood of one tree."""
    functions: dict[tuple[str, str, int], str | None] = {}
    reasons: Counter[str] = Counter()
    files = 0
    for path in sources(place, excluded):
        files += 1
        try:
            unit = load_unit(path, SourceOptions(defines=tuple(defines)), place if place.is_dir() else None)
        except InputError as error:
            reasons[f"file: {error}"] += 1
            continue
        for diagnostic in unit.diagnostics:
            if diagnostic.rule in (*_LOSES, PREPROCESSOR):
                reasons[f"{diagnostic.rule} {_NAMES.sub('...', diagnostic.message)}"] += 1
                if listed:
                    print(f"  {path}: {diagnostic.place}: {diagnostic.rule} {diagnostic.message}")
        for definition in unit.functions:
            key = (definition.place.path, definition.name, definition.place.line)
            if definition.own and functions.get(key, "") is not None:
                functions[key] = missing(unit, definition)
                if listed and functions[key] is not None:
                    print(f"  {definition.place}: {definition.name}: {functions[key]}")
    understood = sum(reason is None for reason in functions.values())
    share = 100 * understood / max(1, len(functions))
    print(f"{name}: {files} files, {len(functions)} functions, {understood} understood ({share:.2f} %)")
    reasons.update(reason for reason in functions.values() if reason is not None)
    for reason, number in reasons.most_common(12):
        print(f"    {number:5} {reason}")


def answers(path: Path, place: Path, options: SourceOptions) -> Iterator[tuple[str, str]]:
    """Loop and answer, of a file and the headers it brings."""
    facts = analyze_file(path, options, AnalysisOptions(), root=place)
    for file in (facts, *facts.headers):
        yield from ((loop.id, answer(loop)) for function in file.functions for loop in function.loops)


def answer(loop: LoopFacts) -> str:
    def shown(count: Count | None) -> str:
        return "-" if count is None else str(count.expr)

    counts = loop.counts
    accesses = f"{shown(counts.loads)} loads, {shown(counts.stores)} stores"
    return f"{loop.parallelism.verdict.value}, {shown(counts.iterations)} iterations, {accesses}"


def compare(name: str, place: Path, build: Path) -> None:
    """Prints how the answers about a tree change when it is configured."""
    with (build / "compile_commands.json").open(encoding="utf-8") as file:
        paths = sorted({Path(entry["directory"], entry["file"]).resolve() for entry in json.load(file)})
    here, there = (
        {loop: said for path in paths if path.suffix == ".c" for loop, said in answers(path, place, options)}
        for options in (SourceOptions(build_dir=str(place)), SourceOptions(build_dir=str(build)))
    )
    same = sum(here.get(loop) == said for loop, said in there.items())
    print(f"{name}: {len(here)} loops unconfigured, {len(there)} configured, {same} with the same answer")
    for loop in sorted(here.keys() | there.keys()):
        if here.get(loop) != there.get(loop):
            print(f"  {loop}")
            print(f"    unconfigured: {here.get(loop, 'absent')}")
            print(f"    configured:   {there.get(loop, 'absent')}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="+", metavar="NAME=DIR")
    parser.add_argument("--exclude", action="append", default=[], metavar="NAME", help="folders and files left out")
    parser.add_argument("-D", dest="define", action="append", default=[], metavar="NAME=V", help="as of analyze")
    parser.add_argument("--list", action="store_true", help="name each function that was left out")
    parser.add_argument("--configured", type=Path, metavar="BUILD", help="compare with the build in this folder")
    arguments = parser.parse_args()
    for tree in arguments.trees:
        name, _, where = tree.rpartition("=")
        place = Path(where).resolve()
        if arguments.configured is not None:
            compare(name or place.name, place, arguments.configured)
        else:
            report(name or place.name, place, arguments.exclude, arguments.define, arguments.list)


if __name__ == "__main__":
    main()
