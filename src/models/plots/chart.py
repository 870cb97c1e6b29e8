"""Charts over two axes: curves with a legend, marks, and maps of a third value.

`picture` places everything; `readout` is what a page needs to tell the values under the pointer. Axes are logarithmic
unless they say otherwise, and hold values above 0; every axis has a title and a unit.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from ..errors import InputError
from ..units import readable, steps
from .picture import Area, Dot, Line, Part, Picture, Words, labelled, text_width

WIDTH, HEIGHT = 760.0, 480.0
LEFT, RIGHT, TOP, BOTTOM = 92.0, 178.0, 56.0, 62.0
LEGEND_ROW = 20.0


class NotDrawableError(InputError):
    """Figures without a place in a picture."""


class Axis(Struct, frozen=True):
    """Values from `low` to `high` in `unit` (SI). `ticks`: where they are not to be powers of ten."""

    low: float
    high: float
    title: str
    unit: str = "1"
    log: bool = True
    ticks: tuple[float, ...] = ()

    def part(self, value: float) -> float:
        """0 at the low end, 1 at the high end."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def marked(self) -> list[float]:
        """The values with a tick: powers of ten, and their doubles and fives where these would be fewer than three."""
        if self.ticks:
            return [value for value in self.ticks if self._holds(value)]
        if not self.log:
            return [value for value in _round_steps(self.low, self.high) if self._holds(value)]
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        apart = 1 + (last - first) // 10  # not more than about ten labels
        decades = [10.0**power for power in range(first, last + 1) if power % apart == 0]
        factors = (1,) if sum(map(self._holds, decades)) > 2 else (1, 2, 5)
        return [factor * decade for decade in decades for factor in factors if self._holds(factor * decade)]

    def show(self, value: float) -> str:
        """A value with its unit, without it where the title has it: a unit without prefixes."""
        return readable(value, self.unit if steps(self.unit) else "1")

    @property
    def label(self) -> str:
        return self.title if self.unit == "1" or steps(self.unit) else f"{self.title} ({self.unit})"

    def _holds(self, value: float) -> bool:
        slack = 1e-9 * (self.high - self.low if not self.log else value)
        return self.low - slack <= value <= self.high + slack


class Curve(Struct, frozen=True):
    """Points joined by lines, in order of x. `listed`: it is in the legend, once for each name, and is read out."""

    name: str
    points: tuple[tuple[float, float], ...]
    ink: str
    dashed: bool = False
    width: float = 2.0
    listed: bool = True


class Band(Struct, frozen=True):
    """The ground between two curves of the same x."""

    low: tuple[tuple[float, float], ...]
    high: tuple[tuple[float, float], ...]
    ink: str = "empty"


class Mark(Struct, frozen=True):
    """A dot, or a star for what was measured; `label` is written beside it."""

    x: float
    y: float
    tip: str
    ink: str = "ink"
    label: str = ""
    star: bool = False


