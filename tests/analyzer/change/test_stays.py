"""Arrays that stay on the device between statements: what goes there and comes back when, and where none can stay.

What is written is run by `python -m tests.clauses.whole_programs`; here a few of them are."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Analyze

from .test_on_device import needs_device

Source = Callable[..., Path]

HELPERS = """#include <stdio.h>
#include <stdlib.h>
#define N 2000000
static void fill(double *x, int n) {
    for (int i = 0; i < n; i++)
        x[i] = i % 7;
}
static void step(double *restrict y, const double *restrict x, int n) {
    for (int i = 1; i < n - 1; i++)
        y[i] = 0.5 * (x[i - 1] + x[i + 1]);
}
static double peek(const double *x, int i) { return x[i]; }
static void poke(double *x, int i) { x[i] = i; }
"""
TWO = "    double *a = malloc(n * sizeof(double)), *b = malloc(n * sizeof *b);\n"


LOOP = ("fill(a, n), fill(b, n);", "for (int t = 0; t < 9; t++) {", *("step(b, a, n);", "step(a, b, n);") * 2)


def main_of(*lines: str, arrays: str = TWO, head: str = "") -> str:
    body = "".join(f"    {line}\n" for line in lines)
    end = '    printf("%.17g %.17g\\n", a[5], b[n / 2]);\n    return 0;\n}\n'
    start = "int main(int argc, char **argv) {\n    (void)argv;\n    int n = N * argc;\n"
    return f"{HELPERS}{head}{start}{arrays}{body}{end}"


def directives(analyze: Analyze, path: Path, form: str = "openmp-target") -> list[str]:
    """Those that keep data there, and the statements of main around them, as they are after the change."""
    ran = analyze(path, "--suggest", form, "-t", "h200", "--size", "main:argc=1", "--apply")
    assert ran.code == 0, ran.err
    text = path.read_text().partition("int main")[2]
    text = re.sub(r"\\\n\s+", "", text)
    return [line.strip() for line in text.splitlines() if "#pragma" in line]


FILLED = """#include <stdio.h>
static double a[3000000], b[3000000];
static void fill(void) {
    for (int i = 0; i < 3000000; i++) a[i] = i % 7;
}
static void step(int k) {
    for (int i = 0; i < 3000000; i++) b[i] = b[i] / 2 + k * a[i];
}
int main(int argc, char **argv) {
    (void)argv;
    a[7] = argc;
    b[5] = argc;
    fill();
    for (int k = 0; k < 500; k++)
        step(k);
    printf("%g\\n", b[5]);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("old", "new", "way"),
    [
        ("", "", "alloc"),
        ("    for (int i = 0; i < 3000000; i++) a[i]", "    if (b[5] > 9) return;\n{}", "to"),  # may keep what a has
        ("static void fill(void) {", "#define LEAVE if (b[5] > 9) return\nstatic void fill(void) {{\n    LEAVE;", "to"),
        ("i < 3000000; i++) a[i]", "i < 2000000; i++) a[i]", "to"),  # the rest of it is needed
        ("a[i] = i % 7", "a[i] = a[i] + i % 7", "to"),
        ("    fill();", "    if (argc > 1) fill();", "to"),
    ],
)
def test_what_is_stored_as_a_whole_first_is_not_copied_there(
    old: str, new: str, way: str, source: Source, analyze: Analyze
) -> None:
    path = source(FILLED.replace(old, new.format(old)) if old else FILLED)
    (entered,) = [line for line in directives(analyze, path) if "enter data" in line and re.search(r"\ba\b", line)]
    assert re.search(rf"map\({way}: (b, )?a(, b)?\)", entered), entered


def test_data_stays_around_calls(source: Source, analyze: Analyze) -> None:
    path = source(main_of(*LOOP, "}"))
    assert directives(analyze, path) == [
        "#pragma omp target enter data map(alloc: a[0:n], b[0:n])",
        "#pragma omp target exit data map(from: a[0:n], b[0:n])",
    ]
    text = path.read_text()
    begin, end = text.index("target enter data"), text.index("target exit data")
    assert text[begin:end].count("fill(") == 2
    assert text[:begin].count("distribute parallel for") == 2


def test_openacc_has_the_same(source: Source, analyze: Analyze) -> None:
    steps = ("step(b, a, n);", "step(a, b, n);")
    path = source(main_of("fill(a, n), fill(b, n);", *steps, 'printf("%g", peek(a, 1));', *steps))
    assert directives(analyze, path, "openacc") == [
        "#pragma acc enter data create(a[0:n], b[0:n])",
        "#pragma acc update self(a[0:n])",
        "#pragma acc exit data copyout(a[0:n], b[0:n])",
    ]


