"""What the report says of loops, as the placement of the program takes it: nothing is asked of a model twice."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from models.quantity import Range

from ..facts.loop import FileFacts
from ..ir.reasons import ReasonCode
from ..program.gains import EXACT, ends
from ..program.outline import Advised, Judged, Likely, Outline, without_code
from .document import CountEntry, LoopEntry, PredictionEntry

NO_ADVICE = ReasonCode.INTERNAL_ERROR
"""The reason of a loop that an error of ours left without advice."""


def advised(
    outlines: Iterable[Outline],
    file: FileFacts,
    loops: Iterable[LoopEntry],
    sizes: Mapping[str, dict[str, int]],
    *,
    is_profiled: bool,
) -> tuple[Outline, ...]:
    """The outlines of one file, with what was found of its loops at `sizes`, by function. `is_profiled`: a profile has
    added to the facts of the loops since the outlines were made."""
    facts = {f.function.name: f for f in file.functions} if is_profiled else {}
    found: dict[str, dict[str, Judged]] = {}
    for entry in loops:
        if entry.recommendation.reason.code != NO_ADVICE:
            found.setdefault(entry.function, {})[entry.id] = _judged(entry)

    def told(outline: Outline) -> Outline:
        if outline.facts is None:
            return outline
        name = outline.name
        known = Advised(sizes.get(name, {}), found.get(name, {}))
        fresh = without_code(facts[name]) if name in facts else outline.facts
        return replace(outline, facts=fresh, advised=known)

    return tuple(told(o) for o in outlines if o.path == file.path)


def _judged(entry: LoopEntry) -> Judged:
    places = (
        Likely(p.candidate, p.device, _mean_s(p, entry.executions), p.transfer_s, _ends(p)) for p in entry.predictions
    )
    return Judged(tuple(places), entry.recommendation.reason.code == ReasonCode.CHILDREN_BETTER)


def _ends(p: PredictionEntry) -> Range:
    return EXACT if p.time_s is None else ends(p.time_s.low, p.time_s.likely, p.time_s.high)


def _mean_s(p: PredictionEntry, executions: CountEntry | None) -> float | None:
    """Likely seconds of the mean execution, of a loop inside others as it takes there."""
    if p.all_executions_s is not None and executions is not None and executions.value:
        return p.all_executions_s.likely / executions.value
    return None if p.time_s is None else p.time_s.likely
