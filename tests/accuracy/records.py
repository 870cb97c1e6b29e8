"""What is kept of each machine that measured the kernels: a folder of validation/accuracy.

    host.toml       the machine as `boathull calibrate` finds it
    measured.json   the kernels as they are, on one thread
    ways.json       those that have other versions, in all of them"""

from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec import Struct

from models.calibration.machine import Machine
from models.calibration.measuring import measure
from models.calibration.profile import device_file
from models.catalogue import Device, load_device

from .measure import Measured

FOLDER = Path(__file__).resolve().parents[2] / "validation" / "accuracy"


class Record(Struct, frozen=True):
    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def host(self) -> Device:
        return load_device(self.folder / "host.toml")

    @property
    def times(self) -> list[Measured]:
        """Where the machine was at rest."""
        return [m for m in _kept(self.folder / "measured.json") if m.is_settled]

    @property
    def in_ways(self) -> list[Measured]:
        """Where the machine was at rest in all ways of running the kernel; none where they were not measured."""
        file = self.folder / "ways.json"
        found = _kept(file) if file.exists() else []
        disturbed = {m.case for m in found if not m.is_settled}
        return [m for m in found if m.case not in disturbed]

    def calibrate(self, machine: Machine) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "host.toml").write_text(device_file(machine, measure(machine)), encoding="utf-8")

    def keep_times(self, found: Iterable[Measured]) -> None:
        _keep(self.folder / "measured.json", found)

    def keep_ways(self, found: Iterable[Measured]) -> None:
        _keep(self.folder / "ways.json", found)


def records() -> list[Record]:
    """Of all machines, by name."""
    return [Record(file.parent) for file in sorted(FOLDER.glob("*/host.toml"))]


def _kept(file: Path) -> list[Measured]:
    return msgspec.json.decode(file.read_bytes(), type=list[Measured])


def _keep(file: Path, found: Iterable[Measured]) -> None:
    file.write_bytes(msgspec.json.format(msgspec.json.encode(list(found)), indent=0) + b"\n")
