"""The comparison of kept reports, on reports made for it and on one run."""

import json
from pathlib import Path

import pytest

from . import reports
from .reports import compared, differences, main


def _report(*lines: dict[str, object]) -> str:
    return "".join(json.dumps(line) + "\n" for line in lines)


def test_a_changed_value_is_named_by_its_field() -> None:
    assert list(differences({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}})) == [("a.b[]", 2, 3)]


def test_types_and_lengths_count() -> None:
    assert [at for at, _, _ in differences({"a": 1, "b": [1]}, {"a": True, "b": [1, 1]})] == ["a", "b"]


def test_loops_that_come_and_go_are_named() -> None:
    old = _report({"kind": "loop", "id": "x.c:f:1:1", "parallel": "yes"}, {"kind": "loop", "id": "x.c:f:2:1"})
    new = _report({"kind": "loop", "id": "x.c:f:1:1", "parallel": "no"}, {"kind": "loop", "id": "x.c:f:3:1"})
    said, fields = compared("x", old, new)
    assert said == ['x: x.c:f:1:1: parallel: "yes" -> "no"', "x: x.c:f:2:1: gone", "x: x.c:f:3:1: new"]
    assert fields == {"parallel": 1, "(gone)": 1, "(new)": 1}


def test_the_version_of_the_tool_does_not_count() -> None:
    old, new = ({"kind": "run", "tool": {"version": v}, "host": "h"} for v in "12")
    assert compared("x", _report(old), _report(new)) == ([], {})


def test_two_runs_of_one_tree_are_equal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "program"
    program.mkdir()
    (program / "a.c").write_text("void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 2 * a[i]; }\n")

    monkeypatch.setattr(reports, "FIXTURES", program)
    kept = str(tmp_path / "kept")
    assert main(["save", kept]) == 0
    assert main(["compare", kept]) == 0
    (program / "a.c").write_text("void f(int n, double *a) { for (int i = 1; i < n; i++) a[i] = 2 * a[i - 1]; }\n")
    assert main(["compare", kept]) == 1
    assert 'parallel: "yes" -> "no"' in capsys.readouterr().out
