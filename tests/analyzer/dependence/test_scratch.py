"""Memory in which iterations work, where it cannot be shown that each sets what it reads: the condition `scratch`."""

from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import Parallelism, Verdict
from analyzer.settings.options import AnalysisOptions, SourceOptions

PROLOGUE = """
#include <stdlib.h>
void *checked_malloc(size_t n);
struct given { int a, b; };
static void fill(double *w, int m, double x) { for (int k = 0; k < m; k++) w[k] = x + k; }
static void choose(int *list, int *length, const double *x, double least)
{
    int found = 0, *each = list + *length;
    for (int r = 0; r < *length; r++) {
        if (x[r] < least) continue;
        for (int k = 0; k < r; k++) if (x[k] < 0) each[k] = k; else each[k] = r;
        for (int k = 0; k < r; k++) { list[found] = each[k]; found++; }
    }
    *length = found;
}
"""
MAY_BE = "double *w = NULL; if (g->a) w = checked_malloc(8 * m);"
LIST = "int *list = checked_malloc(8 * m);"


def answer(before: str, body: str, prologue: str = "", behind: str = "") -> Parallelism:
    """Of the loop over i."""
    parameters = "const struct given *g, int n, int m, int *at, double *y, const double *x"
    loop = f"for (int i = 0; i < n; i++) {{ {body} }}"
    code = f"{PROLOGUE}{prologue} void f({parameters}) {{ {before} {loop} {behind} }}"
    facts = analyze_file(Path("c.c"), SourceOptions(), AnalysisOptions(), None, code)
    return next(loop.parallelism for loop in facts.functions[-1].loops if loop.loop.variable == "i")


@pytest.mark.parametrize(
    ("before", "body", "name"),
    [
        # memory that is there under a condition, under which it is filled and read
        (MAY_BE, "if (g->a) fill(w, at[i], x[i]); if (g->b) { if (g->a) y[i] = w[at[i] / 2]; }", "w"),
        # what is chosen is put one behind the other
        (LIST, "int k = 0; for (int j = 0; j < m; j++) if (x[i + j] > 0) list[k++] = j;"
               "double s = 0; for (int j = 0; j < k; j++) s += x[list[j]]; y[i] = s;", "list"),
        (LIST, "if (x[i] > 0) { int k = m / 2; choose(list, &k, x, 3);"
               "double s = 0; for (int j = 0; j < k; j++) s += x[list[j]]; y[i] = s; }", "checked_malloc(8 * m)"),
    ],
)  # fmt: skip
def test_memory_of_the_function_is_scratch_on_a_condition(before: str, body: str, name: str) -> None:
    found = answer(before, body)
    assert found.verdict is Verdict.CONDITIONAL
    assert [c.text for c in found.conditions if c.kind == "scratch"] == [name]


@pytest.mark.parametrize(
    ("before", "body"),
    [
        # there is something from the beginning
        ("double w[8] = {0};", "fill(w, at[i], x[i]); y[i] = w[at[i] / 2];"),
        # filled under another condition than it is read
        (MAY_BE, "if (x[i] > 0) fill(w, at[i], x[i]); if (g->a) y[i] = w[at[i] / 2];"),
        # filled before the loop, by its own name or by another one
        (MAY_BE + "fill(w, m, x[0]);", "if (g->a) y[i] = w[at[i] / 2]; if (g->a) fill(w, at[i], x[i]);"),
        ("double *v = checked_malloc(8 * m), *w = g->a ? v : checked_malloc(8 * m); v[0] = 1;",
         "y[i] = w[at[i]]; fill(w, at[i], x[i]);"),
        # another piece of memory in each iteration
        (MAY_BE, "if (x[i] > 2) w = checked_malloc(8); if (g->a) y[i] = w[at[i]]; if (g->a) fill(w, at[i], x[i]);"),
        # the last one that was seen
        (LIST, "for (int j = 0; j < m; j++) if (x[i + j] > 0) list[j] = i; y[i] = x[list[at[i]]];"),
        # a list that all iterations make longer
        (LIST + "int k = 0;", "for (int j = 0; j < m; j++) if (x[i + j] > 0) list[k++] = j; y[i] = x[list[k / 2]];"),
        # read before it is filled
        (LIST, "y[i] = x[list[at[i]]]; int k = 0; for (int j = 0; j < m; j++) if (x[i + j] > 0) list[k++] = j;"),
    ],
)  # fmt: skip
def test_what_is_left_for_other_iterations_is_no_scratch(before: str, body: str) -> None:
    found = answer(before, body)
    assert not found.is_parallel, found


def test_two_pointers_to_one_piece_of_memory_have_no_copy_each() -> None:
    before = f"{MAY_BE} double *v = NULL; if (g->b) v = checked_malloc(8 * m); else v = w;"
    found = answer(before, "if (g->a) fill(w, at[i], x[i]); y[i] = v[at[i] / 2];")
    assert "distinct" in {str(c.kind) for c in found.conditions}
    both = answer(before, "fill(w, at[i], x[i]); fill(v, at[i], x[i]); y[i] = v[at[i] / 2] + w[at[i] / 2];")
    assert not both.is_parallel


THREAD_NUMBER = """
int omp_get_thread_num(void); double **rows_of_threads(int n); void *release_row(double *); void show_row(double *);
"""
WORK = "for (int j = 0; j < at[i]; j++) w[j] = x[j]; for (int j = 0; j < at[i]; j++) y[i] += w[j];"


def of_thread(way: str, behind: str = "") -> list[str]:
    """The conditions of a loop that works in the row `w`."""
    found = answer("double **rows = rows_of_threads(9);", f"{way} {WORK}", THREAD_NUMBER, behind)
    return [f"{c.kind}({c.text})" for c in found.conditions]


def test_a_row_of_the_thread_is_scratch() -> None:
    wanted = ["distinct(rows[k],x)", "distinct(rows[k],y)", "scratch(rows[k])"]
    other = "{ int k = at[i]; y[i] = k; }"
    at_once = "int k = omp_get_thread_num(); double *w = rows[k];"
    later = "int k; double *w; k = omp_get_thread_num(); w = rows[k];"
    for way in (at_once, later):
        assert {*wanted} <= {*of_thread(way)}
        assert {*wanted} <= {*of_thread(f"{other} {way}")}


def test_rows_that_are_released_behind_the_loop_are_scratch() -> None:
    way, rows = "int k = omp_get_thread_num(); double *w = rows[k];", "for (int k = 0; k < 9; k++)"
    for released in ("release_row(rows[k]);", "rows[k] = release_row(rows[k]);"):
        assert "scratch(rows[k])" in of_thread(way, f"{rows} {released}")
    for read in ("show_row(rows[k]);", "y[k] += rows[k][0];"):
        assert "scratch(rows[k])" not in of_thread(way, f"{rows} {read}")


@pytest.mark.parametrize(
    "way",
    [
        "int k = omp_get_thread_num(); k = k / 2; double *w = rows[k];",
        "int k = omp_get_thread_num(); if (x[i] > 0) k = 0; double *w = rows[k];",
        "int k = omp_get_thread_num(); double *w = rows[k * m % 3];",
        "int k = omp_get_thread_num(); { int k = 3; double *v = rows[k]; v[i] = 1; } double *w = rows[k * 0];",
    ],
)
def test_what_threads_share_is_no_scratch(way: str) -> None:
    assert not any(c.startswith("scratch") for c in of_thread(way))
