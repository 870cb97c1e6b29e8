"""Which headers a file asks for, before the compiler is run: what `-I` flags are missing, what is nowhere."""

import os
import re
from collections.abc import Iterable, Iterator
from functools import cache
from glob import glob
from pathlib import Path

from msgspec import Struct, field

from .project import Project

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*(?:include|import|include_next)[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)
_MOST_FILES = 400
_MOST_BYTES = 4 << 20

STANDINS = Path(__file__).parent / "standins"


class HeaderPlan(Struct):
    """`directories` maps each `-I` to add to the header names it was added for; `missing` lists the headers that are
    nowhere, each with the file and line of its `#include`; `asked_at` has all that were looked for in the project's
    tree; `read` the files that were looked into."""

    directories: dict[str, list[str]] = field(default_factory=dict)
    missing: dict[str, tuple[str, int]] = field(default_factory=dict)
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


def plan_headers(path: Path, text: str, given: Iterable[str], project: Project, with_compiler: bool) -> HeaderPlan:
    """Follows the `#include`s of a file through the project and finds a directory for each that needs one.

    `given` are the include directories already known. Headers that the compiler surely has are left to it."""
    plan = HeaderPlan()
    known = [*given]
    if with_compiler:
        known += system_directories()
    seen = plan.read
    queue = [(str(path), text)]
    while queue and len(seen) < _MOST_FILES:
        file, content = queue.pop()
        for name, quoted, line in includes(content):
            found = _locate(name, quoted, file, [*known, *plan.directories], project, plan, line)
            if found and found not in seen and project.holds(found):
                seen.add(found)
                queue.append((found, _text_of(found)))
    return plan


def _locate(
    name: str, quoted: bool, file: str, known: list[str], project: Project, plan: HeaderPlan, line: int
) -> str | None:
    """The file an include means; notes in the plan what has to be added for it."""
    near = os.path.dirname(file)
    for directory in ([near] if quoted else []) + known:
        candidate = os.path.normpath(os.path.join(directory, name))
        if os.path.isfile(candidate):
            if directory in plan.directories and name not in plan.directories[directory]:
                plan.directories[directory].append(name)
            return candidate
    plan.asked_at.setdefault(name, (file, line))
    holder = project.find(name, near)
    if holder is not None:
        plan.directories.setdefault(holder, []).append(name)
        return os.path.join(holder, name)
    if not (STANDINS / name).is_file():
        plan.missing.setdefault(name, (file, line))
    return None


def _text_of(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def empty_headers(names: Iterable[str], folder: str) -> str:
    """Makes empty files that stand for missing headers, and gives the directory to search for them.

    The directory lies deep in `folder`, so that `../x.h` stays inside; names that leave it anyway are ignored."""
    inside = os.path.join(folder, "a", "b", "c", "d", "e", "f")
    os.makedirs(inside, exist_ok=True)
    for name in names:
        target = os.path.normpath(os.path.join(inside, name))
        if not target.startswith(folder + os.sep) or os.path.exists(target):
            continue
        _make_way(inside, name, folder)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="ascii"):
            pass
    return inside


def _make_way(inside: str, name: str, folder: str) -> None:
    """`gone/../x.h` is only found if `gone` is there."""
    way = inside
    for step in name.split("/")[:-1]:
        way = os.path.normpath(os.path.join(way, step))
        if way.startswith(folder + os.sep):
            os.makedirs(way, exist_ok=True)
