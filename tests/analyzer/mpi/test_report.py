"""`--network` and `--ranks`: what the reports say, and what is refused."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import pytest
from jsonschema_rs import Draft202012Validator

from analyzer import report as report_package
from analyzer.command.cli import main
from models.communication import systems
from models.expr import parse

T = TypeVar("T")

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
        (["--network", "nowhere.toml"], "nowhere.toml: No such file"),
        (["--ranks", "0"], "--ranks 0: a program has at least 1 process"),
        (["--ranks", "many"], "invalid int value"),
    ],
)
def test_what_is_refused(source: str, flags: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([source, *flags]) == 2
    assert said in capsys.readouterr().err


LAN = {"id": "lan", "name": "LAN", "peak": 10, "memory": 5, "network": 0.1, "latency": 20}
UNITS = {"peak": "Gop/s", "memory": "GB/s", "network": "GB/s", "latency": "us"}


def own(folder: Path, *rows: dict[str, object], units: dict[str, str] = UNITS, kind: str = "measured") -> str:
    """A file of systems."""

    def table(values: Mapping[str, object]) -> str:
        return "{ " + ", ".join(f"{name} = {json.dumps(value)}" for name, value in values.items()) + " }"

    path = folder / "lan.toml"
    listed = ", ".join(map(table, rows or (LAN,)))
    text = f'[systems]\nsource = "test"\nkind = "{kind}"\nunits = {table(units)}\nrows = [{listed}]\n'
    path.write_text(text, encoding="utf-8")
    return str(path)


def without(values: dict[str, T], *names: str) -> dict[str, T]:
    return {name: value for name, value in values.items() if name not in names}


def test_a_system_of_ones_own(source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--ranks", "8", "--network", own(tmp_path), "--size", "n=1000"]
    (file,) = report(source, *flags)["files"]
    roof = next(c["network"]["roof"] for c in file["communication"] if c["function"] == "f")
    assert (roof["system"], roof["peak_ops_per_s"], roof["latency_s"]) == ("lan", 10e9, pytest.approx(20e-6))
    assert (roof["messages"], roof["limit"]) == (3, "memory")
    assert roof["without_network_time_s"] == roof["time_s"] == pytest.approx(16000 / 5e9)
    assert roof["with_latency_time_s"] == pytest.approx(3 * 8 / 0.1e9 + 3 * 20e-6)
    assert main([source, *flags]) == 0
    assert "at least 3.2 us, 60.2 us with 20 us for each of 3 messages" in " ".join(capsys.readouterr().out.split())


def test_without_a_latency_nothing_is_said_of_one(source: str, tmp_path: Path) -> None:
    path = own(tmp_path, without(LAN, "latency"), units=without(UNITS, "latency"))
    (file,) = report(source, "--ranks", "8", "--network", path, "--size", "n=1000")["files"]
    roof = next(c["network"]["roof"] for c in file["communication"] if c["function"] == "f")
    assert roof["messages"] == 3
    assert not {"latency_s", "with_latency_time_s"} & set(roof)


def test_messages_of_which_each_waits_for_the_one_before(tmp_path: Path) -> None:
    """In trees as many as there are stages; where everybody sends to everybody, to all others; in a loop, each time."""
    calls = {
        "tree": ("MPI_Bcast(x, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);", 3),
        "gather": ("MPI_Allgather(x, n, MPI_DOUBLE, y, n, MPI_DOUBLE, MPI_COMM_WORLD);", 3),
        "all": ("MPI_Alltoall(x, n, MPI_DOUBLE, y, n, MPI_DOUBLE, MPI_COMM_WORLD);", 7),
        "one": ("MPI_Send(x, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);", 1),
        "loop": ("for (int k = 0; k < n; k++) MPI_Bcast(x, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);", 15),
        "none": ("for (int k = 0; k < n; k++) x[k] = 0; MPI_Barrier(MPI_COMM_WORLD);", None),
    }
    path = tmp_path / "b.c"
    functions = (f"void {name}(double *x, double *y, int n) {{ {code} }}\n" for name, (code, _) in calls.items())
    path.write_text("#include <mpi.h>\n" + "".join(functions), encoding="utf-8")
    (file,) = report(str(path), "--ranks", "8", "--network", own(tmp_path), "--size", "n=5")["files"]
    found = {c["function"]: c["network"]["roof"]["messages"] for c in file["communication"]}
    assert found == {name: waits for name, (_, waits) in calls.items() if waits is not None}


TWO = (LAN, LAN | {"id": "b"})


@pytest.mark.parametrize(
    ("rows", "units", "of", "said"),
    [
        (TWO, UNITS, "", "which system; it has"),
        (TWO, UNITS, ":c", "no system c; it has"),
        ((LAN, LAN), UNITS, "", "two rows of lan"),
        ((LAN,), UNITS | {"peak": "GB/s"}, "", "peak is in GB/s; it must be Gop/s"),
        ((LAN,), without(UNITS, "latency"), "", "neither text nor a number with a unit"),
        ((LAN | {"network": "fast"},), without(UNITS, "network"), "", "network has no unit"),
        ((LAN | {"id": 3},), UNITS | {"id": "1"}, "", "id is in 1; it must be text"),
        ((without(LAN, "network"),), UNITS, "", "must have the columns"),
        ((without(LAN, "name", "peak"),), without(UNITS, "peak"), "", "has no column name, peak"),
        ((LAN | {"network": 0},), UNITS, "", "the network bandwidth is 0"),
        ((LAN | {"latency": -1},), UNITS, "", "not at least 0"),
    ],
)
def test_files_that_are_refused(
    rows: tuple[dict[str, object], ...],
    units: dict[str, str],
    of: str,
    said: str,
    source: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([source, "--ranks", "2", "--network", own(tmp_path, *rows, units=units) + of]) == 2
    assert said in capsys.readouterr().err


def test_a_kind_that_is_none_is_refused(source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([source, "--network", own(tmp_path, kind="guessed")]) == 2
    assert "kind is 'guessed'" in capsys.readouterr().err


def test_the_second_of_two_systems(source: str, tmp_path: Path) -> None:
    (file,) = report(source, "--ranks", "2", "--network", own(tmp_path, *TWO) + ":b", "--size", "n=5")["files"]
    assert {c["network"]["roof"]["system"] for c in file["communication"]} == {"b"}


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
