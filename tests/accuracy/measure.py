"""Builds the kernels with the machine's compiler, runs them, and keeps what a call takes.

Repetitions are interleaved: each run of all kernels takes a few samples, so that a busy minute of the machine does not
fall on one of them alone. The figure of a kernel is the median of the best half of its samples: what a busy machine
adds is never negative."""

import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median

from msgspec import Struct

from models.calibration.machine import Machine

from .kernels import FOLDER, Kernel, driver

FLAGS = ("-O3", "-march=native")
SAMPLES = 5
LONGEST_S = 120


class Measured(Struct, frozen=True):
    """Seconds of one call of a kernel with these sizes: every sample."""

    kernel: str
    sizes: Mapping[str, int]
    samples: tuple[float, ...]

    @property
    def seconds(self) -> float:
        best = sorted(self.samples)[: (len(self.samples) + 1) // 2]
        return median(best)

    @property
    def spread(self) -> float:
        """Of the samples: 1 where the best half agree."""
        best = sorted(self.samples)[: (len(self.samples) + 1) // 2]
        return best[-1] / best[0]


def built(kernel: Kernel, folder: Path, flags: Iterable[str] = FLAGS, compiler: str = "cc") -> Path:
    """The program that measures the kernel, which is a translation unit of its own. CalledProcessError where the
    compiler refuses it."""
    source, unit, program = (folder / f"{kernel.name}{suffix}" for suffix in (".driver.c", ".o", ""))
    source.write_text(driver(kernel, SAMPLES))
    _run([compiler, *flags, "-c", "-o", str(unit), str(kernel.source)])
    _run([compiler, "-O1", f"-I{FOLDER}", "-o", str(program), str(source), str(unit), "-lm"])
    return program


def measured(kernels: Iterable[Kernel], machine: Machine, folder: Path, rounds: int = 3) -> list[Measured]:
    """All kernels with all their sizes on this machine."""
    asked = [(kernel, built(kernel, folder), sizes) for kernel in kernels for sizes in kernel.on(machine)]
    samples: dict[int, list[float]] = {at: [] for at in range(len(asked))}
    for _ in range(rounds):
        for at, (kernel, program, sizes) in enumerate(asked):
            values = [str(sizes[name]) for name in kernel.names]
            printed = _run([str(program), *values])
            samples[at] += [float(line) for line in printed.split()]
    return [Measured(kernel.name, sizes, tuple(samples[at])) for at, (kernel, _, sizes) in enumerate(asked)]


def _run(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=LONGEST_S).stdout
