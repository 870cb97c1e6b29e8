"""Saved reports of the parts of a run as one report: what `--shard` divided, `--merge` unites.

Loops, findings and totals are those of one run over all files. A header of which several parts list loops is united as
in one run. The program as a whole is not placed, since a report does not say in which order loops run.
"""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import asdict, replace

from ..base.errors import InputError
from ..report.answer import answered
from ..report.build import summary
from ..report.document import Document, FileEntry, RevisionEntry
from .joining import joined

NOT_PLACED = "the report is of parts that were analysed apart; one run over all files places the program"


def merged(documents: Sequence[Document], names: Sequence[str]) -> Document:
    """One document; `names` of the reports, for messages. InputError where they are not of one run: with other options,
    devices or versions."""
    first, *others = documents
    for document, name in zip(others, names[1:], strict=True):
        _check_alike(first, document, names[0], name)
    by_path: dict[str, list[FileEntry]] = {}
    for file in (file for document in documents for file in document.files):
        by_path.setdefault(file.path, []).append(file)
    files = tuple(joined(of) for _, of in sorted(by_path.items()))
    symbols = {symbol for document in documents for symbol in document.symbols}
    sources = {path: text for document in documents for path, text in (document.sources or {}).items()}
    placed = any(document.program is not None or document.no_program is not None for document in documents)
    united = replace(
        first,
        files=files,
        symbols=tuple(sorted(symbols, key=lambda s: (s.scope, s.name))),
        sources=None if first.sources is None else dict(sorted(sources.items())),
        summary=summary(files),
        program=None,
        no_program=NOT_PLACED if placed else None,
        projection=None,
        revision=_revision([document.revision for document in documents]),
    )
    return answered(united)


def _revision(known: Sequence[RevisionEntry | None]) -> RevisionEntry | None:
    """The commit that all parts are of, if there is one."""
    found = [each for each in known if each is not None]
    commits = {each.commit for each in found}
    if len(found) < len(known) or len(commits) != 1:
        return None
    return RevisionEntry(commits.pop(), tuple(sorted({path for each in found for path in each.changed})))


def _check_alike(first: Document, other: Document, name: str, other_name: str) -> None:
    one, another = _setting(first), _setting(other)
    for what in one:
        if one[what] != another[what]:
            values = f"{one[what]!r} and {another[what]!r}"
            raise InputError(f"--merge: {name} and {other_name} are of different runs: {what} {values}")


def _setting(document: Document) -> dict[str, Any]:
    """What all parts of a run have in common."""
    devices = {"host": document.host, "targets": document.targets}
    return {"version": document.tool.version, **devices, **asdict(replace(document.options, top=None))}
