"""Equations of the extended model for GPUs, in seconds, at one end of the ranges.

    arithmetic   t_a = (2 F32 - 2 X) / P_fp32 + ... + (I + w o) / P_int      one instruction for an operation, or for a
                 multiply-add (X pairs); P counts a multiply-add as two, so other instructions reach half of it.
                 Integer operations at their own rate and at most half of P_fp32; w o index operations (boat hull,
                 Table 1)
    issue        t_i = A / P_ls                                             A loads and stores
    compute      the larger of the two; high: their sum; low: the largest of all
    occupancy    t_c is longer by R / 4 w where w work-units are fewer than a quarter of the resident threads R, which
                 keep the lanes busy (Volkov, GTC 2010, needs an eighth to a half)
    memory       m = T / B                                                  T bytes (`traffic`), B of coalesced accesses
    latency      l = (M L_m + (A - M) L_c) / (min(w, R) k), at least L_m    Little's law: M accesses go to memory; each
                 work-unit has k of them under way: 4 (8 to 2), as unrolled loops have
    cache        data that fits in the last cache, in half of it (likely), is there already, and B is the cache's rate;
                 none is at the high end. Stores of neighbours apart go there one by one: m is at least S / B_s for the
                 bytes S of their sectors
    atomics      a = U q / P_atomic + 8 C n_mp / B                          U updates, q of a warp's 32 lanes meet in
                 one of C bins: 1 + 31/C where all bins are as likely (low), all 32 (high), the geometric mean (likely);
                 then one copy of the bins for each of n_mp multiprocessors is added up
    launch       one kernel, or two where partial results are combined, as a reduction's tree does
    transfer     t_0 = bytes / B_link + copies L_link                       pinned, pageable or unified memory

    time = max(t_c, a, m, l) + launch + t_0; the ends of m and l lie further by what published times need (`residuals`)

Little, Operations Research 9(3), 1961, for waiting lines; Volkov, "Understanding Latency Hiding on GPUs", 2016.
Not modelled: divergence of branches, registers and shared memory that limit R, bank conflicts, clocks that fall under
load, copies that overlap with kernels, load balance.
"""

from math import sqrt
from typing import Literal, TypeAlias

from ..catalogue import Device
from ..quantity import End
from ..units import readable
from ..values import Value, divisor, largest, least, number, where
from ..workload import Workload
from . import residuals
from .amounts import Amounts
from .figures import figure, rate, seconds
from .sheet import Parts, Sheet, Terms
from .traffic import FILLED, SECTOR, on_gpu, stored_apart

HostMemory: TypeAlias = Literal["pinned", "pageable", "unified"]

UNDER_WAY: dict[End, int] = {"low": 8, "likely": 4, "high": 2}
"""Accesses of one work-unit that are under way at once: loops are unrolled by four, fewer where they depend on each
other."""
BUSY: dict[End, float] = {"low": 1 / 8, "likely": 1 / 4, "high": 1 / 2}
"""Share of the resident threads that keeps all lanes busy."""
WARP = 32
RATES: dict[HostMemory, str] = {"pinned": "link.rate", "pageable": "link.pageable", "unified": "link.page_fault"}


def parts(
    workload: Workload, device: Device, a: Amounts, end: End, on: Terms, memory: HostMemory | None,
    sheet: Sheet | None = None,
) -> Parts:  # fmt: skip
    """The parts of the time; `memory` None: nothing is copied. MissingFigureError and UnsupportedPrecisionError as the
    device says."""
    units = a.parts if end == "low" else a.units
    resident = seconds(device, "threads.resident", "likely")
    running = least(units, resident)
    if sheet is not None:
        sheet.amounts(a)
    t_c = _compute(workload, device, a, end, on, sheet)
    if on.occupancy:
        t_c = largest(t_c, t_c * (resident * BUSY[end]) / divisor(units))
        if sheet is not None:
            sheet.figure("R", device, "threads.resident")
            sheet.note("t_c", "max(t_c, t_c R/(4 w))", t_c, "s", "occupancy: few work-units leave lanes idle")
    t_m = _memory(device, a, end, on, units, running, sheet) * residuals.GPU_DATA[end]
    t_a = _atomics(device, a, end, sheet) if on.atomics and a.updates != 0 else 0.0
    t_l = seconds(device, "launch.latency", end) * a.kernels if on.launch else 0.0
    if sheet is not None:
        sheet.note("compute", "max(t_c, t_a)" if a.updates != 0 else "t_c", largest(t_c, t_a), "s", "compute")
        sheet.note("memory", "max(t_m, t_w)" if on.occupancy else "t_m", t_m, "s", "memory")
    if sheet is not None and on.launch:
        sheet.figure("L_launch", device, "launch.latency")
        what = "two kernels: partial results are combined" if a.kernels > 1 else "one kernel"
        sheet.note("launch", f"{a.kernels} L_launch", t_l, "s", what)
    return Parts(largest(t_c, t_a), t_m, transfer(device, a, end, on, memory, sheet), t_l)


