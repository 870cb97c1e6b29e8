"""Where something stands in the original source."""

from msgspec import Struct


class Place(Struct, frozen=True, order=True):
    """A position in a source file as the user sees it: before preprocessing, lines and columns from 1."""

    path: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}" if self.column else f"{self.path}:{self.line}"
