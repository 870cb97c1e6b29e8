"""Confronts what the analyser says of the loops of a program with what runs of them show."""

import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import lru_cache
from io import StringIO
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import msgspec
from tests.clauses.answers import Condition, Loop
from tests.clauses.rewriting import CannotRewriteError, changed, without_pragmas
from tests.clauses.tokens import Source

from analyzer.command.start import main as analyze

from .build import SYSTEM, Copy, NotCompiledError, Outcome, Run, objects, outcome
from .generate import GLOBALS, Kernel, Program

PARAMETERS, MEMBERS, ROWS = 1, 2, 4
"""What overlaps although an answer may assume that it does not: the first two by an input, the last two by the program
itself, in functions that hand memory out."""
EXCUSED = {
    "params-distinct": PARAMETERS | MEMBERS,
    "rows-distinct": PARAMETERS | MEMBERS | ROWS,
    "members-distinct": MEMBERS,
}
SHARED = frozenset(d.split()[-1].lstrip("*").split("[")[0] for d in GLOBALS)
"""Variables that all files name: a change of their declaration would be one of the header and of every file."""
EXECUTED = ("cold", "no-exit", "pure")
"""Conditions without a test of which a run tells whether they hold. Of others without one, nothing does."""
LEFT = "left"
"""What is said of a run in which a loop was left, as it is by one thread."""


@dataclass(frozen=True, slots=True)
class Finding:
    """`kind`: parallel (a yes that a run contradicts), conditional (an answer that a run contradicts in which its
    conditions hold), refused (by the compiler), failed (no answer, or a program that does not compile)."""

    kind: str
    program: Program
    loop: Loop | None
    text: str

    def __str__(self) -> str:
        where = self.loop.id if self.loop else ""
        return f"{self.kind}: seed {self.program.seed}: {where} {self.text}\n{self.program}"


@dataclass(slots=True)
class Tally:
    """Figures of a campaign."""

    numbers: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    left: Counter[str] = field(default_factory=Counter)
    """Reasons of parallel loops that were not run."""

    def of(self, kind: str) -> list[Finding]:
        return [f for f in self.findings if f.kind == kind]


class _File(msgspec.Struct, frozen=True):
    path: str
    loops: tuple[Loop, ...]


class _Document(msgspec.Struct, frozen=True):
    files: tuple[_File, ...]


class Judge:
    """Programs, one after the other. `folder`: where they are built."""

    def __init__(self, tally: Tally, folder: Path) -> None:
        self.tally, self.folder = tally, folder
        objects(folder)

    def judge(self, program: Program) -> None:
        """Analyses and runs one program."""
        numbers = self.tally.numbers
        numbers["programs"] += 1
        numbers["files"] += len(program.files)
        loops = answers(program, self.folder)
        if isinstance(loops, str):
            self.tally.findings.append(Finding("failed", program, None, loops))
            return
        numbers["loops"] += len(loops)
        numbers["loops that call functions of other files"] += sum(_calls_others(program, x) for x in loops)
        numbers.update(f"loops: {x.parallel}" for x in loops)
        numbers.update(f"conditions: {c.kind}{_tested(c)}" for x in loops for c in x.required)
        copies: list[Copy] = []
        for number, loop in enumerate(loops):
            if loop.parallel not in ("yes", "conditional"):
                continue
            numbers[f"{loop.parallel}, calls functions of other files"] += _calls_others(program, loop)
            try:
                copies.append(_copy(program, loop, number))
            except CannotRewriteError as error:
                self.tally.left[str(error).split(" of ")[0]] += 1
        if not copies:
            return
        try:
            found = outcome(program, copies, self.folder)
        except NotCompiledError as error:
            self.tally.findings.append(Finding("failed", program, None, f"does not compile: {error}"))
            return
        self._note(program, {c.number: (loops[c.number], c) for c in copies}, found)

    def _note(self, program: Program, loops: dict[int, tuple[Loop, Copy]], found: Outcome) -> None:
        for number, why in found.refused.items():
            self.tally.findings.append(Finding("refused", program, loops[number][0], why))
        for number, (loop, copy) in loops.items():
            runs = [r for r in found.runs if r.loop == number]
            if runs and not (copy.of_helper and not any(r.reached for r in runs)):
                self.tally.numbers[f"{loop.parallel}, run"] += 1
                _Evidence(self.tally, program, loop, copy).note(runs)


