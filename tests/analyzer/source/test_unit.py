"""Macros, pragmas, directives and types as the unit gives them."""

import pytest
from pycparser import c_ast

from analyzer.source.ctypes import Array, Complex, CType, Floating, Function, Integer, Pointer, Record, Unknown, Void
from analyzer.source.nodes import nodes
from analyzer.source.unit import Directive, Pragma

from .conftest import Loader

INT = Integer("int", 4, True)
DOUBLE = Floating("double", 8)


def test_macros_with_an_integer_value(load: Loader) -> None:
    unit = load(
        "#include <limits.h>\n#define A 10\n#define B (A * 2 + 1)\n#define C -3\n#define D 0x1FuL\n#define E 1.5\n"
        "#define F(x) 3\n#define G undeclared\n#define H\n#define I \"text\"\n#define J J\n#define K 'a'\n"
        "#define L 010\n#define M 4\n#undef M\n#define N 5\n#undef N\n#define N 6\n"
        "#define O (B > 3 ? 1 << 4 : 0)\n#define P sizeof(int)\n"
        "void f(void) { for (;;) ; }\n"
    )
    assert unit.macros == {"A": 10, "B": 21, "C": -3, "D": 31, "L": 8, "N": 6, "O": 16}


def test_pragmas_that_speak_of_loops(load: Loader) -> None:
    unit = load(
        '#include "h.h"\nvoid f(int n) {\n'
        "#pragma omp parallel for \\\n  reduction(+:n)\n  for (;;) n--;\n#pragma ivdep\n"
        "  for (;;) ;\n#pragma STDC FP_CONTRACT OFF\n#pragma once\n"
        '  _Pragma("acc loop") for (;;) ;\n#pragma GCC unroll 4\n  for (;;) ;\n}\n',
        {"h.h": "#pragma omp declare simd\nint g(int);\n"},
    )
    assert unit.diagnostics == ()
    assert unit.pragmas == (
        Pragma(1, "omp declare simd", "h.h"),
        Pragma(3, "omp parallel for reduction(+:n)", "t.c"),
        Pragma(6, "ivdep", "t.c"),
        Pragma(10, "acc loop", "t.c"),
        Pragma(11, "GCC unroll 4", "t.c"),
    )


def test_a_pragma_belongs_to_the_loop_that_the_compiler_sees_behind_it(load: Loader) -> None:
    unit = load(
        '#define DO(x) _Pragma(#x)\n#define EACH(i, n) for (int i = 0; i < n; i++)\nvoid f(int n, int *a) {\n'
        "#ifndef X\n#pragma omp parallel for \\\n  schedule(static)\n#endif\n  /* text\n     text */\n"
        "  for (int i = 0; i < n; i++) a[i] = 0;\n"
        "  DO(omp parallel for) EACH(i, n) a[i] = 1;\n"
        "#pragma omp parallel\n  {\n#pragma omp for\n    EACH(i, n) a[i] = 2;\n  }\n"
        "#pragma omp parallel for\n#if 1\n  EACH(i, n) {\n#else\n  EACH(j, n) {\n#endif\n    a[i] = 3; }\n"
        "  EACH(i, n) a[i] = 4;\n}\n"
    )
    loops = [node for node in nodes(unit.functions[0].node) if isinstance(node, c_ast.For)]
    above = [[pragma.line for pragma in unit.pragmas_above(loop)] for loop in loops]
    assert above == [[5], [11], [14], [17], []]


@pytest.mark.parametrize(
    "position", ["if (n) @ n--; else @ n++;", "while (n) @ n--;", "@ { n--; } @", "switch (n) { @ case 1: @ n--; }"]
)
def test_a_pragma_may_stand_anywhere(load: Loader, position: str) -> None:
    text = position.replace("@", "\n#pragma omp critical\n")
    unit = load(f"struct s {{ int a;\n#pragma omp x\n}};\nvoid f(int n) {{ for (;;) {{ {text} }} }}\n")
    assert unit.diagnostics == ()
    assert unit.functions[0].node is not None


def test_directives_in_comments(load: Loader) -> None:
    unit = load(
        "// analyze: size N=4096\nvoid f(int n) {\n  /* analyze: independent */\n  for (;;) n--;\n"
        '  char *s = "// analyze: independent";\n  for (;;) n--; // analyze: ignore[DEP001] known to be fine\n'
        "  // analyse: independent\n  // analyze: something\n"
        "  /* analyze: independent rows\n     differ */\n\n#pragma omp for\n  // then\n  for (;;) n--;\n"
        "  // analyze: indepedent\n}\n"
    )
    assert unit.directives == (
        Directive(1, "size", "N=4096", 2, "t.c"),
        Directive(3, "independent", "", 4, "t.c"),
        Directive(6, "ignore", "[DEP001] known to be fine", 6, "t.c"),
        Directive(9, "independent", "rows differ", 14, "t.c"),
        Directive(15, "unknown", "indepedent", 16, "t.c"),
    )


