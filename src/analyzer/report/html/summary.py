"""What stands on top of a page, in words and numbers, ready to be read without a script."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from ...advise.context import SHORTEST_WORTH_THREADS_S
from ...base import amounts
from ...ir.reasons import AssumptionKind, ReasonCode
from ...rules.catalogue import BY_CODE
from .. import amounts as ranges
from ..answer import answer
from ..cleaning import visible, whole
from ..directives import FAMILY, answers
from ..document import Document, FileEntry, LoopEntry, ProgramEntry, RevisionEntry, RoofEntry
from ..document import Summary as Totals
from ..findings import saved_s
from ..move_change import writing
from ..next_step import Step, again, next_step, typed
from ..ranking import open_inside, open_loops
from ..verdict_words import (
    VERDICTS,
    Placement,
    VerdictWords,
    counted,
    file_counts,
    files,
    open_words,
    placements,
    plural,
    remark,
)
from ..wording import left_to_do, place
from .timeline import Line, timeline

MOST_BEST, MOST_BY_HAND = 10, 5
MOST_OPEN = 10
MOST_LISTED = 12
ASSUMED: dict[str, str] = {
    AssumptionKind.PARAMS_DISTINCT: "two pointer parameters do not overlap",
    AssumptionKind.MEMBERS_DISTINCT: "what two pointers in a structure lead to does not overlap",
    AssumptionKind.ROWS_DISTINCT: "rows reached by pointers do not overlap",
    AssumptionKind.IN_BOUNDS: "a subscript stays in its row",
    AssumptionKind.BOUND_INVARIANT: "a bound read from memory does not change while the loop runs",
    AssumptionKind.NO_OVERFLOW: "an expression does not wrap around",
    AssumptionKind.FP_REORDER: "a sum or product of floating-point numbers may be reordered",
    AssumptionKind.USER: "said by a comment in the source",
}

WITHOUT_RULE: dict[str, str] = {
    ReasonCode.UNPARSED: "the code, or a type, was not understood",
    ReasonCode.PARENT_BETTER: "the loop around it moves, and takes it along",
    ReasonCode.CHILDREN_BETTER: "loops inside it move in its place",
    ReasonCode.ALREADY_PARALLEL: "a directive makes it parallel already",
}
"""What the reasons mean that have no rule, as another loop, a directive or the front end has the finding."""

UNSETTLED: dict[str, str] = {
    ReasonCode.CARRIED_DEPENDENCE: "an iteration may need a result of an earlier one",
}
"""What reasons mean where it is not known whether the loop is parallel."""


class Count(Struct, frozen=True):
    name: str
    number: int
    meaning: str = ""


class Best(Struct, frozen=True):
    """One loop that is worth moving; times of one entry, also `on` each target. `id`: as it stands in an address.
    `directive`: what goes above the loop (empty where none is suggested); `block`: that, with the assumptions that it
    rests on, to copy (empty where other edits belong to it, which `command` writes); `left`: what the time needs
    besides the directive."""

    id: str
    where: str
    function: str
    directive: str
    block: str
    command: str
    left: str
    to: str
    gain: str
    before: str
    after: str
    on: tuple[str, ...]


class Waiting(Struct, frozen=True):
    """One loop that a size or overlapping ranges decide, and what is known of it."""

    id: str
    where: str
    function: str
    words: str


class Communication(Struct, frozen=True):
    """What a function sends; `roof`: which of the page's roofs of communication is its, None without one."""

    line: str
    roof: int | None


class Placed(Struct, frozen=True):
    """One loop of the program that does not just stay where it is, with times of all its executions. `id`: as it stands
    in an address; `runs`: how often it is entered."""

    id: str
    where: str
    function: str
    to: str
    runs: str
    before: str
    after: str
    reason: str


class Program(Struct, frozen=True):
    """`patch`: the directives for all of it, as they are copied, and line by line as they are shown; `refused`: loops
    that they leave alone. `placed`: the first of the loops that move, or stay for a reason of the whole; `more_placed`:
    how many follow."""

    head: str
    command: str
    patch: str
    patch_shown: tuple[str, ...]
    refused: tuple[str, ...]
    moved: int
    lines: tuple[Line, ...]
    placed: tuple[Placed, ...]
    more_placed: int
    staying: str
    copies: tuple[str, ...]
    remarks: tuple[str, ...]


class Summary(Struct, frozen=True):
    title: str
    answer: str
    setting: tuple[tuple[str, str], ...]
    totals: tuple[Count, ...]
    verdicts: tuple[Count, ...]
    reasons: tuple[tuple[str, tuple[Count, ...]], ...]
    best: tuple[Best, ...]
    more_best: int
    by_hand: tuple[Best, ...]
    more_by_hand: int
    compared: tuple[str, ...]
    waiting: tuple[Waiting, ...]
    more_waiting: int
    waiting_inside: int
    assumptions: tuple[Count, ...]
    diagnostics: tuple[str, ...]
    directives: str
    races: tuple[str, ...]
    program: Program | None
    no_program: str
    communication: tuple[Communication, ...]
    projection: tuple[str, ...]
    next_step: Step | None
    unlisted: int


