"""Break-even points are solved: the size below loses, the size itself wins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.advise import breakeven
from analyzer.advise.breakeven import Unsolved, break_even, one_at_a_time, smallest
from models.curves import LARGEST_SIZE, Line, NotACurveError
from models.expr import Expr, div, floordiv, maximum, num, parse, piecewise, sym
from models.prediction import Room
from models.quantity import between, exactly
from models.values import Value

N = sym("n")


@given(st.integers(2, LARGEST_SIZE))
def test_the_smallest_size_is_exact(edge: int) -> None:
    assert smallest(N, num(edge - 1), Line({})) == edge


def test_never_and_always() -> None:
    assert smallest(num(1), num(2), Line({})) is None
    assert smallest(num(2), num(1), Line({})) == 1


def test_an_early_win_that_does_not_last_is_not_the_answer() -> None:
    early = piecewise([(1 - N, num(9)), (N - 5000, num(9))], 0)
    assert smallest(early, num(1), Line({})) == 5000
    assert smallest(piecewise([(1000 - N, num(9))], 0), num(1), Line({})) is None


def test_polynomials_and_maxima() -> None:
    host = exactly(N * N * N * 1e-9)
    device = exactly(maximum(N * N * 1e-7, N * 1e-5) + 2e-4)
    point = break_even(host, device, {}, 0)
    assert point is not None
    assert point.likely == point.safe

    def seconds(n: int) -> tuple[float, float]:
        return n**3 * 1e-9, max(n**2 * 1e-7, n * 1e-5) + 2e-4

    assert point.likely is not None
    (below_host, below), (here_host, here) = seconds(point.likely - 1), seconds(point.likely)
    assert below_host <= below
    assert here_host > here


def test_the_safe_point_has_every_range_against_it() -> None:
    point = break_even(between(N * 1e-6, N * 2e-6, N * 4e-6), between(1e-3, 2e-3, 3e-3), {}, 0)
    assert point is not None
    assert (point.likely, point.safe) == (1001, 3001)


def test_sizes_of_which_one_is_subtracted_are_not_taken_as_equal() -> None:
    host = exactly((sym("last") - sym("first")) * 1e-6)
    assert break_even(host, exactly(1e-3), {}, 0) is None
    assert break_even(host, exactly(1e-3), {"first": 0}, 0) is not None


def test_known_sizes_are_put_in() -> None:
    host, device = exactly(N * sym("m") * 1e-6), exactly(1e-3)
    equal = break_even(host, device, {}, 0)
    assert equal is not None
    assert (equal.symbol, equal.likely) == ("m = n", 32)  # 31 * 31 < 1000 < 32 * 32
    point = break_even(host, device, {"m": 10}, 0)
    assert point is not None
    assert (point.symbol, point.likely) == ("n", 101)
    assert break_even(host, device, {"m": 10, "n": 5}, 0) is None


@pytest.mark.parametrize(("shortest", "expected"), [(0.0, 1), (2.0**-14, 64), (2.0**-10, 1024)])
def test_nothing_wins_below_the_shortest_time_worth_moving(shortest: float, expected: int) -> None:
    point = break_even(exactly(N * 2.0**-20), exactly(N * 2.0**-30), {}, shortest)
    assert point is not None
    assert point.likely == expected


def test_equal_sizes_that_leave_nothing_to_do_say_nothing() -> None:
    work = exactly(div(N * 1e-6, N - sym("m")))
    assert break_even(work, exactly(sym("m") * 1e-9), {}, 0) is None
    rows = exactly(maximum(0, N - 2 * sym("radius")) * 1e-6)
    assert break_even(rows, exactly(1e-9), {}, 0) is None
    assert break_even(rows, exactly(1e-9), {"radius": 1}, 0) is not None


def test_of_several_sizes_each_is_solved_for_alone_with_the_others_at_a_typical_value() -> None:
    points = list(one_at_a_time(exactly(N * sym("m") * 1e-6), exactly(N * 1e-6 + 1e-2), {}, 0))
    assert [(p.symbol, p.likely, p.given) for p in points] == [("m", 12, (("n", 1000),)), ("n", 11, (("m", 1000),))]


def test_data_that_is_there_already_needs_no_copy() -> None:
    host, device, copies = exactly(N * 3e-9), exactly(N * 4e-9 + 1e-5), exactly(N * 3e-9)
    point = break_even(host, device, {}, 0, copies)
    assert point is not None
    assert (point.likely, point.resident_likely) == (None, 5001)


def test_sizes_whose_data_does_not_fit_do_not_count() -> None:
    host, device = exactly(N * 1e-6), exactly(N * 0.5e-6 + 1e-3)
    late = break_even(host, device, {}, 0, room=Room(N * 8, 8000.0))
    early = break_even(host, device, {}, 0, room=Room(N * 8, 80000.0))
    assert late is not None
    assert early is not None
    assert (late.likely, early.likely) == (None, 2001)


@given(st.sampled_from([48, 100, 128, 256, 1000]), st.integers(0, 300), st.integers(1, 9), st.integers(0, 3000))
def test_of_blocks_the_smallest_size_is_the_one_after_the_last_loss(
    block: int, more: int, each: int, start: int
) -> None:
    """The host works through whole blocks, the device through what there is."""
    host, device = floordiv(N + more, block) * (2 * block * each), N * each + start
    found = smallest(host, device, Line({}))

    def wins(n: int) -> bool:
        return (n + more) // block * 2 * block * each > n * each + start

    last = max((n for n in range(1, 12_000) if not wins(n)), default=0)
    assert found == last + 1


def test_what_cannot_be_solved_says_why() -> None:
    """A length that is rounded by a size has no pieces."""
    rounded = exactly(floordiv(N * N, N + 3) * 1e-6)
    point = break_even(rounded, exactly(1e-3), {}, 0)
    assert isinstance(point, Unsolved)
    assert (point.symbol, point.reason) == ("n", "a quotient by a size is rounded")


def test_times_without_a_value_are_not_looked_for_size_by_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """0/0 is nothing for the curve, and has no value at any size."""
    asked: list[int] = []

    class Counted(Line):
        def at(self, time: Value | Expr, n: int) -> float:
            asked.append(n)
            return super().at(time, n)

    line = Counted({"z": 0, "y": 0})
    with pytest.raises(NotACurveError, match="rounding hides it near 51"):
        smallest(parse("n"), parse("z*n/(z + y) + 50"), line)
    assert len(asked) < 10


@pytest.mark.parametrize(("n", "first"), [(700, 100), (101, 100), (100, 100), (99, 100), (1, 100), (2, 1), (1, 1)])
def test_the_size_that_rounding_hid_is_found_in_few_steps(n: int, first: int) -> None:
    asked: list[int] = []

    def wins(size: int) -> bool:
        asked.append(size)
        return size >= first

    assert breakeven._exact(n, LARGEST_SIZE, wins) == first
    assert len(asked) <= 24
