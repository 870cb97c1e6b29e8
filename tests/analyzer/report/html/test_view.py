"""The view of one loop: where it is found, what it shows, what follows the sizes."""

from pathlib import Path
from urllib.parse import unquote

import pytest
from msgspec.structs import replace

from analyzer.report.document import Document

from ..covering import tried
from ..documents import analysed as of_fixture
from .browser import Browser
from .material import analysed
from .opening import OPEN, ROWS, at_size, keep, number_of, open_page, opened

EVERY_VIEW = """(async () => {
    const section = document.getElementById('loop'), failed = [];
    section.hidden = false;
    for (const [i, row] of index.rows.entries())
        try {
            (await loopView(i, section, () => {})).leave();
            for (const more of section.querySelectorAll('details')) more.open = true;
        } catch (error) { failed.push(`${row[column.id]}: ${error.message}`); }
    return failed;
})()"""


@pytest.mark.parametrize("path", tried(), ids=lambda p: p.stem)
def test_every_loop_of_the_fixtures_can_be_shown(quiet: Browser, folder: Path, path: Path) -> None:
    """Whichever members its entry lacks."""
    open_page(quiet, folder, of_fixture(path), "fixture.html")
    assert quiet.run(EVERY_VIEW) == []


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


def test_sizes_that_were_given_can_be_moved(quiet: Browser, folder: Path) -> None:
    known = analysed(folder / "given", "--size", "n=4096")
    open_page(quiet, folder, known, "given.html")
    opened(quiet, number_of(known, "scale"))
    assert quiet.run("document.querySelector('#loop input[type=number]').value") == "4096"
    report = known.files[0].loops[number_of(known, "scale")].recommendation
    assert quiet.run("document.getElementById('live-verdict').dataset.verdict") == report.verdict


@pytest.mark.parametrize("size", [4096, 4000000])
def test_a_change_says_where_it_is_for_other_sizes(size: int, quiet: Browser, folder: Path) -> None:
    """A loop that is best divided, of which the directive writes one part, among them."""
    known = analysed(folder / f"given-{size}", "--size", f"n={size}")
    open_page(quiet, folder, known, f"given-{size}.html")
    told = "document.getElementById('live-verdict').textContent.includes('is for other sizes')"
    for function in ("scale", "sum", "product"):
        opened(quiet, number_of(known, function))
        quiet.until(f"document.getElementById('loop-head').textContent.includes('{function}')")
        assert not quiet.run(told), function
        change = known.files[0].loops[number_of(known, function)].change
        if change is not None:
            at_size(quiet, "n", size + 1)
            assert quiet.run(told), function


MANY_SIZES = """void f(int n, int a, int b, int c, double (*restrict x)[100], double *restrict y) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < a; j++) y[i] += x[i][j];
        for (int j = 0; j < b; j++) y[i] -= x[i][j];
        for (int j = 0; j < c; j++) y[i] *= x[i][j];
    }
}
"""


@pytest.mark.parametrize("is_parallel", [True, False])
def test_sizes_that_decide_nothing_by_themselves_are_folded(
    is_parallel: bool, quiet: Browser, folder: Path
) -> None:
    """A loop that has to stay does so at all sizes. One with little to do moves as soon as one of them is large."""
    source = MANY_SIZES if is_parallel else MANY_SIZES.replace("y[i] +=", "y[i + 1] += y[i] +")
    small = [option for name in ("n", "a", "b", "c") for option in ("--size", f"{name}=10")]
    known = analysed(folder / "many-sizes", *small, source=source)
    open_page(quiet, folder, known, "many-sizes.html")
    opened(quiet)
    group = "[...document.querySelectorAll('#loop {} .size code')].map(name => name.textContent)"
    every, folded = (quiet.run(group.format(where)) for where in ("", ".other-sizes"))
    assert sorted(every) == ["a", "b", "c", "n"]
    assert folded == ([] if is_parallel else every)
    if not is_parallel:
        told = quiet.run("document.querySelector('.other-sizes summary').textContent")
        assert told == "4 sizes of which none changes the verdict by itself: a, b, c, n"


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


def test_without_source(quiet: Browser, folder: Path) -> None:
    open_page(quiet, folder, analysed(folder / "shut", "--no-source"), "shut.html")
    opened(quiet)
    assert "left out of this report" in quiet.run("document.getElementById('loop').textContent")


# --- what follows the sizes


def test_the_arithmetic_is_that_of_an_analysis_with_these_sizes(quiet: Browser, folder: Path) -> None:
    home = folder / "terms"
    options = ("--detail", "full", "--mapping", "naive")  # a report keeps the mapping that it was made with
    open_page(quiet, folder, analysed(home, *options, "--size", "n=512"), "terms.html")
    compared = 0
    for size in (3, 512, 4096, 2_000_000):
        known = analysed(home, *options, "--size", f"n={size}")
        script = f"""(async () => Promise.all(index.rows.map(async (row, i) => {{
            const entry = await loopEntry(i), sizes = {{n: {size}, i: 512, j: 512}};
            return (entry.predictions ?? []).map(p => [p.device, p.candidate, termValues(entry, p, sizes)]); }})))()"""
        for loop, found in zip(known.files[0].loops, quiet.run(script), strict=True):
            if loop.parent is not None:
                continue  # its sizes are those of the loops around it, too
            for device, candidate, values in found:
                own = [p for p in loop.predictions if (p.device, p.candidate) == (device, candidate)]
                if own and candidate != "split" and len(own[0].terms) == len(values):
                    assert values == pytest.approx([term.value for term in own[0].terms], rel=1e-9), (loop.id, size)
                    compared += len(values)
    assert compared > 300