def summary(document: Document) -> Summary:
    """All texts are as they are to be seen; the template escapes them."""
    s = document.summary
    loops = [(file, loop) for file in document.files for loop in file.loops]
    compared = document.targets if len(document.targets) > 1 else ()
    waiting = open_loops(document)
    saving = [(file, loop) for file, loop in loops if saved_s(loop) > 0 and loop.unlisted is None]
    worth = sorted(saving, key=lambda pair: -saved_s(pair[1]))
    written = [pair for pair in worth if pair[1].change is not None]
    by_hand = [pair for pair in worth if pair[1].change is None]
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
        reasons=tuple(_reasons(loop for _, loop in loops)),
        best=tuple(_best(document, written[:MOST_BEST], compared)),
        more_best=max(0, len(written) - MOST_BEST),
        by_hand=tuple(_best(document, by_hand[:MOST_BY_HAND], compared)),
        more_by_hand=max(0, len(by_hand) - MOST_BY_HAND),
        compared=tuple(map(visible, compared)),
        waiting=tuple(_waiting(file, loop) for file, loop in waiting[:MOST_OPEN]),
        more_waiting=max(0, len(waiting) - MOST_OPEN),
        waiting_inside=open_inside(document),
        assumptions=tuple(_assumptions(loop for _, loop in loops)),
        diagnostics=tuple(_diagnostics(document, of_directives=False)),
        directives=answers(document),
        races=tuple(_diagnostics(document, of_directives=True)),
        program=_program(document),
        no_program=whole(document.no_program or ""),
        communication=tuple(_communication(document)),
        projection=tuple(_projection(document)),
        next_step=next_step(document),
        unlisted=sum(loop.unlisted is not None for _, loop in loops),
    )


def _meaning(words: VerdictWords, document: Document) -> str:
    said = remark(document, words.name)
    return f"{words.meaning}; {said}" if said else words.meaning


def _title(document: Document) -> str:
    paths = [file.path for file in document.files]
    return visible(paths[0] if len(paths) == 1 else files(document))


def _setting(document: Document) -> Iterator[tuple[str, str]]:
    options, shortest = document.options, amounts.time(SHORTEST_WORTH_THREADS_S)
    targets = f" -t {','.join(document.targets)}" if document.targets else ""
    yield "command", whole(again(document, options.paths or [file.path for file in document.files]) + targets)
    if document.revision is not None:
        yield "commit", _commit(document.revision)
    yield "host", _device(document, document.host)
    yield "targets", ", ".join(_device(document, name) for name in document.targets) or "none"
    yield "model", options.model
    if options.resident:
        yield "data", "on the targets: nothing is copied"
    if options.mapping == "naive":
        yield "mapping", "nests become threads as they are written"
    if options.cflags:
        yield "host code", f"compiled with {options.cflags}"
    yield "worth moving from", f"{options.min_speedup:g}x; to threads or vectors from {shortest} on"
    yield "assumptions", "made where needed and listed" if options.assume != "none" else "none are made"
    if options.count_as != "definitions":
        yield "counted as", options.count_as
    if options.sizes:
        yield "sizes", whole(", ".join(options.sizes))


def _commit(revision: RevisionEntry) -> str:
    changed = f", {counted('file', len(revision.changed))} changed since" if revision.changed else ""
    return f"{revision.commit[:12]}{changed}"


def _device(document: Document, name: str) -> str:
    used = document.devices.get(name)
    if used is None:
        return visible(name)
    of_cpus = [f"{used.figures[key].value:g} {key}" for key in ("cores", "threads") if key in used.figures]
    return visible(f"{name} ({', '.join((used.name, *of_cpus))})")


def _incomplete(s: Totals) -> str:
    number = s.functions_total - s.functions_analyzed
    return "all with loops analysed completely" if number == 0 else f"{number} not analysed completely"


def _reasons(loops: Iterable[LoopEntry]) -> Iterator[tuple[str, tuple[Count, ...]]]:
    """Why loops stay, by verdict: each reason with the title of its rule, the most frequent first."""
    found: dict[str, Counter[str]] = {"host": Counter(), "cannot-model": Counter()}
    for loop in loops:
        r = loop.recommendation
        if r.verdict in found:
            found[r.verdict][r.reason.code] += 1
    for verdict, codes in found.items():
        yield verdict, tuple(Count(code, n, _meaning_of(code, verdict)) for code, n in codes.most_common())


