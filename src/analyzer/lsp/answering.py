"""From the document of a run to what an editor shows of the one text that it was about.

*Takes* the words of the other formats: findings as `concise` and SARIF list them, the headline of a loop and its lines
from the text report, the change that SARIF offers or that `--suggest` writes.
*Leaves out* what is found in headers that the text includes: a header that is open is a text of its own, and of one
that is not nothing is shown.
"""

from collections.abc import Iterator, Mapping

from ..change import written
from ..change.form import Form
from ..change.loop_change import Change
from ..report.cleaning import cleaned
from ..report.document import Document, FileEntry, LoopEntry
from ..report.findings import Finding, findings
from ..report.lean import lean
from ..report.terminal import Style
from ..report.text import details, folded
from ..report.verdict_words import Placement, headline, placements
from ..report.wording import heading
from .answers import Answer, Asked, Fix, Related, Remark, Replacement, ShownLoop
from .positions import Lines

WIDTH = 100
"""Columns of the lines about a loop."""
_INDENT = 10
"""Of these lines in the text report."""


def answer(document: Document, asked: Asked, path: str, changes: Mapping[str, Fix], said: tuple[str, ...]) -> Answer:
    """What is shown of the text, whose file is called `path` in the document. `changes`: by loop id; `said`: messages
    of the run."""
    shown = cleaned(lean(document))
    lines = Lines(asked.text, asked.encoding)
    remarks = tuple(_remark(f, lines) for f in findings(shown) if f.path == path)
    loops = tuple(loop for file in shown.files if file.path == path for loop in _loops(shown, file, lines, changes))
    return Answer(remarks, loops, said)


def _remark(finding: Finding, lines: Lines) -> Remark:
    related = () if finding.loop is None else tuple(_related(finding.loop, lines))
    span = lines.word(finding.line, finding.column)
    return Remark(span, finding.level, finding.rule, " ".join(finding.message.split()), related)


def _related(loop: LoopEntry, lines: Lines) -> Iterator[Related]:
    """The two accesses of the dependence that keeps the loop from being parallel."""
    reason = loop.reason
    if reason is None or reason.accesses is None:
        return
    places = reason.access_lines or (reason.line, reason.line)
    for text, line in zip(reason.accesses, places, strict=True):
        yield Related(lines.word(line, 0), text)


def _loops(document: Document, file: FileEntry, lines: Lines, changes: Mapping[str, Fix]) -> Iterator[ShownLoop]:
    placed = placements(document.program)
    by_id = {loop.id: loop for loop in file.loops}
    style = Style(width=WIDTH)
    for loop in file.loops:
        if loop.unlisted is not None:
            continue
        placement = placed.get(loop.id)
        verdict = folded(loop, by_id, placed) or _verdict(loop, placement)
        text = tuple(line[_INDENT:] for line in details(loop, placement, style))
        yield ShownLoop(lines.word(loop.line, loop.column), verdict, heading(loop), text, changes.get(loop.id))


def _verdict(loop: LoopEntry, placement: Placement | None) -> str:
    """In a few words, with the code of the reason where nothing is to be done: `cannot-model [unknown-call]`."""
    r = loop.recommendation
    is_left = placement is None and r.verdict in ("host", "cannot-model")
    return headline(loop, placement) + (f" [{r.reason.code}]" if is_left else "")


# --- changes


def changes_of(document: Document, asked: Asked, path: str, forms: tuple[Form, ...]) -> dict[str, Fix]:
    """By loop: the change in one of these forms, where it pays."""
    lines = Lines(asked.text, asked.encoding)
    files = (file for file in document.files if file.path == path)
    return {key: _fix(new, lines) for file in files for key, (_, new) in written(file, asked.text, forms).items()}


def _fix(change: Change, lines: Lines) -> Fix:
    edits = tuple(Replacement(lines.span(e.begin, e.end), e.text) for e in change.edits)
    return Fix(f"Insert {' '.join(change.directive.split())}", edits)
