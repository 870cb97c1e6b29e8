"""What is said of loops that keep the best value so far and its position."""

import pytest

from analyzer.facts.loop import Verdict

from ..dependence.answers import answer

I = "for (int i = 0; i < n; i++)"  # noqa: E741
AFTER = "return k + (s > 0);"
PAIR = "value so far in `s` and its position in `k`"


@pytest.mark.parametrize(
    ("expected", "c"),
    [
        (f"the smallest {PAIR}", f"{I} if (a[i] < s) {{ s = a[i]; k = i; }} {AFTER}"),
        (f"the largest {PAIR}", f"{I} if (s <= a[i]) {{ k = i; s = a[i]; }} {AFTER}"),
        (
            "the largest value so far in `s` and its position in `k` and `m`",
            f"{I} if (fabs(a[i]) > s) {{ s = fabs(a[i]); k = i; m = idx[i]; }} {AFTER} return m;",
        ),
        (
            f"the smallest {PAIR}",
            f"{I} if (!q[i] && a[i] < s) {{ s = a[i]; k = i; }} {AFTER}",
        ),
        ("in `k` where the largest value so far was", f"{I} if (a[i] > a[k]) k = i; {AFTER}"),
        ("in `k` where the smallest value so far was", f"{I} if (c[k].x >= c[i].x) k = i; {AFTER}"),
    ],
)
def test_a_best_value_and_its_position_are_named(expected: str, c: str) -> None:
    found = answer(c.replace(I, f"{I} if (s < 7 && k < 9)"))  # so that no threads can find their own
    assert found.verdict is not Verdict.YES
    assert found.reason is not None
    assert found.reason.code == "carried-dependence"
    assert f"keeps {expected}: each iteration needs those before" in found.reason.message


@pytest.mark.parametrize(
    "c",
    [
        f"{I} if (a[i] < s) {{ s = a[i]; k = i; }} {AFTER}",
        f"{I} if (!q[i] && a[i] < s) {{ s = a[i]; k = i; }} {AFTER}",
        f"{I} if (a[i] > a[k]) k = i; {AFTER}",
    ],
)
def test_threads_find_their_own(c: str) -> None:
    assert answer(c).verdict is Verdict.YES


@pytest.mark.parametrize(
    "c",
    [
        f"{I} if (a[i] < s) {{ s = a[i + 1]; k = i; }} {AFTER}",  # another value is kept
        f"{I} if (a[i] > a[k]) k = k + 1; {AFTER}",
        f"{I} if (a[i] > a[k] + a[k + i]) k = i; {AFTER}",
    ],
)
def test_other_values_of_earlier_iterations_are_not(c: str) -> None:
    found = answer(c)
    assert found.reason is not None
    assert "so far" not in found.reason.message


def test_the_best_value_alone_is_a_reduction() -> None:
    assert answer(f"{I} if (a[i] < s) s = a[i]; return s > 0;").verdict is Verdict.YES
