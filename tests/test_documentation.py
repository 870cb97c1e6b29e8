"""The documentation as a whole: no link leads nowhere, the index has every page, figures are those of their sources."""

import html
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
AROUND = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("validation/*.md"))]
PAGES = [*AROUND, *sorted(DOCS.rglob("*.md"))]
LINK = re.compile(r"(?:\]\(|<img src=\")([^)\"\s]+)[)\"]")
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    """The names that headings have on a page."""
    headings = re.findall(r"^#+ (.*)$", FENCED.sub("", text(page)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_no_link_leads_nowhere(page: Path) -> None:
    for target in LINK.findall(FENCED.sub("", text(page))):
        if target.startswith(("http://", "https://")):
            continue
        name, _, anchor = target.partition("#")
        found = (page.parent / name).resolve() if name else page
        assert found.exists(), target
        assert not anchor or anchor in anchors(found), target


def test_the_index_has_every_page() -> None:
    linked = set(LINK.findall(text(DOCS / "README.md")))
    assert {page.name for page in DOCS.glob("*.md")} - {"README.md"} <= linked


def test_the_figures_of_accuracy_are_those_of_their_sources() -> None:
    page = text(DOCS / "accuracy.md")
    truth, corpora = (text(ROOT / "validation" / name) for name in ("truth.md", "corpora.md"))
    for figure in ("8418", "7445", "6544", "3 943 581", "307 088", "97.6 %"):
        assert figure in page
        assert figure in truth
    for name, loops, useful in re.findall(r"^\| (\w+).*? \| (\d+) \| ([\d.]+) % \|", page, re.MULTILINE):
        section = corpora.partition(f"### {name}")[2].partition("###")[0]
        assert f"`for`: {loops}" in section, name
        assert f"useful answer: {useful} %" in section, name


def test_the_published_figures_are_counted_as_they_are_recomputed() -> None:
    found = re.search(r"(\d+) of them are published, (\d+) of these are met within 1 %", text(DOCS / "reproduced.md"))
    assert found is not None
    assert f"Of {found[1]} figures" in text(DOCS / "accuracy.md")
    assert f"{found[2]} are met within 1 %" in text(DOCS / "accuracy.md")


def test_the_case_study_is_as_the_page_of_the_model_has_it() -> None:
    row = re.search(r"^\| total \| (.*) \|$", text(DOCS / "extended-model.md"), re.MULTILINE)
    assert row is not None
    ranges = [cell.replace("*", "").split(", ") for cell in row[1].split(" | ")[::2]]
    for low, likely, high in ranges:
        assert f"{low} to {high} ms | {likely} ms" in text(DOCS / "accuracy.md")


def test_the_picture_of_a_terminal_shows_what_is_printed() -> None:
    drawing = runpy.run_path(str(DOCS / "pictures" / "terminal.py"))
    plain = re.sub(r"\x1b\[[\d;]*m", "", drawing["printed"]())
    shown: dict[str, str] = {}
    for line, words in re.findall(
        r'<text [^>]*clip-path="url\(#(.*?)\)">(.*?)</text>', text(DOCS / "pictures" / "terminal.svg")
    ):
        shown[line] = shown.get(line, "") + html.unescape(words)
    lines = [line.replace("\u00a0", "").replace(" ", "") for line in shown.values()]
    assert lines[1:] == [line.replace(" ", "") for line in plain.splitlines() if line], "make docs"
