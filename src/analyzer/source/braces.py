"""What an opening brace begins: a block, an initializer, an enumeration, or a structure or union."""

from collections.abc import Sequence

from msgspec import Struct
from pycparser.c_lexer import Token

from .lexemes import IDENTIFIER

STATEMENT_START = frozenset((";", "{", "}", ")", ":", "else", "do"))


class Brace(Struct):
    """An open brace: a `block`, an `initializer`, an `enum` or a `record`; these two with the offset that their
    attributes belong to, where the parser says that they stand: the word `enum`, the tag or brace of a record."""

    kind: str
    key: int = -1
    nested_function: bool = False


def opened(before: list[Token], around: Sequence[Brace], offset: int) -> Brace:
    """The brace at `offset`, by the tokens before it and the braces around it."""
    outer = around[-1].kind if around else ""
    tail = [t.value for t in before[-2:]]
    if "enum" in tail and (tail[-1] == "enum" or IDENTIFIER.match(tail[-1])):
        return Brace("enum", before[-1 if tail[-1] == "enum" else -2].column)
    for word in ("struct", "union"):
        if word in tail[-1:]:
            return Brace("record", offset)
        if word in tail[:-1] and IDENTIFIER.match(tail[-1]):
            return Brace("record", before[-1].column)
    last = tail[-1] if tail else ";"
    if last == "=" or outer == "initializer":
        return Brace("initializer")
    if last == ")" and around and not _is_statement_head(before):
        return Brace("block", nested_function=True) if _is_nested_function(before) else Brace("initializer")
    return Brace("block")


def _is_statement_head(before: list[Token]) -> bool:
    """The parenthesis just written belongs to `if (..)`, `for (..)` or the like: a block follows."""
    return before[_last_opening(before) - 1].value in ("if", "for", "while", "switch")


def _is_nested_function(before: list[Token]) -> bool:
    """`int name(..)` just before a brace, in a block."""
    opening = _last_opening(before)
    return opening > 1 and before[opening - 1].type == "ID" and before[opening - 2].value not in STATEMENT_START


def _last_opening(before: list[Token]) -> int:
    """Index of the parenthesis that the last token closes."""
    depth = 0
    for position in range(len(before) - 1, 0, -1):
        depth += (before[position].value == ")") - (before[position].value == "(")
        if depth == 0:
            return position
    return 0
