"""Two times that are lines over one size meet where arithmetic says, to the size."""

from fractions import Fraction
from math import floor

from hypothesis import given
from hypothesis import strategies as st

from models.curves import LARGEST_SIZE, Line, last_loss
from models.expr import Expr, num, sym

starts, slopes = st.integers(0, 10**9), st.integers(0, 10**4)


def line(start: int, slope: int) -> Expr:
    return num(start) + num(slope) * sym("n")


def loss(host: Expr, device: Expr) -> int:
    """The largest size at which the device does not win."""
    known = Line({})
    return last_loss(known.curve(host), known.curve(device), 0.0)


@given(starts, slopes, starts, slopes)
def test_break_even_of_two_lines_is_exact(host_start: int, host_slope: int, start: int, slope: int) -> None:
    found = loss(line(host_start, host_slope), line(start, slope))
    if slope >= host_slope:  # the device never wins for good, or always
        expected = 0 if slope == host_slope and start < host_start else LARGEST_SIZE
    else:
        expected = max(0, floor(Fraction(start - host_start, host_slope - slope)))
    assert found == expected


@given(starts, st.integers(1, 10**4), st.integers(1, 10**6))
def test_it_is_exact_where_the_lines_meet_at_a_size(start: int, gain: int, size: int) -> None:
    host, device = line(start, gain + 7), line(start + gain * size, 7)
    assert loss(host, device) == size  # equal there: not yet won


@given(starts, st.integers(1, 10**4), starts, slopes, st.integers(2, 50))
def test_a_faster_device_wins_no_later(start: int, gain: int, device_start: int, slope: int, factor: int) -> None:
    host = line(start, slope + gain)
    once = loss(host, line(device_start, slope))
    faster = Fraction(1, factor)
    assert loss(host, line(device_start, slope) * num(faster)) <= once
