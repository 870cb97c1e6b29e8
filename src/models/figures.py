"""Figures of devices: what a device file may hold, in which unit, and how one number is read.

    [compute.fp32]
    value = 1089
    unit = "Gop/s"
    kind = "published"             published | measured | vendor | derived | estimated
    source = "Boat Hull Model (2012), Table 2"

`low` and `high` are optional (the value itself) but required for `estimated`, which also names its `rule` (`rules`).
"""

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any, Literal, TypeAlias, cast

from msgspec import Struct

from .errors import InputError
from .units import Dimension, UnitError, base_unit, to_base

Kind: TypeAlias = Literal["published", "measured", "vendor", "derived", "estimated"]
DeviceKind: TypeAlias = Literal["gpu", "cpu", "fpga"]
KINDS: tuple[Kind, ...] = ("published", "measured", "vendor", "derived", "estimated")
PRECISIONS = ("fp64", "fp32", "int32")

_ACCELERATOR: dict[str, Dimension] = {
    **{f"compute.{p}": "operation rate" for p in PRECISIONS},
    "memory.peak": "data rate",
    "memory.coalesced": "data rate",
    "memory.uncoalesced": "data rate",
    "memory.capacity": "data",
    "link.rate": "data rate",
}
FIGURES: dict[DeviceKind, dict[str, Dimension]] = {
    "gpu": {
        **_ACCELERATOR,
        "launch.latency": "time",
        "multiprocessors": "count",
        "cache.l1": "data",
        "cache.l2": "data",
    },
    "fpga": {**_ACCELERATOR, "engines": "count"},
    "cpu": {
        **{f"compute.{p}.{cores}": "operation rate" for p in PRECISIONS for cores in ("one_core", "all_cores")},
        "clock.one_core": "frequency",
        "clock.all_cores": "frequency",
        "per_cycle.fp64": "count",
        "memory.peak": "data rate",
        "memory.one_core": "data rate",
        "memory.all_cores": "data rate",
        "memory.capacity": "data",
        "cores": "count",
        "threads": "count",
        "vector": "bits",
        "cache.l1": "data",
        "cache.l2": "data",
        "cache.l3": "data",
    },
}
CORE_TIMES = (
    *("add", "multiply", "fused", "divide", "root", "compare", "integer_multiply", "integer_divide", "forward"),
    *("each_divide", "each_divide.fp32", "each_divide.vector", "each_divide.fp32.vector", "each_root"),
    *("each_integer_divide", "exp", "log", "sin", "pow", "exp.fp32", "log.fp32", "branch", "page"),
    *("load.l1", "load.l2", "load.l3", "load.memory", "random.l2", "random.l3", "random.memory"),
)
"""Seconds of operations of one core of a CPU: latencies; `each_...`: of many that are independent; `branch`: one that
was not foreseen; `page`: an access to one of more pages than the TLB has; `load`: each needs the one before;
`random`: loads of places far apart that are known early."""
OPTIONAL: dict[str, Dimension] = {
    "latency.memory": "time",
    "latency.on_chip": "time",
    "threads.resident": "count",
    "rate.load_store": "operation rate",
    "rate.atomic": "operation rate",
    "cache.l2_rate": "data rate",
    "cache.store_rate": "data rate",
    "link.latency": "time",
    "link.pageable": "data rate",
    "link.page_fault": "data rate",
    "cache.l1_rate": "data rate",
    "cache.l2_rate.core": "data rate",
    "cache.l3_rate.core": "data rate",
    "threads.start": "time",
    "threads.atomic": "time",
    "core.atomic": "time",
    "core.width": "count",
    "core.window": "count",
    "core.pages": "count",
    "core.pages.found": "count",
    "core.pages.lost": "count",
    **{f"core.{name}": "time" for name in CORE_TIMES},
}
"""Figures that a file may have; `extended.figures` estimates those that it does not have."""
_FIGURE_KEYS = ("value", "low", "high", "unit", "kind", "source", "rule", "note")


class CatalogueError(InputError):
    """A device file that breaks the rules, or a device that does not exist."""


class Figure(Struct, frozen=True):
    """One number in SI base units (`unit`), with the range in which the true one is expected; `written` is the value as
    the file has it, `rule` the rule of `rules` that an estimated figure follows."""

    value: float
    low: float
    high: float
    unit: str
    kind: Kind
    source: str
    written: str
    note: str = ""
    rule: str = ""


def read_figures(tables: Mapping[str, Any], kind: DeviceKind) -> dict[str, Figure]:
    """The figures of a parsed file, without its head; CatalogueError for unknown keys, wrong units, missing parts."""
    flat = _flattened(tables)
    known = FIGURES[kind] | OPTIONAL
    refuse_unknown("", flat, known)
    return {key: _figure(key, table, known[key]) for key, table in flat.items()}


def refuse_unknown(place: str, keys: Iterable[str], known: Iterable[str]) -> None:
    """CatalogueError for the first key that is not known, with near ones."""
    names = tuple(known)
    for key in keys:
        if key not in names:
            where = f" in {place}" if place else ""
            raise CatalogueError(f"unknown key {key!r}{where}{suggestion(key, names)}")


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
        inner = {name: part for name, part in value.items() if isinstance(part, dict)}
        if len(inner) < len(value) or not value:  # a figure, which `threads` and `threads.start` both are
            found[prefix + key] = {name: part for name, part in value.items() if name not in inner}
        found |= _flattened(inner, f"{prefix}{key}.")
    return found


def _figure(key: str, table: Mapping[str, Any], dimension: Dimension) -> Figure:
    refuse_unknown(key, table, _FIGURE_KEYS)
    for name in ("unit", "kind", "source"):
        if not isinstance(table.get(name), str) or not table[name].strip():
            raise CatalogueError(f"{key}.{name} is missing")
    if table["kind"] not in KINDS:
        raise CatalogueError(f"{key}.kind is {table['kind']!r}; known: {', '.join(KINDS)}")
    if table["kind"] == "estimated" and not {"low", "high"} <= set(table):
        raise CatalogueError(f"{key} is estimated and needs low and high")
    if "rule" in table and table["kind"] != "estimated":
        raise CatalogueError(f"{key} names a rule but is {table['kind']}; rules make estimated figures")
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
        rule=str(table.get("rule", "")),
    )


def _number(key: str, name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise CatalogueError(f"{key}.{name} is no number")
    if not isfinite(value):
        raise CatalogueError(f"{key}.{name} is {value}")
    return value
