"""Equations of the extended model for CPUs, in seconds, at one end of the ranges: one core, or all of them.

    core         what a core takes with all data in its first cache: `incore`, loop by loop, where bodies of the nest
                 are known. Of a class string alone: t_a, operations over the rate of vectors (a lane's share of it
                 without), and t_i, bytes of all accesses over B_L1
    data         t_k = T_k/B_k + S_k r_k for the caches and memory: T_k bytes of streams and S_k single lines pass below
                 cache k (`traffic`, layer conditions). What the caches pass beyond what comes from memory is done
                 beside it but for a part, and slowly while lines come from memory, as f of those that reach the last
                 cache do: t_m + max(0.6 t_b, f min(2.5 t_b, t_m)). Walks over more pages than the TLB has wait for them
                 as well, P r_p
    late         S_late r_late: rows from memory that do not lie side by side begin with lines that nothing fetches
                 ahead. The core comes to an end of what it can do meanwhile
    occupancy    fewer iterations than cores: the others stand idle, and each core moves at most what one core can
    atomics      a = U max(r_a/n_c, r_s min(1, 256/C)): U updates of C elements take r_a each where no other core has
                 the line, r_s where all threads update the same 256
    launch       all threads are started and waited for

    time = max(core, data) + late + launch

What fits into a cache is there when the loop begins: a loop that is the first to touch its data takes longer. Low and
high have the best and the worst figures, and of both parts the range in which four fifths of the measurements of the
validation set lie (`residuals`).

Roofline with a ceiling per cache (Ilic, Pratas, Sousa, IEEE CAL 2014); layer conditions as in `traffic`.
Not modelled: NUMA, conflicts between arrays.
"""

from typing import Literal, TypeAlias

from msgspec import Struct

from ..catalogue import Device
from ..quantity import End
from ..values import Value, divisor, largest, least, where
from ..workload import ELEMENT_BITS, Workload
from . import incore, residuals
from .amounts import Amounts
from .figures import figure, rate, seconds
from .incore import Holds, Vectors
from .sheet import Parts, Sheet, Terms
from .traffic import LINE, Passing, on_cpu, without_page

BESIDE = 0.6
"""Of what caches pass beyond the lines from memory, the part that is not done beside: on the tuning part of the
validation set (docs/accuracy.md)."""

AMONG = 2.5
"""How many times as long it takes while lines come from memory: a cache that passes rows of a stencil again beside them
is far from its rate. At most as long as memory itself; of the same part."""

Cores: TypeAlias = Literal["one_core", "all_cores"]


def parts(
    workload: Workload, device: Device, a: Amounts, end: End, on: Terms, cores: Cores, vectorised: bool,
    vectors: Vectors, sheet: Sheet | None = None,
) -> Parts:  # fmt: skip
    """The parts of the time. MissingFigureError and UnsupportedPrecisionError as the device says."""
    if sheet is not None:
        sheet.amounts(a)
    together = figure(device, "cores").value if cores == "all_cores" else 1.0
    if a.bodies and on.issue:
        compute = _core(workload, device, a, end, together, vectors, sheet)
    else:
        compute = _compute(workload, device, a, end, on, cores, together, vectorised, sheet)
    memory, late = _data(device, a, end, on, cores, together, sheet)
    compute, memory = compute + late, memory + late
    if late != 0 and sheet is not None:
        sheet.note("t_c", "t_c + late", compute, "s", "what the core does, and waits for")
        sheet.note("memory", "memory + late", memory, "s", "data, and lines that come late")
    compute, memory = compute * residuals.CORE[end], memory * residuals.DATA[end]
    if cores == "all_cores" and on.atomics and a.atomic != 0:
        compute = compute + _atomics(workload, device, a, end, together, sheet)
    start: Value = 0.0
    if cores == "all_cores" and on.occupancy:
        compute = largest(compute, compute * together / divisor(a.divided))
        if sheet is not None:
            sheet.count("n_d", a.divided, "1", "iterations that the threads divide")
            sheet.note("t_c", "max(t_c, t_c n_c/n_d)", compute, "s", "occupancy: fewer iterations than cores")
    if cores == "all_cores" and on.launch:
        start = seconds(device, "threads.start", end)
        if sheet is not None:
            sheet.figure("launch", device, "threads.start")
    return Parts(compute, memory, 0.0, start)


