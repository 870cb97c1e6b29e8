"""Arrays behind members of structures are apart by an assumption, unless the code says more."""

from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import Parallelism, Verdict
from analyzer.settings.options import AnalysisOptions, Assume, SourceOptions

TYPES = """
#include <stdlib.h>
struct s { float *a, *b; int n; struct s *next; };
void elsewhere(struct s *s);
struct s *new(int n);
float *other(void), *beside(float *);
"""
POINT = "static void point(struct s *s, float *p) { s->a = p; s->b = p; }\n"
"""In a file with such a function members are not supposed to be distinct."""


def answer(body: str, assume: Assume, comment: str = "") -> Parallelism:
    types = TYPES + (POINT if "point(" in body else "")
    code = f"{types}void f(struct s *s, struct s *t, struct s v, float *w, int *at, int n) {{\n{comment}\n{body} }}"
    facts = analyze_file(Path("m.c"), SourceOptions(), AnalysisOptions(assume=assume), None, code)
    return next(loop.parallelism for f in facts.functions if f.function.name == "f" for loop in f.loops)


@pytest.mark.parametrize(
    ("body", "assumed"),
    [
        ("for (int i = 0; i < n; i++) s->a[i] = s->b[i];", "members-distinct(s)"),
        ("for (int i = 0; i < n; i++) v.a[i] = v.b[i];", "members-distinct(v)"),
        ("for (int i = 0; i < n; i++) s->a[i] = t->a[i];", "params-distinct(s->a,t->a)"),
        ("for (int i = 0; i < n; i++) s->a[i] = w[i];", "params-distinct(s->a,w)"),
        ("float *p = s->a, *q = s->b; for (int i = 0; i < n; i++) p[i] = q[i];", "members-distinct(s)"),
        ("elsewhere(s); for (int i = 0; i < n; i++) s->a[i] = s->b[i + 1];", "members-distinct(s)"),
        ("s->a = other(); s->b = other(); for (int i = 0; i < n; i++) s->a[i] = s->b[i + 1];", "members-distinct(s)"),
        ("struct s *p = new(n); for (int i = 0; i < n; i++) p->a[i] = p->b[i + 1];", "members-distinct(new(n))"),
    ],
)
def test_arrays_behind_members_are_apart_by_an_assumption(body: str, assumed: str) -> None:
    found = answer(body, "all")
    assert found.verdict is Verdict.YES
    assert [f"{a.kind}({a.text})" for a in found.assumptions] == [assumed]
    refused = answer(body, "none")
    assert refused.verdict is Verdict.UNKNOWN
    assert refused.reason is not None
    assert refused.reason.code == "may-alias"


@pytest.mark.parametrize(
    "body",
    [
        "s->b = s->a + 1; for (int i = 0; i < n; i++) s->a[i] = s->b[i];",
        "float *p = s->a; s->b = p + 1; for (int i = 0; i < n; i++) s->a[i] = s->b[i];",
        "float *p = s->a; s->a = s->b; for (int i = 0; i < n; i++) p[i] = s->a[i];",
        "float u[9]; struct s m = {u, u + 1, n}; for (int i = 0; i < n; i++) m.a[i] = m.b[i];",
        "struct s m = *s; for (int i = 0; i < n; i++) s->a[i] = m.a[i + 1];",
        "*t = *s; for (int i = 0; i < n; i++) s->a[i] = t->a[i + 1];",
        "t->b = s->a; for (int i = 0; i < n; i++) s->a[i] = t->b[i + 1];",
        "point(s, w); for (int i = 0; i < n; i++) s->a[i] = s->b[i + 1];",
        "elsewhere(s); *(float **)s = s->b; for (int i = 0; i < n; i++) s->a[i] = s->b[i + 1];",
        "elsewhere(s); *t = *s; for (int i = 0; i < n; i++) s->a[i] = s->b[i + 1];",
        "float u[9]; struct s m = {u, u + 1, n}; elsewhere(&m); for (int i = 0; i < n; i++) m.a[i] = m.b[i + 1];",
        "float *p = s->a; elsewhere(s); for (int i = 0; i < n; i++) p[i] = s->b[i + 1];",
        "s->a = beside(s->b); for (int i = 0; i < n; i++) s->a[i] = s->b[i + 1];",
        "float *p = other(); s->a = p; s->b = p + 1; for (int i = 0; i < n; i++) s->a[i] = s->b[i];",
        "for (int i = 0; i < n; i++) { s->a[i] = s->b[i + 1]; float *p = s->a; s->a = s->b; s->b = p; }",
        "for (int i = 0; i < n; i++) s->next[i].n = t->next[i + 1].n;",
    ],
)
def test_what_the_code_shows_is_not_overruled(body: str) -> None:
    assert answer(body, "all").verdict is not Verdict.YES


def test_one_member_is_still_one_array() -> None:
    shifted = "struct s *c = s; for (int i = 0; i < n; i++) s->a[i] = c->a[i + 1];"
    assert answer(shifted, "all").verdict is Verdict.NO


COMMENT = "// analyze: independent"


@pytest.mark.parametrize(
    ("body", "is_named"),
    [
        ("for (int i = 0; i < n; i++) { s->a[i] = s->b[i]; s->next[i].next = t; }", True),
        ("for (int i = 0; i < n; i++) { t->a[i] = s->b[i]; s->next[i].n = s->next[i].next->n; }", True),
        ("for (int i = 0; i < n; i++) { w[i] = 0; if (w[i] > s->a[i]) break; }", False),
        ("for (int i = 0; i < n; i++) other()[i] = w[i];", False),
    ],
)
def test_a_reason_names_the_comment_exactly_where_that_settles_it(body: str, is_named: bool) -> None:
    open_ = answer(body, "all")
    assert open_.reason is not None
    assert (COMMENT in open_.reason.message) == is_named
    if is_named:
        assert answer(body, "all", COMMENT).verdict is Verdict.YES
