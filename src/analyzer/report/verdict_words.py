"""What the verdicts are called wherever people read of them: the names of the JSON, in one order, each with a meaning.

*Decides*: the headline of a loop, and the totals of a run. The headline of a loop that the placement of the program
puts elsewhere than the loop alone would go names both, the program first.
"""

from collections.abc import Iterator
from typing import assert_never

from msgspec import Struct

from ..ir.reasons import ReasonCode
from . import amounts
from .document import Document, LoopEntry, RecommendationEntry, VerdictName
from .program_entries import PlacedEntry, ProgramEntry
from .wording import place


class VerdictWords(Struct, frozen=True):
    name: VerdictName
    meaning: str


VERDICTS: tuple[VerdictWords, ...] = (
    VerdictWords("offload", "worth moving to a device"),
    VerdictWords("host-parallel", "worth all threads or the vectors of the host"),
    VerdictWords("depends", "open: an unknown size or overlapping ranges decide"),
    VerdictWords("host", "stays as it is"),
    VerdictWords("cannot-model", "not shown to be parallel, or not counted"),
)
"""In the order of their worth, which all reports follow."""


STAYS = "stays on the host"


class Placement(Struct, frozen=True):
    """Where one loop runs in the program as a whole, over all calls: `words` (`moves to h200`), the place that it moves
    `to` in some call (empty: it stays as it is), whether it `moves` to a device in some call, and the reason, where it
    is elsewhere than alone."""

    words: str
    to: str
    moves: bool
    reason: str | None


def placements(program: ProgramEntry | None) -> dict[str, Placement]:
    """By loop id; empty where the program was not placed. Loops that are not placed by themselves (inner ones, those
    without a time) have no entry."""
    calls: dict[str, list[PlacedEntry]] = {}
    for placed in program.sequence if program is not None else ():
        calls.setdefault(placed.loop, []).append(placed)
    return {loop: _placement(found) for loop, found in calls.items()}


def _placement(calls: list[PlacedEntry]) -> Placement:
    words = list(dict.fromkeys(_runs(placed) for placed in calls))
    reason = next((placed.reason for placed in calls if placed.reason), None)
    by_call = ", by call" if len(words) > 1 else ""
    to = next((place(p.device, p.candidate) for p in calls if p.candidate != "host"), "")
    return Placement(" or ".join(words) + by_call, to, any(p.candidate == "target" for p in calls), reason)


def _runs(placed: PlacedEntry) -> str:
    match placed.candidate:
        case "target":
            return f"moves to {placed.device}"
        case "host":
            return STAYS
        case candidate:
            return f"uses {place(placed.device, candidate)}"


def headline(loop: LoopEntry, placement: Placement | None) -> str:
    """The verdict in a few words: `offload to h200: 12x`; with a placement that is not what the loop alone would do,
    `in the program: moves to h200 (alone: depends on a size)`."""
    alone = _alone(loop.recommendation)
    if is_after_rewrite(loop):
        alone += ", rewritten"
    if placement is None or placement.words == _as_placed(loop.recommendation):
        return alone
    return f"in the program: {placement.words} (alone: {alone})"


def is_after_rewrite(loop: LoopEntry) -> bool:
    """Whether what is said to be worth it takes more than clauses."""
    return bool(loop.rewrites) and loop.recommendation.verdict in ("offload", "host-parallel")


def _alone(r: RecommendationEntry) -> str:
    gain = "faster" if r.speedup is None else amounts.gain(r.speedup)
    return f"{advice(r)}: {gain}" if r.verdict in ("offload", "host-parallel") else advice(r)


def advice(r: RecommendationEntry) -> str:
    """The verdict with where to, or on what: `offload to h200`, `host-parallel, all threads`, `depends on a size`."""
    match r.verdict:
        case "offload":
            return f"offload to {place(r.device, r.candidate)}"
        case "host-parallel":
            return f"host-parallel, {place(r.device, r.candidate)}"
        case "depends":
            return "depends on a size" if r.reason.code == ReasonCode.UNKNOWN_SIZE else "depends: the ranges overlap"
        case "host":
            return "host: no change"
        case "cannot-model":
            return r.verdict
        case _:
            assert_never(r.verdict)


def open_words(r: RecommendationEntry) -> str:
    """What a loop waits for, in a sentence: the size with its break-even, or the ranges that overlap."""
    return r.reason.message if r.reason.code == ReasonCode.UNKNOWN_SIZE else f"{advice(r)}: {r.reason.message}"


def _as_placed(r: RecommendationEntry) -> str | None:
    """What the placement of this verdict alone is called."""
    match r.verdict:
        case "offload" if r.candidate == "target":
            return f"moves to {r.device}"
        case "offload" | "host-parallel":
            return f"uses {place(r.device, r.candidate)}"
        case "host" | "cannot-model":
            return STAYS
        case "depends":
            return None
        case _:
            assert_never(r.verdict)


# --- totals


def inside_moving(document: Document) -> int:
    """Loops whose verdict is `host` since a loop around them moves."""
    return sum(loop.recommendation.reason.code == ReasonCode.PARENT_BETTER for f in document.files for loop in f.loops)


def remark(document: Document, verdict: VerdictName) -> str:
    """What is said of the loops of one verdict in the totals: `9 inside a loop that moves`; empty if nothing is."""
    if verdict == "host":
        inside = inside_moving(document)
        return f"{inside} inside a loop that moves" if inside else ""
    loops = (loop for f in document.files for loop in f.loops if loop.recommendation.verdict == verdict)
    rewritten = sum(map(is_after_rewrite, loops))
    return f"{rewritten} after a rewrite" if rewritten else ""


def totals(document: Document) -> str:
    """All loops of the run by verdict: `36: 3 offload, 14 host (9 of them inside a loop that moves)`."""
    return f"{document.summary.loops_total}: {', '.join(_by_verdict(document))}"


def _by_verdict(document: Document) -> Iterator[str]:
    for words in VERDICTS:
        if number := document.summary.verdicts.get(words.name, 0):
            said = remark(document, words.name).replace(" ", " of them ", 1)
            yield f"{number} {words.name}" + (f" ({said})" if said else "")


def file_counts(document: Document) -> list[tuple[str, int]]:
    """What the run has entries of, headers with functions of their own apart: `[("file", 63), ("header", 1)]`."""
    headers = sum(file.path.endswith(".h") for file in document.files)
    others = len(document.files) - headers
    return [(what, n) for what, n in (("file", others), ("header", headers)) if n or what == "file"]


def files(document: Document) -> str:
    """`63 files and 1 header`"""
    return " and ".join(counted(what, n) for what, n in file_counts(document))


def counted(what: str, number: int) -> str:
    """`1 loop`, `2 loops`"""
    return f"{number} {plural(what, number)}"


def plural(what: str, number: int) -> str:
    """`loop` for one, `loops` for any other number."""
    return what if number == 1 else f"{what}s"
