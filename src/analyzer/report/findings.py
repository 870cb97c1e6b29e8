"""What is worth a line of its own: diagnostics, candidates and what blocks the others, by rule."""

from collections.abc import Iterator

from msgspec import Struct

from ..rules import BY_CODE, LEVELS, Level
from .document import Document, FileEntry

UNSAID = ("parent-better", "children-better", "already-parallel", "unparsed", "internal-error")
"""Reasons without a finding: another loop of the nest has it, or a diagnostic does."""


class Finding(Struct, frozen=True):
    path: str
    line: int
    column: int
    rule: str
    level: Level
    message: str


def findings(document: Document) -> Iterator[Finding]:
    """In the order path, line, column."""
    for file in document.files:
        yield from sorted(_of_file(file), key=lambda f: (f.line, f.column, f.rule))


def ignored(file: FileEntry, line: int, rule: str) -> str | None:
    """Why the source asks for no finding of this rule on this line (empty: it does not say); None where it does not."""
    return next((i.reason for i in file.ignored if i.line == line and rule.startswith(i.rule)), None)


def _of_file(file: FileEntry) -> Iterator[Finding]:
    return (f for f in _all(file) if ignored(file, f.line, f.rule) is None)


def _all(file: FileEntry) -> Iterator[Finding]:
    for d in file.diagnostics:
        yield Finding(file.path, d.line, d.column, d.rule, d.level, d.message)
    for loop in file.loops:
        reason = loop.recommendation.reason
        if reason.code in UNSAID:
            continue
        rule = BY_CODE[reason.code]
        yield Finding(file.path, loop.line, loop.column, rule.id, rule.level, reason.message)


def worst(document: Document) -> Level | None:
    """The highest level of any finding."""
    found = [f.level for f in findings(document)]
    return max(found, key=LEVELS.index) if found else None
