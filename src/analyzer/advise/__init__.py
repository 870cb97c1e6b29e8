"""Advice: what to do with each loop. The only place that evaluates models.

facts -> workload (`workloads`) -> predictions (`candidates`) -> verdict of one loop (`verdicts`; where a size is not
known `unknown_sizes`, `breakeven`) -> verdict within its nest (`nests`).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from models.expr import known_value
from models.prediction import Prediction
from models.quantity import End, Range, Sizes

from ..facts.loop import FunctionFacts, LoopFacts
from .averages import averaged, end_entries, mean_entry
from .candidates import Candidates, candidates, today
from .context import DEFAULT_MODEL, Context
from .formulas import Formulas, formulas
from .likely import expr_of
from .modelling import MODELS, Answer
from .nests import Level, weigh
from .recommendation import Recommendation
from .sensitivity import Flip, flips
from .sweep import Span, Sweep, sweep
from .together import WHOLE, in_all, shares, within
from .verdicts import recommend
from .ways import Way, ways
from .workloads import at_end, workload_of

__all__ = ["DEFAULT_MODEL", "MODELS", "Advice", "Context", "Recommendation", "Sweep", "advise", "predictions"]

NOTHING = Range(0.0, 0.0, 0.0)

Place: TypeAlias = tuple[str, str]
"""Device and candidate of a prediction."""


class Advice(Struct, frozen=True):
    """What is recommended for one loop, and the predictions it rests on. `details`: see `Context`; only with them
    there are `formulas`. `executions`: by device and candidate the likely seconds of single executions, from the least
    to the most, where these do not do the same, 0 of one without iterations. `share`: the part of the host time alone
    that counts inside the loop around (`together.shares`): the recommendation rests on that. `simd`: see
    `Candidates`. `ways`: what an expert would do instead."""

    predictions: tuple[Prediction, ...]
    recommendation: Recommendation
    details: bool = True
    sweep: Sweep | None = None
    flips: tuple[Flip, ...] = ()
    formulas: Formulas | None = None
    executions: Mapping[Place, tuple[float, float]] = {}
    share: Range = WHOLE
    simd: bool = False
    ways: tuple[Way, ...] = ()


def advise(
    function: FunctionFacts, context: Context, sizes: Sizes, ranges: Mapping[str, Span] | None = None
) -> dict[str, Advice]:
    """Advice by loop id for all loops of one function; `sizes` are the values of its size symbols, `ranges` the spans
    of those that are to be varied.

    Never raises for lack of knowledge: that is a verdict with a reason."""
    loops = averaged(function.loops, frozenset(_unasked(context)))
    by_id = {loop.id: loop for loop in loops}
    found: dict[str, Candidates] = {}
    written: dict[str, Formulas | None] = {}
    for loop in loops:
        nest = tuple(by_id[i] for i in loop.nest if i in by_id)
        now = today(loop, _around(loop, by_id))
        workload = workload_of(loop, nest)
        found[loop.id] = candidates(loop, nest, workload, now, context, sizes)
        if context.details and workload is not None:
            written[loop.id] = formulas(loop, nest, workload, found[loop.id], now, context, sizes)
    parts = shares(loops, _host_alone(loops, found, sizes))
    levels = {loop.id: _level(loop, by_id, _within(found[loop.id], parts[loop.id]), context, sizes) for loop in loops}
    decided = weigh(levels)
    facts = {loop.id: loop for loop in function.loops}
    return {
        key: Advice(
            answer.predictions,
            decided[key],
            context.details,
            sweep(answer.predictions, ranges, sizes) if ranges else None,
            _flips(by_id[key], by_id, parts[key], context, sizes) if context.is_asked(by_id[key]) else (),
            written.get(key),
            _single_executions(facts[key], by_id, answer, context, sizes),
            parts[key],
            answer.simd,
            ways(facts[key], by_id, found, context, sizes),
        )
        for key, answer in found.items()
    }


def _unasked(context: Context) -> Iterator[str]:
    """The counts that no model of this context takes."""
    yield "footprint"  # models have those of arrays
    if not MODELS[context.model].takes_accesses:
        yield from ("bytes_loaded", "bytes_stored")
    if all(device.kind == "cpu" for device in context.targets):
        yield from ("transfer_in", "transfer_out")


def predictions(loop: LoopFacts, around: Iterable[LoopFacts], context: Context, sizes: Sizes) -> tuple[Prediction, ...]:
    """Where `loop` could run and how long that takes, without a verdict. `around`: all loops of the nest it is in."""
    return _alone(mean_entry(loop), {each.id: each for each in averaged(around)}, context, sizes)


def _level(
    loop: LoopFacts, by_id: Mapping[str, LoopFacts], answer: Candidates, context: Context, sizes: Sizes
) -> Level:
    alone = recommend(loop, answer, today(loop, _around(loop, by_id)), context, sizes)
    return Level(loop, alone, *_whole_times(loop, answer, alone, sizes))


def _within(answer: Candidates, share: Range) -> Candidates:
    """The answers for a loop taken alone as they are inside the loop around it."""

    def taken(place: Answer | None) -> Answer | None:
        return within(place, share) if isinstance(place, Prediction) else place

    return answer if share == WHOLE else replace(answer, host=taken(answer.host), vector=taken(answer.vector))


def _flips(
    loop: LoopFacts, by_id: Mapping[str, LoopFacts], share: Range, context: Context, sizes: Sizes
) -> tuple[Flip, ...]:
    """What would change the verdict on the loop by itself."""
    nest = tuple(by_id[i] for i in loop.nest if i in by_id)
    now = today(loop, _around(loop, by_id))
    workload = workload_of(loop, nest)

    def decide(context: Context, sizes: Sizes, end: End) -> Recommendation:
        context = replace(context, details=False)  # the verdict alone is asked for
        taken = workload if workload is None or end == "likely" else at_end(workload, end)
        answer = _within(candidates(loop, nest, taken, now, context, sizes), share)
        return recommend(loop, answer, now, context, sizes)

    return flips(loop, context, sizes, decide)


def _host_alone(loops: Iterable[LoopFacts], found: Mapping[str, Candidates], sizes: Sizes) -> dict[str, Range]:
    """Seconds of all executions of each loop on the host, each taken alone, where they are known."""
    times = {}
    for loop in loops:
        host, entries = found[loop.id].host, known_value(expr_of(loop.counts.executions), sizes)
        if isinstance(host, Prediction) and host.time is not None and entries is not None:
            times[loop.id] = in_all(host.time, entries)
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
