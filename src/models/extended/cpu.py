"""Equations of the extended model for CPUs, in seconds, at one end of the ranges: one core, or all of them.

    arithmetic   t_a as on GPUs, with the rate of vectors; without vectors a lane's share of it. No index operations:
                 cores compute addresses beside data
    issue        t_i = bytes of all accesses / B_L1; without vectors, and for accesses without order, one element each
    data         t_k = T_k / B_k for the caches and memory: T_k bytes pass below cache k (`traffic`, layer conditions).
                 Low: what fits into the last cache is there already; likely: what fits into half of it is
    compute      max(t_a, t_i), memory max(t_k); high: sums
    occupancy    fewer work-units than cores: the others stand idle, and each core moves at most what one core can
    launch       all threads are started and waited for

    time = max(compute, memory) + launch

Roofline with a ceiling per cache (Ilic, Pratas, Sousa, IEEE CAL 2014); layer conditions as in `traffic`.
Not modelled: latency of dependent operations, NUMA, simultaneous threads of one core, prefetchers that fail.
"""

from typing import Literal, TypeAlias

from ..catalogue import Device
from ..values import Value, divisor, largest, where
from ..workload import ELEMENT_BITS, Workload
from .amounts import Amounts
from .figures import End, figure, rate, seconds
from .sheet import Parts, Sheet, Terms
from .traffic import on_cpu

Cores: TypeAlias = Literal["one_core", "all_cores"]


def parts(
    workload: Workload, device: Device, a: Amounts, end: End, on: Terms, cores: Cores, vectorised: bool,
    sheet: Sheet | None = None,
) -> Parts:  # fmt: skip
    """The parts of the time. MissingFigureError and UnsupportedPrecisionError as the device says."""
    if sheet is not None:
        sheet.amounts(a)
    together = figure(device, "cores").value if cores == "all_cores" else 1.0
    compute = _compute(workload, device, a, end, on, cores, together, vectorised, sheet)
    memory = _data(device, a, end, on, cores, together, sheet)
    start: Value = 0.0
    if cores == "all_cores" and on.occupancy:
        compute = largest(compute, compute * together / divisor(a.units))
        if sheet is not None:
            sheet.note("t_c", "max(t_c, t_c n_c/w)", compute, "s", "occupancy: fewer work-units than cores")
    if cores == "all_cores" and on.launch:
        start = seconds(device, "threads.start", end)
        if sheet is not None:
            sheet.figure("launch", device, "threads.start")
    return Parts(compute, memory, 0.0, start)


def _compute(
    workload: Workload, device: Device, a: Amounts, end: End, on: Terms, cores: Cores, together: float,
    vectorised: bool, sheet: Sheet | None,
) -> Value:  # fmt: skip
    own = workload.element_type
    bits = figure(device, "vector").value
    times: list[Value] = []
    for name, count, other in (
        ("fp32", a.fp32, a.other if own != "fp64" else 0.0),
        ("fp64", a.fp64, a.other if own == "fp64" else 0.0),
        ("int32", a.integer, 0.0),
    ):
        if count == 0 and other == 0:
            continue
        used = name if on.precision else own
        lanes = 1.0 if vectorised else max(1.0, bits / ELEMENT_BITS[used])
        full = rate(device, f"compute.{used}.{cores}", end) / lanes
        fused = a.fused if name == own and name != "int32" else 0.0
        counts_two = device.fused_multiply_add and name != "int32"
        operations = (count + other - fused) * 2.0 if counts_two else count + other
        times.append(operations / full)
        if sheet is not None:
            sheet.count(f"N_{name}", count + other, "op", "operations counted in the code")
            sheet.count("X", fused, "op", "pairs that one multiply-add does")
            sheet.figure(f"P_{name}", device, f"compute.{used}.{cores}")
            above = f"2 (N_{name} - X)" if counts_two else f"N_{name}"
            below = f"(P_{name}/{lanes:g})" if lanes > 1 else f"P_{name}"
            how = "with vectors" if vectorised else f"one of {lanes:g} lanes: no vectors without reordering"
            sheet.note(f"t_{name}", f"{above}/{below}", times[-1], "s", how)
    arithmetic: Value = sum(times, start=0.0)
    issue: Value = _issue(device, a, end, together, vectorised, sheet) if on.issue else 0.0
    total = arithmetic + issue if end == "high" else largest(arithmetic, issue)
    if sheet is not None:
        sheet.note("t_c", "max(arithmetic, t_i)", total, "s", "compute")
    return total


