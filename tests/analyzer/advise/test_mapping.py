"""`--mapping`: a nest on a device, as a porter would map it or as it is written."""

import json
from pathlib import Path
from typing import Any

import pytest

from analyzer.command.cli import main

C = """
void product(double c[1000][1100], double a[1000][1200], double b[1200][1100]) {
  for (int i = 0; i < 1000; i++) {
    for (int j = 0; j < 1100; j++) c[i][j] *= 3;
    for (int k = 0; k < 1200; k++) for (int j = 0; j < 1100; j++) c[i][j] += a[i][k] * b[k][j];
  }
}
void one(int n, double *a) { for (int i = 0; i < 1000000; i++) a[i] *= 2; }
"""
FEW = """
void few(double c[8][4000], double a[8][4000], double b[4000][4000]) {
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 4000; k++) for (int j = 0; j < 4000; j++) c[i][j] += a[i][k] * b[k][j];
}
"""
MAPPED = "collapse i and j after exchanging j and k and fusing the 2 loops over j"


def loops(folder: Path, *options: str) -> dict[str, dict[str, Any]]:
    (folder / "a.c").write_text(C, encoding="utf-8")
    out = folder / "out.json"
    assert main([str(folder / "a.c"), "-t", "h200", "--no-cache", "-f", f"json={out}", *options]) == 0
    report = json.loads(out.read_text(encoding="utf-8"))
    assert report["options"].get("mapping") == ("naive" if "naive" in options else None)
    return {loop["function"]: loop for loop in report["files"][0]["loops"] if loop["parent"] is None}


def prediction(loop: dict[str, Any], candidate: str = "target") -> dict[str, Any]:
    found: dict[str, Any] = next(p for p in loop["predictions"] if p["candidate"] == candidate)
    return found


def test_the_mapping_is_taken_and_said(tmp_path: Path) -> None:
    best, naive = loops(tmp_path)["product"], loops(tmp_path, "--mapping", "naive")["product"]
    mapped, written = prediction(best), prediction(naive)
    assert mapped["mapping"].startswith(MAPPED)
    assert "mapping" not in written
    assert mapped["compute_s"] < 0.5e-3 < 20e-3 < written["compute_s"]
    assert mapped["transfer_s"] == written["transfer_s"]
    assert best["class"] == naive["class"]
    for candidate in ("host", "host-threads"):
        assert prediction(best, candidate)["time_s"] == prediction(naive, candidate)["time_s"]


@pytest.mark.parametrize("model", ["boat-hull", "roofline"])
def test_other_models_have_the_loop_as_it_is_written(model: str, tmp_path: Path) -> None:
    assert "mapping" not in prediction(loops(tmp_path, "--model", model)["product"])


def test_a_single_loop_is_as_it_was(tmp_path: Path) -> None:
    assert prediction(loops(tmp_path)["one"]) == prediction(loops(tmp_path, "--mapping", "naive")["one"])


def test_few_outermost_iterations_are_no_reason_where_others_are_threads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.c").write_text(FEW, encoding="utf-8")
    assert main([str(tmp_path / "a.c"), "-t", "h200", "--resident", "--no-cache"]) == 0
    assert "for i × 8  offload to h200" in capsys.readouterr().out
    assert main([str(tmp_path / "a.c"), "-t", "h200", "--resident", "--no-cache", "--mapping", "naive"]) == 0
    assert "this loop does not move (too-small)" in " ".join(capsys.readouterr().out.split())


def test_it_stands_beside_the_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.c").write_text(C, encoding="utf-8")
    assert main([str(tmp_path / "a.c"), "-t", "h200", "--no-cache"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert f"mapping h200: {MAPPED}" in text
    assert main([str(tmp_path / "a.c"), "-t", "h200", "--no-cache", "--why", "a.c:3"]) == 0
    assert f"  mapping   {MAPPED}" in capsys.readouterr().out
    assert main([str(tmp_path / "a.c"), "-t", "h200", "--no-cache", "--mapping", "naive"]) == 0
    text = capsys.readouterr().out
    assert "nests mapped as they are written" in text
    assert "mapping h200" not in text
