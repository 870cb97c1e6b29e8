"""Advice: what to do with each loop. The only place that evaluates models.

facts -> workload (`workloads`) -> predictions (`candidates`) -> verdict of one loop (`verdicts`, `breakeven`)
-> verdict within its nest (`nests`).
"""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from msgspec import Struct

from models.expr import known_value
from models.extended.figures import End
from models.prediction import Prediction
from models.quantity import Range, Sizes

from ..facts import FunctionFacts, LoopFacts
from .averages import averaged, end_entries, mean_entry
from .candidates import Candidates, candidates, today
from .context import DEFAULT_MODEL, Context
from .formulas import Formulas, formulas
from .likely import expr_of
from .modelling import MODELS
from .nests import Level, weigh
from .sensitivity import Flip, flips
from .sweep import Span, Sweep, sweep
from .together import WHOLE, shares
from .verdicts import Recommendation, recommend
from .workloads import at_end, workload_of

__all__ = ["DEFAULT_MODEL", "MODELS", "Advice", "Context", "Recommendation", "Sweep", "advise", "predictions"]

NOTHING = Range(0.0, 0.0, 0.0)

Place: TypeAlias = tuple[str, str]
"""Device and candidate of a prediction."""


class Advice(Struct, frozen=True):
    """What is recommended for one loop, and the predictions it rests on. `details`: see `Context`; only with them
    there are `formulas`. `executions`: by device and candidate the likely seconds of single executions, from the least
    to the most, where these do not do the same, 0 of one without iterations. `share`: the part of the host time alone
    that counts of all executions together, inside the loop around (`together.shares`)."""

    predictions: tuple[Prediction, ...]
    recommendation: Recommendation
    details: bool = True
    sweep: Sweep | None = None
    flips: tuple[Flip, ...] = ()
    formulas: Formulas | None = None
    executions: Mapping[Place, tuple[float, float]] = {}
    share: Range = WHOLE


def advise(
    function: FunctionFacts, context: Context, sizes: Sizes, ranges: Mapping[str, Span] | None = None
) -> dict[str, Advice]:
    """Advice by loop id for all loops of one function; `sizes` are the values of its size symbols, `ranges` the spans
    of those that are to be varied.

    Never raises for lack of knowledge: that is a verdict with a reason."""
    loops = averaged(function.loops)
    by_id = {loop.id: loop for loop in loops}
    found: dict[str, Candidates] = {}
    levels: dict[str, Level] = {}
    written: dict[str, Formulas | None] = {}
    for loop in loops:
        nest = tuple(by_id[i] for i in loop.nest if i in by_id)
        now = today(loop, _around(loop, by_id))
        workload = workload_of(loop, nest)
        answer = candidates(loop, nest, workload, now, context, sizes)
        if context.details and workload is not None:
            written[loop.id] = formulas(loop, nest, workload, answer, now, context, sizes)
        alone = recommend(loop, answer, now, context, sizes)
        found[loop.id] = answer
        levels[loop.id] = Level(loop, alone, *_whole_times(loop, answer, alone, sizes))
    decided, parts = weigh(levels), shares(loops, _host_alone(loops, found, sizes))
    facts = {loop.id: loop for loop in function.loops}
    return {
        key: Advice(
            answer.predictions,
            decided[key],
            context.details,
            sweep(answer.predictions, ranges, sizes) if ranges else None,
            _flips(by_id[key], by_id, context, sizes) if context.is_asked(by_id[key]) else (),
            written.get(key),
            _single_executions(facts[key], by_id, answer, context, sizes),
            parts[key],
        )
        for key, answer in found.items()
    }


def predictions(loop: LoopFacts, around: Iterable[LoopFacts], context: Context, sizes: Sizes) -> tuple[Prediction, ...]:
    """Where `loop` could run and how long that takes, without a verdict. `around`: all loops of the nest it is in."""
    return _alone(mean_entry(loop), {each.id: each for each in averaged(around)}, context, sizes)


def _flips(loop: LoopFacts, by_id: Mapping[str, LoopFacts], context: Context, sizes: Sizes) -> tuple[Flip, ...]:
    """What would change the verdict on the loop taken alone."""
    nest = tuple(by_id[i] for i in loop.nest if i in by_id)
    now = today(loop, _around(loop, by_id))

    workload = workload_of(loop, nest)

    def decide(context: Context, sizes: Sizes, end: End) -> Recommendation:
        taken = workload if workload is None or end == "likely" else at_end(workload, end)
        return recommend(loop, candidates(loop, nest, taken, now, context, sizes), now, context, sizes)

    return flips(loop, context, sizes, decide)


def _host_alone(loops: Iterable[LoopFacts], found: Mapping[str, Candidates], sizes: Sizes) -> dict[str, Range]:
    """Seconds of all executions of each loop on the host, each taken alone, where they are known."""
    times = {}
    for loop in loops:
        host, entries = found[loop.id].host, known_value(expr_of(loop.counts.executions), sizes)
        if isinstance(host, Prediction) and host.time is not None and entries is not None:
            each = host.time
            times[loop.id] = Range(each.low * entries, each.likely * entries, each.high * entries)
    return times


def _single_executions(
    loop: LoopFacts, by_id: Mapping[str, LoopFacts], mean: Candidates, context: Context, sizes: Sizes
) -> dict[Place, tuple[float, float]]:
    """See `Advice.executions`; `by_id`: the loops of the function in their mean entry, `mean`: what holds of that."""
    timed = {(p.device, p.candidate): p.time.likely for p in mean.predictions if p.time is not None}
    ends = end_entries(loop) if timed else None
    if ends is None:
        return {}
    found = [{(p.device, p.candidate): p.time for p in _alone(end, by_id, context, sizes)} for end in ends]
    if known_value(expr_of(ends[0].counts.trip_count), sizes) == 0:
        found[0] = dict.fromkeys(timed, NOTHING)
    spans: dict[Place, tuple[float, float]] = {}
    for place, likely in timed.items():
        times = [t.likely for each in found if (t := each.get(place)) is not None]
        if len(times) == len(ends) and min(times) < max(times):
            spans[place] = min(likely, *times), max(likely, *times)
    return spans


def _alone(loop: LoopFacts, by_id: Mapping[str, LoopFacts], context: Context, sizes: Sizes) -> tuple[Prediction, ...]:
    nest = (loop, *(by_id[i] for i in loop.nest if i in by_id and i != loop.id))
    now = today(loop, _around(loop, by_id))
    return candidates(loop, nest, workload_of(loop, nest), now, context, sizes).predictions


def _around(loop: LoopFacts, by_id: Mapping[str, LoopFacts]) -> tuple[LoopFacts, ...]:
    around = []
    while loop.parent is not None and loop.parent in by_id:
        loop = by_id[loop.parent]
        around.append(loop)
    return tuple(around)


def _whole_times(
    loop: LoopFacts, answer: Candidates, alone: Recommendation, sizes: Sizes
) -> tuple[float | None, float | None]:
    """Likely seconds of all entries of the loop: on the host, and where `alone` puts it."""
    entries = known_value(expr_of(loop.counts.executions), sizes)
    if entries is None:
        return None, None
    host_s = moved_s = None
    for p in answer.predictions:
        if p.time is None:
            continue
        if p is answer.host:
            host_s = entries * p.time.likely
        elif (p.device, p.candidate) == (alone.device, alone.candidate):
            moved_s = entries * p.time.likely
    return host_s, moved_s
