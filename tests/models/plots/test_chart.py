"""Charts: points where their values are, ticks that can be read, labels that cover nothing, tips that tell."""

import itertools
import xml.etree.ElementTree as ET

import pytest

from models.plots.chart import (
    Axis,
    Band,
    Cells,
    Chart,
    Curve,
    Mark,
    NotDrawableError,
    picture,
    readout,
    shade,
    spanning,
)
from models.plots.picture import Area, Dot, Line, Words, labelled, stacked, svg, text_width

SVG = "{http://www.w3.org/2000/svg}"


def chart(**more: object) -> Chart:
    x, y = Axis(1, 100, "across", "flop/B"), Axis(1e-6, 1, "up", "s")
    return Chart("a < b", x, y, **more)  # type: ignore[arg-type]


def words(drawn: Chart) -> list[str]:
    return [part.text for part in picture(drawn).parts if isinstance(part, Words)]


def test_equal_ratios_are_equal_distances() -> None:
    x = Axis(1, 1000, "x")
    places = [x.part(value) for value in (1, 10, 100, 1000)]
    assert [round(b - a, 9) for a, b in itertools.pairwise(places)] == [round(1 / 3, 9)] * 3


def test_equal_differences_are_equal_distances_without_logarithm() -> None:
    y = Axis(0, 60, "y", log=False)
    assert [y.part(value) for value in (0, 15, 60)] == [0, 0.25, 1]
    assert y.marked() == [0, 20, 40, 60]


@pytest.mark.parametrize(
    ("axis", "ticks"),
    [
        (Axis(1, 1000, "x"), [1, 10, 100, 1000]),
        (Axis(3, 30, "x"), [5, 10, 20]),
        (Axis(512, 2048, "x", ticks=(256, 512, 1024, 2048)), [512, 1024, 2048]),
        (Axis(0, 9, "x", log=False), [0, 2, 4, 6, 8]),
    ],
)
def test_ticks(axis: Axis, ticks: list[float]) -> None:
    assert axis.marked() == pytest.approx(ticks)


def test_many_decades_have_fewer_labels() -> None:
    assert len(Axis(1e-12, 1e18, "x").marked()) <= 12


@pytest.mark.parametrize(
    ("unit", "label", "tick"),
    [("s", "up", "50 us"), ("flop/B", "up (flop/B)", "5e-05"), ("1", "up", "5e-05")],
)
def test_every_axis_has_its_unit(unit: str, label: str, tick: str) -> None:
    axis = Axis(1e-6, 1, "up", unit)
    assert (axis.label, axis.show(5e-5)) == (label, tick)


def test_an_axis_holds_what_it_spans() -> None:
    axis = spanning("t", "s", [3.0, 0.0, float("inf"), 7.0])
    assert (axis.low, axis.high) == (3, 7)
    narrow = spanning("t", "s", [5.0])
    assert narrow.low < 5 < narrow.high


def test_nothing_above_0_has_no_axis() -> None:
    with pytest.raises(NotDrawableError, match="no time is above 0"):
        spanning("time", "s", [0.0, 0.0])


def test_curves_stand_where_their_values_are() -> None:
    drawn = picture(chart(curves=(Curve("roof", ((1, 1e-6), (10, 1e-3), (100, 1)), "blue"),)))
    curve = next(part for part in drawn.parts if isinstance(part, Line) and part.ink == "blue")
    (x0, y0), (x1, y1), (x2, y2) = curve.points
    assert x1 - x0 == pytest.approx(x2 - x1)
    assert y0 - y1 == pytest.approx(y1 - y2)
    assert y0 > y2  # upwards is less on a screen


def test_title_legend_and_axes_are_written() -> None:
    shown = words(chart(curves=(Curve("roof & co", ((1, 1), (100, 1)), "red"),)))
    assert {"a < b", "roof & co", "across (flop/B)", "up"} <= set(shown)
    assert {"1", "10", "100", "1 us", "1 s"} <= set(shown)


def test_curves_of_one_name_have_one_row_of_the_legend_and_unlisted_ones_none() -> None:
    twice = (Curve("a", ((1, 1e-3), (2, 1e-3)), "red"), Curve("a", ((3, 1e-3), (4, 1e-3)), "red"))
    hidden = Curve("bar", ((5, 1e-3), (5, 1e-2)), "ink", listed=False)
    shown = words(chart(curves=(*twice, hidden)))
    assert shown.count("a") == 1
    assert "bar" not in shown


