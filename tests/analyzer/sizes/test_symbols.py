"""Which names of formulas are sizes: what a user can give one value, and no counter of a loop."""

from functools import cache
from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import FileFacts
from analyzer.settings.options import AnalysisOptions, SourceOptions
from analyzer.sizes.symbols import is_settable, settable

FIXTURE = Path(__file__).resolve().parents[3] / "fixtures" / "c" / "counters_and_sizes.c"


@cache
def file() -> FileFacts:
    return analyze_file(FIXTURE, SourceOptions(), AnalysisOptions())


@pytest.mark.parametrize(
    ("function", "sizes"),
    [
        ("counter", set()),
        ("parameter", {"i"}),
        ("left_over", {"m", "n"}),
        ("rows", {"n", "trip@46"}),
    ],
)
def test_sizes_of_a_function(function: str, sizes: set[str]) -> None:
    assert {s.name for s in file().symbols if s.scope == function} == sizes


def test_a_size_of_the_name_of_a_counter_is_none_in_the_loops_that_it_counts() -> None:
    function = next(f for f in file().functions if f.function.name == "counter")
    outer, inner = function.loops
    assert settable({"i": 5, "n": 3}, outer) == {"i": 5, "n": 3}
    assert settable({"i": 5, "n": 3}, inner) == {"n": 3}


def test_a_mean_trip_count_can_be_set_in_every_loop() -> None:
    for function in file().functions:
        assert all(is_settable("trip@46", loop) for loop in function.loops)
