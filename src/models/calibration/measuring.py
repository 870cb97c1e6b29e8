"""Builds `benchmark.c` with the user's C compiler and runs it."""

import re
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
ROUNDS = 3
"""Runs of the whole program: what others do on the machine for some seconds does not fall on one figure alone."""
REPETITIONS = 3
"""Of each figure in a run."""
COMPILERS = ("cc", "gcc", "clang")
LEAST_STREAM = 64 * 2**20
"""Bytes of each streamed array, where four times the last cache are fewer (McCalpin's rule for STREAM)."""
LONGEST_S = 600


class Measured(Struct, frozen=True):
    """Every repetition of each figure, in SI units; `vector` in bits; `fused`: a multiply-add is one instruction;
    `openmp`: the team that was measured is one of OpenMP."""

    values: Mapping[str, tuple[float, ...]]
    vector: int
    fused: bool
    compiler: str
    openmp: bool = False


def measure(machine: Machine, compiler: str | None = None, repetitions: int = REPETITIONS) -> Measured:
    """All figures, each as often as `repetitions` in each of `ROUNDS` runs. Takes about a minute. InputError without a
    compiler, or where building or running fails, with what it said."""
    found = _compiler(compiler)
    openmp = True
    with tempfile.TemporaryDirectory(prefix="boathull-") as folder:
        program = Path(folder) / "benchmark"
        build = [found, *FLAGS, "-o", str(program), str(SOURCE), "-lm"]
        try:
            _run([*build, "-fopenmp"], "no OpenMP")
        except InputError:
            openmp = False
            _run(build, f"{found} cannot build the benchmark")
        chosen = _chosen_vector(found, Path(folder))
        stream = min(max(4 * machine.l3, 4 * machine.l2 * machine.cores, LEAST_STREAM), machine.memory // 12)
        sizes = (machine.cores, machine.l1, machine.l2, machine.l3, stream, repetitions)
        printed = "".join(_run([str(program), *map(str, sizes)], "the benchmark failed") for _ in range(ROUNDS))
    return _read(printed, Path(found).name, chosen, openmp)


_LOOP = "void f(int n, double *restrict a, double *restrict b) { for (int i = 0; i < n; i++) a[i] = b[i] + 1; }\n"
_SAYS = re.compile(r"vectorized using (\d+) byte vectors|vectorization width: (\d+)")


def _chosen_vector(compiler: str, folder: Path) -> int | None:
    """Bits of the vectors that the compiler makes of a loop over doubles, as it says: often not the widest there are
    (gcc's -mprefer-vector-width). None where it does not say."""
    source = folder / "loop.c"
    source.write_text(_LOOP, encoding="utf-8")
    for report in ("-fopt-info-vec", "-Rpass=loop-vectorize"):  # of gcc, of clang
        command = [compiler, *FLAGS, report, "-c", "-o", str(folder / "loop.o"), str(source)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
        found = _SAYS.search(done.stderr)
        if done.returncode == 0 and found is not None:
            return 8 * int(found[1]) if found[1] else 64 * int(found[2])
    return None


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


def _read(printed: str, compiler: str, chosen: int | None, openmp: bool) -> Measured:
    values: dict[str, list[float]] = {}
    for line in printed.splitlines():
        key, _, value = line.partition(" ")
        values.setdefault(key, []).append(float(value))
    vector, fused = values.pop("vector")[0], values.pop("fused")[0]
    found = {k: tuple(several) for k, several in values.items()}
    return Measured(found, chosen or int(vector), bool(fused), compiler, openmp)
