"""Two papers straight from C: the measured totals of the boat hull's case study, PerDome's bounds for its kernel."""

import json
from pathlib import Path
from typing import Any

import pytest

from analyzer.advise.workloads import workload_of
from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import LoopFacts
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models import extended
from models.catalogue import find_device
from models.expr import evaluate
from models.perdome import Piece, divide, intensity, printed_processor
from models.prediction import Prediction
from models.quantity import Range
from models.workload import Workload

ROOT = Path(__file__).resolve().parents[3]
CASE_STUDY = ROOT / "fixtures" / "c" / "case_study.c"
PERDOME = ROOT / "fixtures" / "c" / "perdome.c"

PRIMITIVES = ("histogram", "maximum", "threshold", "erode", "project_x", "project_y")


@pytest.fixture(scope="module")
def primitives() -> dict[str, Workload]:
    """The workload of the last outermost loop of each primitive's function."""
    facts = analyze_file(CASE_STUDY, SourceOptions(), AnalysisOptions(), ROOT)
    found = {}
    for function in facts.functions:
        by_id = {loop.id: loop for loop in function.loops}
        for loop in function.loops:
            if loop.depth == 0 and loop.function in PRIMITIVES:
                workload = workload_of(loop, tuple(by_id[i] for i in loop.nest))
                assert workload is not None
                found[loop.function] = workload
    return found


def together(primitives: dict[str, Workload], device: str, resident: bool) -> Range:
    times = []
    for workload in primitives.values():
        p = extended.predict_target(workload, find_device(device), resident=resident)
        assert isinstance(p, Prediction)
        assert p.time is not None
        times.append(p.time)
    return Range(sum(t.low for t in times), sum(t.likely for t in times), sum(t.high for t in times))


def copies(device: str) -> Range:
    """Of the image to the device and the two projections back."""
    link, latency = (extended.figures.figure(find_device(device), key) for key in ("link.pageable", "link.latency"))
    moved = 4 * (1024 * 1024 + 2 * 1024)
    return Range(
        moved / link.high + 3 * latency.low,
        moved / link.value + 3 * latency.value,
        moved / link.low + 3 * latency.high,
    )


@pytest.mark.parametrize(
    ("device", "kernels_s", "total_s"),
    [pytest.param("gtx470", 1.96e-3, 3.03e-3), pytest.param("gts250", 3.99e-3, 6.12e-3)],
)
def test_measured_totals_of_the_case_study_lie_in_the_range(
    primitives: dict[str, Workload], device: str, kernels_s: float, total_s: float
) -> None:
    """The image stays on the device. Nothing is fitted: erode's complexity is what the code has, one minimum per pixel
    of a neighbourhood."""
    assert set(primitives) == set(PRIMITIVES)
    kernels, moved = together(primitives, device, resident=True), copies(device)
    assert kernels.low <= kernels_s <= kernels.high
    low, likely, high = (a + b for a, b in zip(_ends(kernels), _ends(moved), strict=True))
    assert low <= total_s <= high or abs(likely - total_s) <= 0.15 * total_s
    assert high < 2.5 * total_s  # a range that says something
    assert together(primitives, device, resident=False).likely > 1.5 * likely  # copies for every loop


def _ends(r: Range) -> tuple[float, float, float]:
    return r.low, r.likely, r.high


# --- PerDome

BOUNDS = {  # models.md: CP and p-DP in GFLOP/s with I = 129/76 and I_C = 1/12
    ("i7-2600k", "gtx750"): (136.2, 128.3),
    ("i7-2600k", "gtxtitan"): (163.1, 427.6),
    ("i3-2100t", "gtx750"): (136.2, 119.7),
    ("i3-2100t", "gtxtitan"): (147.3, 419.0),
}
PRINTED = {  # the same with the printed 1.7, 0.1 and 2
    ("i7-2600k", "gtx750"): (136.4, 128.5),
    ("i7-2600k", "gtxtitan"): (163.4, 428.2),
    ("i3-2100t", "gtx750"): (136.4, 119.9),
    ("i3-2100t", "gtxtitan"): (147.5, 419.6),
}


