"""How many pairs of accesses have to be tested, of those that are alike one."""

from collections.abc import Hashable, Iterator
from itertools import count
from typing import Any

import pytest

from analyzer.dependence.member_pairs import MemberPairs


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
    assert MemberPairs.__new__(MemberPairs).are_more_than(most, pairs) is expected


def test_no_more_are_looked_at_than_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MemberPairs, "_key", lambda self, a, b: None)

    def endless() -> Iterator[Any]:
        return ((k, k) for k in count())

    assert MemberPairs.__new__(MemberPairs).are_more_than(100, endless())
