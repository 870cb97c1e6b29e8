"""A summary in Markdown, for a pull request's comment or the summary of a CI step: the answer in a sentence, what is
worth moving first, then what depends on a size, what was not understood, and the totals."""

import re
from collections.abc import Iterator, Sequence

from ..base.amounts import time
from ..base.regex import regex
from . import amounts
from .answer import answer
from .directives import FAMILY
from .document import Document, LoopEntry
from .findings import findings, listed, ranked, saved_s
from .program import head, moves
from .verdict_words import advice, counted, files, totals

CANDIDATES = ("OFF001", "PAR001")
MOST_ROWS = 25
LONGEST = 65_000  # characters; a comment on GitHub holds 65 536

_MARKS = regex(r"([\\`*_{}\[\]<>#|~!&])")
# What becomes a link or a mention without any mark, also behind a backslash: a space that is not seen stands behind it.
_LINKING = regex(r"@|#|:(?=//)|\bwww(?=\.)|\bGH(?=-)", re.IGNORECASE)


def render(document: Document) -> str:
    """The summary with a final newline, short enough for a comment."""
    parts = (_candidates, _program, _open, _diagnostics, _totals)
    sections = [_head(document), *(section for part in parts for section in part(document))]
    text = "\n\n".join(sections) + "\n"
    if len(text) <= LONGEST:
        return text
    cut = text.rfind("\n", 0, LONGEST)
    return text[:cut] + "\n\nThe rest is left out: a comment holds no more.\n"


def _head(document: Document) -> str:
    targets = ", ".join(document.targets) or "none"
    said = f"Host {document.host}, target {targets}, model {document.options.model}."
    said += " The data is on the target, nothing is copied." if document.options.resident else ""
    said += " Nests are mapped as they are written." if document.options.mapping == "naive" else ""
    said += f" The host's code is compiled with {document.options.cflags}." if document.options.cflags else ""
    return f"## Offload candidates\n\n{escaped(answer(document))}\n\n{escaped(said)}"


def _candidates(document: Document) -> Iterator[str]:
    worth = [f for f in ranked(listed(document)) if f.rule in CANDIDATES and saved_s(f.loop) > 0]
    if not worth:
        yield "No loop is worth moving by itself."
        return
    rows = [_row(f.path, f.loop) for f in worth[:MOST_ROWS] if f.loop is not None]
    yield _table(("Loop", "Advice", "Speedup", "Now", "Then", "Class"), rows)
    if len(worth) > MOST_ROWS:
        yield f"… and {len(worth) - MOST_ROWS} more."


def _row(path: str, loop: LoopEntry) -> tuple[str, ...]:
    r = loop.recommendation
    before, after = loop.prediction("host"), loop.advised
    times = [time(p.time_s.likely) if p is not None and p.time_s is not None else "" for p in (before, after)]
    gain = amounts.gain(r.speedup) if r.speedup is not None else ""
    place = f"{escaped(path)}:{loop.line} in {escaped(loop.function)}()"
    return (place, escaped(advice(r)), gain, *times, escaped(loop.class_ or ""))


def _program(document: Document) -> Iterator[str]:
    """The placement of the whole program: its head, and the loops that it moves."""
    if document.program is None:
        return
    yield f"**Program** {escaped(head(document.program))}."
    lines = [f"- {escaped(text)}" if text else f"\n{escaped(label.strip())}:\n" for label, text in moves(document)]
    if lines:
        yield "\n".join(lines).strip("\n")


def _open(document: Document) -> Iterator[str]:
    """Loops whose answer waits for a size."""
    waiting = [f for f in listed(document) if f.rule == "OFF002"]
    if waiting:
        places = ", ".join(f"{escaped(f.path)}:{f.line}" for f in waiting[:5])
        more = f" and {len(waiting) - 5} more" if len(waiting) > 5 else ""
        verb = "waits" if len(waiting) == 1 else "wait"
        yield f"**{counted('loop', len(waiting))} {verb} for a size** (`--size NAME=VALUE`): {places}{more}."


def _diagnostics(document: Document) -> Iterator[str]:
    found = [f for f in findings(document) if f.loop is None and f.level != "note"]
    races, others = ([f for f in found if f.rule.startswith(FAMILY) is wanted] for wanted in (True, False))
    for title, told in (("Directives that are wrong", races), ("Not understood", others)):
        if told:
            lines = [f"- {escaped(f.path)}:{max(f.line, 1)}: {escaped(f.message)} ({f.rule})" for f in told]
            more = [f"- … and {len(told) - MOST_ROWS} more"] if len(told) > MOST_ROWS else []
            yield "\n".join([f"**{title}**", "", *lines[:MOST_ROWS], *more])


def _totals(document: Document) -> Iterator[str]:
    s = document.summary
    said = f"{counted('function', s.functions_total)} in {files(document)}"
    yield f"Loops {totals(document)}; {said}." if s.loops_total else f"No loops; {said}."
    refused = ", ".join(f"{code} {n}" for code, n in sorted(s.reasons.items(), key=lambda item: -item[1]))
    if refused:
        yield f"cannot-model, by reason: {refused}."


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = (head, tuple("---" for _ in head), *rows)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def escaped(text: str) -> str:
    """Text that shows as it is: nothing in it is Markdown, HTML, a link, or a mention of a user or an issue.

    Example: `escaped("a|b")` is `a\\|b`."""
    shown = _MARKS.sub(r"\\\1", " ".join(text.split()))
    return _LINKING.sub("\\g<0>\u200b", shown)
