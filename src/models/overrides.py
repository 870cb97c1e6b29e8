"""Figures of devices set by the user: `h200.link.rate=20GB/s`."""

import re
from collections.abc import Iterable

from msgspec.structs import replace

from .catalogue import CatalogueError, Device
from .figures import FIGURES, OPTIONAL, Figure, suggestion
from .units import Dimension, UnitError, base_unit, readable, to_base, units_of

_SETTING = re.compile(
    r"(?P<device>[^.=\s]+)\.(?P<key>[^=\s]+)\s*=\s*(?P<number>[-+.\deE]*\d\.?)\s*(?P<unit>[A-Za-z/]*)\s*\Z"
)


def overridden(device: Device, settings: Iterable[str]) -> Device:
    """The device with the figures that settings of it give; each is a number without a range.

    CatalogueError for one that cannot be read, or names no figure of such a device. Settings of other devices are left
    alone. Example: `overridden(find_device("h200"), ["h200.link.rate=20GB/s"])`."""
    figures = dict(device.figures)
    for text in settings:
        name, key, number, unit = parts_of(text)
        if name != device.id:
            continue
        known: dict[str, Dimension] = FIGURES[device.kind] | OPTIONAL
        if key not in known:
            raise CatalogueError(f"--set {text}: {device.id} has no figure {key!r}{suggestion(key, known)}")
        value = _in_base(text, number, unit, known[key])
        written = readable(value, base_unit(known[key]))
        figures[key] = Figure(value, value, value, base_unit(known[key]), "published", "--set", written, "the user's")
    return replace(device, figures=figures)


def parts_of(text: str) -> tuple[str, str, float, str]:
    """Device, key, number and unit of one setting; CatalogueError where it has not this form."""
    found = _SETTING.match(text.strip())
    if found is None:
        raise CatalogueError(f"--set {text}: expected DEVICE.FIGURE=NUMBER UNIT, as in h200.link.rate=20GB/s")
    try:
        number = float(found["number"])
    except ValueError:
        raise CatalogueError(f"--set {text}: {found['number']!r} is no number") from None
    if not number > 0:
        raise CatalogueError(f"--set {text}: a figure is above 0")
    return found["device"].lower().replace("_", "-"), found["key"], number, found["unit"]


def _in_base(text: str, number: float, unit: str, dimension: Dimension) -> float:
    if not unit and dimension != "count":
        raise CatalogueError(f"--set {text}: the unit is missing; use one of {', '.join(units_of(dimension))}")
    try:
        return to_base(number, unit or "1", dimension)
    except UnitError as error:
        raise CatalogueError(f"--set {text}: {error}") from None
