"""All formats of one run say the same of a loop in the same words, and their totals are the same and add up."""

import csv
import io
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from analyzer.report.codec import from_json
from analyzer.report.document import Document
from analyzer.report.formats import render as rendered
from analyzer.report.html.rows import COLUMNS, rows
from analyzer.report.html.summary import summary
from analyzer.report.text import render as text_of
from analyzer.report.verdict_words import VERDICTS, headline, placements, totals
from analyzer.rules.catalogue import BY_CODE

ROOT = Path(__file__).resolve().parents[3]
HEAT, STUDY = "fixtures/c/heat", "fixtures/c/case_study.c"
NAMES = [words.name for words in VERDICTS]


@pytest.fixture(scope="module", params=[(HEAT, "h200"), (STUDY, "gtx470"), ("fixtures/c/traps.c", "h200")], ids=str)
def run(request: Any, tmp_path_factory: Any) -> tuple[Document, str]:
    """The document of one run, and what it wrote on standard error."""
    path, target = request.param
    saved = tmp_path_factory.mktemp("saved") / "saved.json"
    command = [path, "-t", target, "--no-cache", "-f", f"json={saved}"]
    start = "from analyzer.command.start import main; raise SystemExit(main())"
    done = subprocess.run([sys.executable, "-c", start, *command], cwd=ROOT, capture_output=True, text=True, check=True)
    return from_json(saved.read_text(encoding="utf-8"), str(saved)), done.stderr


def _numbers(text: str) -> Counter[str]:
    """`3 offload, 14 host (9 of them ...)` -> how many of each."""
    return Counter({name: int(n) for n, name in re.findall(rf"(\d+) ({'|'.join(NAMES)})\b", text)})


def test_totals_are_the_same_everywhere_and_add_up(run: tuple[Document, str]) -> None:
    document, _ = run
    found = Counter(loop.recommendation.verdict for file in document.files for loop in file.loops)
    assert sum(found.values()) == document.summary.loops_total
    said = totals(document)
    assert _numbers(said) == found
    assert said.startswith(f"{found.total()}: ")
    plain_text = " ".join(text_of(document).split())
    assert f"Loops {said} Functions" in plain_text
    assert f"Loops {said}; " in rendered(document, "markdown")
    assert {count.name: count.number for count in summary(document).verdicts if count.number} == found
    assert Counter(json.loads(rendered(document, "json"))["summary"]["verdicts"]) == found
    assert Counter(row["verdict"] for row in csv.DictReader(io.StringIO(rendered(document, "csv")))) == found


def test_verdicts_come_in_one_order_everywhere(run: tuple[Document, str]) -> None:
    document, _ = run
    assert [count.name for count in summary(document).verdicts] == NAMES
    assert list(_numbers(totals(document))) == [name for name in NAMES if name in document.summary.verdicts]


def test_a_loop_is_called_the_same_in_text_and_page(run: tuple[Document, str]) -> None:
    document, _ = run
    placed = placements(document.program)
    plain_text = " ".join(text_of(document).split())
    on_page = {row[0]: dict(zip(COLUMNS, row, strict=True)) for row in rows(document)}
    for file in document.files:
        for loop in file.loops:
            said = headline(loop, placed.get(loop.id))
            verdict = loop.recommendation.verdict
            assert said.startswith(verdict) or f"(alone: {verdict}" in said
            assert on_page[loop.id]["headline"] == said
            assert on_page[loop.id]["verdict"] == verdict
            shown = re.search(rf" {loop.line}:{loop.column} .*?(?= \d+:\d+ |$)", plain_text)
            assert shown is not None
            folded = ("moves with the loop around it", "depends as the loop around it does", "too small by itself")
            assert said in shown[0] or any(words in shown[0] for words in folded)


def test_a_headline_never_contradicts_the_program(run: tuple[Document, str]) -> None:
    document, _ = run
    placed = placements(document.program)
    loops = {loop.id: loop for file in document.files for loop in file.loops}
    on_page = {row[COLUMNS.index("id")]: row[COLUMNS.index("place")] for row in rows(document)}
    for entry in document.program.sequence if document.program else ():
        said = headline(loops[entry.loop], placed[entry.loop])
        if entry.candidate == "target":
            assert f"moves to {entry.device}" in said or said.startswith(f"offload to {entry.device}:")
            assert entry.device in on_page[entry.loop]
        elif said.startswith("offload"):
            pytest.fail(f"{entry.loop} stays in the program and is called {said!r}")


def test_both_streams_count_the_same_files(run: tuple[Document, str]) -> None:
    document, errors = run
    counted = re.match(r"analyze: (.+?), (\d+) loops? in", errors.splitlines()[-1])
    assert counted is not None
    assert f" in {counted[1]}, all with loops analysed completely" in text_of(document)
    assert int(counted[2]) == document.summary.loops_total


def test_headers_are_counted_apart(analyze: Any, source: Any, tmp_path: Path) -> None:
    (tmp_path / "sum.h").write_text(
        "static inline int sum(int n, const int *a) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }\n",
        encoding="utf-8",
    )
    source('#include "sum.h"\nint f(int n, const int *a) { return sum(n, a); }\n')
    got = analyze("a.c", "-t", "gtx470")
    assert "Functions 2 in 1 file and 1 header, " in got.out
    assert "analyze: 1 file and 1 header, 1 loop in" in got.err


def test_markdown_has_the_advice_in_the_same_words(run: tuple[Document, str]) -> None:
    document, _ = run
    table = [line for line in rendered(document, "markdown").splitlines() if line.startswith("| fixtures")]
    advised = {
        f"{file.path}:{loop.line}": headline(loop, None).rsplit(": ", 1)[0]
        for file in document.files
        for loop in file.loops
        if loop.recommendation.verdict in ("offload", "host-parallel")
    }
    for line in table:
        where, said, *_ = (cell.strip().replace("\\", "") for cell in line.strip("|").split(" | "))
        assert advised[where.split(" ")[0]] == said


def test_findings_speak_of_the_reason_that_the_loop_has(run: tuple[Document, str]) -> None:
    document, _ = run
    reasons = {
        (file.path, loop.line, BY_CODE[loop.recommendation.reason.code].id): loop.recommendation.reason.message
        for file in document.files
        for loop in file.loops
        if loop.recommendation.reason.code in BY_CODE
    }
    for line in rendered(document, "concise").splitlines():
        found = re.match(r"([^:]+):(\d+):\d+: \w+: (.*) \[(\w+)\]$", line)
        assert found is not None
        path, at, message, rule = found.groups()
        if (key := (path, int(at), rule)) in reasons:
            said = message.partition("; only if ")[0]
            assert said in {m for k, m in reasons.items() if k == key} or rule.startswith(("MEM", "SRC"))


def test_the_readme_has_the_same_five_words() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE)
    assert table[: len(NAMES)] == NAMES
