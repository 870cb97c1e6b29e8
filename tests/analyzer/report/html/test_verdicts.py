"""Verdicts of the page at any size: they change at the break-even, and are those of an analysis with that size."""

from pathlib import Path

import pytest

from analyzer.base.amounts import threshold
from analyzer.report.document import Document, LoopEntry

from .browser import Browser
from .material import analysed
from .opening import at_size, keep, number_of, open_page, opened


@pytest.mark.parametrize("function", ["scale"])
def test_verdict_changes_at_the_break_even(quiet: Browser, folder: Path, document: Document, function: str) -> None:
    """At the size from which a place surely wins, as it is printed, and not one below: moved by the control."""
    loop = document.files[0].loops[number_of(document, function)]
    even = loop.recommendation.break_even[-1]
    surely = int(even.value_safe or 0)
    assert f"surely from {threshold(surely)}" in loop.recommendation.reason.message
    open_page(quiet, folder, document, "four.html")
    opened(quiet, number_of(document, function))
    before = at_size(quiet, even.symbol, surely - 1), _told(quiet)
    keep(quiet, f"break-even-{function}-below")
    after = at_size(quiet, even.symbol, surely), _told(quiet)
    keep(quiet, f"break-even-{function}-at")
    assert before != after
    assert at_size(quiet, even.symbol, 1) == "host"
    assert at_size(quiet, even.symbol, 100 * surely) in ("host-parallel", "offload")


def _told(browser: Browser) -> str:
    found: str = browser.run("document.getElementById('live-verdict').dataset.code")
    return found


@pytest.mark.parametrize(
    "options", [("-t", "gtx470"), ("--model", "boat-hull"), ("--model", "perdome")], ids=lambda o: o[1]
)
def test_verdicts_are_those_of_an_analysis_with_these_sizes(
    quiet: Browser, folder: Path, options: tuple[str, str]
) -> None:
    home = folder / f"verdicts-{options[1]}"
    unknown = analysed(home, *options, "--mapping", "naive")
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
        known = analysed(home, *options, "--mapping", "naive", "--size", f"n={size}")
        script = f"""(async () => Promise.all(index.rows.map(async (row, i) => {{
            const v = verdictsOf(await nestOf(i), {{n: {size}, i: {size}, j: {size}}}).get(row[column.id]);
            return [v.verdict, v.code, v.device ?? null, v.candidate ?? null, v.speedup?.likely ?? null];
        }})))()"""
        for loop, found in zip(known.files[0].loops, quiet.run(script), strict=True):
            assert found[:2] == [loop.recommendation.verdict, loop.recommendation.reason.code], (size, loop.id)
            _same_move(loop, found)


def test_the_chart_marks_the_sizes_that_the_sentence_names(quiet: Browser, folder: Path) -> None:
    """Of each place, the threads and vectors of the host included, which get slower and faster with the host itself."""
    document = analysed(folder / "marks", "-t", "h200,gtx470")
    open_page(quiet, folder, document, "marks.html")
    marked = """loopEntry(%d).then(entry => Object.entries(
        Object.groupBy(crossings(entry, 'n', {n: 70}, [entry]), placeName))
        .map(([place, found]) => [place, found.map(one => one.label)]))"""
    places = set()
    for function in ("scale", "sum", "product"):
        number = number_of(document, function)
        sentence = document.files[0].loops[number].recommendation.reason.message
        for place, labels in quiet.run(marked % number):
            likely, *sure = (label.split(" from ") for label in labels)
            wins = "win" if place.startswith("all") else "wins"
            range_ = f"surely from {sure[0][1]}" if sure else likely[0]
            said = f"{place} {wins} from n = {likely[1]} ({range_}"
            assert said in sentence
            places.add(place)
    assert {"h200", "gtx470", "all threads of xeon6248", "one thread of xeon6248 with vectors"} <= places


CACHED = """void f(int n, double *restrict b, const double *restrict x, double *restrict a) {
    for (int i = 0; i < 3000; i++)
        for (int j = 1; j < 500; j++) {
            a[j] = a[j - 1] * 0.5 + x[j];
            for (int k = 0; k < n; k++)
                b[k] = b[k] * a[j] + x[k];
        }
}
"""
"""The innermost loop finds its data in the caches, as long as it is not too much."""


def test_verdicts_inside_a_nest_count_what_the_caches_keep(quiet: Browser, folder: Path) -> None:
    home, name = folder / "cached", "cached.c"
    open_page(quiet, folder, analysed(home, source=CACHED, name=name), "cached.html")
    codes = set()
    for size in (0, 1, 1000, 20_000, 10**6, 10**8):
        known = analysed(home, "--size", f"n={size}", source=CACHED, name=name)
        script = f"""(async () => Promise.all(index.rows.map(async (row, i) => {{
            const v = verdictsOf(await nestOf(i), {{n: {size}}}).get(row[column.id]);
            return [v.verdict, v.code, v.device ?? null, v.candidate ?? null, v.speedup?.likely ?? null];
        }})))()"""
        for loop, found in zip(known.files[0].loops, quiet.run(script), strict=True):
            assert found[:2] == [loop.recommendation.verdict, loop.recommendation.reason.code], (size, loop.id)
            _same_move(loop, found)
        codes.add(known.files[0].loops[-1].recommendation.reason.code)
    assert {"too-small", "transfer-bound", "faster-on-host-threads"} <= codes


def _same_move(loop: LoopEntry, found: list[object]) -> None:
    r = loop.recommendation
    if r.verdict in ("offload", "host-parallel"):
        assert r.speedup is not None
        assert found[2:] == [r.device, r.candidate, pytest.approx(r.speedup.likely, rel=1e-9)]
