"""The formats for machines and reviewers: each holds what the document says, and hostile text comes out harmless."""

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from analyzer.report import annotations, sarif
from analyzer.report.cleaning import cleaned, visible
from analyzer.report.codec import from_json, plain
from analyzer.report.document import Document
from analyzer.report.findings import findings, ranked, saved_s
from analyzer.report.formats import render
from analyzer.rules.catalogue import RULES

from .documents import sarif_run

SOURCE = """
double m[2048][2048], q[2048][2048];
void moves(void) {
  for (int i = 0; i < 2048; i++)
    for (int j = 0; j < 2048; j++)
      m[i][j] = q[i][j] * 2;
}
void sized(int n, float *restrict x, const float *restrict y) {
  for (int i = 0; i < n; i++) x[i] = y[i];
}
void scan(int n, float *x) {
  // analyze: ignore[DEP001] ported later
  for (int i = 1; i < n; i++)
    x[i] += x[i - 1];
}
void chain(int n, float *x) {
  for (int i = 1; i < n; i++)
    x[i] += x[i - 1];
}
"""


@pytest.fixture
def saved(analyze: Any, source: Any, tmp_path: Path) -> Document:
    source(SOURCE)
    analyze("a.c", "-t", "gtx470", "--model", "boat-hull", "-f", "json=saved.json")
    return from_json((tmp_path / "saved.json").read_text(encoding="utf-8"), "saved.json")


def test_json_lines_hold_the_whole_document(saved: Document) -> None:
    lines = [json.loads(line) for line in render(saved, "jsonl").splitlines()]
    assert lines[0]["kind"] == "run"
    assert lines[-1]["kind"] == "summary"
    loops = [{k: v for k, v in line.items() if k not in ("kind", "path")} for line in lines if line["kind"] == "loop"]
    assert loops == plain(saved)["files"][0]["loops"]


def test_csv_has_one_row_per_loop_with_its_numbers(saved: Document) -> None:
    rows = list(csv.DictReader(io.StringIO(render(saved, "csv"))))
    loops = saved.files[0].loops
    assert [row["id"] for row in rows] == [loop.id for loop in loops]
    first = loops[0]
    assert first.recommendation.speedup is not None
    assert float(rows[0]["speedup_likely"]) == first.recommendation.speedup.likely
    assert rows[0]["loads"] == str(2048 * 2048)
    assert rows[2]["loads"] == "n"
    assert rows[2]["host_s_likely"] == ""


def test_a_cell_is_never_a_formula(saved: Document) -> None:
    hostile = replace(saved, files=(replace(saved.files[0], path="=cmd|' /C calc'!A0"),))
    rows = list(csv.DictReader(io.StringIO(render(hostile, "csv"))))
    assert {row["path"] for row in rows} == {"'=cmd|' /C calc'!A0"}


def test_markdown_lists_what_is_worth_moving(saved: Document) -> None:
    text = render(saved, "markdown")
    assert "| a.c:4 in moves() | host-parallel, all threads |" in text
    assert "2048x2048\\|element" in text
    assert "**1 loop waits for a size** (`--size NAME=VALUE`): a.c:9." in text
    assert text.splitlines()[-1].startswith("Loops 5: 1 host-parallel, ")


def test_markdown_leaves_out_what_other_formats_leave_out(saved: Document) -> None:
    file = saved.files[0]
    known = replace(file, loops=tuple(replace(loop, unlisted="baseline") for loop in file.loops))
    text = render(replace(saved, files=(known,)), "markdown")
    assert "No loop is worth moving by itself." in text
    assert "waits for a size" not in text


def test_github_shows_the_most_important_and_counts_the_rest(saved: Document) -> None:
    loop = saved.files[0].loops[0]
    loops = tuple(replace(loop, column=column) for column in range(1, 16))
    many = replace(saved, files=(replace(saved.files[0], loops=loops),))
    lines = annotations.github(many).splitlines()
    assert len(lines) == annotations.SHOWN_BY_GITHUB
    assert lines[0].startswith("::warning file=a.c,line=4,endLine=6,title=PAR001 ")
    assert lines[-1] == "::warning title=analyze::6 more findings of level warning are not shown"


def test_gitlab_fingerprints_are_unique_and_stay(saved: Document, analyze: Any, source: Any) -> None:
    issues = json.loads(annotations.gitlab(saved))
    prints = [issue["fingerprint"] for issue in issues]
    assert len(set(prints)) == len(prints) == len(list(findings(saved)))
    source("\n\n/* moved */\n" + SOURCE.replace("\n    ", "\n\t"))
    moved = json.loads(analyze("a.c", "-t", "gtx470", "--model", "boat-hull", "-f", "gitlab").out)
    assert [issue["fingerprint"] for issue in moved] == prints
    assert [issue["location"]["lines"]["begin"] for issue in moved] == [
        issue["location"]["lines"]["begin"] + 3 for issue in issues
    ]


def test_rank_is_by_level_then_by_time_saved(saved: Document) -> None:
    order = ranked(findings(saved))
    assert order[0].level == "warning"
    gains = [saved_s(f.loop) for f in order if f.level == "warning"]
    assert gains == sorted(gains, reverse=True)


# --- SARIF


def _sarif(document: Document) -> Any:
    return sarif_run(sarif.render(document))


def test_sarif_is_valid_and_complete(saved: Document) -> None:
    run = _sarif(saved)
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [rule.id for rule in RULES]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"] == {"uri": "a.c", "uriBaseId": "%SRCROOT%"}