def _issue(device: Device, a: Amounts, end: End, together: float, vectorised: bool, sheet: Sheet | None) -> Value:
    bandwidth = rate(device, "cache.l1_rate", end) * together
    single = 2 * figure(device, "clock.one_core").value * together
    wide: Value = 0.0
    alone: Value = 0.0
    for use in a.uses:
        if vectorised and use.walk in ("unit", "broadcast"):
            wide = wide + use.accesses * use.width
        else:
            alone = alone + use.accesses
    time: Value = wide / bandwidth + alone / single
    if sheet is not None:
        sheet.count("A_v", wide, "B", "loads and stores in vectors")
        sheet.count("A_s", alone, "1", "loads and stores one by one")
        sheet.figure("B_L1", device, "cache.l1_rate")
        if alone != 0:
            sheet.figure("clock", device, "clock.one_core")
        if together > 1:
            sheet.figure("n_c", device, "cores")
        written = "(A_v/B_L1 + A_s/(2 clock))/n_c" if together > 1 else "A_v/B_L1 + A_s/(2 clock)"
        sheet.note("t_i", written, time, "s", "issue: two accesses per clock cycle")
    return time


def _data(
    device: Device, a: Amounts, end: End, on: Terms, cores: Cores, together: float, sheet: Sheet | None
) -> Value:
    bandwidth = rate(device, f"memory.{cores}", end)
    alone = rate(device, "memory.one_core", end) if cores == "all_cores" and on.occupancy else bandwidth
    levels = _levels(device, cores, end, together) if on.caches else []
    last = levels[-1][1] if levels else 0.0
    is_private = bool(levels) and levels[-1][0] != "L3"
    moved = on_cpu(a, last, together, end, private=is_private, lines=on.sectors, caches=on.caches)
    below: Value = moved / bandwidth
    if cores == "all_cores" and on.occupancy:
        below = largest(below, moved / alone / divisor(a.units))
    if sheet is not None:
        sheet.count("T_m", moved, "B", f"bytes below the last cache of {last / 1e6:.3g} MB")
        sheet.figure("B_m", device, f"memory.{cores}")
        one = cores == "all_cores" and on.occupancy
        if one:
            sheet.figure("B_one", device, "memory.one_core")
        sheet.note("t_m", "max(T_m/B_m, T_m/(w B_one))" if one else "T_m/B_m", below, "s", "memory")
    times: list[Value] = []
    inner = 0.0
    for name, capacity, speed in levels:
        if speed is not None:
            passed = on_cpu(a, inner, together, end, private=True, lines=on.sectors, caches=True)
            times.append(passed / speed)
            if sheet is not None:
                sheet.count(f"T_{name}", passed, "B", f"bytes from {name}: {inner / 1e6:.3g} MB hold the rest")
                sheet.figure(f"B_{name}", device, f"cache.{name.lower()}_rate.core")
                sheet.note(f"t_{name}", _rate_of(name, together), times[-1], "s", f"the rate of {name}")
        inner = capacity
    if last and end != "high":
        room = last if end == "low" else last / 2
        below = where(room - a.footprint, 0.0, below)
        if sheet is not None:
            sheet.note("t_m", "0 where all data fits into half of the last cache", below, "s", "caches")
    if sheet is not None:
        named = [f"t_{name}" for name, _, speed in levels if speed is not None]
        sheet.note("memory", f"max({', '.join(('t_m', *named))})", largest(below, *times), "s", "the slowest level")
    return sum(times, start=below) if end == "high" else largest(below, *times)


def _rate_of(name: str, together: float) -> str:
    shared = " 0.8" if name == "L3" else ""
    return f"T_{name}/(B_{name} n_c{shared})" if together > 1 else f"T_{name}/B_{name}"


def _levels(device: Device, cores: Cores, end: End, together: float) -> list[tuple[str, float, float | None]]:
    """Name, capacity and rate of the caches below the first, which `issue` has; those of cores count together."""
    found: list[tuple[str, float, float | None]] = [("L1", figure(device, "cache.l1").value * together, None)]
    if "cache.l2" not in device.absent:
        second = rate(device, "cache.l2_rate.core", end) * together
        found.append(("L2", figure(device, "cache.l2").value * together, second))
    if "cache.l3" not in device.absent:
        third = rate(device, "cache.l3_rate.core", end) * (together * 0.8 if together > 1 else 1.0)
        found.append(("L3", figure(device, "cache.l3").value, third))
    return found