class Cells(Struct, frozen=True):
    """A map: `values[i][j]` in `unit` at xs[i] and ys[j]; None where there is no value and the ground shows."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    values: Sequence[Sequence[float | None]]
    unit: str

    def span(self) -> tuple[float, float]:
        known = [value for row in self.values for value in row if value]
        return min(known), max(known)


class Chart(Struct, frozen=True):
    """Bands, cells, curves and marks over two axes, from back to front."""

    title: str
    x: Axis
    y: Axis
    curves: tuple[Curve, ...] = ()
    marks: tuple[Mark, ...] = ()
    cells: Cells | None = None
    bands: tuple[Band, ...] = ()
    note: str = ""


def spanning(title: str, unit: str, values: Iterable[float], *, room: float = 1.0) -> Axis:
    """A logarithmic axis that holds all values above 0, and `room` times as much at either end; NotDrawableError where
    there are none."""
    known = [value for value in values if 0 < value < math.inf]
    if not known:
        raise NotDrawableError(f"nothing to draw: no {title} is above 0")
    low, high = min(known) / room, max(known) * room
    return Axis(low, high, title, unit) if high > 1.5 * low else Axis(low / 2, high * 2, title, unit)


def shade(value: float, low: float, high: float) -> str:
    """A colour from dark blue (low) over green to yellow (high), by logarithm."""
    return tint(1.0 if high <= low else math.log(value / low) / math.log(high / low))


def tint(part: float) -> str:
    """The colour of a part from 0 to 1 of that scale."""
    stops = ((68, 1, 84), (33, 145, 140), (253, 231, 37))
    at = min(1.0, max(0.0, part)) * (len(stops) - 1)
    index = min(int(at), len(stops) - 2)
    mixed = (round(a + (b - a) * (at - index)) for a, b in zip(stops[index], stops[index + 1], strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


# --- layout


def picture(chart: Chart) -> Picture:
    """The chart at its places: map and bands, grid, curves, marks, labels, legend."""
    parts: list[Part] = [Words(LEFT, 26, chart.title, size=15)]
    if chart.note:
        parts.append(Words(LEFT, 43, chart.note, size=11, ink="soft"))
    if chart.cells is not None:
        parts += _cells(chart, chart.cells)
    parts += (_band(chart, band) for band in chart.bands)
    parts += _grid(chart)
    parts += (
        Line(tuple(_place(chart, *point) for point in curve.points), curve.ink, curve.width, curve.dashed)
        for curve in chart.curves
    )
    dots = [(*_place(chart, mark.x, mark.y), mark) for mark in chart.marks]
    parts += (Dot(x, y, mark.ink, mark.tip, mark.star) for x, y, mark in dots)
    parts += labelled(((x, y, mark.label) for x, y, mark in dots), (LEFT, WIDTH - RIGHT))
    parts += _legend(curve for curve in chart.curves if curve.listed)
    return Picture(chart.title, WIDTH, HEIGHT, tuple(parts))


def readout(chart: Chart) -> dict[str, object]:
    """For the script of a page: the frame in pixels, the axes, and all values."""
    cells = chart.cells
    return {
        "kind": "chart",
        "frame": [LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM],
        "x": _axis_document(chart.x),
        "y": _axis_document(chart.y),
        "curves": [{"name": curve.name, "points": curve.points} for curve in chart.curves if curve.listed],
        "marks": [[*_place(chart, mark.x, mark.y), mark.tip] for mark in chart.marks],
        "cells": None
        if cells is None
        else {"xs": cells.xs, "ys": cells.ys, "values": cells.values, "steps": steps(cells.unit), "unit": cells.unit},
    }


def _axis_document(axis: Axis) -> dict[str, object]:
    return {
        "low": axis.low, "high": axis.high, "log": axis.log,
        "title": axis.title, "unit": axis.unit, "steps": steps(axis.unit),
    }  # fmt: skip


def _place(chart: Chart, x: float, y: float) -> tuple[float, float]:
    return (
        LEFT + (WIDTH - RIGHT - LEFT) * chart.x.part(x),
        HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * chart.y.part(y),
    )


def _grid(chart: Chart) -> Iterator[Part]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    for value in chart.x.marked():
        across, _ = _place(chart, value, chart.y.low)
        yield Line(((across, TOP), (across, bottom)), "grid", 1)
    for value in chart.y.marked():
        _, up = _place(chart, chart.x.low, value)
        yield Line(((LEFT, up), (right, up)), "grid", 1)
    yield Line(((LEFT, TOP), (LEFT, bottom), (right, bottom)), "soft", 1)
    for across, text in _readable_ticks(chart):
        yield Words(across, bottom + 18, text, "middle")
    for value in chart.y.marked():
        _, up = _place(chart, chart.x.low, value)
        yield Words(LEFT - 8, up + 4, chart.y.show(value), "end")
    yield Words((LEFT + right) / 2, bottom + 40, chart.x.label, "middle")
    yield Words(10, TOP - 10, chart.y.label)


def _readable_ticks(chart: Chart) -> Iterator[tuple[float, str]]:
    """Labels of the x axis that do not run into each other."""
    end = -math.inf
    for value in chart.x.marked():
        across, _ = _place(chart, value, chart.y.low)
        text = chart.x.show(value)
        half = text_width(text) / 2
        if across - half > end + 6:
            yield across, text
            end = across + half


def _band(chart: Chart, band: Band) -> Area:
    corners = (*band.low, *reversed(band.high))
    return Area(tuple(_place(chart, *corner) for corner in corners), band.ink)


def _cells(chart: Chart, cells: Cells) -> Iterator[Part]:
    """Coloured by the logarithm of the value, with a scale beside them."""
    low, high = cells.span()
    corners = ((LEFT, TOP), (WIDTH - RIGHT, TOP), (WIDTH - RIGHT, HEIGHT - BOTTOM), (LEFT, HEIGHT - BOTTOM))
    yield Area(corners, "empty")
    across, up = _edges([chart.x.part(x) for x in cells.xs]), _edges([chart.y.part(y) for y in cells.ys])
    for i, x in enumerate(cells.xs):
        for j, y in enumerate(cells.ys):
            value = cells.values[i][j]
            if not value:
                continue
            (x0, x1), (y0, y1) = across[i], up[j]
            places = [_unit_place(*corner) for corner in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))]
            tip = f"{chart.x.title} {chart.x.show(x)}, {chart.y.title} {chart.y.show(y)}: {readable(value, cells.unit)}"
            yield Area(tuple(places), shade(value, low, high), tip, tile=True)
    yield from _scale(low, high, cells.unit)


def _scale(low: float, high: float, unit: str) -> Iterator[Part]:
    """Eight steps from the lowest value, at the bottom, to the highest."""
    left = WIDTH - RIGHT + 20
    for row in range(8):
        value, top = low * (high / low) ** (row / 7), TOP + 160 - 20 * row
        corners = ((left, top), (left + 20, top), (left + 20, top + 20), (left, top + 20))
        yield Area(corners, shade(value, low, high))
        yield Words(left + 28, top + 14, readable(value, unit))


def _legend(curves: Iterable[Curve]) -> Iterator[Part]:
    left = WIDTH - RIGHT + 16
    named = {curve.name: curve for curve in reversed(list(curves))}
    for row, curve in enumerate(reversed(named.values())):
        height = TOP + 12 + LEGEND_ROW * row
        yield Line(((left, height), (left + 26, height)), curve.ink, curve.width, curve.dashed)
        yield Words(left + 33, height + 4, curve.name)


def _unit_place(x: float, y: float) -> tuple[float, float]:
    return LEFT + (WIDTH - RIGHT - LEFT) * x, HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * y


def _edges(parts: Sequence[float]) -> list[tuple[float, float]]:
    """Half-way to both neighbours."""
    middles = [(a + b) / 2 for a, b in pairwise(parts)]
    return list(zip((parts[0], *middles), (*middles, parts[-1]), strict=True))


def _round_steps(low: float, high: float) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten, four to ten of them."""
    rough = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    return [step * count for count in range(math.ceil(low / step), math.floor(high / step) + 1)]