TYPES: dict[str, CType] = {
    "int x": INT,
    "unsigned x": Integer("unsigned int", 4, False),
    "long unsigned int x": Integer("unsigned long", 8, False),
    "long long x": Integer("long long", 8, True),
    "signed char x": Integer("signed char", 1, True),
    "short int unsigned x": Integer("unsigned short", 2, False),
    "_Bool x": Integer("_Bool", 1, False),
    "unsigned __int128 x": Integer("unsigned __int128", 16, False),
    "enum { P, Q } x": Integer("enum None", 4, False),
    "enum { P1 = -1 } x": Integer("enum None", 4, True),
    "long double x": Floating("long double", 16),
    "_Float16 x": Floating("_Float16", 2),
    "double _Complex x": Complex(DOUBLE),
    "volatile int x": Integer("int", 4, True, volatile=True),
    "int *volatile x": Pointer(INT, 8, volatile=True),
    "const double *restrict x": Pointer(Floating("double", 8, const=True), 8, restrict=True),
    "_Atomic int x": Integer("int", 4, True, atomic=True),
    "_Atomic(int) x": Integer("int", 4, True, atomic=True),
    "double x[3][4]": Array(Array(DOUBLE, 4), 3),
    "double (*x)[4]": Pointer(Array(DOUBLE, 4), 8),
    "double *x[4]": Array(Pointer(DOUBLE, 8), 4),
    "volatile double x[4]": Array(Floating("double", 8, volatile=True), 4),
    "int (*x)(double, int[3])": Pointer(Function(INT, (DOUBLE, Pointer(INT, 8))), 8),
    "void *x": Pointer(Void(), 8),
    "T x": INT,
    "const T x": Integer("int", 4, True, const=True),
    "struct s x": Record("struct", "struct s"),
    "volatile struct s x": Record("struct", "struct s", volatile=True),
    "struct unknown *x": Pointer(Record("struct", "struct unknown"), 8),
    "__typeof__(y[0]) x": DOUBLE,
    "__typeof__(int *) x": Pointer(INT, 8),
    "__typeof__(y[0] + 1) x": DOUBLE,
    "__typeof__(&one.a) x": Pointer(INT, 8),
    "__auto_type x = y[1] * 2": DOUBLE,
    "__auto_type x = ({ __auto_type t = one; t.b; })": DOUBLE,
    "__typeof__(nothing()) x": Unknown("typeof"),
    "float x __attribute__((vector_size(16)))": Unknown("float __attribute__((vector_size(16)))", 16),
    "int x __attribute__((mode(DI)))": Integer("long", 8, True),
    "unsigned x __attribute__((mode(QI)))": Integer("unsigned char", 1, False),
}


@pytest.mark.parametrize(("text", "expected"), TYPES.items())
@pytest.mark.parametrize("scope", ["file", "block"])
def test_type_of_a_declaration(load: Loader, text: str, expected: CType, scope: str) -> None:
    head = "typedef int T; struct s { int a; double b; } one; double y[10];\n"
    if scope == "file":
        unit = load(f"{head}{text};\nvoid f(void) {{ for (;;) x; }}\n")
        found = unit.globals_["x"]
    else:
        unit = load(f"{head}void f(void) {{ for (;;) {{ {text}; x; }} }}\n")
        found = unit.type_of(unit.functions[0].node.body.block_items[0].stmt.block_items[0])  # type: ignore[union-attr]
    assert found == expected


def test_local_types_hide_outer_ones(load: Loader) -> None:
    unit = load(
        "typedef double T; struct s { int a; };\n"
        "void f(void) { for (;;) { T a; struct s b; "
        "{ typedef char T; struct s { T x[3]; }; T c; struct s d; } T e; } }\n"
        "void g(void) { for (;;) { T h; } }\n"
    )

    def types(node: c_ast.Node) -> dict[str, CType]:
        found: dict[str, CType] = {}
        for child in node:
            if isinstance(child, c_ast.Decl) and child.name:
                found[child.name] = unit.type_of(child)
            found |= types(child)
        return found

    found = types(unit.functions[0].node.body) | types(unit.functions[1].node.body)  # type: ignore[union-attr]
    records = {name: unit.layouts[t.key].size for name, t in found.items() if isinstance(t, Record)}
    assert {name: t for name, t in found.items() if not isinstance(t, Record | Array)} == {
        "a": DOUBLE,
        "c": Integer("char", 1, True),
        "e": DOUBLE,
        "h": DOUBLE,
    }
    assert records == {"b": 4, "d": 3}


def test_old_style_parameters(load: Loader) -> None:
    unit = load("f(a, n, c) double *a; long n; { for (;;) a[n] = c; }\n")
    assert unit.prototypes["f"] == Function(INT, (Pointer(DOUBLE, 8), Integer("long", 8, True), INT))


def test_a_recursive_record(load: Loader) -> None:
    unit = load(
        "struct n { struct n *next; struct n *all[2]; int v; };\nvoid f(struct n *p) { for (;;) p = p->next; }\n"
    )
    layout = unit.layouts["struct n"]
    assert [(m.name, m.offset) for m in layout.members] == [("next", 0), ("all", 8), ("v", 24)]
    assert layout.members[0].type == Pointer(Record("struct", "struct n"), 8)
