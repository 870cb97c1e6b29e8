"""`analyze --suggest openmp`: the diff, what it leaves alone, what it refuses; the program does the same after it."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Analyze

Source = Callable[..., Path]
needs_tools = pytest.mark.skipif(
    shutil.which("gcc") is None or shutil.which("patch") is None, reason="needs gcc and patch"
)

SUM = """double f(const double *x, int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}
"""
BIG = "#define N 4000000\nstatic double a[N], b[N];\n"


def added(diff: str) -> list[str]:
    return [line[1:] for line in diff.splitlines() if line.startswith("+") and not line.startswith("+++")]


def removed(diff: str) -> list[str]:
    return [line[1:] for line in diff.splitlines() if line.startswith("-") and not line.startswith("---")]


def test_a_sum_whose_size_is_not_known(source: Source, analyze: Analyze) -> None:
    ran = analyze(source(SUM), "--suggest", "openmp")
    assert ran.code == 0
    lines = added(ran.out)
    assert removed(ran.out) == []
    assert lines[0] == "    /* Assumes: s may be rounded otherwise. */"
    assert lines[1].startswith("    #pragma omp parallel for simd if(parallel: n >= ")
    assert lines[1].endswith(") reduction(+: s)")
    assert ran.out.startswith("--- a/a.c\n+++ b/a.c\n@@ ")
    assert analyze("a.c", "-f", "patch").out == ran.out  # the same question in other words


MEMBER = """struct list { int n; int *at; double *x; };
void f(%s, double *restrict y) {
    for (int i = 0; i < %s; i++) y[i] = %s->x[i] / 3;
}
"""


@pytest.mark.parametrize(
    ("parameters", "bound", "base"),
    [("struct list *s", "s->n", "s"), ("struct list *s", "2*s->n", "s"), ("struct list **s", "s[0]->n", "s[0]")],
)
def test_a_size_behind_a_pointer_is_asked_for_as_the_header_reads_it(
    source: Source, analyze: Analyze, parameters: str, bound: str, base: str
) -> None:
    ran = analyze(source(MEMBER % (parameters, bound, base)), "--suggest", "openmp")
    (pragma,) = [line for line in added(ran.out) if "#" in line]
    assert re.match(rf"    #pragma omp parallel for if\({re.escape(base)}->n >= \d+\)", pragma)


def test_a_size_that_the_loop_reads_elsewhere_is_none_of_its_header(source: Source, analyze: Analyze) -> None:
    text = "void f(const int *n, int m, double *restrict y) { m = n[0]; for (int i = 0; i < m; i++) y[i] = i / 3.0; }\n"
    (pragma,) = [line for line in added(analyze(source(text), "--suggest", "openmp").out) if "#" in line]
    assert "if(" not in pragma


def test_a_known_size_needs_no_condition(source: Source, analyze: Analyze) -> None:
    path = source(f"{BIG}void f(void) {{\n\tfor (int i = 0; i < N; i++) a[i] = b[i] / 3;\n}}\n")
    assert added(analyze(path, "--suggest", "openmp").out) == ["\t#pragma omp parallel for"]


def test_what_does_not_pay_is_left_and_can_be_asked_for(source: Source, analyze: Analyze) -> None:
    path = source("int a[10];\nvoid f(void) {\n    for (int i = 0; i < 10; i++) a[i] = i;\n}\n")
    ran = analyze(path, "--suggest", "openmp")
    assert ran.out == ""
    assert "nothing to change: no loop that pays" in ran.err
    asked = analyze(path, "--suggest-at", "a.c:3")
    assert added(asked.out) == ["    #pragma omp parallel for"]
    ran = analyze(path, "--suggest-at", "a.c:4")
    assert (ran.code, "no loop begins there" in ran.err) == (2, True)


def test_a_loop_that_is_not_parallel_says_why(source: Source, analyze: Analyze) -> None:
    path = source("void f(double *a, int n) {\n    for (int i = 1; i < n; i++) a[i] += a[i - 1];\n}\n")
    ran = analyze(path, "--suggest-at", "a.c:2")
    assert ran.out == ""
    assert "a.c:2 is not changed: not parallel: " in ran.err


def test_line_endings_tabs_and_bytes_stay(source: Source, analyze: Analyze, tmp_path: Path) -> None:
    text = f"{BIG}void f(void) {{\t// \udcff\n\tfor (int i = 0; i < N; i++) {{\t/* c */\n\t\ta[i] = b[i];\t\n\t}}\n}}"
    data = text.replace("\n", "\r\n").encode("utf-8", "surrogateescape")
    path = source("")
    path.write_bytes(data)
    os.chmod(path, 0o640)
    assert analyze(path, "--suggest", "openmp", "--apply").code == 0
    after = path.read_bytes()
    assert after.replace(b"\t#pragma omp parallel for\r\n", b"") == data
    assert after != data
    assert path.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["a.c"]


def test_applying_twice_changes_nothing(source: Source, analyze: Analyze) -> None:
    path = source(SUM)
    ran = analyze(path, "--suggest", "openmp", "--apply")
    assert ran.out.startswith("a.c:3: #pragma omp parallel for simd if(parallel: n >= ")
    once = path.read_text()
    ran = analyze(path, "--suggest", "openmp", "--apply")
    assert (ran.code, ran.out) == (0, "")
    assert path.read_text() == once


def test_a_byte_order_mark_stays(source: Source, analyze: Analyze) -> None:
    path = source("")
    path.write_bytes(b"\xef\xbb\xbf" + SUM.encode())
    analyze(path, "--suggest", "openmp", "--apply")
    assert path.read_bytes().startswith(b"\xef\xbb\xbfdouble f(")
    assert b"#pragma omp" in path.read_bytes()


def test_a_file_that_changed_meanwhile_is_left(source: Source, analyze: Analyze, tmp_path: Path) -> None:
    path = source(SUM)
    assert analyze(path, "-f", f"json={tmp_path / 'saved.json'}").code == 0
    path.write_text(SUM + "\n")
    ran = analyze("--from-json", tmp_path / "saved.json", "--suggest", "openmp", "--apply")
    assert (ran.code, "changed since it was analysed" in ran.err) == (2, True)
    assert path.read_text() == SUM + "\n"
    path.write_text(SUM)
    assert analyze("--from-json", tmp_path / "saved.json", "--suggest", "openmp", "--apply").code == 0
    assert "#pragma omp" in path.read_text()


@pytest.mark.parametrize(
    ("code", "line", "why"),
    [
        (
            "#define EACH(i) for (int i = 0; i < N; i++)\nvoid f(void) {\n    EACH(i) a[i] = b[i];\n}\n",
            5,
            "the macro EACH",
        ),
        (
            "void f(void) {\n#pragma omp parallel\n    {\n    for (int i = 0; i < N; i++) a[i] = b[i];\n    }\n}\n",
            6,
            "it stands in what `#pragma omp parallel` on line 4 runs",
        ),
        (
            "void f(void) {\n#pragma omp parallel for\n    for (int i = 0; i < N; i++) a[i] = b[i];\n}\n",
            5,
            "a directive divides its iterations already",
        ),
        (
            "void f(double c[9][N]) {\n    for (int k = 0; k < 9; k++)\n#pragma omp simd\n"
            "    for (int i = 0; i < N; i++) c[k][i] = b[i];\n}\n",
            4,
            "`#pragma omp simd` on line 5 stands in it",
        ),
    ],
)
def test_what_is_refused(code: str, line: int, why: str, source: Source, analyze: Analyze) -> None:
    ran = analyze(source(BIG + code), "--suggest-at", f"a.c:{line}")
    assert ran.out == ""
    assert f"a.c:{line} is not changed: {why}" in ran.err


def test_several_loops_of_a_line(source: Source, analyze: Analyze) -> None:
    path = source(
        f"{BIG}void f(int k) {{\n    if (k) for (int i = 0; i < N; i++) a[i] = 1;"
        " else for (int i = 0; i < N; i++) b[i] = 1;\n}\n"
    )
    ran = analyze(path, "--suggest", "openmp", "--apply")
    assert ran.code == 0
    assert path.read_text().splitlines()[3:8] == [
        "    if (k)",
        "    #pragma omp parallel for",
        "    for (int i = 0; i < N; i++) a[i] = 1; else",
        "    #pragma omp parallel for",
        "    for (int i = 0; i < N; i++) b[i] = 1;",
    ]


def test_the_first_ones_alone(source: Source, analyze: Analyze) -> None:
    path = source(
        f"{BIG}void f(void) {{\n    for (int i = 0; i < N / 8; i++) a[i] = b[i];\n}}\n"
        "void g(void) {\n    for (int i = 0; i < N; i++) a[i] = b[i] / (a[i] + 3);\n}\n"
    )
    assert len(added(analyze(path, "--suggest", "openmp").out)) == 2
    ran = analyze(path, "--suggest", "openmp", "--top", "1")
    assert added(ran.out) == ["    #pragma omp parallel for"]
    assert "@@ -4," in ran.out or "@@ -5," in ran.out or "@@ -3," in ran.out
    assert " void g(void) {" in ran.out


def test_options_that_need_others(source: Source, analyze: Analyze) -> None:
    path = source(SUM)
    ran = analyze(path, "--apply")
    assert (ran.code, "say what to apply" in ran.err) == (2, True)
    ran = analyze(path, "--suggest", "cobol")
    assert (ran.code, "openmp" in ran.err) == (2, True)
    ran = analyze(path, "-f", "json=r.json", "--no-source")
    assert ran.code == 0
    ran = analyze("--from-json", "r.json", "--suggest", "openmp")
    assert (ran.code, "source text was left out" in ran.err) == (2, True)


PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 60000

struct site { double v[4]; };
static struct site sites[N];
static double a[N], b[N], hist[64];
static int p[N];

static double moving(double *to, const double *from, int n)
{
    double *q = to;
    int k = 3, i;
    double last = 0;
    for (i = 0; i < n; i++, q++) {
        *q = from[i] * k;
        last = from[i] + k;
        k += 2;
    }
    return last + k + i + (q - to);
}

static void binned(struct site *s, const int *where, int n)
{
    for (int i = 0; i < n; i++)
        hist[where[i] & 63] += s[i].v[1];
}

static void scattered(double *restrict to, const int *restrict where, int n)
{
    for (int i = 0; i < n; i++)
        to[where[i]] = i;
}

static double down(double *x, int n)
{
    double most = -1;
    int i = n;
    while (i > 0) {
        i--;
        x[i] = x[i] / 2 + i;
        most = x[i] > most ? x[i] : most;
    }
    return most;
}

static double into(double *total, const double *x, int n)
{
    if (n > 0)
        for (int i = 0; i < n; i++)
            *total += x[i];
    return *total;
}

int main(void)
{
    double sum = 0, total = 0;
    for (int i = 0; i < N; i++) { a[i] = i % 97; p[i] = (i * 7 + 1) % N; sites[i].v[1] = i % 5; }
    sum += moving(b, a, N);
    binned(sites, p, N);
    scattered(a, p, N);
    sum += down(b, N) + into(&total, a, N);
    for (int i = 0; i < N; i++) sum += b[i] + a[i] * (i % 3);
    for (int i = 0; i < 64; i++) sum += hist[i];
    printf("%.17g\\n", sum + total);
    return 0;
}
"""


