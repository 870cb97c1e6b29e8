"""`boathull idioms`: curves at sizes, the best device of blocks, applications, refusals."""

from functools import partial
from pathlib import Path

import pytest

from . import ran

POINTS = """# a made-up machine
device,idiom,bytes,rate
xeon,stream,1MB,40GB/s
xeon,stream,1GB,10GB/s
convey-hc1,transfer,1MB,1GB/s
convey-hc1,transfer,1GB,2GB/s
"""
BLOCKS = """block,idiom,references,size,footprint,transfer
a.c:3,stream,1e9,8B,8MB,16MB
b.c:7,stream,1e6,8B,1MB,2MB
"""


run = partial(ran.ran, "idioms")
document = partial(ran.document, "idioms")


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "points.csv").write_text(POINTS, encoding="utf-8")
    (tmp_path / "blocks.csv").write_text(BLOCKS, encoding="utf-8")
    return str(tmp_path / "points.csv"), str(tmp_path / "blocks.csv")


def test_the_printed_curve(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "curves", "--size", "4194304B,1GB")
    assert code == 0
    assert "13.59 ln(bytes) -159.2 GB/s" in out
    assert "at 4.194 MB: 48.04 GB/s" in out
    assert "at 1 GB: 53 GB/s" in out


def test_a_size_outside_the_range_is_told_beside_those_inside(capsys: pytest.CaptureFixture[str]) -> None:
    (curve,) = document(capsys, "curves", "stream", "--size", "100kB,1GB")
    below, above = curve["bandwidth"]
    assert below["bytes_per_s"] is None
    assert "outside the curve's range, 122333 B to any size" in below["message"]
    assert above == {"bytes": 1e9, "bytes_per_s": 53e9, "message": None}


def test_measured_points_make_curves(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "curves", "--curves", files[0])
    assert {(curve["device"], curve["idiom"]) for curve in found} == {
        ("convey-hc1", "stream"), ("xeon", "stream"), ("convey-hc1", "transfer"),
    }  # fmt: skip


def test_blocks_with_and_without_transfers(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    points, blocks = files
    free = document(capsys, "blocks", blocks, "--curves", points)
    assert [block["device"] for block in free["blocks"]] == ["convey-hc1", "xeon"]
    paid = document(capsys, "blocks", blocks, "--curves", points, "--host", "xeon")
    first = paid["blocks"][0]["time_s"]["convey-hc1"]["likely"]
    assert first == pytest.approx(8e9 / 53e9 + 16e6 / (1e9 + 1e9 * 4 / 10 * 1.00343), rel=1e-2)
    assert paid["total_s"]["likely"] < min(alone["likely"] for alone in paid["alone_s"].values())


def test_hycom_gains_what_the_paper_says(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "project", f"4.6%:{7768 / 448}", f"16.9%:{28459 / 2149}")
    assert (code, out.split(" ")[0]) == (0, "19.96%")


def test_graph500(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "project", f"{1313.92 / 5980}:98", "--total", "5980s")
    assert found["remaining_s"] == pytest.approx(4679.5, abs=0.1)


def test_a_picture(tmp_path: Path, files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "curves.html"
    assert run(capsys, "curves", "--curves", files[0], "--plot", str(path))[0] == 0
    assert path.read_text(encoding="utf-8").count('"kind":"chart"') == 2  # stream and transfer


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "ACTION"),
        (("curves", "streem"), "invalid choice"),
        (("curves", "gather"), "there is no curve of gather"),
        (("curves", "--size", "8"), "is no number with a unit"),
        (("curves", "--size", "8GB/s"), "is no unit of a data"),
        (("curves", "--size", "1kB"), "outside the curve's range"),
        (("curves", "--size", "8MB", "--plot", "a.jpg"), "neither .svg, .png nor .html"),
        (("curves", "--curves", "absent.csv"), "No such file"),
        (("blocks", "absent.csv"), "No such file"),
        (("blocks", "BLOCKS", "--host", "xeon"), "has no curve; there are curves of convey-hc1"),
        (("project", "0.5"), "is not COVERAGE:SPEEDUP"),
        (("project", "60%:2", "50%:2"), "cover 110 %"),
        (("project", "50%:0"), "a speedup is positive"),
        (("project", "50%:2", "--total", "10MB"), "is no unit of a time"),
    ],
)
def test_refusals(
    arguments: tuple[str, ...], reason: str, files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *(files[1] if word == "BLOCKS" else word for word in arguments))
    assert (code, out) == (2, "")
    assert reason in err


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the first line must name the columns"),
        ("device,idiom,bytes\n", "it takes device, idiom, bytes, rate"),
        ("device,idiom,bytes,rate\nx,stream,1MB\n", "line 2: 3 cells under 4 columns"),
        ("device,idiom,bytes,rate\nx,streem,1MB,1GB/s\n", "line 2, idiom: 'streem' is none of stream"),
        ("device,idiom,bytes,rate\nx,stream,1,1GB/s\n", "line 2, bytes: '1' is no number with a unit"),
        ("device,idiom,bytes,rate\nx,stream,1MB,1GB\n", "line 2, rate: 'GB' is no unit of a data rate"),
        ("device,idiom,bytes,rate\nx,stream,0MB,1GB/s\n", "line 2, bytes: '0MB' is not above 0"),
        ("device,idiom,bytes,rate\nx,stream,1MB,1GB/s\n", "it takes two measured sizes"),
    ],
)
def test_files_that_are_none(text: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "points.csv"
    path.write_text(text, encoding="utf-8")
    code, out, err = run(capsys, "curves", "--curves", str(path))
    assert (code, out) == (2, "")
    assert reason in err
