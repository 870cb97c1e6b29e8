"""An original source file as words with lines and columns, gathered into groups that belong together.

A *group* is a run of lines that the preprocessor may print as one: lines joined by a backslash, by a comment, or by the
arguments of a macro.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from ..base.regex import regex
from .lexemes import WORD

_BLOCK_COMMENT = regex(r"/\*.*?\*/", re.DOTALL)
_CLOSING_LINE = regex(r"^\}", re.MULTILINE)

_ESCAPED, _ESCAPED_OR_JOINED = r"\\.", r"\\(?:.|\r?\n)"
_JOINED = regex(r"\\\r?\n")

_PIECE = regex(
    r"(?P<blank>(?:[ \t\f\v\r]|\\\r?\n)+)"
    r"|(?P<comment>/\*(?s:.*?)(?:\*/|\Z)|//(?:\\\r?\n|[^\n])*)"
    r"|(?P<newline>\n)"
    rf"|(?P<word>{WORD.replace(_ESCAPED, _ESCAPED_OR_JOINED)})"
)


class Word(Struct, frozen=True):
    """A preprocessing token of the original text."""

    text: str
    line: int
    column: int


class Group(Struct, frozen=True):
    """Words of the lines `first` to `last`."""

    words: tuple[Word, ...]
    first: int
    last: int


def chunks(text: str) -> list[tuple[int, int]]:
    """Offsets and first lines of pieces of a source text that can be read apart: each begins behind a line that starts
    with a brace closing a function or a record."""
    hidden = [(m.start(), m.end()) for m in _BLOCK_COMMENT.finditer(text)]
    found = [(0, 1)]
    position, line, comment = 0, 1, 0
    for match in _CLOSING_LINE.finditer(text):
        while comment < len(hidden) and hidden[comment][1] <= match.start():
            comment += 1
        if comment < len(hidden) and hidden[comment][0] < match.start():
            continue
        end = text.find("\n", match.start()) + 1
        if not end or (comment < len(hidden) and hidden[comment][0] < end < hidden[comment][1]):
            continue
        line += text.count("\n", position, end)
        position = end
        if text[end - 2 : end - 1] != "\\":
            found.append((end, line))
    return found


def _pieces(text: str, first: int = 0, end: int | None = None, line: int = 1) -> Iterator[tuple[str, Word]]:
    """Words, comments and ends of lines, and what blank joins two lines."""
    start = first
    for match in _PIECE.finditer(text, first, len(text) if end is None else end):
        kind, piece = str(match.lastgroup), match[0]
        breaks = piece.count("\n")
        if breaks or kind != "blank":
            said = _JOINED.sub("", piece) if breaks and kind == "word" else piece
            yield kind, Word(said, line, match.start() - start + 1)
        if breaks:
            line += breaks
            start = match.start() + piece.rindex("\n") + 1


def comments(text: str) -> Iterator[Word]:
    """Every comment with the place where it begins."""
    return (word for kind, word in _pieces(text) if kind == "comment")


def words(text: str, start: int = 0, end: int | None = None, line: int = 1) -> Iterator[Word]:
    """Every preprocessing token of `text[start:end]`, which begins at `line`, with its place, comments left out."""
    return (word for kind, word in _pieces(text, start, end, line) if kind == "word")


def logical_lines(text: str, start: int = 0, end: int | None = None, line: int = 1) -> Iterator[Group]:
    """Logical lines of `text[start:end]`, which begins at `line`: joined by backslashes and comments, directives left
    out."""
    words: list[Word] = []
    first = last = line
    for kind, word in _pieces(text, start, end, line):
        last = word.line + word.text.count("\n") - (kind == "newline")
        if kind == "newline":
            if words and words[0].text != "#":
                yield Group(tuple(words), first, last)
            words, first = [], word.line + 1
        elif kind == "word":
            words.append(word)
    if words and words[0].text != "#":
        yield Group(tuple(words), first, last)


def join_calls(lines: list[Group], macros: frozenset[str]) -> list[Group]:
    """Joins the lines over which the arguments of one macro call are spread."""
    joined: list[Group] = []
    index = 0
    while index < len(lines):
        group = lines[index]
        while index + 1 < len(lines) and len(group.words) < 20_000 and _is_open(group.words, macros):
            index += 1
            group = Group(group.words + lines[index].words, group.first, lines[index].last)
        joined.append(group)
        index += 1
    return joined


def _is_open(words: tuple[Word, ...], macros: frozenset[str]) -> bool:
    """A macro call begins in these words and does not end in them."""
    index = 0
    while index < len(words):
        if words[index].text in macros:
            if index + 1 == len(words):
                return True
            if words[index + 1].text == "(":
                depth = 0
                for end in range(index + 1, len(words)):
                    depth += (words[end].text == "(") - (words[end].text == ")")
                    if depth == 0:
                        break
                else:
                    return True
        index += 1
    return False
