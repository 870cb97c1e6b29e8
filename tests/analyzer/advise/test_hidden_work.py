"""Loops whose work is in functions that only compute and are not looked into."""

from pathlib import Path

from analyzer.advise.workloads import hidden_work, workload_of
from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import LoopFacts, Verdict
from analyzer.settings.options import AnalysisOptions, SourceOptions


def _loop(body: str) -> LoopFacts:
    text = f"""static int steps(int n) {{ return n < 2 ? 0 : 1 + steps(n % 3 ? n / 2 : n / 3); }}
static int half(int n) {{ return n / 2; }}
void f(int n, int *restrict a) {{ for (int i = 0; i < n; i++) {body} }}"""
    facts = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), text=text)
    return next(f for f in facts.functions if f.function.name == "f").loops[0]


def test_such_a_loop_is_parallel_and_gets_no_time() -> None:
    loop = _loop("a[i] = steps(i);")
    assert loop.parallelism.verdict is Verdict.YES
    assert hidden_work(loop) == "`steps`"
    assert workload_of(loop, (loop,)) is None


def test_what_is_looked_into_is_counted() -> None:
    loop = _loop("a[i] = half(i);")
    assert hidden_work(loop) is None
    assert workload_of(loop, (loop,)) is not None


def test_arithmetic_on_vectors_gets_no_time() -> None:
    text = """typedef float four __attribute__((vector_size(16)));
void f(int n, four *restrict a, const four *b) { for (int i = 0; i < n; i++) a[i] = b[i] * 2; }"""
    loop = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), text=text).functions[0].loops[0]
    assert loop.parallelism.verdict is Verdict.YES
    assert hidden_work(loop) == "arithmetic on vectors (intrinsics)"
    assert workload_of(loop, (loop,)) is None
