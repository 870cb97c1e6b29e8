"""The picture of the boat hull: lines where the equations are, a bar where the prediction is."""

import re

import pytest

from models.boathull import predict_target
from models.catalogue import find_device
from models.plots.chart import Chart, NotDrawableError
from models.plots.hull import Predict, hull
from models.prediction import Prediction, Refusal
from models.workload import from_class


def predictor(text: str, device: str, element_type: str = "fp32") -> Predict:
    def predict(complexity: float) -> Prediction | Refusal:
        return predict_target(from_class(text, complexity, element_type=element_type), find_device(device))  # type: ignore[arg-type]

    return predict


def drawn(text: str, device: str, complexity: float = 8, **more: object) -> Chart:
    return hull(f"{text} on {device}", predictor(text, device), complexity, **more)  # type: ignore[arg-type]


def curves(chart: Chart) -> dict[str, tuple[tuple[float, float], ...]]:
    return {curve.name.split()[0] + (" + t0" if "t0" in curve.name else ""): curve.points for curve in chart.curves}


def test_equations_floors_and_totals_of_a_gpu() -> None:
    found = curves(drawn("4096x4096|tile(1x4096) → 4096|element", "gtx470"))
    assert list(found) == ["c0", "c1", "m0", "m1", *(f"{name} + t0" for name in ("c0", "c1", "m0", "m1")), "range"]
    t0 = (4096 * 4096 + 4096) * 4 / 5.1e9
    for (f, c0), (_, c1), (_, total) in zip(found["c0"], found["c1"], found["c0 + t0"], strict=True):
        assert c1 == pytest.approx(2 * c0)
        assert total == pytest.approx(c0 + t0)
        assert c0 == pytest.approx(4096 * (f * 4096 + 4 * 4096) / 1089e9)
    assert [time for _, time in found["m1"]] == pytest.approx([(4096 * 4096 + 4096) * 4 / 5.9e9] * 65)


def test_totals_are_dashed_in_the_colour_of_their_equation() -> None:
    by_name = {curve.name: curve for curve in drawn("64|element → 64|element", "gtx470").curves}
    assert by_name["c0 + t0"].dashed
    assert by_name["c0 + t0"].ink == by_name["c0 compute"].ink
    assert not by_name["c0 compute"].dashed


def test_a_cpu_has_its_own_floors_and_no_transfer() -> None:
    chart = drawn("4096|element → 1|shared", "i7-930")
    assert list(curves(chart)) == ["c0", "c1", "c2", "c3", "m0", "range"]
    assert [mark.label.split()[0] for mark in chart.marks] == ["time"]


def test_the_bar_is_the_predicted_range() -> None:
    text = "1024x1024|tile(1x1024) → 1024|element"
    chart = drawn(text, "gtx470", 64)
    answer = predictor(text, "gtx470")(64)
    assert isinstance(answer, Prediction)
    assert answer.time is not None
    bars = {curve.points for curve in chart.curves if not curve.listed}
    assert ((64, answer.time.low), (64, answer.time.high)) in bars
    kernel = next(mark for mark in chart.marks if mark.label.startswith("kernel"))
    alone = predict_target(from_class(text, 64), find_device("gtx470"), transfer="none")
    assert isinstance(alone, Prediction)
    assert alone.time is not None
    assert kernel.y == pytest.approx(alone.time.likely)
    time = next(mark for mark in chart.marks if mark.label.startswith("time"))
    assert (time.x, time.y) == (64, pytest.approx(answer.time.likely))
    ends = re.findall(r"[\d.]+ [mu]s", time.tip)
    assert len(ends) == 3


def test_a_launch_that_is_asked_for_is_in_the_totals() -> None:
    def launched(complexity: float) -> Prediction | Refusal:
        workload = from_class("64|element → 64|element", complexity)
        return predict_target(workload, find_device("gtx470"), transfer="none", launch=True)

    by_name = {curve.name: curve.points for curve in hull("launched", launched, 1).curves}
    for (_, kernel), (_, total) in zip(by_name["c0 compute"], by_name["c0 + launch"], strict=True):
        assert total == pytest.approx(kernel + 7.56e-6)


def test_measured_points_are_stars() -> None:
    chart = drawn("64|element → 64|element", "gtx470", 1, measured=((6.0, 1.96e-3), (1e6, 2.0)))
    stars = [(mark.x, mark.y) for mark in chart.marks if mark.star]
    assert stars == [(6.0, 1.96e-3), (1e6, 2.0)]
    assert chart.x.high == 1e6
    assert chart.y.high >= 2.0


@pytest.mark.parametrize("device", ["gtx470", "h200", "mali-t628", "xeon6248", "apple-m1"])
def test_uncertain_figures_stay_on_the_axes(device: str) -> None:
    chart = drawn("1024x1024|element → 256|shared", device, 3)
    places = [*chart.bands[0].low, *chart.bands[0].high, *(point for curve in chart.curves for point in curve.points)]
    assert all(-1e-9 <= chart.y.part(time) <= 1 + 1e-9 for _, time in places)


@pytest.mark.parametrize("complexity", [0, 0.01, 1e6])
def test_complexities_outside_the_usual_sweep(complexity: float) -> None:
    chart = drawn("4096|element → 4096|element", "gtx470", complexity)
    assert all(0 <= chart.x.part(mark.x) <= 1 for mark in chart.marks)
    assert all(0 <= chart.y.part(time) <= 1 for curve in chart.curves for _, time in curve.points)


@pytest.mark.parametrize(
    ("text", "element_type", "message"),
    [("N|element → N|element", "fp32", "before N is known"), ("8|element → 8|element", "fp64", "no fp64 arithmetic")],
)
def test_nothing_is_drawn_without_times(text: str, element_type: str, message: str) -> None:
    with pytest.raises(NotDrawableError, match=message):
        hull("nothing", predictor(text, "gts250", element_type), 1)
