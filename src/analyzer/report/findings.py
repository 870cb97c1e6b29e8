"""What is worth a line of its own: diagnostics, candidates and what blocks the others, by rule."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from ..ir.reasons import ReasonCode
from ..rules.catalogue import BY_CODE, BY_ID, LEVELS, Level, Rule
from .document import ArrayEntry, DiagnosticEntry, Document, FileEntry, LoopEntry

UNSAID = (
    ReasonCode.PARENT_BETTER,
    ReasonCode.CHILDREN_BETTER,
    ReasonCode.ALREADY_PARALLEL,
    ReasonCode.UNPARSED,
    ReasonCode.INTERNAL_ERROR,
)
"""Reasons without a finding: another loop of the nest has it, or a diagnostic does."""


class Finding(Struct, frozen=True):
    """`entry`: what it is about. `ignored`: why a comment in the source asks not to list it (empty: it does not say);
    None where none does."""

    path: str
    line: int
    column: int
    rule: str
    level: Level
    message: str
    entry: LoopEntry | DiagnosticEntry
    ignored: str | None = None

    @property
    def unlisted(self) -> str | None:
        """Which choice leaves it out (`selection.filters`): of the whole entry, or of this rule alone."""
        rules = self.entry.unlisted_rules if isinstance(self.entry, LoopEntry) else None
        return self.entry.unlisted or (rules or {}).get(self.rule)

    @property
    def loop(self) -> LoopEntry | None:
        """None for a diagnostic of the front end."""
        return self.entry if isinstance(self.entry, LoopEntry) else None


def findings(document: Document) -> Iterator[Finding]:
    """Those to be listed, in the order path, line, column, each once: what several files say of a header they include,
    or functions say that one place of the source defines (a file that includes itself)."""
    once = {(f.path, f.line, f.column, f.rule, f.message): f for f in reversed(listed(document))}
    return iter(sorted(once.values(), key=lambda f: (f.path, f.line, f.column, f.rule)))


def listed(document: Document) -> list[Finding]:
    """Those to be listed, of each loop and each file."""
    return list(filter(is_listed, all_findings(document)))


def is_listed(finding: Finding) -> bool:
    """Neither a comment in the source nor a selection leaves it out."""
    return finding.ignored is None and finding.unlisted is None


def all_findings(document: Document) -> Iterator[Finding]:
    """Those to be listed, and those that a comment in the source or a selection leaves out, in the same order."""
    for file in document.files:
        yield from sorted(_of_file(file), key=lambda f: (f.line, f.column, f.rule))


def ignored(file: FileEntry, line: int, rule: str) -> str | None:
    """Why the source asks for no finding of this rule on this line (empty: it does not say); None where it does not."""
    return next((i.reason for i in file.ignored if i.line == line and rule.startswith(i.rule)), None)


def is_shown(file: FileEntry, d: DiagnosticEntry) -> bool:
    """Whether a diagnostic is listed: nothing leaves it out. Comments in the source are about their own file."""
    return d.unlisted is None and (d.header is not None or ignored(file, d.line, d.rule) is None)


def unused_ignores(file: FileEntry) -> Iterator[tuple[int, str]]:
    """Line and message for every rule to ignore that nothing is found of. With other targets or sizes it may be."""
    found = list(_of_file(file))
    for entry in file.ignored:
        if not any(f.line == entry.line and f.rule.startswith(entry.rule) for f in found):
            yield entry.line, f"`analyze: ignore[{entry.rule}]` has nothing to ignore here in this run"


def _of_file(file: FileEntry) -> Iterator[Finding]:
    for d in file.diagnostics:
        why = None if d.header else ignored(file, d.line, d.rule)
        yield Finding(d.header or file.path, d.line, d.column, d.rule, d.level, d.message, d, why)
    for loop in file.loops:
        reason = loop.recommendation.reason
        if reason.code in UNSAID:
            continue
        known = BY_CODE.get(reason.code)  # a report of a later version may have codes without a rule here
        only_if = ", ".join(f"{c.kind}({c.text})" for c in loop.requires)
        message = f"{reason.message}; only if {only_if}" if only_if else reason.message
        of_reason = () if known is None else ((known, message),)
        for rule, message in (*of_reason, *_memory(loop)):
            why = ignored(file, loop.line, rule.id)
            yield Finding(file.path, loop.line, loop.column, rule.id, rule.level, message, loop, why)


def _memory(loop: LoopEntry) -> Iterator[tuple[Rule, str]]:
    """Patterns of access that cost a device more than they must, where the loop may move to one."""
    if loop.recommendation.verdict not in ("offload", "host-parallel", "depends"):
        return
    strided = [f"`{a.name}` {_distance(a)} elements apart" for a in loop.arrays if a.coalescing.startswith("strided")]
    if strided:
        yield BY_ID["MEM001"], f"neighbouring work-units touch {', '.join(strided)}"
    irregular = [f"`{a.name}`" for a in loop.arrays if a.coalescing == "irregular"]
    if irregular:
        yield BY_ID["MEM002"], f"neighbouring work-units touch {', '.join(irregular)} at places that follow no formula"


def _distance(array: ArrayEntry) -> str:
    return array.coalescing.removeprefix("strided(").removesuffix(")")


def worst(found: Iterable[Finding]) -> Level | None:
    """The highest level of any finding."""
    return max((f.level for f in found), key=LEVELS.index, default=None)


def ranked(found: Iterable[Finding]) -> list[Finding]:
    """The most important first: by level, then by the time that the advice saves."""
    return sorted(found, key=lambda f: (-LEVELS.index(f.level), -saved_s(f.loop), f.path, f.line, f.column, f.rule))


def saved_s(loop: LoopEntry | None) -> float:
    """Likely seconds that following the advice saves in one call of the function, as far as it is known how often that
    enters the loop, else for one entry; 0 where it moves nothing, or where no size is known."""
    if loop is None or loop.recommendation.verdict not in ("offload", "host-parallel"):
        return 0.0
    today, after = loop.today_s, loop.advised
    if today is None or after is None or after.time_s is None:
        return 0.0
    return max(0.0, float(loop.entries * (today - after.time_s.likely)))


def identities(document: Document) -> Iterator[tuple[Finding, str]]:
    """Each of all findings with 16 hexadecimal digits that stay when code around it moves: of rule and loop, or of
    rule, message and how-many-th of its kind in the file."""
    seen: Counter[tuple[str, str, str]] = Counter()
    for finding in all_findings(document):
        loop = finding.loop
        if loop is not None and loop.fingerprint is not None:
            about = loop.fingerprint
        else:
            key = (finding.path, finding.rule, finding.message)
            seen[key] += 1
            about = f"{finding.message}\0{seen[key]}"
        yield finding, hashlib.sha256(f"{finding.rule}\0{about}".encode("utf-8", "replace")).hexdigest()[:16]
