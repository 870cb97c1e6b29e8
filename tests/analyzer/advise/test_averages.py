"""Which counts of a loop are averaged over the loops around: those that models read, and none that is only shown."""

from pathlib import Path

import pytest

from analyzer.advise.averages import averaged
from analyzer.counts.entries import Entries
from analyzer.driver.analysis import analyze_file
from analyzer.settings.options import AnalysisOptions, SourceOptions
from models.expr import Expr, free_symbols, to_text

TRIANGLE = """void f(int n, double *restrict a, double *restrict b) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            a[j] += b[2 * j];
}
"""


COPIED = ("transfer_in", "transfer_out")


def asked(left: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> set[Expr]:
    """The formulas whose mean is worked out."""
    found: set[Expr] = set()
    mean = Entries.mean

    def recording(self: Entries, expr: Expr) -> Expr | None:
        found.add(expr)
        return mean(self, expr)

    monkeypatch.setattr(Entries, "mean", recording)
    loops = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), text=TRIANGLE).functions[0].loops
    inner = averaged(loops, left)[1]
    assert (inner.counts.transfer_in is None) == (left == COPIED)
    assert inner.counts.loads is not None
    assert inner.counts.loads.expr is not None
    assert free_symbols(inner.counts.loads.expr) == {"n"}
    return found


def test_no_mean_of_what_is_only_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    found = asked((), monkeypatch)
    loops = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), text=TRIANGLE).functions[0].loops
    intensity = loops[1].counts.operational_intensity
    assert intensity is not None
    assert intensity.expr not in found


def test_no_mean_of_transfers_without_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(asked(COPIED, monkeypatch)) < len(asked((), monkeypatch))


ROWS = """void f(int n, const int *restrict ptr, const double *restrict a, double *restrict y) {
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = ptr[i]; k < ptr[i + 1]; k++)
            sum += 2 * a[k];
        y[i] = sum;
    }
}
"""


@pytest.mark.parametrize("ends", ["k = ptr[i]; k < ptr[i + 1]", "k = n * ptr[i]; k < n * ptr[i + 1]"])
def test_a_row_between_two_values_of_an_index_array_has_a_mean_length(ends: str) -> None:
    text = ROWS.replace("k = ptr[i]; k < ptr[i + 1]", ends)
    loops = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), text=text).functions[0].loops
    counts = averaged(loops)[1].counts
    assert {name: to_text(getattr(counts, name).expr) for name in ("trip_count", "iterations", "flops_fp64")} == {
        "trip_count": "trip@4",
        "iterations": "trip@4",
        "flops_fp64": "2*trip@4",
    }
