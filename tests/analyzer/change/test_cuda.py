"""`--suggest cuda`: kernels beside the source, calls in it, and what cannot be one.

What the kernels compute is compared by `python -m tests.clauses.campaign --patches cuda`, on the processor."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Analyze

from analyzer.change.cuda.definitions import Definitions
from analyzer.change.cuda.header import header
from analyzer.change.cuda.starter import dedented, kernels_path
from analyzer.change.refused import RefusedError
from analyzer.change.text import Text

Source = Callable[..., Path]
needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")


@pytest.mark.parametrize(
    ("code", "trip", "value"),
    [
        ("int i = 0; i < n; i++", "n", "t"),
        ("i = 1; i < n - 1; ++i", "(long long)(n - 1) - 1", "1 + t"),
        ("long k = a + 1; k <= b; k += 3", "((long long)b - (a + 1) + 1 + 3 - 1) / 3", "(a + 1) + t * 3"),
        ("i = 2; i < 10; i++", "8", "2 + t"),
        ("int i = n; i > 0; i--", "n", "n - t"),
        ("int i = n - 1; 0 <= i; i -= s", "(n - 1 + 1 + s - 1) / s", "(n - 1) - t * s"),
        ("size_t i = 0; i != n; i = i + 1", "n", "t"),
    ],
)
def test_headers_are_taken_apart(code: str, trip: str, value: str) -> None:
    found = header(Text(f"for ({code}) ;"), 0)
    assert (found.trip(), found.value("t")) == (trip, value)


@pytest.mark.parametrize(
    "code",
    ["i = 0, j = 1; i < n; i++", "; i < n; i++", "i = 0; i < n && x; i++", "i = 0; i < n; i *= 2", "i = 0; i < n; i--"],
)
def test_other_headers_are_refused(code: str) -> None:
    with pytest.raises(RefusedError):
        header(Text(f"for ({code}) ;"), 0)


def test_the_trip_count_is_the_one_of_the_loop() -> None:
    """By running both, as Python: the formulas have no operator that differs for values >= 0."""
    for first in range(4):
        for bound in range(9):
            for step in range(1, 4):
                found = header(Text(f"for (i = {first}; i < {bound}; i += {step}) ;"), 0)
                trip = eval(found.trip().replace("(long long)", "").replace("/", "//"))
                values = list(range(first, bound, step))
                assert max(trip, 0) == len(values)
                assert [eval(found.value(str(t))) for t in range(len(values))] == values


FILE = """#include <math.h>
#include "own.h"
#define HALF(x) ((x) / TWO)
#define TWO 2
#define OTHER 3
typedef double real;
struct pair { real a, b; };
enum { LEFT, RIGHT };
typedef struct { struct pair p[RIGHT]; } both;
static real f(real x);
static real g(real x) { return HALF(f(x)); }
static real f(real x) { return x; }
static real unused(real x) { return OTHER; }
"""


def test_definitions_are_those_that_are_needed(source: Source) -> None:
    from analyzer.report.loop_entries import CalledEntry

    lines = FILE.splitlines()
    called = [CalledEntry(name, k + 1, lines[k].index(name) + 1, 0) for name, k in (("g", 10), ("f", 11))]
    found = list(Definitions(Text(FILE), called).lines("both *b; b->p[0].a = g(1);"))
    assert found == [
        "#include <math.h>", 'extern "C" {', '#include "own.h"', "}",
        "#define HALF(x) ((x) / TWO)", "#define TWO 2", "typedef double real;", "struct pair { real a, b; };",
        "enum { LEFT, RIGHT };", "typedef struct { struct pair p[RIGHT]; } both;",
        "__host__ __device__ static real g(real x);", "__host__ __device__ static real f(real x);",
        "__host__ __device__ static real g(real x) { return HALF(f(x)); }",
        "__host__ __device__ static real f(real x) { return x; }",
    ]  # fmt: skip


def test_a_body_loses_its_indentation_and_no_more() -> None:
    block = "\n        if (x)\n            y = 1;\n\n        z = 2;\n    "
    assert list(dedented(block)) == ["if (x)", "    y = 1;", "", "z = 2;"]
    assert list(dedented("if (x)\n            y = 1;", "    ")) == ["if (x)", "    y = 1;"]


DOT = """double dot(const double *a, const double *b, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}
"""
STEP = """#define ROWS 6000
typedef float real;
struct plate { real *now, *then; int width; };
static real mean(real a, real b, real c, real d) { return (a + b + c + d) / 4; }

