"""A whole run answered from the cache: the command line as it was typed, and what it wrote.

Asked before anything else of the program is loaded. Only a run that analysed files, met no trouble of ours and whose
every input is known is kept (`Recording`); what it wrote is written again, byte for byte.
"""

from __future__ import annotations

import os
import sys
import time

from .facts import ChangedError, Facts, Present, at_rest, merged
from .identity import identity, is_changed
from .store import Compressed, Store, default_folder, digest

TYPE_CHECKING = False  # `typing` alone takes as long to load as all the rest
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

OFF = "BOATHULL_NO_CACHE"
"""The environment variable that does what `--no-cache` does."""

COLOURS = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE")
"""Variables of the environment that say whether text has colours (`report.terminal`)."""


def folder_of(argv: Sequence[str]) -> str | None:
    """Where answers are kept: `--cache-dir`, else the user's own folder; None where nothing is to be kept."""
    if "--no-cache" in argv or os.environ.get(OFF):
        return None
    folder = default_folder()
    for word, following in zip(argv, [*argv[1:], ""], strict=False):
        option, equals, value = word.partition("=")
        if option == "--cache-dir":
            folder = value if equals else following
    return os.path.abspath(folder) if folder else None


def answered(argv: Sequence[str] | None) -> int | None:
    """Writes what the same run wrote before and gives its exit code; None where it has to be made."""
    started = time.perf_counter()
    words = sys.argv[1:] if argv is None else argv
    folder = folder_of(words)
    if folder is None or not os.path.isdir(folder):
        return None
    store = Store(folder)
    found = store.read(_key(words, store))
    if found is None:
        return None
    header, payload = found
    try:
        facts, said, summary, code = header["facts"], header["said"], str(header["summary"]), int(header["code"])
        outputs = list(_outputs(header["outputs"], payload, words))
    except (KeyError, TypeError, ValueError):
        return None
    if not Present().holds(facts) or not _written(outputs):
        return None
    if summary:
        print(f"analyze: {summary} in {time.perf_counter() - started:.2f} s (from the cache)", file=sys.stderr)
    for message in said:
        print(message, file=sys.stderr)
    return code


def _key(words: Sequence[str], store: Store) -> str:
    """The run as it was typed, and what decides how it is shown."""
    out = sys.stdout
    shown = [str(out.isatty()), str(out.encoding), str(sys.stderr.encoding)]
    shown += [os.environ.get(name, "") for name in COLOURS]
    if out.isatty():
        shown += [os.environ.get("TERM", ""), os.environ.get("COLUMNS", ""), str(_columns())]
    return digest("run", identity(store), str(len(words)), *words, *shown)


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ is not None else 1).columns
    except (OSError, ValueError, AttributeError):
        return 0


def _outputs(listed: Any, payload: bytes, words: Sequence[str]) -> Any:
    """(path, bytes) of each report. ValueError for a path that this command line does not name: whoever can write the
    cache is not to choose what we write."""
    at = 0
    for path, length in listed:
        if path is not None and not any(word.endswith(f"={path}") for word in words):
            raise ValueError(path)
        yield path, payload[at : at + length]
        at += length
    if at != len(payload):
        raise ValueError("length")


def _written(outputs: list[tuple[str | None, bytes]]) -> bool:
    """Files first: where one cannot be written, the run is made again and says so."""
    try:
        for path, data in outputs:
            if path is not None:
                with open(path, "wb") as file:
                    file.write(data)
    except OSError:
        return False
    for path, data in outputs:
        if path is None:
            sys.stdout.buffer.write(data)
            sys.stdout.flush()
    return True


class Recording:
    """What one run writes, to be kept at its end. `files`: what it reads besides sources (configuration, devices,
    baseline), those that are not there among them; `asked`: questions with the answers that it went by.
    `outputs`: path and length of what it writes, which is `written` one after the other."""

    def __init__(self) -> None:
        self.started_ns = time.time_ns()
        self.outputs: list[tuple[str | None, int]] = []
        self.written = Compressed()
        self.said: list[str] = []
        self.files: list[str] = []
        self.asked: list[list[Any]] = []

    def says(self, say: Callable[[str], None]) -> Callable[[str], None]:
        """`say`, overheard: what is said on standard error is part of the answer."""

        def overheard(message: str) -> None:
            self.said.append(message)
            say(message)

        return overheard

    def output(self, path: str | None) -> Callable[[bytes], None]:
        """Begins another output; what it gives takes that in pieces."""
        before = len(self.written)
        self.outputs.append((path, 0))

        def more(data: bytes) -> None:
            self.written.add(data)
            self.outputs[-1] = (path, len(self.written) - before)

        return more

    def keep(self, words: Sequence[str], folder: str, parts: Sequence[Facts], summary: str, code: int) -> str:
        """Keeps the run, of which `parts` are the facts of its sources; nothing where an input changed meanwhile.
        Says why nothing could be written, '' where all is well."""
        store = Store(folder)
        if is_changed():
            return ""
        try:
            files = {os.path.abspath(path): at_rest(path, self.started_ns) for path in self.files}
        except ChangedError:
            return ""
        header = {
            "facts": merged([*parts, {"files": files, "lookups": [], "programs": {}, "asked": self.asked}]),
            "said": self.said,
            "summary": summary,
            "code": code,
            "outputs": self.outputs,
        }
        store.write(_key(words, store), header, self.written)
        store.tidy()
        return store.trouble
