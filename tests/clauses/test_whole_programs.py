"""The campaign of whole programs finds copies that are missing, and none are in a few programs and the fixture."""

import re
import sys
from pathlib import Path

import pytest
from tests.analyzer.change.test_on_device import needs_device

from .whole_programs import BUILT, main, run

FIXTURE = Path(__file__).resolve().parents[2] / "fixtures" / "c" / "kept_on_device.c"


@needs_device
def test_a_few_programs_print_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tests.clauses.whole_programs.KEPT", tmp_path)
    assert main(["-n", "3", "--seed", "2"]) == 0


@needs_device
@pytest.mark.parametrize("without", ["nothing", "update from", "update to", "exit data"])
def test_what_is_missing_is_found(tmp_path: Path, without: str) -> None:
    path = tmp_path / "p.c"
    path.write_text(FIXTURE.read_text())
    assert run("gcc -w -O1 p.c -o before -lm", tmp_path).returncode == 0
    change = f"{sys.executable} -m analyzer p.c -t h200 --no-cache --suggest openmp-target --apply"
    assert run(change, tmp_path).returncode == 0
    path.write_text(re.sub(rf"\n *#pragma omp target {without}[^\n]*", "", path.read_text()))
    assert run(BUILT["openmp-target"], tmp_path).returncode == 0
    before, after = (run(f"./{name}", tmp_path).stdout for name in ("before", "after"))
    assert (before == after) == (without == "nothing")
