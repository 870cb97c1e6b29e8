"""One browser for all tests of the page, and the documents they look at."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from analyzer.report.document import Document
from analyzer.report.html import render

from .browser import CHROMIUM, Browser
from .material import analysed, many


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: the page is not opened (Debian: apt install chromium)")
    with Browser() as found:
        yield found


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("html")


@pytest.fixture(scope="session")
def document(folder: Path) -> Document:
    return analysed(folder)


@pytest.fixture(scope="session")
def huge(document: Document) -> str:
    """The page of 10 000 loops."""
    return render(many(document, 10_000))


@pytest.fixture
def quiet(browser: Browser) -> Iterator[Browser]:
    """The browser, which must have said nothing and asked for nothing but the page when the test is over."""
    browser.size(1280, 900)
    yield browser
    assert browser.problems == []
    assert [url for url in browser.requests if not url.startswith("file:")] == []
    assert len(browser.requests) == 1
