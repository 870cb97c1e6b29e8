"""What stands on top of a page, in words and numbers, ready to be read without a script."""

from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from ...base import amounts
from ...ir.reasons import AssumptionKind
from ..answer import answer
from ..cleaning import visible
from ..directives import FAMILY, answers
from ..document import Document, FileEntry, LoopEntry, RoofEntry
from ..document import Summary as Totals
from ..findings import saved_s
from ..next_step import next_step
from ..verdict_words import VERDICTS, VerdictWords, file_counts, plural, remark
from ..wording import place
from .timeline import Line, timeline

MOST_BEST = 10
MOST_LISTED = 12
ASSUMED: dict[str, str] = {
    AssumptionKind.PARAMS_DISTINCT: "two pointer parameters do not overlap",
    AssumptionKind.MEMBERS_DISTINCT: "arrays behind two members of a structure do not overlap",
    AssumptionKind.ROWS_DISTINCT: "rows reached by pointers do not overlap",
    AssumptionKind.IN_BOUNDS: "a subscript stays in its row",
    AssumptionKind.BOUND_INVARIANT: "a bound read from memory does not change while the loop runs",
    AssumptionKind.NO_OVERFLOW: "an expression does not wrap around",
    AssumptionKind.FP_REORDER: "a sum or product of floating-point numbers may be reordered",
    AssumptionKind.USER: "said by a comment in the source",
}


class Count(Struct, frozen=True):
    name: str
    number: int
    meaning: str = ""


class Best(Struct, frozen=True):
    """One loop that is worth moving; times of one entry."""

    id: str
    where: str
    function: str
    to: str
    gain: str
    before: str
    after: str


class Communication(Struct, frozen=True):
    """What a function sends; `roof`: which of the page's roofs of communication is its, None without one."""

    line: str
    roof: int | None


class Program(Struct, frozen=True):
    head: str
    moved: int
    lines: tuple[Line, ...]
    moves: tuple[str, ...]
    copies: tuple[str, ...]
    remarks: tuple[str, ...]


class Summary(Struct, frozen=True):
    title: str
    answer: str
    setting: tuple[tuple[str, str], ...]
    totals: tuple[Count, ...]
    verdicts: tuple[Count, ...]
    reasons: tuple[Count, ...]
    best: tuple[Best, ...]
    assumptions: tuple[Count, ...]
    diagnostics: tuple[str, ...]
    directives: str
    races: tuple[str, ...]
    program: Program | None
    no_program: str
    communication: tuple[Communication, ...]
    projection: tuple[str, ...]
    next_step: str
    unlisted: int


def summary(document: Document) -> Summary:
    """All texts are as they are to be seen; the template escapes them."""
    s = document.summary
    loops = [(file, loop) for file in document.files for loop in file.loops]
    return Summary(
        title=_title(document),
        answer=answer(document),
        setting=tuple(_setting(document)),
        totals=(
            *(Count(plural(what, n), n) for what, n in file_counts(document)),
            Count(plural("function", s.functions_total), s.functions_total, _incomplete(s)),
            Count(plural("loop", s.loops_total), s.loops_total),
        ),
        verdicts=tuple(Count(w.name, s.verdicts.get(w.name, 0), _meaning(w, document)) for w in VERDICTS),
        reasons=tuple(Count(code, n) for code, n in Counter(s.reasons).most_common()),
        best=tuple(_best(loops)),
        assumptions=tuple(_assumptions(loop for _, loop in loops)),
        diagnostics=tuple(_diagnostics(document, of_directives=False)),
        directives=answers(document),
        races=tuple(_diagnostics(document, of_directives=True)),
        program=_program(document),
        no_program=visible(document.no_program or ""),
        communication=tuple(_communication(document)),
        projection=tuple(_projection(document)),
        next_step=visible(str(next_step(document) or "")),
        unlisted=sum(loop.unlisted is not None for _, loop in loops),
    )


def _meaning(words: VerdictWords, document: Document) -> str:
    said = remark(document, words.name)
    return f"{words.meaning}; {said}" if said else words.meaning


def _title(document: Document) -> str:
    paths = [file.path for file in document.files]
    return visible(paths[0] if len(paths) == 1 else f"{len(paths)} files")


