"""Which files of a run seem to define a function, by the look of their text: a name, its parameters and a brace at the
left margin. Nothing is preprocessed, so it is a hint for where to read on, and no more."""

import os
import re
from collections.abc import Iterable
from functools import lru_cache

_HEAD = re.compile(
    r"^(?:[A-Za-z_][\w \t*]*[\s*])??([A-Za-z_]\w*)[ \t]*\((?:[^(){};]|\([^(){};]*\))*\)(?:\s*[A-Z_][A-Z0-9_]*)?\s*\{",
    re.MULTILINE,
)


def candidates(names: Iterable[str], files: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """For each of the names that some of these files seem to define, which; in the order of the files."""
    heads = [(file, _heads(file, *_state(file))) for file in files]
    found = ((name, tuple(file for file, defined in heads if name in defined)) for name in sorted(set(names)))
    return {name: where for name, where in found if where}


def _state(file: str) -> tuple[int, int]:
    try:
        seen = os.stat(file)
    except OSError:
        return 0, 0
    return seen.st_mtime_ns, seen.st_size


@lru_cache(maxsize=4096)
def _heads(file: str, _changed: int, _size: int) -> frozenset[str]:
    """A file is read once in each state that it is in."""
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as opened:
            return frozenset(_HEAD.findall(opened.read()))
    except OSError:
        return frozenset()
