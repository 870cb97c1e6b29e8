"""Times of devices that others published, beside those that `analyze -t DEVICE --resident` says.

`validation/published/*.toml` has tables of measurements, each with its source; `validation/published/kernels.c` has
what was timed, as plain C. A table says how many units of work its rates count (`work`), so that each row is seconds.
No figure there is one that a device's file rests on.

A row is in the part to tune on or in that to judge on by a hash of device and kernel (`part`), which nobody chose.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from statistics import quantiles
from typing import Any, Literal

from msgspec import Struct, convert

from analyzer.advise import Context, advise
from analyzer.facts.loop import FunctionFacts
from models.catalogue import DEFAULT_HOST, find_device
from models.prediction import Prediction
from models.quantity import Range

from .join import Compared
from .predict import facts_of

ROOT = Path(__file__).resolve().parents[2] / "validation"
FOLDER, SOURCE = ROOT / "published", ROOT / "published" / "kernels.c"
RATES = {
    "MB/s": 1e6, "GB/s": 1e9, "Gflop/s": 1e9, "Tflop/s": 1e12, "Mcell/s": 1e6, "Ginteraction/s": 1e9,
}  # fmt: skip
TIMES = {"us": 1e-6, "ms": 1e-3, "s": 1.0}


class Row(Struct, frozen=True, forbid_unknown_fields=True):
    """One measurement; `named`: what the source calls the device, or which of several runs it is; `cause`: why the
    likely time is far off, where that is so."""

    device: str
    sizes: Mapping[str, int]
    value: float
    named: str = ""
    cause: str = ""


class Table(Struct, frozen=True, forbid_unknown_fields=True):
    """Measurements of one kernel from one source. `code`: what was timed there; `mapping`: which of ours that is;
    `assumed`: what the source leaves open."""

    source: str
    kernel: str
    precision: Literal["fp32", "fp64", "int32"]
    code: str
    unit: str
    rows: tuple[Row, ...]
    work: str = ""
    mapping: Literal["best", "naive"] = "best"
    assumed: str = ""

    def seconds(self, row: Row) -> float:
        """Of one run.

        Example: 10 GB/s with 16 bytes for each of 10^9 elements are 1.6 s."""
        if self.unit in TIMES:
            return row.value * TIMES[self.unit]
        work = float(eval(self.work, {"__builtins__": {}}, dict(row.sizes)))  # a product of sizes
        return work / (row.value * RATES[self.unit])


class Judged(Struct, frozen=True):
    """A measurement beside the prediction for it."""

    table: Table
    row: Row
    compared: Compared


def tables() -> Iterator[Table]:
    """All of validation/published."""
    for path in sorted(FOLDER.glob("*.toml")):
        listed: Any = tomllib.loads(path.read_text(encoding="utf-8"))["tables"]
        yield from (convert(each, Table) for each in listed)


def part(device: str, kernel: str) -> Literal["tune", "judge"]:
    """Decided by a hash, before anyone looked; all sizes of a kernel on a device are in one part."""
    return "tune" if sha256(f"{device} {kernel}".encode()).digest()[0] % 2 else "judge"


def judged() -> Iterator[Judged]:
    """Every measurement with the time that the program says."""
    for table in tables():
        for row in table.rows:
            time, waits_for = _predicted(table, row)
            own = part(row.device, table.kernel)
            yield Judged(table, row, Compared(table.kernel, own, row.sizes, table.seconds(row), time, waits_for))


def beyond(found: Iterable[Compared]) -> dict[str, tuple[float, float]]:
    """By what kernels wait for, the tenth percentile of measured over the low end, and the ninetieth over the high one:
    1 and 1 where the range has what it should."""
    by_cause: dict[str, list[Compared]] = {}
    for c in found:
        if c.predicted is not None:
            by_cause.setdefault(c.waits_for, []).append(c)
    return {cause: (_tenth(own, "low", 0), _tenth(own, "high", -1)) for cause, own in by_cause.items() if len(own) > 1}


def _tenth(own: list[Compared], end: str, at: int) -> float:
    return quantiles([c.measured / getattr(c.predicted, end) for c in own], n=10, method="inclusive")[at]


def _predicted(table: Table, row: Row) -> tuple[Range | None, str]:
    """Of all outermost loops together, on the device, with the data there; and what most of that waits for."""
    function = _function(table.kernel)
    target = find_device(row.device)
    host = find_device(DEFAULT_HOST)
    context = Context(host, (target,), details=False, resident=True, mapping=table.mapping)
    advice = advise(function, context, {name: float(value) for name, value in row.sizes.items()})
    outermost = [loop for loop in function.loops if loop.parent is None]
    found = [next((p for p in advice[o.id].predictions if p.device == target.id), None) for o in outermost]
    timed = [p for p in found if p is not None and p.time is not None]
    if not timed or len(timed) < len(outermost):
        return None, ""
    ends = (sum(_end(p, end) for p in timed) for end in ("low", "likely", "high"))
    return Range(*ends), max(timed, key=lambda p: _end(p, "likely")).bound or ""


def _end(p: Prediction, end: str) -> float:
    return float(getattr(p.time, end))


@cache
def _function(name: str) -> FunctionFacts:
    return next(f for f in facts_of(SOURCE).functions if f.function.name == name)