@needs_tools
def test_the_changed_program_prints_the_same(source: Source, analyze: Analyze, tmp_path: Path) -> None:
    """All values are whole numbers and halves, so that sums in another order are the same."""
    path = source(PROGRAM)
    ran = analyze(path, "--suggest", "openmp")
    assert len([line for line in added(ran.out) if "#pragma omp" in line]) >= 6
    (tmp_path / "omp.patch").write_text(ran.out)
    subprocess.run(["patch", "-p1", "-o", "new.c", "-i", "omp.patch"], check=True, capture_output=True)
    command = ["gcc", "-O1", "-fopenmp", "-Wall", "-Wextra", "-Werror", "-fwrapv"]
    subprocess.run([*command, "-Wno-unknown-pragmas", "a.c", "-o", "old"], check=True)
    subprocess.run([*command, "new.c", "-o", "new"], check=True)
    expected = subprocess.run(["./old"], check=True, capture_output=True).stdout
    for threads in ("1", "2", "4", "7"):
        environment = {**os.environ, "OMP_NUM_THREADS": threads}
        assert subprocess.run(["./new"], check=True, capture_output=True, env=environment).stdout == expected


def test_beside_other_reports_the_change_is_for_the_host(source: Source, analyze: Analyze, tmp_path: Path) -> None:
    path = source(SUM)
    alone = analyze(path, "--suggest", "openmp").out
    ran = analyze(path, "-t", "h200", "-f", "text", "-f", "patch=o.patch", "-f", "json=o.json")
    assert ran.code == 0
    assert ran.err.count(" in ") == 1
    assert "h200" in ran.out
    assert (tmp_path / "o.patch").read_text() == alone
    assert analyze(path, "-t", "h200", "--suggest", "openmp").out == alone
    ran = analyze("--from-json", "o.json", "--suggest", "openmp")
    assert (ran.code, "save one without --target" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("body", "written"),
    [
        pytest.param("b[i] = a[i];", ["i"], id="the header alone moves it"),
        pytest.param("b[i] = a[k];", ["i", "k"], id="the body reads it"),
        pytest.param("PUT;", ["i", "k"], id="a macro reads it"),
    ],
)
def test_only_what_the_body_names_gets_a_formula(
    body: str, written: list[str], source: Source, analyze: Analyze
) -> None:
    code = f"#define PUT b[i] = a[k]\n{BIG}void f(void) {{\n    int i, k;\n"
    path = source(f"{code}    for (i = 0, k = 1; i < N - 1; i++, k++) {body}\n}}\n")
    lines = added(analyze(path, "--suggest", "openmp").out)
    (pragma,) = (line for line in lines if "#pragma" in line)
    assert f"private({', '.join(written)})" in pragma
    assert [line.split()[0] for line in lines if re.match(r"\s+[ik] = .*it", line)] == written


