"""Steps of a nest: spent in the order of the text, by halves, and never more than there are."""

import pytest

from analyzer.polyhedra.effort import Effort, Shared, TooMuchWorkError


def test_an_effort_ends_with_its_last_step() -> None:
    effort = Effort(limit=10)
    effort.spend(10)
    with pytest.raises(TooMuchWorkError):
        effort.spend(1)


def test_without_a_limit_nothing_is_given_up() -> None:
    effort = Effort()
    effort.spend(10**15)
    assert effort.done == 10**15


def test_a_loop_leaves_half_to_those_after_it() -> None:
    shared = Shared(100)
    with shared.spending(alone=False) as outer:
        assert outer.limit == 50
        outer.spend(20)
    assert shared.left == 80
    with pytest.raises(TooMuchWorkError), shared.spending(alone=False) as greedy:
        greedy.spend(1000)
    assert shared.left == 0
    with pytest.raises(TooMuchWorkError), shared.spending(alone=False) as late:
        late.spend(1)


def test_a_loop_without_others_may_spend_all() -> None:
    shared = Shared(100)
    with shared.spending(alone=True) as effort:
        effort.spend(100)
    assert shared.left == 0
