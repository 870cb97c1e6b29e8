"""Which findings of a document are listed: selected rules, changed lines, not in the baseline.

Nothing is taken out of a document: an entry that is not listed says why (`unlisted`), so that a saved report holds all
of it, and every format leaves out the same.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ..base.errors import InputError
from ..report.document import DiagnosticEntry, Document, FileEntry, LoopEntry
from ..report.findings import Finding, identities
from ..rules.catalogue import BY_ID, FAMILIES
from .baseline import Known
from .changes import Lines, touches
from .repository import seen_from

Unlisted: TypeAlias = Literal["not-selected", "not-changed", "baseline"]


class Selection(Struct, frozen=True):
    """`select`, `ignore`: rules or families (`OFF`), an empty `select` is all. `per_path`: what to ignore in files
    whose path, seen from `folder` (of the configuration file), matches a pattern as in .gitignore. `changed`: lines by
    absolute path, None for all, of the `repository` that git was asked about. `known`: findings accepted before."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_path: tuple[tuple[str, tuple[str, ...]], ...] = ()
    folder: str = ""
    changed: Mapping[str, Lines] | None = None
    repository: str | None = None
    known: frozenset[Known] = frozenset()
    has_baseline: bool = False

    @property
    def takes_all(self) -> bool:
        return self == Selection(folder=self.folder, repository=self.repository)


class Names(Struct, frozen=True):
    """What a path of the document is called elsewhere: `on_disk`, its absolute path; `in_baseline`, in the file of
    known findings."""

    on_disk: Callable[[str], str] = os.path.abspath
    in_baseline: Callable[[str], str] = str


def check_rules(names: Iterable[str], option: str) -> tuple[str, ...]:
    """The names in capitals. InputError for one that is no rule and no family of rules."""
    found = tuple(name.strip().upper() for text in names for name in text.split(",") if name.strip())
    for name in found:
        if name not in BY_ID and name not in FAMILIES:
            import difflib

            near = difflib.get_close_matches(name, [*BY_ID, *FAMILIES], n=1, cutoff=0.0)
            raise InputError(f"{option} {name}: no such rule; did you mean {near[0]}? (see --list-rules)")
    return found


def filtered(document: Document, selection: Selection, names: Names) -> Document:
    """The document with every entry marked that is not to be listed."""
    if selection.takes_all:
        return document
    document = replace(document, files=tuple(document.files))  # entries are told apart by what they are, not by value
    known = {(e.path, e.rule, e.fingerprint) for e in selection.known}
    found: dict[int, dict[str, Unlisted | None]] = {}
    for finding, identity in identities(document):
        is_known = (names.in_baseline(finding.path), finding.rule, identity) in known
        why = _unwanted(finding, selection, names) or ("baseline" if is_known else None)
        found.setdefault(id(finding.entry), {})[finding.rule] = why
    files = (_marked(file, found, selection, names) for file in document.files)
    return replace(document, files=tuple(files))


def _marked(
    file: FileEntry, found: Mapping[int, Mapping[str, Unlisted | None]], selection: Selection, names: Names
) -> FileEntry:
    """An entry without a finding is of interest only where all rules are wanted and nothing is known before; a loop is
    listed as long as one of its findings is."""
    without: Unlisted | None = "not-selected" if selection.select else "baseline" if selection.has_baseline else None

    def mark(entry: LoopEntry | DiagnosticEntry) -> Unlisted | None:
        reasons = [*found.get(id(entry), {"": without}).values()]
        whole = None if None in reasons else reasons[0]
        return whole or _unchanged(names.on_disk(_path(file, entry)), entry, selection)

    def marked(loop: LoopEntry) -> LoopEntry:
        rules = {rule: why for rule, why in found.get(id(loop), {}).items() if why is not None}
        whole = mark(loop)
        return replace(loop, unlisted=whole, unlisted_rules=None if whole or not rules else rules)

    return replace(
        file,
        loops=tuple(map(marked, file.loops)),
        diagnostics=tuple(replace(diagnostic, unlisted=mark(diagnostic)) for diagnostic in file.diagnostics),
    )


def _path(file: FileEntry, entry: LoopEntry | DiagnosticEntry) -> str:
    return file.path if isinstance(entry, LoopEntry) else entry.header or file.path


def _unwanted(finding: Finding, selection: Selection, names: Names) -> Unlisted | None:
    ignored = selection.ignore
    if selection.per_path:
        seen = seen_from(selection.folder)(names.on_disk(finding.path))
        ignored += ignored_in(seen, selection.per_path)
    wanted = not selection.select or finding.rule.startswith(selection.select)
    return None if wanted and not finding.rule.startswith(ignored) else "not-selected"


def ignored_in(path: str, per_path: tuple[tuple[str, tuple[str, ...]], ...]) -> tuple[str, ...]:
    """Rules to ignore in the file of this path, seen from where the patterns are.

    Example: `ignored_in("old/a.c", (("old/", ("OFF",)),))` is `("OFF",)`."""
    from pathspec import GitIgnoreSpec

    fitting = (names for pattern, names in per_path if GitIgnoreSpec.from_lines([pattern]).match_file(path))
    return tuple(name for names in fitting for name in names)


def _unchanged(path: str, entry: LoopEntry | DiagnosticEntry, selection: Selection) -> Unlisted | None:
    if selection.changed is None:
        return None
    last = max(entry.end_line, entry.line) if isinstance(entry, LoopEntry) else entry.line
    return None if touches(selection.changed.get(path, ()), entry.line, last) else "not-changed"
