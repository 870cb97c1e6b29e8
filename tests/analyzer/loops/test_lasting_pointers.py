"""Static pointers of a function that lead to memory of their own, and those that may lead to more."""

from pathlib import Path

import pytest

from analyzer.loops.lasting_pointers import lasting_pointers
from analyzer.settings.options import SourceOptions
from analyzer.source import load_unit

HEAD = (
    "#include <stdlib.h>\nvoid use(double *);\ndouble *same(double *);\nvoid *my_alloc(int);\n"
    "struct s { double *a, v[9]; };\ndouble *kept;\n"
)


def names(body: str) -> frozenset[str]:
    loop = "for (int i = 0; i < n; i++) x[i] = 0;"
    text = f"{HEAD}double *f(int n, struct s *s, double *x) {{\nstatic double *p, *q;\n{loop}\n{body}\nreturn 0; }}\n"
    unit = load_unit(Path("t.c"), SourceOptions(), None, text)
    node = next(d.node for d in unit.functions if d.name == "f")
    assert node is not None
    return lasting_pointers(unit, node)


@pytest.mark.parametrize(
    "body",
    [
        "if (!p) p = malloc(n);",
        "if (p == NULL) { p = (double *)calloc(n, 8); } use(p);",
        "static int first = 1; if (first) { p = my_alloc(n); first = 0; } p[n] = *p + p[2];",
        "if (!p) p = malloc(n); if (n > 9) { free(p); p = NULL; }",
    ],
)
def test_what_is_only_set_to_new_memory(body: str) -> None:
    assert names(body) == {"p"}


@pytest.mark.parametrize(
    "body",
    [
        "p[n] = 1;",
        "p = x;",
        "if (!p) p = malloc(n); q = p;",
        "double *t; if (!p) t = p = malloc(n);",
        "if (!p) p = malloc(n); x = n ? p : x;",
        "if (!p) p = malloc(n); x = p + 1;",
        "if (!p) p = malloc(n); x = &p[1];",
        "if (!p) p = malloc(n); x = same(p);",
        "if (!p) p = malloc(n); s->a = p;",
        "if (!p) p = malloc(n); kept = p;",
        "if (!p) p = malloc(n); return p;",
        "if (!p) p = malloc(n); double **t = &p;",
        "if (!p) p = malloc(n); p++;",
        "if (!p) p = malloc(n); { double *p = x; *p = 1; }",
        "if (!p) p = same(x);",
        "if (!p) p = malloc(n); use((double *)(q = p));",
        "if (!p) p = realloc(x, n);",
    ],
)
def test_what_may_lead_elsewhere_or_be_led_to(body: str) -> None:
    assert names(body) == frozenset()


@pytest.mark.parametrize(
    ("declared", "body", "found"),
    [
        ("double (*t)[9]", "t = malloc(n); (*t)[3] = 1; x[0] = t[1][2]; use(*t);", True),
        ("double (*t)[9]", "t = malloc(n); x = *t;", False),
        ("double (*t)[9]", "t = malloc(n); x = t[1];", False),
        ("double (*t)[9]", "t = malloc(n); x = *t + 1;", False),
        ("struct s *t", "t = malloc(n); t->v[2] = 1; x[0] = (*t).v[1]; t->a = x; use(t->v);", True),
        ("struct s *t", "t = malloc(n); s->a = t->v;", False),
        ("struct s *t", "t = malloc(n); s->a = &t->v[1];", False),
        ("struct hidden *t", "t = malloc(n); s->a = t->v;", False),
    ],
)
def test_an_array_is_where_the_pointer_leads(declared: str, body: str, found: bool) -> None:
    assert names(f"static {declared};\n{body}") == ({"t"} if found else frozenset())