def _meaning_of(code: str, verdict: str) -> str:
    """What a reason means for loops of this verdict; empty for one that only a later version knows."""
    if verdict == "cannot-model" and code in UNSETTLED:
        return UNSETTLED[code]
    return BY_CODE[code].title if code in BY_CODE else WITHOUT_RULE.get(code, "")


def _best(
    document: Document, worth: Iterable[tuple[FileEntry, LoopEntry]], compared: Iterable[str]
) -> Iterator[Best]:
    placed = placements(document.program)
    for file, loop in worth:
        after, today, r, change = loop.advised, loop.today_s, loop.recommendation, loop.change
        together = placed.get(loop.id)
        if after is None or after.time_s is None or today is None or r.speedup is None:
            continue
        yield Best(
            id=_in_address(loop.id),
            where=visible(f"{file.path}:{loop.line}"),
            function=visible(loop.function),
            directive=whole(change.directive) if change is not None else "",
            block=change.edits[0].text.rstrip("\r\n") if change is not None and len(change.edits) == 1 else "",
            command=whole(writing(document, file, loop)) if change is not None and len(change.edits) > 1 else "",
            left=whole("; ".join(filter(None, (left_to_do(loop), _elsewhere(together, loop))))),
            to=place(r.device, r.candidate),
            gain=ranges.gain(r.speedup),
            before=amounts.time(today) + (f" × {amounts.amount(loop.entries)}" if loop.entries != 1 else ""),
            after=amounts.time(after.time_s.likely),
            on=tuple(_time_on(loop, target) for target in compared),
        )


def _elsewhere(together: Placement | None, loop: LoopEntry) -> str:
    """That the program as a whole has another directive for the loop: at another place, or with data that stays."""
    if together is None or not together.to:
        return ""
    if together.to != loop.recommendation.device:
        return f"in the program as a whole it moves to {together.to}: the command there writes that"
    is_on_device = loop.recommendation.candidate == "target"
    return "in the program as a whole data stays there: the command there writes that" if is_on_device else ""


def _time_on(loop: LoopEntry, target: str) -> str:
    """The likely time on a target; empty where none is said."""
    times = (p.time_s for p in loop.predictions if (p.device, p.candidate) == (target, "target"))
    time = next(times, None)
    return "" if time is None else amounts.time(time.likely)


def _in_address(identity: str) -> str:
    """The id of a loop for a link: bytes that are no UTF-8 have no place in an address, and the page reads it so."""
    return re.sub(r"[\ud800-\udfff]", "\ufffd", identity)


def _waiting(file: FileEntry, loop: LoopEntry) -> Waiting:
    where, words = visible(f"{file.path}:{loop.line}"), open_words(loop.recommendation)
    return Waiting(_in_address(loop.id), where, visible(loop.function), whole(words))


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
    from ..program import copies, head, remarks, staying

    program = document.program
    if program is None:
        return None
    moves = any(p.candidate == "target" for p in program.sequence)
    alone = f"; if every loop chose for itself: {amounts.time(float(program.per_loop_choice_s))}" if moves else ""
    rows, patch = list(_placed(document, program)), program.patch
    used = dict.fromkeys(p.device for p in program.sequence if p.candidate == "target")
    gpus = ",".join(typed(name) for name in used if document.devices[name].kind == "gpu")
    written = f"{again(document, document.options.paths)} -t {gpus} --suggest openmp-target"
    return Program(
        head=visible(head(program)) + alone,
        command=whole(written) if gpus and document.options.paths and (patch is None or patch.text) else "",
        patch=patch.text if patch is not None else "",
        patch_shown=tuple(map(whole, patch.text.expandtabs().split("\n"))) if patch is not None else (),
        refused=tuple(map(whole, patch.refused)) if patch is not None else (),
        moved=len({p.loop for p in program.sequence if p.candidate == "target"}),
        lines=timeline(program),
        placed=tuple(rows[:MOST_LISTED]),
        more_placed=max(0, len(rows) - MOST_LISTED),
        staying=staying(program, document.host),
        copies=tuple(whole(text) for _, text in copies(program, MOST_LISTED) if text),
        remarks=tuple(whole(f"{label.strip()}: {text}".strip(": ")) for label, text in remarks(program, MOST_LISTED)),
    )


def _placed(document: Document, program: ProgramEntry) -> Iterator[Placed]:
    from ..program import placed

    for where, every in placed(document, program).items():
        for one in every:
            yield Placed(
                id=_in_address(one.loop),
                where=visible(one.place),
                function=visible(one.function),
                to=visible(where),
                runs=amounts.amount(one.executions),
                before=one.today,
                after=one.now,
                reason=whole(one.reason),
            )