def _core(
    workload: Workload, device: Device, a: Amounts, end: End, together: float, vectors: Vectors, sheet: Sheet | None
) -> Value:
    """What cores take for the bodies of the nest, with all data in their first caches."""
    hold = _holds(device, a)
    total: Value = 0.0
    for number, body in enumerate(a.bodies):
        one = incore.loop_time(body, device, end, vectors, hold) * a.doing
        total = total + one
        if sheet is not None:
            incore.note(sheet, number, body, one, device, vectors, hold)
    cores = _as_many(workload, device, together)
    compute = total / cores
    if sheet is not None:
        sheet.note("t_c", "sum of the loops" + (f"/{cores:.3g}" if cores > 1 else ""), compute, "s", "compute")
    return compute


COUNTERS = 256
"""That all threads update where `threads.atomic` is measured."""


EXCHANGES = 2.0
"""An atomic update of a float is a load, the arithmetic and an exchange that may fail, and takes as much longer than an
addition of integers, which is one instruction: `add_at` of the validation set."""


def _atomics(
    workload: Workload, device: Device, a: Amounts, end: End, together: float, sheet: Sheet | None
) -> Value:  # fmt: skip
    own = seconds(device, "core.atomic", end) * (EXCHANGES if workload.element_type != "int32" else 1.0)
    shared = seconds(device, "threads.atomic", end)
    met = where(a.updated - COUNTERS, COUNTERS / divisor(a.updated), 1.0)
    time = a.atomic * largest(own / together, met * shared)
    if sheet is not None:
        sheet.count("U", a.atomic, "op", "atomic updates of shared elements")
        sheet.count("C", a.updated, "1", "shared elements")
        sheet.figure("r_a", device, "core.atomic")
        sheet.figure("r_s", device, "threads.atomic")
        floats = f"{EXCHANGES:g} " if workload.element_type != "int32" else ""
        sheet.note("a", f"U max({floats}r_a/n_c, r_s min(1, {COUNTERS}/C))", time, "s", "atomics")
    return time


def _as_many(workload: Workload, device: Device, together: float) -> float:
    """How many times all cores are as fast as one: fewer than there are where clocks fall, or two share a core."""
    if together == 1:
        return 1.0
    key = f"compute.{workload.element_type}"
    return max(1.0, figure(device, f"{key}.all_cores").value / figure(device, f"{key}.one_core").value)


def _holds(device: Device, a: Amounts) -> Holds:
    names = (n for n in ("l1", "l2", "l3") if f"cache.{n}" not in device.absent)
    rooms = tuple((name, figure(device, f"cache.{name}").value) for name in names)
    return Holds({name: use.touched for use in a.uses for name in use.name.split(", ")}, rooms)


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
    total = largest(arithmetic, issue)
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
) -> tuple[Value, Value]:
    """Seconds until all data has passed the caches, and those for lines that come late. The last level is memory: of
    what its lines take in the caches on their way its own rate has a part already, and what these pass beyond it is not
    all done beside (`BESIDE`)."""
    levels = _levels(device, cores, end, on, together)
    passing = [
        on_cpu(a, level.above, together, private=level.private, lines=on.sectors, caches=on.caches, end=end)
        for level in levels
    ]
    times = [_passed(device, a, level, p, end, on, together) for level, p in zip(levels, passing, strict=True)]
    beyond: Value = 0.0
    for level, p in zip(levels[:-1], passing[:-1], strict=True):
        beyond = beyond + largest(0.0, p.again - passing[-1].again) / level.rate
    far = _from_memory(passing)
    memory = times[-1]
    if beyond != 0:
        memory = memory + largest(beyond * BESIDE, least(beyond * AMONG, memory) * far)
    late = _late(device, passing[-1], end, together, sheet)
    pages = _pages(device, a, end, on, together, sheet)
    total = largest(*times[:-1], memory) + pages
    if sheet is not None:
        for level, p, time in zip(levels, passing, times, strict=True):
            _note(sheet, device, level, p, time, together)
        if beyond != 0:
            sheet.note("t_b", "streams beyond those from memory, at the rates of the caches", beyond, "s", "caches")
            sheet.count("f", far, "1", "of the streams that reach the last cache, the part that memory gives")
        names = [f"t_{level.name}" for level in levels[:-1]]
        said = "the slowest: a cache, or memory with a part of what caches pass beside; and addresses of pages"
        first = f"t_m + max({BESIDE:g} t_b, f min({AMONG:g} t_b, t_m))" if beyond != 0 else "t_m"
        longest = f"max({', '.join((first, *names))})"
        sheet.note("memory", longest if pages == 0 else f"{longest} + t_p", total, "s", said)
    return total, late


