"""Which level of a nest moves: the one with the least time for all of it."""

import pytest

from analyzer.advise.nests import Level, weigh
from analyzer.advise.recommendation import Recommendation

from .answers import loop

OFFLOAD = Recommendation("offload", "faster-on-target", "fast", "gtx470", "target")
SERIAL = Recommendation("host", "carried-dependence", "x needs x")
UNKNOWN = Recommendation("cannot-model", "may-alias", "p and q")
SLOW = Recommendation("host", "transfer-bound", "copies")


def level(name: str, alone: Recommendation, host_s: float, moved_s: float | None, parent: str | None = None) -> Level:
    return Level(loop(name, parent), alone, host_s, moved_s)


def weighed(*levels: Level) -> dict[str, tuple[str, str]]:
    return {key: (r.verdict, r.code) for key, r in weigh({found.loop.id: found for found in levels}).items()}


def test_a_loop_that_moves_takes_its_nest_along() -> None:
    found = weighed(level("outer", OFFLOAD, 10, 1), level("inner", OFFLOAD, 10, 5, "outer"))
    assert found == {"outer": ("offload", "faster-on-target"), "inner": ("host", "parent-better")}


@pytest.mark.parametrize("inner", [SERIAL, UNKNOWN, SLOW])
def test_what_is_inside_need_not_be_parallel(inner: Recommendation) -> None:
    found = weighed(level("outer", OFFLOAD, 10, 1), level("inner", inner, 10, None, "outer"))
    assert found["inner"] == ("host", "parent-better")


def test_children_that_are_faster_on_their_own_win() -> None:
    found = weighed(
        level("outer", OFFLOAD, 10, 5), level("a", OFFLOAD, 6, 1, "outer"), level("b", OFFLOAD, 3, 1, "outer")
    )
    assert found["outer"] == ("host", "children-better")  # 1 + 1 and 1 that remains on the host, against 5
    assert found["a"] == found["b"] == ("offload", "faster-on-target")


def test_what_remains_on_the_host_counts_against_the_children() -> None:
    found = weighed(level("outer", OFFLOAD, 10, 5), level("a", OFFLOAD, 4, 1, "outer"))
    assert found["outer"] == ("offload", "faster-on-target")  # 1 and 6 that remain, against 5


@pytest.mark.parametrize("outer", [SERIAL, UNKNOWN, SLOW])
def test_a_loop_that_does_not_move_points_at_those_inside_that_do(outer: Recommendation) -> None:
    found = weighed(level("outer", outer, 10, None), level("inner", OFFLOAD, 9, 1, "outer"))
    assert found == {"outer": ("host", "children-better"), "inner": ("offload", "faster-on-target")}


def test_without_anything_that_moves_every_loop_keeps_its_own_reason() -> None:
    found = weighed(level("outer", SERIAL, 10, None), level("inner", SLOW, 9, None, "outer"))
    assert found == {"outer": ("host", "carried-dependence"), "inner": ("host", "transfer-bound")}


def test_three_levels() -> None:
    found = weighed(
        level("time", SERIAL, 10, None),
        level("rows", OFFLOAD, 9, 1, "time"),
        level("columns", OFFLOAD, 9, 6, "rows"),
    )
    assert [code for _, code in found.values()] == ["children-better", "faster-on-target", "parent-better"]
