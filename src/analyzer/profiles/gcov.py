"""gcov's JSON (`gcov -b --json-format`, GCC 9 and newer): executions of lines, branches and functions.

    { "format_version", "current_working_directory", "files": [ { "file",
      "functions": [ { "name", "start_line", "execution_count" } ],
      "lines": [ { "line_number", "count", "branches": [ { "count", "fallthrough" } ] } ] } ] }

A line of a header that several units include, or of a function that was inlined, appears once per place: counts add up.
"""

import gzip
import json
import os
from pathlib import Path
from typing import Any

from ..base.errors import InputError
from .model import Branch, Line, SourceCounts

REFRESH = "compile with -O0 --coverage, run, and `gcov -b --json-format *.gcda`"


def is_gcov(path: Path, head: bytes) -> bool:
    return path.name.endswith((".gcov.json", ".gcov.json.gz")) or head.startswith(b"\x1f\x8b")


def read(path: Path, content: bytes) -> tuple[SourceCounts, ...]:
    """The sources of one file. InputError where it is no JSON of gcov, or has no branches at all."""
    try:
        data = json.loads(gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content)
        folder = data["current_working_directory"]
        found = tuple(_source(folder, file) for file in data["files"])
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"--profile {path}: no JSON of gcov ({type(error).__name__}: {error}); {REFRESH}") from None
    if any(s.lines for s in found) and not any(line.branches for s in found for line in s.lines.values()):
        raise InputError(f"--profile {path}: it counts no branches; {REFRESH}")
    return found


def _source(folder: str, file: dict[str, Any]) -> SourceCounts:
    lines: dict[int, Line] = {}
    for entry in file["lines"]:
        branches = tuple(Branch(int(b["count"]), bool(b["fallthrough"])) for b in entry["branches"])
        line = Line(int(entry["count"]), branches)
        number = int(entry["line_number"])
        lines[number] = added(lines[number], line) if number in lines else line
    functions: dict[str, tuple[int, int]] = {}
    for entry in file["functions"]:
        before = functions.get(entry["name"], (0, 0))[1]
        functions[entry["name"]] = int(entry["start_line"]), before + int(entry["execution_count"])
    path = os.path.normpath(os.path.join(folder, file["file"]))
    return SourceCounts(path, lines, functions)


def added(a: Line, b: Line) -> Line:
    """One line of two objects or runs. Branches add up where both have the same."""
    if not a.branches or not b.branches:
        return Line(a.count + b.count, a.branches or b.branches)
    if [x.fallthrough for x in a.branches] != [y.fallthrough for y in b.branches]:
        return Line(a.count + b.count)
    both = zip(a.branches, b.branches, strict=True)
    return Line(a.count + b.count, tuple(Branch(x.count + y.count, x.fallthrough) for x, y in both))


def merged(a: SourceCounts, b: SourceCounts) -> SourceCounts:
    """One source of two objects or runs."""
    lines = dict(a.lines)
    for number, line in b.lines.items():
        lines[number] = added(lines[number], line) if number in lines else line
    functions = dict(a.functions)
    for name, (start, calls) in b.functions.items():
        functions[name] = start, calls + functions.get(name, (0, 0))[1]
    return SourceCounts(a.path, lines, functions)