@pytest.fixture(scope="module")
def pieces() -> tuple[Piece, Piece]:
    """PowAdd and VecAdd per outer iteration, counted as the paper counts."""
    facts = analyze_file(PERDOME, SourceOptions(), AnalysisOptions(count_as="perdome"), ROOT)
    loops = {loop.function: loop for function in facts.functions for loop in function.loops if loop.depth == 0}
    pow_add, vec_add = (_piece(loops[name]) for name in ("pow_add", "vec_add"))
    whole = _piece(loops["pow_add_and_vec_add_single"])
    assert whole.flops == pow_add.flops + vec_add.flops
    assert whole.bytes == pow_add.bytes + vec_add.bytes
    return pow_add, vec_add


def _piece(loop: LoopFacts) -> Piece:
    def per_iteration(name: str) -> float:
        count = getattr(loop.counts, name)
        sizes = dict.fromkeys(("SIZE",), 2560000)
        return float(evaluate(count.expr, sizes)) / 2560000

    return Piece(
        loop.function, per_iteration("flops_fp32"), per_iteration("bytes_loaded") + per_iteration("bytes_stored")
    )


def test_the_kernel_has_the_paper_s_intensities(pieces: tuple[Piece, Piece]) -> None:
    pow_add, vec_add = pieces
    assert (pow_add.flops, pow_add.bytes) == (128, 64)
    assert (vec_add.flops, vec_add.bytes) == (1, 12)
    assert intensity(pieces) == pytest.approx(129 / 76)


@pytest.mark.parametrize("system", BOUNDS)
def test_bounds_of_the_kernel(pieces: tuple[Piece, Piece], system: tuple[str, str]) -> None:
    from models.perdome import bounds, shares

    cpu, gpu = map(printed_processor, system)
    division = divide(cpu.likely, gpu.likely, pieces)
    assert division.on_gpu == ("pow_add",)
    exact = bounds(cpu, gpu, intensity(pieces), code=(division.cpu_flops, division.cpu_bytes))
    printed = bounds(cpu, gpu, 1.7, code=shares(1.7, 0.1, 2.0))
    for found, expected in ((exact, BOUNDS[system]), (printed, PRINTED[system])):
        by_model = {bound.model: bound.performance.likely / 1e9 for bound in found}
        assert (by_model["CP"], by_model["p-DP"]) == pytest.approx(expected, abs=0.06)
        assert (by_model["CP"] > by_model["p-DP"]) == (system[1] == "gtx750")


def test_the_view_is_named(analyze: Any) -> None:
    ran = analyze(PERDOME, "-t", "gtx750", "--host", "i7-2600k", "--count-as", "perdome", "-f", "json")
    report = json.loads(ran.out)
    assert report["options"]["count_as"] == "perdome"
    by_function = {loop["function"]: loop["counts"] for loop in report["files"][0]["loops"] if loop["depth"] == 0}
    found = by_function["pow_add_and_vec_add_single"]["operational_intensity"]
    assert found["value"] == pytest.approx(129 / 76)


def test_one_thread_goes_along_rows_faster_than_along_columns(primitives: dict[str, Workload]) -> None:
    """The device likes the columns better, where neighbouring work-units read neighbours; one thread on the host does
    not: it walks along the innermost loop."""
    rows, columns = primitives["project_x"], primitives["project_y"]
    assert [(a.walk, a.coalescing) for a in (rows.arrays[0], columns.arrays[0])] == [
        ("unit", "strided(1024)"),
        ("strided(1024)", "unit"),
    ]
    times = [_likely(extended.predict_host(workload, find_device("xeon6248"))) for workload in (rows, columns)]
    assert times[0] < times[1] < 16 * times[0]  # at worst a line of 16 elements for each of them


def _likely(answer: object) -> float:
    assert isinstance(answer, Prediction)
    assert answer.time is not None
    return answer.time.likely
