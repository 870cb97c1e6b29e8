"""How long a core takes for the loops of a nest by itself, with all data in the first cache: throughput and latency.

For each loop (`models.incore.Body`), per iteration

    instructions  operations, accesses and three of the loop itself over `core.width`
    accesses      of bytes over B_L1; single elements of vectors that are put together, two for each clock cycle
    arithmetic    floating operations over those that a core begins per clock cycle, two; dear ones (divisions, roots,
                  functions) each for its own time
    way           latencies along the longest cycle of dependences. While the last iterations wait, the core begins
                  the next entry of the loop, as far ahead as `core.window` instructions: they cost nothing more
    t = max(instructions, accesses, arithmetic, way) + functions + branches that nobody foresees

With vectors of L elements all but single elements is done once for L iterations; what remains of a trip in a vector of
half as many and one by one. An entry costs some clock cycles.

As OSACA (Laukemann et al., PMBS 2018) from assembly code; recurrences as in modulo scheduling (Rau 1994).
"""

from math import ceil, log2
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from ..catalogue import Device
from ..expr import Num
from ..incore import Accesses, Body
from ..quantity import End
from ..values import Value, largest, least, where
from .figures import figure, seconds
from .sheet import Sheet

LOOP_INSTRUCTIONS = 3
ENTRY_CYCLES = 4
"""Instructions around a loop; a core does most of them while the loop before them ends."""
ENTER = 12
"""Instructions of a call that compilers leave: arguments, the call and the return, and registers that are kept in
memory meanwhile. Estimated: two of the call, and as many moves as functions have parameters and values that live."""
GATHERED = 7
"""Instructions for an element of a vector that an index says, with a gather of eight or without."""
LINE = 64
"""Bytes of a line of the first cache: of x86 and of most Arm processors."""
SHORTEST = 32
"""Bytes of members side by side from which they are a vector by themselves."""
PIPES = 2
"""Floating operations that a core begins per clock cycle: of all processors in the catalogue."""
WIDEST = 2**16
MASKED, RICH = 256, 512
"""Bits of x86's vectors that leave out some elements when they load and store (AVX), and when they compute; these count
bits as well (AVX-512; the vectors of SVE too)."""
FUNCTIONS = ("exp", "log", "sin", "pow")
"""Of the C library, those that are measured; others take the time of one of them."""


LONG = ("hypot", "tanh", "sinh", "cosh", "atan2", "cbrt", "tgamma", "lgamma", "erf", "fmod", "remainder", "drem")
"""Of those that are not, the ones that take as long as a power; the others take as long as a sine."""
STEPWISE, STEPS = ("fmod", "remainder", "drem"), 10.0
"""A remainder is worked out bit by bit: glibc 2.36 takes 140 ns for one of seven bits on Zen 4, a power 12 ns."""


class Vectors(Struct, frozen=True):
    """`allowed`: as the code is compiled, or where floats may be added in any order as well, or not at all; `bits`: of
    the widest (None: those of the device); `traps`: whether operations on floats count as what may trap."""

    allowed: Literal["none", "compiled", "reordered"] = "compiled"
    bits: int | None = None
    traps: bool = True

    @property
    def reordering(self) -> "Vectors":
        """Where floats may be added in any order."""
        return replace(self, allowed="reordered")

    def lanes(self, body: Body, device: Device) -> float:
        """How many elements a vector of the loop has; 1 without vectors."""
        may = {"none": (), "compiled": ("compiled",), "reordered": ("compiled", "reordered")}[self.allowed]
        widest = min(self.bits or WIDEST, figure(device, "vector").value)
        if body.vectors not in may or not body.element or widest < self._needed(body):
            return 1.0
        return max(1.0, widest / 8 / body.element)

    def _needed(self, body: Body) -> int:
        """Bits of vectors from which on they can do what the body needs."""
        if not self.traps and body.needs in ("floats", "conversions"):
            return MASKED
        wide = WIDEST + 1
        return {"nothing": 0, "accesses": MASKED, "floats": RICH, "rich": RICH, "conversions": wide}[body.needs]

    def missing(self, body: Body) -> str:
        """What keeps a loop from vectors."""
        trap = "floats of some iterations alone may trap"
        needs = {"nothing": "", "accesses": "no masks for accesses", "rich": "of those of AVX-512"}
        return body.why or needs.get(body.needs, trap)


