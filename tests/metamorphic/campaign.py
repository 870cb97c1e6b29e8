"""Answers that must not depend on how a loop is written: `python -m tests.metamorphic.campaign [PATH...]`.

Every file is rewritten in every way that keeps its meaning (rewriting.REWRITES), at all places at once, and then in
several ways at once at places that chance chooses. `yes` may not become `no` nor `no` `yes`, an assumption that a `yes`
needs may not get lost, and exact counts stay.
"""

import argparse
import random
import subprocess
import sys
from collections.abc import Container, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from pycparser import c_ast

from analyzer.driver.analysis import analyzed
from analyzer.facts.loop import Verdict
from analyzer.settings.options import AnalysisOptions, SourceOptions

from .compare import Answers, Comparison
from .material import marks, read, text_of
from .rewriting import REWRITES, rewritten
from .scene import Rewrite

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "c"
AT_ONCE = 3


def own() -> list[Path]:
    """The fixtures in plain C: attributes are lost on the way."""
    return [p for p in sorted(FIXTURES.glob("*.c")) if not p.name.startswith("gnu_")]


def answers(file: c_ast.FileAST, only: Container[str] | None = None) -> Answers:
    """What the analyser says of the loops of these functions that have a mark."""
    text, lines = text_of(file, only)
    path, options = Path("rewritten.c"), AnalysisOptions(assume="members")
    facts = analyzed(path, SourceOptions(compiler="gcc"), options, Path.cwd(), text, {str(path): lines}).facts
    found: Answers = {}
    known = marks(file)
    for function in facts.functions:
        name = function.function.name
        if len(known.get(name, ())) == len(function.loops):
            found |= {m: loop for m, loop in zip(known[name], function.loops, strict=True) if m is not None}
    return found


Way: TypeAlias = tuple[str, tuple[Rewrite, ...], random.Random | None]


def choices(mixed: int, seed: str, only: Sequence[str] = (), single: bool = True) -> Iterator[Way]:
    """Each rewrite by itself, then several at once."""
    known = [r for r in REWRITES if not only or r.name in only]
    for rewrite in known if single else ():
        yield rewrite.name, (rewrite,), None
    for k in range(mixed):
        rng = random.Random(f"{seed} {k}")
        chosen = tuple(rng.sample(known, min(AT_ONCE, len(known))))
        yield "+".join(r.name for r in chosen), chosen, rng


def compare(
    path: Path,
    comparison: Comparison,
    ways: Iterable[Way],
    includes: Sequence[Path] = (),
    keep: Path | None = None,
) -> None:
    """One file in these ways; `keep`: a folder for the rewritten texts."""
    file = read(path, includes)
    before = answers(file)
    comparison.loops = {loop.id: loop for loop in before.values()}
    parallel = {m for m, loop in before.items() if loop.parallelism.verdict is Verdict.YES}
    if keep:
        (keep / f"{path.stem}.c").write_text(text_of(file)[0])
    for name, rewrites, rng in ways:
        new, changed = rewritten(file, rewrites, rng, parallel)
        if not changed:
            continue
        if keep:
            (keep / f"{path.stem}--{name}.c").write_text(text_of(new)[0])
        after = answers(new, changed)
        for mark in sorted(m for m in before.keys() & after.keys() if m[0] in changed):
            comparison.loop(name, rewrites, before[mark], after[mark], f"{path.name}:{mark[0]}:{mark[1]}")
        comparison.not_compared["loops not found"] += sum(
            m is not None and m not in after for name in changed for m in marks(new)[name]
        )


def report(comparison: Comparison) -> str:
    """Figures by rewrite: what stayed, what became unknown, what became known."""
    heads = ("loops", "yes", "yes -> ?", "no", "no -> ?", "? -> yes", "? -> no")
    lines = [f"{'rewrite':24}" + "".join(f"{x:>9}" for x in heads)]
    for name in dict.fromkeys(k[0] for k in comparison.changed if "+" not in k[0]):
        n = {(a, b): comparison.changed[name, a.value, b.value] for a in Verdict for b in Verdict}
        total = {a: sum(n[a, b] for b in Verdict) for a in Verdict}
        y, o, u = Verdict.YES, Verdict.NO, Verdict.UNKNOWN
        figures = (sum(total.values()), total[y], n[y, u], total[o], n[o, u], n[u, y], n[u, o])
        lines.append(f"{name:24}" + "".join(f"{x:9}" for x in figures))
    lines.append(f"loops compared {sum(comparison.changed.values())}, exact counts equal {comparison.equal}")
    lines += [f"not compared: {v} {k}" for k, v in comparison.not_compared.items()]
    lines.append(f"wrong {len(comparison.wrong)}, assumptions lost {len(comparison.lost)}")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.metamorphic.campaign", description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, help="C files or folders (default: the fixtures)")
    parser.add_argument("-I", dest="includes", action="append", type=Path, default=[])
    parser.add_argument("--only", action="append", default=[], help="name of a rewrite")
    parser.add_argument("--no-single", action="store_true", help="no rewrite by itself")
    parser.add_argument("--mixed", type=int, default=4, help="rewritings by several rewrites at once, per file")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--keep", type=Path, help="folder for the rewritten files")
    parser.add_argument("--examples", type=int, default=0, help="show so many loops per kind of change")
    chosen = parser.parse_args(arguments)
    sys.setrecursionlimit(20_000)  # trees of long expressions are copied
    comparison = Comparison()
    paths = [q for p in chosen.paths or own() for q in ([p] if p.is_file() else sorted(p.rglob("*.c")))]
    for path in paths:
        seen = len(comparison.wrong)
        try:
            ways = choices(chosen.mixed, f"{chosen.seed} {path.name}", chosen.only, not chosen.no_single)
            compare(path, comparison, ways, chosen.includes, chosen.keep)
            print(path.name, *comparison.wrong[seen:], sep="\n  ", flush=True)
        except subprocess.CalledProcessError as error:
            comparison.not_compared[f"files not read ({error.returncode})"] += 1
    for key, found in sorted(comparison.examples.items()) if chosen.examples else ():
        print(*key, *found[: chosen.examples], sep="\n    ")
    print(*comparison.lost, report(comparison), sep="\n")
    return int(bool(comparison.wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
