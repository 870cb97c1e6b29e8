"""Memory that each thread has of its own, by its number, and gives to functions that are not seen."""

from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import Parallelism, Verdict
from analyzer.settings.options import AnalysisOptions, SourceOptions

PROLOGUE = """
#include <omp.h>
#include <stdlib.h>
struct about { double a, b; const double *c; };
typedef struct { double (*f)(double, void *); void *given; } integrand;
double integrate(const integrand *what, double from, double to);
void solver_set(struct solver *s, integrand *what, double from);
struct solver *solver_alloc(int kind); double solver_root(const struct solver *s); void solver_step(struct solver *s);
void *checked_malloc(size_t); void *checked_calloc(size_t);
double total(const double *all);
void transform(double *in, double *out, int m);
void look(integrand *what);
static double line(double x, void *given) { struct about *p = given; return p->a * x + p->b + p->c[0]; }
"""

BEFORE = """
    int threads = omp_get_max_threads(), t;
    struct about *about = malloc(threads * sizeof *about);
    integrand *what = malloc(threads * sizeof *what);
"""
BEHIND = "free(about); free(what);"
SAID = "about[t].a = x[i]; about[t].b = 1; what[t].f = &line; what[t].given = about + t;"
HALF = "for (t = 0; t < threads; t++) about[t].c = x;"
SOLVERS = "struct solver **s = malloc(threads * sizeof *s); for (t = 0; t < threads; t++) s[t] = solver_alloc(3);"


def answer(body: str, before: str = "", behind: str = "") -> Parallelism:
    """Of the loop over i."""
    loop = f"for (int i = 0; i < n; i++) {{ t = omp_get_thread_num(); {body} }}"
    code = f"{PROLOGUE}void f(int n, int m, double *y, const double *x) {{ {BEFORE}{before} {loop} {behind} {BEHIND} }}"
    facts = analyze_file(Path("c.c"), SourceOptions(), AnalysisOptions(), None, code)
    return next(loop.parallelism for loop in facts.functions[-1].loops if loop.loop.variable == "i")


INDEPENDENT = [
    (f"{SAID} y[i] = integrate(what + t, 0, x[i]);", "", {"about": "private", "what": "private"}),
    # the other member is set before the loop, and copied
    (f"{SAID} y[i] = integrate(what + t, 0, x[i]);", HALF, {"about": "first", "what": "private"}),
    (f"if (x[i] < 0) continue; {SAID} y[i] = integrate(what + t, 0, x[i]);", HALF,
     {"about": "first", "what": "private"}),
    (f"{SAID} y[i] = integrate(what + t, 0, 1); about[t].a = 2; y[i] += integrate(what + t, 0, 1);", HALF,
     {"about": "first", "what": "private"}),
    (f"{SAID} solver_set(s[t], what + t, x[i]); solver_step(s[t]); y[i] = solver_root(s[t]);", HALF + SOLVERS,
     {"about": "first", "what": "private"}),
]  # fmt: skip


@pytest.mark.parametrize(("body", "before", "copies"), INDEPENDENT)
def test_each_iteration_fills_memory_of_its_thread(body: str, before: str, copies: dict[str, str]) -> None:
    found = answer(body, before)
    assert found.verdict is Verdict.CONDITIONAL
    assert {str(c.kind) for c in found.conditions} == {"independent"}
    assert {s.text: s.role for s in found.separated if s.text in copies} == copies


@pytest.mark.parametrize(
    ("body", "before", "behind"),
    [
        # behind the call, for the next iteration
        ("what[t].f = &line; what[t].given = about + t; y[i] = integrate(what + t, 0, 1); about[t].a = x[i];", "", ""),
        ("y[i] = integrate(what + t, 0, x[i]); what[t].f = &line;", "", ""),
        # filled by several iterations together
        ("z[i % 8] = x[i]; y[i] = total(z);", "double z[8];", ""),
        # carried from one to the next
        (f"y[i] = about[t].b; {SAID} y[i] += integrate(what + t, 0, 1);", HALF, ""),
        (f"{SAID} about[t].b = about[t].b / 2 + x[i]; y[i] = integrate(what + t, 0, 1);".replace("about[t].b = 1;", ""),
         HALF, ""),
        # read later by way of the other memory, or by a function that gets that
        (f"{SAID} y[i] = integrate(what + t, 0, x[i]);", "", "struct about *p = what[0].given; y[0] = p->a;"),
        (f"{SAID} y[i] = integrate(what + t, 0, x[i]);", "", "y[0] = integrate(what, 0, 1);"),
        (f"{SAID} y[i] = integrate(what + t, 0, x[i]);", "look(what);", ""),
        # a solver that goes on from where the iteration before stopped
        ("solver_step(s[t]); y[i] = solver_root(s[t]);", SOLVERS + "solver_set(s[0], what, x[0]);", ""),
    ],
)  # fmt: skip
def test_memory_that_carries_something_is_not_of_each_iteration(body: str, before: str, behind: str) -> None:
    assert not answer(body, before, behind).is_parallel


