"""CPU and GPU together: both finish at once, and only where that is worth writing."""

import pytest

from analyzer.advise.splitting import split
from models.prediction import Prediction, Refusal
from models.quantity import Range

from .answers import takes


def target(seconds: float, launch: float = 1e-6) -> Prediction:
    from msgspec.structs import replace

    return replace(takes("target", seconds, seconds, seconds), launch=Range(launch, launch, launch))


def threads(seconds: float) -> Prediction:
    return takes("host-threads", seconds, seconds, seconds)


def test_equal_times_are_halved() -> None:
    both = split(threads(2e-3), target(2e-3))
    assert both is not None
    assert both.time is not None
    assert both.time.likely == pytest.approx(1e-3, rel=1e-3)
    assert both.candidate == "split"
    assert both.assumptions[-1] == "50% of the iterations on xeon6248"


def test_both_finish_at_once() -> None:
    cpu_s, gpu_s, fixed = 3e-3, 1e-3, 1e-4
    both = split(threads(cpu_s), target(gpu_s, fixed))
    assert both is not None
    assert both.time is not None
    share = {t.name: t.value for t in both.terms}["x"]
    assert share is not None
    assert share * cpu_s == pytest.approx((1 - share) * (gpu_s - fixed) + fixed)
    assert both.time.likely == pytest.approx(share * cpu_s)


@pytest.mark.parametrize(
    ("cpu", "gpu"),
    [
        pytest.param(threads(10e-3), target(1e-3), id="the GPU does nearly all"),
        pytest.param(None, target(1e-3), id="no threads"),
        pytest.param(threads(1e-3), Refusal("gtx470", "exceeds-memory", "too large"), id="refused"),
    ],
)
def test_no_split(cpu: Prediction | None, gpu: Prediction | Refusal) -> None:
    assert split(cpu, gpu) is None
