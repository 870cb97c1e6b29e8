"""The systems and networks of the papers: what one process of a cluster computes, reads and sends per second.

They are tables of `data/` (communication roofline, chapter 2; DNN roofline, chapter 3), not device files: a system is
measured per process, and no model of single devices predicts on one. The only other system, Jaguar (PMaC), is printed
with its number of nodes and without any rate.
"""

from collections.abc import Mapping
from typing import cast

from msgspec import Struct

from .errors import InputError
from .figures import Figure, Kind, suggestion
from .published import Table, tables
from .units import readable

_BASE_UNITS = {"peak": "op/s", "memory": "B/s", "network": "B/s"}
_CHAPTERS = ("communication", "dnn")


class System(Struct, frozen=True):
    """`figures`: `peak`, `memory` and `network` of one process, as far as the paper has them."""

    id: str
    name: str
    processor: str
    link: str
    figures: Mapping[str, Figure]


def systems() -> tuple[System, ...]:
    """All systems, by id."""
    found = [_system(table, row) for table in (tables(name)["systems"] for name in _CHAPTERS) for row in table.rows]
    return tuple(sorted(found, key=lambda system: system.id))


def find_system(name: str) -> System:
    """The system with this id; InputError offers near ones. Example: `find_system("karst").figures["network"].value`
    is 1.2e9 B/s."""
    known = {system.id: system for system in systems()}
    if name.lower() not in known:
        raise InputError(f"unknown system {name!r}{suggestion(name.lower(), known)}")
    return known[name.lower()]


def _system(table: Table, row: Mapping[str, str | float]) -> System:
    figures = {key: _figure(table, float(row[key]), unit) for key, unit in _BASE_UNITS.items() if key in row}
    return System(str(row["id"]), str(row["name"]), str(row["processor"]), str(row.get("link", "")), figures)


def _figure(table: Table, value: float, unit: str) -> Figure:
    return Figure(
        value=value,
        low=value,
        high=value,
        unit=unit,
        kind=cast("Kind", table.kind),
        source=table.source,
        written=readable(value, unit),
        note=table.note,
    )
