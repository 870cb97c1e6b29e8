"""What reports say of the directives that the files have."""

from collections import Counter

from .document import Document
from .verdict_words import counted

FAMILY = "RAC"
"""Begins the rules of findings about directives."""


def answers(document: Document) -> str:
    """How many directives have which answer, in words; empty where there are none.

    Example: "12 directives: 2 with a race, 9 without, 1 unknown"."""
    found = Counter(d.answer for file in document.files for d in file.directives)
    without = "without" if found["race"] else "without a race"
    numbers = ((found["race"], "with a race"), (found["no-race"], without), (found["unknown"], "unknown"))
    listed = ", ".join(f"{n} {words}" for n, words in numbers if n)
    return f"{counted('directive', found.total())}: {listed}" if listed else ""
