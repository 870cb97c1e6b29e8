"""Names that are near a mistyped one, for messages."""

import difflib
import os
from collections.abc import Iterable, Sequence

MOST = 3
"""Names in one message."""


def near_names(wanted: str, known: Iterable[str]) -> str:
    """`; did you mean a?`, or some of the names where none is near; nothing where there is none."""
    names = sorted(set(known))
    near = difflib.get_close_matches(wanted, names, n=MOST, cutoff=0.5)
    if near:
        return f"; did you mean {', '.join(near)}?"
    return f"; there is {listed(names)}" if names else ""


def listed(names: Sequence[str]) -> str:
    """The first of them, paths from the working directory, and how many more there are; `nothing`."""
    shown = [os.path.relpath(name) if os.path.isabs(name) else name for name in names[:MOST]]
    return ", ".join(shown) + (f" and {len(names) - MOST} more" if len(names) > MOST else "") or "nothing"