class _Evidence:
    """What the runs of one loop say of its answer."""

    def __init__(self, tally: Tally, program: Program, loop: Loop, copy: Copy) -> None:
        self.tally, self.program, self.loop = tally, program, loop
        self.kinds = {c.kind for c in loop.required}
        self.untested = any(c.check is None and c.kind not in EXECUTED for c in loop.required)
        self.restricted = copy.kernel.restricted
        # A caller may hand a helper whatever it likes.
        self.broken = PARAMETERS | MEMBERS | ROWS if copy.of_helper else copy.kernel.broken
        self.excused = 0
        for a in loop.assumptions:
            self.excused |= EXCUSED.get(a.kind, 0)

    def note(self, runs: Sequence[Run]) -> None:
        numbers = self.tally.numbers
        if any(c.check for c in self.loop.required):
            false = [r for r in runs if r.failed]
            numbers["loops with tests, run"] += 1
            numbers["loops with tests that are false in a run"] += bool(false)
            numbers["loops with tests that are false in a run, contradicted without them"] += any(
                r.forced != "equal" for r in false
            )
        for run in runs:
            numbers["runs"] += 1
            if self.restricted and run.broken:
                numbers["runs, excluded by restrict"] += 1
            elif not self._can_hold(run):
                numbers["runs in which a condition without a test does not hold"] += 1
            else:
                self._judge(run)

    def _can_hold(self, run: Run) -> bool:
        """Whether the conditions that have no test are true: error paths are not taken, loops are not left, functions
        that cannot be seen only give a value. Not known of other ones without a test."""
        if "cold" in self.kinds and (run.original != 1 or run.errors):
            return False
        if "no-exit" in self.kinds and LEFT in (run.guarded, run.forced):
            return False
        named = {n.strip() for c in self.loop.required if c.kind == "pure" for n in (c.text or "").split(",")}
        return named <= self.program.pure and not self.untested

    def _judge(self, run: Run) -> None:
        numbers, kind = self.tally.numbers, self.loop.parallel
        if run.failed:
            numbers["runs with conditions that do not hold"] += 1
            differs = run.forced != "equal"
            numbers["runs with conditions that do not hold, contradicted without them"] += differs
        elif kind == "conditional":
            numbers["runs with conditions that hold"] += bool(run.held)
        if run.guarded == "equal":
            return
        if (run.broken | self.broken) & self.excused:
            numbers["runs contradicted only outside of a named assumption"] += 1
            return
        said = f"input {run.input}: {run.guarded} (original ended {run.original}, conditions held {run.held} times"
        said += f" of {run.held + run.failed})"
        name = "parallel" if kind == "yes" else "conditional"
        if not any(f.loop is self.loop for f in self.tally.findings):
            self.tally.findings.append(Finding(name, self.program, self.loop, said + _described(self.loop)))


def answers(program: Program, folder: Path) -> tuple[Loop, ...] | str:
    """The loops of all files, as `analyze -f json` tells them of the files together; what went wrong, as a text."""
    said = analysed(program, folder)
    if isinstance(said, str):
        return said
    found = msgspec.json.decode(said, type=_Document)
    return tuple(loop for f in found.files for loop in f.loops if Path(f.path).name in program.files)


