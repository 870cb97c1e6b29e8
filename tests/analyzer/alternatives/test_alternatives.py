"""What is advised for loops whose iterations have an order: each way beside code that only looks like it."""

from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import Alternative, Verdict
from analyzer.settings.options import AnalysisOptions, SourceOptions

from .programs import C

WANTED = {
    "running_elements": ("scan",),
    "running_downwards": ("scan",),
    "running_maximum": ("scan",),
    "running_variable": ("scan",),
    "running_before": ("scan",),
    "running_conditionally": ("scan",),
    "two_kept": ("scan",),
    "filter": ("recurrence",),
    "linear": ("recurrence",),
    "hash": ("recurrence",),
    "signed_hash": (),
    "squares": (),
    "changed_behind": (),
    "stored_when_large": (),
    "last_large": (),
    "reset": (),
    "tested_sum": (),
    "digits": (),
    "relaxation": ("wavefront", "colours"),
    "upper_left": ("wavefront",),
    "upper_right": ("wavefront",),
    "linearised": ("wavefront",),
    "longest_common": ("wavefront",),
    "triangle": ("wavefront",),
    "planes": ("wavefront", "colours"),
    "through_a_helper_variable": ("wavefront",),
    "transposed": (),
    "indirect_columns": (),
    "whole_rows": (),
    "sum_of_all": (),
    "moved_down": ("copy",),
    "moved_down_twice": ("copy",),
    "moved_up": ("scan",),
    "smoothed_in_place": (),
    "swapped": (),
    "four_apart": ("groups",),
    "three_and_six": ("groups",),
    "three_and_four": ("groups",),
    "unknown_apart": (),
    "kept": ("compaction",),
    "kept_in_place": (),
    "kept_decides": (),
    "kept_and_read": (),
    "kept_two": ("compaction",),
    "position_of": ("search",),
    "first_negative": ("search",),
    "until_sum": (),
    "stores_on_the_way": (),
    "scaled_list": ("nodes",),
    "sum_of_list": ("nodes",),
}
"""By function of `programs.C`: the kinds that its first loop has."""


@pytest.fixture(scope="module")
def found() -> dict[str, tuple[Alternative, ...]]:
    facts = analyze_file(Path("ways.c"), SourceOptions(), AnalysisOptions(), text=C)
    return {f.function.name: f.loops[0].alternatives for f in facts.functions if f.loops}


@pytest.mark.parametrize("function", WANTED)
def test_kinds(function: str, found: dict[str, tuple[Alternative, ...]]) -> None:
    assert tuple(way.kind for way in found[function]) == WANTED[function]


def test_every_function_is_asked_about(found: dict[str, tuple[Alternative, ...]]) -> None:
    assert set(found) == set(WANTED)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("running_variable", "`#pragma omp parallel for reduction(inscan,+:t)` above the loop"),
        ("running_variable", "`#pragma omp scan inclusive(t)` after `t += a[i]`"),
        ("running_before", "`#pragma omp scan exclusive(t)` before `t += a[i]`"),
        ("running_conditionally", "`#pragma omp scan inclusive(t)` after `if (a[i] > 0)`"),
        ("upper_right", "2*i + j"),
        ("four_apart", "`#pragma omp simd safelen(4)`"),
        ("three_and_six", "safelen(3)"),
        ("moved_down", "read `a[i + 1]` from a copy of `a`"),
    ],
)
def test_what_is_said(function: str, said: str, found: dict[str, tuple[Alternative, ...]]) -> None:
    assert said in found[function][0].text


def test_rounding_and_assumptions_are_named(found: dict[str, tuple[Alternative, ...]]) -> None:
    assert "the results are equal" in found["running_variable"][0].legality
    assert "params-distinct(a,s)" in found["running_variable"][0].legality
    assert "rounding differs" in found["filter"][0].legality
    assert found["relaxation"][1].legality.startswith("not equal")


def test_no_code_where_bounds_change(found: dict[str, tuple[Alternative, ...]]) -> None:
    assert found["upper_left"][0].code
    assert not found["triangle"][0].code
    assert not found["through_a_helper_variable"][0].code


@pytest.mark.parametrize(
    "text",
    [
        '#include "nowhere.h"\nvoid f(int n, real_t *restrict a) { for (int i = 1; i < n; i++) a[i] = a[i - 1]; }',
        "void f(int n, long double _Complex *a) { for (int i = 1; i < n; i++) a[i] = a[i - 1] + 1; }",
        "struct s { int v[4]; }; void f(int n, struct s *a) { for (int i = 1; i < n; i++) a[i] = a[i - 1]; }",
        "void f(int n, char **a) { for (int i = 1; i < n; i++) a[i] = a[i - 1]; }",
        "struct b { int x : 3; }; void f(int n, struct b *a) { for (int i = 1; i < n; i++) a[i].x = a[i - 1].x; }",
    ],
    ids=["undeclared", "complex", "structure", "pointers", "bits"],
)
def test_elements_of_any_type(text: str) -> None:
    facts = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), text=text)
    assert not facts.failed
    assert facts.functions[0].loops[0].parallelism.verdict in (Verdict.NO, Verdict.UNKNOWN)
