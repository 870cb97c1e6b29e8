"""Builds the kernels with the machine's compiler, runs them, and keeps what a call takes.

Repetitions are interleaved: each run of all kernels takes a few samples, so that a busy minute of the machine does not
fall on one of them alone. The figure of a kernel is the median of the best half of its samples: what a busy machine
adds is never negative."""

import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

from msgspec import Struct
from tests.clauses.answers import answers

from models.calibration.machine import Machine
from models.calibration.profile import better_half

from .kernels import FOLDER, Kernel, driver
from .versions import WAYS, Way, version

FLAGS = ("-O3", "-march=native")
OPENMP: Mapping[Way, tuple[str, ...]] = {
    "host": (),
    "vector": ("-fopenmp-simd",),
    "threads": ("-fopenmp",),
}
SAMPLES = 5
LONGEST_S = 120
SETTLED = 1.25
"""Samples that are farther apart do not say how long a kernel takes."""


class Measured(Struct, frozen=True, omit_defaults=True):
    """Seconds of one call of a kernel with these sizes: every sample."""

    kernel: str
    sizes: Mapping[str, int]
    samples: tuple[float, ...]
    way: Way = "host"

    @property
    def case(self) -> tuple[str, tuple[int, ...]]:
        """The kernel with its sizes."""
        return self.kernel, tuple(self.sizes.values())

    @property
    def seconds(self) -> float:
        return median(better_half(self.samples))

    @property
    def is_settled(self) -> bool:
        """Whether the better half of the samples agree: otherwise something else ran on the machine."""
        best = better_half(self.samples)
        return best[-1] <= SETTLED * best[0]


class Program(Struct, frozen=True):
    """One version of a kernel, built."""

    kernel: Kernel
    way: Way
    path: Path


def built(kernel: Kernel, folder: Path, way: Way = "host", text: str | None = None, compiler: str = "cc") -> Program:
    """The program that measures the kernel, which is a translation unit of its own: by the time of its thread, or by
    the wall where `text`, the version of its file for this way, is given. CalledProcessError where the compiler refuses
    it."""
    name = f"{kernel.name}.{way}"
    source, unit, program = (folder / f"{name}{suffix}" for suffix in (".driver.c", ".o", ""))
    source.write_text(driver(kernel, SAMPLES))
    taken = kernel.source
    if text is not None:
        taken = folder / f"{name}.c"
        taken.write_text(text)
    wall = [] if text is None else ["-DWALL"]
    run([compiler, *FLAGS, *OPENMP[way], "-c", "-o", str(unit), str(taken)])
    linked = ["-o", str(program), str(source), str(unit), "-lm", "-fopenmp"]
    run([compiler, "-O1", *wall, f"-I{FOLDER}", *linked])
    return Program(kernel, way, program)


def measured(kernels: Iterable[Kernel], machine: Machine, folder: Path, rounds: int = 3) -> list[Measured]:
    """All kernels as they are with all their sizes on this machine, by the time that their thread runs."""
    return _repeated([built(kernel, folder) for kernel in kernels], machine, rounds)


def measured_ways(kernels: Iterable[Kernel], machine: Machine, folder: Path, rounds: int = 2) -> list[Measured]:
    """All versions of the kernels that have another one than that on the host, by the time of the wall."""
    return _repeated(list(_versions(list(kernels), folder)), machine, rounds)


def _versions(kernels: list[Kernel], folder: Path) -> Iterator[Program]:
    said = answers(sorted({kernel.source for kernel in kernels}))
    for kernel in kernels:
        own, text = said[kernel.source.name], kernel.source.read_text()
        found = {way: made for way in WAYS if (made := version(text, own, kernel.function, way)) is not None}
        if len(found) > 1:
            yield from (built(kernel, folder, way, made) for way, made in found.items())


def _repeated(programs: list[Program], machine: Machine, rounds: int) -> list[Measured]:
    asked = [(program, sizes) for program in programs for sizes in program.kernel.on(machine)]
    commands = [[str(p.path), *(str(sizes[name]) for name in p.kernel.names)] for p, sizes in asked]
    found = interleaved(commands, rounds)
    return [Measured(p.kernel.name, sizes, s, p.way) for (p, sizes), s in zip(asked, found, strict=True)]


def interleaved(commands: Sequence[list[str]], rounds: int) -> list[tuple[float, ...]]:
    """The numbers that each command prints in all its runs."""
    samples: list[list[float]] = [[] for _ in commands]
    for _ in range(rounds):
        for command, found in zip(commands, samples, strict=True):
            found += map(float, run(command).split())
    return list(map(tuple, samples))


BOUND = {**os.environ, "OMP_PROC_BIND": "true"}
"""Each thread stays on a core: two that the system has put on one otherwise stay there for milliseconds."""


def run(command: list[str]) -> str:
    """What it prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=LONGEST_S, env=BOUND).stdout
