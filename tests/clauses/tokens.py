"""Tokens of C text with their places, and how far statements and functions reach.

A statement is found from its first token alone, by C's grammar of statements; expressions are only balanced brackets.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

TOKEN = re.compile(
    r"""(?P<directive>^[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)
      | (?P<space>\n|[^\S\n]+|//[^\n]*|/\*.*?\*/|\\\n)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
      | (?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
      | (?P<sign><<=|>>=|\.\.\.|->|\+\+|--|&&|\|\||[-+*/%&|^<>=!]=|<<|>>|.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
OPENING, CLOSING = frozenset("([{"), frozenset(")]}")


@dataclass(frozen=True, slots=True)
class Token:
    text: str
    begin: int

    @property
    def end(self) -> int:
        return self.begin + len(self.text)


class Source:
    """The text of a file as tokens, without comments and directives."""

    def __init__(self, text: str) -> None:
        self.text = text
        found = [m for m in TOKEN.finditer(text) if m.lastgroup not in ("space", "directive")]
        self.tokens = [Token(m[0], m.start()) for m in found]
        self._begins = [t.begin for t in self.tokens]
        self._lines = [0, *(m.end() for m in re.finditer("\n", text))]

    def offset(self, line: int, column: int) -> int:
        return self._lines[line - 1] + column - 1

    def line(self, offset: int) -> int:
        return bisect_right(self._lines, offset)

    def at(self, offset: int) -> int:
        """The number of the token that holds this place."""
        return bisect_right(self._begins, offset) - 1

    def closing(self, k: int) -> int:
        """The token that closes the bracket k."""
        depth = 0
        for j in range(k, len(self.tokens)):
            depth += (self.tokens[j].text in OPENING) - (self.tokens[j].text in CLOSING)
            if depth == 0:
                return j
        raise ValueError("bracket without its end")

    def after(self, k: int) -> int:
        """The token behind the statement that begins with token k."""
        match self.tokens[k].text:
            case "{":
                return self.closing(k) + 1
            case "for" | "while" | "switch":
                return self.after(self.closing(k + 1) + 1)
            case "if":
                end = self.after(self.closing(k + 1) + 1)
                return self.after(end + 1) if self._is(end, "else") else end
            case "do":
                return self.closing(self.after(k + 1) + 1) + 2
            case "case" | "default":
                return self.after(self.colon(k) + 1)
            case _ if self._is(k + 1, ":"):
                return self.after(k + 2)
            case _:
                return self._found(k, ";") + 1

    def colon(self, k: int) -> int:
        """The token that ends the `case` or `default` k."""
        return self._found(k, ":")

    def _is(self, k: int, text: str) -> bool:
        return k < len(self.tokens) and self.tokens[k].text == text

    def _found(self, k: int, text: str) -> int:
        """The next token of this text that stands in no bracket."""
        while not self._is(k, text):
            k = (self.closing(k) if self.tokens[k].text in OPENING else k) + 1
            if k >= len(self.tokens):
                raise ValueError(f"no {text}")
        return k

    def function(self, offset: int) -> tuple[int, int] | None:
        """The first token and the closing brace of the function around a place."""
        first, k, place = 0, 0, self.at(offset)
        while k <= place:
            match self.tokens[k].text:
                case ";":
                    first = k + 1
                case "{" | "(" | "[" as text:
                    end = self.closing(k)
                    if text == "{" and end > place:
                        return (first, end)
                    k = end
                    if text == "{" and not self._is(end + 1, ";") and self._definition(first, end):
                        first = end + 1
                case _:
                    pass
            k += 1
        return None

    def _definition(self, first: int, end: int) -> bool:
        """Whether what ends with this brace is a function: a structure goes on behind its brace."""
        depth_one = [j for j in range(first, end) if self.tokens[j].text == "("]
        return (bool(depth_one) and self.tokens[first].text not in ("struct", "union", "enum", "typedef")) or (
            bool(depth_one) and self._before_brace(first) == ")"
        )

    def _before_brace(self, first: int) -> str:
        k = first
        while self.tokens[k].text != "{":
            k = (self.closing(k) if self.tokens[k].text in ("(", "[") else k) + 1
        return self.tokens[k - 1].text


def joined(tokens: Sequence[Token], text: str) -> str:
    return text[tokens[0].begin : tokens[-1].end] if tokens else ""
