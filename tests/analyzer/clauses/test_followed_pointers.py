"""Pointers that threads want for themselves where vectors make a sum, and sums that get no vectors for want of them."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Analyze

Source = Callable[..., Path]

LOOP = "double f({}, int n) {{ double s = 0;\n    for (int i = 0; i < n; i++)\n        s += {};\n    return s;\n}}\n"


def directive(text: str, source: Source, analyze: Analyze) -> str:
    ran = analyze(source(text), "--suggest", "openmp")
    return next(line for line in ran.out.splitlines() if "#pragma" in line)


@pytest.mark.parametrize(
    ("parameters", "added", "copies"),
    [
        ("const double *x", "x[i]", "firstprivate(x)"),
        ("double x[], double *restrict y", "x[i] * y[i]", "firstprivate(x, y)"),
        ("double (*x)[8], int k", "x[k][i]", "firstprivate(x)"),
        ("const double *x, const int *at", "x[at[i]]", "firstprivate(at, x)"),
        ("const double *x, double k", "k * x[i]", "firstprivate(x)"),
    ],
)
def test_each_thread_has_its_own(
    parameters: str, added: str, copies: str, source: Source, analyze: Analyze
) -> None:
    told = directive(LOOP.format(parameters, added), source, analyze)
    assert "parallel for simd" in told
    assert f") {copies} reduction(+: s)" in told


def test_a_pointer_of_the_file_is_copied_and_an_array_is_not(source: Source, analyze: Analyze) -> None:
    text = f"double *p, a[4000];\n{LOOP.format('int unused', 'p[i] * a[i]')}"
    assert ") firstprivate(p) reduction(+: s)" in directive(text, source, analyze)


@pytest.mark.parametrize(
    ("parameters", "added"), [("struct s *p", "p->v[i]"), ("struct s p", "p.v[i]"), ("double **x", "x[1][i]")]
)
def test_a_pointer_in_memory_keeps_vectors_away(
    parameters: str, added: str, source: Source, analyze: Analyze
) -> None:
    told = directive(f"struct s {{ double *v; }};\n{LOOP.format(parameters, added)}", source, analyze)
    assert "parallel for if(n >= " in told
    assert told.endswith(") reduction(+: s)")


def test_one_whose_address_somebody_has_is_shared(source: Source, analyze: Analyze) -> None:
    given = LOOP.format("const double *x", "x[i]").replace("= 0;", "= 0; keep(&x);", 1)
    text = f"void keep(const double **x);\n{given}"
    assert "firstprivate" not in directive(text, source, analyze)


def test_the_place_of_the_sum_is_not_followed(source: Source, analyze: Analyze) -> None:
    text = "void f(double *to, const double *x, int n) {\n    for (int i = 0; i < n; i++)\n        *to += x[i];\n}\n"
    assert " firstprivate(x) " in directive(text, source, analyze)


def test_without_sums_nothing_is_copied(source: Source, analyze: Analyze) -> None:
    text = "void f(double *a, const double *b, int n) {\n    for (int i = 0; i < n; i++) a[i] = b[i];\n}\n"
    assert "firstprivate" not in directive(text, source, analyze)


MAIN = """#include <stdio.h>
static double x[5000];
int main(void) {
    for (int i = 0; i < 5000; i++) x[i] = i % 7;
    printf("%.0f\\n", f(x, 5000));
}
"""


@pytest.mark.skipif(shutil.which("clang") is None, reason="needs clang")
@pytest.mark.parametrize("level", ["-O1", "-O2"])
def test_clang_adds_all_and_does_not_complain(level: str, source: Source, analyze: Analyze, tmp_path: Path) -> None:
    path = source(LOOP.format("const double *x", "x[i]") + MAIN)
    assert analyze(path, "--suggest", "openmp", "--apply").code == 0
    command = ["clang", level, "-g", "-Wall", "-Wextra", "-fopenmp", path, "-o", tmp_path / "after"]
    built = subprocess.run(command, check=True, capture_output=True, text=True)
    ran = subprocess.run([tmp_path / "after"], check=True, capture_output=True, text=True)
    assert (built.stderr, ran.stdout) == ("", f"{sum(i % 7 for i in range(5000))}\n")
