"""Devices as data: every figure with its value, range, unit, kind and source.

One TOML file per device lies in `devices/`. A `[device]` table names it, every other table is one figure (`figures`).
Unknown keys are refused, a figure that a model needs and the file lacks is refused by name: no default value hides
anywhere else. Estimated figures must follow the rule that they name (`rules`).
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from msgspec import Struct

from .errors import reason
from .figures import (
    FIGURES,
    KINDS,
    PRECISIONS,
    CatalogueError,
    DeviceKind,
    Figure,
    Kind,
    read_figures,
    refuse_unknown,
    suggestion,
)

__all__ = [
    "DEFAULT_HOST", "FIGURES", "KINDS", "PRECISIONS", "CatalogueError", "Device", "DeviceKind", "Figure", "Kind",
    "MissingFigureError", "UnsupportedPrecisionError", "device_file", "device_ids", "find_device", "load_device",
    "native_file", "read_device", "suggestion",
]  # fmt: skip

DEFAULT_HOST = "xeon6248"
NATIVE = "native"
"""The name of this machine, once it is measured (`boathull calibrate`)."""
_DEVICE_KEYS = ("id", "name", "kind", "released", "unsupported", "absent", "fused_multiply_add", "note")
_FOLDER = Path(__file__).with_name("devices")


class MissingFigureError(CatalogueError):
    """A model needs a figure that the device's file does not have."""

    def __init__(self, device: str, key: str) -> None:
        super().__init__(f"device {device} has no figure {key}")
        self.key = key


class UnsupportedPrecisionError(CatalogueError):
    """The device cannot compute with this element type."""

    def __init__(self, device: str, precision: str) -> None:
        super().__init__(f"device {device} has no {precision} arithmetic")
        self.precision = precision


class Device(Struct, frozen=True):
    """`released`: the year as commonly stated, for reading only; 0 where it is not said. `unsupported`: element types
    without arithmetic. `absent`: figures of what the device does not have, such as a third cache.
    `fused_multiply_add`: the compute rates count a multiply-add as two operations."""

    id: str
    name: str
    kind: DeviceKind
    figures: Mapping[str, Figure]
    unsupported: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    released: int = 0
    fused_multiply_add: bool = True
    note: str = ""

    def figure(self, key: str) -> Figure:
        """The figure, or MissingFigureError; UnsupportedPrecisionError for rates that the device says it lacks."""
        parts = key.split(".")
        if parts[0] == "compute" and parts[1] in self.unsupported:
            raise UnsupportedPrecisionError(self.id, parts[1])
        if key not in self.figures:
            raise MissingFigureError(self.id, key)
        return self.figures[key]


def device_ids() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))


def find_device(name: str) -> Device:
    """A device of the catalogue by its id (case, `-` and `_` do not count), the device of a file when `name` ends in
    `.toml`, or for `native` this machine as it was measured. CatalogueError offers the nearest ids."""
    return load_device(device_file(name))


def native_file() -> Path:
    """Where the figures of this machine are kept, by the rules for users' configuration (XDG base directories)."""
    home = os.environ.get("XDG_CONFIG_HOME", "")
    folder = Path(home) if home.startswith("/") else Path.home() / ".config"
    return folder / "boathull" / f"{NATIVE}.toml"


def device_file(name: str) -> Path:
    """The file of `find_device`, which is a start for a file of one's own."""
    if name.endswith(".toml"):
        return Path(name)
    if name.lower() == NATIVE:
        path = native_file()
        if not path.is_file():
            raise CatalogueError(f"{NATIVE}: this machine was not measured yet; `boathull calibrate` writes {path}")
        return path
    known = {_folded(known): known for known in device_ids()}
    found = known.get(_folded(name))
    if found is None:
        raise CatalogueError(f"unknown device {name!r}{suggestion(name.lower(), known.values())}")
    return _FOLDER / f"{found}.toml"


def load_device(path: Path) -> Device:
    """The device of a file; CatalogueError names the file and what is wrong in it."""
    import tomllib

    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CatalogueError(f"{path}: {reason(error)}") from error
    try:
        return read_device(content)
    except CatalogueError as error:
        raise CatalogueError(f"{path}: {error}") from error


def read_device(content: Mapping[str, Any]) -> Device:
    """The device of a parsed file; CatalogueError for unknown keys, wrong units and missing parts."""
    head = content.get("device")
    if not isinstance(head, dict):
        raise CatalogueError("the table [device] is missing")
    refuse_unknown("device", head, _DEVICE_KEYS)
    for key in ("id", "name", "kind"):
        if not isinstance(head.get(key), str):
            raise CatalogueError(f"device.{key} is missing or no text")
    if head["kind"] not in FIGURES:
        raise CatalogueError(f"device.kind is {head['kind']!r}; known: {', '.join(FIGURES)}")
    kind = cast("DeviceKind", head["kind"])
    unsupported, absent = _names(head, "unsupported"), _names(head, "absent")
    refuse_unknown("device.unsupported", unsupported, PRECISIONS)
    refuse_unknown("device.absent", absent, FIGURES[kind])
    figures = read_figures({key: value for key, value in content.items() if key != "device"}, kind)
    for key in absent:
        if key in figures:
            raise CatalogueError(f"device.absent names {key}, which the file has")
    released = head.get("released", 0)
    if isinstance(released, bool) or not isinstance(released, int):
        raise CatalogueError("device.released is no year")
    return Device(
        id=head["id"],
        name=head["name"],
        kind=kind,
        figures=figures,
        unsupported=unsupported,
        absent=absent,
        released=released,
        fused_multiply_add=bool(head.get("fused_multiply_add", True)),
        note=str(head.get("note", "")),
    )


def _names(head: Mapping[str, Any], key: str) -> tuple[str, ...]:
    names = head.get(key, [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise CatalogueError(f"device.{key} is no list of names")
    return tuple(names)


def _folded(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")
