"""`boathull reproduce`: the published figures beside ours, and that nothing differs without a word."""

import json
import math
from pathlib import Path

import pytest

from models.cli import main
from models.reproduce import PAPERS, Line, errata, lines, missing

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reproduced.md"
ALL = lines()


def only(paper: str, row: str, quantity: str, note: str = "") -> Line:
    found = [
        line for line in ALL
        if (line.paper, line.row, line.quantity) == (paper, row, quantity) and line.note.startswith(note)
    ]  # fmt: skip
    assert len(found) == 1, found
    return found[0]


def test_every_line_says_what_it_is() -> None:
    assert {line.paper for line in ALL} == set(PAPERS)
    seen = set()
    for line in ALL:
        assert line.table
        assert line.row
        assert line.quantity
        assert line.unit
        assert line.computed is None or math.isfinite(line.computed)
        assert line.computed is not None or line.note.startswith(("input", "not computable"))
        seen.add((line.paper, line.table, line.row, line.quantity, line.note))
    assert len(seen) == len(ALL)


def test_no_published_figure_is_missed_without_a_note() -> None:
    assert [line for line in ALL if line.difference is not None and not line.agrees and not line.note] == []


# The check lines of the models and the figures that a table must show: (paper, row, quantity, start of the note,
# published, computed, tolerance of computed).
EXPECTED = [
    ("boat-hull", "gtx470, GPU kernels", "predicted, low", "printed rows", 1.66, 1.632, 0.0005),
    ("boat-hull", "gtx470, GPU kernels", "predicted, high", "printed rows", 2.32, 2.300, 0.0005),
    ("boat-hull", "gts250, GPU kernels", "predicted, low", "printed rows", 3.21, 3.189, 0.0005),
    ("boat-hull", "gts250, GPU kernels", "predicted, high", "printed rows", 4.24, 4.314, 0.0005),
    ("boat-hull", "gtx470, GPU kernels", "predicted, low", "definitions", 1.66, 1.626, 0.0005),
    ("boat-hull", "gts250, GPU kernels", "predicted, high", "definitions", 4.24, 4.327, 0.0005),
    ("boat-hull", "gtx470, data transfers", "predicted, low", "", 0.95, 0.824, 0.0005),
    ("boat-hull", "gts250, data transfers", "predicted, low", "", 1.90, 2.001, 0.0005),
    ("boat-hull", "gts250, total", "difference, of the printed times", "", 8, 8.09, 0.005),
    ("boat-hull", "histogram on gtx470", "kernel", "", None, 0.711, 0.0005),
    ("boat-hull", "X-projection on gts250", "kernel, high", "", None, 1.200, 0.0006),
    ("perdome", "SA p-DP, i7-2600k + gtx750", "bound", "", 128, 128.5, 0.05),
    ("perdome", "SA CP, i7-2600k + gtxtitan", "bound", "", None, 163.4, 0.05),
    ("perdome", "SA CP, i3-2100t + gtxtitan", "bound", "", None, 147.5, 0.05),
    ("perdome", "DA p-DP, i7-2600k + gtxtitan", "bound", "", None, 1086.8, 0.05),
    ("perdome", "DA CP1, i3-2100t + gtx750", "bound", "", None, 275.0, 0.05),
    ("perdome", "DA CP2, i3-2100t + gtxtitan", "bound", "", None, 23.5, 0.05),
    ("perdome", "SA CP, i7-2600k + gtxtitan", "I_C = 1/12", "", None, 164.8, 0.05),
    ("perdome", "SA CP, i3-2100t + gtxtitan", "I = 129/76, I_C = 1/12", "", None, 147.3, 0.05),
    ("perdome", "SA CP over p-DP, i7-2600k + gtx750", "change of the bound", "", 14, 6.2, 0.05),
    ("perdome", "SA CP, i3-2100t + gtxtitan", "measured, implied", "", None, 143.1, 0.05),
    ("perdome", "DA CP1, i3-2100t + gtx750", "measured, implied", "", None, 118.3, 0.06),
    ("pmac", "HYCOM, 256 processes", "improvement", "with the printed", 20, 19.96, 0.005),
    ("pmac", "MILC, 256 processes", "improvement", "with the printed", 3.4, 3.38, 0.005),
    ("pmac", "HYCOM, 256 processes", "improvement", "with coverages", 20, 19.81, 0.005),
    ("pmac", "HYCOM, cpu", "total", "", 36556, 36227, 0),
    ("pmac", "measured", "time with make_bfs ported", "", 4686, 4679.5, 0.05),
    ("pmac", "predicted", "make_bfs on the CPU, implied", "", None, 1101.5, 0.05),
    ("pmac", "HMMER, stream, fpga", "error", "", 12.3, 12.4, 0.05),
    ("pmac", "MILC, FPGA over all", "more time", "", 0.1, 0.45, 0.006),
    ("lslag", "mean", "fidelity of LSLAG", "", 93, 93.8, 0.005),
    ("lslag", "LSLA, B2 and M3", "ceiling of tau-b", "", 0.92, 0.919, 0.0005),
    ("lslag", "B2, gamma 8", "t_k / S", "", None, 0.0496, 0.00005),
    ("communication", "karst", "ridge OI", "", None, 1.583, 0.0005),
    ("communication", "jetstream", "ridge CAI", "", None, 127.6, 0.05),
    ("communication", "N = 242", "OI", "", 8, 9.6, 0.05),
    ("communication", "N = 61952", "OI", "", 8, 11.3, 0.05),
    ("communication", "dgemv, N = 524288, P = 128", "OI", "", 524289 / (4 * 524291), 0.25, 1e-5),
    ("communication", "ddot, N = 1073741824, P = 128", "OI", "", (2 * 2**23 - 1) / (16 * 2**23 + 8), 0.125, 1e-5),
    ("communication", "stencil, N = 256, P = 128", "OI", "", 4 / 56, 0.0714, 0.00005),
    ("communication", "fft, N = 256, P = 128", "OI", "", 5 * 8 / 48, 5 * 8 / 48, 1e-9),
    ("communication", "fft, N = 256, P = 128", "CAI", "", 5 * 8 / 32 / 7, 5 * 8 / 32 / 7, 1e-9),
    ("communication", "stencil, N = 256, P = 128", "CAI", "", 254**2 / 8 / 256 / 128, 254**2 / 8 / 256 / 128, 1e-9),
    ("communication", "dgemv, N = 256, P = 128", "CAI", "", 257 / 4 / 127, 257 / 4 / 127, 1e-9),
    ("lslag", "Gaussian filter, gamma 256", "global work size", "", None, 262144, 0),
    ("dnn", "fc1, batch 128, carbonate", "f", "", 242.3, 24.24, 0.005),
    ("dnn", "fc1, batch 128, carbonate", "roof", "", 444.7, 111.2, 0.05),
]


