"""Undeclared types that are used as integers: loops over them are counted, in memory their size stays unknown."""

from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import FunctionFacts
from analyzer.settings.options import AnalysisOptions, SourceOptions
from analyzer.source.load import load_unit

HEAD = '#include "made_by_the_build.h"\n'


def unit(text: str, tmp_path: Path) -> "tuple[frozenset[str], list[str]]":
    path = tmp_path / "t.c"
    path.write_text(HEAD + text)
    loaded = load_unit(path, SourceOptions())
    return loaded.integral, [d.message for d in loaded.diagnostics if d.rule == "SRC002"]


def facts(text: str, tmp_path: Path) -> FunctionFacts:
    path = tmp_path / "t.c"
    path.write_text(HEAD + text)
    return analyze_file(path, SourceOptions(), AnalysisOptions()).functions[-1]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("void f(index_t n, double *x) { index_t i; for (i = 0; i < n; i++) x[i] = 0; }", {"index_t"}),
        ("void f(int n, double *x) { word_t w = 3; for (int i = 0; i < n; i++) x[i] = w >> 1; }", {"word_t"}),
        ("void f(index_t n, double *x) { for (index_t i = 0; i < n; i++) x[2 * (i + 1)] = 0; }", {"index_t"}),
        ("typedef CHOSEN idx; void f(idx n, double *x) { idx i; for (i = 0; i < n; i++) x[i] = 0; }", {"CHOSEN"}),
        ("void f(int n, real_t *x, real_t c) { for (int i = 0; i < n; i++) x[i] = c; }", set()),
        ("void f(int n, table_t t, double *x) { for (int i = 0; i < n; i++) x[i] = t[i]; }", set()),
        ("double f(real_t c, const double *x) { return x[look(c)] + x[0] * c; }", set()),
        ("typedef float real_t; void f(int n, real_t *x, real_t c) { for (int i = 0; i < n; i++) x[i] = c; }", set()),
    ],
)
def test_types_that_serve_as_subscripts_are_integers(text: str, wanted: set[str], tmp_path: Path) -> None:
    assert unit(text, tmp_path)[0] == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("void f(int n, real_t *x) { for (int i = 0; i < n; i++) x[i] = x[i] * 2; }", {"real_t"}),
        ("void f(int n, real_t *x) { for (int i = 0; i < n; i++) x[i] /= 3 + *x; }", {"real_t"}),
        ("void f(int n, real_t *x) { for (int i = 0; i < n; i++) x[i] = 0.; }", {"real_t"}),
        ("void f(int n, real_t *x) { for (int i = 0; i < n; i++) x[i] = -x[i]; }", {"real_t"}),
        ("void f(int n, double *y, real_t c) { for (int i = 0; i < n; i++) y[i] = 2 * (y[i] + c); }", {"real_t"}),
        ("struct s { real_t *v; }; void f(int n, struct s *s) { for (int i = 0; i < n; i++) s->v[i] *= 2; }",
         {"real_t"}),
        ("typedef CHOSEN real; void f(int n, real **x) { for (int i = 0; i < n; i++) x[i][0] *= 2; }", {"CHOSEN"}),
        ("void f(int n, row_t x) { for (int i = 0; i < n; i++) x[i] = x[i] * 2; }", set()),  # what it leads to is
        ("void f(int n, row_t *x) { for (int i = 0; i < n; i++) x[i][0] *= 2; }", set()),
        ("void f(int n, real_t *x, real_t c) { for (int i = 0; i < n; i++) x[i] = c; }", set()),
        ("void f(int n, real_t *x, real_t c) { for (int i = 0; i < n; i++) x[i] = c + 1; }", set()),
        ("struct s { real_t *v; }; struct t { int *v; }; void f(int n, struct s *s, struct t *t) "
         "{ for (int i = 0; i < n; i++) { s->v[i] = 0; t->v[i] *= 2; } }", set()),
    ],
)  # fmt: skip
def test_types_that_are_multiplied_are_numbers(text: str, wanted: set[str], tmp_path: Path) -> None:
    path = tmp_path / "t.c"
    path.write_text(HEAD + text)
    assert load_unit(path, SourceOptions()).numeric == wanted


def test_an_array_of_numbers_behind_a_member_holds_no_pointer(tmp_path: Path) -> None:
    text = "struct s {{ real_t *v; }}; void f(int n, struct s *s) {{ for (int i = 0; i < n; i++) s->v[i] = {}; }}"
    number, any_ = (facts(text.format(value), tmp_path).loops[0].parallelism for value in ("0.5", "0"))
    assert (number.verdict.value, [str(a) for a in number.assumptions]) == ("yes", ["rows-distinct(s->v)"])
    assert any_.verdict.value == "unknown"


def test_the_message_says_what_it_is_taken_for(tmp_path: Path) -> None:
    text = "void f(index_t n, real_t *x, real_t c) { index_t i; for (i = 0; i < n; i++) x[i] = c; }"
    _, messages = unit(text, tmp_path)
    assert sum("used as an integer" in m and m.startswith("type index_t") for m in messages) == 1
    assert all("opaque" in m for m in messages if m.startswith("type real_t"))


def test_a_loop_over_them_is_counted(tmp_path: Path) -> None:
    text = "struct v { idx n; }; void f(struct v *v, double *x) { idx i; for (i = 0; i < v->n; i++) x[i] *= 2; }"
    (loop,) = facts(text, tmp_path).loops
    assert loop.parallelism.verdict.value == "yes"
    assert [a.kind for a in loop.parallelism.assumptions] == ["bound-invariant", "params-distinct"]
    assert str(loop.counts.loads.expr) == "2*v->n + 1"  # the test reads the member once more


def test_their_size_in_memory_stays_unknown(tmp_path: Path) -> None:
    (loop,) = facts("void f(int n, index_t *p) { index_t i; for (i = 0; i < n; i++) p[i] = i; }", tmp_path).loops
    assert loop.parallelism.verdict.value == "yes"
    assert "sizeof(index_t)" in str(loop.counts.footprint.expr)


def test_comparisons_of_other_undeclared_types_decide_nothing(tmp_path: Path) -> None:
    text = """void f(index_t n, double *x, real_t c)
    { index_t i; for (i = 0; i < n; i++) { if (c > 0) x[i] = 1; if (c < 1) x[i + 1] = 2; } }"""
    (loop,) = facts(text, tmp_path).loops
    assert loop.parallelism.verdict.value != "yes"