def test_names_of_files_end_no_line(source: Source, analyze: Analyze) -> None:
    ran = analyze(source(SUM, 'a"\n+++ b.c'), "--suggest", "openmp")
    assert ran.out.startswith('--- "a/a\\"\\n+++ b.c"\n+++ "b/a\\"\\n+++ b.c"\n@@')


def test_an_inner_loop_that_needs_no_atomic_updates_comes_first(source: Source, analyze: Analyze) -> None:
    path = source(
        "void f(int n, double b[restrict n][n], const double a[restrict n][n]) {\n"
        "    for (int t = 0; t < n; t++)\n"
        "        for (int r = 0; r < n; r++)\n"
        "            for (int s = 0; s < n; s++)\n"
        "                b[r][s] += a[r][t] * a[s][t];\n}\n"
    )
    ran = analyze(path, "--suggest", "openmp", "--apply")
    assert ran.out.startswith("a.c:3: #pragma omp parallel for if(n >= ")
    assert "atomic" not in path.read_text()


def test_a_report_about_the_host_alone_says_how_to_go_on(source: Source, analyze: Analyze) -> None:
    body = "a[i] = __builtin_exp(b[i] + __builtin_sin(b[i]));"
    path = source(f"{BIG}void f(void) {{\n    for (int i = 0; i < N; i++) {body}\n}}\n")
    ran = analyze(path, "--host", "i7-930", "-f", "markdown", "-f", "text=t.txt")
    assert ran.code == 0
    (printed,) = [line for line in Path("t.txt").read_text().splitlines() if line.startswith("Next ")]
    words = printed.split()[2:]
    assert words[1:] == ["--host", "i7-930", "--suggest", "openmp"]
    assert added(analyze(*words).out) == ["    #pragma omp parallel for"]


