"""`boathull calibrate`: measures the processors of this machine and writes the device file of `--host native`."""

import argparse
import sys
from pathlib import Path

from ..calibration.machine import this_machine
from ..calibration.measuring import REPETITIONS, measure
from ..calibration.profile import device_file
from ..catalogue import load_device, native_file
from ..errors import InputError, reason
from ..tables import device_text
from . import Subparsers, new_parser
from .arguments import UsageError, positive, write

_GPU = (
    "--gpu: GPUs are not measured yet; `boathull devices show ID -f toml` prints a file to start from, and "
    "`boathull devices check FILE` says whether it keeps the rules"
)
_MPI = (
    "--mpi: networks are not measured yet, and are no part of a device file; `boathull scale` takes their rates on its "
    "command line"
)


def add(subparsers: Subparsers) -> None:
    parser = new_parser(subparsers, "calibrate", "Measures this machine's processors, which takes about a minute.")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="device file (default: that of --host native)"
    )
    parser.add_argument("--cc", metavar="PATH", help="C compiler that builds the benchmark (default: cc, gcc or clang)")
    repetitions = "of each measurement, in each of three runs"
    parser.add_argument("--repetitions", type=positive, default=REPETITIONS, metavar="N", help=repetitions)
    parser.add_argument("--gpu", action="store_true", help="measure the GPU as well (refused: not measured yet)")
    parser.add_argument("--mpi", action="store_true", help="measure the network as well (refused: not measured yet)")


def run(arguments: argparse.Namespace) -> int:
    if arguments.gpu:
        raise UsageError(_GPU)
    if arguments.mpi:
        raise UsageError(_MPI)
    path = arguments.output or native_file()
    if path.suffix != ".toml":
        raise UsageError(f"-o {path}: a device file ends in .toml")
    machine = this_machine()
    if machine.is_busy:
        print(f"boathull: other programs are running (load {machine.load:.1f}): rates will be too low", file=sys.stderr)
    text = device_file(machine, measure(machine, arguments.cc, arguments.repetitions))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: {reason(error)}") from error
    write(f"{device_text(load_device(path))}\n\nwritten to {path}")
    return 0
