"""The page in a headless Chromium: sorts, filters, opens loops, follows sizes, draws; no error and no request."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from analyzer.report.document import CommunicationEntry, Document, LoopEntry, NetworkEntry, RoofEntry
from analyzer.report.html import render
from models.catalogue import find_device
from models.perdome.partition import code_partition, partition_exists
from models.perdome.processors import device_processor

from .browser import Browser
from .material import analysed, many

ROWS = "[...document.querySelectorAll('#grid .body .row')]"
OPEN = "!document.getElementById('loop').hidden && document.querySelector('#loop .live') !== null"

WITHOUT_WEBGL = """HTMLCanvasElement.prototype.getContext = (get => function (kind, ...more) {
    return /webgl/.test(kind) ? null : get.call(this, kind, ...more);
})(HTMLCanvasElement.prototype.getContext)"""
COLOURS = """(() => {
    const canvas = document.querySelector('#loop canvas'), found = new Set();
    const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    for (let i = 0; i < data.length; i += 4) found.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
    return found.size;
})()"""


def open_page(browser: Browser, folder: Path, document: Document | str, name: str, fragment: str = "") -> None:
    path = folder / name
    path.write_text(document if isinstance(document, str) else render(document), encoding="utf-8")
    browser.open(path, fragment)


@pytest.fixture
def quiet(browser: Browser) -> Iterator[Browser]:
    """The browser, which must have said nothing and asked for nothing but the page when the test is over."""
    browser.size(1280, 900)
    yield browser
    assert browser.problems == []
    assert [url for url in browser.requests if not url.startswith("file:")] == []
    assert len(browser.requests) == 1


def opened(browser: Browser, place: int = 0) -> None:
    browser.run(f"{ROWS}[{place}].click()")
    browser.until(OPEN)


def number_of(document: Document, function: str) -> int:
    loops = [loop for file in document.files for loop in file.loops]
    return next(i for i, loop in enumerate(loops) if loop.function == function)


def test_all_loops_are_in_the_table(quiet: Browser, folder: Path, document: Document) -> None:
    open_page(quiet, folder, document, "four.html")
    loops = [loop for file in document.files for loop in file.loops]
    assert quiet.run(f"{ROWS}.length") == len(loops)
    assert quiet.run("document.getElementById('shown').textContent") == f"{len(loops)} of {len(loops)}"


def test_ten_thousand_loops_stay_fluid(quiet: Browser, folder: Path, huge: str) -> None:
    open_page(quiet, folder, huge, "many.html")
    assert quiet.run("index.rows.length") == 10_000
    assert quiet.run(f"{ROWS}.length") < 100
    quiet.run("document.querySelector('.view').scrollTop = 150000")
    quiet.until(f"{ROWS}.some(row => Number(row.getAttribute('aria-rowindex')) === 5002)")
    assert quiet.run(f"{ROWS}.length") < 100
    quiet.run("document.querySelector('#grid .head .c-function button').click()")
    names = quiet.run(f"{ROWS}.map(row => row.querySelector('.c-function').textContent)")
    assert names == sorted(names)
    quiet.run("document.getElementById('search').value = 'product9999'")
    quiet.run("document.getElementById('search').dispatchEvent(new Event('input'))")
    assert quiet.run("document.getElementById('shown').textContent").endswith("of 10000")
    assert quiet.run(f"{ROWS}.length") == 0 or "product" in quiet.run(f"{ROWS}[0].textContent")


def test_sorting_and_filtering(quiet: Browser, folder: Path, document: Document) -> None:
    open_page(quiet, folder, many(document, 100), "hundred.html")
    quiet.run("document.querySelector('#grid .head .c-class button').click()")
    assert quiet.run("document.querySelector('#grid .head .c-class').getAttribute('aria-sort')") == "ascending"
    quiet.run("document.querySelector('#grid .head .c-class button').click()")
    assert quiet.run("document.querySelector('#grid .head .c-class').getAttribute('aria-sort')") == "descending"
    whole = many(document, 100)
    wanted = sum("|shared" in (loop.class_ or "") for file in whole.files for loop in file.loops)
    assert 0 < wanted < 100
    quiet.run("document.getElementById('pattern').value = 'shared'")
    quiet.run("document.getElementById('pattern').dispatchEvent(new Event('input'))")
    assert quiet.run("document.getElementById('shown').textContent") == f"{wanted} of 100"


def test_keys(quiet: Browser, folder: Path, document: Document) -> None:
    open_page(quiet, folder, document, "four.html")
    quiet.run("document.getElementById('grid').focus()")
    for key in ("ArrowDown", "End", "Home", "ArrowDown"):
        quiet.press(key)
    assert quiet.run("document.getElementById('grid').getAttribute('aria-activedescendant')") == "row-1"
    quiet.press("Enter")
    quiet.until(OPEN)
    assert quiet.run("document.activeElement.id") == "loop-head"
    quiet.press("Escape")
    quiet.until("document.getElementById('loop').hidden")
    assert quiet.run("document.activeElement.id") == "grid"


def test_the_address_names_the_loop(quiet: Browser, folder: Path, document: Document) -> None:
    loop = document.files[0].loops[1]
    open_page(quiet, folder, document, "four.html", f"#loop={loop.id}")
    quiet.until(OPEN)
    assert f":{loop.line}" in quiet.run("document.getElementById('loop-head').textContent")


def test_a_loop_that_is_not_there(quiet: Browser, folder: Path, document: Document) -> None:
    open_page(quiet, folder, document, "four.html", "#loop=nothing")
    assert "no such loop" in quiet.until("document.querySelector('#loop .note')?.textContent")


def test_the_view_of_every_loop(quiet: Browser, folder: Path, document: Document) -> None:
    open_page(quiet, folder, document, "four.html")
    loops = [loop for file in document.files for loop in file.loops]
    for place, loop in enumerate(loops):
        opened(quiet, place)
        quiet.until(f"document.getElementById('loop-head').textContent.includes(':{loop.line} ')")
        text = quiet.run("document.getElementById('loop').textContent")
        assert loop.recommendation.reason.message in text
        assert "for (int i" in text
        if loop.class_ is not None:
            assert loop.class_ in text
        if loop.parallel == "yes":
            assert quiet.run("document.querySelectorAll('#loop .chart').length") >= 2


def test_marks_of_a_dependence(quiet: Browser, folder: Path, document: Document) -> None:
    open_page(quiet, folder, document, "four.html")
    opened(quiet, number_of(document, "carried"))
    quiet.until("document.getElementById('loop-head').textContent.includes('carried')")
    marked = quiet.run("[...document.querySelectorAll('tr.m-blocks')].map(row => row.textContent)")
    assert any("x[i - 1]" in line for line in marked)


def test_verdict_changes_at_the_break_even(quiet: Browser, folder: Path, document: Document) -> None:
    loop = document.files[0].loops[number_of(document, "scale")]
    (even,) = loop.recommendation.break_even
    assert even.value_safe is not None
    open_page(quiet, folder, document, "four.html")
    opened(quiet, number_of(document, "scale"))
    control = "document.querySelector('#loop input[type=number]')"

    def verdict_at(size: int) -> str:
        quiet.run(f"{control}.value = {size}; {control}.dispatchEvent(new Event('input'))")
        quiet.until(f"document.getElementById('live-verdict').textContent.includes('n = {size}:')")
        found: str = quiet.run("document.getElementById('live-verdict').dataset.verdict")
        return found

    far = [verdict_at(int(even.value_safe) * factor) for factor in (100,)]
    assert verdict_at(10) == "host"
    assert far == ["host-parallel"]


@pytest.mark.parametrize("options", [("-t", "gtx470"), ("--model", "boat-hull"), ("--model", "perdome")], ids=lambda o: o[1])
def test_verdicts_are_those_of_an_analysis_with_these_sizes(
    quiet: Browser, folder: Path, options: tuple[str, str]
) -> None:
    home = folder / f"verdicts-{options[1]}"
    unknown = analysed(home, *options)
    evens = {
        int(size)
        for loop in unknown.files[0].loops
        for even in loop.recommendation.break_even
        for size in (even.value_likely, even.value_safe)
        if size
    }
    assert evens
    sizes = sorted({1, 1000, 10**6, 10**8} | {size - step for size in evens for step in (0, 1) if size > 1})
    open_page(quiet, folder, unknown, "verdicts.html")
    for size in sizes:
        known = analysed(home, *options, "--size", f"n={size}")
        script = f"""(async () => Promise.all(index.rows.map(async (row, i) => {{
            const v = verdictsOf(await nestOf(i), {{n: {size}, i: {size}, j: {size}}}).get(row[column.id]);
            return [v.verdict, v.code, v.device ?? null, v.candidate ?? null, v.speedup?.likely ?? null];
        }})))()"""
        for loop, found in zip(known.files[0].loops, quiet.run(script), strict=True):
            assert found[:2] == [loop.recommendation.verdict, loop.recommendation.reason.code], (size, loop.id)
            _same_move(loop, found)


def _same_move(loop: LoopEntry, found: list[object]) -> None:
    r = loop.recommendation
    if r.verdict in ("offload", "host-parallel"):
        assert r.speedup is not None
        assert found[2:] == [r.device, r.candidate, pytest.approx(r.speedup.likely, rel=1e-9)]


def test_sizes_that_were_given_can_be_moved(quiet: Browser, folder: Path) -> None:
    known = analysed(folder / "given", "--size", "n=4096")
    open_page(quiet, folder, known, "given.html")
    opened(quiet, number_of(known, "scale"))
    assert quiet.run("document.querySelector('#loop input[type=number]').value") == "4096"
    report = known.files[0].loops[number_of(known, "scale")].recommendation
    assert quiet.run("document.getElementById('live-verdict').dataset.verdict") == report.verdict


def test_a_surface_is_drawn_without_webgl(quiet: Browser, folder: Path, document: Document) -> None:
    open_page(quiet, folder, document, "four.html")
    quiet.run(WITHOUT_WEBGL)
    opened(quiet, number_of(document, "product"))
    quiet.run("document.querySelector('#loop button.perdome').click()")
    colours = quiet.run(COLOURS)
    assert colours > 20
    quiet.run("document.querySelector('#loop button.perdome').click()")
    assert quiet.run("document.querySelectorAll('#loop canvas').length") == 1


def test_hostile_text_stays_text(quiet: Browser, folder: Path, document: Document) -> None:
    bad = '</script><img src="x" onerror="alert(1)">\x1b[31m\u202e'
    file = document.files[0]
    loops = tuple(replace(loop, function=bad, variable=bad, class_=f"{bad}|element") for loop in file.loops)
    found = replace(document, files=(replace(file, path=bad, loops=loops),), sources={bad: f"/* {bad} */\n" * 30})
    open_page(quiet, folder, found, "hostile.html")
    opened(quiet)
    assert quiet.run("document.querySelectorAll('img').length") == 0
    text = quiet.run("document.body.textContent.replace(/<script[^]*$/, '')")
    shown = quiet.run("document.getElementById('loop').textContent")
    assert "<img" in shown
    assert "\\x1b[31m" in shown
    assert "\u202e" not in shown
    assert "\x1b" not in text


def test_unlisted_loops_are_hidden_until_asked_for(quiet: Browser, folder: Path, document: Document) -> None:
    file = document.files[0]
    loops = (replace(file.loops[0], unlisted="baseline"), *file.loops[1:])
    open_page(quiet, folder, replace(document, files=(replace(file, loops=loops),)), "unlisted.html")
    assert quiet.run(f"{ROWS}.length") == len(loops) - 1
    quiet.run("document.getElementById('unlisted').click()")
    assert quiet.run(f"{ROWS}.length") == len(loops)
    assert quiet.run(f"{ROWS}.filter(row => row.classList.contains('unlisted')).length") == 1


def test_without_source(quiet: Browser, folder: Path) -> None:
    open_page(quiet, folder, analysed(folder / "shut", "--no-source"), "shut.html")
    opened(quiet)
    assert "left out of this report" in quiet.run("document.getElementById('loop').textContent")


@pytest.mark.parametrize("width", [360, 720, 1280])
def test_nothing_is_wider_than_the_window(quiet: Browser, folder: Path, width: int) -> None:
    document = analysed(folder / "wide", "--size", "n=3000000")
    quiet.size(width, 800)
    open_page(quiet, folder, document, "wide.html")
    assert quiet.run("document.querySelectorAll('.best tbody tr').length") > 0
    assert quiet.run("document.documentElement.scrollWidth") <= width
    opened(quiet, number_of(document, "product"))
    assert quiet.run("document.documentElement.scrollWidth") <= width


def test_print_shows_rows_and_the_open_loop(quiet: Browser, folder: Path, document: Document) -> None:
    open_page(quiet, folder, many(document, 1000), "print.html")
    opened(quiet)
    quiet.run("dispatchEvent(new Event('beforeprint'))")
    assert quiet.run(f"{ROWS}.length") == 300
    assert quiet.run("[...document.querySelectorAll('#loop details')].every(more => more.open)")
    quiet.run("dispatchEvent(new Event('afterprint'))")
    assert quiet.run(f"{ROWS}.length") < 100


def test_contrast(quiet: Browser, folder: Path, document: Document) -> None:
    """Text against its ground, light and dark: at least 4.5 to 1 (WCAG 2, AA)."""
    for dark in (False, True):
        quiet.dark(dark)
        open_page(quiet, folder, document, "four.html")
        names = ("ink", "soft", "link", "offload", "host-parallel", "depends", "host", "cannot-model")
        style = quiet.run(f"{json.dumps([*names, 'paper', 'ground'])}.map(name =>"
                          " getComputedStyle(document.documentElement).getPropertyValue('--' + name))")
        *texts, paper, ground = map(_luminance, style)
        for name, text in zip(names, texts, strict=True):
            for behind in (paper, ground):
                assert (max(text, behind) + 0.05) / (min(text, behind) + 0.05) >= 4.5, (name, dark)
    quiet.dark(False)


def _luminance(colour: str) -> float:
    digits = re.sub("[^0-9a-f]", "", colour)
    full = digits if len(digits) == 6 else "".join(2 * digit for digit in digits)
    parts = (int(full[i : i + 2], 16) / 255 for i in (0, 2, 4))
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


# --- the page's figures are the models'


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
