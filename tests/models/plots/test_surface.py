"""Surfaces: places in the cube, what is painted first, what is not there, from any angle."""

import math

import pytest

from models.plots.chart import Axis
from models.plots.picture import Area, Dot, Line, Words
from models.plots.surface import HEIGHT, WIDTH, Point, Surface, View, picture, scene


def surface(**more: object) -> Surface:
    xs = (1.0, 10.0, 100.0)
    values = [[1.0, 2.0, 4.0], [2.0, 4.0, 8.0], [4.0, 8.0, 16.0]]
    axes = Axis(1, 100, "I_C", "flop/B"), Axis(1, 100, "I_G", "flop/B"), Axis(1, 16, "bound", "op/s")
    return Surface(**{"title": "t", "axes": axes, "xs": xs, "ys": xs, "values": values} | more)  # type: ignore[arg-type]


def tiles(drawn: Surface) -> list[Area]:
    return [part for part in picture(drawn).parts if isinstance(part, Area)]


def test_a_tile_between_every_four_values() -> None:
    assert len(tiles(surface())) == 4
    assert all(len(tile.points) == 4 for tile in tiles(surface()))


def test_a_bent_tile_is_folded_along_its_higher_diagonal() -> None:
    roof = surface(xs=(1.0, 100.0), ys=(1.0, 100.0), values=[[1.0, 1.0], [1.0, 16.0]])
    faces = tiles(roof)
    assert [len(face.points) for face in faces] == [3, 3]
    crease = {View().place(-0.5, -0.5, -0.5), View().place(0.5, 0.5, 0.5)}
    assert all(crease <= set(face.points) for face in faces)
    valley = surface(xs=(1.0, 100.0), ys=(1.0, 100.0), values=[[1.0, 16.0], [16.0, 1.0]])
    assert all(not crease <= set(face.points) for face in tiles(valley))


def test_no_tile_where_a_value_is_missing() -> None:
    holed = surface(values=[[None, 2.0, 4.0], [2.0, 4.0, 8.0], [4.0, 8.0, 16.0]])
    assert len(tiles(holed)) == 3


def test_a_mesh_has_lines_in_place_of_tiles() -> None:
    flat, mesh = picture(surface()), picture(surface(mesh=True))
    count = [sum(isinstance(part, Line) for part in drawn.parts) for drawn in (flat, mesh)]
    assert count[1] - count[0] == 4
    assert tiles(surface(mesh=True)) == []


@pytest.mark.parametrize("turn", [-0.75, 0.4, 1.9, 3.5, 5.5])
def test_what_is_far_away_is_painted_first(turn: float) -> None:
    view = View(turn=turn)
    flat = surface(values=[[4.0] * 3] * 3)
    depths = [sum(y for _, y in tile.points) for tile in picture(flat, view).parts if isinstance(tile, Area)]
    assert depths == sorted(depths)  # nearer is lower on the screen where all heights are the same


@pytest.mark.parametrize("turn", [0.1 * step for step in range(63)])
def test_the_cube_stays_in_the_picture(turn: float) -> None:
    view = View(turn=turn)
    for corner in ((a, b, c) for a in (-0.5, 0.5) for b in (-0.5, 0.5) for c in (-0.5, 0.5)):
        x, y = view.place(*corner)
        assert 0 < x < WIDTH
        assert 40 < y < HEIGHT


def test_axes_are_labelled_with_units_and_ticks() -> None:
    shown = {part.text for part in picture(surface(note="grey")).parts if isinstance(part, Words)}
    assert {"t", "grey", "I_C (flop/B)", "I_G (flop/B)", "bound", "1", "10", "100", "10 op/s"} <= shown


def test_points_stand_on_the_surface_and_tell() -> None:
    drawn = picture(surface(points=(Point(10, 10, 4, "middle", "m"), Point(math.inf, 1, 1, "nowhere"))))
    (dot,) = (part for part in drawn.parts if isinstance(part, Dot))
    assert dot.tip == "middle"
    assert (dot.x, dot.y) == pytest.approx(View().place(0, 0, 0))


def test_the_scene_is_the_same_in_a_cube() -> None:
    told = scene(surface(points=(Point(1, 100, 16, "corner", "c"),)))
    assert told["xs"] == [-0.5, 0, 0.5]
    assert told["zs"][2][2] == 0.5  # type: ignore[index]
    assert told["points"] == [[-0.5, 0.5, 0.5, "corner", "c"]]
    assert len(told["shades"]) == 32  # type: ignore[arg-type]
