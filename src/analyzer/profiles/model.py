"""What a profile holds, whatever tool made it."""

from collections.abc import Mapping

from msgspec import Struct


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
        """The counts of the source file that reports call `path`."""
        wanted = path.removeprefix("./")
        return next((s for s in self.sources if s.path == wanted or s.path.endswith("/" + wanted)), None)
