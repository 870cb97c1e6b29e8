"""What is said of an inner loop whose executions do not do the same: of all together, of the mean one, of the ends."""

import re
from pathlib import Path

from analyzer.report.document import CountEntry, LoopEntry
from analyzer.report.text import Style, render

from .documents import ROOT, analysed

FIXTURE = ROOT / "fixtures" / "c" / "triangular_costs.c"
N, M = 60, 40


def loops(function: str, path: Path = FIXTURE) -> list[LoopEntry]:
    return [loop for loop in analysed(path).files[0].loops if loop.function == function]


def ends(count: CountEntry | None) -> tuple[object, ...]:
    assert count is not None
    return count.low, count.value, count.high, count.exact


def test_counts_that_change_have_ends_and_no_value() -> None:
    outer, first, middle, inner = loops("update")
    assert ends(outer.trip_count) == (N, N, N, True)
    assert ends(first.trip_count) == (1, None, N, True)
    assert ends(middle.counts.iterations) == (M, None, M * N, True)
    assert ends(middle.trip_count) == (M, M, M, True)
    assert ends(inner.counts.stores) == (1, None, N, True)


def test_counts_that_do_not_change_have_a_value() -> None:
    for loop in loops("product"):
        if loop.executions is not None and loop.executions.value == 1:
            assert ends(loop.counts.iterations)[1] is not None


def test_sizes_that_are_open_leave_the_ends_open() -> None:
    outer, inner = loops("band")
    assert ends(outer.trip_count)[1] == 20
    assert inner.trip_count is not None
    assert inner.trip_count.value is None
    assert all(p.one_execution_s is None for p in inner.predictions)


def test_the_mean_execution_is_between_the_least_and_the_most() -> None:
    seen = 0
    for loop in analysed(FIXTURE).files[0].loops:
        changes = loop.trip_count is not None and loop.trip_count.value is None and loop.trip_count.high is not None
        for p in loop.predictions:
            if p.time_s is not None and p.one_execution_s is not None:
                seen += 1
                assert p.one_execution_s.low <= p.time_s.likely <= p.one_execution_s.high
                assert loop.parent is not None
            if loop.executions is not None and loop.executions.value == 0:
                assert p.one_execution_s is None
            elif changes and p.candidate == "host" and len(loop.nest) == 1:
                assert p.one_execution_s is not None, loop.id
                assert p.one_execution_s.low < p.one_execution_s.high, loop.id
    assert seen


def test_loops_inside_one_take_no_longer_than_it_on_the_host() -> None:
    """Alone, the column of A in `product` and what `update` adds to C come from memory in each execution."""
    found = analysed(FIXTURE).files[0].loops
    hosts = {loop.id: p for loop in found for p in loop.predictions if p.candidate == "host"}
    inner: dict[str, float] = {}
    capped = 0
    for loop in found:
        p = hosts.get(loop.id)
        if p is not None and p.all_executions_s is not None and p.time_s is not None and loop.executions is not None:
            inner[loop.parent or ""] = inner.get(loop.parent or "", 0.0) + p.all_executions_s.likely
            assert isinstance(loop.executions.value, (int, float))
            capped += p.all_executions_s.likely < 0.99 * loop.executions.value * p.time_s.likely
    assert capped
    for key, together in inner.items():
        around = hosts[key].all_executions_s or hosts[key].time_s
        assert around is not None
        assert together <= around.likely * (1 + 1e-9), key
    for loop in found:
        own, around = hosts.get(loop.id), hosts.get(loop.parent or "")
        if own is not None and own.all_executions_s is not None and around is not None:
            whole = around.all_executions_s or around.time_s
            assert whole is not None
            assert own.all_executions_s.high <= whole.high * (1 + 1e-9), loop.id


def test_text_says_of_how_many_executions_its_times_are() -> None:
    text = re.sub(r"\s+", " ", render(analysed(FIXTURE), Style(width=200)))
    said = r"time in all 60 executions: host [\d.]+ [mun]s.*? each on average \(least to most\): host [\d.]+ [mun]s \("
    assert re.search(said, text)