def _compute(workload: Workload, device: Device, a: Amounts, end: End, on: Terms, sheet: Sheet | None) -> Value:
    own = workload.element_type
    kinds = {"fp32": "fp32", "fp64": "fp64", "int32": "int32"} if on.precision else dict.fromkeys(_TYPES, own)
    twice = 2 if device.fused_multiply_add else 1
    times: list[Value] = []
    for name, count in (("fp32", a.fp32), ("fp64", a.fp64)):
        other = a.other if name == own or (own == "int32" and name == "fp32") else 0.0
        fused = a.fused if name == own else 0.0
        if count != 0 or other != 0:
            lanes = rate(device, f"compute.{kinds[name]}", end) / twice
            pairs = fused if twice == 2 else 0.0
            times.append((count + other - pairs) / lanes)
            if sheet is not None:
                sheet.count(f"N_{name}", count + other, "op", "operations counted in the code")
                sheet.count("X", pairs, "op", "pairs that one multiply-add does")
                sheet.figure(f"P_{name}", device, f"compute.{kinds[name]}")
                written = f"(N_{name} - X)/(P_{name}/{twice})"
                sheet.note(f"t_{name}", written, times[-1], "s", "one instruction for an operation or a multiply-add")
    integer = rate(device, f"compute.{kinds['int32']}", end)
    if device.fused_multiply_add and on.precision:
        integer = min(integer, rate(device, "compute.fp32", end) / 2)
    times.append((a.integer + a.index) / integer)
    if sheet is not None:
        sheet.count("N_int", a.integer, "op", "integer operations on data, counted in the code")
        sheet.count("w o", a.index, "op", "index operations of all work-units, boat hull paper, Table 1")
        sheet.figure("P_int", device, f"compute.{kinds['int32']}")
        halved = device.fused_multiply_add and on.precision
        if halved and not any(t.name == "P_fp32" for t in sheet.terms):
            sheet.figure("P_fp32", device, "compute.fp32")
        written = "(N_int + w o)/min(P_int, P_fp32/2)" if halved else "(N_int + w o)/P_int"
        sheet.note("t_int", written, times[-1], "s", "one instruction each")
    issue: Value = a.accesses / rate(device, "rate.load_store", end) if on.issue else 0.0
    if sheet is not None and on.issue:
        sheet.count("A", a.accesses, "1", "loads and stores of the kernel, as it is mapped")
        sheet.figure("P_ls", device, "rate.load_store")
        sheet.note("t_i", "A/P_ls", issue, "s", "issue: loads and stores take instructions")
    arithmetic: Value = largest(*times) if end == "low" else sum(times, start=0.0)
    total = arithmetic + issue if end == "high" else largest(arithmetic, issue)
    if sheet is not None:
        sheet.note("t_c", "max(t_fp32 + t_fp64 + t_int, t_i)", total, "s", "compute")
    return total


_TYPES = ("fp32", "fp64", "int32")


def _memory(
    device: Device, a: Amounts, end: End, on: Terms, units: Value, running: Value, sheet: Sheet | None
) -> Value:
    cache = 0.0 if "cache.l2" in device.absent else figure(device, "cache.l2").value
    moved = on_gpu(a, cache, running, end, sectors=on.sectors, caches=on.caches)
    from_memory = moved / rate(device, "memory.coalesced", end)
    time: Value = from_memory
    if end != "high" and on.caches and cache:
        time = where(cache * FILLED[end] - a.footprint, moved / rate(device, "cache.l2_rate", end), from_memory)
    stored = stored_apart(a) if on.sectors and cache else 0.0
    if stored != 0:
        time = largest(time, stored / rate(device, "cache.store_rate", end))
    if sheet is not None:
        _say_memory(sheet, device, a, on, (moved, stored, time))
    if not on.occupancy:
        return time
    apart = any(use.pace in ("strided", "irregular") for use in a.uses)
    misses = moved / float(SECTOR) if apart and cache else sum((use.accesses for use in a.uses), start=0.0)
    latency, hit = seconds(device, "latency.memory", end), seconds(device, "latency.on_chip", end)
    misses = least(misses, moved / float(max(1, min((use.width for use in a.uses), default=4))))
    waiting = misses * latency + largest(a.accesses - misses, 0.0) * hit
    under_way = UNDER_WAY[end]
    most = seconds(device, "threads.resident", "likely")
    latent = largest(waiting / (under_way * most), waiting / (divisor(units) * under_way), latency)
    if sheet is not None:
        sheet.count("M", misses, "1", "accesses that go to memory")
        if not on.issue:
            sheet.count("A", a.accesses, "1", "loads and stores of the kernel, as it is mapped")
        sheet.figure("L_m", device, "latency.memory")
        sheet.figure("L_c", device, "latency.on_chip")
        note = f"occupancy: Little's law with {under_way} accesses of each work-unit under way"
        sheet.note("t_w", f"max(L_m, (M L_m + (A - M) L_c)/(min(w, R) {under_way}))", latent, "s", note)
    return largest(time, latent)


