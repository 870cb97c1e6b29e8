"""The plain roofline: the smaller of two roofs, the ridge between them."""

import math

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import InputError
from models.perdome import Times, single
from models.roofline import attainable, limit, ridge_point, time

rates = st.floats(1e6, 1e15)


def test_both_sides_of_the_ridge() -> None:
    assert ridge_point(22e9, 13.9e9) == pytest.approx(1.583, abs=0.0005)
    assert attainable(22e9, 13.9e9, 1.0) == 13.9e9
    assert attainable(22e9, 13.9e9, 10.0) == 22e9
    assert attainable(22e9, 13.9e9, 0.0) == 0
    assert (limit(22e9, 13.9e9, 1.0), limit(22e9, 13.9e9, 10.0)) == ("memory", "compute")
    assert limit(4.0, 2.0, 2.0) == "compute"


@given(rates, rates, st.floats(1, 1e18), st.floats(1, 1e18))
def test_time_is_operations_over_what_is_attainable(peak: float, bandwidth: float, ops: float, traffic: float) -> None:
    assert time(ops, traffic, peak, bandwidth) == pytest.approx(ops / attainable(peak, bandwidth, ops / traffic))


@given(rates, rates, st.floats(0, 1e18), st.floats(0, 1e18), st.floats(1, 100))
def test_time_never_falls_when_work_grows_or_a_rate_shrinks(
    peak: float, bandwidth: float, ops: float, traffic: float, factor: float
) -> None:
    base = time(ops, traffic, peak, bandwidth)
    for worse in (
        time(ops * factor, traffic, peak, bandwidth),
        time(ops, traffic * factor, peak, bandwidth),
        time(ops, traffic, peak / factor, bandwidth),
        time(ops, traffic, peak, bandwidth / factor),
    ):
        assert worse >= base


@given(rates, rates, st.floats(0.001, 1000))
def test_perdome_for_one_processor_is_the_roofline(peak: float, bandwidth: float, intensity: float) -> None:
    assert single(Times(1 / peak, 1 / bandwidth), intensity) == pytest.approx(attainable(peak, bandwidth, intensity))


def test_arrays() -> None:
    axis = numpy.geomspace(0.01, 100, 1000)
    found = attainable(22e9, 13.9e9, axis)
    assert (numpy.diff(found) >= 0).all()
    assert found[0] == pytest.approx(attainable(22e9, 13.9e9, 0.01))
    assert found.max() == 22e9


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((0, 1, 1), "peak is 0"),
        ((1, -1, 1), "bandwidth is -1"),
        ((1, 1, math.nan), "intensity is nan"),
        ((1, math.inf, 1), "bandwidth is inf"),
        ((1, 1, "fast"), "no number"),
        ((1, 1, numpy.array([1.0, -2.0])), "intensity is -2"),
    ],
)
def test_what_is_no_rate_or_intensity(arguments: tuple[float, float, float], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        attainable(*arguments)
