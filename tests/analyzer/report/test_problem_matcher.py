"""The problem matchers of docs/ read what `-f concise` prints, with the level of each rule."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analyzer.report.codec import from_json
from analyzer.report.findings import findings
from analyzer.report.formats import render
from analyzer.rules.catalogue import RULES

from .documents import ROOT

DOCS = ROOT / "docs"


def _github() -> Any:
    return json.loads((DOCS / "problem-matcher.json").read_text(encoding="utf-8"))["problemMatcher"]


def _vs_code() -> Any:
    blocks = re.findall(r"```json\n(.*?)```", (DOCS / "editors.md").read_text(encoding="utf-8"), re.DOTALL)
    ((task,),) = [tasks for block in blocks if (tasks := json.loads(block).get("tasks")) is not None]
    return task["problemMatcher"]


MATCHERS = {"GitHub": _github(), "VS Code": _vs_code()}


def matched(matchers: Any, line: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Severity and fields, by each matcher that takes the line."""
    for matcher in matchers:
        (pattern,) = matcher["pattern"] if isinstance(matcher["pattern"], list) else [matcher["pattern"]]
        found = re.search(pattern["regexp"], line)
        if found:
            fields = ("file", "line", "column", "code", "message")
            yield matcher["severity"].replace("info", "notice"), {name: found[pattern[name]] for name in fields}


@pytest.mark.parametrize("matchers", MATCHERS.values(), ids=MATCHERS)
def test_every_line_is_read_by_one_matcher(matchers: Any) -> None:
    saved = (Path(__file__).parent / "golden" / "golden.json").read_text(encoding="utf-8")
    document = from_json(saved, "golden.json")
    lines = render(document, "concise").splitlines()
    assert len(lines) > 10
    for line, finding in zip(lines, findings(document), strict=True):
        ((severity, fields),) = matched(matchers, line)
        assert severity == finding.level.replace("note", "notice")
        assert (fields["file"], fields["code"]) == (finding.path, finding.rule)
        assert (int(fields["line"]), int(fields["column"])) == (finding.line, max(finding.column, 1))
        assert fields["message"] == " ".join(finding.message.split())


@pytest.mark.parametrize("matchers", MATCHERS.values(), ids=MATCHERS)
@pytest.mark.parametrize("path", ["a.c", "with space/a:b.c", "C:\\x\\a.c"])
def test_every_rule_has_its_level(matchers: Any, path: str) -> None:
    for rule in RULES:
        ((severity, fields),) = matched(matchers, f"{path}:12:3: {rule.level}: what, and: why [x] [{rule.id}]")
        assert (severity, fields["file"]) == (rule.level.replace("note", "notice"), path)


@pytest.mark.parametrize("matchers", MATCHERS.values(), ids=MATCHERS)
def test_other_lines_of_a_log_are_left_alone(matchers: Any) -> None:
    others = ("a.c:3:1: warning: unused [-Wunused]", "a.c:3: note: no column [OFF001]")
    for line in ("analyze: 2 files, 4 loops in 0.10 s", *others):
        assert not list(matched(matchers, line))
