"""Where a statement ends, which pycparser's nodes do not say."""

import re
from typing import TypeAlias

from .lexemes import LEXEME

_CLOSING = {"(": ")", "[": "]", "{": "}"}


Closings: TypeAlias = dict[int, int]
"""Where brackets end, by where they begin, of those that were read before: a loop in a loop is not read again."""


def statement_end(code: str, offset: int, known: Closings | None = None) -> int:
    """Offset of the last character of the statement that begins at `offset` of preprocessed code. `known` is for the
    next question about the same code."""
    return _Reader(code, offset, {} if known is None else known).statement()


class _Reader:
    def __init__(self, code: str, offset: int, known: Closings) -> None:
        self._code, self._known = code, known
        self._last = offset
        self._start(offset)

    def _start(self, offset: int) -> None:
        self._items = LEXEME.finditer(self._code, offset)
        self._ahead: re.Match[str] | None = next(self._items, None)

    @property
    def word(self) -> str:
        return self._ahead[0] if self._ahead else ""

    def accept(self, word: str) -> bool:
        """Passes the word if it comes next."""
        if self.word != word:
            return False
        self.advance()
        return True

    def advance(self) -> None:
        if self._ahead:
            self._last = self._ahead.end() - 1
        self._ahead = next(self._items, None)

    def brackets(self) -> None:
        """Passes a bracket and everything up to the one that closes it."""
        stack: list[tuple[str, int]] = []
        while self._ahead:
            at, word = self._ahead.start(), self._ahead[0]
            if at in self._known:
                self._last = self._known[at]
                self._start(self._last + 1)
            else:
                if word in _CLOSING:
                    stack.append((_CLOSING[word], at))
                elif stack and word == stack[-1][0]:
                    self._known[stack.pop()[1]] = at
                self.advance()
            if not stack:
                return

    def statement(self) -> int:
        while True:
            match self.word:
                case "{":
                    self.brackets()
                    return self._last
                case "for" | "while" | "switch":
                    self.advance()
                    self.brackets()
                case "if":
                    self.advance()
                    self.brackets()
                    self.statement()
                    if not self.accept("else"):
                        return self._last
                case "do":
                    self.advance()
                    self.statement()
                    return self._simple()
                case _:
                    return self._simple()

    def _simple(self) -> int:
        """Passes everything to the semicolon."""
        while self._ahead:
            if self.word in _CLOSING:
                self.brackets()
            else:
                ended = self.word == ";"
                self.advance()
                if ended:
                    break
        return self._last
