"""Systems by name: those of Table 2.3, and a user's own from a file.

    [systems]
    source = "who measured it, and how"
    kind = "measured"
    units = { peak = "Gop/s", memory = "GB/s", network = "GB/s", latency = "us" }
    rows = [{ id = "lan", name = "Our cluster", peak = 22, memory = 13.9, network = 1.2, latency = 20 }]

The rates are those of one process. The latency may be left out; other tables of the file are not looked at.
"""

from collections.abc import Mapping
from pathlib import Path

from ..errors import InputError
from ..figures import suggestion
from ..published import Table, read_tables, tables
from .roofs import System

SUFFIX = ".toml"
_UNITS = {
    "peak": ("Gop/s",),
    "memory": ("MB/s", "GB/s"),
    "network": ("MB/s", "GB/s"),
    "latency": ("ps", "us", "s"),
}
_REQUIRED = ("id", "name", "peak", "memory", "network")
_KNOWN = {*_REQUIRED, *_UNITS}


def systems(data: Mapping[str, Table] | None = None) -> dict[str, System]:
    """The three systems of Table 2.3 by id, or those of another file's tables."""
    known = tables("communication") if data is None else data
    if "systems" not in known:
        raise InputError("the table [systems] is missing")
    table = known["systems"]
    _check_columns(table)
    found: dict[str, System] = {}
    for row in table.rows:
        if row["id"] in found:
            raise InputError(f"[systems] has two rows of {row['id']}")
        latency = row.get("latency")
        rates = row["peak"], row["memory"], row["network"]
        found[row["id"]] = System(row["id"], row["name"], *rates, table.source, latency)
    return found


def _check_columns(table: Table) -> None:
    """A rate in the unit of another quantity would be read as a number of its own."""
    columns = set(table.rows[0]) if table.rows else set()
    if columns and (missing := [column for column in _REQUIRED if column not in columns]):
        raise InputError(f"[systems] has no column {', '.join(missing)}")
    for column, unit in table.units.items():
        allowed = _UNITS.get(column, ())
        if column in _KNOWN and unit not in allowed:
            raise InputError(f"[systems] {column} is in {unit}; it must be {' or '.join(allowed) or 'text'}")
    for column in _UNITS.keys() & columns - set(table.units):
        raise InputError(f"[systems] {column} has no unit")


def system_named(name: str) -> System:
    """The system with this id, or of a file: `FILE.toml`, and `FILE.toml:ID` where it has several.

    Example: `system_named("karst").network` is 1.2e9. InputError offers near ids, and those that a file has."""
    file, dot, rest = name.partition(SUFFIX)
    if dot and rest[:1] in ("", ":"):
        return _of_file(Path(file + SUFFIX), rest[1:])
    known = systems()
    if name.lower() not in known:
        near = suggestion(name.lower(), known)
        raise InputError(f"{name}: unknown system{near}; known: {', '.join(known)}, and files: NAME{SUFFIX}")
    return known[name.lower()]


def _of_file(path: Path, wanted: str) -> System:
    data = read_tables(path)
    try:
        found = systems(data)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    if wanted in found:
        return found[wanted]
    if not wanted and len(found) == 1:
        return next(iter(found.values()))
    asked = f"no system {wanted}" if wanted else "which system"
    raise InputError(f"{path}: {asked}; it has {', '.join(f'{path}:{known}' for known in found) or 'none'}")
