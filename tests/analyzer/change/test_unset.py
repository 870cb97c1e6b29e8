"""Variables that a compiler sees no value of, once it makes a function of a loop for its threads, get one."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Analyze

Source = Callable[..., Path]

BOTH = "if (use[i])\n            t = a[i];\n        b[i] = 0;\n        if (use[i])\n            c[i] = t;"
READS = f"for (int i = 0; i < n; i++) {{\n        {BOTH}\n    }}"
HEAD = "void f(int n, const int *use, const double *a, double *b, double *c) {\n"
BRANCHES = """extern int packed;
void f(void *out, const float *restrict from, int n) {
    float *single, *restrict pairs;
    if (packed)
        pairs = out;
    else
        single = out;
    for (int i = 0; i < n; i++)
        if (packed) pairs[2 * i] = from[i];
        else single[i] = from[i];
}
"""


def changed(path: Path, analyze: Analyze) -> str:
    options = ("--suggest", "openmp", "--apply", "--top", "9", "--min-speedup", "0.001")
    assert analyze(path, *options).code == 0
    once = path.read_text()
    assert analyze(path, *options).code == 0
    assert path.read_text() == once
    return once


def warns(path: Path, at: Path, level: str) -> set[str]:
    found = set()
    for compiler in filter(shutil.which, ("gcc", "clang")):
        command = [compiler, "-fopenmp", level, "-Wall", "-Wextra", "-c", str(path), "-o", str(at / "a.o")]
        found |= {line for line in subprocess.run(command, capture_output=True, text=True).stderr.splitlines() if line}
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(f"{HEAD}    double t;\n    {READS}\n}}\n", ("double t = 0;", "firstprivate(t)"), id="no value"),
        pytest.param(f"{HEAD}    double t = 1;\n    {READS}\n}}\n", ("double t = 1;", "firstprivate(t)"), id="a value"),
        pytest.param(f"{HEAD}    double t;\n    t = n;\n    {READS}\n}}\n", ("double t;", "firstprivate(t)"), id="set"),
        pytest.param(
            f"{HEAD}    double s = 0, t, *p = b;\n    {READS}\n    {READS}\n    *p = s;\n}}\n",
            ("double s = 0, t = 0, *p = b;", "firstprivate(t)"),
            id="for two loops",
        ),
        pytest.param(BRANCHES, ("float *single = 0, *restrict pairs = 0;", "parallel for if("), id="of two branches"),
    ],
)
@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2"])
def test_a_change_makes_no_new_warning(
    text: str, expected: tuple[str, str], level: str, source: Source, analyze: Analyze, tmp_path: Path
) -> None:
    path = source(text)
    after = changed(path, analyze)
    assert all(part in after for part in expected)
    assert not warns(path, tmp_path, level)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"#define T double t\n{HEAD}    T;\n    {READS}\n}}\n", id="declared by a macro"),
        pytest.param(
            f"{HEAD}    for (int k = 0; k < 9; k++) {{ double t; {READS.replace('i]', 'i + k]')} }}\n}}\n",
            id="declared in a loop around",
        ),
    ],
)
def test_other_declarations_stay_as_they_are(text: str, source: Source, analyze: Analyze) -> None:
    assert "t = 0" not in changed(source(text), analyze)


@pytest.mark.parametrize(
    "setting", ["int m; scanf(\"%d\", &m);", "int m; if (n) m = 1; else m = 2;", "int m; m = n;", "int m = n;"]
)
def test_what_is_set_stays_as_it_is(setting: str, source: Source, analyze: Analyze) -> None:
    loop = "for (int i = 0; i < n; i++) a[i] = m;"
    path = source(f"#include <stdio.h>\nvoid f(int n, double *a) {{ {setting}\n    {loop}\n}}\n")
    after = changed(path, analyze)
    assert "#pragma omp parallel for" in after
    assert setting in after


def test_a_test_of_conditions_goes_with_it(source: Source, analyze: Analyze, tmp_path: Path) -> None:
    """Where the loop stands twice, changed and as it was, the declaration is in front of both."""
    head = "struct v { double *b, *c; };\nvoid f(int n, const int *use, const double *a, struct v *s) {\n"
    stores = READS.replace("b[i] = 0", "s->b[use[i]] = a[i]").replace("c[i] = t", "s->c[i] = t")
    path = source(f"{head}    double t;\n    {stores}\n}}\n")
    after = changed(path, analyze)
    assert "double t = 0;" in after
    assert "/* as it was */" in after
    assert not warns(path, tmp_path, "-O2")
