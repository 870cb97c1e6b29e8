"""Figures that the extended model needs: the device's own where its file has them, else estimated by a rule from here.

Every rule gives a range; the range of what was measured on devices of the catalogue stands in the statement. Where no
measurement of any device is at hand the statement says so, and the range is wide.
"""

from collections.abc import Callable
from typing import Literal, TypeAlias

from msgspec import Struct

from ..catalogue import Device
from ..figures import OPTIONAL, Figure
from ..units import base_unit, readable

End: TypeAlias = Literal["low", "likely", "high"]
"""Of a time: the low end takes the best of every figure, the high end the worst."""

ENDS: tuple[End, ...] = ("low", "likely", "high")


class Estimate(Struct, frozen=True):
    """How a figure follows from others: (low, value, high) in SI base units."""

    statement: str
    span: Callable[[Device], tuple[float, float, float]]


def _times(key: str, low: float, value: float, high: float) -> Callable[[Device], tuple[float, float, float]]:
    def span(device: Device) -> tuple[float, float, float]:
        base = figure(device, key).value
        return base * low, base * value, base * high

    return span


def _constant(low: float, value: float, high: float) -> Callable[[Device], tuple[float, float, float]]:
    return lambda device: (low, value, high)


def _pageable(device: Device) -> tuple[float, float, float]:
    pinned = figure(device, "link.rate").value
    return 0.25 * pinned, min(0.6 * pinned, 14e9), 0.95 * pinned


def _load_store(device: Device) -> tuple[float, float, float]:
    lanes = figure(device, "compute.fp32").value / (2 if device.fused_multiply_add else 1)
    return lanes / 6, lanes / 4, lanes / 2


def _l1(device: Device) -> tuple[float, float, float]:
    clock, width = figure(device, "clock.one_core"), figure(device, "vector").value / 8
    return clock.low * width, 1.7 * clock.value * width, 2 * clock.high * width


def _l3(device: Device) -> tuple[float, float, float]:
    one = figure(device, "memory.one_core").value
    return 1.3 * one, 2 * one, 3 * one


ESTIMATES: dict[str, Estimate] = {
    "latency.memory": Estimate(
        "400 ns from a load to its value; measured without load 300 (V100) to 390 ns (MI210); CUDA's guide had 400 to "
        "800 clock cycles for the devices of 2009 to 2012",
        _constant(290e-9, 400e-9, 800e-9),
    ),
    "latency.on_chip": Estimate(
        "25 ns, some 30 clock cycles, for a load that hits the first cache or shared memory; high: 80 cycles of the "
        "devices of 2010. Commonly stated, not verified",
        _constant(15e-9, 25e-9, 70e-9),
    ),
    "threads.resident": Estimate(
        "2048 threads per multiprocessor; low: 1024, as on compute capability 7.5",
        _times("multiprocessors", 1024, 2048, 2048),
    ),
    "rate.load_store": Estimate(
        "one access for four lanes and clock cycle; low: six (Kepler), high: two (Fermi, Volta). Commonly stated, not "
        "verified",
        _load_store,
    ),
    "rate.atomic": Estimate(
        "a quarter of the accesses of loads and stores while all addresses differ; low: a sixteenth, as where an "
        "update is a loop around a lock; high: as fast as stores. No measurement is at hand",
        _times("rate.load_store", 1 / 16, 1 / 4, 1),
    ),
    "cache.l2_rate": Estimate(
        "3 times the coalesced memory rate, 2 to 4; measured 2.7 to 3.8 times on V100, A100, H100, H200, MI100, MI210",
        _times("memory.coalesced", 2, 3, 4),
    ),
    "link.latency": Estimate(
        "8 us to start a copy and wait for it, as a kernel that is waited for: 6.6 to 9.7 us on P100, V100, A100; "
        "high: twice as long",
        _constant(4e-6, 8e-6, 16e-6),
    ),
    "link.pageable": Estimate(
        "0.6 of the rate of pinned memory and at most 14 GB/s; 0.25 to 0.95 of it on eleven devices (clpeak)",
        _pageable,
    ),
    "link.page_fault": Estimate(
        "a page of 64 KiB of unified memory moves on its first touch in 30 us (2 GB/s), 15 to 60 us. Commonly stated, "
        "not verified",
        _constant(64 * 1024 / 60e-6, 64 * 1024 / 30e-6, 64 * 1024 / 15e-6),
    ),
    "cache.l1_rate": Estimate(
        "1.7 vectors per clock cycle of one core, 1 to 2; measured 1.7 on Xeon 6248, 1.6 on E5-2695 v3",
        _l1,
    ),
    "cache.l2_rate.core": Estimate(
        "0.45 of the first cache's rate, 0.3 to 0.7; measured 0.40 (Xeon 6248) to 0.69 (A64FX)",
        _times("cache.l1_rate", 0.3, 0.45, 0.7),
    ),
    "cache.l3_rate.core": Estimate(
        "2 times the memory rate of one core, 1.3 to 3; measured 1.6 (Xeon 6248) to 2.5 (E5-2695 v3)",
        _l3,
    ),
    "threads.start": Estimate(
        "5 us to start all threads and wait for the last one, 1 to 20 us. Commonly stated, not verified",
        _constant(1e-6, 5e-6, 20e-6),
    ),
}


def figure(device: Device, key: str) -> Figure:
    """The device's figure, or the estimate for it. MissingFigureError where there is neither.

    Example: `figure(find_device("h200"), "latency.memory").value` is 400e-9 s, of kind `estimated`."""
    estimate = ESTIMATES.get(key)
    if estimate is None or key in device.figures:
        return device.figure(key)
    low, value, high = estimate.span(device)
    unit = base_unit(OPTIONAL[key])
    return Figure(value, low, high, unit, "estimated", estimate.statement, readable(value, unit), rule=key)


def rate(device: Device, key: str, end: End) -> float:
    """A figure that a time is divided by: the low time takes the highest rate."""
    found = figure(device, key)
    return found.high if end == "low" else found.value if end == "likely" else found.low


def seconds(device: Device, key: str, end: End) -> float:
    """A figure that is a time."""
    found = figure(device, key)
    return found.low if end == "low" else found.value if end == "likely" else found.high
