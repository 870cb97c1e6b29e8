"""Every directive above a loop is found, whatever stands between the two, and however it is written."""

import json
from pathlib import Path
from typing import Any

import pytest

LOOP = "for (int i = 0; i < n; i++) a[i] = i;"
MACROS = """#define QUOTED(x) #x
#define OMP(...) _Pragma(QUOTED(omp __VA_ARGS__))
#define PARALLEL OMP(parallel for)
#define EACH(i, n) _Pragma("omp parallel for") for (int i = 0; i < (n); i++)
"""
SWITCHED = "#ifdef _OPENMP\n#pragma omp parallel for\n#endif\n"


def pragmas(analyze: Any, source: Any, body: str, *arguments: str) -> list[list[str]]:
    """Of each loop."""
    source(f"{MACROS}void f(int n, int m, double *a)\n{{\n{body}\n}}\n")
    ran = analyze("a.c", "-f", "json", *arguments)
    assert ran.code == 0, ran.err
    (file,) = json.loads(ran.out)["files"]
    return [[p["text"] for p in loop["pragmas"]] for loop in file["loops"]]


WRITTEN = [
    f"#pragma omp parallel for\n{LOOP}",
    f"#  pragma\tomp  parallel   for\n{LOOP}",
    f"#pragma omp \\\n    parallel for\n{LOOP}",
    f"#pragma omp parallel for // a remark\n{LOOP}",
    f"#pragma omp parallel for /* a remark\n of two lines */\n{LOOP}",
    f"#pragma omp parallel for\n/* one */\n\n// two\n{LOOP}",
    f"#if 1\n#pragma omp parallel for\n#endif\n{LOOP}",
    f"#pragma omp parallel for\n#if 0\nfor (int i = 0; i < m; i++)\n#endif\n{LOOP}",
    f'_Pragma("omp parallel for")\n{LOOP}',
    f'_Pragma("omp parallel for") {LOOP}',
    f"OMP(parallel for)\n{LOOP}",
    f"PARALLEL {LOOP}",
    "EACH(i, n) a[i] = i;",
    f"if (n)\n#pragma omp parallel for\n{LOOP}",
    f"{SWITCHED}{LOOP}",
]


@pytest.mark.parametrize("body", WRITTEN)
def test_a_directive_is_found_above_its_loop(analyze: Any, source: Any, body: str) -> None:
    assert pragmas(analyze, source, body) == [["omp parallel for"]]


@pytest.mark.parametrize("body", WRITTEN)
def test_without_a_compiler_too(analyze: Any, source: Any, body: str, monkeypatch: Any) -> None:
    monkeypatch.setenv("PATH", "")
    assert pragmas(analyze, source, body) == [["omp parallel for"]]


@pytest.mark.parametrize(
    "switch",
    ["#ifdef _OPENMP", "#if defined(_OPENMP)", "# if defined(_OPENMP) && _OPENMP >= 200805", "#ifdef HAVE_OPENMP"],
)
def test_one_that_only_a_switch_for_openmp_leaves_out(analyze: Any, source: Any, switch: str) -> None:
    group = f"{switch}\n  #pragma omp parallel for \\\n    schedule(static) // why\n#else\n#pragma GCC ivdep\n#endif\n"
    (found,) = pragmas(analyze, source, f"{group}/* between */\n{LOOP}")
    assert "omp parallel for schedule(static)" in found
    (found,) = pragmas(analyze, source, f"{group}{LOOP}", "-D", "_OPENMP=201511", "-D", "HAVE_OPENMP")
    assert found == ["omp parallel for schedule(static)"]


def test_one_on_more_than_two_lines(analyze: Any, source: Any) -> None:
    group = "#ifdef _OPENMP\n#pragma omp parallel \\\n  for \\\r\n  schedule(static)\n#endif\n"
    assert pragmas(analyze, source, f"{group}{LOOP}") == [["omp parallel for schedule(static)"]]


@pytest.mark.parametrize(
    "group",
    [
        "#if 0\n#pragma omp parallel for\n#endif\n",
        "#ifdef DEBUG\n#pragma omp parallel for\n#endif\n",
        "#ifdef _OPENMP\n#pragma omp parallel for\nfor (int k = 0; k < m; k++)\n#endif\n",
        f"{SWITCHED}n++;\n",
        f"{SWITCHED}if (m) ",
        f"#if 0\n{SWITCHED}{LOOP}\n#endif\n",
    ],
)
def test_others_are_left_out(analyze: Any, source: Any, group: str) -> None:
    assert pragmas(analyze, source, f"{group}{LOOP}") == [[]]


@pytest.mark.parametrize("switch", ["#ifndef _OPENMP", "#if !defined(_OPENMP)"])
def test_what_is_meant_for_builds_without_openmp_is_left_out_of_others(analyze: Any, source: Any, switch: str) -> None:
    body = f"{switch}\n#pragma omp parallel for\n#endif\n{LOOP}"
    assert pragmas(analyze, source, body, "-D", "_OPENMP=201511") == [[]]


def test_of_loops_on_one_line_it_stands_above_the_first(analyze: Any, source: Any) -> None:
    nest = "for (int j = 0; j < m; j++) for (int i = 0; i < n; i++) a[i] = i;"
    assert pragmas(analyze, source, f"{SWITCHED}{nest}") == [["omp parallel for"], []]


@pytest.mark.parametrize(
    ("flags", "defined"),
    [
        ("-fopenmp", "_OPENMP"),
        ("-fopenacc", "_OPENACC"),
        ("-fopenmp=libomp", "_OPENMP"),
        ("-qopenmp", "_OPENMP"),
        ("-fno-openmp -fopenmp", "_OPENMP"),
        ("-fopenmp -fno-openmp", ""),
        ("-O2", ""),
    ],
)
@pytest.mark.parametrize("compiler", [True, False])
def test_the_flags_of_a_build_define_what_its_compiler_does(
    analyze: Any, source: Any, tmp_path: Path, monkeypatch: Any, flags: str, defined: str, compiler: bool
) -> None:
    if not compiler:
        monkeypatch.setenv("PATH", "")
    entry = {"directory": str(tmp_path), "file": "a.c", "command": f"gcc {flags} -c a.c"}
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]), encoding="utf-8")
    for name in ("_OPENMP", "_OPENACC"):
        loop = f"#if {name} > 200000\n{LOOP}\n#endif"
        assert len(pragmas(analyze, source, loop)) == (name == defined)
