"""What the program says of a kernel's time, as `analyze --host FILE --size n=...` does."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from msgspec import Struct

from analyzer.advise import Advice, Context, advise
from analyzer.advise.likely import expr_of
from analyzer.advise.together import in_all
from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import FileFacts, FunctionFacts, LoopFacts
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.catalogue import Device
from models.expr import known_value
from models.prediction import Candidate, Prediction
from models.quantity import Range

from .versions import Way, divided

PLACES: Mapping[Way, Candidate] = {"vector": "host-vector", "threads": "host-threads"}


class Predicted(Struct, frozen=True):
    """Seconds of one call, and what most of the time on one thread waits for."""

    time: Range
    waits_for: Literal["core", "data"]


def predicted(
    source: Path, function: str, host: Device, sizes: Mapping[str, int], way: Way = "host"
) -> Predicted | None:
    """Of a function of a file; None where one of the loops that decide it has no time."""
    return time_of(next(f for f in facts_of(source).functions if f.function.name == function), host, sizes, way)


def time_of(function: FunctionFacts, host: Device, sizes: Mapping[str, int], way: Way = "host") -> Predicted | None:
    """Of all outermost loops of a function together; but for `host`, the outermost parallel ones run elsewhere."""
    known = {name: float(value) for name, value in sizes.items()}
    advice = advise(function, Context(host, (), details=False), known)
    timed = [_timed(advice[loop.id], "host") for loop in function.loops if loop.parent is None]
    whole = [p.time for p in timed if p is not None and p.time is not None]
    if len(whole) < len(timed):
        return None
    moved = [] if way == "host" else divided(function.loops, lambda loop: loop.parallelism.is_parallel)
    saved = [_saved(loop, advice[loop.id], PLACES[way], known) for loop in moved]
    if None in saved:
        return None
    ends = (sum(getattr(r, end) for r in (*whole, *saved)) for end in ("low", "likely", "high"))
    core = sum(p.time.likely for p in timed if p is not None and p.time is not None and not _waits_for_data(p))
    waits_for = "core" if core >= sum(r.likely for r in whole) / 2 else "data"
    return Predicted(Range(*ends), waits_for)


def _saved(loop: LoopFacts, advice: Advice, candidate: Candidate, sizes: Mapping[str, float]) -> Range | None:
    """What all executions of the loop take there less what they take on the host; nothing where it stays."""
    here, there = _timed(advice, "host"), _timed(advice, candidate)
    executions = known_value(expr_of(loop.counts.executions), sizes)
    if candidate == "host-vector" and there is None:
        return Range(0.0, 0.0, 0.0)
    if here is None or there is None or here.time is None or there.time is None or executions is None:
        return None
    before, after = in_all(here.time, executions, advice.share), in_all(there.time, executions)
    return Range(after.low - before.low, after.likely - before.likely, after.high - before.high)


def _timed(advice: Advice, candidate: Candidate) -> Prediction | None:
    return next((p for p in advice.predictions if p.candidate == candidate), None)


def _waits_for_data(p: Prediction) -> bool:
    return p.memory is not None and p.compute is not None and p.memory.likely > p.compute.likely


@cache
def facts_of(source: Path) -> FileFacts:
    return analyze_file(source, SourceOptions(), AnalysisOptions(), source.parent)
