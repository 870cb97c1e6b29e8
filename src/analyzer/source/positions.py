"""Line and column in the original source of every token of the listing, and the macro it came from.

The preprocessor keeps lines, not columns. The words of an original line that no macro touches appear unchanged and in
order in its output; what stands between them is what the macros between them made. So the unchanged runs are
looked for, first and last anchored at the ends, and the rest belongs to the macro in the gap, at whose name it stands.
Most lines are as they were: there the column is that of the output.

Errs toward the macro: where a run cannot be found, the rest of the line is said to stand at the last macro used.
Does not handle trigraphs and universal character names.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property

from msgspec import Struct, field

from .lexemes import LEXEME
from .listing import Listing
from .original import Group, Word, chunks, join_calls, logical_lines
from .unit import Expansion

_LONGEST_CHUNK = 1 << 20
"""Characters of one function or table beyond which columns are not worth their cost: they are 0 there."""


_LONGEST_ROW = 1 << 10
"""Characters before or behind a token beyond which lines are not compared as a whole."""


class Position(Struct, frozen=True):
    line: int
    column: int
    expansion: Expansion | None


class _Use(Struct, frozen=True):
    """A macro name with its arguments: words `start` to `end` of a group."""

    start: int
    end: int
    expansion: Expansion


class _File:
    """One original file, read chunk by chunk."""

    def __init__(self, text: str, macros: frozenset[str]) -> None:
        self._text, self._macros = text, macros
        self.rows = text.split("\n")
        self._chunks = chunks(text)
        self._lines = [line for _, line in self._chunks]
        self._read: dict[int, dict[int, Group]] = {}

    def group(self, line: int) -> Group | None:
        """The group that holds `line`."""
        index = max(0, bisect_right(self._lines, line) - 1)
        if index not in self._read:
            start, first = self._chunks[index]
            end = self._chunks[index + 1][0] if index + 1 < len(self._chunks) else len(self._text)
            if end - start > _LONGEST_CHUNK:
                return None
            groups = join_calls(list(logical_lines(self._text, start, end, first)), self._macros)
            self._read[index] = {n: g for g in groups for n in range(g.first, g.last + 1)}
        return self._read[index].get(line)


class Positions(Struct, dict=True):
    """Answers for offsets of one listing; lines are worked out when they are first asked for.

    `read` gives the text of an original file, or None where it is not to be looked at."""

    listing: Listing
    read: Callable[[str], str | None]
    _files: dict[str, _File] = field(default_factory=dict)
    _known: dict[int, Position] = field(default_factory=dict)

    def at(self, offset: int) -> Position:
        if offset not in self._known:
            path, line = self.listing.segment(offset).path, self.listing.line(offset)
            column = self._unchanged(offset, self._file(path), line)
            if column:
                self._known[offset] = Position(line, column, None)
            else:
                self._align(offset, path, line)
        return self._known.get(offset) or Position(self.listing.line(offset), 0, None)

    def _align(self, offset: int, path: str, line: int) -> None:
        listing = self.listing
        group = self._file(path).group(line)
        if group is None:
            return
        start, end = self._region(offset, path, group)
        lexemes = list(LEXEME.finditer(listing.code, start, end))
        uses = _macro_uses(group.words, listing, start)
        found = align([m[0] for m in lexemes], group.words, uses)
        self._known.update(zip([m.start() for m in lexemes], found, strict=True))

    def _unchanged(self, offset: int, file: _File, line: int) -> int:
        """The column in a line that came out of the preprocessor as it went in, but for a comment behind it; else 0."""
        if not 0 < line <= len(file.rows):
            return 0
        code = self.listing.code
        start = code.rfind("\n", max(0, offset - _LONGEST_ROW), offset) + 1
        end = code.find("\n", offset, offset + _LONGEST_ROW)
        if end < 0 or (not start and offset > _LONGEST_ROW):
            return 0
        made, row = code[start:end].rstrip(), file.rows[line - 1]
        if row.startswith(made):
            return offset - start + 1 if _is_comment(row[len(made) :].lstrip()) else 0
        return _column_but_for_blanks(code[start:offset], made, row)

    def _file(self, path: str) -> _File:
        if path not in self._files:
            self._files[path] = _File(self.read(path) or "", self._calls)
        return self._files[path]

    @cached_property
    def _calls(self) -> frozenset[str]:
        """Names of the macros that take arguments."""
        return frozenset(n for n, e in self.listing.macros.items() if any(_takes_arguments(x.text) for x in e))

    def _region(self, offset: int, path: str, group: Group) -> tuple[int, int]:
        """The code around `offset` that comes from the lines of the group."""
        code, listing = self.listing.code, self.listing

        def belongs(position: int) -> bool:
            return listing.segment(position).path == path and group.first <= listing.line(position) <= group.last

        start = code.rfind("\n", 0, offset) + 1
        end = _line_end(code, offset)
        while start > 0 and belongs(start - 1):
            start = code.rfind("\n", 0, start - 1) + 1
        while end < len(code) and belongs(end):
            end = _line_end(code, end)
        return start, end


def _is_comment(rest: str) -> bool:
    """Whether nothing but a comment follows in a line."""
    return not rest or rest.startswith(("//", "/*"))


def _column_but_for_blanks(before: str, made: str, row: str) -> int:
    """The column in a row of the original of what comes behind `before` in the line that was made of it, where the two
    differ in blanks alone: of a tab, and of several blanks, the preprocessor may make one. Else 0.

    Example: `_column_but_for_blanks(" x = ", " x = y", "\tx =  y")` is 7."""
    words, wanted = "".join(row.split()), "".join(made.split())
    if not words.startswith(wanted) or not _is_comment(words[len(wanted) :]):
        return 0
    left = sum(map(len, before.split()))
    for column, character in enumerate(row, 1):
        if not character.isspace():
            if not left:
                return column
            left -= 1
    return 0


def _line_end(code: str, offset: int) -> int:
    """Offset of the beginning of the next line."""
    found = code.find("\n", offset)
    return len(code) if found < 0 else found + 1


def _takes_arguments(text: str | None) -> bool:
    return text is not None and text.startswith("(")


def _macro_uses(words: Sequence[Word], listing: Listing, offset: int) -> list[_Use]:
    """The macros that are used among these words, outermost ones only."""
    uses = []
    index = 0
    while index < len(words):
        event = listing.macro_at(words[index].text, offset) if words[index].text in listing.macros else None
        end = index + 1
        if event is not None and _takes_arguments(event.text):
            if end < len(words) and words[end].text == "(":
                end = _closing(words, end) + 1
            else:
                event = None
        if event is not None:
            line = 0 if event.path.startswith("<") else event.line
            uses.append(_Use(index, end, Expansion(words[index].text, line)))
        index = end if event is not None else index + 1
    return uses


def _closing(words: Sequence[Word], index: int) -> int:
    depth = 0
    for position in range(index, len(words)):
        depth += (words[position].text == "(") - (words[position].text == ")")
        if depth == 0:
            return position
    return len(words) - 1


def align(found: Sequence[str], words: Sequence[Word], uses: Sequence[_Use]) -> list[Position]:
    """Positions of the preprocessed words `found` of one group.

    Example: `x = SQ(y) + 1;` became `x = ((y)*(y)) + 1;`: the first two and last three words stand where they stand in
    the original, the rest at `SQ`."""
    runs = _literal_runs(words, uses)
    result: list[Position] = []
    cursor = 0
    for index, (start, end) in enumerate(runs):
        texts = [w.text for w in words[start:end]]
        begin = _find(found, texts, cursor, index == 0, index == len(runs) - 1)
        if begin is None:
            break
        owner = words[uses[index - 1].start] if index else None
        result += [_made(owner, uses[index - 1]) for _ in range(cursor, begin)] if owner else []
        result += [Position(w.line, w.column, None) for w in words[start:end]]
        cursor = begin + len(texts)
    if cursor < len(found):
        last = next((u for u in reversed(uses) if u.start < _words_used(runs, result)), uses[0] if uses else None)
        rest = _made(words[last.start], last) if last else Position(words[0].line, 0, None)
        result += [rest] * (len(found) - len(result))
    return result[: len(found)]


def _made(word: Word, use: _Use) -> Position:
    return Position(word.line, word.column, use.expansion)


def _words_used(runs: list[tuple[int, int]], result: list[Position]) -> int:
    """Index of the first original word that has no counterpart yet."""
    literal = sum(p.expansion is None for p in result)
    for start, end in runs:
        if literal < end - start:
            return end + 1
        literal -= end - start
    return runs[-1][1] + 1


def _literal_runs(words: Sequence[Word], uses: Sequence[_Use]) -> list[tuple[int, int]]:
    """The stretches between macro uses, including empty ones at both ends."""
    edges = [0, *(edge for use in uses for edge in (use.start, use.end)), len(words)]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _find(found: Sequence[str], texts: list[str], cursor: int, first: bool, last: bool) -> int | None:
    """Where the run begins in `found`, at or after `cursor`."""
    length = len(texts)
    if first:
        return cursor if list(found[cursor : cursor + length]) == texts else None
    if last:
        begin = len(found) - length
        if begin >= cursor and list(found[begin:]) == texts:
            return begin
    for begin in range(cursor, len(found) - length + 1):
        if list(found[begin : begin + length]) == texts:
            return begin
    return None