def test_pragmas_of_compilers_stay_in_front_of_their_loop(source: Source, analyze: Analyze) -> None:
    path = source(f"{BIG}void f(void) {{\n#pragma GCC ivdep\n    for (int i = 0; i < N; i++) a[i] = b[i];\n}}\n")
    ran = analyze(path, "--suggest-at", "a.c:5")
    assert "a.c:5 is not changed: `#pragma GCC ivdep` has to stand right in front of it" in ran.err


def test_a_size_that_has_no_name_at_the_loop_is_no_condition(source: Source, analyze: Analyze) -> None:
    path = source(
        "static int len;\nstatic void row(double *x) { for (int k = 0; k < len; k++) x[k] = k / 3.0; }\n"
        "void f(double (*x)[100], int n) {\n    for (int i = 0; i < n; i++)\n        row(x[i]);\n}\n"
    )
    lines = added(analyze(path, "--suggest-at", "a.c:4").out)
    assert [line.strip() for line in lines if "pragma" in line] == ["#pragma omp parallel for"]


def test_json_and_sarif_hold_the_same_edits(source: Source, analyze: Analyze, tmp_path: Path) -> None:
    path = source(f"{BIG}void f(void) {{\n    for (int i = 0; i < N; i++) a[i] = b[i] / 3;\n}}\n")
    analyze(path, "-f", "json=r.json")
    (loop,) = json.loads((tmp_path / "r.json").read_text())["files"][0]["loops"]
    assert loop["change"]["directive"] == "#pragma omp parallel for"
    (edit,) = loop["change"]["edits"]
    assert edit == {"line": 4, "column": 1, "end_line": 4, "end_column": 1, "text": "    #pragma omp parallel for\n"}
    (result,) = json.loads(analyze(path, "-f", "sarif").out)["runs"][0]["results"]
    ((fix,),) = [result["fixes"]]
    (changed,) = fix["artifactChanges"]
    assert changed["replacements"][0]["insertedContent"] == {"text": edit["text"]}
    assert fix["description"] == {"text": "#pragma omp parallel for"}


