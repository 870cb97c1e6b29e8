"""Generic selections, against the compiler."""

import shutil
import subprocess
from pathlib import Path

import pytest
from pycparser import c_ast

from analyzer.settings.options import SourceOptions
from analyzer.source.load import load_unit
from analyzer.source.nodes import nodes

SELECTIONS = {
    "a number": ("_Generic(1, int: 1, long: 2, default: 3)", True),
    "a long one": ("_Generic(1L, int: 1, long: 2, default: 3)", True),
    "a sum": ("_Generic(c + c, char: 1, int: 2, default: 3)", True),
    "a mixed sum": ("_Generic(i + f, int: 1, float: 2, double: 3)", True),
    "a product of two": ("_Generic(f * d, float: 1, double: 2, default: 3)", True),
    "what is const": ("_Generic(k, int: 1, const int: 2, default: 3)", True),
    "to what is const": ("_Generic(q, int *: 1, const int *: 2, default: 3)", True),
    "a const pointer": ("_Generic(r, int *: 1, const int *: 2, default: 3)", True),
    "an array": ("_Generic(a, double *: 1, default: 2)", True),
    "an address": ("_Generic(&i, int *: 1, default: 2)", True),
    "a character": ("_Generic('x', char: 1, int: 2, default: 3)", True),
    "a plain char": ("_Generic(c, signed char: 1, unsigned char: 2, char: 3)", True),
    "a structure": ("_Generic(s, struct s: 1, default: 2)", True),
    "a member": ("_Generic(s.x, float: 1, default: 2)", True),
    "another name": ("_Generic(u, unsigned: 1, unsigned long: 2, default: 3)", True),
    "a function": ("_Generic(g, int (*)(double): 1, default: 2)", True),
    "of another one": ("_Generic(_Generic(i, int: f, default: d), float: 1, default: 2)", True),
    "of a long sum": ("_Generic(1UL + 1LL, unsigned long: 1, unsigned long long: 2)", False),
    "a constant member": ("_Generic(&cs.x, float *: 1, const float *: 2)", False),
    "an array of a constant": ("_Generic(cs.m, float *: 1, const float *: 2)", False),
    "an element of a constant": ("_Generic(cs.m[1], float: 1, default: 2)", True),
    "a bit-field": ("_Generic(cs.b + 1, unsigned: 1, int: 2)", False),
    "one of two": ("_Generic(1 ? r : q, int *: 1, const int *: 2)", False),
    "a wide character": ("_Generic(L'a', char: 1, int: 2, default: 3)", False),
    "a large enumerator": ("_Generic(LARGE, int: 1, long: 2, default: 3)", False),
    "without a length": ("_Generic(&open_array, int (*)[4]: 1, default: 2)", False),
    "without a prototype": ("_Generic(old, int (*)(int): 1, default: 2)", False),
    "an enumeration": ("_Generic(e, int: 1, unsigned: 2, default: 3)", False),
    "among enumerations": ("_Generic(i, enum e: 1, default: 2)", False),
}
CODE = """
typedef unsigned uint_here; struct s { float x; }; enum e {{ A, B }}; enum {{ LARGE = 0x100000000 }};
struct m {{ float x, m[3]; unsigned b : 3; }}; static const struct m cs; extern int open_array[]; int old();
int g(double);
int f(void) {{
    int i = 1; char c = 1; float f = 1; double d = 1, a[3] = {{0}}; const int k = 2;
    const int *q = &k; int *const r = &i;
    struct s s = {{1}}; uint_here u = 1; enum e e = A;
    (void)i; (void)c; (void)f; (void)d; (void)a; (void)q; (void)r; (void)s; (void)u; (void)e;
    return {0};
}}
int main(void) {{ return f(); }}
""".replace("struct s { float x; }", "struct s {{ float x; }}")


def _returned(source: Path) -> c_ast.Return:
    """The one return of function f."""
    (definition,) = (d for d in load_unit(source, SourceOptions()).definitions.values() if d.name == "f")
    assert definition.node is not None
    (returned,) = nodes(definition.node.body, c_ast.Return)
    return returned


@pytest.mark.parametrize("name", SELECTIONS)
@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_what_is_selected_is_what_the_compiler_selects(name: str, tmp_path: Path) -> None:
    text, is_told = SELECTIONS[name]
    source, program = tmp_path / "a.c", tmp_path / "a"
    source.write_text(CODE.format(text), encoding="utf-8")
    subprocess.run(["gcc", "-w", "-std=c11", str(source), "-o", str(program)], check=True)
    expected = subprocess.run([str(program)], check=False).returncode
    returned = _returned(source)
    assert (getattr(returned.expr, "value", None) == str(expected)) is is_told
    assert bool(nodes(returned, c_ast.GenericSelection)) is not is_told


def _chosen(expression: str, tmp_path: Path) -> c_ast.Node:
    """What a function returns that gets a pointer."""
    source = tmp_path / "a.c"
    head = "int *same(const int *p, int n); void *any(const int *p); void *f(const int *q) { return "
    source.write_text(f"{head}{expression}; }}", encoding="utf-8")
    return _returned(source).expr


@pytest.mark.parametrize(
    "expression",
    [
        "_Generic(0 ? (q) : (void *)1, const void *: (const int *)(same(q, 3)), default: same(q, 3))",
        "_Generic(0 ? (q) : (void *)1, default: same(q, 3), const void *: (const int *)same(q, 3))",
        "_Generic(0 ? q : (void *)1, const void *: (const void *)any(q), default: any(q))",
    ],
)
def test_one_call_is_selected_whatever_the_type(expression: str, tmp_path: Path) -> None:
    assert isinstance(_chosen(expression, tmp_path), c_ast.FuncCall)


@pytest.mark.parametrize(
    "expression",
    [
        "_Generic(0 ? q : (void *)1, const void *: (const char *)same(q, 3), default: same(q, 3))",
        "_Generic(0 ? q : (void *)1, const void *: (const int *)same(q, 1), default: same(q, 3))",
        "_Generic(0 ? q : (void *)1, const void *: (int *)any(q), default: any(q))",
        "_Generic(0 ? q : (void *)1, const void *: (const int *)same(q, 3), default: any(q))",
        "_Generic(0 ? q : (void *)1, const void *: 2, default: 3)",
    ],
)
def test_what_differs_in_more_is_not_selected(expression: str, tmp_path: Path) -> None:
    assert isinstance(_chosen(expression, tmp_path), c_ast.GenericSelection)
