"""The class that a loop has in its facts is the one that models get."""

from pathlib import Path

from analyzer.advise.workloads import workload_of
from analyzer.driver.analysis import analyze_file
from analyzer.settings.options import AnalysisOptions, SourceOptions

ROWS = """double *get(int j);
void f(int n, int j) {
    double *x = get(j + 1), *y = get(j);
    // analyze: independent
    for (int i = 0; i < n; i++) y[i] = x[i];
}
"""


def test_arrays_may_be_called_as_an_expression() -> None:
    """Was: no class, since the text `get(j + 1)[0:n-1]|element` could not be read back."""
    (loop,) = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), text=ROWS).functions[0].loops
    found = workload_of(loop, (loop,))
    assert found is not None
    assert found.algorithm == loop.algorithm is not None
    assert {array.name for array in found.arrays if array.operand is not None} == {"get(j + 1)", "get(j)"}