def test_sarif_alone_has_the_change_for_a_device(source: Source, analyze: Analyze) -> None:
    body = "for (int i = 0; i < N; i++) a[i] = exp(sin(b[i])) + exp(cos(b[i]));"
    path = source(f"#include <math.h>\n{BIG}void f(void) {{\n    {body}\n}}\n")
    (result,) = json.loads(analyze(path, "-t", "h200", "-f", "sarif").out)["runs"][0]["results"]
    (loop,) = json.loads(analyze(path, "-t", "h200", "-f", "json").out)["files"][0]["loops"]
    ((fix,),) = [result["fixes"]]
    assert fix["description"] == {"text": loop["change"]["directive"]}
    assert "omp target" in loop["change"]["directive"]


@needs_tools
def test_scratch_memory_too_large_for_the_stacks_of_threads(source: Source, analyze: Analyze) -> None:
    path = source(
        "#define _GNU_SOURCE\n#include <stdio.h>\ndouble f(int n) {\n    double t[300000], s = 0;\n"
        "    for (int i = 0; i < n; i++) {\n        for (int j = 0; j < 300000; j++) t[j] = i + j;\n"
        "        s += t[i];\n    }\n    return s;\n}\nint main(void) { printf(\"%g\\n\", f(50)); return 0; }\n"
    )
    assert analyze(path, "--suggest-at", "a.c:5", "--apply").code == 0
    assert path.read_text().splitlines()[:3] == ["#define _GNU_SOURCE", "#include <stdlib.h>", "#include <stdio.h>"]
    subprocess.run(["gcc", "-O1", "-fopenmp", "-Wall", "-Werror", "a.c", "-o", "new"], check=True)
    environment = {**os.environ, "OMP_NUM_THREADS": "4"}
    assert subprocess.run(["./new"], check=True, capture_output=True, env=environment).stdout == b"2450\n"


def test_a_loop_that_someone_else_may_stop(source: Source, analyze: Analyze) -> None:
    head = "extern int stop;\n{}void f(double *restrict x, int n) {{\n"
    text = head + "    for (int i = 0; i < n; i++) {{ {} x[i] += 1; }}\n}}\n"
    lines = added(analyze(source(text.format("", "if (stop) break;")), "--suggest", "openmp").out)
    assert lines[0].endswith(" && !(stop)) {")
    assert lines[1] == "    #pragma omp parallel for"
    assert lines[2] == "    for (int i = 0; i < n; i++) { if (stop) continue; x[i] += 1; }"
    hidden = analyze(source(text.format("#define CHECK if (stop) break;\n", "CHECK")), "--suggest", "openmp")
    assert hidden.out == ""
    assert "it needs a hand" in hidden.err


