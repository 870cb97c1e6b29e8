"""Charts and surfaces of the page: their figures are those of the models, and they are drawn wherever they can be."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from analyzer.report.document import CommunicationEntry, Document, NetworkEntry, RoofEntry
from models.catalogue import find_device
from models.perdome.partition import code_partition, partition_exists
from models.perdome.processors import device_processor

from .browser import Browser
from .material import analysed
from .opening import at_size, keep, number_of, open_page, opened

COLOURS = """(() => {
    const canvas = document.querySelector('#loop canvas'), found = new Set();
    const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    for (let i = 0; i < data.length; i += 4) found.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
    return found.size;
})()"""


def test_a_surface_is_drawn_when_asked_for_one_at_a_time(quiet: Browser, folder: Path, document: Document) -> None:
    open_page(quiet, folder, document, "four.html")
    opened(quiet, number_of(document, "product"))
    assert quiet.run("document.querySelectorAll('canvas').length") == 0
    for _ in range(2):
        quiet.run("document.querySelector('#loop button.perdome').click()")
        assert quiet.run("document.querySelectorAll('canvas').length") == 1
    assert quiet.run(COLOURS) > 20
    keep(quiet, "surface")


def test_a_surface_is_drawn_without_webgl(folder: Path, browser: Browser, document: Document) -> None:
    with Browser("--disable-3d-apis") as other:
        open_page(other, folder, document, "four.html")
        assert other.run("document.createElement('canvas').getContext('webgl')") is None
        opened(other, number_of(document, "product"))
        other.run("document.querySelector('#loop button.perdome').click()")
        assert other.run(COLOURS) > 20
        assert other.problems == []


def test_without_any_canvas_the_slices_are_shown(quiet: Browser, folder: Path, document: Document) -> None:
    open_page(quiet, folder, document, "four.html")
    quiet.run("HTMLCanvasElement.prototype.getContext = () => null")
    opened(quiet, number_of(document, "product"))
    quiet.run("document.querySelector('#loop button.perdome').click()")
    assert quiet.run("document.querySelectorAll('#loop canvas').length") == 0
    assert quiet.run("[...document.querySelectorAll('#loop .place h4')].map(one => one.textContent.slice(0, 10))") == [
        "Slice at I",
        "Slice at I",
    ]


def test_perdome_surface_has_the_bounds_of_the_model(quiet: Browser, folder: Path, document: Document) -> None:
    open_page(quiet, folder, document, "four.html")
    scene = quiet.run("perdomeScene(1.7, 'fp32', 'xeon6248', 'h200')")
    cpu, gpu = (device_processor(find_device(name)).likely for name in ("xeon6248", "h200"))
    cpu_axis, gpu_axis, bound = scene["axes"]
    compared = 0
    for i in range(0, len(scene["xs"]), 3):
        for j in range(0, len(scene["ys"]), 3):
            c, g = _value(cpu_axis, scene["xs"][i]), _value(gpu_axis, scene["ys"][j])
            height = scene["zs"][i][j]
            assert (height is not None) == partition_exists(1.7, c, g)
            if height is not None:
                assert _value(bound, height) == pytest.approx(code_partition(cpu, gpu, 1.7, c, g), rel=1e-6)
                compared += 1
    assert compared > 50


def _value(axis: dict[str, float], place: float) -> float:
    return axis["low"] * (axis["high"] / axis["low"]) ** (place + 0.5)


def test_boat_hull_lines_have_the_times_of_the_model(quiet: Browser, folder: Path) -> None:
    known = analysed(folder / "hull", "--model", "boat-hull", "--size", "n=512")
    open_page(quiet, folder, known, "hull.html")
    for name in ("scale", "sum", "product"):
        place = number_of(known, name)
        loop = known.files[0].loops[place]
        target = next(p for p in loop.predictions if p.candidate == "target")
        terms = {term.name: term.value for term in target.terms if term.name in ("f", "c0", "c1", "m0", "m1")}
        script = f"""(async () => {{
            const lines = hullLines((await loopEntry({place})).formulas.hull, 'h200', {{n: 512}});
            return Object.fromEntries(['c0', 'c1', 'm0', 'm1'].filter(name => lines[name])
                .map(name => [name, lines[name]({terms["f"]})])); }})()"""
        found = quiet.run(script)
        del terms["f"]
        assert found == {key: pytest.approx(value, rel=1e-9) for key, value in terms.items()}, name


def test_communication_has_its_surface(quiet: Browser, folder: Path, document: Document) -> None:
    roof = RoofEntry("karst", "network", 2.0, 5.0, 6e9, 12e9, 1e-3, 20.8e9, 6e9, 1.2e9)
    network = NetworkEntry((8, 8), True, (), (), roof, None)
    entry = CommunicationEntry("main", 3, None, None, None, None, network)
    file = replace(document.files[0], communication=(entry,))
    open_page(quiet, folder, replace(document, files=(file,)), "sends.html")
    quiet.run("document.querySelector('button[data-roof]').click()")
    assert quiet.run("document.querySelectorAll('#roof canvas').length") == 1
    scene = quiet.run("communicationScene(index.roofs[0], 'here')")
    heights = [_value(scene["axes"][2], z) for row in scene["zs"] for z in row]
    assert max(heights) == pytest.approx(20.8e9)
    (point,) = scene["points"]
    assert _value(scene["axes"][2], point[2]) == pytest.approx(6e9)


def test_charts_are_read_by_key(quiet: Browser, folder: Path, document: Document) -> None:
    open_page(quiet, folder, document, "four.html")
    opened(quiet, number_of(document, "product"))
    quiet.run("document.querySelector('#loop .chart svg[role=img]').focus()")
    said = "document.querySelector('#loop .chart figcaption').textContent"
    assert "arrow keys" in quiet.run(said)
    read = []
    for _ in range(2):
        quiet.press("ArrowRight")
        read.append(quiet.run(said))
    assert all(text.startswith("n ") and "h200" in text for text in read)
    assert read[0] != read[1]
    quiet.run("document.activeElement.blur()")
    assert "arrow keys" in quiet.run(said)


def test_a_name_in_the_key_of_a_chart_hides_its_series(quiet: Browser, folder: Path, document: Document) -> None:
    quiet.size(390, 900)
    quiet.dark(True)
    open_page(quiet, folder, document, "four.html")
    opened(quiet, number_of(document, "product"))
    chart = "document.querySelector('#loop .chart')"
    hidden = f"{chart}.querySelectorAll('polyline[visibility=hidden]').length"
    name = quiet.run(f"{chart}.querySelector('.key button').textContent")

    def said() -> str:
        quiet.run(f"{chart}.querySelector('svg[role=img]').focus()")
        quiet.press("ArrowRight")
        return str(quiet.run(f"{chart}.querySelector('figcaption').textContent"))

    assert name in said()
    quiet.run(f"{chart}.querySelector('.key button').focus()")
    quiet.press("Enter")
    assert quiet.run("document.activeElement.getAttribute('aria-pressed')") == "false"
    assert quiet.run(hidden) == 1
    assert name not in said()
    at_size(quiet, "n", 5000)
    assert quiet.run(hidden) == 1
    assert quiet.run("document.documentElement.scrollWidth") <= 390
    keep(quiet, "key-phone-dark")
    quiet.dark(False)
    quiet.run(f"{chart}.querySelector('.key button').click()")
    assert quiet.run(hidden) == 0
    assert name in said()


# --- labels and widths

MEETINGS = """[...document.querySelectorAll('#loop figure.chart svg[role=img]')].flatMap(svg => {
    const boxes = [...svg.querySelectorAll('text.halo')].map(text => ({text: text.textContent, box: text.getBBox()}));
    return boxes.flatMap((one, k) => boxes.slice(k + 1).filter(({box}) =>
        one.box.x < box.x + box.width + 3 && box.x < one.box.x + one.box.width + 3
        && one.box.y < box.y + box.height - 2 && box.y < one.box.y + one.box.height - 2)
        .map(other => `${one.text} meets ${other.text} in ${svg.getAttribute('aria-label')}`));
})"""


@pytest.mark.parametrize("width", [390, 1280])
def test_no_label_of_a_chart_touches_another(quiet: Browser, folder: Path, width: int) -> None:
    document = analysed(folder / "two", "-t", "h200,gtx470")
    quiet.size(width, 900)
    open_page(quiet, folder, document, "four.html")
    labels = 0
    for function in ("scale", "sum", "product"):
        opened(quiet, number_of(document, function))
        for size in (10, 70, 1000, 30_000, 1_000_000):
            at_size(quiet, "n", size)
            assert quiet.run(MEETINGS) == []
            labels += quiet.run("document.querySelectorAll('#loop figure.chart text.halo').length")
    assert labels > 60


def test_charts_are_as_wide_as_there_is_room(quiet: Browser, folder: Path, document: Document) -> None:
    open_page(quiet, folder, document, "four.html")
    opened(quiet, number_of(document, "product"))
    width = "Number(document.querySelector('#loop figure.chart svg[role=img]').getAttribute('width'))"
    wide = quiet.run(width)
    quiet.size(390, 900)
    quiet.until(f"{width} < {wide} && {width} > 290")
    assert quiet.run("document.documentElement.scrollWidth") <= 390
    quiet.size(1280, 900)
    quiet.until(f"{width} === {wide}")
