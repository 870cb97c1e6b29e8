"""Every format, from one analysis of each fixture that is tried: valid, and with nothing of a machine in it."""

import json
import re
from pathlib import Path

import pytest

from analyzer.command.arguments import FORMATS
from analyzer.report.cleaning import cleaned
from analyzer.report.codec import from_json
from analyzer.report.document import Document
from analyzer.report.findings import findings
from analyzer.report.formats import RENDERERS, render
from analyzer.report.text import render as text

from .covering import LISTED, tried
from .documents import FIXTURES, ROOT, analysed, kept, sarif_run, validator

CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff]")


def written(document: Document) -> dict[str, str]:
    """Every format but HTML and patches, as the command writes it."""
    shown = {True: document, False: cleaned(document)}
    return {
        name: text(shown[False]) if name == "text" else render(shown[RENDERERS[name].escapes], name)
        for name in FORMATS
        if name not in ("html", "patch")
    }


def unsettable(document: Document) -> list[str]:
    """Counters of the loops around a loop, and names that no source has, among the sizes that its times wait for."""
    sizes = {(s.scope, s.name) for s in document.symbols}
    found = []
    for file in document.files:
        by_id = {loop.id: loop for loop in file.loops}
        for loop in file.loops:
            counters, around = set(), by_id.get(loop.parent or "")
            while around is not None:
                counters, around = counters | {around.variable}, by_id.get(around.parent or "")
            for name in {n for p in loop.predictions for n in p.symbols or ()}:
                known = (f"{file.path}:{loop.function}", name) in sizes
                if "@-" in name or (name in counters and not known):
                    found.append(f"{loop.id}: {name}")
    return found


@pytest.mark.parametrize("path", tried(), ids=lambda p: p.stem)
def test_every_format_of_every_fixture_is_valid(path: Path) -> None:
    made = analysed(path)
    of_name = written(made)

    errors = validator().iter_errors(json.loads(of_name["json"]))
    assert [f"{e.instance_path}: {e.message[:200]}" for e in errors] == []
    assert from_json(of_name["json"], "saved") == made
    assert kept(path) == made  # the answer from the cache

    results = sarif_run(of_name["sarif"])["results"]
    assert len([r for r in results if "suppressions" not in r]) == len(list(findings(made))) > 0
    for file in made.files:  # no two loops of a file are taken for one
        assert len({loop.fingerprint for loop in file.loops}) == len(file.loops)
    assert unsettable(made) == []
    kinds = [(r["ruleId"], r["partialFingerprints"]["boathullLoop/v1"]) for r in results]
    assert len(set(kinds)) == len(kinds)

    assert len(json.loads(of_name["gitlab"])) == len(list(findings(made)))
    for name, report in of_name.items():
        assert str(ROOT) not in report, name
        assert not CONTROLS.search(report.replace("\r\n", "\n") if name == "csv" else report), name


def test_what_is_listed_to_be_tried_is_there() -> None:
    assert set(LISTED.read_text(encoding="utf-8").split()) <= {path.stem for path in FIXTURES}
