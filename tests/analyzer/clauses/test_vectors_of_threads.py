"""Pointers that threads want for themselves where vectors make a sum, and sums of which clang makes no vectors."""

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


LARGEST = """double f(const double *x, int n) { double m = 0;
    for (int i = 0; i < n; i++)
        BODY
    return m; }
"""
COMPENSATED = "{ double y = x[i] - c, t = s + y; c = (t - s) - y; s = t; }"
SUM = LOOP.format("const double *x", "x[i]")
NO_VECTORS = {
    "the largest of floats": LARGEST.replace("BODY", "if (x[i] > m) m = x[i];"),
    "by fmax()": f"#include <math.h>\n{LARGEST.replace('BODY', 'm = fmax(m, x[i]);')}",
    "compensated": SUM.replace("s = 0", "s = 0, c = 0").replace("s += x[i];", COMPENSATED),
    "up to a bound": SUM.replace("i < n", "i <= n"),
    "down to a bound": SUM.replace("i = 0; i < n; i++", "i = n; i >= 0; i--"),
    "from an unsigned number": SUM.replace("int i = 0; i < n", "unsigned i = 1; i <= n"),
    "with a function that follows pointers":
        "struct v { double *p; };\nstatic double at(const struct v *v, int i) { return v->p[i]; }\n"
        + LOOP.format("const struct v *v", "at(v, i)"),
    "prefetched": SUM.replace("s += ", "s += (__builtin_prefetch(&x[i + 8]), 0) + "),
}  # fmt: skip
VECTORS = {
    "a sum": SUM,
    "from 1 up to a bound": SUM.replace("i = 0; i < n", "i = 1; i <= n"),
    "down to 1": SUM.replace("i = 0; i < n; i++", "i = n; i >= 1; i--"),
    "in a temporary": SUM.replace("s += x[i];", "{ double t = s + x[i]; s = t; }"),
    "by a pointer that walks": SUM.replace("s += x[i];", "s += *x++;"),
    "from a start on": SUM.replace("i = 0", "i = 5"),
}


def changed(text: str, compiler: str, source: Source, analyze: Analyze) -> Path:
    """A file as `--suggest openmp` changes it for a compiler."""
    path = source(text)
    assert analyze(path, "--cc", compiler, "--suggest", "openmp", "--apply").code == 0
    return path


def is_remarked(path: Path, at: Path) -> bool:
    """Whether clang warns that it made no vectors."""
    command = ["clang", "-O2", "-fopenmp", "-c", str(path), "-o", str(at / "a.o")]
    return "loop not vectorized" in subprocess.run(command, capture_output=True, text=True, check=True).stderr


@pytest.mark.skipif(shutil.which("clang") is None, reason="needs clang")
@pytest.mark.parametrize("what", NO_VECTORS)
def test_clang_is_not_told_to_make_vectors_that_it_does_not_make(
    what: str, source: Source, analyze: Analyze, tmp_path: Path
) -> None:
    path = changed(NO_VECTORS[what], "clang", source, analyze)
    text = path.read_text()
    assert "#pragma omp parallel for " in text
    assert " simd " not in text
    assert not is_remarked(path, tmp_path)
    pointer = "v" if "*v, int n" in text else "x"
    path.write_text(text.replace("parallel for", f"parallel for simd firstprivate({pointer})"))
    assert is_remarked(path, tmp_path)


@pytest.mark.parametrize("what", ["the largest of floats", "compensated", "up to a bound"])
def test_gcc_makes_vectors_where_clang_does_not(
    what: str, source: Source, analyze: Analyze, tmp_path: Path
) -> None:
    path = changed(NO_VECTORS[what], "gcc", source, analyze)
    assert "#pragma omp parallel for simd " in path.read_text()
    command = ["gcc", "-O2", "-fopenmp", "-fopt-info-vec", "-c", str(path), "-o", str(tmp_path / "a.o")]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    assert "loop vectorized" in told


@pytest.mark.skipif(shutil.which("clang") is None, reason="needs clang")
@pytest.mark.parametrize("what", VECTORS)
def test_clang_makes_vectors_of_the_sums_of_threads(
    what: str, source: Source, analyze: Analyze, tmp_path: Path
) -> None:
    path = changed(VECTORS[what], "clang", source, analyze)
    assert "#pragma omp parallel for simd " in path.read_text()
    assert not is_remarked(path, tmp_path)


@pytest.mark.skipif(shutil.which("clang") is None, reason="needs clang")
def test_vectors_of_one_thread_are_those_of_the_compiler(source: Source, analyze: Analyze) -> None:
    path = source(NO_VECTORS["the largest of floats"])
    assert "#pragma omp simd reduction(max: m)" in analyze(path, "--size", "n=20000", "--suggest", "openmp").out
    by_clang = analyze(path, "--cc", "clang", "--size", "n=20000", "--suggest", "openmp")
    assert "simd" not in by_clang.out
