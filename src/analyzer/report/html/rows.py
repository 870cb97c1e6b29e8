"""One short row per loop, for the table of a page: what is shown, sorted and filtered without opening anything."""

from collections.abc import Iterator

from ...base.amounts import threshold
from ..document import Document, LoopEntry, PredictionEntry, RecommendationEntry
from ..verdict_words import Placement, headline, placements
from ..wording import heading, place, timed

COLUMNS = (
    "id", "file", "line", "function", "loop", "verdict", "place", "from", "speedup", "today_s", "then_s", "class",
    "reason", "message", "unlisted", "headline",
)  # fmt: skip


def rows(document: Document) -> Iterator[tuple[object, ...]]:
    """In the order of the document, values in the order of COLUMNS; `file` is an index of `document.files`."""
    placed = placements(document.program)
    for index, file in enumerate(document.files):
        for loop in file.loops:
            yield _row(index, loop, placed.get(loop.id))


def _row(file: int, loop: LoopEntry, placement: Placement | None) -> tuple[object, ...]:
    r = loop.recommendation
    moves = r.verdict in ("offload", "host-parallel")
    return (
        loop.id,
        file,
        loop.line,
        loop.function,
        "  " * loop.depth + heading(loop),
        r.verdict,
        _to(loop, placement),
        _fastest_from(r),
        None if r.speedup is None or not moves else r.speedup.likely,
        loop.today_s if timed(loop) else None,
        _likely(loop.advised) if moves else None,
        loop.class_ or "",
        r.reason.code,
        r.reason.message,
        loop.unlisted or "",
        headline(loop, placement),
    )


def _to(loop: LoopEntry, placement: Placement | None) -> str:
    """Where it is worth moving by itself, if only from some size on, or where the program as a whole puts it: `h200`,
    `h200 (program)`."""
    r = loop.recommendation
    is_worth = r.verdict in ("offload", "host-parallel") or _fastest_from(r) is not None
    alone = place(r.device, r.candidate) if is_worth else ""
    together = placement.to if placement is not None else ""
    return f"{together} (program)" if together and together != alone else alone


def _fastest_from(r: RecommendationEntry) -> int | None:
    """The value of the one unknown size from which the place is likely the fastest."""
    least = r.break_even[0].fastest_from if r.verdict == "depends" and len(r.break_even) == 1 else None
    return None if least is None else int(threshold(int(least)))


def _likely(prediction: PredictionEntry | None) -> float | int | None:
    return None if prediction is None or prediction.time_s is None else prediction.time_s.likely
