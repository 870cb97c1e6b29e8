"""Variables of which each thread has its own, and pointers that lead to the one of another thread."""

from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import LoopFacts
from analyzer.settings.options import AnalysisOptions, SourceOptions

DECLARED = """
static _Thread_local double q[8]; static _Thread_local int k; static _Thread_local double *at;
static _Thread_local struct { double v[4]; int n; } s;
static void set(double *p, double v) { p[0] = v; }
static void put(int *p, double v) { *p = v; }
static double *own(void) { return q; }
void f(int n, double *restrict y, const double *restrict x, const int *restrict idx)
"""


def last_loop(body: str) -> LoopFacts:
    facts = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), None, f"{DECLARED}{{ {body} }}")
    return facts.functions[-1].loops[-1]


I = "for (int i = 0; i < n; i++)"  # noqa: E741


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        (f"{I} {{ set(q, x[i]); y[i] = q[0]; }}", "conditional"),  # nobody reads q[0] later
        (f"{I} {{ put(&k, x[i]); y[i] = k; }}", "conditional"),
        (f"double *p = q; {I} {{ set(q, x[i]); y[i] = p[0]; }}", "unknown"),  # p: also the name of a parameter
        (f"double *z = q; {I} {{ q[0] = x[i]; y[i] = z[0]; }}", "unknown"),
        (f"double *z = q; {I} {{ q[0] = x[i]; double *w = z; y[i] = w[0]; }}", "unknown"),
        (f"int *p = &k; {I} {{ k = x[i]; y[i] = *p; }}", "unknown"),
        (f"int *p = &k; {I} {{ put(&k, x[i]); y[i] = *p; }}", "unknown"),
        (f"int *p = &k; {I} {{ *p = x[i]; y[i] = k; }}", "unknown"),
        (f"at = q; {I} {{ q[0] = x[i]; y[i] = at[0]; }}", "unknown"),
    ],
)
def test_a_pointer_from_before_the_loop_leads_to_the_variable_of_one_thread(body: str, verdict: str) -> None:
    assert last_loop(body).parallelism.verdict.value == verdict


@pytest.mark.parametrize(
    ("body", "renamed"),
    [
        (f"{I} y[i] = x[i] * k;", ["k"]),
        (f"{I} y[i] = q[idx[i]] + x[i];", ["q"]),
        (f"{I} y[i] = s.v[idx[i]] * s.n;", ["s"]),
        ("for (int i = 0; i < 8; i++) own()[i] = x[i];", ["q"]),
        ("for (int i = 0; i < 8; i++) at[i] = x[i];", ["at"]),
        ("double *z = q; for (int i = 0; i < 8; i++) z[i] = x[i];", []),  # all iterations use one array
        (f"int *p = &k; {I} y[i] = x[i] * *p;", []),
    ],
)
def test_what_all_iterations_share_gets_a_name_unless_a_pointer_leads_there(body: str, renamed: list[str]) -> None:
    loop = last_loop(body)
    assert loop.parallelism.verdict.value == "yes"
    assert [r.object for r in loop.clauses.rewrites] == renamed
