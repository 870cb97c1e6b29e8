"""Charts as PNG, by matplotlib (the extra `plot`); everything else is drawn without it."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from .charts import EMPTY, Axis, Cells, Chart
from .errors import InputError

INCHES = (7.6, 4.8)


def write_png(path: Path, charts: Sequence[Chart]) -> None:
    """The charts one below the other; InputError where matplotlib is missing or the file cannot be written."""
    try:
        figures = import_module("matplotlib.figure")
    except ImportError as error:
        raise InputError(
            f"{path}: PNG needs matplotlib: pip install 'boathull[plot]'; .svg and .html do not"
        ) from error
    figure = figures.Figure(figsize=(INCHES[0], INCHES[1] * len(charts)), layout="constrained")
    for plot, chart in zip(figure.subplots(len(charts), squeeze=False)[:, 0], charts, strict=True):
        _draw(figure, plot, chart)
    try:
        figure.savefig(path, format="png", dpi=150)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error


def _draw(figure: Any, plot: Any, chart: Chart) -> None:
    plot.set(title=chart.title, xscale="log", yscale="log")
    if chart.cells is not None:
        _map(figure, plot, chart.cells)
    for line in chart.lines:
        style = "--" if line.dashed else "-"
        plot.plot(*zip(*line.points, strict=True), style, color=line.colour, label=line.name)
    for mark in chart.marks:
        plot.plot(mark.x, mark.y, "o", color=mark.colour)
        plot.annotate(mark.label, (mark.x, mark.y), xytext=(5, 5), textcoords="offset points")
    for axis, place, bounds in ((chart.x, plot.xaxis, plot.set_xlim), (chart.y, plot.yaxis, plot.set_ylim)):
        bounds(axis.low, axis.high)
        _label(axis, place)
    plot.grid(alpha=0.3)
    if chart.lines:
        plot.legend()


def _map(figure: Any, plot: Any, cells: Cells) -> None:
    low, high = cells.span()
    columns = [[cells.values[i][j] or float("nan") for i in range(len(cells.xs))] for j in range(len(cells.ys))]
    plot.set_facecolor(EMPTY)
    mesh = plot.pcolormesh(
        cells.xs, cells.ys, columns, norm=import_module("matplotlib.colors").LogNorm(low, high), shading="nearest"
    )
    bar = figure.colorbar(mesh)
    steps = [low * (high / low) ** (row / 7) for row in range(8)]
    bar.set_ticks(steps, labels=[cells.show(step) for step in steps])
    bar.ax.minorticks_off()


def _label(axis: Axis, place: Any) -> None:
    place.set_label_text(axis.title)
    place.set_ticks(axis.ticks(), [axis.show(value) for value in axis.ticks()])
    place.set_ticks([], minor=True)
