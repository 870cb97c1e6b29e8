"""Columns of the original source, and the macro a token came from."""

import pytest
from pycparser import c_ast

from analyzer.source.positions import _column_but_for_blanks
from analyzer.source.unit import Unit

from .conftest import Loader

LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)


def loops(unit: Unit) -> list[tuple[int, int, int, str | None, int]]:
    """Line, column, last line, macro and its line of every loop, in order."""
    found = []

    def walk(node: c_ast.Node) -> None:
        if isinstance(node, LOOPS):
            place, expansion = unit.place(node), unit.expansion(node)
            macro = (expansion.macro, expansion.line) if expansion else (None, 0)
            found.append((place.line, place.column, unit.end_line(node), *macro))
        for child in node:
            walk(child)

    for function in unit.functions:
        if function.node is not None:
            walk(function.node)
    return found


CASES = {
    "plain": ("void f(int n) {\n  for (int i = 0; i < n; i++) {\n    n--;\n  }\n}", [(2, 3, 4, None, 0)]),
    "tabs count one": ("void f(int n) {\n\t\twhile (n--) ;\n}", [(2, 3, 2, None, 0)]),
    "behind a macro": (
        "#define BIG(x) ((x) + (x) * 2 + 1)\nvoid f(int n) { n = BIG(n); for (;;) n--; }",
        [(2, 29, 2, None, 0)],
    ),
    "between macros": (
        "#define Q(x) (x)\nvoid f(int n) { n = Q(1); for (; n < Q(n);) n = Q(2); do n--; while (n > Q(3)); }",
        [(2, 27, 2, None, 0), (2, 55, 2, None, 0)],
    ),
    "from a macro": (
        "#define LOOP(i, n) for (int i = 0; i < n; i++)\nvoid f(int n) {\n  LOOP(k, n) { n--; }\n}",
        [(3, 3, 3, "LOOP", 1)],
    ),
    "two from one": (
        "\n#define TWICE(n) for (;;) n--; for (;;) n++;\nvoid f(int n) { n = 1; TWICE(n) }",
        [(3, 24, 3, "TWICE", 2), (3, 24, 3, "TWICE", 2)],
    ),
    "macro of macros": (
        "#define A for (;;)\n#define B(n) A n--;\nvoid f(int n) { B(n) }",
        [(3, 17, 3, "B", 2)],
    ),
    "arguments on several lines": (
        "#define LOOP(i, n) for (int i = 0; i < n; i++)\n"
        "void f(int n) {\n  LOOP(k,\n       n) { n--; } while (n) n--;\n}",
        [(3, 3, 4, "LOOP", 1), (4, 20, 4, None, 0)],
    ),
    "comment before": ("void f(int n) {\n  /* a\n b */ for (;;) n--; // for\n}", [(3, 7, 3, None, 0)]),
    "continued line": ("void f(int n) {\n  n = 1; \\\n  for (;;) n--;\n}", [(3, 3, 3, None, 0)]),
    "string with a quote": ('void f(int n) {\n  char *s = "for \\" ("; for (;;) n--;\n}', [(2, 25, 2, None, 0)]),
    "redefined": (
        "#define N 1\nvoid f(int n) {\n  n = N;\n#undef N\n#define N for\n  N (;;) n--;\n}",
        [(6, 3, 6, "N", 5)],
    ),
    "not a call of the macro": (
        "#define g(x) x\nvoid f(int n) {\n  int g; g = n; for (;;) g--;\n}",
        [(3, 17, 3, None, 0)],
    ),
    "else if": (
        "void f(int n) {\n  for (;;)\n    if (n)\n      n--;\n    else\n      n++;\n  n = 0;\n}",
        [(2, 3, 6, None, 0)],
    ),
    "do": ("void f(int n) {\n  do {\n    n--;\n  } while (n);\n}", [(2, 3, 4, None, 0)]),
    "line directive": ("void f(int n) {\n#line 40\n  for (;;) n--;\n}", [(40, 0, 40, None, 0)]),
    "carriage returns": ("void f(int n) {\r\n  for (;;)\r\n    n--;\r\n}\r\n", [(2, 3, 3, None, 0)]),
    "the same words twice": (
        "#define I(x) for (;;) x\nvoid f(int n) { if (n) { for (;;) n--; } I(n--); for (;;) n--; }",
        [(2, 26, 2, None, 0), (2, 42, 2, "I", 1), (2, 50, 2, None, 0)],
    ),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES.keys())
def test_loops_stand_where_they_are_written(load: Loader, text: str, expected: list[object]) -> None:
    unit = load(text)
    assert unit.diagnostics == ()
    assert loops(unit) == expected


def test_a_dimension_knows_its_macro(load: Loader) -> None:
    unit = load(
        "#define N 100\ndouble a[N][20];\nvoid f(void) { double b[N]; for (int i = 0; i < N; i++) a[i][0] = b[i]; }"
    )
    declaration = unit.functions[0].node.body.block_items[0]  # type: ignore[union-attr]
    expansion = unit.expansion(declaration.type.dim)
    assert expansion is not None
    assert (expansion.macro, expansion.line) == ("N", 1)
    assert unit.macros == {"N": 100}


def test_a_loop_in_a_header_stands_in_the_header(load: Loader) -> None:
    unit = load(
        '#include "sub/h.h"\nvoid g(int n) { f(n); for (;;) ; }\n',
        {"sub/h.h": "static int f(int n) {\n   for (;;) n--;\n  return n;\n}\n"},
    )
    assert [(str(d.place), d.own) for d in unit.functions] == [("sub/h.h:1:12", True), ("t.c:2:6", True)]
    assert loops(unit)[0] == (2, 4, 2, None, 0)
    assert unit.place(unit.functions[0].node.body.block_items[0]).path == "sub/h.h"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("before", "made", "row", "column"),
    [
        (" x = ", " x = y", "\tx =  y", 7),
        ("", " x", "\tx", 2),
        (" x = ", " x = y", "\tx =  y;  // of y", 0),
        (" x = ", " x = y;", "\tx =  y;  // of y", 7),
        (" x = ", " x = 3;", "\tx =  N;", 0),
    ],
)
def test_blanks_that_the_preprocessor_leaves_out_move_columns(before: str, made: str, row: str, column: int) -> None:
    assert _column_but_for_blanks(before, made, row) == column
