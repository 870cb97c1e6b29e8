"""Headers that are found, searched for, replaced, or missing; and no compiler at all."""

import json
import shutil
from pathlib import Path

import pytest

from analyzer.settings.options import SourceOptions
from analyzer.source import findings, load_unit
from analyzer.source.ctypes import Integer
from analyzer.source.unit import Unit

from .conftest import Loader

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
LOOP = "void f(int n) { for (int i = 0; i < n; i++) ; }\n"


@pytest.fixture(params=["compiler", "built in"], autouse=True)
def preprocessor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "built in":
        monkeypatch.setenv("PATH", "")
    elif shutil.which("cc") is None:
        pytest.skip("no C compiler")
    return str(request.param)


def said(unit: Unit) -> list[tuple[str, str]]:
    """Rules and places, but for the note that there is no compiler."""
    return [(d.rule, str(d.place)) for d in unit.diagnostics if d.rule != findings.NO_COMPILER]


def test_the_nearest_header_of_the_project_is_taken_and_named(load: Loader) -> None:
    unit = load(
        "#include <config.h>\nvoid f(void) { for (int i = 0; i < SIZE; i++) ; }\n",
        {"near/config.h": "#define SIZE 3\n", "far/away/config.h": "#define SIZE 4\n"},
    )
    assert unit.macros == {"SIZE": 3}
    assert said(unit) == [(findings.CHOSEN_HEADER, "t.c:1")]
    assert "near" in next(d.message for d in unit.diagnostics if d.rule == findings.CHOSEN_HEADER)


def test_headers_of_headers_are_found_too(load: Loader) -> None:
    unit = load(
        '#include "a/one.h"\n' + LOOP,
        {"a/one.h": "#include <two.h>\n", "b/two.h": '#include "sub/three.h"\n', "c/sub/three.h": "#define DEEP 7\n"},
    )
    assert unit.macros == {"DEEP": 7}


def test_given_directories_win(load: Loader, tmp_path: Path) -> None:
    files = {"near/config.h": "#define SIZE 3\n", "far/away/config.h": "#define SIZE 4\n"}
    unit = load("#include <config.h>\n" + LOOP, files, includes=(str(tmp_path / "far" / "away"),))
    assert (unit.macros, said(unit)) == ({"SIZE": 4}, [])


def test_the_headers_of_the_library_are_not_those_that_a_tree_happens_to_have(load: Loader) -> None:
    """Small headers of a test, say, or a whole C library for another machine."""
    files = {"tests/small/math.h": "#define SMALL 1\n"}
    assert load("#include <math.h>\n" + LOOP, files).macros.get("SMALL") is None
    unit = load("#include <omp.h>\n" + LOOP, {"tests/small/omp.h": "#define SMALL 1\n"})
    assert unit.macros.get("SMALL") is None


def test_a_missing_header_leaves_symbols(load: Loader) -> None:
    unit = load(
        '#include "params.h"\n#include "more/../odd.h"\n'
        "static double a[NA + 1]; count_t total; static count_t *all;\n"
        "count_t f(count_t n, entry *e) { entry *k = e; for (int i = 0; i < NA; i++) a[i] = (double)(entry *)k; }\n"
    )
    assert [d.node is not None for d in unit.functions] == [True]
    assert [rule for rule, _ in said(unit)] == [
        findings.MISSING_HEADER,
        findings.MISSING_HEADER,
        findings.UNKNOWN_TYPE,
        findings.UNKNOWN_TYPE,
    ]
    assert type(unit.globals_["a"].length).__name__ == "BinaryOp"  # type: ignore[union-attr]


def test_a_missing_header_above_the_project_stays_inside_our_folder(load: Loader, tmp_path: Path) -> None:
    before = {p for p in tmp_path.parent.rglob("*") if p.is_file()}
    unit = load('#include "../../../x/gone.h"\n' + LOOP)
    assert [d.name for d in unit.functions] == ["f"]
    after = {p for p in tmp_path.parent.rglob("*") if p.is_file()}
    assert {p.name for p in after - before} == {"t.c"}


