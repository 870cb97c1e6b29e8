"""Which files a run reads: the paths of the command line, directories searched for `.c` files.

A file that is named is always taken. In directories `.gitignore` files and `--exclude` patterns are respected, hidden
directories are passed over and links to directories are not followed. Order: as given, directories by name. A file that
is reached by several names is taken once.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ..base.errors import InputError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

STDIN = "-"
_SHOWN = 3
OTHER_LANGUAGES = {
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx"), "C++"),
    **dict.fromkeys((".cu", ".cuh"), "CUDA"),
    **dict.fromkeys((".f", ".for", ".f77", ".f90", ".f95", ".f03", ".f08"), "Fortran"),
    ".cl": "OpenCL",
    ".hip": "HIP",
    ".ispc": "ISPC",
}


class Found(Struct, frozen=True):
    """`files`: those to read; `skipped`: the number of others by language; `empty`: directories without a C file, and
    `unread` those that could not be read; `idle`: patterns that left out nothing."""

    files: tuple[Path, ...]
    skipped: Mapping[str, int]
    empty: tuple[str, ...]
    unread: tuple[str, ...]
    idle: tuple[str, ...]

    def remarks(self) -> Iterator[str]:
        """What is not as whoever typed the paths may think; not of patterns, which may be of a configuration file."""
        if self.skipped:
            counts = ", ".join(f"{number} {language}" for language, number in sorted(self.skipped.items()))
            number = sum(self.skipped.values())
            files = "file of another language is" if number == 1 else "files of other languages are"
            yield f"{number} {files} not read ({counts}); only C is (*.c)"
        if self.empty:
            yield f"no C files (*.c) in {_listed(self.empty)}"
        if self.unread:
            yield f"{_listed(self.unread)} cannot be read"


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


def find_files(paths: Iterable[str], exclude: tuple[str, ...] = (), folder: str | None = None) -> Found:
    """The C files to analyse, each once. `folder`: of the configuration file that the patterns are from (None: typed).
    InputError for a path that does not exist or is a file of another language, and where there is no file."""
    found: dict[str, Path] = {}
    walk = _Walk(exclude, os.getcwd() if folder is None else folder)
    empty = []
    for text in paths:
        path = Path(text)
        if path.is_dir():
            inside = list(walk.files(path))
            for file in inside:
                found.setdefault(os.path.realpath(file), file)
            if not inside:
                empty.append(text)
        elif path.exists() or path.is_symlink():
            language = OTHER_LANGUAGES.get(path.suffix.lower())
            if language is not None:
                raise InputError(f"{text}: {language} is not read; give C files (*.c) or directories that hold some")
            found.setdefault(os.path.realpath(path), path)
        else:
            raise InputError(f"{text}: no such file or directory{_near(path)}")
    if not found:
        places = ", ".join(empty) or "the given paths"
        others = f" ({', '.join(sorted(walk.skipped))} is there, and not read)" if walk.skipped else ""
        raise InputError(f"no C files (*.c) in {places}{others}; check the path, .gitignore and --exclude")
    idle = tuple(pattern for pattern, used in walk.used.items() if not used)
    return Found(tuple(found.values()), dict(walk.skipped), tuple(empty), tuple(walk.unread), idle)


def _near(path: Path) -> str:
    """Names in the same directory that look alike."""
    import difflib

    try:
        names = sorted(name for name in os.listdir(path.parent) if not name.startswith("."))
    except OSError:
        return ""
    near = difflib.get_close_matches(path.name, names, n=_SHOWN, cutoff=0.6)
    return f"; did you mean {', '.join(str(path.parent / name) for name in near)}?" if near else ""


class _Walk:
    """A search of directories, and what it passed over. Patterns are seen from the directory that is searched, and from
    `folder`, where they were written."""

    def __init__(self, exclude: tuple[str, ...], folder: str) -> None:
        self.folder = Path(folder).resolve()
        self.exclude = exclude
        self.used = {pattern: pattern.startswith(("!", "#")) or not pattern.strip() for pattern in exclude}
        self.skipped: Counter[str] = Counter()
        self.unread: list[str] = []
        self.seen: set[str] = set()

    @cached_property
    def all(self) -> "GitIgnoreSpec":
        from pathspec import GitIgnoreSpec  # no run of single files needs it

        return GitIgnoreSpec.from_lines(self.exclude)

    @cached_property
    def each(self) -> "dict[str, GitIgnoreSpec]":
        from pathspec import GitIgnoreSpec

        return {pattern: GitIgnoreSpec.from_lines([pattern]) for pattern in self.exclude}

    def files(self, top: Path) -> Iterator[Path]:
        ignores: dict[Path, GitIgnoreSpec] = {}
        inner: list[Path] = []
        """Repositories inside, of which each has rules of its own."""
        start = top.resolve()
        for above in _above(start):
            _read_ignores(above, ignores)
        for folder, folders, files in os.walk(top, onerror=lambda error: self.unread.append(str(error.filename))):
            here = Path(folder).resolve()
            if here != start and (here / ".git").exists():
                inner.append(here)
            around = next((top for top in reversed(inner) if here.is_relative_to(top)), None)
            _read_ignores(here, ignores)

            def kept(name: str, is_folder: bool, here: Path = here, around: Path | None = around) -> bool:
                path = here / name
                slash = "/" if is_folder else ""
                if self._excluded(path, start, slash):
                    return False
                specs = (
                    (base, spec)
                    for base, spec in ignores.items()
                    if path.is_relative_to(base) and (around is None or base.is_relative_to(around))
                )
                return not any(spec.match_file(path.relative_to(base).as_posix() + slash) for base, spec in specs)

            folders[:] = sorted(name for name in folders if not name.startswith(".") and kept(name, True))
            for name in sorted(files):
                language = OTHER_LANGUAGES.get(os.path.splitext(name)[1].lower())
                if name.endswith(".c") and kept(name, False):
                    yield Path(folder) / name
                elif language is not None and str(here / name) not in self.seen and kept(name, False):
                    self.seen.add(str(here / name))
                    self.skipped[language] += 1

    def _excluded(self, path: Path, start: Path, slash: str) -> bool:
        bases = (base for base in (start, self.folder) if path.is_relative_to(base))
        names = [path.relative_to(base).as_posix() + slash for base in bases]
        for pattern, spec in self.each.items():
            self.used[pattern] = self.used[pattern] or any(map(spec.match_file, names))
        return any(map(self.all.match_file, names))


def _above(folder: Path) -> list[Path]:
    """The folders above, up to the top of the repository; none outside of one."""
    chain: list[Path] = []
    for inner in (folder, *folder.parents):
        if (inner / ".git").exists():
            return chain
        chain.append(inner.parent)
    return []


def _read_ignores(folder: Path, ignores: "dict[Path, GitIgnoreSpec]") -> None:
    from pathspec import GitIgnoreSpec

    path = folder / ".gitignore"
    if folder not in ignores and path.is_file():
        ignores[folder] = GitIgnoreSpec.from_lines(path.read_text(encoding="utf-8", errors="replace").splitlines())
