"""The text of a file as a person wrote it: its tokens, and how far statements reach.

*Decides*: where the statement ends that begins at a token, by C's grammar of statements; expressions are only balanced
brackets, those that each branch of an `#if` opens counted once. Comments are no tokens; directives are told apart, and
stand in no statement.
*Does not handle* macros that make braces or semicolons, trigraphs, and brackets that one branch of an `#if` alone
opens: who asks holds the end against the one that the parser found (`report.loop_entries.LoopEntry.end_line`).
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise

from msgspec import Struct

from ..base.regex import regex
from ..source.lexemes import WORD

_PIECE = regex(
    r"(?P<directive>^[ \t\f\v]*\#(?:\\\r?\n|/\*(?s:.*?)\*/|[^\n])*)"
    r"|(?P<blank>[ \t\f\v\r]+|\n|\\\r?\n)"
    r"|(?P<comment>/\*(?s:.*?)(?:\*/|\Z)|//(?:\\\r?\n|[^\n])*)"
    rf"|(?P<word>{WORD})",
    re.MULTILINE,
)
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_PRAGMA = regex(r"\s*#[ \t]*pragma\b(.*)", re.DOTALL)
_CONDITIONAL = regex(r"\s*#[ \t]*(if|el|endif)")
_DEFINITION = regex(r"(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)(?=((?:\\\r?\n|[^\n])*))")
"""Of a macro: its name, and all behind it; a definition on a line that goes on with another one is found, too."""


_COMMENT = regex(r"(?s)/\*.*?(\*/|$)|//.*")
_BEFORE_OPERANDS = frozenset(("return", "case", "else", "sizeof", "do", "goto"))


class UnreadableError(ValueError):
    """Text that is no statement as far as its tokens tell."""


class Token(Struct, frozen=True):
    text: str
    begin: int

    @property
    def end(self) -> int:
        return self.begin + len(self.text)


class Pragma(Struct, frozen=True):
    """What a directive says behind `#pragma`, or `_Pragma` in its string, and where it ends."""

    words: str
    end: int


class Text:
    """A file as tokens with their offsets, without comments and directives.

    Example: with `t = Text("for (;;) f(); g();")`, `t.after(0)` is the number of the token `g`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[Token] = []
        self.pragmas: list[Pragma] = []
        self.conditionals: list[int] = []
        """Where `#if`, `#else` and the like end."""
        directives: list[tuple[str, int]] = []
        for piece in _PIECE.finditer(text):
            if piece.lastgroup == "word":
                self.tokens.append(Token(piece[0], piece.start()))
            elif piece.lastgroup == "directive" and (found := _PRAGMA.match(piece[0])) is not None:
                self.pragmas.append(Pragma(" ".join(found[1].replace("\\", " ").split()), piece.end()))
            elif piece.lastgroup == "directive" and (conditional := _CONDITIONAL.match(piece[0])) is not None:
                self.conditionals.append(piece.end())
                directives.append((conditional[1], piece.end()))
        self._take_operators()
        self._begins = [token.begin for token in self.tokens]
        self._closed: dict[int, int] = {}
        self._uncounted = self._opened_again(directives)
        self._lines = [0, *(m.end() for m in re.finditer("\n", text))]
        self.newline = "\r\n" if "\r\n" in text else "\n"

    def _take_operators(self) -> None:
        """`_Pragma("...")` is a pragma."""
        k = 0 if "_Pragma" in self.text else len(self.tokens)
        while k + 3 < len(self.tokens):
            words = [token.text for token in self.tokens[k : k + 4]]
            if words[0] == "_Pragma" and words[1] == "(" and words[3] == ")":
                self.pragmas.append(Pragma(" ".join(words[2].strip('L"').split()), self.tokens[k + 3].end))
                del self.tokens[k : k + 4]
            else:
                k += 1

    def _opened_again(self, directives: list[tuple[str, int]]) -> set[int]:
        """The tokens behind `#else` that open, or close, what those before it do: `if (a) {` of which each branch of an
        `#if` has its own."""
        found: set[int] = set()
        open_branches: list[list[int]] = []  # of each `#if`: where its branches begin, by their first tokens
        for word, end in directives:
            here = self.first_from(end)
            if word == "if":
                open_branches.append([here])
            elif open_branches and word == "el":
                open_branches[-1].append(here)
            elif open_branches:
                begins = [*open_branches.pop(), here]
                branches = [range(a, b) for a, b in pairwise(begins)]
                depths = {self._depth(k for k in branch if k not in found) for branch in branches}
                if len(depths) == 1 and depths != {0} and len(branches) > 1:
                    found.update(range(begins[1], here))
        return found

    def _depth(self, tokens: Iterable[int]) -> int:
        return sum((self.tokens[k].text in _OPENING) - (self.tokens[k].text in _CLOSING) for k in tokens)

    @property
    def words(self) -> set[str]:
        """All its tokens."""
        return {token.text for token in self.tokens}

    def line(self, offset: int) -> int:
        """From 1."""
        return bisect_right(self._lines, offset)

    def column(self, offset: int) -> int:
        """From 1."""
        return offset - self._lines[self.line(offset) - 1] + 1

    def at(self, line: int, column: int) -> int:
        """The number of the token that begins at a place. UnreadableError where none does."""
        offset = self._lines[line - 1] + column - 1 if 0 < line <= len(self._lines) else -1
        k = bisect_left(self._begins, offset)
        if k == len(self.tokens) or self._begins[k] != offset:
            raise UnreadableError(f"nothing begins at {line}:{column}")
        return k

    def macro(self, name: str) -> str | None:
        """What the file defines a macro as, its parameters included, without comments; None where it defines none of
        this name."""
        return self._macros.get(name)

    @cached_property
    def _macros(self) -> dict[str, str]:
        """Where a name is defined more than once, the first one counts."""
        found: dict[str, str] = {}
        for definition in _DEFINITION.finditer(self.text):
            found.setdefault(definition[1], _COMMENT.sub(" ", definition[2]))
        return found

    def declares(self, k: int) -> bool:
        """Whether token k, a name, seems to be declared where it stands: behind the name of a type."""
        while self.is_at(k - 1, "*"):
            k -= 1
        before = self.tokens[k - 1].text if k else ";"
        return before.isidentifier() and before not in _BEFORE_OPERANDS

    def first_from(self, offset: int) -> int:
        """The number of the first token from an offset on."""
        return bisect_left(self._begins, offset)

    def is_at(self, k: int, *texts: str) -> bool:
        return 0 <= k < len(self.tokens) and self.tokens[k].text in texts

    def indentation(self, offset: int) -> str:
        """The blanks that the line of an offset begins with."""
        start = self._lines[self.line(offset) - 1]
        found = re.compile(r"[ \t]*").match(self.text, start)
        return "" if found is None else found[0]

    def begins_line(self, offset: int) -> bool:
        """Whether nothing but blanks stands before it on its line."""
        return not self.text[self._lines[self.line(offset) - 1] : offset].strip(" \t")

    def closing(self, k: int) -> int:
        """The token that closes bracket k. UnreadableError where token k is none, or nothing closes it."""
        if k not in self._closed:
            self._closed[k] = self._closing(k)
        return self._closed[k]

    def _closing(self, k: int) -> int:
        if not self.is_at(k, *_OPENING):
            raise UnreadableError("a bracket is missing")
        depth, uncounted = 0, set[int]() if k in self._uncounted else self._uncounted
        for j in range(k, len(self.tokens)):
            if j in uncounted:
                continue
            depth += (self.tokens[j].text in _OPENING) - (self.tokens[j].text in _CLOSING)
            if depth == 0:
                return j
        raise UnreadableError("a bracket is not closed")

    def after(self, k: int) -> int:
        """The number of the token behind the statement that begins with token k (their number, at the end)."""
        match self.tokens[k].text if k < len(self.tokens) else "":
            case "{":
                return self.closing(k) + 1
            case "for" | "while" | "switch":
                return self.after(self.closing(k + 1) + 1)
            case "if":
                end = self.after(self.closing(k + 1) + 1)
                return self.after(end + 1) if self.is_at(end, "else") else end
            case "do":
                return self.closing(self.after(k + 1) + 1) + 2
            case "case" | "default":
                return self.after(self.next(k, ":") + 1)
            case _ if self.is_at(k + 1, ":"):
                return self.after(k + 2)
            case _:
                return self.next(k, ";") + 1

    def next(self, k: int, text: str) -> int:
        """The next token of this text that stands in no bracket, from token k on."""
        while not self.is_at(k, text):
            if k >= len(self.tokens):
                raise UnreadableError(f"`{text}` is missing")
            k = (self.closing(k) if self.tokens[k].text in _OPENING else k) + 1
        return k

    def declaration(self, k: int) -> int:
        """The token that the declaration of the file begins with of which token k is an outermost part: for the brace
        of a function, the first one of its type."""
        depth = 0
        while k and (depth or not self.is_at(k - 1, ";", "}")):
            k -= 1
            depth += self.is_at(k, ")", "]") - self.is_at(k, "(", "[")
        return k

    def function(self, k: int) -> tuple[int, int] | None:
        """The opening and the closing brace of the function that holds token k."""
        j = 0
        while j <= k:
            if self.tokens[j].text in _OPENING:
                end = self.closing(j)
                if end > k and self.tokens[j].text == "{" and self.is_at(j - 1, ")"):
                    return j, end
                if end > k and self.tokens[j].text == "{":
                    j += 1  # `extern "C" {`, or the end of old-style parameters
                    if self.is_at(j - 2, ";"):
                        return j - 1, end
                    continue
                j = end
            j += 1
        return None
