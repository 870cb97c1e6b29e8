"""The program as a whole in the report: from the answer to its entry, and the entry in words."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from ..base import amounts
from ..program import Answer, Life, groups
from .amounts import ends_of_gain
from .document import Document
from .loop_entries import RangeEntry
from .program_entries import (
    GroupEntry,
    LifeEntry,
    Number,
    PlacedEntry,
    ProgramEntry,
    TransferEntry,
    UseEntry,
)

MOST_LINES = 12
"""Loops, copies and remarks of one kind that the text lists; JSON has all."""


def program_entry(answer: Answer, lives: Iterable[Life] | None = None) -> ProgramEntry:
    """Every name of the JSON gets its value here, and nothing is decided."""
    return ProgramEntry(
        entry=answer.entry,
        sequence=tuple(
            PlacedEntry(
                loop=p.loop,
                device=p.device,
                candidate=p.candidate,
                executions=p.executions,
                time_s=p.time_s,
                today_s=p.today_s,
                alone=p.alone,
                reason=p.reason or None,
                calls=p.calls,
                arrays=p.arrays,
            )
            for p in answer.loops
        ),
        transfers=tuple(
            TransferEntry(
                array=c.array,
                from_=c.source,
                to=c.target,
                bytes=c.bytes,
                times=c.times,
                after_loop=c.after,
                before_loop=c.before,
                cause=c.cause,
                time_s=c.time_s,
            )
            for c in answer.copies
        ),
        before_s=answer.before_s,
        after_s=answer.after_s,
        speedup=answer.before_s / answer.after_s if answer.after_s > 0 else 1.0,
        speedup_range=RangeEntry.of(answer.gain),
        gap=answer.gap,
        per_loop_choice_s=answer.per_loop_s,
        groups=tuple(
            GroupEntry(
                loops=g.loops,
                device=g.device,
                saved_s=g.saved_s,
                functions=g.functions,
                arrays=g.arrays,
                globals_=g.globals_,
                deep_copies=g.deep_copies,
                lines=g.lines,
            )
            for g in groups(answer)
        ),
        not_timed=answer.not_timed,
        barriers=answer.barriers,
        assumptions=answer.assumptions,
        lives=None if lives is None else tuple(_life(life) for life in lives),
    )


# --- in words


def _life(life: Life) -> LifeEntry:
    return LifeEntry(
        path=life.path,
        function=life.function,
        line=life.line,
        name=life.name,
        shape=life.shape,
        is_empty=life.is_empty,
        outlasts=life.outlasts,
        given_by=life.given_by,
        uses=tuple(UseEntry(use.line, use.kind, use.within, use.loops) for use in life.uses),
    )


def program_text(document: Document, most: int = MOST_LINES) -> Iterator[tuple[str, str]]:
    """(label, text) line by line, `most` of each kind; nothing where the program was not asked for."""
    program = document.program
    if program is None:
        said = document.options.top is not None  # by --top
        if document.no_program is not None and document.summary.loops_total and not said:
            yield "Program", f"not placed as a whole: {document.no_program}"
        return
    yield "Program", head(program)
    yield from moves(document, most)
    yield from copies(program, most)
    if program.transfers and any(p.candidate == "target" for p in program.sequence):
        alone = amounts.time(program.per_loop_choice_s)
        yield "", f"If every loop chose for itself and copied its own data: {alone}"
    yield from remarks(program, most)


def head(program: ProgramEntry) -> str:
    """`from main(): 13.4 s today, 63.2 ms with these moves: 211x faster`"""
    before, after = amounts.time(program.before_s), amounts.time(program.after_s)
    if program.before_s == program.after_s and all(p.candidate != "target" for p in program.sequence):
        return f"from {program.entry}(): {before}, and nothing gets faster by moving"
    gain = faster(program)
    return f"from {program.entry}(): {before} today, {after} with these moves: {gain}{_sure(program)}"


def faster(program: ProgramEntry) -> str:
    """What moving gains, with its range.

    Example: `66x faster (20x to 180x)`."""
    said = amounts.faster(program.speedup)
    return said if program.speedup_range is None else said + ends_of_gain(program.speedup_range)


def _sure(program: ProgramEntry) -> str:
    if program.gap == 0:
        return ""
    return f" (the best placement is at most {program.gap:.1%} cheaper)"


def moves(document: Document, most: int = MOST_LINES) -> Iterator[tuple[str, str]]:
    """(label, text) line by line: which loops run where, by place, and how many stay."""
    program = document.program
    if program is None:
        return
    for where, every in placed(document, program).items():
        yield f"  {where}", ""
        yield from (("", _moved(one)) for one in every[:most])
        yield from _rest(every, most)
    if stays := staying(program, document.host):
        yield "", stays


class Placed(Struct, frozen=True):
    """One loop, with all the calls in which the same is said of it; times of all executions, in words."""

    loop: str
    place: str
    function: str
    executions: Number
    today: str
    now: str
    reason: str


def placed(document: Document, program: ProgramEntry) -> dict[str, list[Placed]]:
    """The loops that do not just stay as they are, by where they run, in words (`moves to h200`)."""
    lines = {loop.id: f"{file.path}:{loop.line}" for file in document.files for loop in file.loops}
    found: dict[str, dict[tuple[str, str | None], list[PlacedEntry]]] = {}
    for p in program.sequence:
        if where := _where(p, document.host):
            found.setdefault(where, {}).setdefault((p.loop, p.reason), []).append(p)
    return {where: [_together(same, lines) for same in calls.values()] for where, calls in found.items()}


def _together(same: Sequence[PlacedEntry], lines: Mapping[str, str]) -> Placed:
    first = same[0]
    return Placed(
        loop=first.loop,
        place=lines.get(first.loop, first.loop),
        function=first.calls[-1],
        executions=sum(p.executions for p in same),
        today=_total([p.today_s for p in same]),
        now=_total([p.time_s for p in same]),
        reason=first.reason or "",
    )


def staying(program: ProgramEntry, host: str) -> str:
    """How many loops stay as they are, in words; empty where none does."""
    stays = len({p.loop for p in program.sequence if not _where(p, host)})
    if not stays:
        return ""
    more = " more" if stays < len({p.loop for p in program.sequence}) else ""
    return f"{stays}{more} {'stays on the host as it is' if stays == 1 else 'stay on the host as they are'}"


def _moved(one: Placed) -> str:
    often = f" × {amounts.amount(one.executions)}" if one.executions != 1 else ""
    reason = f"; {one.reason}" if one.reason else ""
    return f"{one.place} {one.function}(){often}: {one.today} → {one.now}{reason}"


def _total(times: Sequence[Number | None]) -> str:
    known = [t for t in times if t is not None]
    return amounts.time(sum(known)) if len(known) == len(times) else "?"


def _where(placed: PlacedEntry, host: str) -> str:
    if placed.candidate == "target":
        return f"moves to {placed.device}"
    if placed.candidate == "host-threads" and placed.time_s != placed.today_s:
        return f"all threads of {host}"
    return f"stays on {host}" if placed.reason else ""


def copies(program: ProgramEntry, most: int) -> Iterator[tuple[str, str]]:
    if not program.transfers:
        return
    yield "  copies", ""
    slowest = sorted(program.transfers, key=lambda t: -t.time_s)
    for t in slowest[:most]:
        often = "once" if t.times == 1 else f"{amounts.amount(t.times)} times"
        size = amounts.size(t.bytes)
        yield "", f"{t.array} {t.from_} → {t.to}: {size} {often}, {amounts.time(t.time_s)}, for {t.cause}"
    yield from _rest(slowest, most)


def remarks(program: ProgramEntry, most: int) -> Iterator[tuple[str, str]]:
    kinds = (
        ("not timed", program.not_timed, ""),
        ("barrier", program.barriers, ": all data must be on the host there"),
        ("assumes", program.assumptions, ""),
    )
    for label, texts, more in kinds:
        for text in texts[:most]:
            yield f"  {label}", text + more
        yield from _rest(texts, most)


def _rest(items: Sequence[object], most: int) -> Iterator[tuple[str, str]]:
    if len(items) > most:
        yield "", f"... and {len(items) - most} more (-f json lists all)"
