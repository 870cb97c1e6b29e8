"""Counts of loops that are read under conditions name the conditions that are not their own."""

from pathlib import Path

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import LoopFacts, Verdict
from analyzer.settings.options import AnalysisOptions, SourceOptions

LEFT_EARLY = """
int fill(int n, int m, int *a, int *b) {
    for (int i = 0; i < n; i++) {
        if (a[i] > 3) return 1;
        for (int k = 0; k < m; k++) b[k] = i;
    }
    for (int i = 0; i < n; i++) {
        if (b[i] > 3) return 1;
        a[i] = i;
    }
    return 0;
}
"""

CALLED = """
void other(int *);
void fill(int n, int m, double b[100][100]) {
    for (int i = 0; i < n; i++) {
        int k = i;
        other(&k);
        for (int j = 0; j < m; j++) b[i][j] = k;
    }
}
"""


def loops(text: str) -> tuple[LoopFacts, ...]:
    return analyze_file(Path("a.c"), SourceOptions(), AnalysisOptions(), text=text).functions[0].loops


def resting_on(loop: LoopFacts) -> tuple[str, ...]:
    assert loop.counts.executions is not None
    return loop.counts.executions.assumptions


def test_how_often_a_loop_inside_or_behind_is_entered_rests_on_exits_that_are_not_taken() -> None:
    outer, inner, behind = loops(LEFT_EARLY)
    assert [x.parallelism.verdict for x in (outer, inner, behind)] == [
        *(Verdict.CONDITIONAL, Verdict.YES, Verdict.CONDITIONAL)
    ]
    assert [*map(resting_on, (outer, inner, behind))] == [(), ("no-exit(4)",), ("no-exit(4)",)]
    assert inner.counts.iterations is not None
    assert not inner.counts.iterations.assumptions


def test_it_rests_on_calls_that_are_taken_to_do_no_more() -> None:
    outer, inner = loops(CALLED)
    assert outer.parallelism.verdict is Verdict.CONDITIONAL
    assert not resting_on(outer)
    assert resting_on(inner) == tuple(f"{c.kind}({c.text})" for c in outer.parallelism.conditions)