def _setting(document: Document) -> Iterator[tuple[str, str]]:
    options = document.options
    yield "host", _device(document, document.host)
    yield "targets", ", ".join(_device(document, name) for name in document.targets) or "none"
    yield "model", options.model
    if options.resident:
        yield "data", "on the targets: nothing is copied"
    if options.mapping == "naive":
        yield "mapping", "nests become threads as they are written"
    if options.cflags:
        yield "host code", f"compiled with {options.cflags}"
    yield "worth moving from", f"{options.min_speedup:g}x"
    yield "assumptions", "made where needed and listed" if options.assume != "none" else "none are made"
    if options.count_as != "definitions":
        yield "counted as", options.count_as
    if options.sizes:
        yield "sizes", visible(", ".join(options.sizes))


def _device(document: Document, name: str) -> str:
    used = document.devices.get(name)
    return visible(name if used is None else f"{name} ({used.name})")


def _incomplete(s: Totals) -> str:
    number = s.functions_total - s.functions_analyzed
    return "all analysed completely" if number == 0 else f"{number} not analysed completely"


def _best(loops: Iterable[tuple[FileEntry, LoopEntry]]) -> Iterator[Best]:
    worth = [(file, loop) for file, loop in loops if saved_s(loop) > 0 and loop.unlisted is None]
    for file, loop in sorted(worth, key=lambda pair: -saved_s(pair[1]))[:MOST_BEST]:
        before, after, r = loop.prediction("host"), loop.advised, loop.recommendation
        if before is None or after is None or before.time_s is None or after.time_s is None or r.speedup is None:
            continue
        yield Best(
            id=loop.id,
            where=visible(f"{file.path}:{loop.line}"),
            function=visible(loop.function),
            to=place(r.device, r.candidate),
            gain=amounts.factor(r.speedup.likely),
            before=amounts.time(before.time_s.likely),
            after=amounts.time(after.time_s.likely),
        )


def _assumptions(loops: Iterable[LoopEntry]) -> Iterator[Count]:
    kinds = Counter(a.kind for loop in loops for a in loop.assumptions)
    yield from (Count(kind, n, ASSUMED.get(kind, "")) for kind, n in kinds.most_common())


def _diagnostics(document: Document, *, of_directives: bool) -> Iterator[str]:
    every = ((file, d) for file in document.files for d in file.diagnostics if d.unlisted is None and d.level != "note")
    found = [(file, d) for file, d in every if d.rule.startswith(FAMILY) is of_directives]
    for file, d in found[:MOST_LISTED]:
        yield visible(f"{d.header or file.path}:{max(d.line, 1)}: {d.message} [{d.rule}]")
    if len(found) > MOST_LISTED:
        yield f"and {len(found) - MOST_LISTED} more, which -f concise lists"


def _projection(document: Document) -> Iterator[str]:
    """What a profile says of the whole, a table in plain text."""
    from ..projection import lines

    if document.projection is not None:
        yield from map(visible, lines(document.projection, document.options))


def roofs(document: Document) -> list[RoofEntry]:
    """The communication-aware rooflines of functions, in the order of the document."""
    found = (entry.network.roof for file in document.files for entry in file.communication)
    return [roof for roof in found if roof is not None and roof.peak_ops_per_s is not None]


def _communication(document: Document) -> Iterator[Communication]:
    """Functions that call MPI, with what they call."""
    from ..network import communication_line

    known = roofs(document)
    for file in document.files:
        for entry in file.communication:
            line = visible(f"{file.path}:{entry.line} {entry.function}(): {communication_line(entry)}")
            roof = next((i for i, roof in enumerate(known) if roof is entry.network.roof), None)
            yield Communication(line, roof)


# --- the program as a whole


def _program(document: Document) -> Program | None:
    from ..program import program_text

    program = document.program
    if program is None:
        return None
    words = [(label.strip(), text) for label, text in program_text(document)]
    sections: dict[str, list[str]] = {"moves": [], "copies": [], "remarks": []}
    section = "moves"
    moves = any(p.candidate == "target" for p in program.sequence)
    alone = f"; if every loop chose for itself: {amounts.time(float(program.per_loop_choice_s))}" if moves else ""
    for label, text in words[1:]:
        if text.startswith("If every loop chose"):
            continue  # it is in the head
        if label == "copies":
            section = "copies"
        elif label in ("not timed", "barrier", "assumes"):
            section = "remarks"
        if text or section == "moves":
            sections[section].append(visible(f"{label}: {text}".strip(": ") if label else text))
    return Program(
        head=visible(words[0][1]) + alone,
        moved=len({p.loop for p in program.sequence if p.candidate == "target"}),
        lines=timeline(program),
        moves=tuple(sections["moves"]),
        copies=tuple(sections["copies"]),
        remarks=tuple(sections["remarks"]),
    )
