"""Fingerprints of loops that survive edits elsewhere: the function and the tokens, not the location.

A fingerprint survives moving the loop within its file, reindenting, comments and line endings; it changes with the
code of the loop. Baselines and SARIF's `partialFingerprints` (`boathullLoop/v1`) are made of it.
"""

import hashlib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from ..source.original import Word, chunks, words

HEADED = frozenset({"for", "while", "if", "switch"})
CLOSING = {"(": ")", "[": "]", "{": "}"}
LENGTH = 16


class Spot(Struct, frozen=True):
    """A loop to be found again: its id, the function that holds it, and where its first word stands."""

    id: str
    function: str
    line: int
    column: int


def fingerprints(text: str, loops: Iterable[Spot]) -> dict[str, str]:
    """By loop id: 16 hexadecimal digits for the function's name, the loop's words without comments, and the how-many-th
    of such loops in the function it is. Where `text` is empty (not kept) the words are left out.

    Example: `for (i=0;i<n;i++) a[i]=0; /* x */` and the same over three lines have equal fingerprints."""
    source = _Source(text)
    seen: Counter[tuple[str, str]] = Counter()
    result = {}
    for loop in sorted(loops, key=lambda loop: (loop.line, loop.column, loop.id)):
        said = " ".join(source.statement(loop.line, loop.column))
        seen[loop.function, said] += 1
        key = "\0".join((loop.function, said, str(seen[loop.function, said])))
        result[loop.id] = hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()[:LENGTH]
    return result


class _Source:
    """A text of which only what holds loops is read as words: the rest may be tables of megabytes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._chunks = chunks(text)
        self._lines = [line for _, line in self._chunks]
        self._starts = [*(start for start, _ in self._chunks), len(text)]
        self._read: tuple[int, int, list[Word]] = (0, 0, [])

    def statement(self, line: int, column: int) -> list[str]:
        """The words of the statement that begins at this place, or at the next word."""
        first = max(0, bisect_right(self._lines, line) - 1)
        count = 1
        while True:
            last = min(first + count, len(self._chunks))
            found = self._words(first, last)
            begin = bisect_left(found, (line, column), key=lambda word: (word.line, word.column))
            end = _end(found, begin)
            if end < len(found) or last == len(self._chunks):
                return [word.text for word in found[begin:end]]
            count *= 2

    def _words(self, first: int, last: int) -> list[Word]:
        """Those of the chunks `first` to `last - 1`, kept for the next loop of the function."""
        if self._read[:2] != (first, last):
            text = words(self._text, self._starts[first], self._starts[last], self._lines[first])
            self._read = first, last, list(text)
        return self._read[2]


def _end(words: Sequence[Word], at: int) -> int:
    """Index behind the statement that begins at `at`."""
    alternatives = 0  # `if`s of this statement that an `else` may still follow
    while at < len(words):
        word = words[at].text
        if word in HEADED:
            alternatives += word == "if"
            at = _closed(words, at + 1)
            continue
        if word == "do":
            at = _simple(words, _end(words, at + 1))
        else:
            at = _closed(words, at) if word == "{" else _simple(words, at)
        if not (alternatives and at < len(words) and words[at].text == "else"):
            break
        alternatives -= 1
        at += 1
    return min(at, len(words))


def _simple(words: Sequence[Word], at: int) -> int:
    """Behind the `;` of an expression statement, or behind the block that a loop macro is followed by."""
    while at < len(words):
        word = words[at].text
        if word == ";":
            return at + 1
        at = _closed(words, at) if word in CLOSING else at + 1
        if word == "{" and (at >= len(words) or words[at].text not in (";", ",", ")", ".", "[")):
            return at
    return at


def _closed(words: Sequence[Word], at: int) -> int:
    """Behind the bracket that closes the one at `at`; `at` + 1 where there is none."""
    depth = 0
    for index in range(at, len(words)):
        word = words[index].text
        depth += (word in CLOSING) - (word in CLOSING.values())
        if depth <= 0:
            return index + 1
    return len(words)
