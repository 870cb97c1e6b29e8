"""What the program says of a kernel's time, as `analyze --host FILE --size n=...` does."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from msgspec import Struct

from analyzer.advise import Context, advise
from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import FileFacts, FunctionFacts
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.catalogue import Device
from models.prediction import Prediction
from models.quantity import Range


class Predicted(Struct, frozen=True):
    """Seconds of one call on one thread, and what most of the time waits for."""

    time: Range
    waits_for: Literal["core", "data"]


def predicted(source: Path, function: str, host: Device, sizes: Mapping[str, int]) -> Predicted | None:
    """Of a function of a file; None where one of its outermost loops has no time."""
    return time_of(next(f for f in facts_of(source).functions if f.function.name == function), host, sizes)


def time_of(function: FunctionFacts, host: Device, sizes: Mapping[str, int]) -> Predicted | None:
    """Of all outermost loops of a function together."""
    advice = advise(function, Context(host, (), details=False), {name: float(value) for name, value in sizes.items()})
    outermost = [loop for loop in function.loops if loop.parent is None]
    found = [next((p for p in advice[o.id].predictions if p.candidate == "host"), None) for o in outermost]
    timed = [p for p in found if p is not None and p.time is not None]
    if len(timed) < len(outermost):
        return None
    ends = (sum(getattr(p.time, end) for p in timed) for end in ("low", "likely", "high"))
    core = sum(p.time.likely for p in timed if p.time is not None and not _waits_for_data(p))
    time = Range(*ends)
    return Predicted(time, "core" if core >= time.likely / 2 else "data")


def _waits_for_data(p: Prediction) -> bool:
    return p.memory is not None and p.compute is not None and p.memory.likely > p.compute.likely


@cache
def facts_of(source: Path) -> FileFacts:
    return analyze_file(source, SourceOptions(), AnalysisOptions(), source.parent)
