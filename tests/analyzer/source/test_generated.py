"""Trees that nobody configured: headers that the build would make are made from their templates, and said to be."""

import os
import shutil
from pathlib import Path

import pytest

from analyzer.settings.options import SourceOptions
from analyzer.source import findings, load_unit
from analyzer.source.ctypes import Integer
from analyzer.source.unit import Unit

from .conftest import Loader

LOOP = "void f(int n) { for (int i = 0; i < n; i++) ; }\n"


@pytest.fixture(params=["compiler", "built in"], autouse=True)
def preprocessor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "built in":
        monkeypatch.setenv("PATH", "")
    elif shutil.which("cc") is None:
        pytest.skip("no C compiler")
    return str(request.param)


def notes(unit: Unit) -> list[str]:
    return [d.message for d in unit.diagnostics if d.rule == findings.CHOSEN_HEADER]


def said(unit: Unit) -> list[str]:
    return [d.rule for d in unit.diagnostics if d.rule != findings.NO_COMPILER]


AUTOHEADER = """/* config.h.in.  Generated from configure.ac by autoheader.  */

/* Define to 1 if you have the <stdint.h> header file. */
#undef HAVE_STDINT_H
#undef HAVE_SYS_TYPES_H
#undef HAVE_NOWHERE_H

/* Define to 1 if you have the `memcpy' function. */
#undef HAVE_MEMCPY
#undef HAVE_FROBNICATE
#undef HAVE_DECL_STRDUP
#undef HAVE_DECL_FROBNICATE

#undef SIZEOF_LONG
#undef SIZEOF_VOID_P
#undef WITH_FROB
#undef PACKAGE_VERSION

/* Define WORDS_BIGENDIAN to 1 if your processor stores words with the most significant byte first. */
#if defined AC_APPLE_UNIVERSAL_BUILD
#else
# ifndef WORDS_BIGENDIAN
#  undef WORDS_BIGENDIAN
# endif
#endif
#define LIMIT 12
#undef const
"""
USES = """
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#ifdef HAVE_STDINT_H
#include <stdint.h>
#endif
#ifdef HAVE_SYS_TYPES_H
int types(void) { return 1; }
#endif
#ifdef HAVE_NOWHERE_H
#include <nowhere.h>
#endif
#if defined HAVE_MEMCPY && !defined HAVE_FROBNICATE && HAVE_DECL_STRDUP && !HAVE_DECL_FROBNICATE
int functions(void) { return 1; }
#endif
#if SIZEOF_LONG == 8 && SIZEOF_VOID_P == 8
int sizes(void) { return 1; }
#endif
#if !defined WITH_FROB && !defined WORDS_BIGENDIAN
int rest(const char *s) { return 1; }
#endif
static const char *version = "frob " PACKAGE_VERSION;
uint64_t f(uint64_t *a) { uint64_t s = 0; for (int i = 0; i < LIMIT; i++) s += a[i]; return s + (long)version; }
"""


def test_the_template_of_autoheader(load: Loader) -> None:
    unit = load(USES, {"config.h.in": AUTOHEADER})
    assert [d.name for d in unit.functions] == ["types", "functions", "sizes", "rest", "f"]
    assert unit.functions[-1].node is not None
    assert said(unit) == [findings.CHOSEN_HEADER]
    assert "config.h from config.h.in; 9 names are answered" in notes(unit)[0]
    assert unit.macros["LIMIT"] == 12
    result = unit.prototypes["f"].result  # type: ignore[union-attr]
    assert isinstance(result, Integer)
    assert (result.size, result.signed) == (8, False)


def test_what_it_says_stands_in_the_template(load: Loader) -> None:
    unit = load(
        '#include "config.h"\nvoid f(double *a) { for (int i = 0; i < 4; i++) { EACH(a) } }\n',
        {"config.h.in": "#undef HAVE_STDINT_H\n\n#define EACH(a) for (int k = 0; k < 9; k++) a[k] = k;\n"},
    )
    (loop,) = unit.functions[0].node.body.block_items  # type: ignore[union-attr]
    inner = loop.stmt.block_items[0]
    assert (str(unit.place(inner)), unit.expansion(inner).line) == ("t.c:2:51", 3)  # type: ignore[union-attr]


CMAKE = """#cmakedefine HAVE_STDINT_H 1
#cmakedefine HAVE_FROB_H
#cmakedefine01 HAVE_UNISTD_H
#cmakedefine01 WITH_THIS
#cmakedefine01 WITH_THAT
#cmakedefine WITH_OTHER
#cmakedefine SIZEOF_LONG @SIZEOF_LONG@
#define FROB_MAJOR @Frob_VERSION_MAJOR@
#define DEPTH ${FROB_DEPTH}
#define VERSION "@FROB_VERSION@"
#define FROB_INLINE @FROB_INLINE@
#define COUNT @COUNT@
#define ODD @ODD@
#cmakedefine PREFIX_HAVE_STRDUP
"""
LISTS = """project(Frob VERSION 3.1.4 LANGUAGES C)
option(WITH_THIS "this" ON)
option(WITH_THAT "that")
set(FROB_DEPTH 7 CACHE STRING "how deep")
if(WIN32)
  set(COUNT 5)
  set(WITH_OTHER 1)
endif()
"""


