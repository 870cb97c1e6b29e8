"""`boathull scale`: systems, algorithms over sizes, numbers, an analysis, refusals and charts."""

import json
import xml.etree.ElementTree as ET
from functools import partial
from pathlib import Path

import pytest

from . import ran

ANALYSIS = Path(__file__).resolve().parents[3] / "reports" / "perdome.json"


run = partial(ran.ran, "scale")
document = partial(ran.document, "scale")


def test_ridge_points_of_the_three_systems(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys)
    rows = {line.split()[0]: line for line in out.splitlines() if line}
    for system, oi, cai in (
        ("big-red-ii", "1.097", "2.579"),
        ("karst", "1.583", "18.33"),
        ("jetstream", "3.313", "127.6"),
    ):
        assert oi in rows[system]
        assert cai in rows[system]


def test_an_algorithm_over_the_tested_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "SUMMA", "--size", "N=242..61952", "-P", "121", "--system", "karst")
    assert [point["sizes"]["N"] for point in found["points"]] == [242 * 2**step for step in range(9)]
    assert [point["limit"] for point in found["points"]] == ["network"] * 5 + ["compute"] * 4
    assert found["points"][0]["attainable_ops_per_s"] == pytest.approx(1.2e9 * 243 / (4 * 11 * 6.9189), rel=1e-3)
    assert found["points"][0]["plain_roofline_ops_per_s"] == 22e9
    assert any("taken as 8 bytes" in note for note in found["notes"])


def test_stages_rounded_up(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("ddot", "--size", "N=1e6", "-P", "100", "--system", "karst")
    sent = [document(capsys, *arguments, "--stages", rule)["points"][0]["network_bytes"] for rule in ("table", "text")]
    assert sent[1] == 56
    assert sent[0] < 56


def test_every_pair_of_sizes_and_processes(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "mst", "--size", "V=65536", "--size", "E=1e6,2e6", "-P", "2..8", "--system", "karst")
    assert len(found["points"]) == 6


def test_two_numbers_in_place_of_an_algorithm(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(
        capsys, "--oi", "2", "--cai", "5", "--peak", "22Gop/s", "--memory", "13.9GB/s", "--network", "1.2GB/s"
    )
    assert found["points"][0]["attainable_ops_per_s"] == 6e9
    without = document(capsys, "--oi", "2", "--system", "karst")["points"][0]
    assert (without["cai"], without["limit"]) == (None, "compute")


def test_an_analysis_without_messages_is_the_plain_roofline(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "--from-json", str(ANALYSIS), "--system", "karst")
    assert len(found["points"]) == 4
    for point in found["points"]:
        assert point["attainable_ops_per_s"] == point["plain_roofline_ops_per_s"]
    assert sum("no network bytes" in note for note in found["notes"]) == 4


def test_an_analysis_with_messages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    analysis = json.loads(ANALYSIS.read_text(encoding="utf-8"))
    loop = analysis["files"][0]["loops"][-1]
    loop["counts"]["network_bytes"] = loop["counts"]["flops_fp32"]  # one byte for each flop
    path = tmp_path / "mpi.json"
    path.write_text(json.dumps(analysis), encoding="utf-8")
    point = document(capsys, "--from-json", str(path), "--system", "jetstream")["points"][-1]
    assert point["cai"] == 1
    assert (point["limit"], point["attainable_ops_per_s"]) == ("network", pytest.approx(0.34e9))


def test_a_system_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "lan.toml"
    row = '{ id = "lan", name = "LAN", peak = 10, memory = 5000, network = 100 }'
    units = 'units = { peak = "Gop/s", memory = "MB/s", network = "MB/s" }'
    path.write_text(f'[systems]\nsource = "test"\nkind = "measured"\n{units}\nrows = [{row}]\n', encoding="utf-8")
    found = document(capsys, "--oi", "2", "--cai", "5", "--system", f"{path},karst")
    assert [system["id"] for system in found["systems"]] == ["lan", "karst"]
    assert found["points"][0]["attainable_ops_per_s"] == pytest.approx(0.5e9)
    path.write_text(f'[other]\nsource = "test"\nkind = "measured"\n{units}\nrows = [{row}]\n', encoding="utf-8")
    code, _, err = run(capsys, "--oi", "2", "--system", str(path))
    assert (code, "the table [systems] is missing" in err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("summ", "--size", "N=242", "-P", "121"), "did you mean summa?"),
        (("summa", "--size", "N=242", "-P", "128"), "a square number of processes"),
        (("summa", "--size", "N=242"), "give the number of processes"),
        (("summa", "-P", "121"), "needs the sizes N"),
        (("summa", "--size", "V=2", "-P", "121"), "needs the sizes N, not V"),
        (("summa", "--size", "N=-2", "-P", "121"), "'-2' is negative"),
        (("summa", "--size", "N=0", "-P", "121"), "N is 0"),
        (("summa", "--size", "N=nan", "-P", "121"), "'nan' is no number"),
        (("summa", "--size", "N=8..4", "-P", "121"), "FIRST <= LAST"),
        (("summa", "--size", "242", "-P", "121"), "is not NAME=VALUE"),
        (("ddot", "--size", "N=100", "-P", "2.5"), "no whole number of processes"),
        (("mst", "--size", "V=4", "--size", "E=9", "-P", "2"), "too small"),
        (("--system", "karts"), "did you mean karst?"),
        (("--cai", "3"), "--cai goes with --oi"),
        (("--size", "N=3"), "belong to an algorithm"),
        (("--peak", "22Gop/s"), "all of --peak, --memory and --network"),
        (("--peak", "22GB/s", "--memory", "1GB/s", "--network", "1GB/s"), "is no unit of an operation rate"),
        (("summa", "--oi", "3"), "one of ALGORITHM, --oi and --from-json"),
        (("--oi", "3", "--plot", "a.jpg"), "neither .svg, .png nor .html"),
        (("summa", "--size", "N=242", "-P", "121", "--cache", "8"), "holds no two lines"),
    ],
)
def test_refusals(arguments: tuple[str, ...], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert reason in err


def test_charts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("r.svg", "r.html"):
        arguments = ("fft", "--size", "N=256..65536", "-P", "128", "--plot", str(tmp_path / name))
        assert run(capsys, *arguments)[0] == 0
    root = ET.parse(tmp_path / "r.svg").getroot()
    assert len(list(root.iter("{http://www.w3.org/2000/svg}circle"))) == 3 * 3 * 9  # two charts and the surfaces
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert (page.count('"kind":"chart"'), page.count('"kind":"surface"')) == (2, 3)
