"""A nest that is too large to count is said to be so, and costs neither the run nor the loops inside it."""

from pathlib import Path
from typing import Any

from analyzer import analysis
from analyzer.facts import Verdict
from analyzer.options import AnalysisOptions, SourceOptions


def test_counts_of_a_huge_nest_are_not_made_up(tmp_path: Path, analyze: Any) -> None:
    copies = "".join(f"  a[i] += b[{k}];\n" for k in range(analysis.LARGEST_NEST + 1))
    path = tmp_path / "huge.c"
    path.write_text(
        "void f(int n, int *restrict a, const int *restrict b) { for (int i = 0; i < n; i++) {\n"
        f"{copies}  for (int j = 0; j < 8; j++) a[i] += j;\n}} }}\n",
        encoding="utf-8",
    )
    huge, small = analysis.analyze_file(path, SourceOptions(), AnalysisOptions()).functions[0].loops
    assert huge.parallelism.verdict is Verdict.YES
    assert huge.counts == analysis.NO_COUNTS
    assert huge.unclassified is not None
    assert huge.unclassified.code == "too-complex"
    assert small.counts.trip_count is not None
    ran = analyze(path, "-t", "gtx470", "--size", "n=1000")
    assert ran.code == 0
    assert "too many to count" in " ".join(ran.out.split())
