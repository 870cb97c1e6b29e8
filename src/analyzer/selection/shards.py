"""A part of the files of a run, for machines that share it: `--shard 3/16` is the third of sixteen parts.

*Decides*: which files belong to a part, from their names and sizes alone: every machine that has the same files divides
them in the same way, and no two analyse one.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from ..base.errors import InputError


class Shard(Struct, frozen=True):
    """Part `number` (1 and up) of `of`."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def shard(text: str) -> Shard:
    """Example: `shard("3/16") == Shard(3, 16)`. InputError for what is no part."""
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    number, of = (int(found[1]), int(found[2])) if found is not None else (0, 0)
    if not 1 <= number <= of:
        raise InputError(f"--shard {text}: give the part and how many there are, as 1/4 to 4/4")
    return Shard(number, of)


def in_shard(files: Sequence[Path], wanted: Shard) -> frozenset[Path]:
    """The files of the part: the largest first, each goes to the part that has least so far."""
    sizes = {file: _size(file) for file in files}
    parts: list[tuple[int, list[Path]]] = [(0, []) for _ in range(wanted.of)]
    for file in sorted(sizes, key=lambda one: (-sizes[one], str(one))):
        least = min(range(wanted.of), key=lambda k: (parts[k][0], k))
        size, held = parts[least]
        parts[least] = (size + sizes[file] + 1, [*held, file])
    return frozenset(parts[wanted.number - 1][1])


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
