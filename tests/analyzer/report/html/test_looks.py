"""How the page looks: light and dark, narrow, on paper, for those who read by ear; and pictures of it for people."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from analyzer.report.document import Document

from .browser import Browser
from .material import analysed, many
from .opening import PICTURES, ROWS, keep, number_of, open_page, opened


@pytest.mark.parametrize("width", [360, 720, 1280])
def test_nothing_is_wider_than_the_window(quiet: Browser, folder: Path, width: int) -> None:
    document = analysed(folder / "wide", "--size", "n=3000000")
    quiet.size(width, 800)
    open_page(quiet, folder, document, "wide.html")
    assert quiet.run("document.querySelectorAll('.best tbody tr').length") > 0
    assert quiet.run("document.documentElement.scrollWidth") <= width
    opened(quiet, number_of(document, "product"))
    assert quiet.run("document.documentElement.scrollWidth") <= width


def test_print_shows_rows(quiet: Browser, folder: Path, document: Document) -> None:
    open_page(quiet, folder, many(document, 1000), "print.html")
    quiet.run("dispatchEvent(new Event('beforeprint'))")
    assert quiet.run(f"{ROWS}.length") == 300
    quiet.run("dispatchEvent(new Event('afterprint'))")
    assert quiet.run(f"{ROWS}.length") < 100


def test_the_summary_and_the_open_loop_are_printed_on_one_page(
    quiet: Browser, folder: Path, document: Document
) -> None:
    open_page(quiet, folder, document, "print.html")
    assert pages(quiet.pdf()) == 1
    for function in ("scale", "product", "carried"):
        opened(quiet, number_of(document, function))
        quiet.until(f"document.getElementById('loop-head').textContent.includes('{function}')")
        assert pages(quiet.pdf()) == 1, function
    opened(quiet, number_of(document, "product"))
    quiet.until("document.getElementById('loop-head').textContent.includes('product')")
    quiet.run("for (const more of document.querySelectorAll('#loop details')) more.open = true")
    assert pages(quiet.pdf()) > 1


def test_an_open_loop_is_printed_alone_with_the_numbers_of_its_lines(
    quiet: Browser, folder: Path, document: Document
) -> None:
    open_page(quiet, folder, document, "print.html")
    opened(quiet, number_of(document, "product"))
    quiet.ask("Emulation.setEmulatedMedia", media="print")
    seen = "[...document.querySelectorAll('{}')].filter(node => node.checkVisibility()).map(node => node.textContent)"
    assert quiet.run(seen.format("header, #summary, #table, footer")) == []
    numbers = [int(number) for number in quiet.run(seen.format("#loop .source th"))]
    assert numbers == list(range(numbers[0], numbers[-1] + 1))
    assert next(loop.line for loop in document.files[0].loops if loop.function == "product") in numbers
    quiet.ask("Emulation.setEmulatedMedia", media="")


def pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


SCRIPT = Path(__file__).with_name("contrast.js").read_text(encoding="utf-8")
EVERY_WORD_ON_EVERY_MARK = """document.querySelector('#loop .source tbody').append(
    ...['blocks', 'idiom', 'assumed'].map(mark => make('tr', {class: 'inside m-' + mark}, make('td', {},
        [...'ktcsmp'].map(kind => make('code', {}, make('span', {class: 't-' + kind}, mark, ' ', kind)))))))"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_contrast(quiet: Browser, folder: Path, document: Document, dark: bool) -> None:
    """All text against what is behind it: at least 4.5 to 1 (WCAG 2, AA)."""
    quiet.dark(dark)
    open_page(quiet, folder, document, "four.html")
    for function in ("product", "carried"):
        opened(quiet, number_of(document, function))
        quiet.until(f"document.getElementById('loop-head').textContent.includes('{function}')")
        quiet.run("for (const more of document.querySelectorAll('#loop details')) more.open = true")
        quiet.run(EVERY_WORD_ON_EVERY_MARK)
        found = quiet.run(SCRIPT)
        assert found["texts"] > 100
        assert found["low"] == [], function
        keep(quiet, f"loop-{function}-{'dark' if dark else 'light'}")
    quiet.dark(False)


def test_it_can_be_read_by_ear(quiet: Browser, folder: Path, document: Document) -> None:
    open_page(quiet, folder, document, "four.html")
    opened(quiet, number_of(document, "product"))
    quiet.run("document.querySelector('#loop button.perdome').click()")
    levels = quiet.run("[...document.querySelectorAll('h1, h2, h3, h4')].filter(h => h.getClientRects().length)"
                       ".map(h => Number(h.tagName[1]))")  # fmt: skip
    assert levels[0] == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
    unnamed = """[...document.querySelectorAll('input, select, button, canvas, [role=img], [role=region], [role=grid]')]
        .filter(node => !(node.labels?.length || node.getAttribute('aria-label') || node.textContent.trim()))
        .map(node => node.outerHTML.slice(0, 80))"""
    assert quiet.run(unnamed) == []
    assert quiet.run("[...document.querySelectorAll('table thead th')].filter(th => th.scope !== 'col').length") == 0
    assert quiet.run("[...document.querySelectorAll('tbody th')].filter(th => th.scope !== 'row').length") == 0
    ids = quiet.run("[...document.querySelectorAll('[id]')].map(node => node.id)")
    assert len(ids) == len(set(ids))
    assert quiet.run("[...document.querySelectorAll('[tabindex]')].filter(node => node.tabIndex > 0).length") == 0


@pytest.mark.parametrize("width", [390, 1280])
def test_what_scrolls_can_be_scrolled_by_key(quiet: Browser, folder: Path, document: Document, width: int) -> None:
    """Each area that scrolls takes the focus, as axe asks for, and its name is that of no other one."""
    quiet.size(width, 900)
    open_page(quiet, folder, many(document, 100), "hundred.html")
    opened(quiet)
    quiet.run("for (const more of document.querySelectorAll('#loop details')) more.open = true")
    scrolling = """[...document.querySelectorAll('*')].filter(node => node !== document.documentElement
        && (node.scrollHeight > node.clientHeight || node.scrollWidth > node.clientWidth)
        && /auto|scroll/.test(getComputedStyle(node).overflow))
        .map(node => [node.id || node.className, node.tabIndex])"""
    found = quiet.run(scrolling)
    assert "grid" in [name for name, _ in found]
    assert [name for name, index in found if index < 0] == []
    names = quiet.run("[...document.querySelectorAll('[role=region]')].map(node => node.getAttribute('aria-label'))")
    assert len(names) == len(set(names)) > 1
    assert quiet.run("[...document.querySelectorAll('th')].filter(th => !th.textContent.trim()).length") == 0


def test_nothing_moves_by_itself(quiet: Browser, folder: Path, document: Document) -> None:
    """So that nothing needs to be held back for those who prefer less motion."""
    open_page(quiet, folder, document, "four.html")
    opened(quiet)
    assert quiet.run("document.getAnimations().length") == 0
    moving = "getComputedStyle(node).transitionDuration !== '0s' || getComputedStyle(node).scrollBehavior !== 'auto'"
    assert quiet.run(f"[...document.querySelectorAll('*')].filter(node => {moving}).length") == 0


def test_pictures_for_people(quiet: Browser, folder: Path, document: Document) -> None:
    """Pictures of the page on a desk, on a telephone and on paper, which a CI can keep."""
    open_page(quiet, folder, document, "four.html")
    keep(quiet, "report-of-4")
    quiet.size(375, 800)
    opened(quiet, number_of(document, "product"))
    keep(quiet, "phone")
    (PICTURES / "paper.pdf").write_bytes(quiet.pdf())
