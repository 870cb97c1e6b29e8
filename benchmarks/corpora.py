"""What is answered about the loops of real code, as a Markdown table, and what it costs.

    python benchmarks/corpora.py PolyBench=DIR NPB=DIR SQLite=FILE.c ... [-I DIR ...]

For every `for` loop of each corpus (while and do loops apart): a class or a reason, counts, and a *useful* answer: yes,
conditional, or no with the two accesses. CPU time per nest: lowering and dependence analysis of a function are shared
out among its loops, what is found out about each loop is its own; a nest is an outermost loop with all in it.
Loops of headers that several files include count once. Prints figures; asserts nothing.
"""

import argparse
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median

from analyzer.driver import analysis
from analyzer.driver import function_facts as of_functions
from analyzer.driver import nest_facts as working_out
from analyzer.facts.loop import FileFacts, FunctionFacts, LoopFacts, Verdict
from analyzer.settings.options import AnalysisOptions, SourceOptions


class Costs:
    """CPU seconds per loop id, taken by wrapping what is done once per function and once per loop."""

    def __init__(self) -> None:
        self.own: dict[str, float] = {}
        self.shared: dict[str, float] = {}
        self._function = of_functions.function_facts
        self._loop = working_out.worked_out
        of_functions.function_facts = self.function  # type: ignore[assignment]
        working_out.worked_out = self.loop  # type: ignore[assignment]

    def function(self, *arguments: object) -> FunctionFacts:
        before = time.process_time()
        facts: FunctionFacts = self._function(*arguments)  # type: ignore[arg-type]
        spent = time.process_time() - before - sum(self.own.get(loop.id, 0.0) for loop in facts.loops)
        self.shared.update((loop.id, spent / len(facts.loops)) for loop in facts.loops)
        return facts

    def loop(self, *arguments: object) -> LoopFacts:
        before = time.process_time()
        facts: LoopFacts = self._loop(*arguments)  # type: ignore[arg-type]
        self.own[facts.id] = time.process_time() - before
        return facts

    def nests(self, loops: list[LoopFacts]) -> dict[str, float]:
        return {
            loop.id: sum(self.own.get(i, 0.0) + self.shared.get(i, 0.0) for i in loop.nest)
            for loop in loops
            if loop.parent is None
        }


def sources(place: Path) -> Iterator[Path]:
    yield from [place] if place.is_file() else sorted(place.rglob("*.c"))


def analysed(place: Path, includes: Iterable[str] = ()) -> Iterator[FileFacts]:
    """The files of a folder are taken for one program, as in a run of the command."""
    files = list(sources(place))
    together = tuple(sorted(str(path.resolve()) for path in files))
    options = SourceOptions(together=together, includes=tuple(includes))
    for path in files:
        facts = analysis.analyze_file(path, options, AnalysisOptions(), root=place if place.is_dir() else None)
        yield facts
        yield from facts.headers


def is_useful(loop: LoopFacts) -> bool:
    answer = loop.parallelism
    if answer.is_parallel:
        return True
    shown = answer.reason is not None and answer.reason.accesses is not None
    return answer.verdict is Verdict.NO and shown


def report(name: str, place: Path, includes: Iterable[str], costs: Costs) -> list[float]:
    """Prints what is said of one corpus. Returns the CPU seconds of its nests."""
    functions: Counter[str] = Counter()
    loops: dict[str, LoopFacts] = {}
    for file in analysed(place, includes):
        functions.update(total=file.functions_total, whole=file.functions_analyzed)
        loops.update((loop.id, loop) for function in file.functions for loop in function.loops)
    of_for = [loop for loop in loops.values() if loop.loop.kind == "for"]
    spent = costs.nests(list(loops.values()))
    slowest = max(spent, key=lambda i: spent[i], default="")

    def share(kept: int) -> str:
        return f"{100 * kept / max(1, len(of_for)):.1f} %"

    answers = Counter(loop.parallelism.verdict.value for loop in of_for)
    counted = share(sum(loop.counts.iterations is not None for loop in of_for))
    said = sum(any((loop.algorithm, loop.unclassified, loop.parallelism.reason)) for loop in of_for)
    print(f"\n### {name}\n")
    print(f"- functions with every statement understood: {functions['whole']} of {functions['total']}")
    print(f"- loops: {len(loops)}, `for`: {len(of_for)} (yes {answers['yes']}, conditional {answers['conditional']}, "
          f"no {answers['no']}, unknown {answers['unknown']})")
    print(f"- class or reason: {share(said)}; counts: {counted}; "
          f"useful answer: {share(sum(map(is_useful, of_for)))}")
    if spent:
        times = sorted(spent.values())
        print(f"- CPU per nest ({len(times)} nests): median {median(times) * 1e3:.1f} ms, longest {times[-1]:.2f} s "
              f"(`{slowest}`), over 2 s: {sum(t > 2 for t in times)}, in all {sum(times):.1f} s\n")
    print("| answer | why | `for` loops |\n|---|---|---|")
    why: Counter[tuple[str, str]] = Counter()
    for loop in of_for:
        if loop.parallelism.reason is not None:
            shown = "" if loop.parallelism.verdict is Verdict.UNKNOWN or is_useful(loop) else " (no two accesses)"
            why[loop.parallelism.verdict.value, loop.parallelism.reason.code + shown] += 1
    for (verdict, code), number in sorted(why.items(), key=lambda item: (-item[1], item[0])):
        print(f"| {verdict} | `{code}` | {number} |")
    return list(spent.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", metavar="NAME=DIR", nargs="+")
    parser.add_argument("-I", dest="includes", action="append", default=[])
    given = parser.parse_args()
    costs = Costs()
    spent: list[float] = []
    for argument in given.corpora:
        name, _, place = argument.rpartition("=")
        spent += report(name or Path(place).name, Path(place), given.includes, costs)
    print(f"\nAll {len(spent)} nests: median {median(spent) * 1e3:.1f} ms, over 2 s: {sum(t > 2 for t in spent)}")


if __name__ == "__main__":
    main()
