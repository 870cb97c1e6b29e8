"""A value over two axes as a surface in space, seen from an angle; all three axes are logarithmic.

`scene` puts everything into a cube from -1/2 to 1/2: heights, grid, ticks, dots. `picture` looks at it from one angle,
in parallel projection, and paints what is far away first; the script of a page does the same from any angle:

    right = a cos(turn) - b sin(turn)          depth = a sin(turn) + b cos(turn), towards the viewer
    place = (right, depth sin(tilt) - stretch c cos(tilt)) · scale
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from ..units import steps
from .chart import Axis, tint
from .picture import Area, Dot, Line, Part, Picture, Words, labelled

WIDTH, HEIGHT = 760.0, 540.0
CENTRE, SCALE, STRETCH = (380.0, 292.0), 320.0, 0.8
SHADES = 32
FOLD = 0.004
"""Parts of the cube's height by which a tile may be bent before it is folded."""

Corner: TypeAlias = tuple[float, float, float]


class Point(Struct, frozen=True):
    """A dot on or off the surface; `label` is written beside it."""

    x: float
    y: float
    z: float
    tip: str
    label: str = ""


class View(Struct, frozen=True):
    """An angle."""

    turn: float = -0.75
    tilt: float = 0.55

    def place(self, a: float, b: float, c: float) -> tuple[float, float]:
        right = a * math.cos(self.turn) - b * math.sin(self.turn)
        down = self.depth(a, b) * math.sin(self.tilt) - STRETCH * c * math.cos(self.tilt)
        return CENTRE[0] + SCALE * right, CENTRE[1] + SCALE * down

    def depth(self, a: float, b: float) -> float:
        return a * math.sin(self.turn) + b * math.cos(self.turn)


class Surface(Struct, frozen=True):
    """`values[i][j]` at xs[i] and ys[j], above 0; None where there is no value. `mesh`: lines only, no filled tiles.
    `axes` are those of x, y and z, `view` the first angle."""

    title: str
    axes: tuple[Axis, Axis, Axis]
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    values: Sequence[Sequence[float | None]]
    points: tuple[Point, ...] = ()
    mesh: bool = False
    note: str = ""
    view: View = View()


def scene(surface: Surface) -> dict[str, object]:
    """What is to be seen, for the script of a page: places in the cube, texts, and the axes for the read-out."""
    x, y, z = surface.axes
    return {
        "kind": "surface",
        "size": [WIDTH, HEIGHT],
        "title": surface.title,
        "note": surface.note,
        "view": [*CENTRE, SCALE, STRETCH, surface.view.turn, surface.view.tilt],
        "mesh": surface.mesh,
        "fold": FOLD,
        "axes": [
            {
                "title": axis.title, "label": axis.label, "unit": axis.unit, "low": axis.low, "high": axis.high,
                "steps": steps(axis.unit), "ticks": [[_unit(axis, v), axis.show(v)] for v in axis.marked()],
            }
            for axis in surface.axes
        ],
        "xs": [round(_unit(x, value), 5) for value in surface.xs],
        "ys": [round(_unit(y, value), 5) for value in surface.ys],
        "zs": [[None if value is None else round(_unit(z, value), 5) for value in row] for row in surface.values],
        "points": [[*place, point.tip, point.label] for point, place in _points(surface)],
        "shades": [tint(shade / (SHADES - 1)) for shade in range(SHADES)],
    }  # fmt: skip


def picture(surface: Surface, view: View | None = None) -> Picture:
    """The surface from one angle."""
    seen = view or surface.view
    parts: list[Part] = [Words(92, 26, surface.title, size=15)]
    if surface.note:
        parts.append(Words(92, 43, surface.note, size=11, ink="soft"))
    parts += _backdrop(surface.axes, seen)
    parts += _tiles(surface, seen)
    dots = [(*seen.place(*place), point) for point, place in _points(surface)]
    parts += (Dot(x, y, "red", point.tip) for x, y, point in dots)
    parts += labelled(((x, y, point.label) for x, y, point in dots), (0, WIDTH))
    return Picture(surface.title, WIDTH, HEIGHT, tuple(parts))


# --- layout