def _say_memory(sheet: Sheet, device: Device, a: Amounts, on: Terms, found: tuple[Value, Value, Value]) -> None:
    """Of the bytes, those stored apart, and the time."""
    moved, stored, time = found
    sheet.count("T", moved, "B", _why_moved(a, on))
    sheet.figure("B", device, "memory.coalesced")
    written, note = "T/B", "memory"
    if on.caches and "cache.l2" not in device.absent:
        room = readable(figure(device, "cache.l2").value * FILLED["likely"], "B")
        sheet.count("F", a.footprint, "B", f"all data: in the last cache where that is at most {room}")
        sheet.figure("B_L2", device, "cache.l2_rate")
        written, note = f"T/B_L2 if F <= {room}, else T/B", "memory, or the last cache where the data is there"
    if stored != 0:
        sheet.count("S", stored, "B", "stores of neighbours apart, in sectors that go to the last cache by themselves")
        sheet.figure("B_s", device, "cache.store_rate")
        written = f"max({written}, S/B_s)"
    sheet.note("t_m", written, time, "s", note)


def _atomics(device: Device, a: Amounts, end: End, sheet: Sheet | None) -> Value:
    """Contention of updates in on-chip memory, and the combination of one copy of all bins per multiprocessor."""
    known = a.bins.__class__ is float
    alike = 1 + (WARP - 1) / max(number(a.bins, {}), 1.0) if known else 1.0
    meet = {"low": alike, "likely": sqrt(alike * WARP), "high": float(WARP)}[end]
    time = a.updates * meet / figure(device, "rate.atomic").value
    copies = figure(device, "multiprocessors").value
    combined = a.bins * (8.0 * copies) / rate(device, "memory.coalesced", end)
    if sheet is not None:
        sheet.count("U", a.updates, "op", "updates of shared elements")
        sheet.count("C", a.bins, "1", "shared elements")
        sheet.note("q", "sqrt((1 + 31/C) 32)", meet, "1", "lanes of a warp that meet in one element; 1 + 31/C to 32")
        sheet.figure("P_atomic", device, "rate.atomic")
        sheet.figure("n_mp", device, "multiprocessors")
        sheet.note("t_a", "U q/P_atomic + 8 C n_mp/B", time + combined, "s", "atomics")
    return time + combined


def transfer(device: Device, a: Amounts, end: End, on: Terms, memory: HostMemory | None, sheet: Sheet | None) -> Value:
    """Seconds of the copies before and after; `memory` None: there are none."""
    moved = a.copied_in + a.copied_out
    if moved == 0 or memory is None:
        return 0.0
    key = RATES[memory] if on.link else "link.rate"
    time = moved / rate(device, key, end)
    if on.link:
        time = time + seconds(device, "link.latency", end) * a.copies
    if sheet is not None:
        sheet.count("D", moved, "B", "sections that must be copied, counted in the code")
        sheet.figure("B_link", device, key)
        if on.link:
            sheet.figure("L_link", device, "link.latency")
        written = f"D/B_link + {a.copies} L_link" if on.link else "D/B_link"
        sheet.note("t_0", written, time, "s", f"transfer, {memory} memory of the host")
    return time


def _why_moved(a: Amounts, on: Terms) -> str:
    apart = [use.name for use in a.uses if use.pace in ("strided", "irregular")]
    said = "bytes from and to memory"
    return said + (f"; {', '.join(apart)} in sectors of {SECTOR} B" if apart and on.sectors else "")