def test_one_statement_needs_no_end(source: Source, analyze: Analyze) -> None:
    path = source(main_of("poke(a, 3);", "poke(b, 3);", *LOOP[1:], "}"))
    assert directives(analyze, path) == ["#pragma omp target data map(tofrom: a[0:n], b[0:n])"]


BETWEEN = {
    "reads": ('printf("%g\\n", peek(a, 7));', ["from(a[0:n])"]),
    "reads under a condition": ('if (t == 3) printf("%g\\n", peek(a, 7));', ["from(a[0:n])"]),
    "writes": ("poke(b, t);", ["from(b[0:n])", "to(b[0:n])"]),
    "writes under a condition": ("if (t == 3) poke(b, t);", ["from(b[0:n])", "to(b[0:n])"]),
    "leaves the loop": ("if (peek(a, 7) > 100) break;", ["from(a[0:n])"]),
}


@pytest.mark.parametrize("what", BETWEEN)
def test_what_the_host_does_in_between_is_copied(source: Source, analyze: Analyze, what: str) -> None:
    line, updates = BETWEEN[what]
    found = directives(analyze, source(main_of(*LOOP, line, "}")))
    assert [x.partition("update ")[2] for x in found if "update" in x] == updates
    assert sum("enter data" in x for x in found) == 1


def test_arrays_do_not_share_what_the_host_does_to_one(source: Source, analyze: Analyze) -> None:
    path = source(main_of("fill(a, n);", "poke(b, 3);", *LOOP[1:], "}"))
    assert directives(analyze, path) == [
        "#pragma omp target enter data map(alloc: a[0:n])",
        "#pragma omp target data map(tofrom: b[0:n])",
        "#pragma omp target exit data map(from: a[0:n])",
    ]


def test_a_branch_gets_braces(source: Source, analyze: Analyze) -> None:
    path = source(main_of(*LOOP, 'if (t == 3)', '    printf("%g\\n", peek(a, 7));', "}"))
    directives(analyze, path)
    lines = [line.strip() for line in path.read_text().splitlines()]
    at = lines.index("if (t == 3) {")
    assert lines[at + 1 : at + 4] == ["#pragma omp target update from(a[0:n])", 'printf("%g\\n", peek(a, 7));', "}"]


EXTENTS = {
    "static": ("static double a[N], b[N];", "a, b"),
    "of the file": ("", "a, b"),
    "calloc": ("double *a = calloc(n, sizeof(double)), *b = calloc(sizeof *b, n);", "a[0:n], b[0:n]"),
    "calloc again": ("double *a = calloc(n, sizeof(double)), *b = calloc(n, sizeof(double));", "a[0:n], b[0:n]"),
    "by another type": (
        "double *a = malloc(n * sizeof *a), *b = malloc(n * 2 * sizeof(float));",
        "a[0:n], b[0:(n * 2 * sizeof(float)) / sizeof(*b)]",
    ),
    "more than is used": (
        "size_t size = n + 2;\n    double *a = malloc(sizeof(double) * size),\n"
        "           *b = (double *)malloc((n + 8) * sizeof(*b));",
        "a[0:size], b[0:(n + 8)]",
    ),
    "bytes": (
        "size_t bytes = n * sizeof(double);\n    double *a = malloc(bytes), *b = malloc(bytes);",
        "a[0:bytes / sizeof(*a)], b[0:bytes / sizeof(*b)]",
    ),
    "on the stack": ("double a[N], b[n];", "a, b"),
}


@pytest.mark.parametrize("what", EXTENTS)
def test_all_of_an_array_goes(source: Source, analyze: Analyze, what: str) -> None:
    arrays, items = EXTENTS[what]
    head = "static double a[N], b[N];\n" if what == "of the file" else ""
    lines = ("fill(a, n), fill(b, n);", "step(b, a, n);", "step(a, b, n);")
    path = source(main_of(*lines, arrays=f"    {arrays}\n", head=head))
    found = " ".join(directives(analyze, path))
    assert items in found.replace(") map(", ", ")


GIVEN = "double *given(int);\n"


