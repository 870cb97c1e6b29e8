"""The inputs of a run besides sources and headers, checked before a cached output is printed again."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from models.catalogue import native_file

from ..report.document import Document
from ..selection.filters import Selection
from ..settings.config import FILES, Settings
from ..settings.discovery import STDIN, Found
from ..settings.facts import FACTS
from .facts import Facts, lines
from .replay import Recording
from .store import digest


class Made(Struct, frozen=True):
    """A document, the exit code, what was done in words, the files that were found for it (None: none was looked for),
    and what the results in it rest on (None: of some that is not known)."""

    document: Document
    code: int
    summary: str
    found: Found | None
    facts: tuple[Facts, ...] | None


def from_cache(number: int, total: int) -> str:
    """How many of the files were not analysed, in words."""
    return "" if not number else " (from the cache)" if number == total else f" ({number} of them from the cache)"


def keep(
    recording: Recording,
    words: Sequence[str],
    folder: str,
    made: Made,
    arguments: argparse.Namespace,
    chosen: Settings,
    start: Path,
    selection: Selection | None,
) -> None:
    """The run as a whole, for the next one with the same words. `start`: where the search for a configuration began."""
    if made.facts is None or not _can_be_repeated(arguments, chosen):
        return
    recording.files = files_read(start, chosen) + _commit(made.document)
    recording.asked = _questions(arguments, chosen, start, selection, made.found)
    recording.keep(words, folder, made.facts, made.summary, made.code)


def _commit(document: Document) -> list[str]:
    """The files that say which commit is checked out, where the reports do."""
    if document.revision is None:
        return []
    from ..selection.repository import top_of_document
    from ..selection.revision import says_which

    return says_which(top_of_document(document))


def _can_be_repeated(arguments: argparse.Namespace, chosen: Settings) -> bool:
    """Whether a run is one that the same words would repeat: not of standard input, of profiles (which are of a time),
    one that writes more than its reports, or a part that depends on the sizes of all files."""
    again = (arguments.from_json, arguments.merge, arguments.shard)
    once = (*again, arguments.why, arguments.write_baseline, arguments.profile)
    return STDIN not in arguments.paths and not any(once) and not chosen["profile"]


def files_read(start: Path, chosen: Settings) -> list[str]:
    """Configuration and facts, in all places where they would be found first; device files; the baseline."""
    configuration = []
    origins = frozenset(chosen.origin.values())
    for folder in (start.resolve(), *start.resolve().parents):
        here = [str(folder / name) for name in FILES]
        configuration += here
        if not origins.isdisjoint(here):
            break
    devices = [name for name in (chosen["host"], *chosen["target"]) if name.endswith(".toml")]
    said = [str(folder / FACTS) for folder in (start.resolve(), *start.resolve().parents)]
    named = [*chosen["facts"], *([] if chosen["baseline"] is None else [chosen["baseline"]])]
    return [*configuration, *said, *devices, str(native_file()), *named]


def _questions(
    arguments: argparse.Namespace, chosen: Settings, start: Path, selection: Selection | None, found: Found | None
) -> list[list[Any]]:
    """Which files were found in the folders that are analysed, and which lines git said were changed."""
    asked: list[list[Any]] = []
    if any(os.path.isdir(path) for path in arguments.paths):
        folder = chosen.folder("exclude")
        asked.append(["inputs", [arguments.paths, list(chosen["exclude"]), folder], digest(repr(found))])
    if selection is not None and (arguments.changed_since is not None or arguments.staged or arguments.hook):
        kind = "since" if arguments.changed_since is not None else "staged" if arguments.staged else "hook"
        asked.append(["changed", [kind, str(start), arguments.changed_since], lines(selection.changed)])
    return asked
