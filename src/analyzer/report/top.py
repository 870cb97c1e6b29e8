"""What to port first (`--top N`), in words: by the measured time, else by what moving saves, else by how work grows."""

from collections.abc import Iterator

from ..base import amounts
from . import amounts as counts
from .document import CountEntry, Document, LoopEntry
from .program_entries import GroupEntry, ProgramEntry
from .ranking import TYPICAL, Ranked, Ranking, is_blocked, ranking
from .verdict_words import advice


def top_text(document: Document, most: int) -> Iterator[tuple[str, str]]:
    """(label, text) line by line: up to `most` loops. A profile of times decides where there is one, since it knows of
    loops that no model can time; else groups of loops in the order of the time they save over the program."""
    measured = document.projection is not None and document.projection.measured
    if document.program is not None and not measured:
        yield from _groups(document, document.program, most)
    else:
        yield from _ranked(document, ranking(document), most)


# --- loops by time, or by how often they run


BY_LINE = "perf report -F overhead,symbol,srcline"
HEADS = {
    "shares": "by their share of the time in the profile",
    "iterations": "by the iterations that the profile counted; it has no times",
    "growth": f"by how often they run, were every size {TYPICAL} that is not known",
}


def _ranked(document: Document, found: Ranking, most: int) -> Iterator[tuple[str, str]]:
    if not found.items:
        yield "Top", "no loop is worth a look: " + ("none has samples" if found.by == "shares" else "there is none")
        return
    yield "Top", HEADS[found.by]
    if document.no_program is not None and found.by != "shares":
        why = document.no_program.partition("; give --size")[0]  # sizes are asked for once, with the next command
        yield "", f"(what moving them saves is not known: {why})"
    for rank, item in enumerate(found.items[:most], 1):
        yield f"{rank}.", f"{_amount(item, found)}{_place(item)}"
        yield from _said(item)
    if len(found.items) > most:
        yield "", f"... and {len(found.items) - most} more"


def _amount(item: Ranked, found: Ranking) -> str:
    match found.by:
        case "shares":
            return f"{item.amount:.1%} of the time, "
        case "iterations":
            return f"{amounts.amount(item.amount)} iterations, "
        case "growth":
            return ""


def _place(item: Ranked) -> str:
    if item.loop is None:
        return f"{item.function}() in {item.path}"
    return f"{item.path}:{item.loop.line} in {item.function}()"


def _said(item: Ranked) -> Iterator[tuple[str, str]]:
    if item.loop is None:
        yield "", f"in which of its loops, the profile does not say; one by line does: {BY_LINE}"
        return
    if item.trips:
        yield "  runs", " × ".join(map(_often, item.trips))
    yield "", _advice(item.loop)


def _often(trip: CountEntry | None) -> str:
    """`n`, `1024`; `?` where nobody knows how often a loop runs."""
    if trip is None or trip.expr is None or (trip.value is None and trip.abridged is not None):
        return "?"
    if trip.value is not None:
        return amounts.amount(trip.value)
    text = counts.formula(trip.expr)
    return text if text.isidentifier() else f"({text})"


def _advice(loop: LoopEntry) -> str:
    verdict = loop.recommendation
    if not is_blocked(loop):
        return f"{advice(verdict)}: {verdict.reason.message}"
    why = loop.reason or verdict.reason
    return f"blocked: {why.message} [{why.code}]"


# --- the program as a whole


def _groups(document: Document, program: ProgramEntry, most: int) -> Iterator[tuple[str, str]]:
    lines = {loop.id: f"{file.path}:{loop.line}" for file in document.files for loop in file.loops}
    left = most
    for rank, group in enumerate(program.groups, 1):
        if left <= 0:
            break
        share = group.saved_s / program.before_s if program.before_s > 0 else 0.0
        saved = f"{amounts.time(group.saved_s)} of {amounts.time(program.before_s)} saved ({share:.0%})"
        yield f"{rank}.", f"to {group.device}: {saved}"
        for loop in group.loops[:left]:
            placed = [p for p in program.sequence if p.loop == loop]
            today = amounts.time(sum(p.today_s or 0.0 for p in placed))
            now = amounts.time(sum(p.time_s or 0.0 for p in placed))
            yield "", f"{lines.get(loop, loop)} in {placed[0].calls[-1]}(): {today} → {now}"
        if len(group.loops) > left:
            yield "", f"... and {len(group.loops) - left} more of this group"
        left -= len(group.loops)
        yield from _to_do(group)
    if not program.groups:
        yield "Top", "no loop gains by moving to an accelerator"


def _to_do(group: GroupEntry) -> Iterator[tuple[str, str]]:
    plural = "" if len(group.functions) == 1 else "s"
    text = f"{group.lines} lines of loops in function{plural} {', '.join(group.functions)}"
    yield "  to port", text
    if group.arrays:
        yield "  shared", f"arrays {', '.join(group.arrays)} stay on {group.device} between these loops"
    if group.globals_:
        yield "  globals", f"{', '.join(group.globals_)} need a copy on {group.device}"
    if group.deep_copies:
        yield "  deep copy", f"{', '.join(group.deep_copies)} are not one block of memory: gather them first"