def test_what_a_function_gives_is_taken_to_be_its_own(source: Source, analyze: Analyze) -> None:
    arrays = "    double (*a)[N] = (double (*)[N])given(1), (*b)[N] = (double (*)[N])given(2);\n"
    lines = ("fill(*a, n), fill(*b, n);", "step(*b, *a, n);", "step(*a, *b, n);")
    text = main_of(*lines, arrays=arrays, head=GIVEN).replace("a[5], b[n / 2]", "(*a)[5], (*b)[n / 2]")
    path = source(text)
    assert directives(analyze, path)[0] == "#pragma omp target enter data map(to: a[0:1], b[0:1])"
    assert "/* Assumes: nothing else leads to what given() returns. */" in path.read_text()
    path.write_text(text)
    ran = analyze(path, "--suggest", "openmp-target", "-t", "h200", "--assume", "none")
    assert "enter data" not in ran.out


@pytest.mark.parametrize("kept", ["omp target data map(a[0:n])", "acc enter data copyin(a[0:n])"])
def test_what_a_person_keeps_there_is_left_alone(source: Source, analyze: Analyze, kept: str) -> None:
    head = f"static void own(double *a, int n) {{\n#pragma {kept}\n    fill(a, n);\n}}\n"
    path = source(main_of(*LOOP, "}", head=head))
    assert not directives(analyze, path)


def test_arrays_that_pointers_of_the_file_lead_to_do_not_stay(source: Source, analyze: Analyze) -> None:
    head = "static double a[N], b[N], *first = a;\n"
    path = source(main_of(*LOOP, "if (argc > 9) first = b;", "first[3] = 2;", "}", arrays="", head=head))
    assert not any("a" in re.findall(r"\w+", line) for line in directives(analyze, path))


REFUSED = {
    "size changes": ("int m = n;\n    double *a = malloc(n * sizeof *a), *b = malloc(m * sizeof *b);\n    m = 3;", ()),
    "set again": (TWO.strip(), ("b = b + 1;",)),
    "left halfway": (TWO.strip(), ("if (argc > 3) return 1;",)),
    "goto": (TWO.strip(), ("if (argc > 3) goto out;", "out:;")),
    "given back": (TWO.strip(), ("free(b);",)),
    "by another name": ("double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = b;", ("poke(c, 1);",)),
    "its address is known": (TWO.strip(), ("double **p = &b;", "(*p)[3] = 1;")),
    "compiled sometimes": (TWO.strip(), ("\n#ifdef MORE", "poke(b, 1);", "\n#endif\n")),
    "inside of macro": (TWO.strip(), ("LEAVE(argc);",)),
}


@pytest.mark.parametrize("what", REFUSED)
def test_where_nothing_can_stay(source: Source, analyze: Analyze, what: str) -> None:
    arrays, between = REFUSED[what]
    lines = ("fill(b, n);", "step(a, b, n);", *between, "fill(b, n);", "step(a, b, n);", "fill(a, n);")
    (Path.cwd() / "leave.h").write_text("#define LEAVE(x) if ((x) > 5) return 2\n")
    head = '#include "leave.h"\n' if "macro" in what else ""
    path = source(main_of(*lines, arrays=f"    {arrays}\n", head=head))
    directives(analyze, path)
    after = path.read_text()
    part = after[: after.index(between[0].strip()) if between else len(after)]
    entered, left = (re.findall(rf"target {way} data.*\bb\[", part) for way in ("enter", "exit"))
    assert len(entered) == len(left)
    assert between or not entered


def test_a_loop_that_may_run_on_the_host_keeps_nothing_there(source: Source, analyze: Analyze) -> None:
    """For m <= 0 the loop runs on the host: its condition says so, since the section of w is empty."""
    rows = """static void rows(double *restrict y, const double *restrict w, int n, int m) {
    for (int i = 0; i < n; i++) {
        y[i] = 1;
        for (int j = 0; j < m; j++)
            y[i] += w[j];
    }
}
"""
    lines = ("fill(a, n);", "rows(b, a, n, argc);", "rows(b, a, n, argc + 1);", "rows(b, a, n, argc);")
    found = directives(analyze, source(main_of(*lines, head=rows)))
    assert not any("b[0:n]" in x for x in found)


def test_the_reason_is_said(source: Source, analyze: Analyze) -> None:
    path = source(main_of("fill(a, n);", "poke(a, 1);", "fill(b, n);", "step(b, a, n);"))
    ran = analyze(path, "--suggest", "openmp-target", "-t", "h200", "--size", "main:argc=1")
    assert "it pays only with its data on the device" in ran.err or "nothing to change" in ran.err