class Holds(Struct, frozen=True):
    """How long a load of an array takes by itself, from the cache that holds it: `touched` bytes of each, by name;
    `rooms`: what each cache has, from the first on."""

    touched: dict[str, Value] = {}
    rooms: tuple[tuple[str, float], ...] = ()

    def latency(self, name: str, device: Device, end: End) -> Value:
        found: Value = seconds(device, "core.load.memory", end)
        for level, room in reversed(self.rooms):
            found = where(room / 2 - self.touched.get(name, 0.0), seconds(device, f"core.load.{level}", end), found)
        return found


class Counted(Struct, frozen=True):
    """A body with how often it runs: `iterations` of all `entries` in one of the nest, `trip` of one."""

    body: Body
    iterations: Value
    trip: Value
    entries: Value


def loop_time(counted: Counted, device: Device, end: End, vectors: Vectors, hold: Holds) -> Value:
    """Seconds of one core for a loop of the nest, without the loops in it. MissingFigureError as the device says."""
    body, iterations, trip = counted.body, counted.iterations, counted.trip
    lanes = vectors.lanes(body, device)
    cycle = 1 / figure(device, "clock.one_core").value
    single = _iteration(body, trip, device, end, 1.0, hold).total
    entries = counted.entries
    start = entries * (ENTRY_CYCLES * cycle)
    if lanes == 1:
        return iterations * single + start
    wide = _iteration(body, trip, device, end, lanes, hold).total
    is_number = isinstance(body.trip, Num)
    return _in_vectors(iterations, trip, entries, wide, single, lanes, is_number, REMAINING[end]) + start


REMAINING: dict[End, float] = {"low": 0.0, "likely": 1.0, "high": 2.0}
"""Of the mean remainder of a trip: there is none, or the longest."""


def _in_vectors(
    iterations: Value, trip: Value, entries: Value, wide: Value, single: Value, lanes: float, is_number: bool,
    remaining: float,
) -> Value:  # fmt: skip
    """Whole vectors, and of what remains of a trip a vector of half as many and the rest one by one: in the mean, but
    for a trip that is a number in the code."""
    if is_number and trip.__class__ is float:
        vectors, rest = divmod(trip, lanes)
        halves, rest = divmod(rest, lanes / 2)
        return least(iterations * single, entries * ((vectors + halves) * (wide * lanes) + rest * single))
    alone = entries * (wide * (lanes / 2)) + entries * (single * ((lanes / 2 - 1) / 2))
    return iterations * wide + alone * remaining


def note(
    sheet: Sheet, number: int, counted: Counted, time: Value, device: Device, vectors: Vectors, hold: Holds
) -> None:  # fmt: skip
    """What a loop does, in words, what one iteration takes, and its time."""
    body = counted.body
    lanes = vectors.lanes(body, device)
    why = vectors.missing(body)
    how = f"vectors of {lanes:g}" if lanes > 1 else f"no vectors: {why}" if why else "no vectors"
    work = ", ".join(f"{n:.3g} {kind}" for kind, n in body.work) or "no arithmetic"
    sheet.count(f"i_{number}", counted.iterations, "1", f"iterations: {work}; {how}")
    one = _iteration(body, IN_THE_LONG_RUN, device, "likely", lanes, hold)
    if one.way is one.slowest and body.way and lanes == 1:
        for key in sorted({key for kind, _ in body.way if (key := _figure_of(kind)) is not None}):
            sheet.figure(key.partition(".")[2], device, key)
        chain = " + ".join(f"{n:.3g} {kind}" for kind, n in body.way)
        sheet.note(f"c_{number}", chain, one.total, "s", "one iteration waits for what the one before makes")
    else:
        why, key = one.cause
        if key == "core.width":
            sheet.figure("clock", device, "clock.one_core")
        sheet.figure(key.partition(".")[2], device, key)
        sheet.note(f"c_{number}", why, one.total, "s", "one iteration: the slowest of what a core does at once")
    sheet.note(f"t_{number}", f"i_{number} c_{number}, and what its entries cost", time, "s", "a loop of the nest")


