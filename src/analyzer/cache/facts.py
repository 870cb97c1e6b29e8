"""What an answer rests on, and whether it still holds.

    Facts ::= files    {path: [hash or null (it is no file), stamp or null]}
              lookups  [[folders, {name: mask}]]     bit i of the mask: folders[i] has a file of that name
              programs {path: [real path, size, time of change]}
              asked    [[question, arguments, hash of the answer, source?]]     source: path, hash and stamp of a file;
                       while that is the same, so is the answer

Facts are plain JSON. A stamp (size, times of change, inode) that is the same saves reading the file: no one can change
a file without its time of inode change going forward, and stamps are only taken of files that had been at rest when the
work began. Elsewhere than on POSIX files are always read.
"""

from __future__ import annotations

import os
import stat
import time

from .identity import which
from .store import digest

TYPE_CHECKING = False  # `typing` alone takes as long to load as all the rest
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    Facts: TypeAlias = dict[str, Any]
else:
    Facts = dict

_TICK_NS = 20_000_000
"""Clocks of file systems move in ticks of up to 10 ms; some know only whole seconds, or every second one."""
_COARSE_TICK_NS = 3_000_000_000


class ChangedError(Exception):
    """A file changed while the answer was being worked out, so that it is not known what the answer is of."""


class Present:
    """The state of the machine now. Remembers what it looked at: one for each run. `together`: the files of the run
    that calls may lead to; None: those of the run that is looked up."""

    def __init__(self, together: tuple[str, ...] | None = None) -> None:
        self.together = together
        self._exists: dict[str, bool] = {}
        self._same: dict[tuple[str, str], bool] = {}

    def holds(self, facts: Facts) -> bool:
        """Whether everything is as the facts say; facts that cannot be read do not hold."""
        try:
            return (
                all(self._is_file(path, *known) for path, known in facts["files"].items())
                and all(self._looks_up(folders, names) for folders, names in facts["lookups"])
                and all(program(path) == known for path, known in facts["programs"].items())
                and all(self._says(*question) for question in facts["asked"])
            )
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, OSError):
            return False

    def _is_file(self, path: str, known: str | None, stamp: list[int] | None) -> bool:
        key = (path, known or "")
        if key not in self._same:
            self._same[key] = (stamp is not None and stamp == stamp_of(path)) or content(path) == known
        return self._same[key]

    def _looks_up(self, folders: list[str], names: dict[str, int]) -> bool:
        return all(self.mask(folders, name) == mask for name, mask in names.items())

    def mask(self, folders: list[str], name: str) -> int:
        """Bit i: `folders[i]` has an entry of that name."""
        found = 0
        for index, folder in enumerate(folders):
            path = f"{folder}/{name}"
            exists = self._exists.get(path)
            if exists is None:
                exists = self._exists[path] = os.access(path, os.F_OK)
            found |= exists << index
        return found

    def _says(self, question: str, arguments: list[Any], known: str, source: list[Any] | None = None) -> bool:
        if source is not None and self._is_file(*source):
            return True
        if question == "defined" and self.together is not None:
            arguments = [arguments[0], arguments[1], list(self.together)]
        return bool(QUESTIONS[question](*arguments) == known)


def merged(parts: list[Facts]) -> Facts:
    """Facts that hold where all of the parts do."""
    files: dict[str, Any] = {}
    programs: dict[str, Any] = {}
    lookups: dict[tuple[str, ...], dict[str, int]] = {}
    asked: dict[str, list[Any]] = {}
    for part in parts:
        files.update(part["files"])
        programs.update(part["programs"])
        for folders, names in part["lookups"]:
            lookups.setdefault(tuple(folders), {}).update(names)
        asked.update((repr(question[:2]), question) for question in part["asked"])
    # where all files of the run are as they were, so is what they define
    asked = {key: q for key, q in asked.items() if q[0] != "defined" or not files.keys() >= set(q[1][2])}
    return {
        "files": files,
        "lookups": [[list(folders), names] for folders, names in lookups.items()],
        "programs": programs,
        "asked": list(asked.values()),
    }