def test_templates_of_cmake(load: Loader) -> None:
    unit = load(
        '#include "frob_config.h"\nFROB_INLINE int g(int n) { for (int i = 0; i < DEPTH; i++) n++; return n; }\n'
        "#if defined HAVE_STDINT_H && HAVE_UNISTD_H && !defined HAVE_FROB_H && defined PREFIX_HAVE_STRDUP\n"
        "#if WITH_THIS && !WITH_THAT && !defined WITH_OTHER && !defined COUNT && !defined ODD\n"
        "int yes(void) { return SIZEOF_LONG; }\n#endif\n#endif\n",
        {"cmake/frob_config.h.cmake": CMAKE, "CMakeLists.txt": LISTS},
    )
    assert [(d.name, d.skipped or d.node is not None) for d in unit.functions] == [("g", True), ("yes", True)]
    wanted = {"DEPTH": 7, "WITH_THIS": 1, "WITH_THAT": 0, "FROB_MAJOR": 3, "SIZEOF_LONG": 8}
    assert wanted.items() <= unit.macros.items()
    assert "frob_config.h from cmake/frob_config.h.cmake" in notes(unit)[0]


def test_templates_of_meson_and_of_another_name(load: Loader) -> None:
    unit = load(
        "#include <made.h>\n#ifdef HAVE_STDINT_H\n" + LOOP + "#endif\n",
        {
            "meson.build": "configure_file(input : 'made.template.in',\n  output : 'made.h', configuration : c)\n",
            "made.template.in": "#mesondefine HAVE_STDINT_H\n#mesondefine WITH_FROB\n",
        },
    )
    assert [d.name for d in unit.functions] == ["f"]
    assert "made.h from made.template.in" in notes(unit)[0]


def test_the_nearest_template_is_taken_and_said(load: Loader) -> None:
    unit = load(
        '#include "foo.h"\n' + LOOP.replace("n;", "SIZE;"),
        {"include/foo.h.in": "#define SIZE 3\n", "far/away/foo.h.in": "#define SIZE 4\n"},
    )
    assert unit.macros["SIZE"] == 3
    assert "foo.h from include/foo.h.in, the nearest of 2 templates" in notes(unit)[0]


def test_a_template_in_a_folder_of_that_name_is_nearer(load: Loader) -> None:
    files = {"a/conf.h.in": "#define SIZE 3\n", "b/frob/conf.h.in": "#define SIZE 4\n"}
    assert load('#include "frob/conf.h"\n' + LOOP, files).macros["SIZE"] == 4


def test_headers_of_other_platforms_are_not_taken(load: Loader) -> None:
    files = {
        "win32/config.h": "#define HERE 1\n",
        "build/cmake/config.h.in": "#define HERE 2\n",
        "configure.ac": "AC_INIT([frob],[1.0])\n",
    }
    assert load('#include "config.h"\n' + LOOP, files).macros["HERE"] == 2


def test_a_configured_tree_is_taken_as_it_is(load: Loader) -> None:
    files = {"config.h.in": "#define HERE 1\n", "config.h": "#define HERE 2\n", "configure.ac": ""}
    assert load("#ifdef HAVE_CONFIG_H\n#include <config.h>\n#endif\n" + LOOP, files).macros["HERE"] == 2


def test_a_build_folder_of_a_configured_tree_is_taken(load: Loader) -> None:
    files = {"config.h.in": "#define HERE 1\n", "build/config.h": "#define HERE 2\n"}
    assert load("#include <config.h>\n" + LOOP, files).macros["HERE"] == 2


def test_a_configuration_without_a_template_is_the_usual_one(load: Loader) -> None:
    unit = load(USES, {"configure.ac": "AC_INIT([frob],[1.0])\n"})
    assert [d.name for d in unit.functions] == ["types", "functions", "sizes", "rest", "f"]
    assert "config.h from what is usual" in notes(unit)[0]


def test_without_a_build_there_is_no_configuration(load: Loader) -> None:
    unit = load('#include "config.h"\n#ifdef HAVE_STDINT_H\nint no(void) { return 0; }\n#endif\n' + LOOP)
    assert [d.name for d in unit.functions] == ["f"]
    assert said(unit) == [findings.MISSING_HEADER]


