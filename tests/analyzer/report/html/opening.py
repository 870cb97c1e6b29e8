"""What the tests of the page do with it: open it, open a loop, set a size, keep a picture."""

import os
from pathlib import Path

from analyzer.report.document import Document
from analyzer.report.html import render

from .browser import Browser

ROWS = "[...document.querySelectorAll('#grid .body .row')]"
OPEN = "!document.getElementById('loop').hidden && document.querySelector('#loop .live') !== null"
PICTURES = Path(os.environ.get("BOATHULL_SCREENSHOTS", Path(__file__).parents[4] / "build" / "screenshots"))


def open_page(browser: Browser, folder: Path, document: Document | str, name: str, fragment: str = "") -> None:
    path = folder / name
    path.write_text(document if isinstance(document, str) else render(document), encoding="utf-8")
    browser.open(path, fragment)


def opened(browser: Browser, place: int = 0) -> None:
    browser.run(f"{ROWS}[{place}].click()")
    browser.until(OPEN)


def number_of(document: Document, function: str) -> int:
    loops = [loop for file in document.files for loop in file.loops]
    return next(i for i, loop in enumerate(loops) if loop.function == function)


def at_size(browser: Browser, name: str, size: int) -> str:
    """Moves the control of a size; the verdict that the page then shows."""
    control = f"document.querySelector('#loop input[aria-label=\"value of {name}\"]')"
    browser.run(f"{control}.value = {size}; {control}.dispatchEvent(new Event('input'))")
    browser.until(f"document.getElementById('live-verdict').textContent.includes('{name} = {size}:')")
    found: str = browser.run("document.getElementById('live-verdict').dataset.verdict")
    return found


def keep(browser: Browser, name: str) -> None:
    """Keeps a picture of the page for people, or for a CI to hold on to; no test reads it."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    browser.screenshot(PICTURES / f"{name}.png")
