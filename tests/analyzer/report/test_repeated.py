"""What the front end says of several files is said once, with their number; JSON has all of it."""

import json
import re
from typing import Any

import pytest
from msgspec.structs import replace

from analyzer.report.codec import from_json
from analyzer.report.document import IgnoreEntry
from analyzer.report.repeated import said_once

USES = "#include <nowhere/gone.h>\nvoid {name}(int n, double *x) {{ for (int i = 0; i < n; i++) x[i] = gone_value; }}\n"


@pytest.fixture
def three(source: Any) -> None:
    for name in "abc":
        source(USES.format(name=name), f"src/{name}.c")
    source("int fine(int n) { return n; }\n", "src/d.c")


@pytest.mark.parametrize("format_", ["text", "concise", "github", "markdown"])
def test_one_missing_header_is_one_warning(analyze: Any, three: None, format_: str) -> None:
    out = " ".join(analyze("src", "-t", "h200", "--no-cache", "-f", format_).out.split())
    assert len(re.findall(r"nowhere/gone\.h is missing", out)) == 1
    assert "so in 2 more files" in out


@pytest.mark.parametrize("format_", ["sarif", "gitlab"])
def test_for_services_too_in_words_that_stay(analyze: Any, three: None, format_: str) -> None:
    """A result is known by its message: one more file is no new result."""
    out = analyze("src", "-t", "h200", "--no-cache", "-f", format_).out
    made = json.loads(out)
    messages = (
        [r["message"]["text"] for r in made["runs"][0]["results"]]
        if format_ == "sarif"
        else [entry["description"] for entry in made]
    )
    assert sum("nowhere/gone.h is missing" in m for m in messages) == 1
    assert not any("more file" in m for m in messages)


def test_json_has_every_place_and_renders_the_same_text(analyze: Any, three: None, tmp_path: Any) -> None:
    fresh = analyze("src", "-t", "h200", "--no-cache").out
    analyze("src", "-t", "h200", "--no-cache", "-f", "json=saved.json")
    files = json.loads((tmp_path / "saved.json").read_text(encoding="utf-8"))["files"]
    assert [sum("gone.h" in d["message"] for d in file["diagnostics"]) for file in files] == [1, 1, 1, 0]
    assert not any("unlisted" in d for file in files for d in file["diagnostics"])
    assert analyze("--from-json", "saved.json").out == fresh


def test_a_file_that_asks_for_silence_does_not_silence_the_others(analyze: Any, three: None, tmp_path: Any) -> None:
    analyze("src", "-t", "h200", "--no-cache", "-f", "json=saved.json")
    document = from_json((tmp_path / "saved.json").read_text(encoding="utf-8"), "saved.json")
    first, *others = document.files
    quiet = replace(first, ignored=(IgnoreEntry(1, "SRC003", "built elsewhere"),))
    unlisted = replace(first, diagnostics=tuple(replace(d, unlisted="not-changed") for d in first.diagnostics))
    for changed in (quiet, unlisted):
        once = said_once(replace(document, files=(changed, *others)))
        said = [[d.message for d in f.diagnostics if d.unlisted is None and d.rule == "SRC003"] for f in once.files]
        assert [len(messages) for messages in said] == [1 if changed is quiet else 0, 1, 0, 0]
        assert said[1][0].endswith("; so in 1 more file")


def test_what_is_of_its_own_place_is_said_of_each(analyze: Any, source: Any) -> None:
    for name in "ab":
        source(f"void {name}(int n) {{ for (int i = 0; i < n; i++) {{ int = 3; }} }}\n", f"src/{name}.c")
    out = analyze("src", "--no-cache", "-f", "concise").out
    assert [line.split(":")[0] for line in out.splitlines() if "SRC001" in line] == ["src/a.c", "src/b.c"]
