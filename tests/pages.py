"""Pages that run: what docs/*.md and README.md show of a terminal is what the commands print.

A page is read from top to bottom in one scratch folder that holds copies of `fixtures/` and `docs/tutorial/` (and of
`src/`, if it changes that):

    ```console          commands after `$ `, each followed by what it prints on standard output (`2>&1`: and errors);
                        a line `...` stands for any lines; `$ echo $?` shows the exit code of the command before it
    ```diff             a change of files, applied as `git apply` would
    ```LANGUAGE NAME    a file of that name, which is written

    python -m tests.pages              rewrites what has changed: whole blocks, and the lines between two `...`
    python -m tests.pages docs/a.md    of one page

Commands that are not ours run in a shell. A page whose commands need a program that is not there cannot run."""

import contextlib
import difflib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
COPIED = ("fixtures", "docs/tutorial")
CHANGES_US = re.compile(r"^\+\+\+ b/src/", re.MULTILINE)
"""A page that changes the program itself runs it from a copy."""
_BLOCK = re.compile(r"^```(\w+)(?: ([^\s=]+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_OURS = {"analyze": "analyzer.command.cli", "boathull": "models.cli"}
"""Our commands, and the module of each that has its `main`."""
_SHELL = re.compile(r"[|<>;&*]")


class Block(NamedTuple):
    """A fenced block: its language, the file name after it ('' without), its text and where that begins."""

    language: str
    name: str
    text: str
    start: int


class Step(NamedTuple):
    """One command of a page, as it is written there and as one line, what the page shows of its output, and what it
    printed."""

    written: str
    command: str
    shown: str
    printed: str = ""


def pages() -> list[Path]:
    """The pages that show a terminal."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [page for page in found if any(b.language == "console" for b in blocks(page.read_text(encoding="utf-8")))]


def blocks(text: str) -> Iterator[Block]:
    for match in _BLOCK.finditer(text):
        yield Block(match[1], match[2] or "", match[3], match.start(3))


def programs(text: str) -> set[str]:
    """The programs that must be installed for a page's commands, ours aside."""
    found = (step.command for block in blocks(text) if block.language == "console" for step in steps(block.text))
    names = {shlex.split(command)[0] for command in found} - {*_OURS, "cd", "echo", "cp", "rm", "ls", "cat"}
    return {name for name in names if "/" not in name}


def steps(console: str) -> list[Step]:
    """The commands of a console block, each with the lines after it. A backslash continues a command."""
    found: list[tuple[list[str], list[str]]] = []
    for line in console.splitlines():
        if line.startswith("$ "):
            found.append(([line], []))
        elif not found[-1][1] and found[-1][0][-1].endswith("\\"):
            found[-1][0].append(line)
        else:
            found[-1][1].append(line)
    return [
        Step("\n".join(lines), " ".join(line.rstrip("\\").strip() for line in lines)[2:], "\n".join(shown))
        for lines, shown in found
    ]


def matches(shown: str, printed: str) -> bool:
    """Whether a text is what a page shows of it: equal but for trailing spaces and where the page has `...`."""
    parts = [r"(?:.*\n)*" if line.strip() == "..." else re.escape(line.rstrip()) + "\n" for line in shown.splitlines()]
    return re.fullmatch("".join(parts), _lines(printed)) is not None


def _lines(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.rstrip("\n").splitlines())


def run(text: str, folder: Path) -> Iterator[Step]:
    """Runs a page in a folder. AssertionError for a command that fails without the page showing that."""
    changed = CHANGES_US.search(text) is not None
    for name in (*COPIED, "src") if changed else COPIED:
        shutil.copytree(ROOT / name, folder / "boathull" / name)  # with what Python has compiled, which saves seconds
    terminal = Terminal(folder / "boathull", folder / "boathull" / "src" if changed else None)
    for block in blocks(text):
        if block.language == "diff":
            _patched(terminal.folder, block.text)
        elif block.name:
            (terminal.folder / block.name).write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            yield from _console(block, terminal)


def _patched(folder: Path, diff: str) -> None:
    """Applies a diff. AssertionError where a hunk is longer than its head says: git would leave out the rest."""
    found = subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "--numstat", "--apply", "-"],
        cwd=folder,
        input=diff.encode(),
        capture_output=True,
    )
    assert found.returncode == 0, f"{found.stderr.decode()}{diff}"
    applied = sum(int(line.split("\t")[0]) for line in found.stdout.decode().splitlines())
    assert applied == len(re.findall(r"^\+(?!\+\+ )", diff, re.MULTILINE)), diff


