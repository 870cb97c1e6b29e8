"""The conditional loops of a program, with what the public JSON says of their conditions."""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

COMMAND = "import sys; from analyzer.command.start import main; sys.exit(main())"
DIVIDES = re.compile(r"omp\b.*\b(for|distribute|taskloop|loop)\b|acc\b.*\b(loop|parallel|kernels)\b")
"""A pragma that divides the iterations of a loop."""

OF_LINES = ("cold", "no-exit")
"""Conditions on lines that are not reached: their text is the lines."""


class Pragma(msgspec.Struct, frozen=True):
    text: str


class Condition(msgspec.Struct, frozen=True):
    """Of the answer where it has a `kind`; otherwise a branch."""

    kind: str | None = None
    text: str | None = None
    check: str | None = None

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines that are not to be reached, of this file. Example: `cold(12,40)` has 12 and 40."""
        names = (self.text or "").split(",") if self.kind in OF_LINES else []
        return tuple(int(name) for name in names if name.isdigit())


class Loop(msgspec.Struct, frozen=True):
    id: str
    line: int
    column: int
    parallel: str
    conditions: tuple[Condition, ...] = ()
    pragmas: tuple[Pragma, ...] = ()
    expansion: object | None = None

    @property
    def required(self) -> tuple[Condition, ...]:
        """The conditions of the answer."""
        return tuple(c for c in self.conditions if c.kind is not None)

    @property
    def is_divided(self) -> bool:
        """Whether somebody has divided the iterations of the loop already."""
        return any(DIVIDES.match(pragma.text) for pragma in self.pragmas)


class _File(msgspec.Struct, frozen=True):
    path: str
    loops: tuple[Loop, ...]


class _Document(msgspec.Struct, frozen=True):
    files: tuple[_File, ...]


class AnalysisError(Exception):
    """The command gave no answers."""


def conditional(root: Path, words: Sequence[str]) -> dict[Path, tuple[Loop, ...]]:
    """The conditional loops of each file below `root`; `words`: arguments of `analyze`, which takes one program."""
    with tempfile.TemporaryDirectory() as folder:
        document = Path(folder, "answers.json")
        command = [sys.executable, "-c", COMMAND, *words, "-f", f"json={document}"]
        done = subprocess.run(command, cwd=root, check=False, capture_output=True, text=True)
        if not document.exists():
            raise AnalysisError(f"exit {done.returncode}: {done.stderr}")
        return dict(read(document.read_bytes(), root))


def read(document: bytes, root: Path) -> Iterator[tuple[Path, tuple[Loop, ...]]]:
    """Paths are relative to `root`, where the command ran; what stands outside of it is not the program's."""
    for file in msgspec.json.decode(document, type=_Document).files:
        path = (root / file.path).resolve()
        loops = tuple(loop for loop in file.loops if loop.parallel == "conditional")
        if loops and path.is_relative_to(root):
            yield path, loops
