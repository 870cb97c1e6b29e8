"""Pictures: well-formed, points where their values are, tooltips that tell them; the surface's script runs."""

import itertools
import math
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from models.charts import Cells, Chart, Curve, Mark, axes, page, shade, stacked, svg
from models.errors import InputError
from models.png import write_png
from models.surfacepage import Dot, Surface, surface_part

SVG = "{http://www.w3.org/2000/svg}"
NODE = shutil.which("node")


def digits(value: float) -> str:
    return f"{value:g}"


def test_equal_ratios_are_equal_distances() -> None:
    x, y = axes((1, 1000), (1, 100), ("x", "y"), (digits, digits))
    places = [x.place(value) for value in (1, 10, 100, 1000)]
    gaps = {round(right - left, 6) for left, right in itertools.pairwise(places)}
    assert len(gaps) == 1
    assert y.place(100) < y.place(1)  # upwards
    assert (x.ticks(), y.ticks()) == ([1, 10, 100, 1000], [1, 10, 100])


def test_narrow_axes_have_more_ticks() -> None:
    x, _ = axes((3, 30), (1, 1), ("x", "y"), (digits, digits))
    assert x.ticks() == pytest.approx([5, 10, 20])


def test_curves_marks_and_their_names() -> None:
    x, y = axes((1, 100), (1, 100), ("across", "up"), (digits, digits))
    line, mark = Curve("roof & co", ((1, 1), (100, 100)), "#000000"), Mark(10, 10, "here: 10")
    root = ET.fromstring(svg(Chart("a < b", x, y, (line,), (mark,))))
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert {"a < b", "roof & co", "across", "up"} <= set(texts)
    circle = next(root.iter(f"{SVG}circle"))
    assert float(circle.attrib["cx"]) == pytest.approx(x.place(10), abs=0.1)
    assert [title.text for title in circle.iter(f"{SVG}title")] == ["here: 10"]


def a_map() -> Chart:
    xs = (1.0, 10.0, 100.0)
    x, y = axes(xs, xs, ("x", "y"), (digits, digits))
    cells = Cells(xs, xs, [[1.0, None, 3.0], [None, 5.0, None], [7.0, None, 9.0]], digits)
    return Chart("map", x, y, marks=(Mark(10, 10, "here", label="here"),), cells=cells)


def test_a_map_has_no_cell_where_there_is_no_value() -> None:
    tooltips = [title.text or "" for title in ET.fromstring(svg(a_map())).iter(f"{SVG}title")]
    assert [tip for tip in tooltips if tip.startswith("x ")] == [
        "x 1, y 1: 1", "x 1, y 100: 3", "x 10, y 10: 5", "x 100, y 1: 7", "x 100, y 100: 9",
    ]  # fmt: skip


def test_shades_run_from_dark_to_light() -> None:
    assert (shade(1, 1, 100), shade(100, 1, 100)) == ("#440154", "#fde725")
    assert shade(10, 1, 100) == "#21918c"
    assert shade(5, 5, 5) == "#fde725"


def test_charts_one_below_the_other() -> None:
    root = ET.fromstring(stacked([a_map(), a_map()]))
    assert [part.attrib["transform"] for part in root] == ["translate(0 0)", "translate(0 480)"]


def test_png_needs_matplotlib_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(InputError, match=r"PNG needs matplotlib: pip install 'boathull\[plot\]'"):
        write_png(tmp_path / "a.png", [a_map()])


def test_png(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    x, y = axes((1, 100), (1, 100), ("across", "up"), (digits, digits))
    line = Chart("line", x, y, (Curve("roof", ((1, 1), (100, 100)), "#000000"),))
    write_png(tmp_path / "a.png", [a_map(), line])
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def part() -> str:
    surface = Surface(
        "bounds </script>", ("x", "y", "z"), (1.0, 10.0), (1.0, 10.0), [[1.0, 2.0], [3.0, 4.0]],
        (Dot(1.0, 10.0, 2.0, "</script><b>here"), Dot(1.0, math.inf, 2.0, "off")),
    )  # fmt: skip
    return surface_part(surface)


def test_texts_do_not_end_the_script() -> None:
    text = page("a surface", [part()])
    assert text.count("</script>") == 1
    assert "off" not in text.split("const canvas")[0].split("dots")[1]


@pytest.mark.skipif(NODE is None, reason="needs node")
def test_the_script_draws_tells_and_turns(tmp_path: Path) -> None:
    script = part().split("<script>")[1].split("</script>")[0]
    stub = """
    let filled = 0; const told = {textContent: ""}, on = {};
    const pen = new Proxy({}, {get: (_, name) => name === "fill" ? () => { filled++; } : () => {}, set: () => true});
    const canvas = {getContext: () => pen, addEventListener: (name, f) => { on[name] = f; }, setPointerCapture() {},
                    getBoundingClientRect: () => ({left: 0, top: 0})};
    globalThis.document = {getElementById: name => name.endsWith("t") ? told : canvas};
    """
    turn = """
    const first = filled;
    for (let x = 0; x < 760 && !told.textContent; x += 5)
      for (let y = 0; y < 520 && !told.textContent; y += 5) on.pointermove({clientX: x, clientY: y});
    on.pointerdown({clientX: 0, clientY: 0}); on.pointermove({clientX: 9, clientY: 9}); on.pointerup();
    console.log(first, filled, told.textContent);
    """
    path = tmp_path / "surface.js"
    path.write_text(stub + script + turn, encoding="utf-8")
    done = subprocess.run([NODE or "", str(path)], capture_output=True, text=True, check=True, timeout=60)
    first, after, told = done.stdout.strip().split(" ", 2)
    assert (first, after) == ("2", "4")  # one tile and one dot, drawn twice
    assert "z " in told
