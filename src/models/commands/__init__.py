"""The subcommands of `boathull`, one module each, imported only when chosen.

A module `commands/NAME.py` has

    add(subparsers)     adds its parser with `new_parser(subparsers, NAME)` and its arguments
    run(arguments)      does the work, prints with `arguments.write`, returns the exit code

and stands in `COMMANDS`, from which `boathull --help` is printed.
"""

import argparse
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    Subparsers: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]
else:
    Subparsers: TypeAlias = argparse.Action

COMMANDS: dict[str, str] = {
    "predict": "time of a class of algorithm on a device",
    "devices": "the catalogue of devices",
    "partition": "PerDome: bounds of a kernel that a CPU and a GPU share",
    "idioms": "PMaC: bandwidth of idioms, the best device of each block, what an application gains",
    "scale": "communication-aware roofline of an algorithm or an MPI program",
    "dnn": "time of the layers of a neural network",
    "fit": "LSLAG and LSLA parameters from profiled samples, with fidelity",
    "calibrate": "measures this machine and writes its device file, `--host native` of analyze",
    "reproduce": "the papers' published figures beside the recomputed ones",
}


def command(name: str) -> ModuleType:
    """The module of a subcommand in `COMMANDS`."""
    return import_module(f".{name}", __name__)


def new_parser(subparsers: Subparsers, name: str, description: str | None = None) -> argparse.ArgumentParser:
    """The parser of subcommand `name`, with its line of `boathull --help` and no abbreviated options."""
    return subparsers.add_parser(name, help=COMMANDS[name], description=description, allow_abbrev=False)