def _late(device: Device, memory: Passing, end: End, together: float, sheet: Sheet | None) -> Value:
    """What a core waits for the first lines of rows from memory, which nothing fetches ahead."""
    if memory.late == 0:
        return 0.0
    late = memory.late * (seconds(device, "core.load.memory", end) / together)
    if sheet is not None:
        sheet.count("S_late", memory.late, "1", "first lines of rows from memory, which nothing fetches ahead")
        sheet.figure("r_late", device, "core.load.memory")
        written = "S_late r_late" if together == 1 else "S_late r_late/n_c"
        sheet.note("late", written, late, "s", "what the core waits for them")
    return late


def _from_memory(passing: list[Passing]) -> Value:
    """Of the streams that reach the last cache, the part that memory gives."""
    return 1.0 if len(passing) < 2 else least(1.0, passing[-1].streamed / largest(1.0, passing[-2].streamed))


def _passed(
    device: Device, a: Amounts, level: "_Level", passing: Passing, end: End, on: Terms, together: float
) -> Value:  # fmt: skip
    passed = passing.streamed / level.rate + passing.single * (level.single / together)
    if level.name == "m" and together > 1 and on.occupancy:
        passed = largest(passed, passing.streamed / rate(device, "memory.one_core", end) / divisor(a.divided))
    return passed


def _pages(device: Device, a: Amounts, end: End, on: Terms, together: float, sheet: Sheet | None) -> Value:
    """What finding the addresses of pages takes."""
    if not on.sectors:
        return 0.0
    found, lost = rate(device, "core.pages.found", end), rate(device, "core.pages.lost", end)
    accesses = without_page(a, found, lost)
    time = accesses * (seconds(device, "core.page", end) / together)
    if sheet is not None and accesses != 0:
        sheet.count("P", accesses, "1", f"accesses that wait for a page; none of {found:.0f}, all of {lost:.0f} do")
        sheet.figure("r_p", device, "core.page")
        sheet.note("t_p", "P r_p" if together == 1 else "P r_p/n_c", time, "s", "addresses of pages")
    return time


class _Level(Struct, frozen=True):
    """What the caches above do not hold comes from here: `above` bytes of them, `private` to each core; `rate` of
    streams in bytes/s, `single` seconds for a line that is far from others."""

    name: str
    above: float
    private: bool
    rate: float
    single: float
    keys: tuple[str, str]


def _levels(device: Device, cores: Cores, end: End, on: Terms, together: float) -> list[_Level]:
    """The second cache, the third and memory; those of cores count together."""
    memory = rate(device, f"memory.{cores}", end)
    if not on.caches:
        return [_Level("m", 0.0, False, memory, LINE / memory, (f"memory.{cores}", ""))]
    above, private = figure(device, "cache.l1").value * together, True
    found = []
    for name, shared in (("l2", False), ("l3", True)):
        if f"cache.{name}" in device.absent:
            continue
        key, single = f"cache.{name}_rate.core", f"core.random.{name}"
        speed = rate(device, key, end) * (together * 0.8 if shared and together > 1 else together)
        found.append(_Level(name.upper(), above, private, speed, seconds(device, single, end), (key, single)))
        above, private = figure(device, f"cache.{name}").value * (1.0 if shared else together), not shared
    key, single = f"memory.{cores}", "core.random.memory"
    return [*found, _Level("m", above, private, memory, seconds(device, single, end), (key, single))]


def _note(sheet: Sheet, device: Device, level: _Level, passing: Passing, passed: Value, together: float) -> None:
    what = "memory" if level.name == "m" else level.name
    rest = f"bytes from {what}: {level.above / 1e6:.3g} MB hold the rest"
    sheet.count(f"T_{level.name}", passing.streamed, "B", rest)
    sheet.figure(f"B_{level.name}", device, level.keys[0])
    one = f"T_{level.name}/B_{level.name}"
    if passing.single != 0:
        sheet.count(f"S_{level.name}", passing.single, "1", f"lines from {what} that nothing foresees")
        sheet.figure(f"r_{level.name}", device, level.keys[1])
        one += f" + S_{level.name} r_{level.name}"
    if together > 1 and level.name != "m":
        one = f"({one})/{'(0.8 n_c)' if level.name == 'L3' else 'n_c'}"
    said = "the rate of memory" if level.name == "m" else f"the rate of {level.name}"
    sheet.note(f"t_{level.name}", one, passed, "s", said)
