"""Which files a run reads: the paths of the command line, directories searched for `.c` files.

A file that is named is always taken. In directories `.gitignore` files and `--exclude` patterns are respected, hidden
directories are passed over and links to directories are not followed. Order: as given, directories by name.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import InputError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

STDIN = "-"
OTHER_LANGUAGES = {
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx"), "C++"),
    **dict.fromkeys((".cu", ".cuh"), "CUDA"),
    **dict.fromkeys((".f", ".for", ".f77", ".f90", ".f95", ".f03", ".f08"), "Fortran"),
}


def find_files(paths: Iterable[str], exclude: tuple[str, ...] = ()) -> list[Path]:
    """The C files to analyse, each once. InputError for a path that does not exist or is a
    file of another language, and where there is no file."""
    found: dict[Path, None] = {}
    empty = []
    for text in paths:
        path = Path(text)
        if path.is_dir():
            inside = list(_search(path, exclude))
            found.update(dict.fromkeys(inside))
            if not inside:
                empty.append(text)
        elif path.exists() or path.is_symlink():
            language = OTHER_LANGUAGES.get(path.suffix.lower())
            if language is not None:
                raise InputError(f"{text}: {language} is not read; give C files (*.c) or directories that hold some")
            found[path] = None
        else:
            raise InputError(f"{text}: no such file or directory")
    if not found:
        places = ", ".join(empty) or "the given paths"
        raise InputError(f"no C files (*.c) in {places}; check the path, .gitignore and --exclude")
    return list(found)


def _search(top: Path, exclude: tuple[str, ...]) -> Iterator[Path]:
    from pathspec import GitIgnoreSpec

    excluded = GitIgnoreSpec.from_lines(exclude)
    ignores: dict[Path, GitIgnoreSpec] = {}
    for above in _above(top.resolve()):
        _read_ignores(above, ignores)
    for folder, folders, files in os.walk(top):
        here = Path(folder).resolve()
        _read_ignores(here, ignores)

        def kept(name: str, is_folder: bool, here: Path = here) -> bool:
            path = here / name
            slash = "/" if is_folder else ""
            if excluded.match_file(path.relative_to(top.resolve()).as_posix() + slash):
                return False
            specs = ((base, spec) for base, spec in ignores.items() if path.is_relative_to(base))
            return not any(spec.match_file(path.relative_to(base).as_posix() + slash) for base, spec in specs)

        folders[:] = sorted(name for name in folders if not name.startswith(".") and kept(name, True))
        yield from (Path(folder) / name for name in sorted(files) if name.endswith(".c") and kept(name, False))


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
