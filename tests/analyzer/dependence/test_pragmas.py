"""`--assume pragmas`: which directives are taken as the word that iterations are independent, and what they settle."""

from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import AssumptionKind, Parallelism
from analyzer.settings.options import AnalysisOptions, Assume, SourceOptions

SCATTER = "void f(int n, int *restrict a, const int *restrict at)\n{\n%s\n" \
    "    for (int i = 0; i < n; i++)\n        a[at[i]] += i * a[at[i] + 1];\n}\n"  # fmt: skip


def answer(tmp_path: Path, code: str, assume: Assume = "pragmas") -> Parallelism:
    path = tmp_path / "x.c"
    path.write_text(code)
    facts = analyze_file(path, SourceOptions(), AnalysisOptions(assume=assume), tmp_path)
    return facts.functions[0].loops[0].parallelism


@pytest.mark.parametrize(
    ("pragma", "said"),
    [
        ("#pragma omp parallel for", "#pragma omp parallel for"),
        ("#pragma omp   for schedule(static, 4) nowait", "#pragma omp for"),
        ("#pragma omp parallel for simd private(x)", "#pragma omp parallel for"),
        ("#pragma omp target teams distribute parallel for", "#pragma omp target teams distribute"),
        ("#pragma omp for schedule(monotonic: static)", "#pragma omp for"),
        ("#pragma omp taskloop", "#pragma omp taskloop"),
        ("#pragma omp loop", "#pragma omp loop"),
        ("#pragma acc parallel loop copy(a[0:n])", "#pragma acc parallel loop"),
        ("#pragma acc loop gang independent", "#pragma acc loop"),
        ("#pragma omp parallel for ordered", ""),
        ("#pragma omp for ordered(1)", ""),
        ("#pragma omp simd", ""),
        ("#pragma omp parallel", ""),
        ("#pragma omp sections", ""),
        ("#pragma acc loop", ""),
        ("#pragma acc kernels loop", ""),
        ("#pragma acc parallel loop seq", ""),
        ("#pragma acc loop independent auto", ""),
        ("#pragma GCC ivdep", ""),
    ],
)
def test_what_a_pragma_promises(tmp_path: Path, pragma: str, said: str) -> None:
    found = answer(tmp_path, SCATTER % pragma)
    words = [a.text for a in found.assumptions if a.kind is AssumptionKind.USER]
    assert words == ([said] if said else [])
    assert (found.verdict.value == "yes") == bool(said)
    assert answer(tmp_path, SCATTER % pragma, "all").verdict.value != "yes"


def test_a_pragma_is_not_believed_against_a_dependence_that_is_shown(tmp_path: Path) -> None:
    code = "void f(int n, double *a)\n{\n#pragma omp parallel for\n" \
        "    for (int i = 1; i < n; i++)\n        a[i] = a[i - 1];\n}\n"  # fmt: skip
    found = answer(tmp_path, code)
    assert found.verdict.value == "no"
    assert found.reason is not None
    assert found.reason.message.endswith("this contradicts `#pragma omp parallel for`")


def test_nothing_is_said_where_nothing_is_open(tmp_path: Path) -> None:
    code = "void f(int n, double *a)\n{\n#pragma omp for\n    for (int i = 0; i < n; i++)\n        a[i] = i;\n}\n"
    assert not answer(tmp_path, code).assumptions


def test_a_comment_of_ours_comes_first(tmp_path: Path) -> None:
    code = SCATTER % "    // analyze: independent at is a permutation\n#pragma omp parallel for"
    assert [a.text for a in answer(tmp_path, code).assumptions] == ["at is a permutation"]
