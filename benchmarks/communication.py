"""Measures seven MPI algorithms on links of several rates, for the communication-aware roofline (Cardwell 2019).

Compiles the programs of `validation/mpi`, measures what one process can do (`system.c`) and then each algorithm at
several sizes, on a cluster of network namespaces whose links are shaped (`cluster.sh`: root, Open MPI, iproute2,
util-linux). Writes tables as `analyze --network FILE` reads them, with the times beside. Each time is the least of
ROUNDS runs, which take the least of many batches.

    python benchmarks/communication.py "processor" > validation/communication.toml

With `--compare` it only reads such a file, has the analysis predict every time from the C code, by the roofline without
a network, with it, and with latency, and prints the tables of `validation/communication.md`.

    python benchmarks/communication.py --compare validation/communication.toml
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from analyzer.advise.network import Bound, bounded
from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import Communication
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.accuracy import improvement, mape
from models.communication import System, systems
from models.published import Row, read_tables, tables
from models.units import readable

FOLDER = Path(__file__).resolve().parent.parent / "validation" / "mpi"
FLAGS = ("-O3", "-march=native", "-ffast-math")
LINKS = {"100mbit": "100 Mbit/s", "1gbit": "1 Gbit/s", "none": "not shaped"}
PROCESSES = 2
ROUNDS = 2

Sizes = Mapping[str, int]


def doubled(first: int, last: int, factor: int = 2) -> Iterator[int]:
    while first <= last:
        yield first
        first *= factor


PROGRAMS: dict[str, list[Sizes]] = {
    "summa": [{"n": n, "rows": 1} for n in doubled(64, 512)],
    "dgemv": [{"n": n} for n in doubled(256, 4096)],
    "ddot": [{"n": n} for n in doubled(256, 2**22, 4)],
    "fft": [{"length": 4**pairs, "pairs": pairs} for pairs in (2, 3, 4, 5)],
    "stencil": [{"n": n} for n in doubled(256, 4096)],
    "mst": [{"n": 2**rounds, "m": 2 ** (rounds + 3), "rounds": rounds} for rounds in (8, 10, 12, 14)],
    "dijkstra": [{"n": n} for n in doubled(256, 2048)],
}
"""The arguments of each program, in their order."""

KNOWN = {"summa": {"P(row)": PROCESSES, "P(column)": 1, "rank(row)": 0, "rank(column)": 0}}
"""What a function cannot know of the communicators that it gets."""


# --- measuring


def compiled(name: str, folder: Path) -> Path:
    program = folder / name
    subprocess.run(["mpicc", *FLAGS, "-o", program, FOLDER / f"{name}.c", "-lm"], check=True)
    return program


def printed(link: str, program: Path, *arguments: int) -> list[str]:
    """The words that a program prints on a cluster with such links."""
    command = [FOLDER / "cluster.sh", link, str(PROCESSES), program, *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=600).stdout.split()


def figures(link: str, program: Path) -> list[float]:
    """Peak, memory, network (the most of all rounds) and latency (the least)."""
    runs = [[float(word) for word in printed(link, program)] for _ in range(ROUNDS)]
    *rates, latencies = zip(*runs, strict=True)
    return [*map(max, rates), min(latencies)]


def seconds(link: str, program: Path, sizes: Sizes) -> float:
    runs = [printed(link, program, *sizes.values()) for _ in range(ROUNDS)]
    assert all(run[0] == "right" for run in runs), (program, sizes, runs)
    return min(float(run[1]) for run in runs)


def measure(processor: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        programs = {program: compiled(program, Path(name)) for program in ("system", *PROGRAMS)}
        measured = {link: figures(link, programs["system"]) for link in LINKS}
        peak, memory = (max(found[k] for found in measured.values()) for k in (0, 1))
        systems = [
            f'id = "{link}", name = "{processor}, {LINKS[link]}", peak = {peak:g}, memory = {memory:g}, '
            f"network = {found[2]:g}, latency = {found[3]:g}"
            for link, found in measured.items()
        ]
        results = [
            f'system = "{link}", algorithm = "{program}", sizes = "{written(sizes)}", '
            f"measured = {seconds(link, programs[program], sizes) * 1e6:.6g}"
            for program, cases in PROGRAMS.items()
            for sizes in cases
            for link in LINKS
        ]
    source = f"benchmarks/communication.py on {processor}, {PROCESSES} processes, gcc {' '.join(FLAGS)}"
    units = 'peak = "Gop/s", memory = "GB/s", network = "GB/s", latency = "us"'
    print(table("systems", source, units, systems))
    print(table("results", source, 'measured = "us"', results))


def written(sizes: Sizes) -> str:
    return " ".join(f"{name}={value}" for name, value in sizes.items())


def table(name: str, source: str, units: str, rows: Sequence[str]) -> str:
    head = f'[{name}]\nsource = "{source}"\nkind = "measured"\n'
    return head + f"units = {{ {units} }}\nrows = [\n" + "".join(f"    {{ {row} }},\n" for row in rows) + "]\n"


# --- comparing


@cache
def work_of(program: str) -> Communication:
    """What the analysis of the C code says of one call of the algorithm."""
    found = analyze_file(FOLDER / f"{program}.c", SourceOptions(), AnalysisOptions())
    (communication,) = (f.communication for f in found.functions if f.function.name == program)
    assert communication is not None, program
    return communication


def bound(program: str, work: Communication, sizes: str, system: System) -> Bound:
    """The roof over one call, as `analyze --ranks --network --size` has it."""
    values = dict(size.split("=") for size in sizes.split())
    known = {name: int(value) for name, value in values.items()} | KNOWN.get(program, {}) | {"P": PROCESSES}
    found = bounded(work.network, work.flops, work.memory, system, known).bound
    assert found is not None, (program, sizes)
    return found


def times(found: Bound) -> tuple[float, float, float]:
    """By the plain roofline, the communication-aware one, and with latency."""
    assert found.time_with_latency is not None
    return found.time_without_network, found.time, found.time_with_latency


def compare(path: Path) -> None:
    data = read_tables(path)
    known, works = systems(data), {program: work_of(program) for program in PROGRAMS}
    both = [
        (row, bound(program := row["algorithm"], works[program], row["sizes"], known[row["system"]]))
        for row in data["results"].rows
    ]
    heading("algorithm", "link", "plain", "aware", "improvement", "with latency", "improvement", "paper")
    for program in PROGRAMS:
        for link in LINKS:
            print(summary(program, link, [b for b in both if (b[0]["algorithm"], b[0]["system"]) == (program, link)]))
    print()
    heading("algorithm and sizes", "link", "measured", "plain", "aware", "with latency", "bound by")
    for row, found in both:
        columns = " | ".join(readable(time, "s") for time in (row["measured"], *times(found)))
        print(f"| {row['algorithm']} {row['sizes']} | {LINKS[row['system']]} | {columns} | {found.limit} |")


def heading(*columns: str) -> None:
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")


def summary(program: str, link: str, both: Sequence[tuple[Row, Bound]]) -> str:
    """Errors of rates (equation 2.6): calls per second stand for operations per second, which differ by a factor."""
    actual = [1 / row["measured"] for row, _ in both]
    predicted = zip(*(times(found) for _, found in both), strict=True)
    plain, aware, late = (mape(actual, [1 / time for time in each]) for each in predicted)
    published = tables("communication")["improvements"].row(algorithm=program)
    paper = " / ".join(f"{published[system]:g}" for system in ("big_red_ii", "karst", "jetstream"))
    ours = f"{aware:.0f} | {improvement(plain, aware):.1f} | {late:.0f} | {improvement(plain, late):.1f}"
    return f"| {program} | {LINKS[link]} | {plain:.0f} | {ours} | {paper} |"


if __name__ == "__main__":
    if sys.argv[1] == "--compare":
        compare(Path(sys.argv[2]))
    else:
        measure(*sys.argv[1:])
