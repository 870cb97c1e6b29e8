"""The bounds of all execution models of one kernel on one CPU and one GPU, with ranges and what limits them."""

from collections.abc import Callable
from typing import Literal, TypeAlias

from msgspec import Struct

from ..elementwise import positive
from ..quantity import Range
from .partition import Times, balanced, data_share, performance, times

End: TypeAlias = Literal["slow", "likely", "fast"]
TERMS = ("CPU compute", "CPU memory", "GPU compute", "GPU memory")


class Processor(Struct, frozen=True):
    """A processor with its times; `slow` and `fast` are the ends of what is known of it."""

    id: str
    name: str
    kind: str
    likely: Times
    slow: Times
    fast: Times
    source: str

    def times(self, end: End) -> Times:
        return {"slow": self.slow, "likely": self.likely, "fast": self.fast}[end]


class Bound(Struct, frozen=True):
    """The performance bound of one execution model, in flops per second; `cpu_flops` and `cpu_bytes` are the CPU's
    shares, `limit` the largest of the four times."""

    model: str
    performance: Range
    cpu_flops: float
    cpu_bytes: float
    limit: str
    note: str = ""


def bounds(
    cpu: Processor,
    gpu: Processor,
    intensity: float,
    code: tuple[float, float] | None = None,
    data_sets: int | None = None,
) -> tuple[Bound, ...]:
    """The bounds of all execution models; `code` are the CPU's shares of flops and bytes in a code partition,
    `data_sets` the number of equal data sets where work can only be divided in whole ones.

    Example: the bounds of SA are `bounds(i7, gtx750, 1.7, code=shares(1.7, 0.1, 2.0))`."""
    positive("the intensity", intensity)
    found = [
        _bound(cpu, gpu, intensity, "CPU-only", lambda c, g: (1.0, 1.0)),
        _bound(cpu, gpu, intensity, "GPU-only", lambda c, g: (0.0, 0.0)),
        _bound(cpu, gpu, intensity, "p-DP", lambda c, g: _alike(data_share(c, g, intensity)), note="divided exactly"),
    ]
    if data_sets is not None:
        share = data_share(cpu.likely, gpu.likely, intensity, data_sets)
        note = f"{round(share * data_sets)} of {data_sets} data sets on the CPU"
        found.append(
            _bound(cpu, gpu, intensity, "DP", lambda c, g: _alike(data_share(c, g, intensity, data_sets)), note=note)
        )
    if code is not None:
        found.append(_bound(cpu, gpu, intensity, "CP", lambda c, g: code, note="independent, or many data sets"))
        if data_sets is not None:
            note = f"two stages, {data_sets} data sets"
            found.append(_bound(cpu, gpu, intensity, "CP-dependent", lambda c, g: code, data_sets, note))
    found.append(_bound(cpu, gpu, intensity, "best", balanced, note="of all partitions"))
    return tuple(found)


def _bound(
    cpu: Processor,
    gpu: Processor,
    intensity: float,
    model: str,
    divide: Callable[[Times, Times], tuple[float, float]],
    data_sets: int | None = None,
    note: str = "",
) -> Bound:
    """`divide` gives the shares for the times of CPU and GPU: what is divided at best is so at each end."""

    def at(end: End) -> float:
        times = cpu.times(end), gpu.times(end)
        return float(performance(*times, intensity, *divide(*times), data_sets))

    flops, traffic = divide(cpu.likely, gpu.likely)
    terms = times(cpu.likely, gpu.likely, intensity, flops, traffic)
    limit = TERMS[max(range(4), key=lambda index: float(terms[index]))]
    return Bound(model, Range(at("slow"), at("likely"), at("fast")), flops, traffic, limit, note)


def _alike(share: float) -> tuple[float, float]:
    return share, share
