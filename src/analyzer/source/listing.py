"""The preprocessor's output, taken apart: code, where each piece of it stands in the original, macros, pragmas.

A position in the code (an *offset*) is how the front end names a token from here on: it is unique, and the listing
finds the original file and line for it.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from ..base.regex import regex

_DIRECTIVE = regex(
    r"^[ \t]*#(?:"
    r'(?:line)? *(?P<line>\d+) +"(?P<file>(?:[^"\\\n]|\\.)*)"(?P<flags>(?: +\d)*)'
    r"|(?P<change>define|undef) +(?P<macro>[A-Za-z_$]\w*)(?P<text>[^\n]*)"
    r"|[ \t]*pragma[ \t]+(?P<pragma>[^\n]*)"
    r")?[^\n]*\n?",
    re.MULTILINE,
)

_OPERATOR = regex(r'\b_Pragma[ \t]*\([ \t]*(?:L|u8|[uU])?"((?:[^"\\\n]|\\.)*)"[ \t]*\)')

_CODE = regex(r"\S")

SYSTEM_FLAG = "3"


class Segment(Struct, frozen=True):
    """A run of code that follows its original line by line. `entered_as` is the file that was opened: it differs from
    `path` where a `#line` of generated code renames the lines."""

    start: int
    path: str
    line: int
    system: bool
    entered_as: str


class MacroEvent(Struct, frozen=True):
    """A `#define` (`text`: parameters and body) or `#undef` (None) that takes effect at `offset` of the code."""

    offset: int
    path: str
    line: int
    text: str | None
    system: bool


class PragmaLine(Struct, frozen=True):
    """A `#pragma` before `offset` of the code; `text` is what follows the word."""

    offset: int
    path: str
    line: int
    text: str
    system: bool


_ESCAPE = regex(r"\\([0-7]{3}|.)")


def _unescaped(match: re.Match[str]) -> str:
    """What an escape in the file name of a line marker stands for."""
    sign = match[1]
    return chr(int(sign, 8)) if len(sign) == 3 else {"n": "\n", "t": "\t", "r": "\r"}.get(sign, sign)


class _Cursor(Struct):
    """Where the next line of the preprocessor's output comes from."""

    path: str = ""
    line: int = 1
    system: bool = False
    stack: list[str] = field(default_factory=list)

    def follow(self, marker: re.Match[str]) -> None:
        self.line = int(marker["line"])
        self.path = _ESCAPE.sub(_unescaped, marker["file"])
        flags = marker["flags"].split()
        self.system = SYSTEM_FLAG in flags
        if "1" in flags or not self.stack:
            self.stack.append(self.path)
        elif "2" in flags and len(self.stack) > 1:
            self.stack.pop()


class Listing(Struct, frozen=True):
    code: str
    segments: tuple[Segment, ...]
    macros: dict[str, list[MacroEvent]]
    pragmas: tuple[PragmaLine, ...]
    files: dict[str, bool]
    """Every file that was read, and whether it is a system header."""
    _starts: list[int]
    _breaks: list[int]
    """Offsets of the line ends."""

    def continued(self, code: str, segments: tuple[Segment, ...]) -> "Listing":
        """The listing with more code behind it, of which the segments say where it stands."""
        starts = [*self._starts, *(s.start for s in segments)]
        breaks = [*self._breaks, *(len(self.code) + match.start() for match in re.finditer("\n", code))]
        return replace(
            self, code=self.code + code, segments=(*self.segments, *segments), _starts=starts, _breaks=breaks
        )

    def offsets(self, path: str, line: int) -> Iterator[int]:
        """Where the code of a line begins, each time that its file is read."""
        for segment, end in zip(self.segments, (*self._starts[1:], len(self.code)), strict=True):
            if segment.path != path or line < segment.line:
                continue
            at = bisect_left(self._breaks, segment.start) + line - segment.line
            if at >= len(self._breaks):
                continue
            start = segment.start if line == segment.line else self._breaks[at - 1] + 1
            found = _CODE.search(self.code, start, self._breaks[at]) if start < end else None
            if found is not None:
                yield found.start()

    def segment(self, offset: int) -> Segment:
        return self.segments[max(0, bisect_right(self._starts, offset) - 1)]

    def line(self, offset: int) -> int:
        """The original line of the code at `offset`."""
        segment = self.segment(offset)
        return segment.line + bisect_left(self._breaks, offset) - bisect_left(self._breaks, segment.start)

    def macro_at(self, name: str, offset: int) -> MacroEvent | None:
        """The definition of `name` that is in force at `offset`."""
        events = self.macros.get(name, ())
        index = bisect_right(events, offset, key=lambda event: event.offset) - 1
        return events[index] if index >= 0 and events[index].text is not None else None


class _Builder:
    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.length = 0
        self.segments: list[Segment] = []
        self.macros: dict[str, list[MacroEvent]] = {}
        self.pragmas: list[PragmaLine] = []
        self.files: dict[str, bool] = {}
        self.at = _Cursor()

    def code(self, piece: str) -> None:
        """Adds a run of code lines; blank ones only move the line."""
        if "_Pragma" in piece:
            piece = _OPERATOR.sub(self.operator, piece)
        if not piece.isspace():
            at = self.at
            entered = at.stack[-1] if at.stack else at.path
            self.segments.append(Segment(self.length, at.path, at.line, at.system, entered))
            self.pieces.append(piece)
            self.length += len(piece)
            if not piece.endswith("\n"):
                self.pieces.append("\n")
                self.length += 1
        self.at.line += piece.count("\n")

    def operator(self, found: re.Match[str]) -> str:
        """A `_Pragma("...")` that the preprocessor left in the code is one in front of what follows (C11 6.10.9)."""
        at, line = self.at, self.at.line + found.string.count("\n", 0, found.start())
        text = re.sub(r"\\([\"\\])", r"\1", found[1])
        self.pragmas.append(PragmaLine(self.length + found.start(), at.path, line, " ".join(text.split()), at.system))
        return " " * len(found[0])

    def directive(self, found: re.Match[str]) -> None:
        at = self.at
        match found.lastgroup:
            case "flags":
                at.follow(found)
                self.files.setdefault(at.path, at.system)
                return
            case "text":
                body = found["text"] if found["change"] == "define" else None
                event = MacroEvent(self.length, at.path, at.line, body, at.system)
                self.macros.setdefault(found["macro"], []).append(event)
            case "pragma":
                text = " ".join(found["pragma"].split())
                self.pragmas.append(PragmaLine(self.length, at.path, at.line, text, at.system))
        at.line += 1


def read_listing(text: str) -> Listing:
    """Takes the output of `cc -E -dD` (line markers, code, `#define`, `#undef`, `#pragma`) apart."""
    build = _Builder()
    position = 0
    for match in _DIRECTIVE.finditer(text):
        if position < match.start():
            build.code(text[position : match.start()])
        build.directive(match)
        position = match.end()
    if position < len(text):
        build.code(text[position:])
    segments = tuple(build.segments) or (Segment(0, "", 1, False, ""),)
    starts = [segment.start for segment in segments]
    code = "".join(build.pieces)
    breaks = [match.start() for match in re.finditer("\n", code)]
    return Listing(code, segments, build.macros, tuple(build.pragmas), build.files, starts, breaks)
