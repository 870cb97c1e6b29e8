"""Answers about directives against a dynamic race detector; `python -m tests.races.campaign -n 200 --seed 1`.

Each program has several pieces, one to a function, which are compared one by one: what is said of the directives of a
piece, what Archer reports in its lines, and what is known of it as it was made (`pieces`, `truth`). Where we say race
and Archer nothing, it runs some more times, as it sees only what happens.
"""

import argparse
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

import msgspec

from analyzer.facts.directives import CheckedDirective
from analyzer.races import checked
from analyzer.settings.options import SourceOptions
from analyzer.source import load_unit

from .detector import MORE, Reported, detected
from .generate import programs
from .pieces import Piece, program

UNTRUSTED = frozenset(("nested", "taskloop sum", "doacross", "taskwait with depend"))
"""Kinds on which Archer of clang 14 errs: it knows nothing of `depend(source)`, of reductions of tasks, or of what ends
an inner team, and takes a `taskwait` with `depend` for one without."""
ANSWERS = ("race", "no-race", "unknown", "failed")


class Case(msgspec.Struct, frozen=True):
    """One piece: what we say of it (`answer`, `why`), and whether Archer reports it. `seed`: of its program."""

    seed: str
    piece: Piece
    answer: str
    why: str
    archer: bool
    report: str = ""

    @property
    def text(self) -> str:
        """A complete program of this piece alone."""
        return program([self.piece])


class Tally(msgspec.Struct):
    cases: list[Case] = msgspec.field(default_factory=list)
    programs: Counter[tuple[str, bool]] = msgspec.field(default_factory=Counter)
    left: list[str] = msgspec.field(default_factory=list)
    """Programs that did not run, with the reason."""
    slowest: float = 0.0

    def of(self, answer: str, archer: bool) -> list[Case]:
        return [c for c in self.cases if c.answer == answer and c.archer == archer]


def answered(text: str, folder: Path) -> list[CheckedDirective]:
    path = folder / "asked.c"
    path.write_text(text)
    return list(checked(partial(load_unit, path), SourceOptions()))


def together(answers: Iterable[str]) -> str:
    """Of several directives: race if any has one, no-race if none has, else unknown."""
    found = set(answers)
    return "race" if "race" in found else "no-race" if found == {"no-race"} else "unknown"


def run(seed: str, first: int, count: int, size: int, kinds: tuple[str, ...], keep: Path | None) -> Tally:
    tally = Tally()
    with tempfile.TemporaryDirectory() as name:
        for each in programs(seed, first, count, size, kinds):
            _try(each.seed, each.pieces, Path(name), tally, keep)
    return tally


def _try(seed: str, pieces: Sequence[Piece], folder: Path, tally: Tally, keep: Path | None) -> None:
    text = program(list(pieces))
    reported = detected(text, folder)
    if reported.failure:
        kinds = ", ".join(p.kind for p in pieces)
        tally.left.append(f"{seed} ({kinds}): {reported.failure}")
        return
    started, said, failure = time.process_time(), list[CheckedDirective](), ""
    try:
        said = answered(text, folder)
    except Exception:
        failure = traceback.format_exc(limit=-3)
    tally.slowest = max(tally.slowest, time.process_time() - started)
    found = [_case(seed, text, piece, said, failure, reported, folder) for piece in pieces]
    tally.cases += found
    tally.programs[together(c.answer for c in found), any(c.archer for c in found)] += 1
    for case in found:
        finding = _finding(case)
        if finding not in ("", "Archer silent"):
            print(f"{finding}: {case.seed}-{case.piece.number} {case.piece.kind}: {case.why}", flush=True)
        if finding not in ("", "Archer silent") and keep is not None:
            head = f"/* {finding}: {case.seed}, {case.piece.kind}; racy as made: {case.piece.racy}\n   {case.why} */\n"
            name = f"{finding.replace(' ', '_')}_{case.seed}_{case.piece.number}.c"
            (keep / name).write_text(head + case.text + f"/*\n{case.report[:3000]}\n*/\n")


def _case(
    seed: str, text: str, piece: Piece, said: Sequence[CheckedDirective], failure: str, reported: Reported, folder: Path
) -> Case:
    start = text[: text.index(piece.text)].count("\n") + 1
    lines = range(start, start + piece.text.count("\n"))
    own = [c for c in said if c.place.line in lines]
    answer = "failed" if failure else together(c.answer for c in own)
    why = failure or "; ".join(f"{c.place.line - start + 1} {c.text}: {c.answer} {c.message}" for c in own)
    archer, report = any(line in lines for line in reported.lines), reported.text
    if not archer and (answer == "race" or piece.racy):
        again = detected(program([piece]), folder, MORE, until=True)
        archer, report = bool(again.lines), again.text
    return Case(seed, piece, answer, why, archer, report if archer else "")


def _finding(case: Case) -> str:
    """What is to be looked at; empty where nothing is."""
    made = case.piece.racy
    if case.answer == "failed":
        return "failed"
    if case.answer == "no-race" and made:
        return "missed race"
    if case.answer == "race" and not made:
        return "wrong race"
    if case.archer == made or case.piece.kind in UNTRUSTED:
        return ""
    return "only Archer" if case.archer else "Archer silent"


def figures(tally: Tally) -> str:
    """The table of a campaign."""
    lines = [f"{'programs':45} {sum(tally.programs.values()):6}"]
    lines += [f"{'programs that did not run':45} {len(tally.left):6}", *(f"  {x}" for x in tally.left)]
    lines += [f"{'':45} {'races':>6} {'none':>6}   as Archer reports"]
    for answer in ANSWERS:
        seen, none = (tally.programs[answer, archer] for archer in (True, False))
        lines.append(f"{f'programs: {answer}':45} {seen:6} {none:6}")
    for answer in ANSWERS:
        seen, none = (len(tally.of(answer, archer)) for archer in (True, False))
        lines.append(f"{f'pieces: {answer}':45} {seen:6} {none:6}")
    for answer in ANSWERS:
        seen, none = (sum(c.answer == answer and c.piece.racy == racy for c in tally.cases) for racy in (True, False))
        lines.append(f"{f'pieces: {answer}, as made':45} {seen:6} {none:6}")
    findings = Counter(_finding(c) for c in tally.cases)
    lines += [f"{f'pieces: {kind}':45} {n:6}" for kind, n in findings.most_common() if kind]
    unknown = Counter((c.piece.kind, c.piece.racy) for c in tally.cases if c.answer == "unknown")
    lines += ["unknown, by kind of piece"]
    for (kind, racy), n in unknown.most_common(40):
        lines.append(f"  {kind + (', race' if racy else ', none'):43} {n:6}")
    lines.append(f"{'most CPU seconds of one program':45} {tally.slowest:6.2f}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="races", description=__doc__)
    parser.add_argument("-n", type=int, default=200, help="number of programs")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    parser.add_argument("--size", type=int, default=3, help="pieces of each program")
    parser.add_argument("--kinds", default="", help="kinds of pieces (default: all)")
    parser.add_argument("--keep", type=Path, help="folder for programs on which answers differ")
    options = parser.parse_args(arguments)
    kinds = tuple(k for k in options.kinds.split(",") if k)
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    started = time.time()
    tally = run(options.seed, options.first, options.n, options.size, kinds, options.keep)
    print(figures(tally))
    print(f"{'seconds':45} {time.time() - started:6.0f}")
    return int(any(_finding(c) in ("failed", "missed race", "wrong race") for c in tally.cases))


if __name__ == "__main__":
    sys.exit(main())