REFUSED = [
    ("for (int i = 0; i < n; i++) { double *w = x + i; *w += 1; }\n*w += x[0];", None),
    ('_Pragma("GCC ivdep")\nfor (int i = 0; i < n; i++) x[i] += 1;', "has to stand right in front of it"),
    ("for (int i = 0; i < n; i++) IF(x[i] > 1) x[i] = 1; else x[i] = 2;", "a macro holds an `if`"),
    ("for (int i = 0; i < n; i++) { ADD(x[i]); *w += 1; }", "the macro ADD may name `*w`, too"),
    ("for (int i = 0; i < n; i++) { *w += x[i]; { double *w = x; x[i] = *w; } }", None),
    ("    #pragma GCC ivdep\nfor (int i = 0; i < n; i++) x[i] += 1;", "has to stand right in front of it"),
    ("for (int i = 0; i < n; i++) {\n    #pragma omp critical\n    { *w += x[i]; }\n}", "stands in it"),
    ("    #pragma omp parallel\n    {\nfor (int i = 0; i < n; i++) x[i] += 1;\n    }", "on line 5 runs"),
    ("for (int i = 0; i < n; i++)\n    #if 1\n    *w += x[i];\n    #else\n    x[i] = 1;\n    #endif", "`#if`"),
    ("for (int i = start++; i < n; i++) x[i] += 1;", "steps a variable as it begins"),
    ("for (int i = next(); i < n; i++) x[i] += 1;", "it needs a hand"),
    ("#ifdef SLOW\nfor (int i = 0, k = 5; i < n; i++, k++)\n#else\nfor (int i = 0, k = 7; i < n; i++, k += 2)\n#endif\n"
     "{ x[i] += k; }", "`#if` stands in it"),
    ("for (int i = 0, k = 5; i < n; i++, k += 2) { int k = i; x[i] = k; }", "is declared again in its body"),
]
HEAD = (
    "#define IF(c) if (c)\n#define ADD(v) (*w += (v))\nextern int start; int next(void);\n"
    "void f(double *restrict x, double *restrict w, int n) {\n"
)


@pytest.mark.parametrize(("code", "why"), REFUSED)
def test_what_an_attack_found_is_refused(code: str, why: str | None, source: Source, analyze: Analyze) -> None:
    path = source(HEAD + code + "\n}\n")
    lines = path.read_text().splitlines()
    at = max(k for k, line in enumerate(lines, 1) if line.startswith("for "))
    ran = analyze(path, "--suggest-at", f"a.c:{at}")
    if why is None:  # for this reason or another one
        assert "own_w" not in ran.out
    else:
        assert ran.out == ""
        assert why in ran.err


CHANGED = """
#include <stdio.h>
#define N 70000
static double x[N], y[N];
void sums(double *restrict total, const double *restrict v, int n, double *o)
{
    for (int i = 0; i < n; i++) *total += v[i]; /* a */ if (n > 0) *o = *total; /* b */
}
double walks(double *p)
{
    for (int k = 0; k < N; k++) { /* a */ *p++ += k; /* b */
    }
    return p[-1];
}
int casts(double *restrict t, const double *restrict v, double *restrict to, int n)
{
    for (int i = 0; i < n; i++) {
        *t = v[i] + 0.5;
        to[i] = (int)*t * 2;
    }
    return n > 0 ? (int)*t : 0;
}
void rows(double *restrict to, const double *restrict from, int n, int m, int lda, int really)
{
    double t;
    if (really)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                t = from[i];
                to[i * lda + j] = t;
            }
    else
        to[0] = 1;
}
long counts_behind(double *to, int n)
{
    double *p = to;
    int k;
    for (k = 0; k < n; k++)
        *p++ = k;
    return p - to + k;
}
long of_another_sign(int n)
{
    double *p = y + 500, *e = p + n;
    unsigned j = n;
    while (p < e) { *p++ = j; j--; }
    return (p - y) + (j & 3);
}
long backwards(int n)
{
    double *p = y + 100, *q = p + n;
    int k;
    for (k = 0; q > p; k++) *--q = k;
    return (q - p) * 1000 + k;
}
void of_rows(double (*p)[7], int n)
{
    int k;
    for (k = 0; k < n; k++, p++)
        (*p)[3] = 2 * k;
}
int main(void)
{
    double total = 1, other = 0;
    for (int i = 0; i < N; i++) x[i] = i % 9;
    sums(&total, x, N, &other);
    sums(NULL, NULL, 0, NULL);
    total += counts_behind(y, 3000) + of_another_sign(900) + of_another_sign(-5) + backwards(50) + backwards(-5);
    of_rows((double (*)[7])y, 1000);
    total += walks(y) + casts(&other, x, y, N) + casts(NULL, NULL, NULL, 0);
    rows(y, x, 200, 300, 300, 1);
    rows(y, x, 200, 300, 200, 1);
    for (int i = 0; i < N; i++) total += y[i];
    printf("%.17g\\n", total + other);
    return 0;
}
"""