def analysed(program: Program, folder: Path) -> bytes | str:
    """The JSON of `analyze` about the files together; what went wrong, as a text."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        place = Path(name)
        (place / "h.h").write_text(program.header)
        for file, text in program.files.items():
            (place / file).write_text(text)
        document = place / "answers.json"
        paths = [str(place / file) for file in program.files]
        said = StringIO()
        headers = patch.dict(os.environ, C_INCLUDE_PATH=str(SYSTEM))
        with redirect_stdout(said), redirect_stderr(said), headers:
            status = analyze([*paths, "--no-cache", "-j", "1", "-f", f"json={document}"])
        if status or not document.exists():
            return f"exit {status}: {said.getvalue()[-400:]}"
        return document.read_bytes()


def _calls_others(program: Program, loop: Loop) -> bool:
    """Whether the text of a loop names a function that another file defines."""
    name = _file(loop)
    words = _words(_text(program, loop))
    return any(_name(h) in words for h in _heads(program, name))


def _heads(program: Program, name: str) -> Iterable[str]:
    """First lines of functions that other files define for all."""
    for file, text in program.files.items():
        for line, behind in pairwise(text.split("\n")):
            if file != name and behind == "{" and not line.startswith(("static", " ")) and "(" in line:
                yield line


def _tested(condition: Condition) -> str:
    return "" if condition.kind in EXECUTED else ", with a test" if condition.check else ", without a test"


def _text(program: Program, loop: Loop) -> str:
    return "\n".join(program.files[_file(loop)].split("\n")[loop.line - 1 : loop.end_line])


def _file(loop: Loop) -> str:
    return Path(loop.id.split(":")[0]).name


def _copy(program: Program, loop: Loop, number: int) -> Copy:
    kernel = _leading_to(program, loop.function)
    if kernel is None or any(_name(head) == loop.function and "old style" in head for head, _ in _bodies(program)):
        raise CannotRewriteError("in a helper that nothing calls, or in the old style")
    if any(r.kind in ("threadprivate", "thread-copy") and r.object in SHARED for r in loop.rewrites):
        raise CannotRewriteError("a copy per thread of a variable of the program")
    if any(r.kind == "scalar-temporary" for r in loop.rewrites) and "PUT(" in _text(program, loop):
        raise CannotRewriteError("a store that a macro makes")
    kinds = {a.kind for a in loop.assumptions}
    reorders = any(r.reorders_fp for r in loop.reductions) or "fp-reorder" in kinds
    made = changed(_source(program.files[_file(loop)]), _deciding(loop, number), name=f"{loop.function}__{number}")
    return Copy(number, kernel, reorders, made, _file(loop), loop.function)


@lru_cache(maxsize=8)
def _source(text: str) -> Source:
    return Source(without_pragmas(text))


@lru_cache(maxsize=128)
def _words(text: str) -> frozenset[str]:
    return frozenset(t.text for t in Source(text).tokens)


def _leading_to(program: Program, name: str) -> Kernel | None:
    """The function itself, or the first one that calls it, by way of others."""
    found, names = "", {name}
    calls = {_name(head): body for head, body in _bodies(program)}
    while names and not found:
        found = next((k.name for k in program.kernels if k.name in names), "")
        done = names | {f for f, body in calls.items() if names & _words(body)}
        names = done if done != names else set()
    return next((k for k in program.kernels if k.name == found), None)


def _name(head: str) -> str:
    return head.split("(")[0].split()[-1].lstrip("*")


def _bodies(program: Program) -> Iterable[tuple[str, str]]:
    """The heads of all functions, with what stands in them."""
    for text in program.files.values():
        lines = text.split("\n")
        for k, line in enumerate(lines[:-1]):
            if lines[k + 1] == "{" and "(" in line and not line.startswith(" "):
                yield line, "\n".join(lines[k + 1 : lines.index("}", k)])


def _deciding(loop: Loop, number: int) -> Loop:
    """The loop with all its conditions as one, of which the runtime learns whether it holds."""
    if not loop.required:
        return loop
    tests = " && ".join(f"({c.check})" for c in loop.required if c.check) or "1"
    one = Condition(kind="all", text="", check=f"clz_decide({number}, {tests})")
    return msgspec.structs.replace(loop, conditions=(one,))


def _described(loop: Loop) -> str:
    parts = [f"private {loop.private}", f"first {loop.first_private}", f"last {loop.last_private}"]
    parts += [f"reductions {loop.reductions}", f"inductions {loop.inductions}", f"rewrites {loop.rewrites}"]
    parts += [f"assumes {[(a.kind, a.text) for a in loop.assumptions]}"]
    parts += [f"if {[(c.kind, c.text, c.check) for c in loop.required]}"]
    return "\n  " + "\n  ".join(p for p in parts if not p.endswith((" ()", " []"))) + "\n"