def _backdrop(axes: tuple[Axis, Axis, Axis], view: View) -> Iterator[Part]:
    """The grid of the floor and of the two walls behind, and the labels of the axes in front of them."""
    wall_x = -0.5 if math.sin(view.turn) > 0 else 0.5
    wall_y = -0.5 if math.cos(view.turn) > 0 else 0.5
    ticks = [[(_unit(axis, value), axis.show(value)) for value in axis.marked()] for axis in axes]
    for a in (-0.5, 0.5, *(at for at, _ in ticks[0])):
        yield _line(view, "grid", (a, -wall_y, -0.5), (a, wall_y, -0.5), (a, wall_y, 0.5))
    for b in (-0.5, 0.5, *(at for at, _ in ticks[1])):
        yield _line(view, "grid", (-wall_x, b, -0.5), (wall_x, b, -0.5), (wall_x, b, 0.5))
    for c in (-0.5, 0.5, *(at for at, _ in ticks[2])):
        yield _line(view, "grid", (wall_x, -wall_y, c), (wall_x, wall_y, c), (-wall_x, wall_y, c))
    yield from _labels(axes[0], [((a, -wall_y, -0.5), text) for a, text in ticks[0]], view, (0, -wall_y, -0.5))
    yield from _labels(axes[1], [((-wall_x, b, -0.5), text) for b, text in ticks[1]], view, (-wall_x, 0, -0.5))
    a, b = min(((wall_x, -wall_y), (-wall_x, wall_y)), key=lambda corner: view.place(corner[0], corner[1], 0)[0])
    for c, text in ticks[2]:
        across, down = view.place(a, b, c)
        yield Words(across - 8, down + 4, text, "end")
    across, down = view.place(a, b, 0.5)
    yield Words(max(8, across - 60), down - 14, axes[2].label)


def _labels(
    axis: Axis, ticks: Iterable[tuple[tuple[float, float, float], str]], view: View, middle: tuple[float, float, float]
) -> Iterator[Part]:
    """Ticks of an axis of the floor, on the side of it that is away from the middle, and its title below them."""
    across, down = view.place(*middle)
    left = across < CENTRE[0]
    anchor, away = ("end", -8) if left else ("start", 8)
    for place, text in ticks:
        x, y = view.place(*place)
        yield Words(x + away, y + 14, text, anchor)
    yield Words(across + 6 * away, down + 44, axis.label, anchor)


def _tiles(surface: Surface, view: View) -> Iterator[Part]:
    """Tiles between every four values, from the farthest to the nearest."""
    x, y, z = surface.axes
    xs, ys = [_unit(x, value) for value in surface.xs], [_unit(y, value) for value in surface.ys]
    zs = [[None if value is None else _unit(z, value) for value in row] for row in surface.values]
    found: list[tuple[float, Part]] = []
    for i in range(len(xs) - 1):
        for j in range(len(ys) - 1):
            around = ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))
            corners = [(xs[p], ys[q], height) for p, q in around if (height := zs[p][q]) is not None]
            if len(corners) < 4:
                continue
            for face in [corners] if surface.mesh else _faces(corners):
                places = tuple(view.place(*corner) for corner in face)
                colour = tint(_shade(sum(c for _, _, c in corners) / 4))
                depth = sum(view.depth(a, b) for a, b, _ in face) / len(face)
                part = Line((*places, places[0]), colour, 1.2) if surface.mesh else Area(places, colour, tile=True)
                found.append((depth, part))
    yield from (part for _, part in sorted(found, key=lambda tile: tile[0]))


def _faces(corners: Sequence[Corner]) -> list[Sequence[Corner]]:
    """A tile as it is, or folded along its higher diagonal: minima of planes have their creases there."""
    a, b, c, d = corners
    fold = a[2] + c[2] - b[2] - d[2]
    if abs(fold) < FOLD:
        return [corners]
    return [(a, b, c), (a, c, d)] if fold > 0 else [(b, c, d), (b, d, a)]


def _shade(height: float) -> float:
    """One of the steps from 0 to 1."""
    return min(SHADES - 1, max(0, math.floor((height + 0.5) * SHADES))) / (SHADES - 1)


def _points(surface: Surface) -> Iterator[tuple[Point, tuple[float, float, float]]]:
    """Points with finite logarithms, with their places in the cube."""
    x, y, z = surface.axes
    for point in surface.points:
        if all(0 < value < math.inf for value in (point.x, point.y, point.z)):
            yield point, (_unit(x, point.x), _unit(y, point.y), _unit(z, point.z))


def _line(view: View, ink: str, *places: tuple[float, float, float]) -> Line:
    return Line(tuple(view.place(*place) for place in places), ink, 1)


def _unit(axis: Axis, value: float) -> float:
    return axis.part(value) - 0.5
