"""Texts that nearly are C: words and pieces of real code left out, repeated, exchanged, nested, made extreme.

mutated("for (i = 0; i < n; i++) a[i] = 1;", [other], Random(1))       "for (i = 0; i < ~0; i++) a[i] = 1;"
"""

import re
from collections.abc import Callable, Sequence
from random import Random

WORD = re.compile(
    r'"(?:[^"\\\n]|\\.)*"'
    r"|'(?:[^'\\\n]|\\.)*'"
    r"|\w+|->|\+\+|--|<<=?|>>=?|[-+*/%&|^<>=!]=|&&|\|\||\s+|.",
    re.DOTALL,
)
NUMBER = re.compile(r"\d[\w.]*")
EXTREMES = (
    "0",
    "-1",
    "~0",
    "1ul << 63",
    "2147483647",
    "-2147483648",
    "4294967295u",
    "18446744073709551615u",
    "9" * 400,
    "0x1p1023",
    "0x1p2000L",
    "1e999",
    "1e-999",
    "0.0",
    "1 / 0",
    "08",
    "0x",
    "'\\xfff'",
    "99999999",
    "1 << 31",
    "(1ul << 60)",
    "sizeof(long[1ul << 40])",
    "-0.0",
    "1e308",
)
LARGEST = 20_000
"""Characters of a mutated text: what is larger is cut, so that one costs little."""

Mutation = Callable[[list[str], "Sequence[str]", Random], list[str]]


def words_of(text: str) -> list[str]:
    return WORD.findall(text)


def mutated(text: str, others: Sequence[str], random: Random, most: int = 4) -> str:
    """The text after one to `most` mutations; pieces come from it or from `others`."""
    words = words_of(text)
    for _ in range(random.randint(1, most)):
        words = random.choice(MUTATIONS)(words, others, random) or words
    return "".join(words)[:LARGEST]


def _stretch(words: list[str], random: Random, longest: int = 12) -> tuple[int, int]:
    start = random.randrange(max(1, len(words)))
    return start, min(len(words), start + random.randint(1, longest))


def _balanced(words: list[str], random: Random) -> tuple[int, int]:
    """A piece in brackets, or a statement: what a syntax tree has as one part."""
    opening = [k for k, w in enumerate(words) if w in "({[" and w]
    if not opening:
        return _stretch(words, random)
    start = random.choice(opening)
    level = 0
    for k in range(start, len(words)):
        level += words[k] in ("(", "{", "[")
        level -= words[k] in (")", "}", "]")
        if level == 0:
            return start, k + 1
    return _stretch(words, random)


def _left_out(words: list[str], others: Sequence[str], random: Random) -> list[str]:
    start, end = _stretch(words, random, 3)
    return words[:start] + words[end:]


def _repeated(words: list[str], others: Sequence[str], random: Random) -> list[str]:
    start, end = _stretch(words, random)
    return words[:end] + words[start:end] * random.randint(1, 3) + words[end:]


def _exchanged(words: list[str], others: Sequence[str], random: Random) -> list[str]:
    i, j = random.randrange(len(words)), random.randrange(len(words))
    words = list(words)
    words[i], words[j] = words[j], words[i]
    return words


def _replaced(words: list[str], others: Sequence[str], random: Random) -> list[str]:
    words = list(words)
    words[random.randrange(len(words))] = random.choice(words)
    return words


def _extreme(words: list[str], others: Sequence[str], random: Random) -> list[str]:
    numbers = [k for k, w in enumerate(words) if NUMBER.match(w)]
    if not numbers:
        return words
    at = random.choice(numbers)
    return [*words[:at], random.choice(EXTREMES), *words[at + 1 :]]


def _spliced(words: list[str], others: Sequence[str], random: Random) -> list[str]:
    """A part of another text in place of a part of this one."""
    other = words_of(random.choice(others)) if others else words
    start, end = _balanced(words, random)
    first, last = _balanced(other, random)
    return words[:start] + other[first:last][:400] + words[end:]


def _nested(words: list[str], others: Sequence[str], random: Random) -> list[str]:
    """A part inside itself, several times."""
    start, end = _balanced(words, random)
    piece = words[start:end]
    if len(piece) < 3 or len(piece) > 200:
        return words
    times = random.choice((2, 3, 5, 20, 100) if len(piece) < 20 else (2, 3, 4))
    at = random.randrange(1, len(piece))
    return words[:start] + piece[:at] * times + piece[at:] * times + words[end:]


def _many(words: list[str], others: Sequence[str], random: Random) -> list[str]:
    """A part many times beside itself."""
    start, end = _balanced(words, random) if random.random() < 0.5 else _stretch(words, random, 20)
    times = random.choice((2, 5, 20, 100) if end - start < 30 else (2, 3, 5))
    return words[:end] + words[start:end] * times + words[end:]


def _cut(words: list[str], others: Sequence[str], random: Random) -> list[str]:
    return words[: random.randrange(1, len(words) + 1)]


MUTATIONS: tuple[Mutation, ...] = (
    *(_left_out, _repeated, _exchanged, _replaced, _extreme, _extreme, _spliced, _spliced, _nested, _many, _cut),
)
