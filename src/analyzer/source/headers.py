"""Which headers a file asks for, before the compiler is run: what `-I` flags are missing, what is nowhere."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from glob import glob
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct, field

from ..base.regex import regex
from .project import Project

_INCLUDE = regex(r'^[ \t]*#[ \t]*(?:include|import|include_next)[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)
CONFIGURATION = regex(r"(?:\w+[-_])?config\.h\Z")
"""What a header is called that says what configure found."""
_MOST_FILES = 400
_MOST_BYTES = 4 << 20

STANDINS = Path(__file__).parent / "standins"


class Made(Struct, frozen=True):
    """A header that stands for one that the build would make. `template`: the file it is made from, "" for none;
    `others`: how many templates were passed over; `answered` and `open`: how many names are answered, and of how many
    nothing is known."""

    text: str
    template: str = ""
    others: int = 0
    answered: int = 0
    open: int = 0


Make: TypeAlias = Callable[[str, str, str | None], Made | None]
"""Makes the header of a name, asked for in a folder; the third: the folder of one that would be taken instead."""


class HeaderPlan(Struct):
    """`directories` maps each `-I` to add to the header names it was added for; `missing` lists the headers that are
    nowhere, each with the file and line of its `#include`; `made` those that a build would make; `configured` the
    configuration headers that the project has; `asked_at` has all that were looked for in the project's tree;
    `read` the files that were looked into."""

    directories: dict[str, list[str]] = field(default_factory=dict)
    missing: dict[str, tuple[str, int]] = field(default_factory=dict)
    made: dict[str, Made] = field(default_factory=dict)
    configured: set[str] = field(default_factory=set)
    asked_at: dict[str, tuple[str, int]] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)


@cache
def system_directories() -> tuple[str, ...]:
    """Where compilers keep headers by custom; good enough to know which are surely there."""
    fixed = ["/usr/local/include", "/usr/include"]
    patterns = ("/usr/include/*-linux-*", "/usr/lib/gcc/*/*/include", "/usr/lib/llvm*/lib/clang/*/include")
    return tuple(d for d in [*fixed, *(found for p in patterns for found in sorted(glob(p)))] if os.path.isdir(d))


def includes(text: str) -> Iterator[tuple[str, bool, int]]:
    """Name, whether it is quoted, and line of each `#include` in a text (conditions are not looked at)."""
    for match in _INCLUDE.finditer(text):
        yield match[1] or match[2], match[1] is not None, text.count("\n", 0, match.start()) + 1


def plan_headers(
    path: Path, text: str, given: Iterable[str], project: Project, with_compiler: bool, make: Make = lambda *_: None
) -> HeaderPlan:
    """Follows the `#include`s of a file through the project and finds a directory for each that needs one.

    `given` are the include directories already known. Headers that the compiler surely has are left to it; those that
    the build would make are made."""
    return _Planner([*given, *(system_directories() if with_compiler else ())], project, make).plan(str(path), text)


class _Planner:
    def __init__(self, known: list[str], project: Project, make: Make) -> None:
        self.known, self.project, self.make = known, project, make
        self.found = HeaderPlan()

    def plan(self, path: str, text: str) -> HeaderPlan:
        seen = self.found.read
        queue = [(path, text)]
        done: set[str] = set()
        while queue and len(seen) < _MOST_FILES:
            file, content = queue.pop()
            of_build = file in done
            for name, quoted, line in includes(content):
                found = self.locate(name, quoted and not of_build, file, line)
                made = self.found.made.get(name)
                if found is None and made is not None:
                    at = made.template or name
                    if at not in done:
                        done.add(at)
                        queue.append((at, made.text))
                elif found and found not in seen and self.project.holds(found):
                    seen.add(found)
                    queue.append((found, _text_of(found)))
        return self.found

    def locate(self, name: str, quoted: bool, file: str, line: int) -> str | None:
        """The file an include means; notes in the plan what has to be added for it."""
        plan, near = self.found, os.path.dirname(file)
        if name in plan.made and not (quoted and os.path.isfile(os.path.join(near, name))):
            return None
        for directory in ([near] if quoted else []) + [*self.known, *plan.directories]:
            candidate = os.path.normpath(os.path.join(directory, name))
            if os.path.isfile(candidate):
                if directory in plan.directories and name not in plan.directories[directory]:
                    plan.directories[directory].append(name)
                return self.taken(name, candidate)
        if not quoted and os.path.isfile(STANDINS / name):  # which takes names of any length
            return None  # `<math.h>` is the C library's, wherever the tree has a file of that name
        plan.asked_at.setdefault(name, (file, line))
        holder = self.project.find(name, near)
        made = self.make(name, near, holder)
        if made is not None:
            plan.made[name] = made
            return None
        if holder is not None:
            plan.directories.setdefault(holder, []).append(name)
            return self.taken(name, os.path.join(holder, name))
        if not os.path.isfile(STANDINS / name):
            plan.missing.setdefault(name, (file, line))
        return None

    def taken(self, name: str, path: str) -> str:
        if CONFIGURATION.match(os.path.basename(name)) and self.project.holds(path):
            self.found.configured.add(name)
        return path


def _text_of(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def write_headers(texts: Mapping[str, str], folder: str) -> str:
    """Writes headers that are not in the tree, empty ones for missing headers, and gives the directory to search.

    The directory lies deep in `folder`, so that `../x.h` stays inside; names that leave it anyway are ignored."""
    inside = os.path.join(folder, "a", "b", "c", "d", "e", "f")
    os.makedirs(inside, exist_ok=True)
    for name, text in texts.items():
        target = os.path.normpath(os.path.join(inside, name))
        if not target.startswith(folder + os.sep) or os.path.isdir(target):
            continue
        _make_way(inside, name, folder)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
    return inside


def _make_way(inside: str, name: str, folder: str) -> None:
    """`gone/../x.h` is only found if `gone` is there."""
    way = inside
    for step in name.split("/")[:-1]:
        way = os.path.normpath(os.path.join(way, step))
        if way.startswith(folder + os.sep):
            os.makedirs(way, exist_ok=True)