IN_THE_LONG_RUN = 1e18
"""Iterations of a loop of which one is shown: what its entries cost, and save, is in the time of the loop."""


class Iteration(Struct, frozen=True):
    """Seconds of what one iteration of a body takes: what a core does at once, and beside that `functions` and branches
    that were not foreseen (`missed`: at the low end all were)."""

    issue: Value
    access: Value
    arithmetic: Value
    dear: Value
    way: Value
    functions: Value
    missed: Value

    @property
    def slowest(self) -> Value:
        known = (self.issue, self.access, self.arithmetic, self.dear, self.way)
        if all(part.__class__ is float for part in known):
            return max(known, key=float)  # type: ignore[arg-type]
        return largest(*known)

    @property
    def total(self) -> Value:
        return self.slowest + self.functions + self.missed

    @property
    def cause(self) -> tuple[str, str]:
        """What takes longest, and the figure of the device that most of that depends on."""
        parts = {
            ("instructions/(width clock)", "core.width"): self.issue,
            ("accesses of the first cache", "cache.l1_rate"): self.access,
            ("arithmetic", "compute.fp64.one_core"): self.arithmetic,
            ("divisions and roots", "core.each_divide"): self.dear,
            ("functions", "core.exp"): self.functions,
            ("branches on data, of which the rarer way is never foreseen", "core.branch"): self.missed,
        }
        numbers = {cause: value for cause, value in parts.items() if isinstance(value, float)}
        return max(numbers, key=lambda cause: numbers[cause])


def _iteration(body: Body, trip: Value, device: Device, end: End, lanes: float, hold: Holds) -> Iteration:
    """Of a loop, one of several in a vector."""
    cycle = 1 / figure(device, "clock.one_core").value
    work = dict(body.masked if lanes > 1 else body.work)
    instructions = _instructions(body, work, lanes)
    missed = 0.0 if lanes > 1 or end == "low" else work.get("branch", 0.0) * seconds(device, "core.branch", end)
    return Iteration(
        issue=instructions * cycle / seconds(device, "core.width", end),
        access=_access(body, device, lanes, cycle),
        arithmetic=_arithmetic(work, device, lanes, cycle) + _in_vectors_only(body, work, lanes, cycle),
        dear=_dear(work, device, end, lanes),
        way=_way(body, trip, instructions, device, end, lanes, hold),
        functions=_functions(work, device, end),
        missed=missed,
    )


def _instructions(body: Body, work: dict[str, float], lanes: float) -> float:
    """For one iteration. A product of integers in vectors is two, as is taking an element out of a vector; narrow
    elements are widened, and narrowed, by factors of two."""
    operations = sum(n for kind, n in work.items() if kind != "branch" and not kind.startswith("call"))
    operations += (ENTER - 1) * work.get("enter", 0.0)
    if lanes > 1:
        operations += work.get("integer-multiply", 0.0)
        operations += sum(a.number * log2(max(1.0, body.element / a.width)) for a in body.accesses)
    by_pace = {pace: sum(a.number for a in body.accesses if a.pace == pace) for pace in ("unit", "apart", "scattered")}
    alone = by_pace["apart"] * (2 if lanes > 1 else 1) + by_pace["scattered"] * (GATHERED if lanes > 1 else 1)
    return (operations + by_pace["unit"] + LOOP_INSTRUCTIONS) / lanes + alone


def _in_vectors_only(body: Body, work: dict[str, float], lanes: float, cycle: float) -> float:
    """Operations of vectors that are no floating ones, of which the widest begin as often as those; what takes members
    of structures apart is one for each halving, one at a time, unless the members fill a vector themselves."""
    if lanes == 1:
        return 0.0
    plain = sum(work.get(kind, 0.0) for kind in ("integer", "integer-multiply", "convert", "compare"))
    plain += sum(a.number * log2(max(1.0, body.element / a.width)) for a in body.accesses)
    apart = sum(a.number * ceil(log2(a.beside)) for a in body.accesses if a.beside * a.width < SHORTEST)
    return (plain / PIPES + apart) * cycle / lanes


