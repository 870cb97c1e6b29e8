"""Figures that the papers print, read from the files in `data/`: tables with units, source and kind.

    [processors]
    source = "PerDome, Table 1"
    kind = "published"                    published | measured | vendor | derived | estimated
    note = "..."                          optional
    units = { flop_time = "ps" }          of every column of numbers; the other columns are text
    rows = [{ id = "gtx750", flop_time = 1.9 }]

Numbers become SI base units on reading. A number without a unit, an unknown unit, a column that a row lacks, and an
unknown key are refused.
"""

import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from .catalogue import KINDS
from .errors import InputError, reason

_KEYS = {"source", "kind", "note", "units", "rows"}
_UNITS = {
    "1": 1.0, "%": 1.0, "op/B": 1.0, "B": 1.0,
    "ps": 1e-12, "us": 1e-6, "s": 1.0,
    "MHz": 1e6, "Hz": 1.0,
    "MB/s": 1e6, "GB/s": 1e9,
    "Gop/s": 1e9,
}  # fmt: skip
_FOLDER = Path(__file__).with_name("data")

Row = Mapping[str, Any]


class Table(Struct, frozen=True):
    """One table of a paper; numbers in SI base units, shares in percent."""

    name: str
    source: str
    kind: str
    rows: tuple[Row, ...]
    note: str = ""
    units: Mapping[str, str] = {}
    """As the file has them, by column: which numbers are rates of what."""

    def row(self, **wanted: object) -> Row:
        """The only row with these values; InputError names the values there are."""
        found = [row for row in self.rows if all(row[name] == value for name, value in wanted.items())]
        if len(found) == 1:
            return found[0]
        known = sorted({", ".join(str(row[name]) for name in wanted) for row in self.rows})
        asked = ", ".join(f"{name} {value}" for name, value in wanted.items())
        raise InputError(f"{self.source} has {len(found) or 'no'} rows for {asked}; it has {'; '.join(known)}")


@cache
def tables(name: str) -> Mapping[str, Table]:
    """The tables of the shipped file `data/NAME.toml`. Example: `tables("perdome")["processors"].row(id="gtx750")`."""
    return read_tables(_FOLDER / f"{name}.toml")


def read_tables(path: Path) -> Mapping[str, Table]:
    """The tables of a file; InputError names the file, the table and what is wrong there."""
    import tomllib

    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        return {name: _table(name, table) for name, table in content.items()}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, InputError) as error:
        raise InputError(f"{path}: {reason(error)}") from error


def _table(name: str, table: object) -> Table:
    if not isinstance(table, dict) or not {"source", "kind", "units", "rows"} <= set(table) <= _KEYS:
        raise InputError(f"[{name}] needs source, kind, units and rows, may have a note, and nothing else")
    if table["kind"] not in KINDS:
        raise InputError(f"[{name}] kind is {table['kind']!r}; known: {', '.join(KINDS)}")
    units = table["units"]
    for column, unit in units.items():
        if unit not in _UNITS:
            raise InputError(f"[{name}] {column}: unknown unit {unit!r}; known: {', '.join(_UNITS)}")
    columns = set(table["rows"][0]) if table["rows"] else set()
    rows = tuple(_row(f"[{name}] row {index}", row, units, columns) for index, row in enumerate(table["rows"], 1))
    return Table(name, table["source"], table["kind"], rows, table.get("note", ""), dict(units))


def _row(place: str, row: Mapping[str, Any], units: Mapping[str, str], columns: set[str]) -> Row:
    if set(row) != columns or not set(units) <= columns:
        raise InputError(f"{place} must have the columns {', '.join(sorted(columns | set(units)))}")
    return {column: _cell(f"{place}, {column}", value, units.get(column)) for column, value in row.items()}


def _cell(place: str, value: object, unit: str | None) -> object:
    if isinstance(value, str) and unit is None:
        return value
    if unit is None or isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{place}: {value!r} is neither text nor a number with a unit")
    if not math.isfinite(value):
        raise InputError(f"{place}: {value} is no finite number")
    return value if _UNITS[unit] == 1.0 else value * _UNITS[unit]
