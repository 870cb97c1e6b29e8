"""What is touched of several arrays is their sum under an assumption, or a bound: against calls in which two are one.

Each function of the fixture is called with what it may be given; the addresses that a call reads are collected by a
model of the loop in Python, and no count that claims to be exact without an assumption may differ from them."""

from functools import cache
from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import Count, LoopFacts
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.expr import evaluate

FIXTURE = Path(__file__).resolve().parents[3] / "fixtures" / "c" / "shared_reads.c"
N, M = 6, 5
SIZES = {"n": N, "m": M}


@cache
def loops() -> dict[str, LoopFacts]:
    facts = analyze_file(FIXTURE, SourceOptions(), AnalysisOptions())
    return {f.function.name: next(loop for loop in f.loops if loop.parent is None) for f in facts.functions}


ASSUMED = {
    "dot": ("params-distinct(x,y)",),
    "dot_of_restrict": (),
    "with_a_global": ("params-distinct(G,x)",),
    "of_members": ("members-distinct(s)",),
    "one_through_a_local": (),
    "two_rows": ("rows-distinct(r)",),
    "all_rows": ("rows-distinct(r)",),
}


@pytest.mark.parametrize("name", ASSUMED)
def test_a_sum_over_arrays_says_what_it_assumes(name: str) -> None:
    counts = loops()[name].counts
    for count in (counts.footprint, counts.read_footprint, counts.transfer_in):
        assert count is not None
        assert count.exact
        assert count.assumptions == ASSUMED[name]
    assert counts.operational_intensity is not None
    assert counts.operational_intensity.assumptions == ASSUMED[name]
    assert counts.write_footprint == Count(counts.write_footprint.expr) if counts.write_footprint else False


def _bytes(*addresses: int) -> int:
    return 8 * len(set(addresses))


ONE = {
    "dot": _bytes(*range(N), *range(N)),
    "with_a_global": _bytes(*range(100), *range(100)),
    "of_members": _bytes(*range(N), *range(N)) + 16,
    "made_one": _bytes(*range(N), *range(N)) + 16,
    "two_rows": _bytes(*range(N), *range(N)) + 16,
    "all_rows": _bytes(*range(M)) + 8 * N,
}
"""Bytes that a call reads in which the two arrays, or all the rows, are one: elements, and pointers to them."""


@pytest.mark.parametrize("name", ONE)
def test_a_call_in_which_two_arrays_are_one_contradicts_nothing(name: str) -> None:
    """Either an assumption that this call breaks is listed, or the bounds hold for it."""
    for count in (loops()[name].counts.footprint, loops()[name].counts.read_footprint):
        assert count is not None
        if count.assumptions:
            assert all(text.partition("(")[0].endswith("-distinct") for text in count.assumptions)
            assert name in ASSUMED
            continue
        assert not count.exact
        assert count.low is not None
        assert count.high is not None
        assert evaluate(count.low, SIZES) <= ONE[name] <= evaluate(count.high, SIZES)


def test_what_is_written_alone_names_no_array_that_is_only_read(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("void f(int n, double *a, const double *b, const double *d) {\n"
                    "  for (int i = 0; i < n; i++) a[i] = b[i] + d[i];\n}\n")  # fmt: skip
    counts = analyze_file(path, SourceOptions(), AnalysisOptions()).functions[0].loops[0].counts
    assert counts.write_footprint is not None
    assert counts.read_footprint is not None
    assert counts.write_footprint.assumptions == ()
    assert counts.read_footprint.assumptions == ("params-distinct(b,d)",)
