"""The seven MPI programs of `fixtures/c/mpi`, or others, run with every sent byte counted by `counted.c`."""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

from msgspec import Struct

HERE = Path(__file__).parent
FIXTURES = HERE.parents[2] / "fixtures" / "c" / "mpi"
MISSING = next((tool for tool in ("mpicc", "mpirun") if shutil.which(tool) is None), None)
"""What is not installed; Debian has both in openmpi-bin and libopenmpi-dev."""


class Run(Struct, frozen=True):
    """`right`: no process found its result wrong. `sent`: bytes by rank."""

    right: bool
    sent: tuple[int, ...]
    output: str


def compiled(name: str, folder: Path, sources: Path = FIXTURES, *flags: str) -> Path:
    """The program with the counting layer between it and MPI."""
    program = folder / name
    files = [str(sources / f"{name}.c"), str(HERE / "counted.c")]
    subprocess.run(["mpicc", "-O1", *flags, "-o", str(program), *files, "-lm"], check=True, timeout=120)
    return program


def run(program: Path, ranks: int, arguments: tuple[int, ...]) -> Run:
    environment = {**os.environ, "COUNTED": str(program) + ".bytes"}
    for variable in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"):
        environment[variable] = "1"
    command = ["mpirun", "--oversubscribe", "-np", str(ranks), str(program), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, cwd=program.parent)
    counted = [Path(f"{program}.bytes.{rank}").read_text(encoding="ascii").split() for rank in range(ranks)]
    assert [int(rank) for rank, _ in counted] == list(range(ranks))
    right = done.returncode == 0 and "right" in done.stdout and "WRONG" not in done.stdout
    return Run(right, tuple(int(sent) for _, sent in counted), done.stdout + done.stderr)


@cache
def includes() -> tuple[str, ...]:
    """The directories of the installed mpi.h."""
    flags = subprocess.run(["mpicc", "--showme:incdirs"], capture_output=True, text=True, check=True, timeout=60)
    return tuple(flags.stdout.split())
