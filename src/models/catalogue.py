"""Devices as data: every figure with its value, range, unit, kind and source.

One TOML file per device lies in `devices/`. A `[device]` table names it; every other table is one figure:

    [compute.fp32]
    value = 1089
    unit = "Gop/s"
    kind = "published"             published | measured | vendor | derived | estimated
    source = "Boat Hull Model (2012), Table 2"

`low` and `high` are optional (the value itself) but required for `estimated`. Unknown keys are refused, a figure that a
model needs and the file lacks is refused by name: no default value hides anywhere else.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from msgspec import Struct

from .errors import InputError
from .units import Dimension, UnitError, base_unit, to_base

Kind: TypeAlias = Literal["published", "measured", "vendor", "derived", "estimated"]
DeviceKind: TypeAlias = Literal["gpu", "cpu"]
KINDS: tuple[Kind, ...] = ("published", "measured", "vendor", "derived", "estimated")
PRECISIONS = ("fp64", "fp32", "int32")
DEFAULT_HOST = "xeon6248"

_BOTH: dict[str, Dimension] = {"memory.capacity": "data", "cache.l1": "data", "cache.l2": "data"}
FIGURES: dict[DeviceKind, dict[str, Dimension]] = {
    "gpu": {
        **{f"compute.{p}": "operation rate" for p in PRECISIONS},
        "memory.coalesced": "data rate",
        "memory.uncoalesced": "data rate",
        "link.rate": "data rate",
        "launch.latency": "time",
        "multiprocessors": "count",
        **_BOTH,
    },
    "cpu": {
        **{f"compute.{p}.{cores}": "operation rate" for p in PRECISIONS for cores in ("one_core", "all_cores")},
        "memory.one_core": "data rate",
        "memory.all_cores": "data rate",
        "cores": "count",
        "threads": "count",
        "vector": "bits",
        "cache.l3": "data",
        **_BOTH,
    },
}
_DEVICE_KEYS = ("id", "name", "kind", "unsupported", "fused_multiply_add", "note")
_FIGURE_KEYS = ("value", "low", "high", "unit", "kind", "source", "note")
_FOLDER = Path(__file__).with_name("devices")


class CatalogueError(InputError):
    """A device file that breaks the rules, or a device that does not exist."""


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


class Figure(Struct, frozen=True):
    """One number in SI base units (`unit`), with the range in which the true one is expected; `written` is the value as
    the file has it."""

    value: float
    low: float
    high: float
    unit: str
    kind: Kind
    source: str
    written: str
    note: str = ""


class Device(Struct, frozen=True):
    """`fused_multiply_add`: the compute rates count a multiply-add as two operations."""

    id: str
    name: str
    kind: DeviceKind
    figures: Mapping[str, Figure]
    unsupported: tuple[str, ...] = ()
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
    """A device of the catalogue by its id (case, `-` and `_` do not count), or the device of a file when `name` ends in
    `.toml`. CatalogueError offers the nearest ids."""
    if name.endswith(".toml"):
        return load_device(Path(name))
    known = {_folded(known): known for known in device_ids()}
    found = known.get(_folded(name))
    if found is None:
        raise CatalogueError(f"unknown device {name!r}{suggestion(name.lower(), known.values())}")
    return load_device(_FOLDER / f"{found}.toml")


def load_device(path: Path) -> Device:
    """The device of a file; CatalogueError names the file and what is wrong in it."""
    import tomllib

    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CatalogueError(f"{path}: {error}") from error
    try:
        return read_device(content)
    except CatalogueError as error:
        raise CatalogueError(f"{path}: {error}") from error


def read_device(content: Mapping[str, Any]) -> Device:
    """The device of a parsed file; CatalogueError for unknown keys, wrong units and missing parts."""
    head = content.get("device")
    if not isinstance(head, dict):
        raise CatalogueError("the table [device] is missing")
    _refuse_unknown("device", head, _DEVICE_KEYS)
    for key in ("id", "name", "kind"):
        if not isinstance(head.get(key), str):
            raise CatalogueError(f"device.{key} is missing or no text")
    if head["kind"] not in FIGURES:
        raise CatalogueError(f"device.kind is {head['kind']!r}; known: {', '.join(FIGURES)}")
    kind = cast("DeviceKind", head["kind"])
    unsupported = tuple(head.get("unsupported", ()))
    _refuse_unknown("device.unsupported", unsupported, PRECISIONS)
    tables = _flattened({key: value for key, value in content.items() if key != "device"})
    _refuse_unknown("", tables, FIGURES[kind])
    return Device(
        id=head["id"],
        name=head["name"],
        kind=kind,
        figures={key: _figure(key, table, FIGURES[kind][key]) for key, table in tables.items()},
        unsupported=unsupported,
        fused_multiply_add=bool(head.get("fused_multiply_add", True)),
        note=str(head.get("note", "")),
    )


def _folded(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def suggestion(wanted: str, known: Iterable[str]) -> str:
    """`; did you mean a, b?`, or the known names where none is near."""
    import difflib

    names = sorted(known)
    near = difflib.get_close_matches(wanted, names, n=3, cutoff=0.5)
    return f"; did you mean {', '.join(near)}?" if near else f"; known: {', '.join(names)}"


def _flattened(tables: Mapping[str, Any], prefix: str = "") -> dict[str, Mapping[str, Any]]:
    """Dotted names of the innermost tables."""
    found: dict[str, Mapping[str, Any]] = {}
    for key, value in tables.items():
        if not isinstance(value, dict):
            raise CatalogueError(f"{prefix}{key} is not a table of value, unit, kind and source")
        if any(not isinstance(inner, dict) for inner in value.values()) or not value:
            found[prefix + key] = value
        else:
            found |= _flattened(value, f"{prefix}{key}.")
    return found


def _figure(key: str, table: Mapping[str, Any], dimension: Dimension) -> Figure:
    _refuse_unknown(key, table, _FIGURE_KEYS)
    for name in ("unit", "kind", "source"):
        if not isinstance(table.get(name), str) or not table[name].strip():
            raise CatalogueError(f"{key}.{name} is missing")
    if table["kind"] not in KINDS:
        raise CatalogueError(f"{key}.kind is {table['kind']!r}; known: {', '.join(KINDS)}")
    if table["kind"] == "estimated" and not {"low", "high"} <= set(table):
        raise CatalogueError(f"{key} is estimated and needs low and high")
    value = _number(key, "value", table.get("value"))
    low, high = (_number(key, name, table.get(name, value)) for name in ("low", "high"))
    if not 0 < low <= value <= high:
        raise CatalogueError(f"{key}: 0 < low <= value <= high does not hold for {low}, {value}, {high}")
    try:
        in_base = tuple(to_base(number, table["unit"], dimension) for number in (value, low, high))
    except UnitError as error:
        raise CatalogueError(f"{key}.unit: {error}") from error
    return Figure(
        value=in_base[0],
        low=in_base[1],
        high=in_base[2],
        unit=base_unit(dimension),
        kind=cast("Kind", table["kind"]),
        source=table["source"],
        written=f"{value:g} {table['unit']}" if table["unit"] != "1" else f"{value:g}",
        note=str(table.get("note", "")),
    )


def _number(key: str, name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise CatalogueError(f"{key}.{name} is no number")
    return value


def _refuse_unknown(place: str, keys: Iterable[str], known: Iterable[str]) -> None:
    names = tuple(known)
    for key in keys:
        if key not in names:
            where = f" in {place}" if place else ""
            raise CatalogueError(f"unknown key {key!r}{where}{suggestion(key, names)}")