def test_an_open_table_of_terms_follows_the_control(quiet: Browser, folder: Path, document: Document) -> None:
    open_page(quiet, folder, document, "four.html")
    opened(quiet, number_of(document, "scale"))
    terms = "document.querySelectorAll('table.of-terms')[0]"
    quiet.run(f"{terms}.closest('details').open = true")
    loads = f"[...{terms}.querySelectorAll('tr')].find(row => row.textContent.startsWith('i_0'))?.textContent"
    at_size(quiet, "n", 1000)
    assert "1000" in quiet.until(loads)
    at_size(quiet, "n", 5000)
    assert "5000" in quiet.run(loads)
    keep(quiet, "arithmetic")


def test_what_would_change_the_verdict_does(quiet: Browser, folder: Path) -> None:
    """Sizes at which the page finds another verdict, asked of the analysis: there, and one before."""
    document = analysed(folder / "open", "--mapping", "naive")
    number, now = number_of(document, "product"), 68
    open_page(quiet, folder, document, "four.html")
    found = quiet.run(f"(async () => flipsOf(await loopEntry({number}), await nestOf({number}), {{n: {now}}}))()")
    assert {flip["what"].split(" ")[0] for flip in found} >= {"size", "transfer", "launch"}
    sizes = [(int(flip["then"]), flip["verdict"]) for flip in found if flip["what"] == "size n"]
    assert sizes
    old = _verdict(folder, number, now)
    for size, verdict in sizes:
        assert _verdict(folder, number, size) == verdict
        assert _verdict(folder, number, size - 1 if size > now else size + 1).split(" (")[0] == old.split(" (")[0]
    opened(quiet, number)
    at_size(quiet, "n", now)
    quiet.run("document.getElementById('flips').open = true")
    assert quiet.until("document.querySelectorAll('#flips tbody tr').length") == len(found)
    keep(quiet, "sensitivity")


def _verdict(folder: Path, number: int, size: int) -> str:
    r = analysed(folder / "flips", "--mapping", "naive", "--size", f"n={size}").files[0].loops[number].recommendation
    return f"{r.verdict}{f' to {r.device}' if r.verdict == 'offload' else ''} ({r.reason.code})"


def test_a_range_of_sizes_is_a_table(quiet: Browser, folder: Path) -> None:
    known = analysed(folder / "sweep", "--size", "n=1e3..1e7")
    number = number_of(known, "product")
    sweep = known.files[0].loops[number].sweep
    assert sweep is not None
    open_page(quiet, folder, known, "sweep.html")
    opened(quiet, number)
    rows = quiet.run("[...document.querySelectorAll('table.of-sweep tbody tr')].map(row => row.textContent)")
    assert len(rows) == len(sweep.values)
    assert "does not fit" in rows[-1]
    assert "h200" in rows[0]
    assert "h200" not in rows[-1]
    keep(quiet, "sweep")


# --- what is not known


def test_no_time_is_shown_of_work_that_cannot_be_seen(quiet: Browser, folder: Path) -> None:
    source = "void step(double *);\nvoid f(double *x) { for (int t = 0; t < 100; t++) step(x); }\n"
    known = analysed(folder / "hidden", source=source)
    open_page(quiet, folder, known, "hidden.html")
    assert quiet.run(f"{ROWS}[0].querySelector('.c-today').textContent") == ""
    opened(quiet)
    assert "cannot be seen" in quiet.run("document.querySelector('#loop .live').textContent")
    assert quiet.run("document.querySelectorAll('#loop .of-times').length") == 0


@pytest.mark.parametrize("model", ["boat-hull", "roofline", "pmac", "perdome"])
def test_every_loop_opens_with_every_model(quiet: Browser, folder: Path, model: str) -> None:
    known = analysed(folder / "models", "--model", model, "--size", "n=4096")
    open_page(quiet, folder, known, f"{model}.html")
    for place, loop in enumerate(known.files[0].loops):
        opened(quiet, place)
        quiet.until(f"document.getElementById('loop-head').textContent.includes(':{loop.line} ')")
        shown = quiet.run("document.querySelectorAll('#loop table.of-times tbody tr').length")
        assert shown >= sum(p.time_s is not None and p.candidate != "split" for p in loop.predictions)


COPIED = "navigator.clipboard.writeText = text => { globalThis.copied = text; return Promise.resolve(); }"


def test_what_goes_above_a_best_move_is_copied_in_the_summary(quiet: Browser, folder: Path) -> None:
    document = analysed(folder / "copied", "--size", "n=3000000")
    open_page(quiet, folder, document, "copied.html")
    rows = "[...document.querySelectorAll('.best tbody tr')].filter(row => row.querySelector('code'))"
    assert quiet.run(f"{rows}.length") > 0
    quiet.run(f"{COPIED}; {rows}[0].querySelector('button').click()")
    changes = {one.id: one.change for file in document.files for one in file.loops if one.change is not None}
    loop = unquote(quiet.run(f"{rows}[0].querySelector('a').hash").removeprefix("#loop="))
    assert quiet.run("copied") == changes[loop].edits[0].text.removesuffix("\n")
    assert quiet.run(f"{rows}[0].querySelector('code').textContent") == changes[loop].directive
    assert "copied" in quiet.until(f"{rows}[0].querySelector('[role=status]').textContent")
    labels = quiet.run(f"{rows}.map(row => row.querySelector('button').getAttribute('aria-label'))")
    assert len(set(labels)) == len(labels)
    assert all(label.startswith("Copy what goes above ") for label in labels)
    keep(quiet, "copy-light")
    quiet.size(390, 900)
    quiet.dark(True)
    assert quiet.run("document.documentElement.scrollWidth") <= 390
    keep(quiet, "copy-phone-dark")
    quiet.dark(False)
