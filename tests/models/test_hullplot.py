"""The picture of the boat hull: lines where the equations are, a bar where the prediction is."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from models.boathull import predict_target
from models.catalogue import find_device
from models.cli import main
from models.hullplot import NotDrawableError, hull
from models.prediction import Prediction, Refusal
from models.workload import from_class

SVG = "{http://www.w3.org/2000/svg}"


def predictor(text: str, device: str, element_type: str = "fp32"):  # type: ignore[no-untyped-def]
    def predict(complexity: float) -> Prediction | Refusal:
        return predict_target(from_class(text, complexity, element_type=element_type), find_device(device))  # type: ignore[arg-type]

    return predict


def picture(text: str, device: str, complexity: float = 8) -> ET.Element:
    return ET.fromstring(hull(f"{text} on {device}", predictor(text, device), complexity))


def lines(root: ET.Element) -> dict[str, list[tuple[float, float]]]:
    """The curves by their names in the legend, which stand in the same order."""
    names = [e.text or "" for e in root.iter(f"{SVG}text")]
    legend = [name for name in names if name[:2] in ("c0", "c1", "c2", "c3", "m0", "m1", "to", "ti")]
    curves = [
        [(float(x), float(y)) for x, y in (pair.split(",") for pair in line.attrib["points"].split())]
        for line in root.iter(f"{SVG}polyline")
    ]
    return dict(zip(legend, curves, strict=True))


def test_equations_and_totals_of_a_gpu() -> None:
    found = lines(picture("4096x4096|tile(1x4096) → 4096|element", "gtx470"))
    assert list(found) == ["c0", "c1", "m0", "m1", "total, low", "total, high"]
    for (x0, y0), (x1, y1) in zip(found["c0"], found["c0"][1:], strict=False):
        assert x1 > x0
        assert y1 <= y0  # upwards: more operations take longer
    assert len({y for _, y in found["m0"]}) == 1
    assert all(high <= low for (_, low), (_, high) in zip(found["total, low"], found["total, high"], strict=True))


def test_twice_the_time_is_the_same_distance_everywhere() -> None:
    found = lines(picture("4096x4096|element → 4096x4096|element", "gtx470"))
    gaps = {round(y0 - y1, 0) for (_, y0), (_, y1) in zip(found["c0"], found["c1"], strict=True)}
    assert len(gaps) <= 2  # 2 c0 on a logarithmic axis, up to rounding
    assert min(gaps) > 5


def test_a_cpu_has_its_own_floors_and_no_transfer() -> None:
    assert list(lines(picture("4096|element → 1|shared", "i7-930"))) == [
        "c0", "c1", "c2", "c3", "m0", "time, low", "time, high",
    ]  # fmt: skip


def test_the_bar_stands_on_the_total_at_its_complexity() -> None:
    root = picture("4096x4096|element → 4096x4096|element", "gtx470", 64)
    dot = next(root.iter(f"{SVG}circle"))
    found = lines(root)
    x, y = float(dot.attrib["cx"]), float(dot.attrib["cy"])

    def height(name: str) -> float:
        return min(found[name], key=lambda point: abs(point[0] - x))[1]

    assert height("total, high") - 3 <= y <= height("total, low") + 3


@pytest.mark.parametrize("complexity", [0, 0.01, 1e6])
def test_complexities_outside_the_usual_sweep(complexity: float) -> None:
    root = picture("4096|element → 4096|element", "gtx470", complexity)
    assert 80 <= float(next(root.iter(f"{SVG}circle")).attrib["cx"]) <= 561


def test_titles_are_escaped() -> None:
    text = hull("a < b & c", predictor("8|element → 8|element", "gtx470"), 1)
    assert "a &lt; b &amp; c" in text


@pytest.mark.parametrize(
    ("text", "element_type", "message"),
    [("N|element → N|element", "fp32", "before N is known"), ("8|element → 8|element", "fp64", "no fp64 arithmetic")],
)
def test_nothing_is_drawn_without_times(text: str, element_type: str, message: str) -> None:
    with pytest.raises(NotDrawableError, match=message):
        hull("nothing", predictor(text, "gts250", element_type), 1)


def test_the_command_writes_svg_and_html(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["predict", "64|element -> 64|element", "--complexity", "2", "-t", "gtx470"]
    svg, html = tmp_path / "hull.svg", tmp_path / "hull.html"
    assert main([*arguments, "--plot", str(svg)]) == 0
    assert ET.parse(svg).getroot().tag == f"{SVG}svg"
    assert main([*arguments, "-t", "i7-930", "--plot", str(html)]) == 0
    assert html.read_text(encoding="utf-8").count("<svg ") == 2
    capsys.readouterr()
    for more, message in (
        (["--plot", str(tmp_path / "hull.png")], "neither .svg nor .html"),
        (["-t", "h200", "--plot", str(svg)], "one device per .svg"),
        (["--plot", str(tmp_path / "absent" / "hull.svg")], "--plot"),
    ):
        assert main([*arguments, *more]) == 2
        assert message in capsys.readouterr().err