@pytest.mark.parametrize(("paper", "row", "quantity", "note", "published", "computed", "tolerance"), EXPECTED)
def test_check_figures(
    paper: str, row: str, quantity: str, note: str, published: float | None, computed: float, tolerance: float
) -> None:
    line = only(paper, row, quantity, note)
    assert line.published == (None if published is None else pytest.approx(published))
    assert line.computed == pytest.approx(computed, abs=tolerance + 1e-9)


def test_dnn_cells_are_met_to_the_printed_digit() -> None:
    cells = [line for line in ALL if line.paper == "dnn" and line.quantity in ("error", "MAPE")]
    assert len(cells) == 24 + 6
    for line in cells:
        assert line.difference == pytest.approx(0, abs=0.0051), line
    times = [line for line in ALL if line.paper == "dnn" and line.quantity == "predicted"]
    assert len(times) == 24
    assert all(abs(line.difference or 0) <= 0.5 for line in times)


def test_table_2_4_as_printed_is_what_the_model_computes() -> None:
    """All but SUMMA's memory traffic, which the paper counts in elements of 8 bytes."""
    rows = [line for line in ALL if line.table == "Table 2.4" and line.published is not None]
    assert len(rows) == 5 * 4 + 2 + 2 * 2  # SUMMA on several processes a node
    for line in rows:
        per_element = 8 if line.row.startswith("summa") and line.quantity == "OI" else 1
        assert line.computed == pytest.approx((line.published or 0) / per_element, rel=1e-12), line


