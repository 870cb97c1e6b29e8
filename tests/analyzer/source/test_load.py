"""The front end from a file to a unit."""

from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import Verdict
from analyzer.settings.options import AnalysisOptions, SourceOptions
from analyzer.source import load_unit
from analyzer.source.unit import Unit


def load(tmp_path: Path, text: str, **options: object) -> Unit:
    path = tmp_path / "t.c"
    path.write_text(text)
    return load_unit(path, SourceOptions(**options), root=tmp_path)  # type: ignore[arg-type]


def test_one_bad_function_of_three_is_lost_alone(tmp_path: Path) -> None:
    unit = load(
        tmp_path,
        "void f(int n) { for (int i = 0; i < n; i++) ; }\n"
        "void g(int n) { for (int i = 0; i < ; i++ }\n"
        "void h(int n) { for (int i = 0; i < n; i++) ; }\n",
    )
    assert [(d.name, d.node is not None) for d in unit.functions] == [("f", True), ("g", False), ("h", True)]
    assert [(d.rule, d.place.path, d.place.line) for d in unit.diagnostics] == [("SRC001", "t.c", 2)]


def test_an_empty_file_is_a_unit_without_functions(tmp_path: Path) -> None:
    assert load(tmp_path, "").functions == ()


@pytest.mark.parametrize("include", ["stdio.h", "stdlib.h", "math.h", "string.h"])
def test_headers_of_the_system_are_read(tmp_path: Path, include: str) -> None:
    unit = load(tmp_path, f"#include <{include}>\nint main(void) {{ for (;;) ; }}\n")
    assert unit.diagnostics == ()


@pytest.mark.parametrize(
    "head",
    [
        "INLINE static void",
        "API FAST int",
        "EXPORT real_t",
        "EXPORT API real_t *",
        "static INLINE void",
    ],
)
def test_macros_of_a_missing_header_before_a_function_are_skipped(tmp_path: Path, head: str) -> None:
    text = f'#include "nowhere.h"\n{head} f(double *a, int n) {{ for (int i = 0; i < n; i++) a[i] = 0; }}\n'
    unit = load(tmp_path, text)
    assert [d.node is not None for d in unit.functions] == [True]
    assert {d.rule for d in unit.diagnostics} <= {"SRC002", "SRC003", "SRC009"}


@pytest.mark.parametrize("statement", ["STEP", "STEP;", "SIMD a[0] = i;", "__real__ a[0] = i;"])
def test_what_a_missing_macro_does_is_not_known(tmp_path: Path, statement: str) -> None:
    text = f'#include "nowhere.h"\nvoid f(double *a, int n) {{ for (int i = 0; i < n; i++) {{ {statement} }} }}\n'
    found = analyze_file(tmp_path / "t.c", SourceOptions(), AnalysisOptions(), tmp_path, text)
    answers = [loop.parallelism.verdict for f in found.functions for loop in f.loops]
    assert set(answers) <= {Verdict.UNKNOWN}
    assert answers or any("left out" in d.message for d in found.diagnostics)


@pytest.mark.parametrize(
    "statement",
    [
        "switch (n) { case 1: a[0] = 1; FALLTHROUGH case 2: a[1] = 2; break; default: NOTHING }",
        'puts("version " VERSION);',
        'puts(VERSION "\\n");',
    ],
)
def test_macros_of_a_missing_header_where_no_name_can_stand_are_skipped(tmp_path: Path, statement: str) -> None:
    text = f'#include "nowhere.h"\nvoid f(double *a, int n) {{ for (int i = 0; i < n; i++) {{ {statement} }} }}\n'
    unit = load(tmp_path, text)
    assert [d.node is not None for d in unit.functions] == [True]
    assert {d.rule for d in unit.diagnostics} <= {"SRC003", "SRC009"}