@needs_tools
def test_what_an_attack_found_does_the_same(source: Source, analyze: Analyze) -> None:
    path = source(CHANGED)
    command = ["gcc", "-O1", "-fopenmp", "-Wall", "-Werror", "-Wno-misleading-indentation"]
    subprocess.run([*command, "a.c", "-o", "old"], check=True)
    expected = subprocess.run(["./old"], check=True, capture_output=True).stdout
    assert analyze(path, "--suggest", "openmp", "--apply").code == 0
    once = path.read_text()
    assert once.count("#pragma omp") >= 8
    once = re.sub(r" if\(\w+ >= \d+\)", "", once)  # few iterations at once, too
    path.write_text(once)
    subprocess.run([*command, "a.c", "-o", "new"], check=True)
    for threads in ("1", "4"):
        environment = {**os.environ, "OMP_NUM_THREADS": threads}
        assert subprocess.run(["./new"], check=True, capture_output=True, env=environment).stdout == expected
    analyze(path, "--suggest", "openmp", "--apply")
    assert path.read_text() == once


def test_a_member_is_no_variable_of_its_name(source: Source, analyze: Analyze) -> None:
    path = source(
        "struct s { int i, n; double *a; };\nvoid f(struct s *s, int n) {\n"
        "    for (int i = s->i; i < s->n; i++) { s->a[i] = 0; n = i; }\n}\n"
    )
    assert added(analyze(path, "--suggest-at", "a.c:3").out) == ["    #pragma omp parallel for private(n)"]


def test_a_file_that_no_patch_reaches_from_here(
    source: Source, analyze: Analyze, monkeypatch: pytest.MonkeyPatch
) -> None:
    source(SUM, "lib/a.c")
    elsewhere = source("", "elsewhere/b.c").parent
    assert "patch" not in analyze("lib/a.c", "--suggest", "openmp").err
    monkeypatch.chdir(elsewhere)
    assert "../lib/a.c is not below this folder" in analyze("../lib/a.c", "--suggest", "openmp").err
    assert "below" not in analyze("../lib/a.c", "--suggest", "openmp", "--apply").err


