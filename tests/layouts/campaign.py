"""Random source trees against the command, in this process: `python -m tests.layouts.campaign -n 300 --seed 1`."""

import argparse
import contextlib
import io
import os
import random
import sys
import tempfile
from pathlib import Path

from analyzer.command.cli import main as analyze

from .checks import troubles
from .generated import Layout, layout


class _Bytes(io.StringIO):
    """Standard output that takes bytes, too."""

    encoding = "utf-8"

    @property
    def buffer(self) -> "_Bytes":
        return self

    def write(self, text: str | bytes) -> int:  # type: ignore[override]
        return super().write(text if isinstance(text, str) else text.decode("utf-8", "surrogateescape"))


def run(directory: Path, *arguments: object) -> tuple[int, str, str]:
    """The command in a directory."""
    before = os.getcwd()
    out, err = _Bytes(), io.StringIO()
    os.chdir(directory)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = analyze([str(argument) for argument in arguments])
    finally:
        os.chdir(before)
    return code, out.getvalue(), err.getvalue()


def choices(made: Layout, seed: int) -> tuple[list[Path], list[Path]]:
    """Paths to give (the whole tree, or several parts of it that may overlap), and directories to run in."""
    rng = random.Random(-seed)
    given = [made.top]
    if rng.random() < 0.5:
        parts = [*made.folders[1:], *made.files, *made.links]
        given = [made.top / "none"] if not parts else rng.sample(parts, min(len(parts), rng.randint(1, 3)))
        if not made.expected(given):
            given = [made.top]
    directories = [made.top, *rng.sample(made.folders, min(2, len(made.folders))), made.top.parent]
    return given, list(dict.fromkeys(directories))


def tried(folder: Path, seed: int) -> list[str]:
    """What is wrong with the tree of this seed."""
    made = layout(folder, seed)
    given, directories = choices(made, seed)
    return list(troubles(made, given, directories, run)) if made.expected(given) else []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    wrong = 0
    for seed in range(arguments.seed, arguments.seed + arguments.n):
        with tempfile.TemporaryDirectory() as folder:
            top = Path(folder, "tree").resolve()
            top.mkdir()
            found = tried(top, seed)
        wrong += bool(found)
        for line in found:
            print(f"seed {seed}: {line}")
    print(f"{arguments.n} trees, {wrong} with trouble")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
