"""`boathull reproduce`: the published figures beside ours, and that nothing differs without a word."""

import json
import math
from pathlib import Path

import pytest

from models.cli import main
from models.reproduce import PAPERS, Line, lines, missing

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
        assert math.isfinite(line.computed)
        seen.add((line.paper, line.table, line.row, line.quantity, line.note))
    assert len(seen) == len(ALL)


def test_no_published_figure_is_missed_without_a_note() -> None:
    assert [line for line in ALL if line.published is not None and not line.agrees and not line.note] == []


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
    assert len(rows) == 5 * 4 + 2
    for line in rows:
        per_element = 8 if line.row.startswith("summa") and line.quantity == "OI" else 1
        assert line.computed == pytest.approx((line.published or 0) / per_element, rel=1e-12), line


def test_catalogue_and_table_agree() -> None:
    inputs = [line for line in ALL if line.paper == "boat-hull" and line.table in ("Table 2", "Table 3")]
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
        if line["published"] is not None:
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
