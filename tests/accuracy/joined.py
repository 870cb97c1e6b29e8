"""What one machine measured beside what the program predicts for that machine."""

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from models.catalogue import Device

from . import polybench
from .choices import Choice
from .join import Compared
from .kernels import Kernel, kernels
from .measure import Measured
from .predict import Predicted, predicted
from .records import Record
from .versions import Way

Row: TypeAlias = tuple[Choice, Compared]


class Joined(Struct, frozen=True):
    """`found`: on one thread; `ways`: every choice between ways of running a kernel, with its time on all threads
    beside the one predicted."""

    name: str
    host: Device
    found: tuple[Compared, ...]
    ways: tuple[Row, ...] = ()


def joined(record: Record, suite: Path | None = None) -> Joined:
    """PolyBench only where its folder is given."""
    host = record.host
    known = {kernel.name: kernel for kernel in kernels()}
    return Joined(
        record.name,
        host,
        tuple(_compared(record.times, known, host, suite)),
        tuple(_in_ways(record.in_ways, known, host, suite)),
    )


def _compared(
    found: list[Measured], known: dict[str, Kernel], host: Device, suite: Path | None
) -> Iterator[Compared]:  # fmt: skip
    for m in found:
        if (of := _predicted(m, known, host, suite, "host")) is not None:
            part, name, p = of
            yield Compared(name, part, m.sizes, m.seconds, p and p.time, p.waits_for if p else "")


def _in_ways(found: list[Measured], known: dict[str, Kernel], host: Device, suite: Path | None) -> Iterator[Row]:
    by_case = attrgetter("case")
    for _, group in groupby(sorted(found, key=by_case), by_case):
        measured = {m.way: m for m in group}
        m = measured["threads"]
        of = {way: each for way in measured if (each := _predicted(m, known, host, suite, way)) is not None}
        predicted = {way: p for way, (_, _, p) in of.items() if p is not None}
        if "host" not in predicted or "threads" not in predicted:
            continue
        part, name, _ = of["host"]
        seconds = {way: measured[way].seconds for way in predicted}
        likely = {way: p.time.likely for way, p in predicted.items()}
        p = predicted["threads"]
        yield (
            Choice(name, part, m.sizes, seconds, likely),
            Compared(name, part, m.sizes, m.seconds, p.time, p.waits_for),
        )


def _predicted(
    m: Measured, known: dict[str, Kernel], host: Device, suite: Path | None, way: Way
) -> tuple[str, str, Predicted | None] | None:
    """The part it is in, its name, and what the program says of it; None where its suite is not there."""
    group, _, name = m.kernel.partition(":")
    if group != polybench.GROUP:
        kernel = known[m.kernel]
        return kernel.part, m.kernel, predicted(kernel.source, kernel.function, host, kernel.known(m.sizes), way)
    return None if suite is None else ("PolyBench", name, polybench.predicted(suite, name, host, way))
