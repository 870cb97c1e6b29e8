"""Reads a page of `--dump nest` back: its assignments by name, for isl and for enumeration."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

ASSIGNMENT = re.compile(r"^(\w+) := (.*?\});$", re.DOTALL | re.MULTILINE)

TUPLE = re.compile(r"(\w*)\[([-\d, ]*)\]")


def assignments(page: str) -> dict[str, str]:
    """The right hand sides by name."""
    return dict(ASSIGNMENT.findall(page))


def outside(page: str) -> list[str]:
    """The lines that belong to no assignment."""
    return [line for line in ASSIGNMENT.sub("", page).splitlines() if line]


def pieces(text: str) -> Iterator[str]:
    """Every piece of an assignment as a relation of its own, with its parameters."""
    head, _, rest = text.partition("{")
    for line in rest.rstrip("}").splitlines():
        piece = line.strip().rstrip(";")
        if piece and not piece.startswith("#"):
            yield f"{head}{{ {piece} }}"


def read(text: str) -> Any:
    """As islpy reads it: a set or a relation."""
    import islpy

    return (islpy.UnionMap if "->" in text.split("{", 1)[1] else islpy.UnionSet)(text)


@lru_cache(maxsize=32)
def _relation(text: str) -> Any:
    """Read once for all questions about a page; isl changes nothing that it was given."""
    import islpy

    return islpy.UnionMap(text)


def relation(found: dict[str, str], *names: str) -> Any:
    """The union of the named relations; a missing one is empty."""
    total = _relation("{ }")
    for name in names:
        if name in found:
            total = total.union(_relation(found[name]))
    return total


def points(found: Any) -> list[tuple[tuple[str, tuple[int, ...]], ...]]:
    """All points of a relation without parameters; each tuple as its name and numbers."""
    listed: list[str] = []
    if found.is_empty():
        return []
    found.wrap().foreach_point(lambda point: listed.append(str(point)))
    return [tuple((name, _numbers(text)) for name, text in TUPLE.findall(point)) for point in listed]


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(",") if number.strip())
