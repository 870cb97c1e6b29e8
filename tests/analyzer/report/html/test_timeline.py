"""The time line of a program: as long as its times, copies where they are made, enlarged where little is left."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from analyzer.report.document import Document
from analyzer.report.html.timeline import LENGTH, timeline
from analyzer.report.program_entries import PlacedEntry, ProgramEntry, TransferEntry

from .browser import Browser
from .opening import keep, open_page


def placed(loop: str, today: float, now: float, candidate: str = "target") -> PlacedEntry:
    return PlacedEntry(f"p.c:f:{loop}:1", "h200", candidate, 1, now, today, "h200", None, ("f",), ("a",))


def copied(seconds: float, before: str | None = None, after: str | None = None) -> TransferEntry:
    at = [None if line is None else f"p.c:f:{line}:1" for line in (after, before)]
    return TransferEntry("a", "host", "h200", 8, 1, at[0], at[1], "line 1", seconds)


def program(sequence: tuple[PlacedEntry, ...], transfers: tuple[TransferEntry, ...] = ()) -> ProgramEntry:
    before = sum(float(p.today_s or 0) for p in sequence)
    after = sum(float(p.time_s or 0) for p in sequence) + sum(float(t.time_s) for t in transfers)
    return ProgramEntry("f", sequence, transfers, before, after, before / after, 0, after, (), (), (), ())


def test_loops_in_order_and_in_proportion() -> None:
    before, after = timeline(program((placed("1", 3, 2), placed("2", 1, 1, "host"))))
    assert [(bar.start, bar.width) for bar in before.bars] == [(0, 750), (750, 250)]
    assert [(bar.kind, bar.start, bar.width) for bar in after.bars] == [("target", 0, 500), ("host", 500, 250)]


def test_copies_stand_where_they_are_made() -> None:
    moves = (placed("1", 4, 1), placed("2", 4, 1), placed("1", 4, 1))
    _, after = timeline(program(moves, (copied(0.5, before="2"), copied(0.25, after="1"), copied(0.125))))
    assert [bar.kind for bar in after.bars] == ["target", "copy", "target", "target", "copy", "copy"]


def test_what_is_left_is_enlarged() -> None:
    *_, after, enlarged = timeline(program((placed("1", 90, 0.5), placed("2", 10, 0.5, "host-threads"))))
    assert enlarged.label == "100x"
    assert sum(bar.width for bar in after.bars) == LENGTH / 100
    assert [(bar.kind, bar.width) for bar in enlarged.bars] == [("target", 500), ("threads", 500)]


def test_loops_without_a_time_are_left_out() -> None:
    unknown = PlacedEntry("p.c:f:1:1", "host", "host", 1, None, None, "host", None, ("f",), ())
    before, after = timeline(program((unknown, placed("2", 1, 1))))
    assert [len(line.bars) for line in (before, after)] == [1, 1]


# --- on the page


def page(browser: Browser, folder: Path, document: Document) -> None:
    """The page of a program of four loops: the first takes 80 of 100 ms, and 1 of 2 ms with its copy later."""
    ids = [loop.id for file in document.files for loop in file.loops][:3]
    times = ((0.08, 0.0007), (0.019, 0.001), (0.001, 0.00001))
    placed = tuple(
        PlacedEntry(key, "h200", "target", 1, now, today, "h200", None, ("main",), ("a",))
        for key, (today, now) in zip(ids, times, strict=True)
    )
    copies = (TransferEntry("x", "host", "h200", 8, 1, None, ids[0], "line 1", 0.0003),)
    open_page(browser, folder, replace(document, program=program(placed, copies)), "program.html")


LINES = "document.querySelector('figure.timeline svg.lines')"
BARS = f"[...{LINES}.querySelectorAll('rect')]"
TOLD = "document.querySelector('figure.timeline [role=status]').textContent"


def press(browser: Browser, *keys: str) -> None:
    for key in keys:
        browser.run(f"{LINES}.dispatchEvent(new KeyboardEvent('keydown', {{key: '{key}', bubbles: true}}))")


def click(browser: Browser, button: str) -> None:
    buttons = "[...document.querySelectorAll('figure.timeline button')]"
    browser.run(f"{buttons}.find(b => b.textContent === '{button}').click()")


def widths(browser: Browser, kind: str) -> list[float]:
    found: list[float] = browser.run(
        f"{BARS}.filter(b => b.classList.contains('bar-{kind}')).map(b => Number(b.getAttribute('width')))"
    )
    return found


def test_both_lines_are_drawn_over_one_axis_with_labels(quiet: Browser, folder: Path, document: Document) -> None:
    page(quiet, folder, document)
    first, second, third = widths(quiet, "host")
    assert first / second == pytest.approx(80 / 19, rel=0.01)
    assert first / third == pytest.approx(80, rel=0.01)
    labels = quiet.run(f"[...{LINES}.querySelectorAll('text.on')].map(t => t.textContent)")
    assert labels == ["scale()", "sum()"]
    ticks = quiet.run(f"[...{LINES}.querySelectorAll('text:not(.on)')].map(t => t.textContent)")
    assert ticks[0] == "0 ms"
    assert "100 ms" in ticks
    assert quiet.run("document.querySelectorAll('figure.timeline > div > svg').length") == 0  # that without a script


def test_what_is_short_is_enlarged_until_it_has_its_label(quiet: Browser, folder: Path, document: Document) -> None:
    page(quiet, folder, document)
    before = sum(widths(quiet, "target"))
    click(quiet, "As long as after")
    assert sum(widths(quiet, "target")) > 20 * before
    (copy,) = widths(quiet, "copy")
    assert copy / widths(quiet, "target")[0] == pytest.approx(3 / 7, rel=0.01)
    assert "copy of x" in quiet.run(f"[...{LINES}.querySelectorAll('text.on')].map(t => t.textContent)")
    click(quiet, "Whole")
    assert sum(widths(quiet, "target")) == pytest.approx(before)


def test_a_part_is_chosen_by_dragging(quiet: Browser, folder: Path, document: Document) -> None:
    page(quiet, folder, document)
    quiet.run(f"{LINES}.scrollIntoView()")
    drag = """(type, part) => {
        const box = LINES.getBoundingClientRect();
        const event = new PointerEvent(type, {clientX: box.left + 62 + part * (box.width - 62), clientY: box.top + 10,
            bubbles: true, button: 0, pointerType: 'mouse'});
        LINES.dispatchEvent(event);
    }""".replace("LINES", LINES)
    for kind, part in (("pointerdown", 0.85), ("pointermove", 0.9), ("pointermove", 0.95), ("pointerup", 0.95)):
        quiet.run(f"({drag})('{kind}', {part})")
    ticks = quiet.run(f"[...{LINES}.querySelectorAll('text:not(.on)')].map(t => t.textContent)")
    assert "90 ms" in ticks
    assert "80 ms" not in ticks
    assert "100 ms" not in ticks
    assert quiet.run(f"{LINES}.querySelector('.range')") is None


def test_stretches_are_read_with_keys_and_lead_to_their_loops(quiet: Browser, folder: Path, document: Document) -> None:
    page(quiet, folder, document)
    press(quiet, "ArrowRight")
    assert "scale(): 80 ms" in quiet.run(TOLD)
    press(quiet, "ArrowDown")
    assert "copy of x from host to h200" in quiet.run(TOLD)
    press(quiet, "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight")
    assert "product() on h200: 10 us" in quiet.run(TOLD)
    press(quiet, *"++++++")  # where the chosen one is
    assert "product" in quiet.run(f"[...{LINES}.querySelectorAll('text.on')].map(t => t.textContent)")
    press(quiet, "Enter")
    quiet.until("!document.getElementById('loop').hidden && document.querySelector('#loop h2') !== null")
    assert "product" in quiet.run("document.getElementById('loop').textContent")
    keep(quiet, "timeline")


def test_the_lines_are_as_wide_as_the_page(quiet: Browser, folder: Path, document: Document) -> None:
    page(quiet, folder, document)
    for width in (390, 1280):
        quiet.size(width, 900)
        quiet.until(f"Math.abs({LINES}.getBoundingClientRect().width - Number({LINES}.getAttribute('width'))) < 1")
        assert quiet.run("document.documentElement.scrollWidth") <= width
