"""Figures that the extended model needs: the device's own where its file has them, else estimated by a rule from here.

Every rule gives a range; the range of what was measured on devices of the catalogue stands in the statement. Where no
measurement of any device is at hand the statement says so, and the range is wide.
"""

from collections.abc import Callable

from msgspec import Struct

from ..catalogue import Device
from ..figures import OPTIONAL, Figure
from ..quantity import End
from ..units import base_unit, readable


class Estimate(Struct, frozen=True):
    """How a figure follows from others: (low, value, high) in SI base units."""

    statement: str
    span: Callable[[Device], tuple[float, float, float]]


def _times(key: str, low: float, value: float, high: float) -> Callable[[Device], tuple[float, float, float]]:
    def span(device: Device) -> tuple[float, float, float]:
        _, base, _ = _span(device, key)
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
    "cache.store_rate": Estimate(
        "half of the cache's rate for stores of neighbours apart, each in a sector; measured 0.28 to 0.78 of it on "
        "H100, GH200, B200, RTX 2080 Ti, TITAN Xp; high: 1.5 to 1.6 on MI300X, MI50, which put them together before",
        _times("cache.l2_rate", 0.28, 0.5, 1.6),
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

ESTIMATES["threads.atomic"] = Estimate(
    "10 ns for each atomic update of one of 256 counters that all threads share, 4 to 60: their lines go from core to "
    "core; measured 9 ns with two cores of a virtual machine",
    _constant(4e-9, 10e-9, 60e-9),
)

_TABLES = "Fog, instruction tables, x86 processors of 2013 to 2023"


def _cycles(key: str, low: float, value: float, high: float, what: str) -> tuple[str, Estimate]:
    """A time in clock cycles of one core."""

    def span(device: Device) -> tuple[float, float, float]:
        cycle = 1 / figure(device, "clock.one_core").value
        return low * cycle, value * cycle, high * cycle

    return f"core.{key}", Estimate(f"{value:g} clock cycles, {low:g} to {high:g}: {what}", span)


ESTIMATES |= dict(
    (
        _cycles("add", 3, 4, 5, f"latency of a floating addition ({_TABLES})"),
        _cycles("multiply", 3, 4, 5, f"latency of a floating product ({_TABLES})"),
        _cycles("fused", 4, 4, 8, f"latency of a multiply-add, without one that of both ({_TABLES})"),
        _cycles("divide", 11, 14, 22, f"latency of a division of doubles ({_TABLES})"),
        _cycles("root", 15, 19, 27, f"latency of a square root ({_TABLES})"),
        _cycles("compare", 1, 3, 4, f"latency of a comparison or the larger of two ({_TABLES})"),
        _cycles("integer_multiply", 3, 3, 4, f"latency of a product of integers ({_TABLES})"),
        _cycles("integer_divide", 9, 18, 28, f"latency of a division of 32-bit integers ({_TABLES})"),
        _cycles("forward", 7, 9, 12, f"an addition to what was just stored, 4 to 5 of them for memory ({_TABLES})"),
        _cycles("each_divide", 3.5, 4.5, 14, f"divisions of doubles, one after the other but independent ({_TABLES})"),
        _cycles("each_divide.fp32", 3, 3.5, 7, f"divisions of floats ({_TABLES})"),
        _cycles("each_divide.vector", 1.2, 2, 7, f"the same in vectors, each element ({_TABLES})"),
        _cycles("each_divide.fp32.vector", 0.4, 0.7, 2, f"the same in vectors, each element ({_TABLES})"),
        _cycles("each_root", 4.5, 6, 16, f"independent square roots ({_TABLES})"),
        _cycles("each_integer_divide", 6, 8, 11, f"independent divisions of 32-bit integers ({_TABLES})"),
        _cycles("exp", 15, 25, 60, "exp of a C library; measured 19 with glibc 2.36 on Zen 4"),
        _cycles("log", 12, 22, 60, "log of a C library; measured 16 with glibc 2.36 on Zen 4"),
        _cycles("sin", 20, 40, 90, "sin of a C library; measured 31 with glibc 2.36 on Zen 4"),
        _cycles("pow", 30, 55, 140, "pow of a C library; measured 41 with glibc 2.36 on Zen 4"),
        _cycles("exp.fp32", 9, 15, 40, "expf of a C library; measured 12 with glibc 2.36 on Zen 4"),
        _cycles("log.fp32", 9, 15, 40, "logf of a C library; measured 13 with glibc 2.36 on Zen 4"),
        _cycles("atomic", 8, 18, 25, f"an atomic addition to a line that the core has ({_TABLES})"),
        _cycles("branch", 12, 18, 25, "a branch that was not foreseen (Fog, microarchitecture, 15 to 20)"),
        _cycles("load.l1", 4, 5, 6, f"latency of a load from the first cache ({_TABLES})"),
        _cycles("load.l2", 12, 14, 24, "latency of a load from the second cache; measured 23 on Zen 4, pages of 4 KiB"),
    )
)
ESTIMATES |= {
    "core.load.l3": Estimate(
        "25 ns from the third cache, 10 to 120: pages that are not in the TLB are dear; measured 125 ns in a virtual "
        "machine",
        _constant(10e-9, 25e-9, 120e-9),
    ),
    "core.load.memory": Estimate(
        "100 ns from memory, 70 to 220; measured 220 ns in a virtual machine with pages of 4 KiB",
        _constant(70e-9, 100e-9, 220e-9),
    ),
    "core.random.l2": Estimate(
        "a sixth of the latency of the second cache, a twelfth to a third: loads under way together; measured a tenth "
        "on Zen 4",
        _times("core.load.l2", 1 / 12, 1 / 6, 1 / 3),
    ),
    "core.random.l3": Estimate(
        "a twelfth of the latency of the third cache, a thirtieth to a quarter: as many loads are under way together; "
        "measured a twentieth on Zen 4",
        _times("core.load.l3", 1 / 30, 1 / 12, 1 / 4),
    ),
    "core.random.memory": Estimate(
        "a twelfth of the latency of memory, a twentieth to a fifth: as many loads are under way together; measured a "
        "seventeenth on Zen 4",
        _times("core.load.memory", 1 / 20, 1 / 12, 1 / 5),
    ),
    "core.page": Estimate(
        "7 ns for an access to a page that is in no TLB, 3 to 30: its address is found in the caches; more in virtual "
        "machines",
        _constant(3e-9, 7e-9, 30e-9),
    ),
    "core.pages": Estimate(
        "as many as the second TLB has, 2048, 1024 (Haswell) to 3072 (Zen 4)",
        _constant(1024, 2048, 3072),
    ),
    "core.pages.found": Estimate(
        "0.88 of the pages of which half wait, 0.65 to 0.95, up to which a tenth at most do; measured 0.9 on Zen 4 (of "
        "pages side by side), 0.91 on Zen 3",
        _times("core.pages", 0.65, 0.88, 0.95),
    ),
    "core.pages.lost": Estimate(
        "1.3 times the pages of which half wait, from which three quarters do; measured 1.5 on Zen 4, 1.1 on Zen 3",
        _times("core.pages", 1.0, 1.3, 1.5),
    ),
    "core.width": Estimate(
        "5 instructions per clock cycle, 4 (Skylake) to 6 (Zen 4) of those that a core takes in", _constant(6, 5, 4)
    ),
    "core.window": Estimate(
        "300 instructions that a core looks ahead, 224 (Skylake) to 512 (Golden Cove)", _constant(512, 300, 200)
    ),
}


def figure(device: Device, key: str) -> Figure:
    """The device's figure, or the estimate for it. MissingFigureError where there is neither.

    Example: `figure(find_device("h200"), "latency.memory").value` is 400e-9 s, of kind `estimated`."""
    estimate = _estimate(device, key)
    if estimate is None:
        return device.figure(key)
    low, value, high = estimate.span(device)
    unit = base_unit(OPTIONAL[key])
    return Figure(value, low, high, unit, "estimated", estimate.statement, readable(value, unit), rule=key)


def _estimate(device: Device, key: str) -> Estimate | None:
    """The estimate that stands for a figure of the device's own."""
    return None if key in device.figures else ESTIMATES.get(key)


def _span(device: Device, key: str) -> tuple[float, float, float]:
    """The numbers of a figure alone: (low, value, high)."""
    estimate = _estimate(device, key)
    if estimate is not None:
        return estimate.span(device)
    found = device.figure(key)
    return found.low, found.value, found.high


def rate(device: Device, key: str, end: End) -> float:
    """A figure that a time is divided by: the low time takes the highest rate."""
    low, value, high = _span(device, key)
    return high if end == "low" else value if end == "likely" else low


def seconds(device: Device, key: str, end: End) -> float:
    """A figure that is a time."""
    low, value, high = _span(device, key)
    return low if end == "low" else value if end == "likely" else high
