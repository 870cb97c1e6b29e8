"""Loops inside whose length changes with the loops around: the nest as a whole knows their mean, not each length."""

from pathlib import Path

from analyzer.advise.workloads import workload_of
from analyzer.driver.analysis import analyze_file
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.expr import free_symbols

ROWS = """void f(int n, int *restrict ptr, double *restrict v, double *restrict y) {
    for (int i = 0; i < n; i++)
        for (int j = ptr[i]; j < ptr[i + 1]; j++)
            y[i] += v[j];
}
"""


def test_the_length_of_one_row_is_no_size_of_the_nest() -> None:
    loops = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), text=ROWS).functions[0].loops
    outer = workload_of(loops[0], loops)
    assert outer is not None
    assert outer.parallel_iterations is not None
    assert free_symbols(outer.parallel_iterations) <= {"n", "trip@3"}
    sweeps = [array.sweep for array in outer.arrays if array.sweep is not None]
    assert sweeps
    assert all(free_symbols(sweep) <= {"n", "trip@3"} for sweep in sweeps)
    inner = workload_of(loops[1], loops[1:])
    assert inner is not None
    assert inner.parallel_iterations is not None
    assert free_symbols(inner.parallel_iterations) == {"ptr[i]", "ptr[i + 1]"}
