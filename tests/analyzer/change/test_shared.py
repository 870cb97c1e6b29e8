"""Text that is several loops, since its file is included more than once: one change for all of them, or none."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Analyze

Source = Callable[..., Path]

TEMPLATE = """void NAME(int n, TYPE *restrict a, const TYPE *restrict b)
{
    for (int i = 1; i < n; i++)
        a[i] = VALUE;
}
"""
BIG = ("--suggest", "openmp", "--size", "n=1e8")


def including(*values: tuple[str, str, str]) -> str:
    lines = []
    for name, type_, value in values:
        lines += [f"#define NAME {name}", f"#define TYPE {type_}", f"#define VALUE {value}", '#include "body.c"']
        lines += ["#undef NAME", "#undef TYPE", "#undef VALUE"]
    return "\n".join([*lines, ""])


def pragmas(diff: str) -> list[str]:
    return [line[1:].strip() for line in diff.splitlines() if line.startswith("+ ") and "#pragma" in line]


def test_one_change_for_all(source: Source, analyze: Analyze) -> None:
    source(TEMPLATE, "body.c")
    source(including(("f", "double", "b[i] * 2"), ("g", "float", "b[i] * 2"), ("h", "int", "b[i] - 1")), "main.c")
    ran = analyze(".", *BIG)
    assert pragmas(ran.out) == ["#pragma omp parallel for"]
    assert "is not changed" not in ran.err


def test_not_where_one_of_them_needs_its_order(source: Source, analyze: Analyze) -> None:
    source(TEMPLATE, "body.c")
    source(including(("f", "double", "b[i] * 2"), ("g", "int", "b[i] + a[i - 1]")), "main.c")
    ran = analyze(".", *BIG)
    assert ran.out == ""
    assert "body.c:3 is not changed: its text is that of a loop of g(), too, which is not parallel: line 4" in ran.err
    asked = analyze(".", "--suggest-at", "body.c:3", "--suggest", "openmp")
    assert (asked.out, "of a loop of g(), too, which is not changed: not parallel: line 4" in asked.err) == ("", True)


def test_what_none_of_them_can_have_is_said_of_each(source: Source, analyze: Analyze) -> None:
    """`#if` in it, and lines that would have to change."""
    body = """void NAME(int n, TYPE *restrict a, const TYPE *restrict b)
{
    while (n-- > 0) {
#if 1
        *a++ = *b++;
#endif
    }
}
"""
    source(body, "body.c")
    source(including(("f", "double", ""), ("g", "double", "")), "main.c")
    ran = analyze(".", *BIG)
    assert ran.out == ""
    assert ran.err.count("body.c:3 is not changed: `#if` stands in it") == 1


def test_not_where_one_of_them_in_another_file_does(source: Source, analyze: Analyze) -> None:
    source(TEMPLATE, "body.c")
    source(including(("f", "double", "b[i] * 2")), "one.c")
    source(including(("g", "double", "b[i] + a[i - 1]")), "other.c")
    ran = analyze(".", *BIG)
    assert ran.out == ""
    assert "body.c:3 is not changed: its text is that of a loop of g(), too" in ran.err


def test_not_where_they_need_different_clauses(source: Source, analyze: Analyze) -> None:
    body = """TYPE NAME(int n, const TYPE *restrict b)
{
    TYPE s = 0;
    for (int i = 0; i < n; i++)
        s += b[i];
    return s;
}
"""
    source(body, "body.c")
    source(including(("f", "double", ""), ("g", "int", "")), "main.c")
    ran = analyze(".", *BIG)
    assert ran.out == ""  # a sum of floats needs `simd`, and a comment
    assert "body.c:4 is not changed: its text is that of a loop of g(), too, which needs another change" in ran.err
    source(including(("f", "long", ""), ("g", "long", "")), "main.c")
    assert pragmas(analyze(".", *BIG).out) == ["#pragma omp parallel for reduction(+: s)"]


def test_names_of_new_variables_are_those_of_one_loop(source: Source, analyze: Analyze) -> None:
    body = """void NAME(int n, TYPE *restrict a, const TYPE *restrict b)
{
    while (n-- > 0)
        *a++ = *b++ * 2;
}
"""
    source(body, "body.c")
    source(including(("f", "double", ""), ("g", "double", "")), "main.c")
    ran = analyze(".", *BIG)
    assert len(pragmas(ran.out)) == 1
    assert "trip2" not in ran.out


def test_a_kernel_has_one_type(source: Source, analyze: Analyze) -> None:
    source(TEMPLATE, "body.c")
    source(including(("f", "double", "b[i] * 2"), ("g", "float", "b[i] * 2")), "main.c")
    ran = analyze(".", "--suggest-at", "body.c:3", "--suggest", "cuda", "-t", "h200")
    assert (ran.out, "of a loop of g(), too, which needs a kernel of its own" in ran.err) == ("", True)


COLUMNS = """void NAME(TYPE (*restrict a)[4000])
{
    for (int j = 1; j < 3999; j++)
        for (int i = 1; i < 3999; i++)
            a[i][j] = VALUE;
}
"""


def test_another_form_is_that_of_all(source: Source, analyze: Analyze) -> None:
    source(COLUMNS, "body.c")
    source(including(("f", "double", "0"), ("g", "double", "a[i + 1][j - 1] + 1")), "main.c")
    ran = analyze(".", "--suggest", "loops")
    assert ran.out == ""
    assert "body.c:3 is not changed: its text is that of a loop of g(), too, which has no such form" in ran.err
    source(including(("f", "double", "0"), ("g", "double", "1")), "main.c")
    ran = analyze(".", "--suggest", "loops")
    assert ran.out.count("+    for (int i") == 1
    assert "is not changed" not in ran.err


def test_a_template_is_not_read_by_itself(source: Source, analyze: Analyze) -> None:
    source(TEMPLATE, "body.c")
    source(including(("f", "double", "b[i] * 2"), ("g", "int", "b[i] * 2")), "main.c")
    found = json.loads(analyze(".", "-q", "-f", "json").out)
    (body,) = (file for file in found["files"] if file["path"] == "body.c")
    assert [loop["function"] for loop in body["loops"]] == ["f", "g"]
    assert body["diagnostics"] == []
    alone = json.loads(analyze("body.c", "-q", "-f", "json").out)
    assert [loop["function"] for loop in alone["files"][0]["loops"]] == ["NAME"]
    assert alone["files"][0]["diagnostics"] != []


def test_what_only_a_reading_by_itself_has_is_kept(source: Source, analyze: Analyze) -> None:
    lone = "#ifndef TYPE\n#define TYPE odd\nodd first(int n, odd *a)\n{\n    for (int i = 0; i < n; i++)\n"
    source(f"{lone}        a[i] = 0;\n}}\n#endif\n{TEMPLATE}", "body.c")
    source(including(("f", "double", "b[i] * 2")), "main.c")
    found = json.loads(analyze(".", "-q", "-f", "json").out)
    (body,) = (file for file in found["files"] if file["path"] == "body.c")
    assert [loop["function"] for loop in body["loops"]] == ["first", "NAME", "f"]


def test_a_body_that_is_included_has_the_places_of_its_file(source: Source, analyze: Analyze) -> None:
    """The line in the other file is another loop, which nobody may change instead."""
    source("for (i = 0; i < n; i++)\n    a[i] = 2 * b[i];\n", "body.h")
    code = """void f(int n, double *restrict a, const double *restrict b) { int i;
#include "body.h"
}
"""
    other = "for (i = 1; i < 9; i++) a[i] = a[i - 1]; }\n"
    path = source(f"void g(double *a) {{ int i;\n\n\n{other}{code}")
    found = json.loads(analyze(path, "-q", "-f", "json", "--size", "n=1e8").out)
    assert {f["path"]: [(x["line"], x["function"]) for x in f["loops"]] for f in found["files"]} == {
        "a.c": [(4, "g")],
        "body.h": [(1, "f")],
    }
    ran = analyze(path, *BIG)
    assert (ran.out, "body.h:1 is not changed: it stands in a header" in ran.err) == ("", True)
    assert "body.h\n" in analyze(path, "-v").out


def test_a_loop_around_what_is_included_stays_one_nest(source: Source, analyze: Analyze) -> None:
    source("for (int i = 0; i < n; i++)\n    a[k][i] = 2;\n", "body.h")
    code = 'void f(int n, double a[9][n]) {\n    for (int k = 0; k < 9; k++)\n#include "body.h"\n}\n'
    found = json.loads(analyze(source(code), "-q", "-f", "json").out)
    (file,) = found["files"]
    assert [loop["depth"] for loop in sorted(file["loops"], key=lambda x: x["depth"])] == [0, 1]
    ran = analyze("a.c", "--suggest-at", "a.c:1", "--suggest", "openmp")
    assert (ran.out, "it stands in a file that is included here" in ran.err) == ("", True)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_the_program_is_the_same(source: Source, analyze: Analyze, tmp_path: Path) -> None:
    source(TEMPLATE, "body.c")
    main = """#include <stdio.h>
int main(void)
{
    double a[9] = {0}, b[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    int c[9], d[9] = {0, 5};
    f(9, a, b);
    g(9, c, d);
    printf("%g %d\\n", a[8], c[1]);
}
"""
    main = including(("f", "double", "b[i] * 2"), ("g", "int", "b[i] * 2")) + main
    source(main, "main.c")
    assert analyze(".", *BIG, "--apply").code == 0
    assert "#pragma omp parallel for" in (tmp_path / "body.c").read_text()
    subprocess.run(["gcc", "-fopenmp", "main.c", "-o", "main"], cwd=tmp_path, check=True)
    assert subprocess.run(["./main"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout == "16 10\n"
