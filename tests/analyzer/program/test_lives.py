"""Where the arrays of a program are used: in which lines and loops, calls followed; which arrays have no life."""

from pathlib import Path

import pytest

from analyzer.driver.run import Input, Plan, document, run
from analyzer.report.program_entries import LifeEntry
from analyzer.settings.options import AnalysisOptions, SourceOptions

from .placed import CONTEXT

HELPERS = """#include <stdio.h>
#include <stdlib.h>
static void fill(double *x, int n) { for (int i = 0; i < n; i++) x[i] = 1; }
static double first(const double *x) { return x[0]; }
void unseen(int);
int by_unseen(const void *, const void *);
static void poke(double *x, int i) { x[i] = 1; }
static void keep(double *x, int is_first) {
    static double *kept;
    if (is_first) kept = x;
    else kept[0] = 1;
}
"""


def lives(folder: Path, *texts: str) -> dict[str, LifeEntry]:
    """Of the arrays of main, by name."""
    inputs = []
    for k, text in enumerate(texts):
        (folder / f"{k}.c").write_text(text, encoding="utf-8")
        inputs.append(Input(folder / f"{k}.c"))
    plan = Plan(SourceOptions(entry="main"), AnalysisOptions(), CONTEXT, root=folder)
    program = document(list(run(inputs, plan, 1)), plan, keep_sources=False).program
    assert program is not None
    assert program.lives is not None
    return {life.name: life for life in program.lives}


def of_main(folder: Path, *lines: str, head: str = "") -> dict[str, LifeEntry]:
    body = "\n".join(lines)
    return lives(folder, f"{HELPERS}{head}int main(int argc, char **argv) {{\n{body}\nreturn 0; }}\n")


def uses(life: LifeEntry) -> list[tuple[int, str, bool]]:
    """Line of main's body from 1, what is done, and whether a loop does it."""
    before = HELPERS.count("\n") + 1
    return [(use.line - before, use.kind, bool(use.loops)) for use in life.uses if use.kind != "leaves"]


def test_calls_are_followed(tmp_path: Path) -> None:
    a = of_main(tmp_path, "double *a = malloc(800000);", "fill(a, 100000);", 'printf("%g", first(a));', "free(a);")["a"]
    assert uses(a) == [(1, "ends", False), (2, "writes", True), (3, "reads", False), (4, "ends", False)]
    assert (a.shape, a.is_empty, a.outlasts, a.given_by) == ("pointer", True, False, None)


@pytest.mark.parametrize("storage", ["", "static "])
def test_loops_and_branches_of_the_function_are_named(tmp_path: Path, storage: str) -> None:
    b = of_main(
        tmp_path,
        f"{storage}double b[100000];",
        "for (int t = 0; t < 10; t++) {",
        "  fill(b, 100000);",
        "  if (t == 5) b[0] = 2;",
        "}",
    )["b"]
    line = HELPERS.count("\n") + 1
    assert [(use.line - line, [x - line for x in use.within], len(use.loops)) for use in b.uses] == [
        (3, [2], 2),
        (4, [2, 4], 1),
    ]


OTHERS = {
    "in a structure": ("struct { double *p; } s = {a};", "s.p[3] = 1;"),
    "unknown call": ("", "unseen(3);"),
    "pointer from memory": ("extern double **table;", "table[0][3] = 1;"),
    "called through a pointer": ("void (*f)(int) = (void (*)(int))argv;", "f(3);"),
    "one of two functions": ("void (*f)(double *, int) = argc > 2 ? fill : poke;", "f(a, 3);"),
    "kept by a function": ("", "keep(a, 1), keep(0, 0);"),
    "what is sorted by": ("static double b[9];", "qsort(b, 9, sizeof *b, by_unseen);"),
}


@pytest.mark.parametrize("why", OTHERS)
def test_what_may_be_a_use_is_one(tmp_path: Path, why: str) -> None:
    before, use = OTHERS[why]
    a = of_main(tmp_path, "double *a = malloc(800000);", "fill(a, 100000);", before, use)["a"]
    assert (4, "writes", False) in uses(a)


NONE = {
    "one of two allocations": ("double *a = malloc(80);", "if (argc > 3) a = malloc(160);", "fill(a, 10);"),
    "exchanged": (
        "double *a = malloc(80), *b = malloc(80), *c;",
        "fill(a, 10); c = a; a = b; b = c;",
        "fill(a, 10);",
    ),
    "two names": ("double *a = malloc(80), *b = a;", "fill(a, 10);", "fill(b, 10);"),
    "other code later": ("double *a = malloc(80);", "fill(a, 10);", "atexit(0);"),
    "no array": ("double a;", "fill(&a, 1);"),
}


@pytest.mark.parametrize("why", NONE)
def test_an_array_that_no_variable_stands_for_has_no_life(tmp_path: Path, why: str) -> None:
    assert "a" not in of_main(tmp_path, *NONE[why])


def test_arrays_that_the_caller_sees_outlast_a_function(tmp_path: Path) -> None:
    made = """static double *made(int n) {
    double *a = malloc(n * sizeof(double));
    fill(a, n);
    return a;
}
static void own(void) {
    double b[1000];
    fill(b, 1000);
}
double g[1000];
"""
    found = of_main(tmp_path, "double *c = made(1000);", "own();", "fill(g, 1000);", "fill(c, 1000);", head=made)
    assert found.keys() == {"b", "c", "g"}
    assert (found["c"].function, found["b"].function, found["g"].function) == ("main", "own", "main")
    assert not found["b"].outlasts


def test_whole_arrays_behind_pointers(tmp_path: Path) -> None:
    head = "double (*other(void))[1000];\nstatic void several(double (*x)[1000]) { fill(x[1], 1000); }\n"
    plain = ("double (*a)[1000] = other();", "fill(*a, 1000);")
    a = of_main(tmp_path, *plain, head=head)["a"]
    assert (a.shape, a.given_by) == ("block", "other")
    assert of_main(tmp_path, *plain, "several(a);", head=head)["a"].shape == "pointer"


def test_the_function_may_be_left(tmp_path: Path) -> None:
    a = of_main(tmp_path, "double a[1000];", "fill(a, 1000);", "if (argc > 3) return 1;", "fill(a, 1000);")["a"]
    inside = [use for use in a.uses if use.kind == "writes"]
    line = HELPERS.count("\n") + 1
    assert [[x - line for x in use.within] for use in inside] == [[], [3]]


def test_what_is_not_followed_may_run_loops_of_the_program(tmp_path: Path) -> None:
    a = of_main(tmp_path, "double *a = malloc(800000);", "fill(a, 100000);", "unseen(3);")["a"]
    assert (3, "ends", False) in uses(a)
