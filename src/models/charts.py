"""Charts with logarithmic axes: curves with marks, and maps of a value over two axes; as SVG without any library.

Each mark and each cell of a map carries its numbers as a tooltip. `page` puts pictures into an HTML page; the module
`png` draws the same charts with matplotlib.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from html import escape

from msgspec import Struct

WIDTH, HEIGHT = 760, 480
LEFT, RIGHT, TOP, BOTTOM = 90, 190, 50, 60
COLOURS = ("#0b5394", "#990000", "#38761d", "#b45f06", "#674ea7", "#134f5c", "#741b47")
INK, GRID, EMPTY = "#111111", "#dddddd", "#f3f3f3"
Show = Callable[[float], str]


class Curve(Struct, frozen=True):
    """Points (x, y), all above 0, joined by lines."""

    name: str
    points: tuple[tuple[float, float], ...]
    colour: str
    dashed: bool = False


class Mark(Struct, frozen=True):
    """A dot with a tooltip; `label` is written beside it."""

    x: float
    y: float
    tooltip: str
    colour: str = INK
    label: str = ""


class Axis(Struct, frozen=True):
    """Maps values from `low` to `high`, both above 0, to places between `start` and `end` of the picture."""

    low: float
    high: float
    start: float
    end: float
    title: str
    show: Show

    def place(self, value: float) -> float:
        part = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + (self.end - self.start) * part

    def ticks(self) -> list[float]:
        """Powers of ten, and their doubles and fives where these would be fewer than three."""
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        decades = [10.0**power for power in range(first, last + 1)]
        steps = (1,) if sum(map(self._holds, decades)) > 2 else (1, 2, 5)
        return [step * decade for decade in decades for step in steps if self._holds(step * decade)]

    def _holds(self, value: float) -> bool:
        return self.low * (1 - 1e-9) <= value <= self.high * (1 + 1e-9)


def axes(
    xs: Iterable[float], ys: Iterable[float], titles: tuple[str, str], shows: tuple[Show, Show]
) -> tuple[Axis, Axis]:
    """Axes that hold all values."""
    (left, right), (bottom, top) = _ends(xs), _ends(ys)
    return (
        Axis(left, right, LEFT, WIDTH - RIGHT, titles[0], shows[0]),
        Axis(bottom, top, HEIGHT - BOTTOM, TOP, titles[1], shows[1]),
    )


class Cells(Struct, frozen=True):
    """A map: `values[i][j]` at xs[i] and ys[j], above 0; None where there is no value and the ground shows."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    values: Sequence[Sequence[float | None]]
    show: Show

    def span(self) -> tuple[float, float]:
        known = [value for row in self.values for value in row if value]
        return min(known), max(known)


class Chart(Struct, frozen=True):
    """Curves or cells, and marks, over two axes."""

    title: str
    x: Axis
    y: Axis
    lines: tuple[Curve, ...] = ()
    marks: tuple[Mark, ...] = ()
    cells: Cells | None = None


def svg(chart: Chart) -> str:
    """The picture of a chart: cells under the grid, then curves with a legend, and marks."""
    x, y = chart.x, chart.y
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    return "\n".join(
        (
            f'{head} font-family="sans-serif" font-size="12">',
            f"<title>{escape(chart.title)}</title>",
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
            text(LEFT, 28, chart.title, size=14),
            *(() if chart.cells is None else _cells(x, y, chart.cells)),
            *_grid(x, y),
            *(_line(x, y, line) for line in chart.lines),
            *(_legend(row, line) for row, line in enumerate(chart.lines)),
            *(_mark(x, y, mark) for mark in chart.marks),
            "</svg>\n",
        )
    )


def stacked(drawn: Sequence[Chart]) -> str:
    """One SVG with the charts one below the other."""
    if len(drawn) == 1:
        return svg(drawn[0])
    rows = (f'<g transform="translate(0 {row * HEIGHT})">\n{svg(chart)}</g>' for row, chart in enumerate(drawn))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{len(drawn) * HEIGHT}">'
    return "\n".join((head, *rows, "</svg>\n"))


def page(title: str, parts: Iterable[str]) -> str:
    head = '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
    return "\n".join((f"{head}<title>{escape(title)}</title></head><body>", *parts, "</body></html>\n"))