def test_of_several_files_and_with_their_line_ends(source: Source, analyze: Analyze) -> None:
    helpers, _, main = main_of(*LOOP, "if (t == 3) poke(b, t);", "}").partition("int main")
    library = helpers.replace("static ", "")
    declared = "".join(f"{line[:-2]};\n" for line in library.splitlines() if line.endswith(") {"))
    start = helpers[: helpers.index("static")] + declared + "void poke(double *x, int i);\n"
    main = main.replace("N * argc", "N")
    path = source(f"{start}int main{main}".replace("\n", "\r\n"), "main.c")
    library_path = source(library, "library.c")
    ran = analyze(path, library_path, "--suggest", "openmp-target", "-t", "h200", "--apply")
    assert ran.code == 0, ran.err
    text = path.read_bytes().decode()
    assert "#pragma omp target update to(b[0:n])\r\n" in text
    assert text.count("\n") == text.count("\r\n")
    assert library_path.read_text().count("distribute parallel for") == 2


@pytest.mark.parametrize("form", ["openmp-target", "openacc"])
def test_applying_twice_changes_nothing(source: Source, analyze: Analyze, form: str) -> None:
    path = source(main_of(*LOOP, "if (t == 3) poke(b, t);", "}"))
    directives(analyze, path, form)
    once = path.read_text()
    assert directives(analyze, path, form)
    assert path.read_text() == once


@needs_device
@pytest.mark.parametrize("what", BETWEEN)
def test_it_is_the_same_program_where_memory_is_apart(
    source: Source, analyze: Analyze, tmp_path: Path, what: str
) -> None:
    path = source(main_of(*LOOP, BETWEEN[what][0], "}"))
    subprocess.run(["gcc", "-O1", path, "-o", tmp_path / "before"], check=True)
    assert directives(analyze, path)
    flags = ["-O1", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu"]
    subprocess.run(["clang", *flags, path, "-o", tmp_path / "after"], check=True, capture_output=True)
    env = {"PATH": "/usr/bin:/bin", "MALLOC_PERTURB_": "165"}
    said = [subprocess.run([tmp_path / x], capture_output=True, text=True, env=env) for x in ("before", "after")]
    assert said[0].stdout == said[1].stdout != ""
    assert said[1].returncode == 0


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_gcc_takes_it_without_a_warning(source: Source, analyze: Analyze) -> None:
    for form, flag in (("openmp-target", "-fopenmp"), ("openacc", "-fopenacc")):
        path = source(main_of(*LOOP, "if (t == 3) poke(b, t);", "}"))
        directives(analyze, path, form)
        flags = [flag, "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"]
        ran = subprocess.run(["gcc", *flags, "-c", path, "-o", "/dev/null"], capture_output=True, text=True)
        assert (ran.returncode, ran.stderr) == (0, "")


CASE = Path(__file__).parents[3] / "fixtures" / "c" / "case_study.c"


def test_the_case_study_is_changed_as_the_program_is_placed(source: Source, analyze: Analyze) -> None:
    """All nine loops: also those that store an array which only the host reads, once (`rows`), and those whose bounds
    are macros with comments behind them (`#define SIZE 1024  /* ... */`)."""
    path = source(CASE.read_text(), "case_study.c")
    sequence = json.loads(analyze(path, "-t", "h200", "-f", "json").out)["program"]["sequence"]
    placed = {each["loop"] for each in sequence if each["candidate"] == "target"}
    ran = analyze(path, "--suggest", "openmp-target", "-t", "h200", "--apply")
    assert ran.out.count("#pragma omp target teams distribute parallel for") == len(placed) == 9
    assert "is not changed" not in ran.err
    whole = path.read_text()
    for name in ("image", "binary", "eroded", "scores", "bins"):
        begin = re.search(rf"target enter data map\((to|alloc): ([^\n]*, )?{name}\b", whole)
        end = re.search(rf"target exit data map\((from|release): ([^\n]*, )?{name}\b", whole)
        assert begin is not None, name
        assert end is not None, name
        assert begin.start() < end.start()
    assert not re.search(r"target (enter|exit) data [^\n]*\b(rows|columns)\b", whole)


@needs_device
def test_the_case_study_prints_the_same_where_memory_is_apart(source: Source, analyze: Analyze, tmp_path: Path) -> None:
    path = source(CASE.read_text(), "case_study.c")
    subprocess.run(["gcc", "-O1", path, "-o", tmp_path / "before"], check=True)
    analyze(path, "--suggest", "openmp-target", "-t", "h200", "--apply")
    flags = ["-O1", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu"]
    subprocess.run(["clang", *flags, path, "-o", tmp_path / "after"], check=True, capture_output=True)
    env = {"PATH": "/usr/bin:/bin", "MALLOC_PERTURB_": "165"}
    said = [subprocess.run([tmp_path / x], capture_output=True, text=True, env=env) for x in ("before", "after")]
    assert said[0].stdout == said[1].stdout != ""