def test_stand_ins_serve_what_is_not_installed(load: Loader) -> None:
    unit = load("#include <mpi.h>\nvoid f(int n) { for (;;) MPI_Barrier(MPI_COMM_WORLD); }\n")
    assert "MPI_Barrier" in unit.prototypes
    assert {d.level for d in unit.diagnostics} <= {"note"}


LIBRARY = """
#include <assert.h>
#include <complex.h>
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
double f(size_t n, uint8_t *a, FILE *out, va_list l) {
  bool done = false; struct timeval t; double complex z = 1.0 + 2.0 * I; errno = 0; assert(n > 0);
  for (size_t i = 0; i < n && !done; i++) {
    a[i] = (uint8_t)(sqrt((double)i) + INT_MAX % 7 + DBL_EPSILON + cabs(z));
    fprintf(out, "%" PRIu64 "\\n", (uint64_t)i); gettimeofday(&t, NULL); done = isdigit(a[i]) || t.tv_sec > 0;
    qsort(a, n, sizeof *a, NULL); vfprintf(stderr, "x", l); memcpy(a, a, n);
    if (i == offsetof(struct timeval, tv_usec)) exit(1);
  }
  return M_PI;
}
"""


def test_the_library_is_known_with_and_without_a_compiler(load: Loader) -> None:
    unit = load(LIBRARY)
    assert said(unit) == []
    function = next(d for d in unit.functions if d.name == "f")
    assert function.node is not None
    wanted = {"sqrt", "fprintf", "gettimeofday", "qsort", "memcpy", "cabs"}
    assert wanted <= set(unit.prototypes)
    assert all(type(p).__name__ == "Function" for p in unit.prototypes.values())


def test_types_are_the_same_with_and_without_a_compiler(load: Loader, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "#include <stdint.h>\n#include <stddef.h>\n#include <stdio.h>\n"
        "size_t a; int32_t b; uint16_t c; int8_t d; ptrdiff_t e; uintptr_t g; float h[3];\n"
        "struct s { char x; double y; } i;\n"
        "void f(void) { for (;;) a = b + c + d + e + g + h[0] + i.x; }\n"
    )
    here = load(text)
    monkeypatch.setenv("PATH", "")
    assert load(text).globals_ == here.globals_
    assert load(text).layouts == here.layouts


def test_places_are_the_same_with_and_without_a_compiler(load: Loader, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        '#include "h.h"\n#define LOOP(i, n) \\\n  for (int i = 0; i < n; i++)\n#define TWO 2 + 0\n'
        "void f(int n, int *a) {\n  LOOP(k,\n    n) { a[k] = TWO; } while (n) n--;\n"
        "#pragma omp simd\n  for (;;) g(n);\n}\n"
    )
    files = {"h.h": "/* a\n comment */\nstatic int g(int n) { for (;;) n--; return n; }\n"}
    here = load(text, files)
    monkeypatch.setenv("PATH", "")
    there = load(text, files)
    assert [(d.name, d.place, d.end_line) for d in there.functions] == [
        (d.name, d.place, d.end_line) for d in here.functions
    ]
    statements = [u.functions[1].node.body.block_items for u in (here, there)]  # type: ignore[union-attr]
    mine, other = (
        [(u.place(s), u.expansion(s), u.end_line(s)) for s in b] for u, b in zip((here, there), statements, strict=True)
    )
    assert mine == other
    assert mine[0][1] is not None
    assert (there.pragmas, there.macros) == (here.pragmas, here.macros)


def test_definitions_on_the_command_line(load: Loader) -> None:
    unit = load(
        "#ifdef GIVEN\nvoid f(void) { for (int i = 0; i < N; i++) ; }\n#endif\n"
        "#ifdef __linux__\nint y(void) {}\n#endif\n",
        defines=("N=12", "GIVEN"),
        undefines=("__linux__",),
    )
    assert [d.name for d in unit.functions] == ["f"]
    assert unit.macros == {"N": 12, "GIVEN": 1}


