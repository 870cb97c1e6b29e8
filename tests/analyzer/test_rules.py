"""Pages of rules: every rule has one, and the C examples get the answers that they are examples of."""

import json
from pathlib import Path
from typing import Any

import pytest

from analyzer.analysis import analyze_file
from analyzer.facts import Parallelism, Verdict
from analyzer.options import AnalysisOptions, SourceOptions
from analyzer.report.rulepage import pages
from analyzer.rule_pages import PAGES
from analyzer.rules import BY_ID, RULES

SHOWN = sorted(name for name, page in PAGES.items() if name.startswith("DEP") and page.bad and name != "DEP013")


def answer(code: str, **options: Any) -> Parallelism:
    facts = analyze_file(Path("page.c"), SourceOptions(), AnalysisOptions(**options), None, code + "\n")
    assert not [d for d in facts.diagnostics if d.level != "note"]
    return facts.functions[-1].loops[0].parallelism


@pytest.mark.parametrize("name", SHOWN)
def test_the_bad_example_has_the_reason_of_the_rule(name: str) -> None:
    found = answer(PAGES[name].bad, strict_fp=name == "DEP002")
    assert found.verdict is not Verdict.YES
    assert found.reason is not None
    assert found.reason.code == BY_ID[name].code


@pytest.mark.parametrize("name", SHOWN)
def test_the_good_example_is_parallel(name: str) -> None:
    assert answer(PAGES[name].good, strict_fp=name == "DEP002").verdict is Verdict.YES


@pytest.mark.parametrize("name", ["OFF001", "OFF002", "OFF006", "PAR001", "MEM001", "MEM002", "DEP013"])
def test_the_bad_example_is_found_in_a_report(name: str, analyze: Any, source: Any) -> None:
    for code, expected in ((PAGES[name].bad, True), (PAGES[name].good, False)):
        assert (name in analyze(source(code + "\n"), "-t", "h200", "-f", "concise").out) == expected


def test_the_pages_in_the_documentation_are_those_of_the_rules() -> None:
    folder = Path(__file__).resolve().parents[2] / "docs" / "rules"
    written = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    assert written == pages(), "make docs"


def test_rules_as_json(analyze: Any) -> None:
    listed = json.loads(analyze("--list-rules", "-f", "json").out)
    assert [rule["id"] for rule in listed] == [rule.id for rule in RULES]
    assert {rule["family"] for rule in listed} == {"OFF", "PAR", "DEP", "MEM", "SRC"}


def test_every_rule_that_blocks_has_examples_or_says_why_not() -> None:
    for rule in RULES:
        if rule.id.startswith(("DEP", "OFF", "PAR")):
            page = PAGES[rule.id]
            assert bool(page.bad) == bool(page.good)
            assert page.bad or page.limits or page.models, rule.id
    assert set(PAGES) <= set(BY_ID)


def test_a_page_says_why_and_how(analyze: Any) -> None:
    page = analyze("--explain", "dep001").out
    assert page.startswith("DEP001  an iteration needs a result of an earlier one  [note]")
    for heading in ("Why ", "Fix ", "Limits ", "\nBad\n", "\nGood\n", "a[i - 1] + a[i];"):
        assert heading in page
    assert "Models " in analyze("--explain", "OFF001").out
    assert max(map(len, page.splitlines())) <= 110
