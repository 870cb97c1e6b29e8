"""Conditions in C: several as one, and those that maps of memory need."""

import re
from collections.abc import Iterable, Iterator

from ..base.regex import regex
from ..report.loop_entries import LoopEntry
from .text import Text

_BINDS_LESS = regex(r"\|\||[?,]|[^=!<>]=[^=]")
"""What has to stand in brackets beside `&&`."""


def all_of(tests: Iterable[str]) -> str:
    """C that says whether all of them hold.

    >>> all_of(["n >= 100", "lda >= n", "p < q || q < p"])
    'n >= 100 && lda >= n && (p < q || q < p)'
    """
    known = list(tests)
    return "".join(known) if len(known) < 2 else " && ".join(f"({t})" if _binds_less(t) else t for t in known)


def _binds_less(test: str) -> bool:
    return not test.startswith("({") and _BINDS_LESS.search(test) is not None


def with_sections(text: Text, loop: LoopEntry, condition: str | None) -> str | None:
    """When it is worth it, and the sections are what they say."""
    asked = [] if condition is None else [condition]
    for value in loop.on_device.positive if loop.on_device is not None else ():
        test = above_zero(value)
        first = re.match(r"(\w+) >= [1-9]", condition or "")
        if first is None or test != f"{first[1]} > 0":
            asked.append(test)
    asked += _not_null(text, loop)
    return all_of(asked) if asked else None


def above_zero(text: str) -> str:
    """C that says whether a value is greater than 0.

    >>> above_zero("(long long)p->n - 2"), above_zero("w")
    ('p->n > 2', 'w > 0')
    """
    found = re.fullmatch(r"(?:\(long long\))?([\w.]+(?:->[\w.]+)*) - (\d+)", text)
    return f"{text} > 0" if found is None else f"{found[1]} > {found[2]}"


def _not_null(text: Text, loop: LoopEntry) -> Iterator[str]:
    """Pointers that lead somewhere, as C, where the loop asks before it uses them."""
    first = text.at(loop.line, loop.column)
    for m in loop.maps:
        names = (k for k in range(first, text.after(first)) if text.is_at(k, m.name))
        if not m.exact and m.length is not None and any(not text.is_at(k + 1, "[", "->") for k in names):
            yield m.name
