"""`--suggest openmp-target` and `openacc`: what goes to the device, what comes back, where it stays, what is refused.

What the patches do is run by `python -m tests.clauses.campaign --patches openmp-target`; here a few of them are."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Analyze

Source = Callable[..., Path]
FORMS = {"openmp-target": "#pragma omp target teams distribute parallel for", "openacc": "#pragma acc parallel loop"}
OFFLOADER = Path("/usr/lib/llvm-14/lib/libomptarget.rtl.x86_64.so")
needs_device = pytest.mark.skipif(
    shutil.which("clang") is None or shutil.which("clang-offload-wrapper-14") is None or not OFFLOADER.exists(),
    reason="needs clang with an offloading runtime",
)


def directive(analyze: Analyze, path: Path, line: int, form: str = "openmp-target") -> str:
    """What is written above a loop, in one line, without its construct."""
    ran = analyze(path, "--suggest", form, "--suggest-at", f"{path.name}:{line}", "-t", "h200")
    lines = [x[1:].strip().removesuffix("\\").strip() for x in ran.out.splitlines() if x.startswith("+")]
    text = " ".join(x for x in lines if x.startswith(("#pragma", "map", "if", "copy", "reduction", "private")))
    assert text.startswith(FORMS[form]), ran.out + ran.err
    return text.removeprefix(FORMS[form]).strip()


def refusal(analyze: Analyze, path: Path, line: int, form: str = "openmp-target") -> str:
    ran = analyze(path, "--suggest", form, "--suggest-at", f"{path.name}:{line}", "-t", "h200")
    assert ran.out == ""
    said = next(x for x in ran.err.splitlines() if "is not changed: " in x)
    return said.partition("is not changed: ")[2]


STENCIL = """void f(int n, const double *restrict a, double *restrict b) {
    for (int i = 1; i < n - 1; i++)
        b[i] = a[i - 1] + a[i + 1];
}
"""


def test_sections_are_what_is_used_and_come_back_alone(source: Source, analyze: Analyze) -> None:
    path = source(STENCIL)
    assert directive(analyze, path, 2) == "if(n > 2) map(to: a[0:n]) map(from: b[1:n - 2])"
    assert directive(analyze, path, 2, "openacc") == "if(n > 2) copyin(a[0:n]) copyout(b[1:n - 2])"


@pytest.mark.parametrize(
    ("body", "maps"),
    [
        ("if (a[i] > 0) b[i] = 0;", "map(to: a[0:n]) map(tofrom: b[0:n])"),
        ("b[2 * i] = a[i];", "map(to: a[0:n]) map(tofrom: b[0:2*(long long)n - 1])"),
        ("b[n - 1 - i] += a[3];", "map(to: a[3:1]) map(tofrom: b[0:n])"),
        ("b[i + 5] = a[i];", "map(to: a[0:n]) map(from: b[5:n])"),
    ],
)
def test_what_is_not_stored_as_a_whole_comes_along(source: Source, analyze: Analyze, body: str, maps: str) -> None:
    head = "void f(int n, const double *restrict a, double *restrict b) {\n    for (int i = 0; i < n; i++)\n"
    assert directive(analyze, source(f"{head}        {body}\n}}\n"), 2) == f"if(n > 0) {maps}"


def test_arrays_that_are_declared_go_by_their_names(source: Source, analyze: Analyze) -> None:
    path = source(
        "static float A[100][80], B[100][80];\nvoid f(void) {\n    for (int i = 1; i < 99; i++)\n"
        "        for (int j = 0; j < 80; j++)\n            B[i][j] = A[i - 1][j] + A[i + 1][j];\n}\n"
    )
    assert directive(analyze, path, 3) == "collapse(2) map(to: A) map(from: B[1:98])"


def test_triangles_are_no_rectangle(source: Source, analyze: Analyze) -> None:
    path = source(
        "static float A[100][100];\nvoid f(void) {\n    for (int i = 0; i < 100; i++)\n"
        "        for (int j = 0; j < i; j++)\n            A[i][j] = 0;\n}\n"
    )
    assert directive(analyze, path, 3) == "map(tofrom: A[1:99])"


def test_sums_come_back(source: Source, analyze: Analyze) -> None:
    path = source(
        "double f(int n, const double *a) {\n    double s = 0, t;\n    for (int i = 0; i < n; i++) {\n"
        "        t = a[i];\n        for (int k = 0; k < 500; k++) t = 0.5 * t * t + 0.25;\n        s += t;\n    }\n"
        "    return s;\n}\n"
    )
    condition, _, clauses = directive(analyze, path, 3).partition(") ")
    assert condition.startswith("if(n >= ")
    assert clauses == "map(to: a[0:n]) map(tofrom: s) private(t) reduction(+: s)"


NORMS = """int shape[2] = {90, 80};
static double rhs[90][80][5];
void norms(double *restrict sums) {
    int i, j, m;
    for (i = 1; i < shape[0] - 1; i++)
        for (j = 1; j < shape[1] - 1; j++)
            for (m = 0; m < LENGTH; m++)
                sums[m] = sums[m] + rhs[i][j][m];
}
"""


def test_sums_in_an_array_are_of_a_constant_length(source: Source, analyze: Analyze) -> None:
    found = directive(analyze, source(NORMS.replace("LENGTH", "5")), 5)
    assert found.endswith("map(tofrom: sums[0:5]) private(j, m) reduction(+: sums[0:5])")
    assert found.count("sums") == 2
    assert "OpenACC combines no results in arrays" in refusal(analyze, Path("a.c"), 5, "openacc")
    path = source(NORMS.replace("m < LENGTH", "m < shape[0] % 5"))
    assert "parts of constant length" in refusal(analyze, path, 5)


MEMBERS = """struct body { double *x; int n; double dt; };
void f(struct body *b, const double *restrict v) {
    for (int i = 0; i < b->n; i++)
        b->x[i] += b->dt * v[i];
}
"""


def test_members_that_are_pointers_get_a_local_one(source: Source, analyze: Analyze) -> None:
    path = source(MEMBERS)
    ran = analyze(path, "--suggest", "openmp-target", "--suggest-at", "a.c:3", "-t", "h200")
    lines = [line[1:].strip() for line in ran.out.splitlines() if line.startswith("+")]
    assert "double *b_x = b->x;" in lines
    assert "b_x[i] += b->dt * v[i];" in lines
    assert directive(analyze, path, 3) == "if(b->n > 0) map(to: b[0:1], v[0:b->n]) map(tofrom: b_x[0:b->n])"


def test_what_only_the_header_reads_is_read_on_the_host(source: Source, analyze: Analyze) -> None:
    path = source(
        "void f(const int *restrict from, double *restrict x, int n) {\n"
        "    for (int i = from[0]; i < n; i++)\n        x[i] = 1;\n}\n"
    )
    ran = analyze(path, "--suggest", "openmp-target", "--suggest-at", "a.c:2", "-t", "h200")
    assert "+    __typeof__(from[0]) i_first = from[0];" in ran.out.splitlines()
    assert "+    for (int i = i_first; i < n; i++)" in ran.out.splitlines()


def test_so_it_is_beside_members_that_get_local_pointers(source: Source, analyze: Analyze) -> None:
    path = source(
        "struct s { double *x; };\nvoid f(struct s *restrict s, const int *restrict from, int n) {\n"
        "    for (int i = from[1]; i < n; i++)\n        s->x[i] = 1;\n}\n"
    )
    ran = analyze(path, "--suggest", "openmp-target", "--suggest-at", "a.c:3", "-t", "h200")
    lines = [line[1:].strip() for line in ran.out.splitlines() if line.startswith("+")]
    assert "__typeof__(from[1]) i_first = from[1];" in lines
    assert "for (int i = i_first; i < n; i++)" in lines
    assert "s_x[i] = 1;" in lines


CALLS = """double sq(double x);
static double half(double x) { return x / 2; }
void f(int n, const double *restrict a, double *restrict b) {
    for (int i = 0; i < n; i++)
        b[i] = sq(a[i]) + half(a[i]);
}
double sq(double x) { return half(x) * x; }
"""


MARKED = {
    "openmp-target": (
        "double sq(double x);\n#pragma omp declare target(sq)\n",
        "return x / 2; }\n#pragma omp declare target(half)\n",
    ),
    "openacc": (
        "#pragma acc routine seq\ndouble sq(double x);",
        "#pragma acc routine seq\nstatic double half",
        "#pragma acc routine seq\ndouble sq(double x) {",
    ),
}


@pytest.mark.parametrize("form", MARKED)
def test_functions_go_along(source: Source, analyze: Analyze, form: str) -> None:
    path = source(CALLS)
    assert analyze(path, "--suggest", form, "--suggest-at", "a.c:4", "-t", "h200", "--apply").code == 0
    text = path.read_text()
    assert all(marked in text for marked in MARKED[form])
    assert text.count("#pragma omp declare") + text.count("#pragma acc routine") == len(MARKED[form])
    flags = ["-fopenmp" if form == "openmp-target" else "-fopenacc", "-Wall", "-Werror"]
    assert subprocess.run(["gcc", *flags, "-c", path, "-o", "/dev/null"]).returncode == 0


SAID = {
    "named": "double half(double);\n#pragma omp declare target(half)\n{}",
    "named by a clause": "double half(double);\n#pragma omp declare target to(half)\n{}",
    "between two": "#pragma omp declare target\n{}#pragma omp end declare target\n",
    "between two of 5.1": "#pragma omp begin declare target\n{}#pragma omp end declare target\n",
}
UNSAID = {
    "another one": "double other(double);\n#pragma omp declare target(other)\n{}",
    "behind two": "#pragma omp declare target\n#pragma omp end declare target\n{}",
    "more on the line": "{} /* one */ int x; // two\n",
}
HALF = "double half(double x) {{ return x / 2; }}{}"


@pytest.mark.parametrize(("where", "marks"), [*((w, 0) for w in SAID.values()), *((w, 1) for w in UNSAID.values())])
def test_a_function_is_declared_for_the_target_once(source: Source, analyze: Analyze, where: str, marks: int) -> None:
    half = HALF.format("" if "/*" in where else "\n")
    before = where.format(half)
    loop = "    for (int i = 0; i < n; i++)\n        a[i] = half(a[i]);\n"
    path = source(f"{before}void f(int n, double *a) {{\n{loop}}}\n")
    line = before.count("\n") + 2
    assert analyze(path, "--suggest", "openmp-target", "--suggest-at", f"a.c:{line}", "-t", "h200", "--apply").code == 0
    text = path.read_text()
    assert "teams" in text
    assert text.count("declare target(half)") == before.count("declare target(half)") + marks
    if "begin" not in where:  # gcc reads it from version 13 on
        assert subprocess.run(["gcc", "-fopenmp", "-fsyntax-only", path]).returncode == 0


REFUSED = {
    "behind pointers": ("void f(int n, double **a) {\n    for (int i = 0; i < n; i++) a[i][0] = 1;\n}\n", 2),
    "how much of `p` is used": (
        "void f(int n, const int *restrict p, double *a) {\n    for (int i = 0; i < n; i++) a[i] = p[p[i]];\n}\n",
        2,
    ),
    "uses `g` of the file": (
        "int g;\nstatic int h(void) { return g; }\nvoid f(int n, int *a) {\n"
        "    for (int i = 0; i < n; i++) a[i] = h();\n}\n",
        4,
    ),
    "the pointer `s.p` in memory": (
        "struct s { int *p; };\nvoid f(int n, int *restrict p, int *restrict a) {\n    struct s s = {p};\n"
        "    for (int i = 0; i < n; i++) a[i] = s.p[i];\n}\n",
        4,
    ),
    "how much of `a` is used": (
        "void f(int n, int m, double *restrict a, const double *restrict b) {\n    for (int i = 0; i < n; i++)\n"
        "        for (int j = -1; j < 2; j++)\n            if (i + j >= 0 || i + j < m) a[i] += b[i + j];\n}\n",
        2,
    ),
    "teams cannot give `t` its old value": (
        "double f(int n, const double *a) {\n    double t = 0;\n"
        "    for (int i = 0; i < n; i++) t = a[i];\n    return t;\n}\n",
        3,
    ),
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_a_machine_cannot_know_is_refused(source: Source, analyze: Analyze, why: str) -> None:
    code, line = REFUSED[why]
    assert why in refusal(analyze, source(code), line)


STEPS = """static double u[4000000], v[4000000];
void f(int n, int steps) {
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++) v[i] = 0.5 * (u[i - 1] + u[i + 1]);
        for (int i = 1; i < n - 1; i++) u[i] = v[i];BETWEEN
    }
}
int main(void) { f(4000000, 1000); return 0; }
"""


def test_data_stays_where_several_loops_use_it(source: Source, analyze: Analyze) -> None:
    path = source(STEPS.replace("BETWEEN", ""))
    ran = analyze(path, "--suggest", "openmp-target", "-t", "h200")
    lines = [line[1:].strip() for line in ran.out.splitlines() if line.startswith("+")]
    assert "#pragma omp target data if(n > 2 && steps > 0) map(from: v[1:n - 2]) map(tofrom: u[0:n])" in lines
    assert sum("teams distribute parallel for if(n > 2 && steps > 0)" in line for line in lines) == 2


BETWEEN = (" u[0] = u[1];", " g(t);", " if (t == 7) n--;", " if (t == 7) return;", " HIDDEN;")


@pytest.mark.parametrize("between", BETWEEN)
def test_data_does_not_stay_where_the_host_needs_it(source: Source, analyze: Analyze, between: str) -> None:
    path = source("#define HIDDEN u[0] = 1\nvoid g(int);\n" + STEPS.replace("BETWEEN", between))
    assert "target data" not in analyze(path, "--suggest", "openmp-target", "-t", "h200").out


@pytest.mark.parametrize("form", FORMS)
def test_applying_twice_changes_nothing(source: Source, analyze: Analyze, form: str) -> None:
    path = source(STEPS.replace("BETWEEN", ""))
    assert analyze(path, "--suggest", form, "-t", "h200", "--apply").code == 0
    once = path.read_text()
    ran = analyze(path, "--suggest", form, "-t", "h200", "--apply")
    assert (path.read_text(), ran.out) == (once, "")


def test_a_device_has_to_be_named(source: Source, analyze: Analyze) -> None:
    ran = analyze(source(STENCIL), "--suggest", "openmp-target")
    assert (ran.code, "name the device, as in --target h200" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("form", "target", "why"),
    [
        ("openmp-target", "epyc9654", "epyc9654 (AMD EPYC 9654) is no GPU; --suggest openmp is for the threads"),
        ("openacc", "convey-hc1", "is no GPU"),
        ("cuda", "mi300x", "mi300x (AMD Instinct MI300X) does not run CUDA; openmp-target and openacc are for it"),
    ],
)
def test_a_device_has_to_run_what_is_written(
    source: Source, analyze: Analyze, form: str, target: str, why: str
) -> None:
    ran = analyze(source(STENCIL), "--suggest", form, "-t", target)
    assert (ran.code, ran.out) == (2, "")
    assert why in ran.err
    assert analyze("a.c", "--suggest", form, "-t", f"{target},h200").code == 0


MAIN = """#include <stdio.h>
int main(void) {
    static double a[1000], b[1000];
    for (int i = 0; i < 1000; i++) { a[i] = i; b[i] = -i; }
    f(1000, a, b);
    f(1, a, b);
    f(-5, a, b);
    double s = 0;
    for (int i = 0; i < 1000; i++) s += b[i] * (i % 7);
    printf("%g\\n", s);
}
"""


@needs_device
@pytest.mark.parametrize("code", [STENCIL, CALLS.replace("b[i] =", "if (i % 3) b[i] =")])
def test_it_is_the_same_program_where_memory_is_apart(
    source: Source, analyze: Analyze, tmp_path: Path, code: str
) -> None:
    path = source(code + MAIN)
    subprocess.run(["gcc", path, "-o", tmp_path / "before"], check=True)
    line = 1 + code[: code.index("for (")].count("\n")
    analyze(path, "--suggest", "openmp-target", "--suggest-at", f"a.c:{line}", "-t", "h200", "--apply")
    flags = ["-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu"]
    subprocess.run(["clang", *flags, path, "-o", tmp_path / "after"], check=True, capture_output=True)
    env = {"PATH": "/usr/bin:/bin", "MALLOC_PERTURB_": "165"}
    said = [subprocess.run([tmp_path / x], capture_output=True, text=True, env=env).stdout for x in ("before", "after")]
    assert said[0] == said[1] != ""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_nothing_divides_by_a_step_of_a_loop_that_does_not_run(
    source: Source, analyze: Analyze, tmp_path: Path
) -> None:
    text = """void f(int n, int step, double *x) {
    for (int t = 0; t < n; t++)
        for (int i = 10 * t; i < 10 * t + 10; i += step)
            x[i] += 1;
}
int main(int argc, char **argv) {
    double x[10] = {0};
    (void)argv;
    f(argc - 1, argc - 1, x);
    return x[0] > 0;
}
"""
    path = source(text)
    options = ("--suggest", "openmp-target", "--suggest-at", "a.c:2", "-t", "h200", "--apply")
    assert analyze(path, *options).code == 0
    assert "#pragma omp target" in path.read_text()
    subprocess.run(["gcc", "-fopenmp", path, "-o", tmp_path / "after"], check=True)
    subprocess.run([tmp_path / "after"], check=True)


def test_what_a_body_begins_with_stands_between_loops(source: Source, analyze: Analyze) -> None:
    text = """void f(int n, int half, double *restrict re, const double *restrict w) {
    for (int g = 0; g < n; g += 2 * half)
        for (int k = 0; k < half; k++)
            re[g + k] += w[k];
}
"""
    for form in FORMS:
        assert "collapse" not in directive(analyze, source(text), 2, form)


def test_openacc_wants_an_order_in_headers(source: Source, analyze: Analyze) -> None:
    path = source("void f(int n, int *a) {\n    for (int i = 0; i != n; i++)\n        a[i] = 0;\n}\n")
    assert refusal(analyze, path, 2, "openacc") == "OpenACC takes no `!=` in the header of a loop"
    assert "map(from: a[0:n])" in directive(analyze, path, 2)
