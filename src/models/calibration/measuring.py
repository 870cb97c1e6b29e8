"""Builds `benchmark.c` with the user's C compiler and runs it."""

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from ..errors import InputError
from .machine import Machine

SOURCE = Path(__file__).with_name("benchmark.c")
FLAGS = ("-O3", "-march=native", "-ffp-contract=fast", "-pthread")
REPETITIONS = 7
COMPILERS = ("cc", "gcc", "clang")
LEAST_STREAM = 64 * 2**20
"""Bytes of each streamed array, where four times the last cache are fewer (McCalpin's rule for STREAM)."""
LONGEST_S = 600


class Measured(Struct, frozen=True):
    """Every repetition of each figure, in SI units; `vector` in bits; `fused`: a multiply-add is one instruction."""

    values: Mapping[str, tuple[float, ...]]
    vector: int
    fused: bool
    compiler: str


def measure(machine: Machine, compiler: str | None = None, repetitions: int = REPETITIONS) -> Measured:
    """Takes some ten seconds on an idle machine. InputError where there is no compiler, or where building or running
    fails, with what it said."""
    found = _compiler(compiler)
    with tempfile.TemporaryDirectory(prefix="boathull-") as folder:
        program = Path(folder) / "benchmark"
        _run([found, *FLAGS, "-o", str(program), str(SOURCE)], f"{found} cannot build the benchmark")
        stream = min(max(4 * machine.l3, 4 * machine.l2 * machine.cores, LEAST_STREAM), machine.memory // 12)
        sizes = (machine.cores, machine.l1, machine.l2, machine.l3, stream, repetitions)
        printed = _run([str(program), *map(str, sizes)], "the benchmark failed")
    return _read(printed, Path(found).name)


def _compiler(wanted: str | None) -> str:
    names = COMPILERS if wanted is None else (wanted,)
    found = next((path for name in names if (path := shutil.which(name)) is not None), None)
    if found is None:
        raise InputError(f"no C compiler: {', '.join(names)} not found; give one with --cc PATH")
    return found


def _run(command: list[str], failed: str) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=LONGEST_S, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"{failed}: {error}") from error
    if done.returncode != 0:
        said = next((line for line in done.stderr.splitlines() if "error" in line), f"exit code {done.returncode}")
        raise InputError(f"{failed}: {said.strip()}")
    return done.stdout


def _read(printed: str, compiler: str) -> Measured:
    values: dict[str, list[float]] = {}
    for line in printed.splitlines():
        key, _, value = line.partition(" ")
        values.setdefault(key, []).append(float(value))
    vector, fused = values.pop("vector")[0], values.pop("fused")[0]
    return Measured({key: tuple(several) for key, several in values.items()}, int(vector), bool(fused), compiler)
