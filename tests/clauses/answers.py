"""What the public JSON says of loops: the only thing that these tests know of the analyser."""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

COMMAND = "import sys; from analyzer.command.start import main; sys.exit(main())"


class Assumption(msgspec.Struct, frozen=True):
    kind: str
    text: str


class Reduction(msgspec.Struct, frozen=True):
    variable: str
    operator: str
    reorders_fp: bool


class Induction(msgspec.Struct, frozen=True):
    variable: str
    start: str | None = None
    step: str | None = None
    value: str | None = None
    after: str | None = None
    type: str | None = None


class Place(msgspec.Struct, frozen=True):
    line: int
    column: int


class Rewrite(msgspec.Struct, frozen=True):
    kind: str
    object: str
    text: str
    clause: str | None = None
    operator: str | None = None
    type: str | None = None
    trip: str | None = None
    counter: str = "it"
    before: str | None = None
    extent: str | None = None
    pointers: tuple[str, ...] | None = ()
    places: tuple[Place, ...] | None = ()


class Condition(msgspec.Struct, frozen=True):
    """Of the answer where it has a `kind`; otherwise a branch."""

    kind: str | None = None
    text: str | None = None
    check: str | None = None


class Loop(msgspec.Struct, frozen=True):
    id: str
    function: str
    line: int
    column: int
    end_line: int
    parallel: str
    assumptions: tuple[Assumption, ...] = ()
    reductions: tuple[Reduction, ...] = ()
    private: tuple[str, ...] = ()
    first_private: tuple[str, ...] = ()
    last_private: tuple[str, ...] = ()
    inductions: tuple[Induction, ...] = ()
    rewrites: tuple[Rewrite, ...] = ()
    conditions: tuple[Condition, ...] = ()
    expansion: object | None = None
    variable: str | None = None
    step: str | None = None
    parent: str | None = None
    construct: str | None = None
    schedule: str | None = None

    @property
    def is_parallel(self) -> bool:
        return self.parallel in ("yes", "conditional")

    @property
    def required(self) -> tuple[Condition, ...]:
        """The conditions of the answer."""
        return tuple(c for c in self.conditions if c.kind is not None)


class _Diagnostic(msgspec.Struct, frozen=True):
    level: str
    line: int
    message: str


class _File(msgspec.Struct, frozen=True):
    path: str
    loops: tuple[Loop, ...]
    diagnostics: tuple[_Diagnostic, ...] = ()


class _Document(msgspec.Struct, frozen=True):
    files: tuple[_File, ...]


def answers(paths: Sequence[Path], options: Sequence[str] = ("--no-cache",)) -> dict[str, tuple[Loop, ...]]:
    """The loops of files by the name of the file, as `analyze -f json` tells them. RuntimeError where it fails."""
    return loops_of(report(paths, options))


def loops_of(json: bytes) -> dict[str, tuple[Loop, ...]]:
    """The loops of a report by the name of their file."""
    return {Path(f.path).name: f.loops for f in msgspec.json.decode(json, type=_Document).files}


def report(paths: Sequence[Path], options: Sequence[str] = ("--no-cache",)) -> bytes:
    """What `analyze -f json` writes about files. RuntimeError where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        document = Path(folder, "answers.json")
        command = [sys.executable, "-c", COMMAND, *map(str, paths), "-j", "1", "-f", f"json={document}", *options]
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=1800)
        if not document.exists():
            raise RuntimeError(f"exit {done.returncode}: {done.stderr}")
        made = document.read_bytes()
    found = msgspec.json.decode(made, type=_Document)
    errors = [f"{f.path}:{d.line}: {d.message}" for f in found.files for d in f.diagnostics if d.level == "error"]
    if done.returncode:
        raise RuntimeError(f"exit {done.returncode}: {'; '.join(errors) or done.stderr}")
    return made