def test_what_is_ignored_is_suppressed_with_its_reason(saved: Document) -> None:
    results = _sarif(saved)["results"]
    (suppressed,) = [r for r in results if "suppressions" in r]
    assert suppressed["ruleId"] == "DEP001"
    assert suppressed["suppressions"] == [{"kind": "inSource", "status": "accepted", "justification": "ported later"}]


def test_both_accesses_of_a_dependence_are_related_places(saved: Document) -> None:
    results = _sarif(saved)["results"]
    chain = next(r for r in results if r["properties"]["loop"].startswith("a.c:chain"))
    assert {r["message"]["text"] for r in chain["relatedLocations"]} == {"x[i]", "x[i - 1]"}
    assert {r["physicalLocation"]["region"]["startLine"] for r in chain["relatedLocations"]} == {18}


RESHAPED = SOURCE.replace("\n  ", "\n\t  ").replace("x[i]", "x /* */ [i]")
EDITS = {
    "moved": "// a new head\n\n" + SOURCE,
    "reindented": SOURCE.replace("\n  ", "\n\t  "),
    "commented": SOURCE.replace("x[i] += ", "/* sum */ x[i] += // of all\n").replace("for (", "for /**/ ("),
    "spaced": SOURCE.replace("x[i]", "x [ i ]"),
    "with other ends of lines": SOURCE.replace("\n", "\r\n"),
    "all of it": ("// a new head\n" + SOURCE.replace("\n  ", "\n\t  ").replace("x[i]", "x /* */ [i]")).replace(
        "\n", "\r\n"
    ),
}


@pytest.mark.parametrize("text", EDITS.values(), ids=EDITS)
def test_fingerprints_stay_when_code_is(text: str, saved: Document, analyze: Any, tmp_path: Path) -> None:
    before = [r["partialFingerprints"] for r in _sarif(saved)["results"]]
    assert all(set(p) == {"boathullLoop/v1"} for p in before)
    (tmp_path / "a.c").write_bytes(text.encode())
    after = sarif_run(analyze("a.c", "-t", "gtx470", "--model", "boat-hull", "-f", "sarif").out)["results"]
    assert [r["partialFingerprints"] for r in after] == before


def test_fingerprints_change_with_the_code_and_the_function(saved: Document, analyze: Any, source: Any) -> None:
    before = {r["partialFingerprints"]["boathullLoop/v1"] for r in _sarif(saved)["results"]}
    assert len(before) == len(_sarif(saved)["results"])
    source(SOURCE.replace("q[i][j] * 2", "q[i][j] * 3").replace("chain", "other").replace("x[i] = y[i]", "y[i] = x[i]"))
    after = sarif_run(analyze("a.c", "-t", "gtx470", "--model", "boat-hull", "-f", "sarif").out)["results"]
    kept = [r for r in after if r["partialFingerprints"]["boathullLoop/v1"] in before]
    assert [r["properties"]["loop"].split(":")[1] for r in kept] == ["scan"]


def test_no_more_results_than_are_kept(saved: Document, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MOST_RESULTS", 2)
    run = _sarif(saved)
    assert [r["level"] for r in run["results"]].count("warning") == 1
    assert len(run["results"]) == 2
    assert not any("suppressions" in r for r in run["results"])  # what is listed comes first
    (said,) = run["invocations"][0]["toolExecutionNotifications"]
    assert said["message"]["text"].startswith("2 findings are left out")


def test_ten_thousand_findings_keep_to_the_limits_of_github(saved: Document) -> None:
    """Of its documentation: 5000 results are kept, 10 MB compressed are taken, 10 tags of a rule, 100 places."""
    file = saved.files[0]
    loops = tuple(
        replace(loop, line=n, end_line=n, id=f"{n}", fingerprint=f"{n:016x}")
        for n in range(1, 10_001)
        for loop in (file.loops[0] if n % 100 == 0 else file.loops[-1],)
    )
    text = sarif.render(replace(saved, files=(replace(file, loops=loops),)))
    run = json.loads(text)["runs"][0]
    levels = [r["level"] for r in run["results"]]
    assert (len(levels), levels.count("warning")) == (5000, 100)
    assert "5000 findings are left out" in json.dumps(run["invocations"])
    assert len(gzip.compress(text.encode())) < 10_000_000
    assert max(len(rule["properties"]["tags"]) for rule in run["tool"]["driver"]["rules"]) <= 10


def test_c_code_is_no_link_in_a_message(saved: Document) -> None:
    loop = saved.files[0].loops[2]
    said = replace(loop.recommendation, reason=replace(loop.recommendation.reason, message="see [it](http://x) {0}"))
    hostile = replace(saved, files=(replace(saved.files[0], loops=(replace(loop, recommendation=said),)),))
    assert _sarif(hostile)["results"][0]["message"]["text"] == "see [it] (http://x) {0}"


def test_what_is_not_hostile_is_left_alone(saved: Document) -> None:
    assert cleaned(saved).files is saved.files
    assert visible("a → b, ü") == "a → b, ü"


def test_the_two_accesses_of_a_dependence_have_their_own_lines(analyze: Any, source: Any) -> None:
    source(
        "void f(int n, double *a) {\n  for (int i = 2; i < n; i++) {\n    double x = a[i - 2];\n    a[i] = x;\n  }\n}\n"
    )
    log = json.loads(analyze("a.c", "-f", "sarif").out)
    (result,) = log["runs"][0]["results"]
    places = {r["message"]["text"]: r["physicalLocation"]["region"]["startLine"] for r in result["relatedLocations"]}
    assert places == {"a[i]": 4, "a[i - 2]": 3}
