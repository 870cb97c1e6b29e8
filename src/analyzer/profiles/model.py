"""The contents of a profile, independent of the tool that made it."""

import os
from collections.abc import Mapping

from msgspec import Struct

from ..source.project import is_below, repository_around


class Branch(Struct, frozen=True):
    """One way out of a condition: how often it was taken, and whether it falls through to what comes next."""

    count: int
    fallthrough: bool


class Line(Struct, frozen=True):
    """A line that can be executed: how often it was, and its conditions in the order of their code."""

    count: int
    branches: tuple[Branch, ...] = ()


class SourceCounts(Struct, frozen=True):
    """How often the lines and functions of one source file were executed. `path`: where it lay when it was compiled;
    functions: first line and calls."""

    path: str
    lines: Mapping[int, Line]
    functions: Mapping[str, tuple[int, int]]


class Sample(Struct, frozen=True):
    """Time of a function, or of one line of it: a share of that of the program (0 to 1). `file` and `line` may be
    missing."""

    function: str
    share: float
    file: str = ""
    line: int = 0


class Profile(Struct, frozen=True):
    """Everything from all files. `made`: time of the oldest file in seconds since 1970; `names`: the files as typed;
    `seconds`: time of the run where the tool says it."""

    names: tuple[str, ...]
    made: float
    sources: tuple[SourceCounts, ...] = ()
    samples: tuple[Sample, ...] = ()
    seconds: float | None = None

    def of(self, path: str) -> SourceCounts | None:
        """The counts of the source file that reports call `path`: of this very file, else of one that is not here and
        has the same place in its project (it was compiled elsewhere)."""
        real = os.path.realpath(path)
        for source in self.sources:
            if os.path.realpath(source.path) == real:
                return source
        tail = "/" + _in_project(real)
        return next((s for s in self.sources if f"/{s.path}".endswith(tail) and not _is_here(s.path)), None)


def _is_here(path: str) -> bool:
    """Whether it is another file of the tree at hand: then its counts are of that one."""
    return os.path.exists(path) and is_below(os.path.realpath(path), os.getcwd())


def _in_project(real: str) -> str:
    """The part of a file's path that it has in every copy of its project."""
    folder, here = os.path.dirname(real), os.getcwd()
    top = repository_around(folder) or (here if is_below(real, here) else folder)
    return os.path.relpath(real, top).replace(os.sep, "/")
