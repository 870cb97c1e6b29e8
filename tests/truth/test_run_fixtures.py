"""The fixtures are run, too: a few files here, all of them in `make truth`."""

import shutil

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
