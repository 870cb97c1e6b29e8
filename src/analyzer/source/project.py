"""Where a project begins, how its files are named to the user, and where it keeps a header."""

import os
from functools import cache
from pathlib import Path

from msgspec import Struct

from .tree import ending_with

_REPOSITORY = (".git", ".hg", ".svn")
_TOP_LEVEL = ("Makefile", "makefile", "CMakeLists.txt", "configure", "meson.build", "README", "README.md", "LICENSE")
_FOLDERS = ("include", "inc")
MARKS = (*_REPOSITORY, *_TOP_LEVEL, *_FOLDERS)
"""What in a directory says where a project begins."""
_LEVELS_WITHOUT_REPOSITORY = 4


class Project(Struct, frozen=True):
    """`shown_from`: paths are shown relative to it. `directory`: of the file, which relative paths of `#line` are meant
    from. `roots`: the trees that the file lies in, the innermost repository first, and `others` that were given with
    it: headers are looked for below them in that order, and what lies outside is not the user's own code."""

    shown_from: str
    directory: str
    roots: tuple[str, ...]
    others: tuple[str, ...] = ()

    @property
    def searched(self) -> str:
        """The tree whose build the file is part of."""
        return self.roots[0]

    @property
    def trees(self) -> tuple[str, ...]:
        """All of them, in the order in which they are searched."""
        return (*self.roots, *self.others)

    def name(self, path: str) -> str:
        """The path as the user sees it: relative to the working directory (`../x.c` where needed), with `/`. A file has
        one name, however it is reached, and no other file has it."""
        return _shown(self.shown_from, self.located(path))

    def located(self, path: str) -> str:
        """The absolute path that the preprocessor means: its own are, those of `#line` may not be."""
        return path if os.path.isabs(path) else _renamed(self.directory, self.roots[0], path)

    def in_tree(self, path: str) -> str:
        """The path in the words of a message, which are the same wherever the command runs: from the top of the tree
        that the file lies in."""
        return shown(path, self.roots[0])

    def holds(self, path: str) -> bool:
        """Whether the file is of the user's own code."""
        return _holds(self.trees, self.directory, path)

    def find(self, header: str, near: str) -> str | None:
        """The directory to give as `-I` so that `header` is found: the nearest to `near` in the first tree that has
        one."""
        header = os.path.normpath(header)
        if header.startswith("..") or os.path.isabs(header):
            return None
        for tree in self.trees:
            found = [file[: -len(header) - 1] for file in ending_with(tree, header)]
            if found:
                return min(found, key=lambda d: (_distance(near, d), d))
        return None


@cache
def _shown(start: str, path: str) -> str:
    """Asked for every syntax node, so worth remembering."""
    return shown(path, start)


def shown(path: str | Path, start: str | None = None) -> str:
    """The name of a file in reports: where it really lies, seen from `start` (default: the working directory).

    Example: `shown("/p/lib/../lib/x.c", "/p/src")` is `../lib/x.c`."""
    real = os.path.realpath(path)
    try:
        seen = os.path.relpath(real, start or os.getcwd())
    except ValueError:  # another drive
        seen = real
    return seen.replace(os.sep, "/")


@cache
def names_file(written: str, path: str) -> bool:
    """Whether what somebody wrote means the file of this path: the way to it from the working directory, or the end of
    its absolute path (not where it begins with `/`, `./` or `../`).

    Example: `names_file("src/a.c", "../src/a.c")`."""
    real = os.path.realpath(path)
    if real == os.path.realpath(written):
        return True
    is_end = not os.path.isabs(written) and not written.startswith((f".{os.sep}", f"..{os.sep}"))
    return is_end and real.endswith(os.sep + os.path.normpath(written))


@cache
def _renamed(directory: str, top: str, path: str) -> str:
    """The file that a relative `#line "gram.y"` names: generators ran in the folder of the file, or above it."""
    here = directory
    while True:
        candidate = os.path.join(here, path)
        if os.path.exists(candidate):
            return candidate
        if here == top or os.path.dirname(here) == here:
            return os.path.join(directory, path)
        here = os.path.dirname(here)


@cache
def _holds(trees: tuple[str, ...], directory: str, path: str) -> bool:
    """By its name or, behind links, by where it really lies."""
    written = os.path.normpath(os.path.join(directory, path))
    return any(is_below(place, tree) for place in (written, os.path.realpath(written)) for tree in trees)


def is_below(path: str, folder: str) -> bool:
    """Whether an absolute path lies in the folder, or is it."""
    return path == folder or path.startswith(folder if folder.endswith(os.sep) else folder + os.sep)


def project_of(path: Path, root: Path | None, given: tuple[str, ...] = ()) -> Project:
    """The project of a file: the root given, else the repository around it, else a guess from what lies in the
    directories above; and the directories that the run was `given`."""
    directory = os.path.dirname(os.path.realpath(path))
    if root is not None:
        top = os.path.realpath(root)
        return Project(top, directory, (top,))
    top = repository_around(directory) or _widest(_outermost(Path(directory)), directory, given)
    around = sorted((g for g in given if is_below(directory, g) and not is_below(g, top)), key=len, reverse=True)
    others = sorted(g for g in given if not is_below(directory, g) and not is_below(g, top))
    return Project(os.getcwd(), directory, (top, *around), tuple(others))


def _widest(guess: str, directory: str, given: tuple[str, ...]) -> str:
    """The guess, or a directory around it that the run was given."""
    return min((guess, *(g for g in given if is_below(directory, g))), key=len)


def repository_around(directory: str) -> str | None:
    """The top of the innermost repository that the directory is in."""
    for candidate in (directory, *map(str, Path(directory).parents)):
        if any(os.path.exists(os.path.join(candidate, mark)) for mark in _REPOSITORY):
            return candidate
    return None


def _outermost(directory: Path) -> str:
    """The outermost of the next few directories that looks like the top of a source tree."""
    shared = ("/tmp", "/usr", "/usr/local", "/opt")
    private = {Path.home().resolve(), Path(directory.anchor), *(Path(os.path.realpath(place)) for place in shared)}
    found = directory
    for candidate in (directory, *directory.parents)[: _LEVELS_WITHOUT_REPOSITORY + 1]:
        if candidate in private:
            break
        if any((candidate / mark).exists() for mark in (*_TOP_LEVEL, *_FOLDERS)):
            found = candidate
    return str(found)


def _distance(start: str, end: str) -> int:
    steps = os.path.relpath(end, start).split(os.sep)
    return 0 if steps == ["."] else len(steps)
