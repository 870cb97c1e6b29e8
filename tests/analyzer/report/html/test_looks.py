"""How the page looks: light and dark, narrow, on paper, for those who read by ear; and pictures of it for people."""

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


def test_print_shows_rows_and_the_open_loop(quiet: Browser, folder: Path, document: Document) -> None:
    open_page(quiet, folder, many(document, 1000), "print.html")
    opened(quiet)
    quiet.run("dispatchEvent(new Event('beforeprint'))")
    assert quiet.run(f"{ROWS}.length") == 300
    assert quiet.run("[...document.querySelectorAll('#loop details')].every(more => more.open)")
    quiet.run("dispatchEvent(new Event('afterprint'))")
    assert quiet.run(f"{ROWS}.length") < 100


SCRIPT = Path(__file__).with_name("contrast.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_contrast(quiet: Browser, folder: Path, document: Document, dark: bool) -> None:
    """All text against what is behind it: at least 4.5 to 1 (WCAG 2, AA)."""
    quiet.dark(dark)
    open_page(quiet, folder, document, "four.html")
    for function in ("product", "carried"):
        opened(quiet, number_of(document, function))
        quiet.until(f"document.getElementById('loop-head').textContent.includes('{function}')")
        quiet.run("for (const more of document.querySelectorAll('#loop details')) more.open = true")
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
    quiet.pdf(PICTURES / "paper.pdf")
    assert (PICTURES / "paper.pdf").read_bytes().startswith(b"%PDF")
