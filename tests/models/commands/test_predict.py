"""`boathull predict --plot` and `fit --plot`: pictures of every format, what is left out, refusals."""

import xml.etree.ElementTree as ET
from functools import partial
from pathlib import Path

import pytest

from . import ran

run = partial(ran.ran, "predict")
ELEMENTS = ("64|element -> 64|element", "--complexity", "2")


def test_the_hull_as_svg_and_html(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("hull.svg", "hull.html"):
        arguments = (*ELEMENTS, "-t", "gtx470,i7-930", "--measured", "6=1.96ms", "--plot", str(tmp_path / name))
        code, out, err = run(capsys, *arguments)
        assert (code, err) == (0, "")
        assert "gtx470: " in out
    titles = [
        title.text or ""
        for title in ET.parse(tmp_path / "hull.svg").getroot().iter("{http://www.w3.org/2000/svg}title")
    ]
    assert titles.count("measured at complexity 6: 1.96 ms") == 2
    assert (tmp_path / "hull.html").read_text(encoding="utf-8").count("<svg ") == 2


def test_a_device_without_a_time_has_no_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "hull.html"
    code, out, _ = run(capsys, *ELEMENTS, "--type", "fp64", "-t", "gtx470,gts250", "--plot", str(path))
    assert code == 0
    assert "gts250: no time (unsupported-precision)" in out
    assert path.read_text(encoding="utf-8").count("<svg ") == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((*ELEMENTS, "-t", "gtx470", "--plot", "hull.jpg"), "hull.jpg is neither .svg, .png nor .html"),
        ((*ELEMENTS, "-t", "gtx470", "--plot", "/nowhere/hull.svg"), "--plot: /nowhere/hull.svg: No such file"),
        ((*ELEMENTS, "-t", "gts250", "--type", "fp64", "--plot", "hull.svg"), "no fp64 arithmetic"),
        (("N|element -> 1|shared", "--complexity", "1", "-t", "gtx470", "--plot", "a.svg"), "before N is known"),
        ((*ELEMENTS, "-t", "gtx470", "--measured", "6=1ms"), "give --plot FILE"),
        ((*ELEMENTS, "-t", "gtx470", "--plot", "a.svg", "--measured", "6"), "is not COMPLEXITY=TIME"),
        ((*ELEMENTS, "-t", "gtx470", "--plot", "a.svg", "--measured", "0=1ms"), "no place on a logarithmic axis"),
        ((*ELEMENTS, "-t", "gtx470", "--plot", "a.svg", "--measured", "6=1GB"), "is no unit of a time"),
    ],
)
def test_refusals(arguments: tuple[str, ...], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert reason in err


def test_a_fitted_model_as_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    samples, picture = tmp_path / "samples.csv", tmp_path / "mesh.html"
    rows = [
        f"{gamma},{size},{size / gamma + 2 * size},{size / gamma},{size}" for gamma in (8, 16) for size in range(1, 9)
    ]
    samples.write_text("\n".join(("gamma,S,t_w,t_k,t_1", *rows)), encoding="utf-8")
    assert ran.ran("fit", capsys, str(samples), "--plot", str(picture))[0] == 0
    page = picture.read_text(encoding="utf-8")
    assert (page.count('"kind":"surface"'), page.count('"kind":"chart"')) == (2, 1)
