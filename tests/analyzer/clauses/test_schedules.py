"""Which loops ask for a schedule: those whose iterations do not do the same."""

from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.settings.options import AnalysisOptions, SourceOptions

NESTS = {
    "for (int i = 0; i < n; i++) for (int j = i; j < n; j++) a[i * n + j] = 0;": ("static,1",),
    "for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) a[i * n + j] = 0;": ("static,1",),
    "for (int i = 0; i < n; i++) for (int k = 0; k < 3; k++) for (int j = 0; j < i; j++) a[(i * 3 + k) * n + j] = 0;":
        ("static,1",),
    "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i * n + j] = 0;": (),
    "for (int i = 0; i < n; i++) for (int j = i; j < i + m; j++) b[i] += a[j];": (),
    "for (int i = 0; i < n; i++) for (int j = p[i]; j < p[i + 1]; j++) b[i] += a[j];": (),
    "for (int i = 0; i < n; i++) a[i] = i;": (),
}  # fmt: skip


@pytest.mark.parametrize("nest", NESTS)
def test_triangles_are_taken_in_turn(nest: str) -> None:
    text = f"void f(int n, int m, double *restrict a, double *restrict b, int *restrict p) {{ {nest} }}"
    facts = analyze_file(Path("a.c"), SourceOptions(), AnalysisOptions(), text=text)
    outer = facts.functions[-1].loops[0]
    assert outer.parallelism.is_parallel, outer.parallelism
    assert outer.clauses.schedule == NESTS[nest]


def test_the_loop_inside_a_triangle_needs_none() -> None:
    text = "void f(int n, double *a) { for (int i = 0; i < n; i++) for (int j = i; j < n; j++) a[i * n + j] = 0; }"
    facts = analyze_file(Path("a.c"), SourceOptions(), AnalysisOptions(), text=text)
    assert facts.functions[-1].loops[1].clauses.schedule == ()
