"""Clauses and rewrites of memory that a function hands out: its name in a clause leaves the pointers to it behind."""

from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import Verdict
from analyzer.settings.options import AnalysisOptions, SourceOptions

FILE = """static double pool[64], other[64], sum;
static double *of_pool(int n) { return pool + n; }
static double *of_other(int n) { return other + n; }
static double *passed(double *p, int n) { return p + n; }
static double *of_sum(void) { return &sum; }
static void set(double **p) { *p = pool + 8; }
static void add(double *p, int k, double v) { p[k] += v; }
"""
ARGUMENTS = "int n, int m, const int *restrict idx, double *restrict x"
SUM = "for (int i = 0; i < n; i++) w[idx[i] & 15] += x[i];"
BUFFER = "for (int i = 0; i < n; i++) {{ for (int k = 0; k < 8; k++) {0}[k] = x[i] + k; x[i] = {1}[3]; }}"


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (f"double *w = of_pool(3); {SUM}", "atomic(w[idx[i] & 15])"),
        (f"double *w; w = of_pool(3); {SUM}", "atomic(w[idx[i] & 15])"),
        (f"double *w = passed(of_pool(3), 4); {SUM}", "atomic(w[idx[i] & 15])"),
        (f"double *v = of_pool(3), *w = v + 1; {SUM}", "atomic(w[idx[i] & 15])"),
        (f"double *w; set(&w); {SUM}", "atomic(w[idx[i] & 15])"),
        ("double *w = of_pool(3); for (int i = 0; i < n; i++) add(w, idx[i] & 15, x[i]);", "atomic(p[k])"),
        ("double *w = of_sum(); for (int i = 0; i < n; i++) *w += x[i];", "thread-copy(sum: w)"),
        ("double *w = of_pool(0); " + BUFFER.format("w", "pool"), "thread-copy(pool: w)"),
        ("double *w = of_pool(0); " + BUFFER.format("pool", "w"), "thread-copy(pool: w)"),
        ("for (int i = 0; i < n; i++) pool[idx[i] & 15] += x[i];", "reduction(pool)"),
        ("double *w = of_other(3); for (int i = 0; i < n; i++) pool[idx[i] & 15] += w[i];", "reduction(pool)"),
        (
            "double *w = of_pool(3); for (int i = 0; i < n; i++) other[idx[i] & 15] += x[i] * w[0];",
            "reduction(other)",
        ),
    ],
)
def test_pointers_that_a_callee_makes(function: str, wanted: str) -> None:
    text = f"{FILE}void f({ARGUMENTS}) {{ {function} }}"
    facts = analyze_file(Path("a.c"), SourceOptions(), AnalysisOptions(), text=text)
    loop = facts.functions[-1].loops[0]
    assert loop.parallelism.verdict is Verdict.YES, loop.parallelism
    found = loop.clauses
    said = [f"reduction({r.variable})" for r in found.reductions]
    said += [f"first({name})" for name in found.first_private] + [f"last({name})" for name in found.last_private]
    for r in found.rewrites:
        said.append(f"{r.kind}({r.object}{''.join(f': {p}' for p in r.pointers)})")
    assert " ".join(said) == wanted