VECTORS = """
double dot(const double *x, const double *y) {
    double s = 0;
    for (int i = 0; i < 20000; i++) s += x[i] * y[i];
    return s;
}
double last(const double *x, double *y) {
    double t = 0, s = 0;
    for (int i = 0; i < 20000; i++) { t = x[i] * 2; s += t * y[i]; }
    return t + s;
}
double walk(const double *x, double *y) {
    double s = 0;
    for (int i = 0; i < 20000; i++) { s += *x++ * y[i]; }
    return s + *x;
}
struct sum { double sum, *v; };
void member(struct sum *p) { for (int i = 0; i < 20000; i++) p->sum += p->v[i]; }
double largest(const double *x) { double m = x[0]; for (int i = 1; i < 20000; i++) if (x[i] > m) m = x[i]; return m; }
double down(const double *x, double *y) {
    double s = 0; int k = 0;
    for (int i = 19999; i >= 0; i--) { s += x[k] * y[i]; k += 1; }
    return s + k;
}
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_vectors_of_one_thread_have_no_clauses_of_several(
    compiler: str, analyze: Analyze, source: Source, tmp_path: Path
) -> None:
    """Compilers refuse `simd firstprivate(x)`. (That clang makes no vectors of the largest is its own choice.)"""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    path = source(VECTORS)
    assert "firstprivate" not in analyze("a.c").out
    assert analyze("a.c", "--suggest", "openmp", "--apply").code == 0
    assert path.read_text().count("#pragma omp simd ") == 6
    warnings = ("-Wall", "-Wextra", "-Werror", "-Wno-pass-failed")
    subprocess.run([compiler, "-fopenmp", *warnings, "-c", "-o", str(tmp_path / "a.o"), str(path)], check=True)


@pytest.mark.parametrize(("behind", "kept"), [("", False), ("b[0] = n;", True)])
def test_what_a_variable_held_is_kept_where_the_change_asks_for_it(
    behind: str, kept: bool, source: Source, analyze: Analyze
) -> None:
    copies = "while (n-- > 0)\n        *a++ = *c++;"
    source(f"void f(double *restrict a, const double *restrict c, int n, int *b) {{\n    {copies}\n    {behind}\n}}\n")
    lines = added(analyze("a.c", "--suggest", "openmp").out)
    assert "    __typeof__(a) a_before = a;" in lines
    assert ("    int n_before = n;" in lines) is kept


def test_a_counter_that_the_body_does_not_name_goes_on_to_count(source: Source, analyze: Analyze) -> None:
    """Otherwise nothing would use it; and formulas may be larger than it can be."""
    text = """struct site { double v; };
    void f(int n, struct site *lattice, struct site *p, double *restrict w, long m, long *last) {
        int i;
        long at;
        for (i = 0, at = m; i < n; i++, at += 100000, p++) { p->v *= 0.5; w[i] = at; }
        for (i = 0, at = m; i < n; i++, at += 100000, lattice++) { lattice->v *= 0.5; w[at] = m; }
        *last = at;
    }
    """
    lines = added(analyze(source(text), "--suggest", "openmp").out)
    heads = [line.strip() for line in lines if line.strip().startswith("for ")]
    assert heads == ["for (long long it = 0; it < trip; it++) {", "for (i = 0; i < trip2; i++) {"]
    assert "            lattice = lattice_before + i;" in lines
    assert "            at = m + 100000*(long long)i;" in lines


@pytest.mark.skipif(shutil.which("clang") is None, reason="needs clang")
def test_clang_takes_labels_in_vectors_of_threads(source: Source, analyze: Analyze, tmp_path: Path) -> None:
    """It breaks off where an `if` clause makes it write the body twice, with vectors and without."""
    body = "if (b[i] > 3) { a[i] = 2; goto large; } a[i] = b[i]; continue; large: last += b[i];"
    head = "double f(int n, double *restrict a, const double *restrict b) {\n    double last = 0;\n"
    path = source(f"{head}    for (int i = 0; i < n; i++) {{ {body} }}\n    return last;\n}}\n")
    assert analyze("a.c", "--suggest", "openmp", "--apply").code == 0
    assert "#pragma omp parallel for simd if(parallel: n >= " in path.read_text()
    subprocess.run(["clang", "-w", "-fopenmp", "-c", "-o", str(tmp_path / "a.o"), str(path)], check=True)


@pytest.mark.parametrize(("step", "other"), [("1 - k", 57), ("-k", 56), ("k ^ 7", 207)])
def test_a_second_value_is_one_of_its_type(step: str, other: int, source: Source, analyze: Analyze) -> None:
    """Compilers remark on `k = -199` for an `unsigned char`."""
    loop = f"for (int i = 0; i < n; i++) {{ out[i] = k; k = {step}; }}"
    source(f"void f(int n, int *out) {{\n    unsigned char k = 200;\n    {loop}\n}}\n")
    assert f"        k = (i % 2 ? {other} : 200);" in added(analyze("a.c", "--suggest", "openmp").out)


@pytest.mark.parametrize(
    ("step", "remark"),
    [
        ("for (int i = 0; i < ROWS; i++) a[t++] = b[i];", "With ROWS as defined where this was written (40)"),
        ("a[t] = b[j]; t += 2 * ROWS;", "With ROWS as defined where this was written (80)"),
        ("a[t] = b[j]; t += 40;", None),
        ("a[j] = b[j] * ROWS;", None),
    ],
)
def test_a_change_says_which_macros_its_numbers_are_of(
    step: str, remark: str | None, source: Source, analyze: Analyze
) -> None:
    """Another build may define them otherwise."""
    head = "#define ROWS 40\nvoid f(double *restrict a, const double *restrict b, int m) {\n    int t = 1;\n"
    source(f"{head}    for (int j = 0; j < m; j++) {{ {step} }}\n}}\n")
    comments = [line.strip() for line in added(analyze("a.c", "--suggest", "openmp").out) if "/*" in line]
    assert comments == ([] if remark is None else [f"/* {remark}: change both or none. */"])


@pytest.mark.parametrize("names", [("a", "b"), ("a", "b", "c")])
def test_a_product_of_sizes_is_asked_for_where_equal_ones_pay(
    names: tuple[str, ...], source: Source, analyze: Analyze
) -> None:
    """Not where one of them is 1 and each of the others 1000, if that is enough by itself."""
    parameters = ", ".join(f"int {name}" for name in names)
    loop = f"for (int i = 0; i < {' * '.join(names)}; i++) h[i] = sin(h[i]);"
    source(f"#include <math.h>\nvoid f({parameters}, double *h) {{\n    {loop}\n}}\n")
    found = re.search(r"if\(\(double\)[a-c* ]+ >= (\d+)\)", analyze("a.c", "--suggest", "openmp").out)
    equal = re.search(r"win from (\d+) ", analyze("a.c", "-f", "concise").out)
    assert found is not None
    assert equal is not None
    pays = int(equal[1]) ** len(names)
    assert pays / 2 < int(found[1]) < 2 * pays
