"""Variables whose steps grow evenly: their formulas say what counting says, and what grows otherwise has none."""

from collections.abc import Callable
from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import LoopFacts
from analyzer.settings.options import AnalysisOptions, SourceOptions

HEAD = "void g(int *);\nvoid f(int n, int m, double *restrict p, const double *restrict a, const int *restrict w) {\n"

COUNTED: dict[str, Callable[[int, int], int]] = {
    "int k = 0; for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) p[k++] = a[j];": lambda n, i: i + 1,
    "int k = 0; for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) p[k++] = a[j];": lambda n, i: i,
    "int k = 0; for (int i = 0; i < n; i++) for (int j = i; j < n; j++) p[k++] = a[j];": lambda n, i: n - i,
    "int k = 0; for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) p[k++] = a[j];": lambda n, i: n - i - 1,
    "int k = 0; for (int i = 0; i < n; i++) for (int j = n - 1; j > i; j--) p[k++] = a[j];": lambda n, i: n - i - 1,
    "int k = 0; for (int i = 0; i < n; i++) { p[k] = a[i]; k += i + 1; }": lambda n, i: i + 1,
    "int k = 0; for (int i = 0; i < n; i++) { p[k] = a[i]; k += 3*i + 2; }": lambda n, i: 3 * i + 2,
    "int k = 0; for (int i = 0; i < n; i++) { for (int j = 0; j <= i; j++) p[k++] = a[j];"
    " for (int j = 0; j <= i; j++) p[k++] = a[j]; }": lambda n, i: 2 * i + 2,
    "int k = 0; for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) { p[k] = a[j]; p[k + 1] = 0; k += 2; }":
        lambda n, i: 2 * i + 2,
    "int k = 0; for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) for (int c = 0; c < 3; c++) p[k++] = a[j];":
        lambda n, i: 3 * i + 3,
    "unsigned long k = 0; for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) p[k++] = a[j];": lambda n, i: i + 1,
}  # fmt: skip

NOT = {
    "rows that overlap": "for (int i = 0; i < n; i++) { for (int j = 0; j <= i; j++) p[k++] = a[j]; k--; }",
    "rows that may be shorter than nothing": "for (int i = 0; i < n; i++) for (int j = i; j < m; j++) p[k++] = a[j];",
    "some rows": "for (int i = 0; i < n; i++) { if (w[i]) for (int j = 0; j <= i; j++) p[k++] = a[j]; }",
    "rows that are left": "for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) { if (w[j]) break; p[k++] = 1; }",
    "what others may change": "g(&k); for (int i = 0; i < n; i++) { p[k] = a[i]; k += i + 1; g(0); }",
    "how far the loop goes": "for (int i = 0; i < n - k; i++) for (int j = 0; j <= i; j++) p[k++] = a[j];",
    "a factor": "k = 1; for (int i = 0; i < n; i++) { p[k] = a[i]; k *= i + 1; }",
    "steps from elsewhere": "for (int i = 0; i < n; i++) { p[k] = a[i]; k += w[i]; }",
    "rows that fall from 0 on": "for (int i = 0; i < n; i++) { p[k + n] = a[i]; k += 1 - i; }",
    "a second end": "for (int i = 0; i < n; i++) { for (int j = 0; j <= i; j++) p[k++] = a[j]; p[k] = 0; }",
}


def first_loop(body: str, folder: Path) -> LoopFacts:
    source = folder / "t.c"
    source.write_text(f"{HEAD}{body}\n}}\n", encoding="utf-8")
    (function,) = analyze_file(source, SourceOptions(), AnalysisOptions()).functions
    return function.loops[0]


@pytest.mark.parametrize(("body", "length"), COUNTED.items())
def test_the_formula_says_what_counting_says(body: str, length: Callable[[int, int], int], tmp_path: Path) -> None:
    loop = first_loop(body, tmp_path)
    assert loop.parallelism.verdict.value == "yes"
    (form,) = [f for f in loop.clauses.inductions if f.variable == "k"]
    assert form.value is not None
    formula = form.value.replace("(long long)", "").replace("/", "//")
    for n in range(9):
        counted = 0
        for i in range(n):
            assert eval(formula, {"n": n, "i": i}) == counted, (n, i, form.value)
            counted += length(n, i)


@pytest.mark.parametrize("body", NOT.values(), ids=NOT.keys())
def test_what_grows_otherwise_is_not_followed(body: str, tmp_path: Path) -> None:
    assert first_loop("int k = 0; " + body, tmp_path).parallelism.verdict.value != "yes"


@pytest.mark.parametrize(("rows", "verdict"), [(90_000, "yes"), (100_000, "unknown")])
def test_an_unsigned_count_that_wraps_is_not_followed(rows: int, verdict: str, tmp_path: Path) -> None:
    body = f"unsigned k = 0; for (long i = 0; i < {rows}; i++) for (long j = 0; j <= i; j++) p[k++] = a[j];"
    assert first_loop(body, tmp_path).parallelism.verdict.value == verdict
