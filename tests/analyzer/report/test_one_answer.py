"""One answer of a run: page, terminal, Markdown and JSON say the same sentence, the same gains with their ranges, and
the same blocks to paste. Of each fixture that is tried; `make every` tries all of them."""

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from analyzer.report import amounts
from analyzer.report.answer import answer
from analyzer.report.document import Document, RangeEntry
from analyzer.report.formats import render as rendered
from analyzer.report.html.summary import MOST_BEST, MOST_BY_HAND
from analyzer.report.markdown import escaped
from analyzer.report.overview import overview
from analyzer.report.program import program_text
from analyzer.report.terminal import Style
from analyzer.report.text import render

from .covering import tried
from .documents import analysed

BEST = r'<tr><th scope="row"><a href="#loop=([^"]*)">.*?</a>(.*?)</th>.*?<td class="number">(.*?)</td>'
OPEN = r'<li><a href="#loop=([^"]*)">.*?</a> <span class="soft">.*?</span> (.*?)</li>'
MOVE = r"^  (\S+) in \w+\(\)\n((?:      .*\n?)+)"
WORTH = ("offload", "host-parallel")


@pytest.mark.parametrize("path", tried(), ids=lambda p: p.stem)
def test_every_report_gives_one_answer(path: Path) -> None:
    document = analysed(path)
    page, data = unescape(rendered(document, "html")), json.loads(rendered(document, "json"))
    loops = {one["id"]: one for file in data["files"] for one in file["loops"]}
    _one_sentence(document, page, data)
    _one_list_of_moves(page, loops)
    _one_list_of_open_loops(document, page, loops)
    _one_program(document, page)
    _one_block(document, page, loops)


def _one_sentence(document: Document, page: str, data: Any) -> None:
    said = answer(document)
    assert re.findall(r'<p class="answer">(.*?)</p>', page) == [said]
    assert " ".join(render(document, Style(much="totals")).split()).startswith(" ".join(said.split()))
    assert rendered(document, "markdown").split("\n\n")[1] == escaped(said)
    assert data["answer"] == said
    assert json.loads(rendered(document, "jsonl").partition("\n")[0])["answer"] == said


def _one_list_of_moves(page: str, loops: dict[str, Any]) -> None:
    worth = [one for one in loops.values() if one["recommendation"]["verdict"] in WORTH]
    written = sum("change" in one for one in worth)
    tables = re.findall('<table class="plain best">.*?</table>', page, re.DOTALL)
    moves = re.findall(BEST, "".join(tables))
    assert len(tables) == (written > 0) + (written < len(worth))
    assert len(moves) == min(MOST_BEST, written) + min(MOST_BY_HAND, len(worth) - written)
    for link, beside, gain in moves:
        found = loops[unquote(link)]
        assert gain == amounts.gain(RangeEntry(**found["recommendation"]["speedup"]))
        block = re.findall("<code(?: data-block='(.*?)')?>(.*?)</code>", beside)
        assert [shown for _, shown in block[:1]] == ([found["change"]["directive"]] if "change" in found else [])
        if "change" in found and len(found["change"]["edits"]) == 1:
            ((copied, _),) = block
            assert json.loads(copied) + "\n" == found["change"]["edits"][0]["text"].replace("\r\n", "\n")
        elif block:
            assert f"--suggest-at {found['id'].partition(':')[0]}" in block[1][1]


def _one_program(document: Document, page: str) -> None:
    """The moves of the program as a whole, with their times."""
    text = " ".join(" ".join(words) for words in program_text(document))
    (listed,) = re.findall('<table class="plain of-moves">.*?</table>', page, re.DOTALL) or [""]
    rows = re.findall(r"<a [^>]*>(.*?)</a> <span class=\"soft\">(.*?)</span>.*?</tr>", listed)
    assert bool(rows) == (document.program is not None and "→" in text)
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr><th scope=\"row\">(.*?)</tr>", listed)]
    for (place, function), (_, runs, before, after, reason) in zip(rows, cells, strict=True):
        often = "" if runs == "1" else f" × {runs}"
        assert f"{place} {function}{often}: {before} → {after}{f'; {reason}' if reason else ''}" in text


def _one_list_of_open_loops(document: Document, page: str, loops: dict[str, Any]) -> None:
    text = " ".join(render(document, Style(much="all")).split())
    waiting = re.findall(OPEN, page)
    assert bool(waiting) == any(one["recommendation"]["verdict"] == "depends" for one in loops.values())
    for link, words in waiting:
        message = loops[unquote(link)]["recommendation"]["reason"]["message"]
        assert message in words
        assert message in text


def _one_block(document: Document, page: str, loops: dict[str, Any]) -> None:
    """What the terminal shows of a move: the edit of JSON, or the command that writes it, and the gain."""
    for (path, line, column), lines in _moves(document):
        there = [one for name, one in loops.items() if name.startswith(f"{path}:") and one["line"] == line]
        (found, *others) = (one for one in there if one["column"] == column)
        if others:  # a macro makes several loops at one place
            continue
        gain = found["recommendation"].get("speedup")
        if found["recommendation"]["verdict"] in WORTH and gain is not None:
            assert amounts.gain(RangeEntry(**gain)) in " ".join(lines)
        block = _joined(lines[1:])
        if "#pragma" in block:
            (edit,) = found["change"]["edits"]
            assert block.endswith(_joined([edit["text"]]))
            assert _joined([found["change"]["directive"]]) in block
            assert found["change"]["directive"] in page


def _moves(document: Document) -> Iterator[tuple[tuple[str, int, int], list[str]]]:
    """The place of each move of the overview, and its lines."""
    section = "\n".join(overview(document, Style(width=400))).partition("Worth a move")[2].partition("\n\n")[0]
    for place, lines in re.findall(MOVE, section, re.MULTILINE):
        path, line, column = place.rsplit(":", 2)
        yield (path, int(line), int(column)), [each.strip() for each in lines.splitlines()]


def _joined(lines: list[str]) -> str:
    """A block as one text in which it does not matter where its lines are broken."""
    return " ".join("\n".join(lines).replace("\\\n", " ").split())