def test_the_compilation_database_is_followed(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "c.h").write_text("#define WIDTH 5\n")
    (tmp_path / "inc" / "forced.h").write_text("#define FORCED 1\n")
    source = tmp_path / "src" / "t.c"
    source.write_text("#include <c.h>\nvoid f(void) { for (int i = 0; i < WIDTH + M; i++) ; }\n")
    entry = {
        "directory": str(tmp_path / "src"),
        "file": "t.c",
        "command": "gcc -DM='3' -I ../inc -include ../inc/forced.h -O2 -Wall -c -o t.o t.c",
    }
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "compile_commands.json").write_text(json.dumps([entry]))
    unit = load_unit(source, SourceOptions(), root=tmp_path)
    assert unit.macros == {"WIDTH": 5, "M": 3, "FORCED": 1}
    assert said(unit) == []


@pytest.mark.parametrize("abi", [None, "lp64"])
@pytest.mark.parametrize(
    ("options", "size"),
    [("", 4), ("-fshort-enums", 1), ("-fno-short-enums", 4), ("-fshort-enums -fno-short-enums", 4)],
)
def test_the_build_says_whether_enumerations_are_short(
    tmp_path: Path, abi: str | None, options: str, size: int
) -> None:
    source = tmp_path / "t.c"
    source.write_text("enum e { A, B } x; void f(void) { for (;;) x; }\n")
    entry = {"directory": str(tmp_path), "file": "t.c", "command": f"gcc {options} -c t.c"}
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]))
    unit = load_unit(source, SourceOptions(abi=abi), root=tmp_path)
    assert unit.globals_["x"] == Integer("enum e", size, False)
    assert said(unit) == []


@pytest.mark.parametrize("with_compiler", [True, False])
@pytest.mark.parametrize(
    ("options", "seen"),
    [("", ""), ("-fopenmp", "omp"), ("-fopenacc -O2", "acc"), ("-qopenmp=x", "omp"), ("-mp", "omp")],
)
def test_the_build_says_which_directives_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_compiler: bool, options: str, seen: str
) -> None:
    source = tmp_path / "t.c"
    source.write_text(
        "void f(int n) {\n#if _OPENMP > 200000\n#pragma omp for\n#elif _OPENACC > 200000\n#pragma acc loop\n#endif\n"
        "for (;;) n--; }\n"
    )
    entry = {"directory": str(tmp_path), "file": "t.c", "command": f"gcc {options} -c t.c"}
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]))
    if not with_compiler:
        monkeypatch.setenv("PATH", "")
    unit = load_unit(source, SourceOptions(), root=tmp_path)
    assert [pragma.text.split()[0] for pragma in unit.pragmas] == [seen] * bool(seen)


def test_text_from_standard_input(tmp_path: Path) -> None:
    (tmp_path / "h.h").write_text("#define H 4\n")
    text = '#include "h.h"\n/* é */ void f(int n) { for (;;) n += H; }\n'
    unit = load_unit(tmp_path / "given.c", SourceOptions(), root=tmp_path, text=text)
    assert [str(d.place) for d in unit.functions] == ["given.c:2:14"]
    assert (unit.path, unit.macros, unit.source_text) == ("given.c", {"H": 4}, text)
    assert said(unit) == []


def test_abi_by_name(load: Loader) -> None:
    text = "long a; void *b; struct s { char c; double d; } e; void f(void) { for (;;) a = (long)b + e.c; }\n"
    sizes = {}
    for abi in ("lp64", "llp64"):
        unit = load(text, abi=abi)
        sizes[abi] = (unit.globals_["a"].size, unit.globals_["b"].size, unit.layouts["struct s"].size)  # type: ignore[union-attr]
    assert sizes == {"lp64": (8, 8, 16), "llp64": (4, 8, 16)}


@pytest.mark.parametrize("program", ["exit 1", "exec /nonexistent"], ids=["fails", "absent"])
def test_a_compiler_that_does_not_preprocess_is_done_without(load: Loader, tmp_path: Path, program: str) -> None:
    compiler = tmp_path / "broken"
    compiler.write_text(f"#!/bin/sh\n{program}\n")
    compiler.chmod(0o755)
    unit = load("#include <stdint.h>\n" + LOOP, compiler=str(compiler))
    assert [d.name for d in unit.functions] == ["f"]
    assert [d.rule for d in unit.diagnostics] == [findings.NO_COMPILER]