def test_export_macros_of_cmake(load: Loader) -> None:
    unit = load(
        '#include "frob_export.h"\nFROB_EXPORT int f(int n) { for (int i = 0; i < n; i++) ; return n; }\n',
        {"CMakeLists.txt": "generate_export_header(frob)\n"},
    )
    assert [d.node is not None for d in unit.functions] == [True]


def test_the_user_has_the_last_word(load: Loader) -> None:
    files = {"config.h.in": AUTOHEADER}
    unit = load(USES.replace("12", "3"), files, undefines=("HAVE_CONFIG_H",))
    assert "types" not in [d.name for d in unit.functions]
    unit = load("#include <config.h>\n#ifdef WITH_FROB\n" + LOOP + "#endif\n", files, defines=("WITH_FROB",))
    assert [d.name for d in unit.functions] == ["f"]


@pytest.mark.parametrize("abi", ["llp64", "ilp32"])
def test_sizes_are_those_of_the_abi(load: Loader, abi: str, preprocessor: str) -> None:
    if abi == "ilp32" and preprocessor == "compiler":
        pytest.skip("the compiler may have no 32-bit headers")
    unit = load("#include <config.h>\n" + LOOP, {"config.h.in": "#undef SIZEOF_LONG\n"}, abi=abi)
    assert unit.macros["SIZEOF_LONG"] == 4


@pytest.mark.parametrize(
    "content",
    [
        "#undef HAVE_STDINT_H\n" * 200_000,
        "#undef HAVE_STDINT_H\0\n",
        "@" * 50_000 + "\n" + "${" * 50_000,
        "\n".join(f"#define A{i} A{i + 1} A{i + 1} A{i + 1} A{i + 1}" for i in range(20)),
        "".join(f"#undef HAVE_A{i}_B_C_D_H\n" for i in range(9000)),
        "#define X " + '"@A@" ' * 40_000,
        '#undef HAVE_"/etc/passwd"_H\n#undef HAVE______________________________H\n#undef SIZEOF_\n#undef HAVE_\n',
        "#define X @X@\n#define Y @Y\n#cmakedefine\n#cmakedefine X @X@ @X@ ${Y\n#cmakedefine01 HAVE_X_H extra\n",
    ],
    ids=["huge", "binary", "slots", "macros", "many headers", "one line", "odd names", "odd slots"],
)
def test_hostile_templates(load: Loader, content: str) -> None:
    unit = load('#include "config.h"\n' + LOOP, {"config.h.in": content})
    assert [d.name for d in unit.functions] == ["f"]
    assert unit.functions[0].node is not None
    assert not any(d.rule == findings.INTERNAL_ERROR for d in unit.diagnostics)


def test_a_template_that_includes_itself_ends(load: Loader) -> None:
    unit = load(LOOP + '#include "config.h"\n', {"config.h.in": '#include "config.h"\n#include "config.h.in"\n'})
    assert [d.name for d in unit.functions] == ["f"]


def test_a_template_may_not_lead_out_of_the_tree(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("#define HUNTER 2\n")
    root = tmp_path / "project"
    root.mkdir()
    os.symlink(tmp_path / "secret", root / "config.h.in")
    (root / "CMakeLists.txt").write_text("configure_file(../secret other.h)\nconfigure_file(/etc/passwd third.h)\n")
    (root / "t.c").write_text('#include "config.h"\n#include "other.h"\n#include "third.h"\n' + LOOP)
    unit = load_unit(root / "t.c", SourceOptions(), root=root)
    assert "HUNTER" not in unit.macros
    assert [d.name for d in unit.functions] == ["f"]
    assert sorted(p.name for p in root.iterdir()) == ["CMakeLists.txt", "config.h.in", "t.c"]


def test_a_template_that_includes_secrets_does_not_tell_them(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("#error hunter2\nint hunter2(int hunter2 { for (hunter2;;) }\n")
    root = tmp_path / "project"
    root.mkdir()
    (root / "config.h.in").write_text(f'#include "{tmp_path}/secret"\n#include "../secret"\n#undef HAVE_STDINT_H\n')
    (root / "t.c").write_text('#include "config.h"\n' + LOOP)
    unit = load_unit(root / "t.c", SourceOptions(), root=root)
    assert "hunter2" not in " ".join(d.message + str(d.place) for d in unit.diagnostics)
    assert "f" in [d.name for d in unit.functions]


def test_answers_rest_on_the_template_and_on_what_was_looked_for(load: Loader, tmp_path: Path) -> None:
    unit = load(USES, {"config.h.in": AUTOHEADER, "CMakeLists.txt": "set(A 1)\n"})
    read = unit.inputs
    assert {str(tmp_path / "config.h.in"), str(tmp_path / "CMakeLists.txt")} <= set(read.files)
    assert {"stdint.h", "sys/types.h", "nowhere.h"} <= set(read.names) | {"nowhere.h"}
    assert "config.h" in read.tree_names
