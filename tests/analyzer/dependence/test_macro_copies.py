"""Loops that stand in the IR more than once are one loop of the source."""

from pathlib import Path

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import LoopFacts, Verdict
from analyzer.settings.options import AnalysisOptions, SourceOptions

TWO = "#define TWO(A, B) for (int i = 0; i < n; i++) A[i] = 0; for (int j = 0; j < m; j++) B[j] = B[j + 1]\n"


def facts_of(text: str) -> dict[str, LoopFacts]:
    found = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), None, text)
    return {loop.id.rpartition("t.c:")[2]: loop for f in found.functions for loop in f.loops}


def test_two_loops_of_one_macro_keep_their_own_answers_in_both_copies() -> None:
    found = facts_of(
        f"{TWO}void f(int k, int n, int m, int *a, int *b) {{\n"
        "switch (k) { case 0: n++; case 1: TWO(a, b); }\n}\n"
    )
    assert [(id_, loop.parallelism.verdict) for id_, loop in found.items()] == [
        ("f:3:35", Verdict.YES),
        ("f:3:35#2", Verdict.NO),
    ]
    first, second = found.values()
    assert first.counts.trip_count is None  # n, or n + 1
    assert second.counts.trip_count is not None
    assert second.counts.trip_count.exact


def test_what_each_copy_rests_on_is_named() -> None:
    (loop,) = facts_of(
        "void f(int k, int n, int *a, int *b, int *c) {\nint *p = b;\n"
        "switch (k) { case 0: return; case 1: p = c; break; }\nfor (int i = 0; i < n; i++) a[i] = p[i];\n}\n"
    ).values()
    assert loop.parallelism.verdict is Verdict.YES
    assert [a.text for a in loop.parallelism.assumptions] == ["a,b", "a,c"]


def test_a_sum_in_one_way_and_no_sum_in_another_is_not_known() -> None:
    (loop,) = facts_of(
        "int f(int k, int n, int *a) {\nint d = 0, s = 0;\n"
        "switch (k) { case 0: return 0; case 1: d = 1; break; }\n"
        "for (int i = 0; i < n; i++) a[d * i] += i;\nreturn s;\n}\n"
    ).values()
    assert loop.parallelism.verdict is Verdict.UNKNOWN
    assert loop.parallelism.reason is not None
    assert loop.parallelism.reason.code == "irregular-control-flow"
