"""How long all executions of the loops of a nest take together on the host: no longer than the loop around them.

An execution taken alone finds nothing in the caches; inside a nest it finds what the executions before it left there.
The models of the inner loops do not see that, the model of the loop around them does. Verdicts, levels of nests and the
program as a whole all take the time inside the nest. That of other places stays the time alone, which overstates no
gain.
"""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from models.prediction import Candidate, Prediction
from models.quantity import Range

from ..facts.loop import LoopFacts

WHOLE = Range(1.0, 1.0, 1.0)
ONE_THREAD: tuple[Candidate, ...] = ("host", "host-vector")
"""Whose caches keep what one execution leaves there for the next."""


def shares(loops: Iterable[LoopFacts], alone: Mapping[str, Range]) -> dict[str, Range]:
    """By loop, the part of its time taken alone (`alone`: of all executions, by loop, where known) that counts inside
    the loop around, end by end. `loops`: of a function, the outer ones before those inside.

    Example: 0.1 of a loop of 400 us alone, in a loop of 40 us."""
    loops = tuple(loops)
    inside: dict[str, list[Range]] = {}
    for loop in loops:
        if loop.parent is not None and loop.id in alone:
            inside.setdefault(loop.parent, []).append(alone[loop.id])
    found: dict[str, Range] = {}
    for loop in loops:
        if loop.parent is None:
            found[loop.id] = WHOLE
        else:
            above = found.get(loop.parent, WHOLE)
            around, within = alone.get(loop.parent), inside.get(loop.parent)
            found[loop.id] = above if around is None or not within else _share(_times(around, above), within)
    return found


def share_of(candidate: Candidate, share: Range) -> Range:
    """The part of its time alone that counts at this place; `share`: that of the host."""
    return share if candidate in ONE_THREAD else WHOLE


def within(answer: Prediction, share: Range) -> Prediction:
    """What a model said of the loop taken alone, as it is inside the loop around it."""
    part = share_of(answer.candidate, share)
    if part == WHOLE:
        return answer
    return replace(answer, **{name: _part(getattr(answer, name), part) for name in ("time", "compute", "memory")})


def in_all(each: Range, executions: float, share: Range = WHOLE) -> Range:
    """Seconds of all executions, of which `each` is the mean one taken alone and `share` what counts of it.

    Example: 1000 of 2 us of which a half counts are 1 ms."""
    low, likely = each.low * executions * share.low, each.likely * executions * share.likely
    return Range(min(low, likely), likely, max(likely, each.high * executions * share.high))


def _part(each: Range | None, share: Range) -> Range | None:
    return None if each is None else in_all(each, 1, share)


def _share(around: Range, inside: list[Range]) -> Range:
    def part(whole: float, parts: Iterable[float]) -> float:
        together = sum(parts)
        return min(1.0, whole / together) if together else 1.0

    likely = part(around.likely, (r.likely for r in inside))
    return Range(part(around.low, (r.low for r in inside)), likely, part(around.high, (r.high for r in inside)))


def _times(left: Range, right: Range) -> Range:
    return Range(left.low * right.low, left.likely * right.likely, left.high * right.high)
