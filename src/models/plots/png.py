"""Pictures as PNG, by matplotlib (the extra `plot`); every other format is written without it."""

from collections.abc import Sequence
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any, assert_never

from ..errors import InputError, reason
from .picture import Area, Dot, Line, Part, Picture, Words, light, star

PIXELS_PER_INCH = 100
SHARPNESS = 2
_POINT = 72 / PIXELS_PER_INCH
_FONT = 0.9  # DejaVu Sans is wider than what browsers take for sans-serif
_SIDES = {"start": "left", "middle": "center", "end": "right"}


def write_png(path: Path, picture: Picture) -> None:
    """The picture on a light ground; InputError where matplotlib is missing or the file cannot be written."""
    try:
        figures = import_module("matplotlib.figure")
    except ImportError as error:
        raise InputError(
            f"{path}: PNG needs matplotlib: pip install 'boathull[plot]'; .svg and .html do not"
        ) from error
    figure = figures.Figure(figsize=(picture.width / PIXELS_PER_INCH, picture.height / PIXELS_PER_INCH))
    canvas = figure.add_axes((0, 0, 1, 1))
    canvas.set(xlim=(0, picture.width), ylim=(picture.height, 0))
    canvas.axis("off")
    order = 0
    for are_areas, parts in groupby(picture.parts, key=lambda part: isinstance(part, Area)):
        run = list(parts)
        if are_areas:
            _areas(canvas, [part for part in run if isinstance(part, Area)], order)
        else:
            for offset, part in enumerate(run):
                _draw(canvas, part, order + offset)
        order += len(run)
    try:
        figure.savefig(path, format="png", dpi=SHARPNESS * PIXELS_PER_INCH, facecolor=light("paper"))
    except OSError as error:
        raise InputError(f"{path}: {reason(error)}") from error


def _draw(canvas: Any, part: Part, order: int) -> None:
    match part:
        case Line():
            style, width = "--" if part.dashed else "-", part.width * _POINT
            canvas.plot(*zip(*part.points, strict=True), style, color=light(part.ink), linewidth=width, zorder=order)
        case Area():
            _areas(canvas, [part], order)
        case Dot(star=True):
            canvas.fill(*zip(*star(part.x, part.y), strict=True), color=light(part.ink), linewidth=0, zorder=order)
        case Dot():
            colours = {"color": light(part.ink), "markeredgecolor": light("paper")}
            canvas.plot(part.x, part.y, "o", zorder=order, markersize=8 * _POINT, **colours)
        case Words():
            side, size = _SIDES[part.anchor], part.size * _POINT * _FONT
            where = {"ha": side, "va": "baseline", "zorder": order, "path_effects": _halo(part)}
            canvas.text(part.x, part.y, part.text, color=light(part.ink), fontsize=size, parse_math=False, **where)
        case _:
            assert_never(part)


def _halo(words: Words) -> list[Any]:
    effects = import_module("matplotlib.patheffects")
    return [effects.withStroke(linewidth=3 * _POINT, foreground=light("paper"))] if words.halo else []


def _areas(canvas: Any, areas: Sequence[Area], order: int) -> None:
    """All of a run at once: a map has thousands. An edge of its own colour closes the gap to the next tile."""
    colours = [light(area.ink) for area in areas]
    collection = import_module("matplotlib.collections").PolyCollection(
        [area.points for area in areas], facecolors=colours, edgecolors=colours, linewidths=0.3, zorder=order
    )
    canvas.add_collection(collection, autolim=False)