def shade(value: float, low: float, high: float) -> str:
    """A colour from dark blue (low) over green to yellow (high), by logarithm."""
    part = 1.0 if high <= low else min(1.0, max(0.0, math.log(value / low) / math.log(high / low)))
    stops = ((68, 1, 84), (33, 145, 140), (253, 231, 37))
    at = part * (len(stops) - 1)
    index = min(int(at), len(stops) - 2)
    mixed = (round(a + (b - a) * (at - index)) for a, b in zip(stops[index], stops[index + 1], strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def text(x: float, y: float, content: str, *, anchor: str = "start", size: int = 12) -> str:
    where = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"'
    return f'<text {where} fill="{INK}">{escape(content)}</text>'


def _cells(x: Axis, y: Axis, cells: Cells) -> Iterable[str]:
    """Coloured by the logarithm of the value, with a scale beside them."""
    low, high = cells.span()
    width, height = x.end - x.start, y.start - y.end
    yield f'<rect x="{x.start}" y="{y.end}" width="{width}" height="{height}" fill="{EMPTY}"/>'
    for i, across in enumerate(cells.xs):
        left, right = _edges(x, cells.xs, i)
        for j, up in enumerate(cells.ys):
            value = cells.values[i][j]
            if not value:
                continue
            below, above = _edges(y, cells.ys, j)
            tooltip = f"{x.title} {x.show(across)}, {y.title} {y.show(up)}: {cells.show(value)}"
            yield (
                f'<rect x="{left:.1f}" y="{above:.1f}" width="{right - left + 0.3:.1f}" '
                f'height="{below - above + 0.3:.1f}" fill="{shade(value, low, high)}" shape-rendering="crispEdges">'
                f"<title>{escape(tooltip)}</title></rect>"
            )
    for row in range(8):
        yield _scale_cell(row, low * (high / low) ** (row / 7), low, high, cells.show)


def _grid(x: Axis, y: Axis) -> Iterable[str]:
    for value in x.ticks():
        at = x.place(value)
        yield f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{y.start}" y2="{y.end}" stroke="{GRID}" stroke-width="0.7"/>'
        yield text(at, y.start + 18, x.show(value), anchor="middle")
    for value in y.ticks():
        at = y.place(value)
        yield f'<line x1="{x.start}" x2="{x.end}" y1="{at:.1f}" y2="{at:.1f}" stroke="{GRID}" stroke-width="0.7"/>'
        yield text(x.start - 8, at + 4, y.show(value), anchor="end")
    yield text((x.start + x.end) / 2, HEIGHT - 18, x.title, anchor="middle")
    yield text(x.start - 60, y.end - 8, y.title)


def _line(x: Axis, y: Axis, line: Curve) -> str:
    points = " ".join(f"{x.place(a):.1f},{y.place(b):.1f}" for a, b in line.points)
    dashes = ' stroke-dasharray="6 4"' if line.dashed else ""
    return f'<polyline points="{points}" fill="none" stroke="{line.colour}" stroke-width="2"{dashes}/>'


def _legend(row: int, line: Curve) -> str:
    left, height = WIDTH - RIGHT + 16, TOP + 12 + 20 * row
    dashes = ' stroke-dasharray="6 4"' if line.dashed else ""
    stroke = f'<line x1="{left}" x2="{left + 24}" y1="{height}" y2="{height}" stroke="{line.colour}" stroke-width="2"'
    return f"{stroke}{dashes}/>" + text(left + 32, height + 4, line.name)


def _mark(x: Axis, y: Axis, mark: Mark) -> str:
    across, up = x.place(mark.x), y.place(mark.y)
    dot = f'<circle cx="{across:.1f}" cy="{up:.1f}" r="4" fill="{mark.colour}" stroke="white"'
    label = text(across + 7, up - 6, mark.label) if mark.label else ""
    return f"{dot}><title>{escape(mark.tooltip)}</title></circle>{label}"


def _scale_cell(row: int, value: float, low: float, high: float, show: Show) -> str:
    left, height = WIDTH - RIGHT + 16, TOP + 160 - 20 * row
    colour = shade(value, low, high)
    return f'<rect x="{left}" y="{height}" width="20" height="20" fill="{colour}"/>' + text(
        left + 28, height + 14, show(value)
    )


def _edges(axis: Axis, values: Sequence[float], index: int) -> tuple[float, float]:
    """Places half-way to both neighbours."""
    here = values[index]
    before = math.sqrt(here * values[index - 1]) if index else here
    after = math.sqrt(here * values[index + 1]) if index + 1 < len(values) else here
    return axis.place(before), axis.place(after)


def _ends(values: Iterable[float]) -> tuple[float, float]:
    known = [value for value in values if 0 < value < math.inf]
    low, high = min(known), max(known)
    return (low, high) if high > 1.5 * low else (low / 2, high * 2)
