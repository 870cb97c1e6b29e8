"""The front end from a file to a unit."""

from pathlib import Path

import pytest

from analyzer.options import SourceOptions
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
