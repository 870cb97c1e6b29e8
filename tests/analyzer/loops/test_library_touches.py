"""Library functions that use memory behind their pointers: what they do to dependences."""

from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import LoopFacts
from analyzer.settings.options import AnalysisOptions, SourceOptions

PROLOGUE = """
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <ctype.h>
#include <arpa/inet.h>
struct item { int key; double value; };
struct named { const char *name; };
int rank[100];
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int by_key(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}
static int by_rank(const void *a, const void *b) { return rank[*(const int *)a] - rank[*(const int *)b]; }
static int by_name(const void *a, const void *b) { return *((const struct named *)a)->name - *(const char *)b; }
static int counting(const void *a, const void *b) { static int n; n++; return *(const int *)a - *(const int *)b; }
static int marking(const void *a, const void *b) { return (*(int *)a = 0); }
"""
PARAMETERS = (
    "int n, int *x, struct item *p, struct named *q, double *restrict m, const double *restrict v, int *restrict e, "
    "char (*restrict t)[8], char *restrict u, char *const *restrict text"
)


def loop(body: str) -> LoopFacts:
    text = f"{PROLOGUE}int f({PARAMETERS}) {{ unsigned seed = 1; int k = 0; {body} return k; }}"
    facts = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), text=text)
    return next(each for f in facts.functions for each in f.loops)


EACH = "for (int i = 0; i < n; i++) "


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        pytest.param("qsort(x + 2 * i, 2, sizeof *x, by_value);", "yes", id="own elements are sorted"),
        pytest.param("qsort(p + 2 * i, 2, sizeof *p, by_key);", "yes", id="structures are sorted"),
        pytest.param("qsort(x + i, 2, sizeof *x, by_value);", "no", id="sorted elements overlap"),
        pytest.param("qsort(x + 2 * i, 2, sizeof *x, by_rank);", "unknown", id="a comparison reads a global"),
        pytest.param("qsort(x + 2 * i, 2, sizeof *x, counting);", "unknown", id="a comparison counts"),
        pytest.param("qsort(x + 2 * i, 2, sizeof *x, marking);", "unknown", id="a comparison stores"),
        pytest.param("qsort(q + 2 * i, 2, sizeof *q, by_name);", "unknown", id="a comparison follows pointers"),
        pytest.param("e[i] = bsearch(&e[i], x, n, sizeof *x, by_value) != NULL;", "yes", id="searched"),
        pytest.param("m[i] = frexp(v[i], &e[i]);", "yes", id="an element is written"),
        pytest.param("m[i] = frexp(v[i], &e[i / 2]);", "no|unknown", id="two share an element"),
        pytest.param("double whole; m[i] = modf(v[i], &whole) + whole;", "yes", id="a local is written"),
        pytest.param("sincos(v[i], &m[2 * i], &m[2 * i + 1]);", "yes", id="two are written"),
        pytest.param("unsigned s = i; e[i] = rand_r(&s);", "yes", id="a generator per iteration"),
        pytest.param("e[i] = rand_r(&seed);", "no", id="a generator for all"),
        pytest.param("snprintf(t[i], sizeof t[i], \"%d\", e[i]);", "yes", id="into own memory"),
        pytest.param("snprintf(u + 4 * i, 4, \"%s\", text[i]);", "yes", id="strings are read"),
        pytest.param("snprintf(u + 4 * i, 5, \"%d\", i);", "no|unknown", id="one byte too many"),
        pytest.param("snprintf(t[i], 8, \"%hhn\", u);", "unknown", id="a format stores"),
        pytest.param("sprintf(u + 4 * i, \"%d\", i);", "no|unknown", id="as long as it gets"),
        pytest.param("snprintf(t[i], 8, \"%s\", t[(i + 1) % n]);", "no|unknown", id="another string is read"),
        pytest.param("m[i] = strtod(text[i], NULL);", "yes", id="a number is read"),
        pytest.param("char *end; m[i] = strtod(text[i], &end); e[i] = *end;", "yes", id="where a number ends"),
        pytest.param("char *end[1]; m[i] = strtod(text[i], &end[0]); e[i] = *end[0];", "unknown", id="in an array"),
        pytest.param("u[i] = toupper(u[i]); k += isalpha(u[i]) != 0;", "yes", id="characters"),
        pytest.param("x[i] = ntohl(x[i]);", "yes", id="order of bytes"),
    ],
)
def test_what_the_call_uses_decides(body: str, answer: str) -> None:
    assert loop(f"{EACH}{{ {body} }}").parallelism.verdict.value in answer.split("|")


def test_what_the_call_costs_is_not_made_up() -> None:
    counts = loop(f"{EACH}x[i] = atoi(text[i]);").counts
    assert not counts.int_ops.exact
    assert any("atoi()" in said for said in counts.int_ops.assumptions)


def test_a_function_of_the_program_is_not_the_one_of_the_library() -> None:
    text = "static int state; static int rand_r(unsigned *s) { return state = 5 * state + 1; }"
    text += "void f(int n, int *e) { for (int i = 0; i < n; i++) { unsigned s = i; e[i] = rand_r(&s); } }"
    facts = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), text=text)
    assert facts.functions[-1].loops[0].parallelism.verdict.value == "no"


@pytest.mark.parametrize(
    ("kept", "end"), [("char *e; strtod(w, &e);", "e"), ("char *e[2]; strtod(w, &e[0]); e[1] = out;", "e[0]")]
)
def test_where_a_number_ends_is_in_its_text(kept: str, end: str) -> None:
    text = "double strtod(const char *, char **); void f(int n, const char *given, char *out) { char w[100]; "
    text += f"for (int i = 0; i < 100; i++) w[i] = given[i]; {kept} "
    text += f"for (int i = 0; i < n - 1; i++) w[i] = {end}[i + 1]; out[0] = w[0]; }}"
    facts = analyze_file(Path("t.c"), SourceOptions(), AnalysisOptions(), text=text)
    assert facts.functions[-1].loops[1].parallelism.verdict.value != "yes"
