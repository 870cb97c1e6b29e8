"""Removes from a program what a finding does not need: functions first, then statements and declarations."""

import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from .generate import Program
from .judge import Finding, Judge, Tally

HEADER = "h.h"
Parts: TypeAlias = Callable[[str], Iterator[tuple[int, int]]]
"""From a text to the lines that can be taken away together: the first one, and the one behind the last."""


def shrunk(finding: Finding) -> Finding:
    """The finding with the smallest program found that still has it."""
    if finding.loop is None:
        return finding
    with tempfile.TemporaryDirectory() as folder:
        found, judge = finding, Judge(Tally(), Path(folder))

        def still(program: Program) -> bool:
            nonlocal found
            judge.tally = Tally()
            judge.judge(program)
            again = judge.tally.findings
            same = [f for f in again if f.kind == finding.kind and _function(f) == _function(finding)]
            found = same[0] if same else found
            return bool(same)

        _removed(finding.program, _functions, still)
        _removed(found.program, _statements, still)
    return found


def _function(finding: Finding) -> str:
    return finding.loop.function if finding.loop is not None else ""


def _removed(program: Program, parts: Parts, still: Callable[[Program], bool]) -> None:
    """Takes away one part after the other, the last one first, where the finding stays."""
    for name in (*program.files, HEADER):
        for begin, end in reversed(list(parts(_text(program, name)))):
            lines = _text(program, name).split("\n")
            smaller = _with(program, name, "\n".join(lines[:begin] + lines[end:]))
            if still(smaller):
                program = smaller


def _text(program: Program, name: str) -> str:
    return program.header if name == HEADER else program.files[name]


def _with(program: Program, name: str, text: str) -> Program:
    """The program with another text of a file; functions and variables that are gone are no longer called and looked
    at."""
    if name == HEADER:
        return replace(program, header=text)
    files = {**program.files, name: text}
    kernels = tuple(k for k in program.kernels if f" {k.name}(" in files[k.file])
    own = {file: tuple(v for v in names if _declares(files[file], v)) for file, names in program.own.items()}
    return replace(program, files=files, kernels=kernels, own=own)


def _declares(text: str, variable: str) -> bool:
    return re.search(rf"(?m)^static .*\b{variable}\b", text) is not None


def _functions(text: str) -> Iterator[tuple[int, int]]:
    """Lines from the head of a function to its closing brace."""
    lines = text.split("\n")
    for begin, line in enumerate(lines[:-1]):
        if lines[begin + 1] == "{" and not line.startswith(" "):
            yield begin, lines.index("}", begin) + 1


def _statements(text: str) -> Iterator[tuple[int, int]]:
    """Single lines, and lines to the one that closes their brace."""
    lines = text.split("\n")
    for begin, line in enumerate(lines):
        depth = line.count("{") - line.count("}")
        end = begin + 1
        while depth > 0 and end < len(lines):
            depth += lines[end].count("{") - lines[end].count("}")
            end += 1
        if line.strip() and depth == 0 and not line.startswith(("#endif", "#ifndef", "}")):
            yield begin, end
