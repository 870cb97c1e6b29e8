"""Where a project begins, how its files are named to the user, and where it keeps a header."""

import os
from functools import cache
from pathlib import Path

from msgspec import Struct

from .tree import ending_with

_REPOSITORY = (".git", ".hg", ".svn")
_TOP_LEVEL = ("Makefile", "makefile", "CMakeLists.txt", "configure", "meson.build", "README", "README.md", "LICENSE")
MARKS = (*_REPOSITORY, *_TOP_LEVEL)
"""What in a directory says where a project begins."""
_LEVELS_WITHOUT_REPOSITORY = 4


class Project(Struct, frozen=True):
    """`shown_from`: paths are shown relative to it. `searched`: headers are looked for below it, and what lies outside
    is not the user's own code."""

    shown_from: Path
    searched: Path

    def name(self, path: str) -> str:
        """The path as the user sees it: relative to the repository root, with `/`; absolute outside of it."""
        return _shown(self.shown_from, path)

    def holds(self, path: str) -> bool:
        absolute = os.path.normpath(os.path.join(self.shown_from, path))
        return os.path.commonpath([absolute, self.searched]) == str(self.searched)

    def find(self, header: str, near: str) -> str | None:
        """The directory to give as `-I` so that `header` is found: the nearest to `near` inside the project."""
        header = os.path.normpath(header)
        if header.startswith("..") or os.path.isabs(header):
            return None
        found = [file[: -len(header) - 1] for file in ending_with(str(self.searched), header)]
        return min(found, key=lambda d: (_distance(near, d), d), default=None)


@cache
def _shown(start: Path, path: str) -> str:
    """Asked for every syntax node, so worth remembering."""
    absolute = os.path.normpath(os.path.join(start, path))
    inside = os.path.relpath(absolute, start)
    return Path(absolute if inside.startswith("..") else inside).as_posix()


def project_of(path: Path, root: Path | None) -> Project:
    """The project a file belongs to: the root given, else the repository around it, else a guess from what lies in
    the directories above it."""
    directory = path.resolve().parent
    if root is not None:
        return Project(root.resolve(), root.resolve())
    above = (directory, *directory.parents)
    for candidate in above:
        if any((candidate / mark).exists() for mark in _REPOSITORY):
            return Project(candidate, candidate)
    here = Path.cwd()
    shown = here if directory.is_relative_to(here) else directory
    return Project(shown, _outermost(directory))


def _outermost(directory: Path) -> Path:
    """The outermost of the next few directories that looks like the top of a source tree."""
    private = {Path.home().resolve(), Path(directory.anchor), Path(os.path.realpath("/tmp"))}
    found = directory
    for candidate in (directory, *directory.parents)[: _LEVELS_WITHOUT_REPOSITORY + 1]:
        if candidate in private:
            break
        if any((candidate / mark).exists() for mark in _TOP_LEVEL):
            found = candidate
    return found


def _distance(start: str, end: str) -> int:
    steps = os.path.relpath(end, start).split(os.sep)
    return 0 if steps == ["."] else len(steps)
