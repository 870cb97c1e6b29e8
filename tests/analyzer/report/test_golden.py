"""What each text format looks like, kept as files in golden/: fixed widths, no dates, nothing of a machine.

golden/golden.json is a saved analysis of golden/golden.c; the other files are made from it, so that a change of a model
changes none of them. (JSON Lines, which repeat all of it, are among the samples in reports/.) After a change that is
meant, one command makes all of them anew, and git shows the difference:

    pytest tests/analyzer/report/test_golden.py --update-golden
"""

import json
import re
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from analyzer.report.ascii import to_encoding
from analyzer.report.cleaning import cleaned
from analyzer.report.codec import from_json, to_json
from analyzer.report.concise import render as concise
from analyzer.report.document import Document
from analyzer.report.formats import render
from analyzer.report.text import Style
from analyzer.report.text import render as text
from analyzer.report.why import render as why

from .documents import ROOT, sarif_run

HOW_TO = "after a change that is meant: pytest tests/analyzer/report/test_golden.py --update-golden"
FOLDER = Path(__file__).resolve().parent / "golden"
OPTIONS = ("-t", "gtx470,h200", "--size", "sum:n=1000000", "--no-source")


def _top(document: Document) -> str:
    return text(replace(document, options=replace(document.options, top=3)))


def _ascii(document: Document) -> str:
    return to_encoding(text(document), "ascii")


def _results(document: Document) -> str:
    """Without the rules, whose pages are in docs/rules/."""
    return json.dumps(sarif_run(render(document, "sarif"))["results"], indent=1, ensure_ascii=False) + "\n"


MADE: dict[str, Callable[[Document], str]] = {
    "80.txt": text,
    "60.txt": partial(text, style=Style(width=60)),
    "100.txt": partial(text, style=Style(width=100)),
    "color.txt": partial(text, style=Style(color=True)),
    "ascii.txt": _ascii,
    "top.txt": _top,
    "why.txt": partial(why, wanted="golden.c:17"),
    "concise.txt": partial(render, name="concise"),
    "concise.color.txt": partial(concise, style=Style(color=True)),
    "md": partial(render, name="markdown"),
    "csv": partial(render, name="csv"),
    "github.txt": partial(render, name="github"),
    "gitlab.json": partial(render, name="gitlab"),
    "results.sarif.json": _results,
}
WIDTHS = {"60.txt": 60, "80.txt": 80, "ascii.txt": 80, "top.txt": 80, "100.txt": 100}


@pytest.fixture
def document() -> Document:
    return cleaned(from_json((FOLDER / "golden.json").read_text(encoding="utf-8"), "golden.json"))


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))


def test_the_saved_analysis_is_one_that_is_written_today(update: bool, analyze: Any, tmp_path: Path) -> None:
    """First in this file: an update begins here."""
    if update:
        shutil.copy(FOLDER / "golden.c", tmp_path)
        assert analyze("golden.c", *OPTIONS, "-f", f"json={FOLDER / 'golden.json'}").code == 0
    saved = (FOLDER / "golden.json").read_text(encoding="utf-8")
    assert to_json(from_json(saved, "golden.json")) == saved, HOW_TO


@pytest.mark.parametrize("name", MADE)
def test_the_report_is_as_it_was(name: str, document: Document, update: bool) -> None:
    path, made = FOLDER / f"golden.{name}", MADE[name](document)
    if update:
        path.write_bytes(made.encode())
    assert path.is_file(), HOW_TO
    assert made == path.read_bytes().decode(), HOW_TO
    if name in WIDTHS:  # but a command is never broken
        lines = [line for line in made.splitlines() if not re.match(r"  \d+:\d+ +(for|loop)|Next  ", line)]
        assert max(map(len, lines)) <= WIDTHS[name]
    assert made.isascii() or name != "ascii.txt"


def test_the_golden_analysis_says_every_kind_of_thing(document: Document) -> None:
    loops = document.files[0].loops
    assert {loop.recommendation.verdict for loop in loops} == set(document.summary.verdicts)
    assert len(document.summary.verdicts) == 5
    assert document.files[0].ignored
    assert {d.rule for d in document.files[0].diagnostics} >= {"SRC001", "SRC003", "SRC011"}


HELD = sorted([*FOLDER.iterdir(), *(p for p in (ROOT / "reports").iterdir() if p.suffix != ".html")])
OF_A_MACHINE = re.compile(
    r"(?<![\w.])/(home|root|tmp|usr|opt|work|Users|var|private)/"  # absolute paths
    r"|\b[A-Z]:\\"
    r"|\b(19|20)\d\d-[01]\d-[0-3]\d\b|\b[0-2]\d:[0-5]\d:[0-5]\d\b"  # dates, times of day
    r"|loops in \d+\.\d+ s"  # how long it took
)


@pytest.mark.parametrize("path", HELD, ids=lambda p: p.name)
def test_nothing_of_a_machine_is_in_a_report_that_is_kept(path: Path) -> None:
    assert OF_A_MACHINE.search(path.read_text(encoding="utf-8")) is None
