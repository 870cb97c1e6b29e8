"""`--resident`: the data is on the target already, or in memory that it shares with the host."""

import json
from pathlib import Path
from typing import Any

import pytest

from analyzer.command.cli import main

C = """
void scale(int n, float a, const float *restrict x, float *restrict y) { for (int i = 0; i < n; i++) y[i] += a * x[i]; }
void rows(int n, int m, double **a) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] *= 2; }
"""


def loops(folder: Path, *options: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The whole report, and its outermost loops by function."""
    (folder / "a.c").write_text(C, encoding="utf-8")
    out = folder / "out.json"
    sizes = ("--size", "n=1e6", "--size", "m=4")
    assert main([str(folder / "a.c"), "-t", "h200", "--no-cache", *sizes, "-f", f"json={out}", *options]) == 0
    report = json.loads(out.read_text(encoding="utf-8"))
    return report, {loop["function"]: loop for loop in report["files"][0]["loops"] if loop["parent"] is None}


def target(loop: dict[str, Any]) -> dict[str, Any] | None:
    return next((p for p in loop["predictions"] if p["candidate"] == "target"), None)


@pytest.mark.parametrize("model", ["extended", "boat-hull"])
def test_times_are_without_copies(model: str, tmp_path: Path) -> None:
    _, copied = loops(tmp_path, "--model", model)
    report, resident = loops(tmp_path, "--model", model, "--resident")
    before, after = target(copied["scale"]), target(resident["scale"])
    assert before is not None
    assert after is not None
    assert before["transfer_s"] > 0
    assert not after["transfer_s"]
    assert after["time_s"]["likely"] == pytest.approx(before["time_s"]["likely"] - before["transfer_s"])
    assert report["options"]["resident"] is True


def test_blocks_behind_pointers_need_no_deep_copy(tmp_path: Path) -> None:
    _, copied = loops(tmp_path)
    _, resident = loops(tmp_path, "--resident")
    assert target(copied["rows"]) is None
    assert target(resident["rows"]) is not None
    assert resident["rows"]["recommendation"]["verdict"] == "offload"
    assert "without copies" in resident["rows"]["recommendation"]["reason"]["message"]


def test_the_program_has_no_copies(tmp_path: Path) -> None:
    copied, _ = loops(tmp_path)
    resident, _ = loops(tmp_path, "--resident")
    assert "resident" not in copied["options"]
    assert resident["program"]["transfers"] == []
    assert all(step["device"] == "h200" for step in resident["program"]["sequence"])


def test_models_without_such_times_refuse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.c").write_text(C, encoding="utf-8")
    assert main([str(tmp_path / "a.c"), "-t", "h200", "--resident", "--model", "pmac"]) == 2
    assert "--resident: the model pmac has no times without copies" in capsys.readouterr().err


def test_the_next_command_keeps_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.c").write_text(C, encoding="utf-8")
    main([str(tmp_path / "a.c"), "-t", "h200", "--resident", "--no-cache", "--size", "n=1e6", "--size", "m=4"])
    printed = capsys.readouterr().out
    assert "data on the target, nothing is copied" in printed
    assert "--resident" in printed.partition("Next")[2]