def test_the_x_labels_do_not_run_into_each_other() -> None:
    x = Axis(1, 4096, "S", ticks=tuple(2.0**n for n in range(13)) + tuple(1000.0 + n for n in range(9)))
    drawn = picture(Chart("t", x, Axis(1, 10, "y"), curves=(Curve("c", ((1, 1), (4096, 10)), "red"),)))
    row = [part for part in drawn.parts if isinstance(part, Words) and part.anchor == "middle" and part.text != "S"]
    ends = [(part.x - text_width(part.text) / 2, part.x + text_width(part.text) / 2) for part in row]
    assert all(right < left for (_, right), (left, _) in itertools.pairwise(ends))


def test_a_band_lies_between_its_curves() -> None:
    drawn = picture(chart(bands=(Band(((1, 1e-5), (100, 1e-4)), ((1, 1e-3), (100, 1e-2))),)))
    corners = next(part for part in drawn.parts if isinstance(part, Area)).points
    assert len(corners) == 4
    assert corners[0][1] > corners[3][1]
    assert corners[0][0] == corners[3][0]


def a_map() -> Chart:
    xs = (1.0, 10.0, 100.0)
    axis = Axis(1, 100, "x")
    cells = Cells(xs, xs, [[1.0, None, 3.0], [None, 5.0, None], [7.0, None, 9.0]], "op/s")
    return Chart("map", axis, axis, marks=(Mark(10, 10, "here: 5", label="here"),), cells=cells)


def test_a_map_has_no_cell_where_there_is_no_value() -> None:
    tips = [title.text or "" for title in ET.fromstring(svg(picture(a_map()))).iter(f"{SVG}title")]
    assert [tip for tip in tips if tip.startswith("x ")] == [
        "x 1, x 1: 1 op/s", "x 1, x 100: 3 op/s", "x 10, x 10: 5 op/s", "x 100, x 1: 7 op/s", "x 100, x 100: 9 op/s",
    ]  # fmt: skip


def test_shades_run_from_dark_to_light() -> None:
    assert (shade(1, 1, 100), shade(100, 1, 100)) == ("#440154", "#fde725")
    assert shade(10, 1, 100) == "#21918c"
    assert shade(5, 5, 5) == "#fde725"


def test_the_readout_has_every_listed_value() -> None:
    told = readout(a_map())
    assert told["marks"] == [[pytest.approx(337), pytest.approx(237), "here: 5"]]
    assert told["cells"]["values"][2] == [7.0, None, 9.0]  # type: ignore[index]
    assert told["x"]["steps"] == ()  # type: ignore[index]


def test_labels_cover_neither_dots_nor_labels() -> None:
    dots = [(100.0 + 3 * n, 200.0 + n, f"label {n}") for n in range(5)]
    found = labelled(dots, (0, 700))
    assert len(found) == 5
    boxes = [(word.x, word.y, text_width(word.text)) for word in found]
    for (x, y, w), (other_x, other_y, other_w) in itertools.combinations(boxes, 2):
        assert abs(y - other_y) >= 13 or x >= other_x + other_w or other_x >= x + w
    assert labelled([(1, 1, "")], (0, 10)) == []


def test_labels_stay_in_the_picture() -> None:
    (only,) = labelled([(690.0, 50.0, "at the right edge")], (0, 700))
    assert only.x + text_width(only.text) <= 700


def test_pictures_one_below_the_other() -> None:
    one = picture(a_map())
    both = stacked("two", [one, one])
    assert (both.width, both.height) == (one.width, 2 * one.height)
    first, second = (part for part in both.parts if isinstance(part, Dot))
    assert (second.x, second.y) == (first.x, first.y + one.height)


def test_an_svg_document_escapes_texts_and_knows_the_dark() -> None:
    text = svg(picture(chart()))
    root = ET.fromstring(text)
    assert "prefers-color-scheme:dark" in (root.findtext(f"{SVG}style") or "")
    assert root.findtext(f"{SVG}title") == "a < b"
    ground = next(root.iter(f"{SVG}rect"))
    assert (ground.attrib["fill"], ground.attrib["class"]) == ("#ffffff", "f-paper")
    assert "<style>" not in svg(picture(chart()), alone=False)
