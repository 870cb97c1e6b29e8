"""Lines for a terminal: their width, their colours, labels before them."""

import os
import shutil
import textwrap
from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

WIDTH = 80
NARROWEST, WIDEST = 60, 100
UNBROKEN = "\u00a0"  # a space at which a line is not broken
COLORS = {"offload": "1;32", "host-parallel": "1;36", "depends": "33", "host": "0", "cannot-model": "2"}

Much: TypeAlias = Literal["totals", "decisions", "all"]
"""How much of a run is printed: nothing of single loops; of a run of many loops those worth a decision; every loop."""


class Style(Struct, frozen=True):
    color: bool = False
    width: int = WIDTH
    much: Much = "all"

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.color and code != "0" else text


def style_of(terminal: bool, color: str, much: Much) -> Style:
    """For standard output. `color`: `auto`, `always` or `never`; where it is `auto` the environment decides, as
    no-color.org, force-color.org and CLICOLOR say, before it matters whether output goes to a `terminal`."""
    width = min(max(shutil.get_terminal_size().columns, NARROWEST), WIDEST) if terminal else WIDTH
    return Style(_is_coloured(terminal) if color == "auto" else color == "always", width, much)


def _is_coloured(terminal: bool) -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    forced = (os.environ.get(name, "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE"))
    if any(value != "0" for value in forced):
        return True
    return terminal and os.environ.get("TERM") != "dumb" and os.environ.get("CLICOLOR") != "0"


def labelled(label: str, text: str, style: Style, indent: int = 10) -> Iterator[str]:
    """The text behind a label, in lines that begin below each other."""
    yield from wrapped(" " * indent + f"{label:<8}", text, style)


def wrapped(prefix: str, text: str, style: Style) -> Iterator[str]:
    """Lines of at most the style's width; what should stay on one line is broken where it is longer than that."""
    room = style.width - len(prefix)
    parts = (part if len(part) <= room else part.replace(UNBROKEN, " ") for part in text.split(" "))
    lines = textwrap.wrap(
        " ".join(parts),
        width=style.width,
        initial_indent=prefix,
        subsequent_indent=" " * len(prefix),
        break_long_words=False,
        break_on_hyphens=False,
    )
    yield from (line.replace(UNBROKEN, " ") for line in lines)


def clipped(prefix: str, text: str, style: Style, most: int) -> Iterator[str]:
    """The first lines of a text that may be of any length, with an ellipsis where more follow."""
    lines = list(wrapped(prefix, text, style))
    yield from lines[:most]
    if len(lines) > most:
        yield " " * len(prefix) + "…"
