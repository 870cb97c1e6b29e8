"""The headers that lie somewhere in a source tree, by their base names."""

import os
from collections.abc import Iterator
from functools import cache

SUFFIXES = (".h", ".inc", ".def", ".hh", ".hpp", ".c", ".x")
_MOST_ENTRIES = 50_000


def ending_with(root: str, header: str) -> list[str]:
    """Files below `root` that `#include "header"` could mean, given the right `-I`."""
    return [file for file in _index(root).get(os.path.basename(header), ()) if file.endswith(os.sep + header)]


@cache
def _index(root: str) -> dict[str, list[str]]:
    """Files below `root` that may be included, by base name. Links to directories are not followed."""
    found: dict[str, list[str]] = {}
    for file in _files(root):
        found.setdefault(os.path.basename(file), []).append(file)
    return found


def _files(root: str) -> Iterator[str]:
    seen = 0
    for directory, subdirectories, names in os.walk(root):
        subdirectories[:] = sorted(d for d in subdirectories if not d.startswith("."))
        for name in sorted(names):
            if name.endswith(SUFFIXES):
                yield os.path.join(directory, name)
        seen += len(names) + len(subdirectories)
        if seen > _MOST_ENTRIES:
            return
