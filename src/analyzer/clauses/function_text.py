"""The text of a function as words, and the statements in it.

*Decides*: where the statement begins and ends that a word is in.
*Method*: by brackets and semicolons, without a grammar: some words in declarations and behind `?:` also count as
beginnings. *Errs toward* None.

    if (*p) (*p)++;      asked where the second `p` stands      ->      (*p)++
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from msgspec import Struct

from ..base.places import Place
from ..source.original import Word, logical_lines

HEADERS = ("for", "if", "switch", "while")


class StatementText(Struct, frozen=True):
    """The words of a statement, without its semicolon; the one that was asked for is number `at`."""

    words: tuple[Word, ...]
    at: int


class FunctionText:
    """The words of the lines of a function, without directives. `lines`: those of its file."""

    def __init__(self, lines: Sequence[str], first: int, last: int) -> None:
        text = "\n".join(lines[first - 1 : last])
        self._words = tuple(w for group in logical_lines(text, line=first) for w in group.words)
        self._numbers = {(w.line, w.column): k for k, w in enumerate(self._words)}
        self._begins = tuple(_begins(self._words))

    def statement(self, place: Place) -> StatementText | None:
        """The statement around the word at this place, if brackets, operators and casts are all that is before it."""
        at = self._numbers.get((place.line, place.column))
        before = 0 if at is None else bisect_right(self._begins, at)
        if at is None or not before:
            return None
        first = self._begins[before - 1]
        if not _is_prefix(self._words[first:at]):
            return None
        return StatementText(self._words[first : self._end(first)], at - first)

    def _end(self, first: int) -> int:
        depth = 0
        for k in range(first, len(self._words)):
            text = self._words[k].text
            if text == ";" and depth == 0:
                return k
            depth += nesting(text)
        return len(self._words)


def _begins(words: tuple[Word, ...]) -> Iterator[int]:
    """The numbers of words that may begin a statement: all that do, and some in declarations and behind `?:`."""
    opened: list[str] = []
    begins = True
    for k, word in enumerate(words):
        if begins:
            yield k
        begins = False
        match word.text:
            case "(" | "[":
                opened.append("header" if k and words[k - 1].text in HEADERS else word.text)
            case "{":
                opened.append("{")
                begins = True
            case ")" | "]" | "}":
                begins = (opened.pop() if opened else "") in ("{", "header")
            case ";" | ":":
                begins = opened[-1:] in ([], ["{"])
            case "else" | "do":
                begins = True
            case _:
                pass


def nesting(text: str) -> int:
    """How many brackets more are open behind a word than before it."""
    return (text in ("(", "[", "{")) - (text in (")", "]", "}"))


def _is_prefix(words: Sequence[Word]) -> bool:
    """Whether these words can stand before the first name of an expression: `*(`, `++`, `(int *)`."""
    depth = 0
    for word in words:
        if depth <= 0 and word.text not in ("(", ")", "*", "&", "+", "-", "++", "--"):
            return False
        depth += nesting(word.text)
    return True
