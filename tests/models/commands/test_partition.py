"""`boathull partition`: the SA kernel by intensities and out of its analysis, refusals, the surface."""

import csv
import json
import math
import xml.etree.ElementTree as ET
from functools import partial
from pathlib import Path

import pytest

from models.perdome import code_partition, printed_processor

from . import ran

ANALYSIS = str(Path(__file__).resolve().parents[3] / "reports" / "perdome.json")
LOOPS = {
    loop["function"]: loop["id"]
    for file in json.loads(Path(ANALYSIS).read_text(encoding="utf-8"))["files"]
    for loop in file["loops"]
    if loop["parent"] is None
}
SYNTHETIC, VECTORS = LOOPS["pow_add_and_vec_add"], LOOPS["vec_add"]
SYSTEM = ("--cpu", "i7-2600k", "--gpu", "gtx750", "--printed")
SA = ("--intensity", "1.7", "--cpu-intensity", "0.1", "--gpu-intensity", "2")


run = partial(ran.ran, "partition")
document = partial(ran.document, "partition")


def likely(found: dict) -> dict[str, float]:  # type: ignore[type-arg]
    """Bounds by model in Gflop/s."""
    return {bound["model"]: bound["flops_per_s"]["likely"] / 1e9 for bound in found["bounds"]}


def test_all_models_in_text(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *SA, *SYSTEM, "--data-sets", "10")
    assert (code, err) == (0, "")
    rows = {line.split()[0]: line for line in out.splitlines() if line}
    for model, value in (("CPU-only", "13.61"), ("GPU-only", "114.9"), ("p-DP", "128.5"), ("CP", "136.4")):
        assert f"{value} Gop/s" in rows[model]
    assert "PerDome, Table 1" in out
    assert "1 of 10 data sets" in rows["DP"]


