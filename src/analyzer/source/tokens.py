"""C tokens between the listing and pycparser.

pycparser is given tokens, not text: ours know where they come from, and the passes in between work on them. What
pycparser calls each spelling is asked of its own lexer, once per spelling.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from pycparser.c_lexer import CLexer, Token

from .lexemes import IDENTIFIER, LEXEME

# Other spellings of what pycparser knows; those that it has no word for are rewritten by the token pass.
SPELLINGS = {
    "__const": "const",
    "__const__": "const",
    "__volatile": "volatile",
    "__volatile__": "volatile",
    "__restrict": "restrict",
    "__restrict__": "restrict",
    "__inline": "inline",
    "__inline__": "inline",
    "__forceinline": "inline",
    "__signed": "signed",
    "__signed__": "signed",
    "__complex__": "_Complex",
    "__complex": "_Complex",
    "__alignof__": "_Alignof",
    "__alignof": "_Alignof",
    "__builtin_offsetof": "offsetof",
    "__thread": "_Thread_local",
}


@cache
def _kind(value: str) -> str:
    """pycparser's name for a token of this spelling."""
    if value in ("typeof", "__typeof__", "__typeof"):
        return "TYPEOF"
    lexer = CLexer(_refuse)
    lexer.input(value)
    token = lexer.token()
    if token is not None and token.value == value:
        return str(token.type)
    return "ID" if IDENTIFIER.match(value) else "ILLEGAL"


def _refuse(message: str, line: int, column: int) -> None:
    """pycparser's lexer skips what it cannot read; the parser then refuses the token by its kind."""


def token(value: str, offset: int) -> Token:
    """A token with its offset in the listing; pycparser copies it to the nodes as their `column`."""
    value = SPELLINGS.get(value, value)
    return Token(_kind(value), value, 0, offset, "")


def tokenize(text: str, start: int, end: int) -> Iterator[Token]:
    """The tokens of `text[start:end]`."""
    for match in LEXEME.finditer(text, start, end):
        yield token(match[0], match.start())


def spell(tokens: Iterable[Token]) -> str:
    return " ".join(t.value for t in tokens)


class TokenFeed:
    """Stands in for pycparser's lexer: hands out tokens that are already there."""

    def __init__(self, error_func: Any = None, **_: Any) -> None:
        self.filename = ""
        self._tokens: Iterator[Token] = iter(())

    def load(self, tokens: Iterable[Token]) -> None:
        self._tokens = iter(tokens)

    def input(self, text: str, filename: str = "") -> None:
        self.filename = filename

    def token(self) -> Token | None:
        return next(self._tokens, None)
