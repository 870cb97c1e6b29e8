"""How many pairs of accesses have to be tested, of those that are alike one."""

from collections.abc import Collection, Hashable, Iterator
from itertools import count
from typing import Any

import pytest

from analyzer.dependence.member_pairs import MemberPairs
from analyzer.dependence.outcome import Independent
from analyzer.dependence.unguarded_pairs import UnguardedPairs

NO_SCOPE: Any = None
"""Nothing is asked of the loop where the keys of pairs are given."""


class Apart(UnguardedPairs):
    """One test, by which pairs of certain keys are apart."""

    def __init__(self, keys: Collection[Hashable]) -> None:
        super().__init__(NO_SCOPE)
        self.keys = keys

    def __len__(self) -> int:
        return 1

    def apart(self, source: Any, sink: Any) -> Independent | None:
        return Independent() if source in self.keys else None


@pytest.mark.parametrize(("most", "expected"), [(2, True), (3, False)])
def test_pairs_that_are_apart_whatever_the_conditions_count_as_one_test(
    most: int, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MemberPairs, "_key", lambda self, a, b: a)
    pairs: Any = [(key, key) for key in "abcde"]
    assert MemberPairs(NO_SCOPE, Apart("bce")).are_more_than(most, pairs) is expected


@pytest.mark.parametrize(
    ("keys", "most", "expected"),
    [
        (["a", "b", "a", "b"], 2, False),
        (["a", "b", "a", "c"], 2, True),
        ([None, None, "a"], 2, True),
        ([None, "a", "a"], 2, False),
        ([], 0, False),
    ],
)
def test_pairs_that_are_alike_count_once(
    keys: list[Hashable], most: int, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MemberPairs, "_key", lambda self, a, b: a)
    pairs: Any = [(key, key) for key in keys]
    assert MemberPairs(NO_SCOPE).are_more_than(most, pairs) is expected


def test_no_more_are_looked_at_than_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MemberPairs, "_key", lambda self, a, b: None)

    def endless() -> Iterator[Any]:
        return ((k, k) for k in count())

    assert MemberPairs(NO_SCOPE).are_more_than(100, endless())
