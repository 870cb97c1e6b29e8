"""The table of the page: all loops, sorted and filtered, by mouse and keys, with 10 000 of them."""

from pathlib import Path

from msgspec.structs import replace

from analyzer.report.document import Document

from .browser import Browser
from .material import many
from .opening import OPEN, ROWS, keep, open_page


def test_all_loops_are_in_the_table(quiet: Browser, folder: Path, document: Document) -> None:
    open_page(quiet, folder, document, "four.html")
    loops = [loop for file in document.files for loop in file.loops]
    assert quiet.run(f"{ROWS}.length") == len(loops)
    assert quiet.run("document.getElementById('shown').textContent") == f"{len(loops)} of {len(loops)}"


def test_ten_thousand_loops_stay_fluid(quiet: Browser, folder: Path, huge: str) -> None:
    assert len(huge) <= 30e6
    open_page(quiet, folder, huge, "many.html")
    assert quiet.run("index.rows.length") == 10_000
    assert quiet.run(f"{ROWS}.length") < 100
    quiet.run("document.getElementById('grid').scrollTop = 150000")
    quiet.until(f"{ROWS}.some(row => Number(row.getAttribute('aria-rowindex')) === 5002)")
    assert quiet.run(f"{ROWS}.length") < 100
    quiet.run("document.querySelector('#grid .head .c-function button').click()")
    names = quiet.run(f"{ROWS}.map(row => row.querySelector('.c-function').textContent)")
    assert names == sorted(names)
    quiet.run("document.getElementById('search').value = 'carried9995'")
    quiet.run("document.getElementById('search').dispatchEvent(new Event('input'))")
    assert quiet.run("document.getElementById('shown').textContent") == "1 of 10000"
    keep(quiet, "table-of-10000")
    quiet.run(f"{ROWS}[0].click()")
    quiet.until(OPEN)
    assert "carried9995()" in quiet.run("document.getElementById('loop-head').textContent")


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
    keep(quiet, "table-of-100")


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


def test_unlisted_loops_are_hidden_until_asked_for(quiet: Browser, folder: Path, document: Document) -> None:
    file = document.files[0]
    loops = (replace(file.loops[0], unlisted="baseline"), *file.loops[1:])
    open_page(quiet, folder, replace(document, files=(replace(file, loops=loops),)), "unlisted.html")
    assert quiet.run(f"{ROWS}.length") == len(loops) - 1
    quiet.run("document.getElementById('unlisted').click()")
    assert quiet.run(f"{ROWS}.length") == len(loops)
    assert quiet.run(f"{ROWS}.filter(row => row.classList.contains('unlisted')).length") == 1


def test_the_line_of_a_loop_is_seen_however_long_its_path(quiet: Browser, folder: Path, document: Document) -> None:
    file = replace(document.files[0], path="folder/" * 20 + "four.c")
    open_page(quiet, folder, replace(document, files=(file,), sources=None), "deep.html")
    ends = quiet.run("""[...document.querySelectorAll('#grid .body .c-place')].map(cell => {
        const text = cell.querySelector('bdi').getBoundingClientRect(), room = cell.getBoundingClientRect();
        return [text.left < room.left, text.right <= room.right];
    })""")
    assert ends == [[True, True]] * len(file.loops)