ROWS = "double **row = malloc(8 * threads), **out = malloc(8 * threads);"
OF_ROWS = "for (t = 0; t < threads; t++) { row[t] = checked_malloc(8 * m); out[t] = checked_malloc(8 * m); }"
FILLED = "for (int j = 0; j < m; j++) row[t][j] = x[i + j];"


@pytest.mark.parametrize(
    ("body", "before"),
    [
        (f"{FILLED} transform(row[t], out[t], m); y[i] = out[t][1];", ROWS + OF_ROWS),
        (f"double *w = row[t]; {FILLED} transform(w, out[t], m); y[i] = out[t][1];", ROWS + OF_ROWS),
        ("for (int j = 0; j < m; j++) w[j] = x[i + j]; transform(w, v, m); y[i] = v[1];",
         "double *w = checked_malloc(8 * m), *v = checked_malloc(8 * m);"),
        ("double *v = all + t * m; for (int j = 0; j < m; j++) v[j] = x[i + j]; transform(v, v, m); y[i] = v[1];",
         "double *all = malloc(8 * m * threads);"),
        ("for (int j = 0; j < m; j++) z[j] = x[i + j]; transform(z, z, m); y[i] = z[m / 2];",
         "double *z = checked_calloc(8 * m);"),
    ],
)  # fmt: skip
def test_each_iteration_fills_rows_of_its_thread(body: str, before: str) -> None:
    found = answer(body, before)
    assert found.verdict is Verdict.CONDITIONAL
    assert {str(c.kind) for c in found.conditions} <= {"independent", "distinct"}


@pytest.mark.parametrize(
    ("body", "before", "behind"),
    [
        # rows by another number than that of the thread
        (f"t = i % 4; {FILLED} transform(row[t], out[t], m); y[i] = out[t][1];", ROWS + OF_ROWS, ""),
        (f"t = (int)x[i]; {FILLED} transform(row[t], out[t], m); y[i] = out[t][1];", ROWS + OF_ROWS, ""),
        # read before they are filled, or later
        (f"y[i] = out[t][1]; {FILLED} transform(row[t], out[t], m);", ROWS + OF_ROWS, ""),
        (f"{FILLED} transform(row[t], out[t], m); y[i] = out[t][1];", ROWS + OF_ROWS, "y[0] = out[0][2];"),
        (f"{FILLED} transform(row[t], out[t], m); y[i] = out[t][1];", ROWS + OF_ROWS,
         "double *last = out[n % threads]; y[0] = last[2];"),
        # one row by two names
        (f"{FILLED} transform(row[t], out[t], m); y[i] = out[t][1];", ROWS + OF_ROWS + "out[0] = row[0];", ""),
        # carried from one iteration to the next
        (f"row[t][0] += row[t][1]; {FILLED.replace('= 0', '= 2')} transform(row[t], out[t], m); y[i] = out[t][1];",
         ROWS + OF_ROWS, ""),
        ("y[i] = w[0]; transform(w, w, i);", "double *w = malloc(8 * m);", ""),
        # a state that only the library knows
        ("solver_step(one); y[i] = solver_root(one);", "struct solver *one = solver_alloc(3);", ""),
    ],
)  # fmt: skip
def test_rows_that_are_not_of_a_thread(body: str, before: str, behind: str) -> None:
    assert not answer(body, before, behind).is_parallel


def test_what_some_iterations_set_is_none_that_others_find() -> None:
    """But for the condition that says so."""
    found = answer(f"about[t].a = 1; if (x[i] > 0) about[t].b = 2; {SAID[35:]} y[i] = integrate(what + t, 0, 1);")
    assert {str(c.kind) for c in found.conditions} == {"independent", "scratch"}


