"""Files of a run, each preprocessed once: as one that is analysed, and as one from which others borrow functions."""

import os
from functools import lru_cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ..base.errors import InputError
from ..base.places import Place
from ..settings.options import SourceOptions
from .declarations import Declaration, cut
from .preprocess import Preprocessed, preprocess
from .project import Project, project_of

MOST_BYTES = 16 << 20
"""A longer source file is refused: it is data, not a program."""

MOST_KEPT = 32
"""Preprocessed files that are kept at a time: the files of a program borrow from the same few."""


class ReadFile(Struct, frozen=True, eq=False):
    """`source`: its text; `declarations` of what the preprocessor makes of it. Equal to itself alone."""

    source: str
    done: Preprocessed
    declarations: tuple[Declaration, ...]


def read_file(path: Path, options: SourceOptions, root: Path | None) -> ReadFile:
    """The file on disk at a path without symbolic links. InputError where it cannot be read as text.

    Kept through the run, if it is one of several files: others may borrow from it."""
    if not options.together:
        return _read(path, options, root)
    return _kept(path, replace(options, together=(), entry=None, is_all=False), root, *_state(path))


def _state(path: Path) -> tuple[int, int]:
    try:
        seen = os.stat(path)
    except OSError:
        return 0, 0
    return seen.st_mtime_ns, seen.st_size


@lru_cache(maxsize=MOST_KEPT)
def _kept(path: Path, options: SourceOptions, root: Path | None, _changed: int, _size: int) -> ReadFile:
    return _read(path, options, root)


def _read(path: Path, options: SourceOptions, root: Path | None) -> ReadFile:
    project = project_of(path, root, options.trees)
    source = _text(path, project)
    done = preprocess(path, source, False, options, project)
    return ReadFile(source, done, tuple(cut(done.listing.code)))


def _text(path: Path, project: Project) -> str:
    place = Place(project.name(str(path)), 0)
    try:
        if not path.is_file() and path.exists():
            raise InputError("is not a regular file; give the path of a C source file", place)
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"is larger than {MOST_BYTES >> 20} MiB; leave it out or split it", place)
        data = path.read_bytes()
    except OSError as error:
        reason = (error.strerror or "no reason given").lower()
        raise InputError(f"cannot be read ({reason}); check the path and its permissions", place) from error
    if b"\0" in data:
        raise InputError("is not text; give the path of a C source file", place)
    return data.decode("utf-8-sig", "surrogateescape")
