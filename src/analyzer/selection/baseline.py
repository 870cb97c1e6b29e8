"""Findings that are known and accepted, in a file that is kept with the code.

An entry is a rule, a path, a function and a fingerprint of the loop's words (`fingerprints`): it stays when code around
the loop moves, and is new again when the loop changes. Entries that match nothing any more are stale, and are said.
"""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from ..base.errors import InputError
from ..report.document import Document
from ..report.findings import identities

VERSION = 1

Naming: TypeAlias = Callable[[str], str]
"""From a path of a document to the same in a baseline, which does not depend on where the command runs."""


class Known(Struct, frozen=True, order=True):
    """One accepted finding."""

    path: str
    function: str
    rule: str
    fingerprint: str


def known_findings(document: Document, name: Naming) -> frozenset[Known]:
    """All findings of a run as entries."""
    return frozenset(
        Known(name(finding.path), finding.loop.function if finding.loop else "", finding.rule, identity)
        for finding, identity in identities(document)
        if finding.ignored is None
    )


def read(path: Path) -> frozenset[Known]:
    """The entries of a baseline file. InputError where it cannot be read or is none."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["version"] != VERSION:
            raise InputError(f"{path}: version {data['version']!r} of a baseline is not known; this reads {VERSION}")
        names = Known.__struct_fields__
        return frozenset(Known(**{name: str(entry[name]) for name in names}) for entry in data["findings"])
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); make it with --write-baseline") from None
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{path}: no baseline; make it with --write-baseline {path}") from None


def write(path: Path, entries: Iterable[Known]) -> None:
    """One entry per line, sorted, so that a change of the code is a small change of the file."""
    lines = [json.dumps({n: getattr(e, n) for n in Known.__struct_fields__}) for e in sorted(entries)]
    body = ",\n".join(f"  {line}" for line in lines)
    text = f'{{\n "version": {VERSION},\n "findings": [\n{body}\n ]\n}}\n'
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None


def stale(entries: Iterable[Known], document: Document, name: Naming) -> list[Known]:
    """Entries of the files of this run that no finding matches; of other files nothing is known."""
    analysed = {name(file.path) for file in document.files}
    return sorted({e for e in entries if e.path in analysed} - known_findings(document, name))


def renewed(old: Iterable[Known], document: Document, name: Naming, top: str) -> frozenset[Known]:
    """What a baseline is to hold after this run: its findings, and the old entries of files that were not looked at and
    are still there; `top` is where paths begin."""
    analysed = {name(file.path) for file in document.files}
    others = {entry for entry in old if entry.path not in analysed}
    return known_findings(document, name) | {entry for entry in others if Path(top, entry.path).is_file()}
