"""Sizes and memory have the names of the variables that keep them."""

from pathlib import Path

import pytest

from analyzer.ir import nodes as ir
from analyzer.loops import lower_function
from analyzer.settings.options import SourceOptions
from analyzer.source import load_unit

PROLOGUE = """
int atoi(const char *); int ask(void); void set(int *); void *malloc(unsigned long);
static double **rows(int n) { double **m = malloc(n * sizeof *m); return m; }
int LIMIT; int limit(void); struct box { int n, m; } *box, *other;
"""


def loops(body: str) -> list[ir.Loop]:
    text = f"{PROLOGUE}\nvoid f(int c, char **v, int given, double *a)\n{{ {body} }}\n"
    unit = load_unit(Path("t.c"), SourceOptions(), None, text)
    found = ir.loops(lower_function(unit, unit.functions[-1]).body)
    return [loop for loop in found if not loop.inlined]  # what the library reads is written out as loops


def size(body: str, loop: int = -1) -> str:
    (trip,) = loops(body)[loop].trip or ()
    return str(trip.numerator).strip("()")


USE = "for (int i = 0; i < n; i++) a[i] = 0;"


@pytest.mark.parametrize(
    ("expected", "stores"),
    [
        ("box->n@8", "box->n = ask();\nbox->n = ask();\nbox->m = 3;"),
        ("box->n@7", "box->n = ask();\nother->n = 3;"),
        ("box->n", "box->m = 2;\nother->n = 3;"),
    ],
)
def test_memory_is_named_after_the_last_store_to_the_same_place(expected: str, stores: str) -> None:
    assert size(f"{stores} for (int i = 0; i < box->n; i++) a[i] = 0;") == expected


@pytest.mark.parametrize(
    ("expected", "body"),
    [
        ("n", f"int n = atoi(v[1]); {USE}"),
        ("n", f"int n; n = atoi(v[1]); {USE}"),
        ("n", f"int m, n; n = m = c; n = (int)(0.5 * ask()); {USE}"),
        ("n", f"int n = c > 1 ? atoi(v[1]) : 100; {USE}"),
        ("n", f"int n = 100; if (c > 1) n = atoi(v[1]); {USE}"),
        ("n", f"int n; if (c > 1) n = atoi(v[1]); else n = ask(); {USE}"),
        ("n", f"int n; set(&n); {USE}"),
        ("n*n", f"int n = atoi(v[1]), m = n * n; {USE.replace('< n', '< m')}"),
        ("n", f"int n = atoi(v[1]); int m = n; {USE.replace('< n', '< m')}"),
        ("n", f"int n = (c - given) / ask() + 1; {USE}"),
        ("n - 1", f"int n = (c - given) / ask() + 1; {USE.replace('< n', '< n - 1')}"),
        # two values of one name
        ("n@8", f"int n = atoi(v[1]); {USE}\nn = ask(); {USE}"),
        ("n@8", f"int n = atoi(v[1]); {USE}\nif (n > given) n = ask(); {USE}"),
        ("given@7", f"given = atoi(v[1]); {USE.replace('< n', '< given')}"),
        ("LIMIT@7", f"LIMIT = atoi(v[1]); {USE.replace('< n', '< LIMIT')}"),
        # one in each iteration of a loop around it
        ("n@7", f"for (int j = 0; j < c; j++) {{ int n = ask(); {USE} }}"),
    ],
)
def test_a_size_has_the_name_of_its_variable(expected: str, body: str) -> None:
    assert size(body) == expected


def test_the_first_value_keeps_its_name() -> None:
    body = f"int n = atoi(v[1]); {USE}\nn = ask(); {USE}"
    assert [size(body, 0), size(body, 1)] == ["n", "n@8"]


def objects(body: str) -> list[str]:
    stores = (s for s in ir.statements(loops(body)[-1].body) if isinstance(s, ir.Assign))
    return [str(s.target.object) for s in stores if isinstance(s.target, ir.Access)]


@pytest.mark.parametrize(
    ("expected", "body"),
    [
        (["b"], "double *b = malloc(80); for (int i = 0; i < 10; i++) b[i] = 0;"),
        (["b", "d"], "double *b = malloc(8), *d = malloc(8); for (int i = 0; i < 1; i++) { b[i] = 0; d[i] = 0; }"),
        (["b"], "double *b = malloc(80), *d = b; for (int i = 0; i < 10; i++) d[i] = 0;"),
        (["b@8"], "double *b = malloc(80);\nb = malloc(160); for (int i = 0; i < 10; i++) b[i] = 0;"),
        (["a@7"], "a = malloc(80); for (int i = 0; i < 10; i++) a[i] = 0;"),
        (["d[]", "b[]"], "double **b = rows(c), **d = rows(c); for (int i = 0; i < 1; i++) b[i][0] = d[i][0] = 0;"),
    ],
)
def test_allocated_memory_has_the_name_of_its_pointer(expected: list[str], body: str) -> None:
    assert objects(body) == expected