def _console(block: Block, terminal: "Terminal") -> Iterator[Step]:
    found = steps(block.text)
    for number, step in enumerate(found):
        printed = terminal.run(step.command)
        expected = number + 1 < len(found) and found[number + 1].command == "echo $?"
        assert terminal.code == 0 or expected, f"$ {step.command}\n{printed}{terminal.errors}exit {terminal.code}"
        yield step._replace(printed=printed)


class Terminal:
    """Where commands run one after another: a folder, and the exit code of the last one. `ours`: the source of our
    commands, where it is not that of this process."""

    def __init__(self, folder: Path, ours: Path | None = None) -> None:
        self.folder, self.code, self.errors, self.in_process = folder, 0, "", ours is None
        made = folder.parent / ".bin"
        made.mkdir()
        for name, module in _OURS.items():
            start = f"from {module} import main; raise SystemExit(main())"
            (made / name).write_text(f'#!/bin/sh\nexec {sys.executable} -c "{start}" "$@"\n')
            (made / name).chmod(0o755)
        paths = {"PATH": f"{made}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ours or ROOT / "src")}
        who = {f"GIT_{role}_{what}": "page" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        self.environment = os.environ | paths | who | {"LC_ALL": "C.UTF-8", "COLUMNS": "80"}
        self.environment |= {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}  # machines are shared

    def run(self, command: str) -> str:
        """What a command prints, without the name of the scratch folder; `code` is its exit code afterwards."""
        return self._ran(command).replace(f"{self.folder}/", "")

    def _ran(self, command: str) -> str:
        if command == "echo $?":
            shown, self.code = f"{self.code}\n", 0
            return shown
        words = shlex.split(command)
        if words[0] == "cd":
            self.folder = (self.folder / words[1]).resolve()
            return ""
        merged = words[-1] == "2>&1"
        words = words[:-1] if merged else words
        plain = re.sub(r"'[^']*'", "", command.removesuffix("2>&1"))
        if self.in_process and words[0] in _OURS and not _SHELL.search(plain):
            return self._ours(words, merged)
        ran = subprocess.run(command, shell=True, cwd=self.folder, env=self.environment, capture_output=True)
        self.code, self.errors = ran.returncode, ran.stderr.decode()
        return ran.stdout.decode()

    def _ours(self, words: list[str], merged: bool) -> str:
        """In this process, which has imported everything already."""
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        err = out if merged else io.StringIO()
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            self.code = _main(words[0])(words[1:])
        self.errors = "" if merged else str(err.getvalue())  # type: ignore[attr-defined]
        return out.buffer.getvalue().decode()  # type: ignore[attr-defined]


def _main(name: str) -> Callable[[list[str]], int]:
    main: Callable[[list[str]], int] = import_module(_OURS[name]).main
    return main


def renewed(shown: str, printed: str) -> str:
    """What a page should show now: all of it, or, where it has `...`, the lines that are most like those shown."""
    lines = _lines(printed).splitlines()
    if matches(shown, printed):
        return shown
    if "..." not in {line.strip() for line in shown.splitlines()}:
        return "\n".join(lines)
    made: list[str] = []
    at = 0
    for is_gap, stretch in _stretches(shown):
        if is_gap:
            made += stretch
            continue
        found = max(
            range(at, max(at, len(lines) - len(stretch)) + 1),
            key=lambda k: sum(map(_likeness, lines[k : k + len(stretch)], stretch)),
        )
        made += lines[found : found + len(stretch)]
        at = found + len(stretch)
    return "\n".join(made)


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other).ratio()


def _stretches(shown: str) -> Iterator[tuple[bool, list[str]]]:
    stretch: list[str] = []
    for line in shown.splitlines():
        if line.strip() == "...":
            if stretch:
                yield False, stretch
            yield True, [line]
            stretch = []
        else:
            stretch.append(line)
    if stretch:
        yield False, stretch


def rewrite(page: Path) -> bool:
    """Runs a page and writes it anew where what it shows has changed."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        found = run(text, Path(folder))
        made = _BLOCK.sub(lambda match: _rewritten(match, found), text)
    page.write_text(made, encoding="utf-8")
    return made != text


def _rewritten(match: re.Match[str], found: Iterator[Step]) -> str:
    if match[1] != "console":
        return match[0]
    ran = [next(found) for _ in steps(match[3])]
    lines = (line for step in ran for line in (step.written, renewed(step.shown, step.printed)) if line)
    shown = "".join(f"{line}\n" for line in lines)
    return f"```console\n{shown}```"


if __name__ == "__main__":
    for path in [Path(name) for name in sys.argv[1:]] or pages():
        print(f"{path.name}: {'rewritten' if rewrite(path) else 'as it was'}")