# --- files


def stamp_of(path: str) -> list[int] | None:
    """None where the times of a file cannot be relied on, or there is none."""
    try:
        seen = os.stat(path)
    except OSError:
        return None
    if os.name != "posix":
        return None
    return [seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino]


def content(path: str) -> str | None:
    """The hash of what a file holds; None for what is no file. Files that are at rest are read once in a process."""
    stamp = stamp_of(path)
    if stamp is not None and _READ.get(path, (None, None))[0] == stamp:
        return _READ[path][1]
    try:
        seen = os.stat(path)
        if not stat.S_ISREG(seen.st_mode):
            return None
        with open(path, "rb") as file:
            found = digest(file.read())
    except OSError:
        return None
    if stamp is not None and seen.st_ctime_ns < time.time_ns() - _COARSE_TICK_NS and stamp == stamp_of(path):
        _READ[path] = stamp, found
    return found


_READ: dict[str, tuple[list[int], str]] = {}


def at_rest(path: str, since_ns: int) -> list[Any]:
    """Hash and stamp of a file as it is now, and was at `since_ns` (of 1970). ChangedError if it may not have been."""
    try:
        changed = os.stat(path).st_ctime_ns if os.name == "posix" else os.stat(path).st_mtime_ns
    except OSError:
        return [None, None]
    tick = _COARSE_TICK_NS if changed % 1_000_000_000 == 0 else _TICK_NS
    stamp = stamp_of(path)
    known = content(path)
    if changed > since_ns - tick or stamp != stamp_of(path):
        raise ChangedError(path)
    return [known, stamp]


# --- programs and questions


def program(path: str) -> list[Any] | None:
    """What tells one compiler from another: where the path leads, size and time. A package that is installed again has
    the same time; one that is upgraded has not."""
    try:
        seen = os.stat(path)
    except OSError:
        return None
    return [os.path.realpath(path), seen.st_size, seen.st_mtime_ns]


def compiler(wanted: str | None) -> str:
    """Which compiler preprocesses."""
    return digest(which(wanted) or "")


def place(path: str) -> str:
    """Where a path leads: reports show that."""
    return digest(os.path.realpath(path))


def tree(root: str, header: str) -> str:
    """Which headers of that name lie in a source tree, and which templates of such, and how its build is described."""
    from ..source.tree import build_files, ending_with, templates

    return digest(*ending_with(root, header), *templates(root, header), *build_files(root))


def flags(database: str, source: str) -> str:
    """What a compilation database says of one file."""
    from ..source.flags import read_database

    return digest(repr(read_database(database).get(source)))


def defined(called: list[str], path: str, together: list[str]) -> str:
    """Which files of a run seem to define functions that the file at `path` calls and does not define, and which of
    these seem to allocate or release memory."""
    from ..source.where_defined import WhereDefined

    others = WhereDefined(file for file in together if file != path)
    return digest(repr((others.candidates(called), sorted(others.managers(called)))))


def inputs(paths: list[str], exclude: list[str], folder: str | None) -> str:
    """Which C files lie in the folders that are to be analysed, and what else is said of these."""
    from ..base.errors import InputError
    from ..settings.discovery import find_files

    try:
        return digest(repr(find_files(paths, tuple(exclude), folder)))
    except InputError:
        return ""


def changed(kind: str, start: str, ref: str | None) -> str:
    """Which lines a working copy has changed."""
    from pathlib import Path

    from ..base.errors import InputError
    from ..selection.changes import changed_since, for_hook, staged

    try:
        match kind:
            case "since":
                return lines(changed_since(Path(start), ref or ""))
            case "staged":
                return lines(staged(Path(start)))
            case _:
                return lines(for_hook(Path(start)))
    except InputError:
        return ""


def lines(found: object) -> str:
    """The answer to `changed`, where the lines are known."""
    return digest(repr(found))


QUESTIONS: dict[str, Callable[..., str]] = {
    "compiler": compiler,
    "place": place,
    "tree": tree,
    "flags": flags,
    "inputs": inputs,
    "defined": defined,
    "changed": changed,
}
