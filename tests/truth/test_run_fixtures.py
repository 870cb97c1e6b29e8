"""The fixtures are run, too: a few files here, all of them in `make truth`."""

import shutil
from pathlib import Path

import pytest
from pycparser import c_ast

from . import nest as n
from .fixtures import HERE, judge_files, reduced
from .mathematics import FUNCTIONS, UNCLEAR
from .parts import parsed

FILES = ("counting.c", "imperfect.c")


def test_runs_of_fixtures_contradict_no_answer() -> None:
    if shutil.which("gcc") is None:
        pytest.skip("needs gcc to preprocess the fixtures")
    shares = judge_files(HERE / name for name in FILES)
    wrong = [f for kind in ("parallel", "unlisted", "count", "witness") for f in shares.tally.of(kind)]
    assert not wrong, "\n".join(map(str, wrong))
    assert shares.run > 0.75 * shares.loops
    assert shares.tally.numbers["exact counts compared"] > 1000


FOREIGN = """
struct pair { float re, im; };
struct layer { int batch, width; float scale[4]; };
void local_structure(int n, struct pair *a, float *b)
{
    struct pair t;
    for (int i = 0; i < n; i++) {
        t.re = a[i].re * 2;
        t.im = (float)a[i].im;
        b[i] = t.re + t.im;
    }
}
void one_structure(struct layer *l, int class, int *a)
{
    for (int b = 0; b < l->batch; b++) {
        int first = b * l->width;
        for (int k = 0; k < class; k++)
            a[first + k] = 'x';
    }
}
void names_of_another_language(int n, const int *lambda, int *a)
{
    int in;
    for (int i = 0; i < n; i++) {
        in = lambda[i] * 2;
        a[i] = in;
    }
}
"""


def test_functions_of_foreign_code_are_run(tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("needs gcc to preprocess the text")
    file = tmp_path / "foreign.c"
    file.write_text(FOREIGN)
    shares = judge_files([file])
    assert (shares.loops, shares.run) == (4, 4)
    assert not [f for f in shares.tally.findings if f.kind not in ("missed", "assumed")]
    assert shares.tally.numbers["exact counts compared"] > 300


def test_sizes_are_reduced_but_not_to_nothing() -> None:
    assert reduced("#define N 1024\n#define K 3\nint a[N];", 16, 24) == "#define N 64\n#define K 3\nint a[N];"
    assert reduced("#define N 100", 16, 24) == "#define N 24"


def test_what_pycparser_does_not_read_is_left_out() -> None:
    text = """
        typedef int number; struct pair { int a, b; } *held;
        int old(a) int a; { return a; }
        char brace = '}';
        number good(struct pair *p) { if (p->a) { return '{'; } return p->b; }
        void strange(void) { asm volatile ("nop" ::: "memory"); }
        void last(void) { good(held); }
    """
    found = [x.decl.name for x in parsed(text, "t.c").ext if isinstance(x, c_ast.FuncDef)]
    assert found == ["good", "last"]


def test_operations_of_functions_are_those_of_the_definitions() -> None:
    x = n.Var("x", n.DOUBLE)

    def operations(name: str, *args: n.Expr) -> tuple[str, int]:
        return FUNCTIONS[name].operations(n.Call(name, (x, *args), FUNCTIONS[name].type))

    assert operations("sqrtf") == ("f", 1)
    assert operations("exp") == ("d", 30)
    assert operations("pow", n.Const(3)) == ("d", 2)
    assert operations("pow", x)[0] == operations("log")[0] == UNCLEAR
    assert FUNCTIONS["sqrt"].run(-1.0) != FUNCTIONS["sqrt"].run(-1.0)
