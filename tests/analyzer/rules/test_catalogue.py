"""Pages of rules: every rule has a whole one, and its C examples are run: the bad one is found, the good one is not."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import Verdict
from analyzer.report.rulepage import pages
from analyzer.rules.catalogue import BY_ID, RULES
from analyzer.rules.pages import PAGES, TIMES
from analyzer.settings.options import AnalysisOptions, SourceOptions
from analyzer.source import findings as of_the_front_end

WITHOUT_CODE = {"OFF009", "SRC004", "SRC005", "SRC008", "SRC010", "SRC900"}
"""Rules about what is not C: figures of a device, folders, build options, the machine. Their pages say so."""
SHOWN = sorted(PAGES.keys() - WITHOUT_CODE)


@pytest.mark.parametrize("name", SHOWN)
def test_the_bad_example_is_found_and_the_good_one_is_not(name: str, analyze: Any, source: Any) -> None:
    page = PAGES[name]
    options = page.options.split() or ["-t", "h200"]
    for code, expected in ((page.bad, True), (page.good, False)):
        ran = analyze(source(code + "\n", "example.c"), *options, "-f", "concise")
        assert ran.code == 0
        found = {line[-7:-1] for line in ran.out.splitlines()}
        assert (name in found) == expected, ran.out
        if not name.startswith("SRC") and page.bad != PAGES["SRC007"].bad:
            assert not {rule for rule in found if rule.startswith("SRC")}, ran.out


@pytest.mark.parametrize("name", [name for name in SHOWN if name.startswith("DEP")])
def test_the_good_example_of_what_blocks_a_loop_is_parallel(name: str) -> None:
    options = AnalysisOptions(strict_fp="--strict-fp" in PAGES[name].options)
    facts = analyze_file(Path("page.c"), SourceOptions(), options, None, PAGES[name].good + "\n")
    assert facts.functions[-1].loops[0].parallelism.verdict is Verdict.YES


def test_every_rule_that_can_be_found_has_a_whole_page() -> None:
    assert {rule.id for rule in RULES} == PAGES.keys()
    emitted = {value for name, value in vars(of_the_front_end).items() if name.isupper()}
    assert emitted <= BY_ID.keys()
    for rule in RULES:
        page = PAGES[rule.id]
        for text in (rule.title, rule.why, rule.fix, page.limits, page.models):
            assert len(text) > 7, rule.id
        assert (not page.bad and not page.good) if rule.id in WITHOUT_CODE else (page.bad and page.good), rule.id
        assert "No C code makes the difference" in page.limits or rule.id not in WITHOUT_CODE
        assert (page.models == TIMES) == rule.id.startswith(("OFF", "PAR", "MEM")), rule.id
        assert all(re.fullmatch(r"PW[RD]\d{3}|RMK\d{3}", check) for check in page.also)


def test_the_open_catalogue_is_referred_to() -> None:
    referred = {check for page in PAGES.values() for check in page.also}
    assert referred >= {"PWR013", "PWR015", "PWR055", "PWR056", "PWR057"}


def test_the_pages_in_the_documentation_are_those_of_the_rules() -> None:
    folder = Path(__file__).resolve().parents[3] / "docs" / "rules"
    written = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    assert written == pages(), "make docs"


def test_rules_as_json(analyze: Any) -> None:
    listed = json.loads(analyze("--list-rules", "-f", "json").out)
    assert [rule["id"] for rule in listed] == [rule.id for rule in RULES]
    assert {rule["family"] for rule in listed} == {"OFF", "PAR", "DEP", "MEM", "RAC", "SRC"}


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.id)
def test_a_page_says_why_and_how(rule: Any, analyze: Any) -> None:
    page = analyze("--explain", rule.id.lower()).out
    assert page.startswith(f"{rule.id}  {rule.title}  [{rule.level}]")
    for heading in ("\nWhy ", "\nFix ", "\nLimits ", "\nModels "):
        assert heading in page
    assert ("\nBad" in page) == ("\nGood" in page) == (rule.id in SHOWN)
    assert max(map(len, page.splitlines())) <= 115


def test_a_page_shows_the_examples_as_they_are(analyze: Any) -> None:
    assert "a[i - 1] + a[i];" in analyze("--explain", "DEP001").out
    assert "Bad (analyze example.c --strict-fp)" in analyze("--explain", "DEP002").out