def _access(body: Body, device: Device, lanes: float, cycle: float) -> float:
    """Two loads and a store begin in a clock cycle; in vectors those bytes that the first cache gives, stores half of
    them."""
    single = [a for a in body.accesses if lanes == 1 or a.pace != "unit"]
    loads, stores = (sum(a.number for a in single if a.kind == kind) for kind in ("load", "store"))
    alone = max(loads / 2, stores) * cycle
    if lanes == 1:
        return alone
    rate = figure(device, "cache.l1_rate").value
    loaded, stored = (
        sum(_in_lines(a, lanes) for a in body.accesses if a.kind == kind and a.pace == "unit")
        for kind in ("load", "store")
    )
    return alone + max(loaded / rate, stored / (rate / 2))


def _in_lines(a: Accesses, lanes: float) -> float:
    """Bytes of accesses with those that are fetched twice: vectors that lie in two lines are."""
    return a.width * (a.number + a.shifted * min(1.0, a.width * lanes / LINE))


def _arithmetic(work: dict[str, float], device: Device, lanes: float, cycle: float) -> float:
    if lanes == 1:
        words = ("add", "multiply", "fused", "compare")
        return sum(n for kind, n in work.items() if kind.partition(" ")[0] in words) / PIPES * cycle
    total = 0.0
    for precision in ("fp64", "fp32"):
        own = {kind: n for kind, n in work.items() if kind.endswith(precision)}
        operations = sum(n for kind, n in own.items() if not kind.startswith(("divide", "root")))
        peak = figure(device, f"compute.{precision}.one_core").value
        total += operations / (peak / 2 if device.fused_multiply_add else peak)
    return total


def _way(
    body: Body, trip: Value, instructions: float, device: Device, end: End, lanes: float, hold: Holds
) -> Value:  # fmt: skip
    latency: Value = sum((n * _latency(kind, device, end, hold) for kind, n in body.way), start=0.0)
    if not body.way:
        return 0.0
    if lanes > 1:
        return latency / lanes
    ahead = seconds(device, "core.window", "likely") / max(instructions, 1.0)
    return latency * (largest(0.0, trip - ahead) / largest(1.0, trip))


def _latency(kind: str, device: Device, end: End, hold: Holds) -> Value:
    word, _, what = kind.partition(" ")
    match word:
        case "load":
            return hold.latency(what, device, end)
        case "call":
            return _function(what, device, end)
        case "forward":
            return max(0.0, seconds(device, "core.forward", end) - seconds(device, "core.add", end))
        case "integer":
            return 1 / figure(device, "clock.one_core").value
        case "convert":
            return seconds(device, "core.add", end)
        case _:
            return seconds(device, f"core.{word.replace('-', '_')}", end)


def _figure_of(kind: str) -> str | None:
    """The figure of a device that a step of a way takes; None for a clock cycle."""
    word = kind.partition(" ")[0]
    match word:
        case "load":
            return "core.load.l1"
        case "call":
            return "core.exp"
        case "integer":
            return None
        case "convert":
            return "core.add"
        case _:
            return f"core.{word.replace('-', '_')}"


def _dear(work: dict[str, float], device: Device, end: End, lanes: float) -> float:
    """Divisions and roots share one unit."""
    total = 0.0
    for kind, n in work.items():
        word, _, precision = kind.partition(" ")
        key = {"divide": "each_divide", "root": "each_root", "integer-divide": "each_integer_divide"}.get(word)
        if key is None:
            continue
        if word == "divide":
            key += ".fp32" if precision == "fp32" else ""
            key += ".vector" if lanes > 1 else ""
        total += n * seconds(device, f"core.{key}", end)
    return total


def _functions(work: dict[str, float], device: Device, end: End) -> float:
    return sum(n * _function(kind[5:], device, end) for kind, n in work.items() if kind.startswith("call "))


def _function(name: str, device: Device, end: End) -> float:
    """Of the C library: its own time, or that of one that is computed alike."""
    stem = name.removesuffix("f")
    near = {"log2": "log", "exp2": "exp", "round": "exp", "lround": "exp"}
    stem = near.get(stem, stem if stem in FUNCTIONS else "pow" if stem in LONG else "sin")
    single = name.endswith("f") and stem in ("exp", "log")
    times = STEPS if name.removesuffix("f") in STEPWISE else 1.0
    return times * seconds(device, f"core.{stem}{'.fp32' if single else ''}", end)