def test_catalogue_and_table_agree() -> None:
    inputs = [line for line in ALL if line.paper == "boat-hull" and line.table in ("Table 2", "Table 3")]
    assert all(line.computed is not None for line in inputs)
    assert len(inputs) == 16
    for line in inputs:
        assert line.computed == pytest.approx(line.published)


def test_what_is_missing_is_said_for_every_paper() -> None:
    rows = missing()
    assert {paper for paper, _, _ in rows} == set(PAPERS)
    text = "; ".join(f"{what} {why}" for _, what, why in rows)
    for item in (
        "Figures 1, 2, 3 and 7", "alpha1, beta1", "Figures 2(e) and 3(e)", "Figures 4, 5 and 7", "samples",
        "all 21 improvements", "LeNet",
    ):  # fmt: skip
        assert item in text


def test_contradictions_are_said_for_every_paper() -> None:
    rows = errata()
    assert {paper for paper, _, _, _ in rows} == set(PAPERS)
    text = "; ".join(" ".join(row) for row in rows)
    for item in ("c1 = c0 / 2", "lemmas 1 and 2", "36 227", "2^scale", "multiply it by S", "per element", "24.24"):
        assert item in text


# Every number of these tables must stand in the output, published or computed.
PRINTED = {
    ("boat-hull", "Table 5"): (
        "1.66 2.32 3.21 4.24 0.95 1.90 2.61 3.27 5.11 6.14 1.96 3.99 1.07 2.13 3.03 6.12 2 11 3 7 8"
    ),
    ("boat-hull", "Figures 2 and 3, Table 4"): "4194304 256 262144",
    ("boat-hull", "Table 2"): "1089 95 5.9 5.1 470 56 3.5 2.1",
    ("boat-hull", "Table 3"): "40 4.7 4 128 90 12.2 8",
    ("perdome", "Table 1"): "4 3400 73.5 65.9 2 2500 200 73 2688 837 0.4 4.1 512 1020 1.9 14.8",
    ("perdome", "Model Parameters"): "2560000 1000000",
    ("perdome", "Table 2"): "1.7 0.1 2 4.4 0.4 5.4 1.5 9.2",
    ("perdome", "Model Validation"): "14 17 -61 -65 3 9 -60 -62 7 6 97 43",
    ("pmac", "Table I"): "623 992",
    ("pmac", "Table II"): "384.7 337 18.4 18.5 0.074 0.087 12.3 0.3 17.3",
    ("pmac", "Table III"): "278 277 1345 1350 262 246 809 663 0.4 6.1 18.1 6.3",
    ("pmac", "Table IV and §VII.A.2"): "1797 156 1300 105 666 307",
    ("pmac", "Table V"): "14.2 21.1 1.2 5.6 4.6 16.9 0.7 3.0",
    ("pmac", "Tables VI and VII"): "7768 495 638 28459 2302 44166 2376 334 399 10452 771 1087",
    ("pmac", "Table VI"): "36556 2798 44803",
    ("pmac", "Table VII"): "12827 1104 1487",
    ("pmac", "Tables VIII and IX"): "495 638 448 2297 6096 2149 334 399 770 1087 765",
    ("pmac", "Table VIII"): "2792 6734 2596",
    ("pmac", "Table IX"): "1104 1486 1099",
    ("pmac", "§VII.B"): "7 15 6 12 14 10 5.5 6.5 17 7.7 0.1 50",
    ("pmac", "§VII.A.2, graph500"): "5980 98 4686 21.64 5847 96 4757 18.65 1313.92 64 1.5",
    ("pmac", "Text"): "10 95",
    ("pmac", "§IV"): "2",
    ("pmac", "Abstract, §VII.B"): "20 3.4",
    ("lslag", "Table II"): (
        ".001 .008 .004 .005 .068 .003 .009 .016 1.554 .049 .002 .060 .051 1.074 .023 .022 .082 .460 0"
    ),
    ("lslag", "Table III"): ".88 .75 1.00 .70 .90 .92 .91 .62 93",
    ("lslag", "§VI, protocol"): "512 16384 8 256 10 360 288 72",
    ("communication", "Table 2.3"): "13.4 5.7 14.7 13.9 1.2 22 13.1 0.34 43.4",
    ("communication", "Table 2.5"): (
        "242 61952 256 536870912 268435456 67108864 131072 65536 1073741824 524288 262144 32768 16384"
    ),
    ("communication", "§2.6.1"): "121 128 1936 576",
    ("communication", "§2.5"): "8 2048",
    ("communication", "Table 2.6"): (
        "58.6 95.1 99.1 90 98.1 99.4 33.3 85.4 96 100 -12.9 21.2 89.9 75.7 85.1 96.6 87.1 98.2 99.6"
    ),
    ("dnn", "Table 3.1"): "784 50 10",
    ("dnn", "§3.6"): "12937.6 11442.7",
    ("dnn", "Tables 3.3 and 3.4"): ("143 74 15 5 157 50 30 10 207 64 27 102 28 11 3 169 46 19 326 41"),
    ("dnn", "Tables 3.6 and 3.7"): "103 33 8 11 249 66 13 22 206 144 28 47 93 34 5 183 67 21 349 130 18 40",
    ("dnn", "Table 3.8"): "61.96 57.89 44.36 54.38 52.88 53.94",
    ("dnn", "§3.9, example"): "5017600 242.3 34.3 444.7",
}