@pytest.mark.parametrize(
    ("cpu", "gpu", "code", "data"),
    [
        ("i7-2600k", "gtx750", 136.2, 128.3),
        ("i7-2600k", "gtxtitan", 163.1, 427.6),
        ("i3-2100t", "gtx750", 136.2, 119.7),
        ("i3-2100t", "gtxtitan", 147.3, 419.0),
    ],
)
def test_the_synthetic_kernel_out_of_its_c_code(
    cpu: str, gpu: str, code: float, data: float, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("--from-json", ANALYSIS, "--loop", SYNTHETIC, "--bytes", "per-iteration")
    found = document(capsys, *arguments, "--cpu", cpu, "--gpu", gpu, "--printed")
    assert found["intensity"] == pytest.approx(129 / 76)
    assert found["bytes"] == "per-iteration"
    assert (likely(found)["CP"], likely(found)["p-DP"]) == pytest.approx((code, data), abs=0.05)
    pieces = {piece["on"]: piece for piece in found["division"]["pieces"]}
    assert pieces["gpu"]["flops"] / pieces["gpu"]["bytes"] == 2
    assert pieces["cpu"]["flops"] / pieces["cpu"]["bytes"] == pytest.approx(1 / 12)


def test_compulsory_traffic_is_the_default_and_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--from-json", ANALYSIS, "--loop", SYNTHETIC, *SYSTEM)
    assert "compulsory traffic" in run(capsys, *arguments)[1]
    assert document(capsys, *arguments)["intensity"] == pytest.approx(129 / 52)


def test_precision_of_printed_processors_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    note = "computes in fp64"
    assert note in run(capsys, "--from-json", ANALYSIS, "--loop", SYNTHETIC, *SYSTEM)[1]
    assert note not in run(capsys, "--from-json", ANALYSIS, "--loop", VECTORS, *SYSTEM)[1]


def test_equal_intensities_divide_data_only(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "--intensity", "1.7", "--cpu-intensity", "1.7", "--gpu-intensity", "1.7", *SYSTEM)
    assert list(likely(found)) == ["CPU-only", "GPU-only", "p-DP", "best"]


def test_code_that_moves_nothing_has_no_intensity(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    analysis = json.loads(Path(ANALYSIS).read_text(encoding="utf-8"))
    loops = [loop for loop in analysis["files"][0]["loops"] if loop["function"] == "pow_add_and_vec_add"]
    loops[1]["arrays"] = []
    loops[0]["arrays"] = [array for array in loops[0]["arrays"] if array["name"] in ("c", "d", "e")]
    analysis["files"][0]["loops"] = loops
    path = tmp_path / "bare.json"
    path.write_text(json.dumps(analysis), encoding="utf-8")
    found = document(capsys, "--from-json", str(path), *SYSTEM)
    code = next(bound for bound in found["bounds"] if bound["model"] == "CP")
    assert code["gpu_intensity"] is None
    assert code["cpu_intensity"] == pytest.approx(1 / 12)


def test_all_nests_of_an_analysis(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--from-json", ANALYSIS, *SYSTEM)
    assert code == 0
    assert sum("Gop/s" in line for line in out.splitlines()) == 4
    found = document(capsys, "--from-json", ANALYSIS, *SYSTEM)
    assert [loop["intensity"] for loop in found["loops"]] == pytest.approx([129 / 52, 129 / 52, 128 / 40, 1 / 12])


def test_one_piece_of_code_has_its_data_divided_only(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--from-json", ANALYSIS, "--loop", VECTORS, *SYSTEM)
    assert "can only be divided by its data" in run(capsys, *arguments)[1]
    assert "CP" not in likely(document(capsys, *arguments))


def test_several_loops_are_pieces_of_one_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("--from-json", ANALYSIS, "--loop", LOOPS["pow_add"], "--loop", VECTORS, *SYSTEM)
    found = document(capsys, *arguments)
    assert found["intensity"] == pytest.approx(129 / 52)
    assert [piece["on"] for piece in found["division"]["pieces"]] == ["gpu", "cpu"]
    code, _, err = run(capsys, *arguments, "--loop", VECTORS)
    assert (code, "named twice" in err) == (2, True)
    inner = next(
        loop["id"]
        for loop in json.loads(Path(ANALYSIS).read_text(encoding="utf-8"))["files"][0]["loops"]
        if loop["parent"] == LOOPS["pow_add"]
    )
    code, _, err = run(capsys, *arguments, "--loop", inner)
    assert (code, "is part of another" in err) == (2, True)


def test_pieces_that_share_data_are_not_divided(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    analysis = json.loads(Path(ANALYSIS).read_text(encoding="utf-8"))
    outer, inner = (loop for loop in analysis["files"][0]["loops"] if loop["function"] == "pow_add_and_vec_add")
    analysis["files"][0]["loops"] = [outer, inner, inner | {"id": "again"}]
    path = tmp_path / "shared.json"
    path.write_text(json.dumps(analysis), encoding="utf-8")
    found = document(capsys, "--from-json", str(path), *SYSTEM)
    assert found["division"] is None
    assert "its pieces share a, b" in found["undivided"]
    assert list(likely(found)) == ["CPU-only", "GPU-only", "p-DP", "best"]


def test_devices_of_the_catalogue_and_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "--intensity", "1", "--cpu", "xeon6248", "--gpu", "h200", "--type", "fp64")
    for bound in found["bounds"]:
        ends = bound["flops_per_s"]
        assert ends["low"] <= ends["likely"] <= ends["high"]
    assert "catalogue, fp64" in found["gpu"]["source"]
    times = document(capsys, *SA, "--cpu", "73.5ps,65.9ps", "--gpu", "1.9ps,14.8ps")
    assert likely(times) == pytest.approx(likely(document(capsys, *SA, *SYSTEM)))
    rates = document(capsys, *SA, "--cpu", "10Gop/s,10GB/s", "--gpu", "100Gop/s,100GB/s")
    assert likely(rates)["CPU-only"] == pytest.approx(10)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--intensity", "1.7", "--cpu-intensity", "3", "--gpu-intensity", "2"), "above the kernel's (lemma 2)"),
        (("--intensity", "1.7", "--cpu-intensity", "1.7", "--gpu-intensity", "2"), "lemma 1"),
        (("--intensity", "1.7", "--cpu-intensity", "0.1"), "go together"),
        (("--cpu-intensity", "0.1", "--gpu-intensity", "2"), "need --intensity"),
        (("--intensity", "0"), "the intensity is 0"),
        (("--intensity", "-1"), "'-1' is negative"),
        (("--intensity", "nan"), "'nan' is no number"),
        ((), "give --intensity or --from-json"),
        (("--from-json", ANALYSIS, "--intensity", "1"), "goes without --intensity"),
        (("--from-json", ANALYSIS, "--loop", "99:9"), "no loops are '99:9'; there are"),
        (("--from-json", "/nowhere.json"), "No such file"),
        (("--from-json", __file__), "is no analysis"),
        (("--intensity", "1", "--loop", "17:5"), "--loop names a loop of --from-json"),
        (("--intensity", "1", "--data-sets", "0"), "no positive whole number"),
        (("--intensity", "1", "--surface", "a.txt"), "neither .svg, .png, .html nor .csv"),
        (("--intensity", "1", "--surface", "/nowhere/a.svg"), "No such file"),
    ],
)
def test_refusals(arguments: tuple[str, ...], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *arguments, *SYSTEM)
    assert (code, out) == (2, "")
    assert reason in err


@pytest.mark.parametrize(
    ("cpu", "reason"),
    [
        ("gtx750", "gtx750 is a gpu, not a cpu"),
        ("i7-9999", "no rows for id i7-9999"),
        ("73.5GB/s,65.9ps", "is no unit of an operation rate"),
        ("73.5ps,65.9Gop/s", "is no unit of a data rate"),
        ("73.5,65.9", "is no number with a unit"),
        ("0ps,65.9ps", "is not above 0"),
    ],
)
def test_processors_that_are_none(cpu: str, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "--intensity", "1", "--cpu", cpu, "--gpu", "gtx750", "--printed")
    assert code == 2
    assert reason in err


def test_the_surface_as_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "surface.csv"
    assert run(capsys, *SA, *SYSTEM, "--surface", str(path))[0] == 0
    cpu, gpu = printed_processor("i7-2600k").likely, printed_processor("gtx750").likely
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 64 * 64
    exists = [row for row in rows if row["flops_per_s"]]
    assert len(exists) == 2 * 32 * 32  # two of four regions, by lemma 2
    for row in exists[::100]:
        expected = code_partition(cpu, gpu, 1.7, float(row["cpu_intensity"]), float(row["gpu_intensity"]))
        assert float(row["flops_per_s"]) == pytest.approx(expected)


def test_the_surface_as_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("s.svg", "s.html"):
        assert run(capsys, *SA, *SYSTEM, "--surface", str(tmp_path / name))[0] == 0
    root = ET.parse(tmp_path / "s.svg").getroot()
    tooltips = [title.text or "" for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert sum("I_G" in tooltip for tooltip in tooltips) == 2 * 32 * 32
    assert sum(tooltip.startswith("CP: 136.4") for tooltip in tooltips) == 2  # on the map and in space
    assert (tmp_path / "s.html").read_text(encoding="utf-8").count('"kind":"surface"') == 1


def test_best_intensities_stand_in_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    sides = document(capsys, "--intensity", "1.7", *SYSTEM)["best_intensities"]
    assert sides["cpu"] < 1.7 < sides["gpu"]
    assert math.isfinite(sides["gpu"])