def test_what_is_read_later_is_what_the_last_iteration_left() -> None:
    found = answer(f"{SAID} y[i] = integrate(what + t, 0, x[i]);", behind="y[0] = about[0].a;")
    assert {s.role for s in found.separated if s.text == "about"} == {"last"}


PLACES = [
    # found by the call as another one, before the loop, has left it
    ("fill(at, x); LOOP { go(y + i, at + i, i); }", "conditional"),
    ("fill(at, x); LOOP { int k = at[i]; go(y + k, at + i, i); }", "conditional"),
    # read behind the loop: by name, by who may have kept the address, and by what leads there
    ("fill(at, x); LOOP { go(y + i, at + i, i); } y[0] = at[3];", "unknown"),
    ("fill(at, x); LOOP { go(y + i, at + i, i); } show();", "unknown"),
    ("fill(at, x); LOOP { go(y + i, at + i, i); } y[0] = kept[3];", "unknown"),
    ("fill(at, x); for (int j = 0; j < m; j++) { show(); LOOP go(y + i, at + i, i); }", "unknown"),
    # one place for all iterations, or one that they set
    ("fill(at, x); LOOP { int k = at[i]; go(y + k, at, i); }", "unknown"),
    ("fill(at, x); LOOP { y[i] = at[7]; go(y + i, at + i, i); }", "unknown"),
    ("fill(at, x); LOOP { int k = at[i]; go(y + k, at + i, i); at[i + 1] = k; }", "unknown"),
]


@pytest.mark.parametrize(("body", "expected"), PLACES)
def test_each_iteration_gives_away_a_place_in_a_table(body: str, expected: str) -> None:
    declared = "void fill(int *at, const double *x); void go(double *y, int *at, int i); void show(void); int *kept;"
    body = body.replace("LOOP", "for (int i = 0; i < n; i++)")
    code = f"{declared} void f(int n, int m, double *y, const double *x) {{ int at[400]; {body} }}"
    facts = analyze_file(Path("c.c"), SourceOptions(), AnalysisOptions(), None, code)
    found = next(loop.parallelism for loop in facts.functions[-1].loops if loop.loop.variable == "i")
    assert (found.verdict.value, {str(c.kind) for c in found.conditions}) == (
        expected, {"independent"} if expected == "conditional" else set()
    )


TABLES = [
    # what a function gets behind the loop is a table that holds pointers to other memory, or to this one
    ("LOOP sum(parts, m);", "conditional"),
    ("parts[0] = calloc(m, 8); LOOP sum(parts, m);", "conditional"),
    ("parts[3] = at; LOOP sum(parts, m);", "unknown"),
    ("double *p = m > 3 ? at : y; parts[0] = p; LOOP sum(parts, m);", "unknown"),
    ("double **q = m > 3 ? parts : rows; q[0] = at; LOOP sum(parts, m);", "unknown"),
    ("double **all[2]; parts[0] = at; all[1] = parts; LOOP sum((double **)all, m);", "unknown"),
    ("double *two[2] = {y, at}; LOOP sum(two, m);", "unknown"),
    ("double *p = at; LOOP sum(&p, m);", "unknown"),
    ("double *p = at; memcpy(parts, &p, sizeof p); LOOP sum(parts, m);", "unknown"),
    ("long number = (long)at; parts[0] = (double *)number; LOOP sum(parts, m);", "unknown"),
]


@pytest.mark.parametrize(("body", "expected"), TABLES)
def test_who_gets_a_table_reads_what_it_holds(body: str, expected: str) -> None:
    declared = "void *calloc(size_t, size_t); void go(double *, double *); void sum(double **, int);"
    body = body.replace("LOOP", "for (int i = 0; i < n; i++) go(y + i, at);")
    filled = "double at[9], *parts[8]; for (int k = 0; k < 9; k++) at[k] = y[k];"
    code = f"#include <string.h>\n{declared} void f(int n, int m, double *y, double **rows) {{ {filled} {body} }}"
    facts = analyze_file(Path("c.c"), SourceOptions(), AnalysisOptions(), None, code)
    found = next(loop.parallelism for loop in facts.functions[-1].loops if loop.loop.variable == "i")
    assert found.verdict.value == expected
