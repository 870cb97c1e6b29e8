"""Text from the analysed code made harmless for people's eyes, terminals and the logs of CI services.

File names, comments and C text may hold escape sequences, line breaks, signs that reverse the direction of writing,
words that a CI service obeys where it finds them in a log, or ten thousand characters. JSON escapes them by itself;
every format for people shows them as they are written in C.
"""

import re
import sys
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ..base.regex import regex
from .document import Document, EditEntry
from .formula import Formula
from .program_entries import PatchEntry

LONGEST = 500
"""Characters of one text; a message is a sentence, and what is longer is code quoted in it."""

# Controls, the byte order mark, line and paragraph separators, and signs that change the direction of writing.
_UNSEEN = "[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
# What CI services obey: `::error::` where a line begins (any word may be broken to there), `##[error]` and `##vso[`.
_COMMAND = regex(r"(?<!\S)::(?=\S)|##(?=\w*\[)")
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}

T = TypeVar("T")


def cleaned(document: Document) -> Document:
    """The document with every text harmless; source texts are left out."""
    return clean(replace(document, sources=None, files=tuple(document.files)))


def visible(text: str, longest: int = LONGEST) -> str:
    """The text with what cannot be seen written out, commands of CI services broken, and cut where it is very long.

    Example: `visible("a\\x1b[31m")` is the text `a\\x1b[31m` with a backslash in place of the escape character."""
    shown = text if text.isprintable() else re.sub(_UNSEEN, _written, text)
    if "::" in shown or "##" in shown:
        shown = _COMMAND.sub(lambda match: " ".join(match[0]), shown)
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


def whole(text: str) -> str:
    """Visible, and never cut: what a page has room for, and a command that somebody types."""
    return visible(text, sys.maxsize)


def visible_lines(text: str) -> str:
    """Each line of a text visible, and none cut."""
    return "\n".join(visible(line, len(text) + 8) for line in text.split("\n"))


def _written(match: re.Match[str]) -> str:
    sign = match[0]
    if 0xDC80 <= ord(sign) <= 0xDCFF:  # a byte that is no UTF-8
        return f"\\x{ord(sign) - 0xDC00:02x}"
    return _NAMED.get(sign) or (f"\\x{ord(sign):02x}" if ord(sign) < 256 else f"\\u{ord(sign):04x}")


def clean(value: T) -> T:
    """An entry of a document, or several, with every text harmless: the same value where nothing in it had to change,
    so that most of a document is not copied."""
    match value:
        case None | int() | float() | Formula():  # the text of a formula is made visible where it is made
            return value
        case EditEntry() | PatchEntry():  # lines of code
            return value
        case str():
            return visible(value)  # type: ignore[return-value]
        case tuple():
            items = tuple(clean(item) for item in value)
            return items if any(a is not b for a, b in zip(items, value, strict=True)) else value  # type: ignore[return-value]
        case dict():
            entries = {clean(key): clean(item) for key, item in value.items()}
            same = all(key is old and entries[key] is value[old] for key, old in zip(entries, value, strict=False))
            return value if same and len(entries) == len(value) else entries  # type: ignore[return-value]
        case Struct():
            found = {name: getattr(value, name) for name in value.__struct_fields__}
            changed = {name: new for name, old in found.items() if (new := clean(old)) is not old}
            return replace(value, **changed) if changed else value
        case _:
            return value
