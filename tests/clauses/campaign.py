"""Writes what the public JSON says of every `yes` loop into its source, compiles, runs and compares.

`python -m tests.clauses.campaign --fixtures -n 2000 --seed 1` (make clauses) gives figures.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.truth.fixtures import reduced
from tests.truth.generate import generate
from tests.truth.judge import source

from analyzer.change.form import FORMS

from .answers import Loop, loops_of, report
from .driver import Callers, Copy
from .patches import Entries, Trial, entries, patched
from .program import NotCompiledError, Outcome, Program, objects
from .rewriting import CannotRewriteError, Changed, changed, without_pragmas
from .signatures import NotMadeError
from .tokens import Source

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "c"
BATCH = 20
TOO_LONG = "too long"
LATE = f"no valid run: {TOO_LONG}"
SMALLER = ((512, 13), (8192, 5))
"""Constants of `#define` are divided by the first number, but not below the second one."""
APART = frozenset({"fp-reorder"})
"""Assumptions beside which pointers of a call may still overlap."""
UNCHECKED = frozenset({"no-overflow", "in-bounds"})
"""Assumptions that some inputs break: arithmetic wraps, `a[i*n + j + 3]` is in the next row."""


@dataclass(frozen=True, slots=True)
class Finding:
    """`kind`: differs, refused (by the compiler)."""

    kind: str
    loop: Loop
    text: str
    code: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.loop.id}: {self.text}\n{self.code}"


@dataclass(slots=True)
class Tally:
    loops: int = 0
    tried: int = 0
    runs: int = 0
    equal: int = 0
    findings: list[Finding] = field(default_factory=list)
    assumed: list[Finding] = field(default_factory=list)
    """Loops that differ, and assume what inputs are not known to keep: to be looked at one by one."""
    rewrites: Counter[str] = field(default_factory=Counter)
    left: list[tuple[Loop, str]] = field(default_factory=list)
    """Loops that were not run, with the reason."""

    def of(self, kind: str) -> list[Finding]:
        return [f for f in self.findings if f.kind == kind]

    @property
    def reasons(self) -> Counter[str]:
        return Counter(reason for _, reason in self.left)


def try_file(
    path: Path,
    includes: Path,
    yes: Sequence[Loop],
    tally: Tally,
    folder: Path,
    entries: Entries | None = None,
    form: Trial | None = None,
) -> None:
    """These `yes` loops of one file. `entries`: changed by the program itself, in this form, else as its answers are
    read here."""
    text = without_pragmas(path.read_text())
    text_source = Source(text)
    try:
        callers = Callers(path, includes)
    except subprocess.CalledProcessError:
        tally.left += [(loop, "headers that pycparser does not read") for loop in yes]
        return
    copies: dict[int, tuple[Copy, Changed, Loop]] = {}
    for number, loop in enumerate(yes, 1):
        reason = _left_out(loop, callers)
        if reason:
            tally.left.append((loop, reason))
            continue
        try:
            copy = _changed(text_source, loop, f"{loop.function}__{number}", entries, form or "openmp")
        except CannotRewriteError as error:
            tally.left.append((loop, str(error)))
            continue
        told = _copy(number, loop, callers)
        if form not in (None, "openmp", "simd", "archer"):
            told = replace(told, plain=False)  # what goes to a device apart lies apart
        copies[number] = (told, copy, loop)
    _run(includes, text, callers, copies, tally, folder, form=form)


def _changed(source: Source, loop: Loop, name: str, entries: Entries | None, form: Trial) -> Changed:
    if entries is None:
        return changed(source, loop, name=name)
    return patched(source.text, *entries[loop.id], name, form)


def _left_out(loop: Loop, callers: Callers) -> str:
    """Why this loop is not tried; empty when it is."""
    if loop.expansion is not None:
        return "made by a macro"
    if any(a.kind == "user" for a in loop.assumptions):
        return "the answer rests on the user's word"
    if loop.function not in callers.functions:
        return "function that pycparser does not read"
    try:
        callers.program([loop.function], [])
    except NotMadeError as error:
        return f"no argument can be made: {error}"
    return ""


def _copy(number: int, loop: Loop, callers: Callers) -> Copy:
    kinds = {a.kind for a in loop.assumptions}
    reorders = any(r.reorders_fp for r in loop.reductions) or "fp-reorder" in kinds or loop.function in callers.zeros
    plain = kinds <= APART and loop.function not in callers.apart
    return Copy(number, loop.function, reorders, plain, "in-bounds" in kinds)


def _run(
    includes: Path,
    text: str,
    callers: Callers,
    copies: dict[int, tuple[Copy, Changed, Loop]],
    tally: Tally,
    folder: Path,
    form: Trial | None,
) -> None:
    cases = sorted({loop.function for _, _, loop in copies.values()})
    if not cases:
        return
    try:
        program = Program(includes, text, callers, cases, folder, form=form)
        found = program.outcome([(c, t) for c, t, _ in copies.values()])
    except NotCompiledError as error:
        for _, _, loop in copies.values():
            tally.left.append((loop, f"the file does not compile: {error}"))
        return
    for number, (_, copy, loop) in copies.items():
        _note(number, copy, loop, found, tally)


def _note(number: int, copy: Changed, loop: Loop, found: Outcome, tally: Tally) -> None:
    if number in found.refused:
        tally.tried += 1
        tally.findings.append(Finding("refused", loop, found.refused[number], copy.text))
    elif found.differs.get(number, "").endswith(TOO_LONG):
        tally.left.append((loop, "its threads take too long"))
    elif number in found.differs:
        tally.tried += 1
        is_assumed = any(a.kind in UNCHECKED for a in loop.assumptions) or "/* Assumes: it uses " in copy.text
        where = tally.assumed if is_assumed else tally.findings
        where.append(Finding("differs", loop, found.differs[number], copy.text))
    elif found.runs.get(number, 0) > 0:
        tally.tried += 1
        tally.equal += 1
        tally.runs += found.runs[number]
    else:
        tally.left.append(
            (loop, f"no valid run: {found.invalid.get(loop.function, 'uninitialised, or no input suits')}")
        )


def try_paths(
    paths: Sequence[Path], tally: Tally, options: Sequence[str] = ("--no-cache",), *, form: Trial | None = None
) -> None:
    """All `yes` loops of these files, with small constants; what still runs too long, with smaller ones."""
    with tempfile.TemporaryDirectory() as name:
        folder, again = Path(name), None
        objects(folder)
        for divisor, least in SMALLER:
            smaller = folder / f"smaller_{divisor}"
            smaller.mkdir()
            texts = []
            for path in paths:
                if again is None or any(x[0] == path.name for x in again):
                    texts.append(smaller / path.name)
                    texts[-1].write_text(reduced(path.read_text(), divisor, least))
            if texts:
                _try_texts(texts, paths[0].parent, tally, folder, again, options, form)
            again = {_key(x) for x, reason in tally.left if reason == LATE}


def _try_texts(
    texts: Sequence[Path],
    includes: Path,
    tally: Tally,
    folder: Path,
    again: set[tuple[str, str, int, int]] | None,
    options: Sequence[str],
    form: Trial | None,
) -> None:
    """`again`: these loops only, which were left before."""
    told = report(texts, [*options, f"-I{includes}"])
    found, changes = loops_of(told), entries(told) if form is not None else None
    if again is not None:
        tally.left = [(x, reason) for x, reason in tally.left if _key(x) not in again]
    for path in texts:
        yes = [x for x in found.get(path.name, ()) if _is_tried(x) and (again is None or _key(x) in again)]
        if again is None:
            _count(yes, tally)
        before, assumed = len(tally.findings), len(tally.assumed)
        try_file(path, includes, yes, tally, folder, changes, form)
        for finding in tally.findings[before:]:
            print(finding, flush=True)
        for finding in tally.assumed[assumed:]:
            print(f"outside of an assumption or not, {finding}", flush=True)
        print(f"{path.name}: {len(yes)} loops", file=sys.stderr, flush=True)


def _is_tried(loop: Loop) -> bool:
    """Whether the loop may be run in parallel as it is said: always, or where its conditions are tested, or a run tells
    whether they hold."""
    told = all(c.check or c.kind == "no-exit" for c in loop.required)
    return loop.parallel == "yes" or (loop.parallel == "conditional" and told)


def _key(loop: Loop) -> tuple[str, str, int, int]:
    return (Path(loop.id.split(":")[0]).name, loop.function, loop.line, loop.column)


def _count(yes: Sequence[Loop], tally: Tally) -> None:
    tally.loops += len(yes)
    for loop in yes:
        kinds = {r.kind for r in loop.rewrites} | ({"induction"} if loop.inductions else set())
        tally.rewrites.update(kinds or {"none"})


def generated(seeds: Sequence[str], tally: Tally, *, form: Trial | None = None) -> None:
    """Nests of the truth campaign, so many to a file."""
    with tempfile.TemporaryDirectory() as name:
        paths = []
        for k in range(0, len(seeds), BATCH):
            path = Path(name, f"nests_{k // BATCH}.c")
            path.write_text(source(generate(seed) for seed in seeds[k : k + BATCH]))
            paths.append(path)
        for group in _groups(paths, 10):
            try_paths(group, tally, form=form)


def _groups(paths: Sequence[Path], size: int) -> Iterator[Sequence[Path]]:
    return (paths[k : k + size] for k in range(0, len(paths), size))


def figures(tally: Tally) -> str:
    rows = [
        ("loops with parallel: yes, or conditional with tests", tally.loops),
        ("loops run", tally.tried),
        ("runs", tally.runs),
        ("loops equal in all runs", tally.equal),
        ("loops that differ", len(tally.of("differs"))),
        ("loops that differ on an input that may break an assumption", len(tally.assumed)),
        ("refused by the compiler", len(tally.of("refused"))),
        ("not run", len(tally.left)),
        *((f"  {reason}", n) for reason, n in tally.reasons.most_common()),
    ]
    lines = [f"{k:64} {v:8}" for k, v in rows]
    lines.append("changes that yes loops need")
    lines += [f"  {k:62} {v:8} = {100 * v / max(tally.loops, 1):.1f} %" for k, v in tally.rewrites.most_common()]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="clauses", description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, help="C files")
    parser.add_argument("--fixtures", action="store_true", help="all fixtures")
    parser.add_argument("-n", type=int, default=0, help="number of generated nests")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0, help="number of the first nest")
    parser.add_argument("--left", action="store_true", help="print the loops that were not run")
    parser.add_argument("--analyze", default="--no-cache", help="further options of the command, in one word")
    parser.add_argument("--patches", choices=(*FORMS, "simd", "archer"), help="changes as --suggest writes them")
    options = parser.parse_args(arguments)
    started, tally = time.time(), Tally()
    paths = [*options.paths, *(sorted(FIXTURES.glob("*.c")) if options.fixtures else ())]
    if paths:
        try_paths([p.resolve() for p in paths], tally, options.analyze.split(), form=options.patches)
    if options.n:
        seeds = [f"{options.seed}-{k}" for k in range(options.first, options.first + options.n)]
        generated(seeds, tally, form=options.patches)
    for loop, reason in tally.left if options.left else ():
        print(f"not run: {loop.id}: {reason}")
    print(figures(tally))
    print(f"{'seconds':64} {time.time() - started:8.0f}")
    return int(bool(tally.findings))


if __name__ == "__main__":
    sys.exit(main())
