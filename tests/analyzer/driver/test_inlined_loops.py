"""What a loop takes that calls functions with loops: their iterations, memory and vectors are its own."""

from pathlib import Path

import pytest

from analyzer.advise.averages import averaged
from analyzer.advise.bodies import bodies
from analyzer.advise.reuse import passes
from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import LoopFacts, Verdict
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.expr import evaluate
from models.incore import Body

CALLEES = """
static void fill(double *a, long n, double x) { for (long i = 0; i < n; i++) a[i] = x; }
static double sum(const double *a, long n) { double s = 0; for (long i = 0; i < n; i++) s += a[i]; return s; }
static void running(double *a, long n) { for (long i = 1; i < n; i++) a[i] += a[i - 1]; }
static void rows(double *a, long n, long m) { for (long i = 0; i < n; i++) fill(a + i * m, m, 1.0); }
static double get(const double *a, long m, long i, long j) { return a[i * m + j]; }
"""


def outermost(tmp_path: Path, text: str) -> LoopFacts:
    """The outermost loop of the function f, in its mean entry."""
    source = tmp_path / "a.c"
    source.write_text(CALLEES + text, encoding="utf-8")
    functions = analyze_file(source, SourceOptions(), AnalysisOptions(), tmp_path).functions
    found = next(f for f in functions if f.function.name == "f")
    return averaged(found.loops)[0]


def inside(tmp_path: Path, text: str) -> tuple[Body, ...]:
    loop = outermost(tmp_path, text)
    return bodies(loop, (loop,))


CALLS = {
    "for (long k = 0; k < t; k++) fill(a, n, k);": ("compiled", "n*t"),
    "for (long k = 0; k < t; k++) b[k] = sum(a + n * k, n);": ("reordered", "n*t"),
    "for (long k = 0; k < t; k++) running(a, n);": ("never", "n*t - t"),
    "for (long k = 0; k < t; k++) if (b[k] > 0) fill(a, n, k);": ("compiled", "n*t"),
    "for (long k = 0; k < t; k++) rows(a, n, t);": ("compiled", "n*t*t"),
}


@pytest.mark.parametrize("call", CALLS)
def test_loops_of_called_functions_have_bodies(tmp_path: Path, call: str) -> None:
    vectors, iterations = CALLS[call]
    found = inside(tmp_path, f"void f(long t, long n, double *a, double *b) {{ {call} }}")
    sizes = {"n": 50.0, "t": 7.0}
    expected = eval(iterations, {}, sizes) * (0.5 if "if" in call else 1)
    assert found[-1].vectors == vectors
    assert float(evaluate(found[-1].iterations, sizes)) == expected
    assert len(found) == (3 if "rows" in call else 2)


def test_data_that_a_called_loop_goes_through_again_passes_again(tmp_path: Path) -> None:
    loop = outermost(tmp_path, "void f(long t, long n, double *a) { for (long k = 0; k < t; k++) fill(a, n, k); }")
    ((_, each_time), (held, once)) = passes(loop, (loop,))["a"]
    sizes = {"n": 50.0, "t": 7.0}
    assert [float(evaluate(e, sizes)) for e in (each_time, held, once)] == [7 * 400, 400, 400]


def test_a_getter_leaves_one_loop(tmp_path: Path) -> None:
    text = """
    void f(long n, double *restrict a, double *restrict b) {
        for (long i = 0; i < n; i++) b[i] = get(a, 1, i, 0);
    }"""
    (found,) = inside(tmp_path, text)
    assert found.vectors == "compiled"
    assert [(a.kind, a.pace) for a in found.accesses] == [("load", "unit"), ("store", "unit")]


def test_a_triangle_of_calls_has_its_mean(tmp_path: Path) -> None:
    found = inside(tmp_path, "void f(long n, double *a) { for (long k = 0; k < n; k++) fill(a, k, 1.0); }")
    assert float(evaluate(found[-1].iterations, {"n": 9.0})) == 36


@pytest.mark.parametrize(
    "text",
    [
        "int g(int); void f(long n, double *a) { for (long k = 0; k < n; k++) a[k] = g(k); }",
        "static int h(int x) { return x ? h(x - 1) : 0; }"
        "void f(long n, int *a) { for (long k = 0; k < n; k++) a[k] = h(k); }",
    ],
    ids=["not seen", "recursive"],
)
def test_what_is_not_followed_has_no_loops_here(tmp_path: Path, text: str) -> None:
    assert outermost(tmp_path, text).inlined == ()


def test_a_called_loop_is_listed_where_it_is_defined_only(tmp_path: Path) -> None:
    loop = outermost(tmp_path, "void f(long t, long n, double *a) { for (long k = 0; k < t; k++) running(a, n); }")
    assert loop.nest == (loop.id,)
    (inner,) = loop.inlined
    assert inner.parent == loop.id
    assert inner.parallelism.verdict is Verdict.NO
    assert inner.parallelism.reason is not None