@pytest.mark.parametrize(("paper", "table"), PRINTED)
def test_every_printed_number_stands_in_the_output(paper: str, table: str) -> None:
    own = [line.published for line in ALL if (line.paper, line.table) == (paper, table)]
    shown = {f"{number:.9g}" for number in own if number is not None}
    assert {f"{float(number):.9g}" for number in PRINTED[paper, table].split()} <= shown


def test_tables_that_only_list_hold_no_more_than_the_paper() -> None:
    listed = [line for line in ALL if line.computed is None]
    assert sum(line.table == "Table 2.6" for line in listed) == 21
    assert sum(line.table == "Tables 3.3 and 3.4" for line in listed) == 24
    assert sum(line.table == "Tables 3.6 and 3.7" for line in listed) == 24
    assert sum(line.table == "Table II" and line.paper == "lslag" for line in listed) == 30


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["reproduce", *arguments])
    output = capsys.readouterr()
    return code, output.out, output.err


def test_json_has_the_promised_fields(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "-f", "json")
    document = json.loads(out)
    assert code == 0
    assert len(document) == len(ALL)
    promised = {"paper", "table", "row", "quantity", "published", "computed", "difference", "note"}
    assert all(promised <= set(line) for line in document)
    for line in document:
        if line["published"] is None or line["computed"] is None:
            assert line["difference"] is None
        else:
            assert line["difference"] == pytest.approx(line["computed"] - line["published"])


def test_one_paper_in_text(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "perdome")
    assert code == 0
    assert "Model Validation" in out
    assert "not reproduced" in out
    assert "Table 3.6" not in out


def test_an_unknown_paper_is_refused_with_a_near_one(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "perdom")
    assert (code, out) == (2, "")
    assert "did you mean perdome" in err


def test_the_page_is_what_the_command_writes(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "-f", "markdown")
    assert PAGE.read_text(encoding="utf-8") == out, "boathull reproduce -f markdown > docs/reproduced.md"
