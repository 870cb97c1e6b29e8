"""What a program gains, with the ranges of its loops and links."""

import pytest

from analyzer.program.answer import Copied, Placed
from analyzer.program.gains import EXACT, ends, gain
from models.quantity import Range


def placed(
    candidate: str, today_s: float | None, time_s: float | None, here: Range = EXACT, today: Range = EXACT
) -> Placed:
    return Placed(
        loop="l", function="f", path="a.c", line=1, end_line=2, calls=(), device="h200", candidate=candidate,
        executions=1.0, time_s=time_s, today_s=today_s, alone="h200", reason="", arrays=(), deep=(), ends=here,
        today_ends=today,
    )  # fmt: skip


def copied(time_s: float) -> Copied:
    return Copied("a", "host", "h200", 8.0, 1.0, None, None, "f", time_s)


TWICE = Range(0.5, 1.0, 2.0)


def test_host_and_device_are_at_opposite_ends() -> None:
    assert gain((placed("target", 10.0, 1.0, TWICE, TWICE),), (), {}) == Range(2.5, 10.0, 40.0)


def test_what_stays_takes_as_long_before_as_after() -> None:
    stays = placed("host", 10.0, 10.0, TWICE, TWICE)
    assert gain((stays,), (), {}) == Range(1.0, 1.0, 1.0)
    low, likely, high = 15 / (5 + 2), 30 / (10 + 1), 60 / (20 + 0.5)
    found = gain((stays, placed("target", 20.0, 1.0, TWICE, TWICE)), (), {})
    assert (found.low, found.likely, found.high) == pytest.approx((low, likely, high))


def test_copies_have_the_range_of_their_link() -> None:
    found = gain((placed("target", 10.0, 1.0),), (copied(4.0),), {"h200": TWICE})
    assert (found.low, found.likely, found.high) == pytest.approx((10 / 9, 2.0, 10 / 3))


def test_what_has_no_time_counts_nothing() -> None:
    assert gain((placed("host", None, None), placed("target", 4.0, 2.0)), (), {}) == Range(2.0, 2.0, 2.0)
    assert gain((), (), {}) == Range(1.0, 1.0, 1.0)


def test_the_ends_of_no_time_are_those_of_a_number() -> None:
    assert ends(0.0, 0.0, 0.0) == EXACT
