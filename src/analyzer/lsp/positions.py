"""Places in a text: as reports have them, and as the Language Server Protocol counts them.

Reports count lines and columns from 1, lines end at line feeds alone, and a column is a character. The protocol counts
from 0, lines end at `\\n`, `\\r\\n` and a lone `\\r`, and a character takes as many units as its encoding needs: UTF-16
unless client and server have agreed on another one.
"""

import re
from bisect import bisect_right
from typing import Literal, TypeAlias

from msgspec import Struct

from ..base.regex import regex

Encoding: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]
_ENDS = regex("\r\n|\n|\r")
_WORD = regex(r"\w+")


class Position(Struct, frozen=True, order=True):
    """A place between two characters; both numbers from 0."""

    line: int
    character: int


class Span(Struct, frozen=True, order=True):
    begin: Position
    end: Position


class Lines:
    """The places of one text.

    Example: in `Lines("/* 𝔸 */ for")` the loop at column 9 is at character 9 of line 0, since `𝔸` takes two units."""

    def __init__(self, text: str, encoding: Encoding = "utf-16") -> None:
        self.text, self.encoding = text, encoding
        self._fed = [0, *(m.end() for m in re.finditer("\n", text))]
        """Where the lines of reports begin."""
        self._begins = [0, *(m.end() for m in _ENDS.finditer(text))]

    def offset(self, line: int, column: int) -> int:
        """Of a place in a report; the nearest one in the text where it has none such."""
        if line > len(self._fed):
            return len(self.text)
        begin = self._fed[max(line, 1) - 1]
        return min(begin + max(column, 1) - 1, self._end_of_line(begin))

    def position(self, offset: int) -> Position:
        """Of the characters before which an offset is."""
        line = bisect_right(self._begins, offset) - 1
        return Position(line, units(self.text[self._begins[line] : offset], self.encoding))

    def span(self, begin: int, end: int) -> Span:
        return Span(self.position(begin), self.position(end))

    def word(self, line: int, column: int) -> Span:
        """What a finding at a place of a report marks: the word there, or the rest of the line where none begins there;
        all of its code where no column is known (0)."""
        begin = self.offset(line, column)
        end = self._end_of_line(begin)
        if column == 0:
            begin += len(self.text[begin:end]) - len(self.text[begin:end].lstrip())
        found = _WORD.match(self.text, begin, end) if column else None
        if found is not None:
            return self.span(begin, found.end())
        return self.span(begin, max(begin, begin + len(self.text[begin:end].rstrip())))

    def _end_of_line(self, offset: int) -> int:
        """Where the line that holds an offset ends, what ends it left aside."""
        found = self.text.find("\n", offset)
        end = len(self.text) if found < 0 else found
        return end - 1 if self.text[offset:end].endswith("\r") else end


def units(text: str, encoding: Encoding) -> int:
    """How many units of an encoding a text takes.

    >>> units("a𝔸", "utf-16"), units("ä", "utf-8")
    (3, 2)
    """
    if text.isascii() or encoding == "utf-32":
        return len(text)
    bytes_ = len(text.encode(encoding if encoding == "utf-8" else "utf-16-le", "surrogatepass"))
    return bytes_ if encoding == "utf-8" else bytes_ // 2
