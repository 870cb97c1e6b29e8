"""Which files of a run seem to define a function, by the look of their text: a name, its parameters and a brace.
Nothing is preprocessed, so it is a hint for where to read on, and no more: of a name that a macro makes, as
`LIBRARY(shift)` may make `library_shift`, only the part that is written there is known. Heads in the old style are not
seen."""

import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from msgspec import Struct

from ..base.regex import regex

_BODY = regex(r"\)(?:\s*[A-Z_][A-Z0-9_]*)?\s*\{")
_NAME = regex(r"([A-Za-z_]\w*)[ \t]*\(")
_MADE_NAME = regex(r"[A-Za-z_]\w*[ \t]*\([ \t]*([A-Za-z_]\w{2,})[ \t]*\)[ \t]*\(")
_MANAGES = regex(r"[A-Za-z_]*(?:alloc|memalign|free)\w*\s*\(")
_BRACE = regex(r"[{}]")
LONGEST_MANAGER = 2000
"""Characters of its body."""
_COMMENTS_AND_TEXTS = regex(
    r"""/\*[^*]*\*+(?:[^/*][^*]*\*+)*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""", re.DOTALL
)
_NOT_CODE = regex(r"^[ \t]*#[^\n]*|\b__attribute__\s*\(\([^()]*\)\)", re.MULTILINE)


class WhereDefined:
    """What files seem to define, as they are when this is made."""

    def __init__(self, files: Iterable[str]) -> None:
        self._where: dict[str, list[str]] = {}
        self._parts: dict[str, list[str]] = {}
        self._managers: set[str] = set()
        for file in files:
            heads = _heads(file, *_state(file))
            self._managers |= heads.managers
            for name in heads.functions:
                self._where.setdefault(name, []).append(file)
            for part in heads.parts:
                self._parts.setdefault(part, []).append(file)

    def of(self, name: str) -> tuple[str, ...]:
        """The files that seem to define a function, in their order. Where none has its name, those in which a macro may
        make it: that have the longest part of it."""
        plain = self._where.get(name)
        if plain is not None:
            return tuple(plain)
        parts = [part for part in self._parts if name.endswith(part) or name.startswith(part)]
        return tuple(self._parts[max(parts, key=len)]) if parts else ()

    def candidates(self, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """For each of the names that some of the files seem to define, which."""
        return {name: files for name in sorted(set(names)) if (files := self.of(name))}

    def managers(self, names: Iterable[str]) -> frozenset[str]:
        """Those of the names that seem to be of functions which hand out memory that they allocate, or release it."""
        return frozenset(names) & self._managers


def _state(file: str) -> tuple[int, int]:
    try:
        seen = os.stat(file)
    except OSError:
        return 0, 0
    return seen.st_mtime_ns, seen.st_size


class _Heads(Struct, frozen=True):
    functions: frozenset[str] = frozenset()
    parts: frozenset[str] = frozenset()
    """Of names that macros make, what is written in their brackets."""
    managers: frozenset[str] = frozenset()


@lru_cache(maxsize=4096)
def _heads(file: str, _changed: int, _size: int) -> _Heads:
    """A file is read once in each state that it is in."""
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as opened:
            text = _COMMENTS_AND_TEXTS.sub(" ", opened.read())
    except OSError:
        return _Heads()
    defined = list(_defined(text))
    managers = (name for name, head, at in defined if "*" in head and _seems_to_manage(text, at))
    made = (_MADE_NAME.search(head) for _, head, _ in defined)
    parts = frozenset(found[1] for found in made if found is not None)
    return _Heads(frozenset(name for name, _, _ in defined), parts, frozenset(managers))


def _seems_to_manage(text: str, at: int) -> bool:
    """Whether a short body that begins there calls what has a name like that of what gives or releases memory."""
    found = _MANAGES.search(text, at, at + LONGEST_MANAGER)
    if found is None:
        return False
    depth = 0
    for brace in _BRACE.finditer(text, at, at + LONGEST_MANAGER):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return found.start() < brace.start()
    return False


def _defined(text: str) -> Iterator[tuple[str, str, int]]:
    """The first name before a bracket, between what ends a statement and the brace of a body; that text, and where the
    body begins."""
    for body in _BODY.finditer(text):
        end = body.start()
        start = max(text.rfind(mark, 0, end) for mark in ";{}") + 1
        head = text[start : end + 1]
        if "#" in head or "__attribute__" in head:
            head = _NOT_CODE.sub(" ", head)
        name = _NAME.search(head)
        if name is not None:
            yield name[1], head, end
