"""What the user says of a program: facts, from comments in the source, from options, and from a facts file.

    [[fact]]                                 # analyze-facts.toml, in the folder of the first path or above it
    file = "src/scatter.c"                   # from the folder of this file; without it: any file
    function = "scatter"                     # without it: the whole file, or program
    loop = "i"                               # the loops of this variable, or the line of one; without it: all
    holds = ["injective(place)"]             # conditions, as the reports name them
    size = ["n=1e6"]
    independent = "place is a permutation"   # of a `loop`

    [[fact]]
    alloc = ["xmalloc"]                      # functions that give new memory

*Decides*: whether a facts file can be understood; InputError with line and column where not. Whether its facts are
about anything that is there is decided where the code is known (`driver.stated`). *Does not handle*: facts about a line
of a function other than loops. The file may be somebody else's: it is read as data, and nothing in it names what is run
or written.
"""

import difflib
import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from ..base.errors import InputError
from ..base.places import Place

FACTS = "analyze-facts.toml"
MOST_BYTES = 1 << 20

FactKind: TypeAlias = Literal["size", "independent", "holds", "alloc"]


class Fact(Struct, frozen=True):
    """One thing that the user says. `text`: `n=4096`, a reason, `injective(place)`, the name of an allocator. `said`:
    where (line 0: by an option). `path`, `function` and `loop` (its variable, or its line): of what; None: of all."""

    kind: FactKind
    text: str
    said: Place
    path: str | None = None
    function: str | None = None
    loop: str | int | None = None

    def is_of(self, path: str, function: str) -> bool:
        return self.path in (None, path) and self.function in (None, function)

    @property
    def source(self) -> str:
        """How messages call it."""
        if not self.said.line:
            return f"--{self.kind} {self.text}"
        if self.said.path == self.path:
            return f"// analyze: {self.kind}"
        return f"{self.kind} in {self.said.path}:{self.said.line}"


def nearest(start: Path) -> Path | None:
    """The facts file that a run reads where none is given: the nearest one from `start` upwards."""
    folder = start.resolve()
    return next((p for here in (folder, *folder.parents) if (p := here / FACTS).is_file()), None)


def read_facts(path: Path) -> tuple[Fact, ...]:
    """The facts of a file. InputError where it is not there, or is not understood.

    Example: `read_facts(Path("analyze-facts.toml"))[0].text`."""
    import tomllib

    shown = os.path.relpath(path)
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"--facts {shown}: is larger than {MOST_BYTES >> 20} MiB")
        text = path.read_text(encoding="utf-8")
        content = tomllib.loads(text)
    except OSError as error:
        raise InputError(f"--facts {shown}: cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{shown}: {error}") from None
    unknown = next((key for key in content if key != "fact"), None)
    entries = content.get("fact", [])
    written = _Written(shown, text)
    if unknown is not None:
        raise InputError(f"unknown key {unknown!r}; facts stand in tables [[fact]]", written.key(unknown))
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InputError("facts stand in tables [[fact]], with two brackets", written.key("fact"))
    folder = os.path.dirname(os.path.abspath(path))
    return tuple(fact for k, entry in enumerate(entries) for fact in _of_entry(entry, k, folder, written))


_SCOPE = ("file", "function", "loop")
_LISTS: tuple[FactKind, ...] = ("size", "holds", "alloc")
_KEYS = (*_SCOPE, *_LISTS, "independent")


def _of_entry(entry: Mapping[str, Any], k: int, folder: str, written: "_Written") -> Iterator[Fact]:
    for key in entry:
        if key not in _KEYS:
            (near,) = difflib.get_close_matches(key, _KEYS, n=1, cutoff=0.0)
            raise InputError(f"unknown key {key!r}; did you mean {near}?", written.key(key, k))
    path, function, loop = (_scope(entry, key, k, written) for key in _SCOPE)
    _refuse(entry, k, written)
    where = None if path is None else os.path.normpath(os.path.join(folder, str(path)))
    named = None if function is None else str(function)
    for kind in _LISTS:
        for text in _texts(entry, kind, k, written):
            yield Fact(kind, text, written.value(text, k, kind), where, named, loop)
    if "independent" in entry:
        (text,) = _texts(entry, "independent", k, written)
        yield Fact("independent", text, written.key("independent", k), where, named, loop)


def _scope(entry: Mapping[str, Any], key: str, k: int, written: "_Written") -> str | int | None:
    value = entry.get(key)
    of_loop = key == "loop" and isinstance(value, int) and not isinstance(value, bool)
    if value is None or of_loop or (isinstance(value, str) and value):
        return value
    kinds = "the variable of a loop, or its line" if key == "loop" else "a string"
    raise InputError(f"{key} must be {kinds}", written.key(key, k))


def _refuse(entry: Mapping[str, Any], k: int, written: "_Written") -> None:
    """InputError for a fact of nothing, or of more than it can be of."""
    if not any(key in entry for key in (*_LISTS, "independent")):
        raise InputError(f"a fact says something: {', '.join((*_LISTS, 'independent'))}", written.entry(k))
    if "loop" in entry and "function" not in entry:
        raise InputError("loop needs the function that it is in", written.key("loop", k))
    if "independent" in entry and "loop" not in entry:
        raise InputError("independent needs the loop that it is of", written.key("independent", k))
    if "alloc" in entry and "function" in entry:
        raise InputError("alloc holds for all functions of a file, or of the program", written.key("alloc", k))


def _texts(entry: Mapping[str, Any], key: str, k: int, written: "_Written") -> tuple[str, ...]:
    value = entry.get(key, [])
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(t, str) and t.strip() for t in texts):
        raise InputError(f"{key} must be a string or a list of strings", written.key(key, k))
    if key == "independent" and len(texts) != 1:
        raise InputError("independent is one reason", written.key(key, k))
    return tuple(" ".join(t.split()) for t in texts)


class _Written:
    """Where things stand in the text of a facts file, which its values do not say."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.text = path, text
        self.lines = [0, *(m.end() for m in re.finditer("\n", text))]
        self.starts = [m.start() for m in re.finditer(r"^[ \t]*\[\[\s*fact\s*\]\]", text, re.MULTILINE)]

    def entry(self, k: int) -> Place:
        return self._place(self._span(k)[0])

    def key(self, key: str, k: int | None = None) -> Place:
        return self._place(self._of_key(key, k))

    def value(self, text: str, k: int, key: str) -> Place:
        start = self._of_key(key, k)
        found = self.text.find(text, start, self._span(k)[1])
        return self._place(start if found < 0 else found)

    def _of_key(self, key: str, k: int | None) -> int:
        start, end = (0, len(self.text)) if k is None else self._span(k)
        found = re.compile(rf"^[ \t]*\[*\s*[\"']?({re.escape(key)})\b", re.MULTILINE).search(self.text, start, end)
        return start if found is None else found.start(1)

    def _span(self, k: int) -> tuple[int, int]:
        if k >= len(self.starts):
            return 0, len(self.text)
        return self.starts[k], self.starts[k + 1] if k + 1 < len(self.starts) else len(self.text)

    def _place(self, offset: int) -> Place:
        line = bisect_right(self.lines, offset)
        return Place(self.path, line, offset - self.lines[line - 1] + 1)
