"""A measured machine as a device file: of each figure the median of the better half of its repetitions, from the lowest
to the highest of all. What others do on the machine makes it slower, never faster.

Nothing in it names the computer or the time of the measurement, so that two runs differ only in what was measured.
"""

from collections.abc import Iterator, Sequence
from statistics import median

from ..figures import FIGURES, OPTIONAL
from ..units import Dimension, to_base
from .machine import Machine
from .measuring import FLAGS, Measured

ID = "native"
_SYSTEM = "what the operating system says of its processors"
_WHAT = {
    "clock": "dependent additions, one for each clock cycle",
    "compute": "twelve independent chains of vector operations in registers",
    "memory": "STREAM triad, nominal bytes, arrays far larger than the last cache",
    "cache": "loads of whole vectors from an array that fits into the cache, one core",
    "threads": "what a team of threads waits for (docs/calibration.md)",
    "core": "one operation after the other on one core, or many that are independent (docs/calibration.md)",
}
"""By the first part of a figure's key."""
_OPENMP_TEAM = "a region of OpenMP without work, by a team that waits; high: by one that sleeps"
_TEAM = "waking a team of threads that waits, and waiting for its last one"
_UNITS: dict[Dimension, str] = {
    "data rate": "GB/s", "operation rate": "Gop/s", "frequency": "GHz", "time": "us", "data": "KiB", "bits": "bit",
}  # fmt: skip


def device_file(machine: Machine, measured: Measured) -> str:
    """The text of the file. Example: `load_device` of it has `memory.one_core` of kind `measured`."""
    absent = [f'"cache.{name}"' for name, size in (("l2", machine.l2), ("l3", machine.l3)) if not size]
    lines = [
        "[device]",
        f'id = "{ID}"',
        f'name = "{_quoted(machine.name)}"',
        'kind = "cpu"',
        f"fused_multiply_add = {str(measured.fused).lower()}",
        *([f"absent = [{', '.join(absent)}]"] if absent else []),
    ]
    if machine.is_busy:
        lines.append('note = "measured while other programs were running: rates are too low, ranges too wide"')
    for key, value in _of_system(machine):
        lines += _table(key, (value,), _SYSTEM)
    chosen = f"the vectors that {measured.compiler} {FLAGS[0]} -march=native chooses for a loop"
    lines += _table("vector", (measured.vector,), chosen)
    built = f"boathull calibrate: {{}}; {measured.compiler} {' '.join(FLAGS)}"
    for key, values in measured.values.items():
        if key == "threads.start":
            said = _OPENMP_TEAM if measured.openmp else _TEAM
            lines += _table(key, values, built.format(said))
            continue
        said = built.format(_WHAT[key.partition(".")[0]])
        note = f"median of the better half of {len(values)} repetitions; lowest and highest of all"
        lines += [*_table(key, values, said), f'note = "{note}"']
    return "\n".join(lines) + "\n"


def _of_system(machine: Machine) -> Iterator[tuple[str, float]]:
    yield "cores", machine.cores
    yield "threads", machine.threads
    yield "memory.capacity", machine.memory
    for key, size in (("cache.l1", machine.l1), ("cache.l2", machine.l2), ("cache.l3", machine.l3)):
        if size:
            yield key, size


def _table(key: str, values: tuple[float, ...], source: str) -> list[str]:
    dimension = (FIGURES["cpu"] | OPTIONAL)[key]
    of_a_core = key.startswith("core.") and dimension == "time"
    unit = "GB" if key == "memory.capacity" else "ns" if of_a_core else _UNITS.get(dimension, "1")
    scale = to_base(1, unit, dimension)
    low, value, high = (number / scale for number in (min(values), _undisturbed(values, dimension), max(values)))
    ends = [] if low == high else [f"low = {low:.4g}", f"high = {high:.4g}"]
    written = f"value = {value:.4g}" if ends else f"value = {value:.12g}"
    return ["", f"[{key}]", written, *ends, f'unit = "{unit}"', 'kind = "measured"', f'source = "{source}"']


def _undisturbed(values: tuple[float, ...], dimension: Dimension) -> float:
    """The median of the better half: of the shortest times, the highest rates, and all counts."""
    if dimension == "count":
        return median(values)
    return median(better_half(values, high=dimension != "time"))


def better_half(values: Sequence[float], *, high: bool = False) -> list[float]:
    """Half of the values, the lowest or the highest ones, in order from the best: what a busy machine adds to a time is
    never negative.

    >>> better_half((3.0, 1.0, 2.0)), better_half((3.0, 1.0, 2.0), high=True)
    ([1.0, 2.0], [3.0, 2.0])
    """
    return sorted(values, reverse=high)[: (len(values) + 1) // 2]


def _quoted(text: str) -> str:
    """As TOML's basic strings have it."""
    return "".join(c for c in text if c.isprintable()).replace("\\", "\\\\").replace('"', '\\"')