void step(struct plate *p)
{
    for (int y = 1; y < ROWS - 1; y++)
        for (int x = 1; x < 499; x++) {
            if (p->now[500 * y + x] < 0)
                continue;
            p->then[500 * y + x] = mean(p->now[500 * y + x - 1], p->now[500 * y + x + 1], p->now[500 * (y - 1) + x],
                                        p->now[500 * (y + 1) + x]);
        }
}

static int bins[256];
void count(const unsigned char *kind)
{
    for (int i = 0; i < 50000000; i++)
        bins[kind[i]]++;
}
"""


def suggested(analyze: Analyze, path: Path, line: int) -> str:
    return analyze(path, "--suggest", "cuda", "--suggest-at", f"{path.name}:{line}", "-t", "h200").out


def test_the_call_stands_in_front_of_the_loop_that_stays(source: Source, analyze: Analyze) -> None:
    path = source(DOT)
    named = ("--suggest", "cuda", "--suggest-at", "a.c:4", "-t", "h200", "--apply")
    assert analyze(path, *named).out == "a.c:4: dot_4_gpu()\n"
    text = path.read_text()
    assert DOT.replace("    for", "BEFORE    for").partition("BEFORE")[2] in text
    declared = "void dot_4_gpu(const double *a, const double *b, int n, double *s);"
    assert f"#ifdef USE_CUDA\n{declared}\n#endif\n\ndouble dot(" in text
    assert "        dot_4_gpu(a, b, n, &s);\n    } else /* as it was */\n#endif\n    for (int i" in text
    assert Path("a_gpu.cu").exists() or path.with_name("a_gpu.cu").exists()
    again = analyze(path, *named)
    assert (again.out, path.read_text()) == ("", text)


def test_the_file_beside_is_part_of_the_diff(source: Source, analyze: Analyze) -> None:
    out = suggested(analyze, source(DOT), 4)
    assert "--- /dev/null\n+++ b/a_gpu.cu\n@@ -0,0 +1," in out
    assert kernels_path("src/a.c") == "src/a_gpu.cu"


def test_a_nest_has_a_thread_for_each_of_its_iterations(source: Source, analyze: Analyze) -> None:
    out = suggested(analyze, source(STEP), 8)
    assert "static inline void step_8_iteration(int y, int x, float *p_then, const float *p_now)" in out
    assert "step_8_iteration(1 + t_ / x_trip_, 1 + t_ % x_trip_, p_then, p_now);" in out
    assert "+        return;" in out  # in place of `continue`
    assert "p_then[500 * y + x] = mean(p_now[500 * y + x - 1]" in out
    assert "+__host__ __device__ static real mean(" in out
    assert "+#define ROWS 6000" in out


@pytest.mark.parametrize(
    ("update", "added"),
    [
        ("y[j] = y[j] + a[i][j] * x[i];", "add_atomically(y[j], a[i][j] * x[i]);"),
        ("y[j] = y[j] - a[i][j] + x[i];", "add_atomically(y[j], -a[i][j] + x[i]);"),
        ("y[j] -= a[i][j] + x[i];", "add_atomically(y[j], -(a[i][j] + x[i]));"),
    ],
)
def test_sums_in_elements_are_atomic(source: Source, analyze: Analyze, update: str, added: str) -> None:
    path = source(
        "static double a[900][900], x[900], y[900];\nvoid f(void) {\n    for (int i = 0; i < 900; i++)\n"
        f"        for (int j = 0; j < 900; j++)\n            {update}\n}}\n"
    )
    assert f"+        {added}" in suggested(analyze, path, 3)


def test_updates_of_one_element_are_atomic(source: Source, analyze: Analyze) -> None:
    assert "+    add_atomically(bins[kind[i]], 1);" in suggested(analyze, source(STEP), 20)


@pytest.mark.parametrize(
    ("code", "line", "why"),
    [
        ("void f(int n, double *restrict new, const double *restrict old) {\n    for (int i = 0; i < n; i++)\n"
         "        new[i] = old[i];\n}\n", 2, "`new` means something else"),
        ("void f(int n, int *restrict a) {\n    for (int i = 0; i < n; i++)\n"
         "        __atomic_store_n(&a[i], i, __ATOMIC_RELAXED);\n}\n", 2, "`__atomic_store_n` has another name"),
        ("void f(int n, int m, double a[n][m]) {\n    for (int i = 0; i < n; i++)\n"
         "        for (int j = 0; j < m; j++) a[i][j] = 0;\n}\n", 2, "the type of `a` has no name in CUDA"),
        ("int f(int n, int *a) {\n    int t;\n    for (int i = 0; i < n; i++)\n        t = a[i];\n"
         "    return n > 0 ? t : 0;\n}\n", 3, "keeps what the last iteration gives it"),
    ],
)  # fmt: skip
def test_what_is_no_kernel_is_refused(source: Source, analyze: Analyze, code: str, line: int, why: str) -> None:
    ran = analyze(source(code), "--suggest", "cuda", "--suggest-at", f"a.c:{line}", "-t", "h200")
    assert ran.out == ""
    assert why in ran.err


def test_a_file_that_is_there_is_not_written_over(source: Source, analyze: Analyze) -> None:
    path = source(DOT)
    path.with_name("a_gpu.cu").write_text("mine\n")
    ran = analyze(path, "--suggest", "cuda", "--suggest-at", "a.c:4", "-t", "h200", "--apply")
    assert (ran.code, path.read_text()) == (2, DOT)
    assert "a_gpu.cu: there is such a file already" in ran.err


def test_what_a_macro_of_a_header_names_is_handed_over(source: Source, analyze: Analyze) -> None:
    code = "void f(int n, double *a) {\n    for (int i = 0; i < BOUND; i++)\n        a[i] = 1;\n}\n"
    path = source(f'#include "bound.h"\n{code}')
    path.with_name("bound.h").write_text("#define BOUND n\n")
    assert "+void f_3_gpu(int n, double *a);" in suggested(analyze, path, 3)


@needs_nvcc
@pytest.mark.parametrize("code", [DOT, STEP])
@pytest.mark.parametrize("flags", [(), ("-DCOMPARE_WITH_HOST",)])
def test_kernels_compile(source: Source, analyze: Analyze, tmp_path: Path, code: str, flags: tuple[str, ...]) -> None:
    path = source(code)
    at = {DOT: "a.c:4", STEP: "a.c:8"}[code]
    assert analyze(path, "--suggest", "cuda", "--suggest-at", at, "-t", "h200", "--apply").out != ""
    subprocess.run(["nvcc", *flags, "-c", "a_gpu.cu", "-o", "a_gpu.o"], cwd=path.parent, check=True, timeout=300)
    subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", "-DUSE_CUDA", "-c", "a.c"], cwd=path.parent, check=True)
    subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", "-c", "a.c"], cwd=path.parent, check=True)


def test_an_update_inside_which_more_changes_is_refused(source: Source, analyze: Analyze) -> None:
    text = "struct picture { int width, height, stride; unsigned char *data; };\n"
    text += "void f(struct picture *restrict im) {\n    int count[256] = {0};\n"
    text += "    for (int y = 0; y < im->height; y++)\n"
    text += "        for (int x = 0; x < im->width; x++)\n            count[im->data[y * im->stride + x]]++;\n"
    source(f"{text}    im->data[0] = count[0];\n}}\n")
    ran = analyze("a.c", "-t", "h200", "--suggest", "cuda", "--suggest-at", "a.c:4")
    assert "an update that has to be atomic holds what the kernel reads in another way" in ran.err
