"""`--network` and `--ranks`: what the reports say, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from analyzer import report as report_package
from analyzer.command.cli import main
from models.communication import systems
from models.expr import parse

SOURCE = """#include <mpi.h>
double f(const double *x, const double *y, int n) {
  double s = 0, t;
  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
  MPI_Allreduce(&s, &t, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return t;
}
void g(double *x, int n) {
  for (int k = 0; k < 100; k++)
    MPI_Bcast(x, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}
"""


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "a.c"
    path.write_text(SOURCE, encoding="utf-8")
    return str(path)


def report(source: str, *flags: str) -> dict[str, Any]:
    out = Path(source).with_suffix(".json")
    assert main([source, "-f", f"json={out}", *flags]) == 0
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return found


def test_formulas_without_sizes(source: str) -> None:
    (file,) = report(source)["files"]
    loop = next(loop for loop in file["loops"] if loop["function"] == "g")
    moved = loop["counts"]["network_bytes"]
    assert parse(moved["expr"]) == parse("800*n*`ceil(log2 P)`")
    assert (moved["value"], moved["exact"], moved["low_expr"]) == (None, False, "0")
    assert loop["network"]["sent_by_rank"] is None
    assert loop["network"]["roof"] is None
    quiet = next(loop for loop in file["loops"] if loop["function"] == "f")
    assert quiet["counts"]["network_bytes"] is None
    assert "network" not in quiet


def test_symbols_name_the_processes_and_nothing_made_up(source: str) -> None:
    symbols = {(s["name"], s["scope"].rpartition(":")[2]): s for s in report(source, "--ranks", "8")["symbols"]}
    assert symbols["P", "g"]["value"] == 8
    assert symbols["P", "g"]["source"] == "option"
    assert {name for name, _ in symbols} == {"n", "P", "rank"}


def test_the_roof_of_a_function_is_that_of_the_communication_aware_roofline(source: str) -> None:
    (file,) = report(source, "--ranks", "8", "--network", "karst", "--size", "n=1000")["files"]
    found = next(c for c in file["communication"] if c["function"] == "f")
    karst = systems()["karst"]
    flops, memory, moved = 2000, 16000, 3 * 8
    assert found["flops"]["value"] == flops
    assert found["memory_bytes"]["value"] == memory
    assert found["network_bytes"] | {"assumptions": []} == found["network_bytes"]
    assert (found["network_bytes"]["value"], found["network_bytes"]["exact"]) == (moved, True)
    assert found["communication_intensity"]["value"] == pytest.approx(flops / moved)
    roof = found["network"]["roof"]
    assert roof["limit"] == "memory"
    assert roof["attainable_ops_per_s"] == pytest.approx(karst.memory * flops / memory)
    assert roof["time_s"] == pytest.approx(max(flops / karst.peak, memory / karst.memory, moved / karst.network))


def test_the_network_limits_what_only_sends(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([source, "--ranks", "8", "--network", "jetstream", "--size", "n=1000"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "2.4 MB by the model, 0 B to 2.4 MB sent by each of 8 ranks; network-bound on jetstream" in text
    assert "24 B from each of 8 ranks; 83.3 flop/B; memory-bound on jetstream" in text


def test_what_is_missing_for_a_roof_is_said(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([source, "--network", "karst"]) == 0
    assert "no roof: --ranks or a size is missing" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--network", "karts"], "unknown system; did you mean karst?"),
        (["--ranks", "0"], "--ranks 0: a program has at least 1 process"),
        (["--ranks", "many"], "invalid int value"),
    ],
)
def test_what_is_refused(source: str, flags: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([source, *flags]) == 2
    assert said in capsys.readouterr().err


def test_one_process_sends_nothing(source: str) -> None:
    (file,) = report(source, "--ranks", "1", "--network", "karst", "--size", "n=1000")["files"]
    found = next(c for c in file["communication"] if c["function"] == "f")
    assert (found["network_bytes"]["value"], found["network"]["sent_by_rank"]) == (0, [0])
    assert found["communication_intensity"]["value"] is None
    assert (found["network"]["roof"]["cai"], found["network"]["roof"]["limit"]) == (None, "memory")


def test_the_report_is_valid_and_renders_again(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--ranks", "4", "--network", "karst", "--size", "n=10"]
    document = report(source, *flags)
    schema = Path(report_package.__file__).with_name("schema.json")
    Draft202012Validator(json.loads(schema.read_text(encoding="utf-8"))).validate(document)
    assert main([source, *flags]) == 0
    fresh = capsys.readouterr().out
    assert main(["--from-json", str(Path(source).with_suffix(".json"))]) == 0
    assert capsys.readouterr().out == fresh
