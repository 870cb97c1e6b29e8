"""What is to be written at a loop, and what is not said of it. (`tests/clauses` compiles and runs it.)"""

from pathlib import Path

import pytest

from analyzer.driver.analysis import analyze_file
from analyzer.facts.loop import Clauses, Verdict
from analyzer.settings.options import AnalysisOptions, SourceOptions

FILE = """#include <stdlib.h>
struct s { double x, y; int n; double v[4]; struct s *next; };
double g[8]; int gi; static double total;
static void fill(double *w, int i) { for (int k = 0; k < 8; k++) w[k] = i * k; }
static double of_g(int i) { return g[i & 7]; }
static double last(const double *w) { return w[7]; }
static double *at(double *w, int k) { gi += 1; return w + k; }
"""


def needed(function: str) -> Clauses:
    """Of the first loop of a function that is added to the file."""
    facts = analyze_file(Path("a.c"), SourceOptions(), AnalysisOptions(), text=FILE + function)
    loop = facts.functions[-1].loops[0]
    assert loop.parallelism.verdict is Verdict.YES, loop.parallelism
    return loop.clauses


@pytest.mark.parametrize(
    ("function", "value", "after"),
    [
        pytest.param("int k = 0; for (int i = 0; i < n; i++) { a[k] = 1; k += 2; }", "2*i", None, id="dead"),
        pytest.param(
            "int k = m; for (int i = 0; i < n; i++) { a[k] = 1; k++; } return k;",
            "k + i",
            "k + (n > 0 ? n : 0)",
            id="live",
        ),
        pytest.param(
            "int k = 0; for (int i = m; i < n; i++) { a[k] = 1; k += 2; }", "2*((long long)i - m)", None, id="start"
        ),
        pytest.param(
            "int k = n; for (int i = n; i > 0; i--) { a[k] = 1; k--; }", "k - ((long long)n - i)", None, id="down"
        ),
        pytest.param("int k = 0; for (int i = 0; i < n; i += 4) { a[k] = 1; k++; }", "i/4", None, id="width"),
        pytest.param(
            "double *k = a; for (int i = 0; i < n; i++) { *k++ = 1; k++; }", "k + 2*(long long)i", None, id="pointer"
        ),
        pytest.param("struct s *k = q; for (int i = 0; i < n; i++) (k++)->x = 1;", "k + i", None, id="structures"),
        pytest.param(
            "int w = m; int k = 0; m = 3; if (w > 0) for (int i = 0; i < n; i++) { a[k] = m; k += w; }",
            "w*(long long)i",
            None,
            id="step-that-another-variable-holds",
        ),
    ],
)
def test_closed_forms(function: str, value: str, after: str | None) -> None:
    found = needed(f"int f(int n, int m, double *restrict a, struct s *restrict q) {{ {function} return 0; }}")
    assert [(i.variable, i.value, i.after) for i in found.inductions] == [("k", value, after)]
    assert not found.rewrites
    assert "k" not in (*found.private, *found.last_private)


LOOP = "for (int i = 0; i < n; i++)"


@pytest.mark.parametrize(
    ("function", "value", "after"),
    [
        pytest.param(f"{LOOP} {{ a[i] = k; k = q[i].x; }}", "(i > 0 ? q[i - 1].x : k)", None, id="read"),
        pytest.param(
            f"{LOOP} {{ a[i] = k; k = q[i].x; }} return k;",
            "(i > 0 ? q[i - 1].x : k)",
            "(n > 0 ? q[n - 1].x : k)",
            id="read-afterwards",
        ),
        pytest.param(
            f"{LOOP} {{ double t = 2 * g[i & 7]; a[i] = k; k = t + 1; }}",
            "(i > 0 ? ((2.0 * g[(i - 1) & 7]) + 1.0) : k)",
            None,
            id="through-a-temporary",
        ),
        pytest.param(
            "for (int i = n; i > 0; i--) { a[i] = k; k = q[i].x; }",
            "(((long long)n - i) > 0 ? q[i + 1].x : k)",
            None,
            id="downwards",
        ),
        pytest.param(f"{LOOP} {{ a[i] = k; k = m; }}", "(i > 0 ? (double)m : k)", None, id="the-same"),
    ],
)
def test_values_of_the_iteration_before(function: str, value: str, after: str | None) -> None:
    head = "int f(int n, int m, double *restrict a, struct s *restrict q) { double k = 0.5;"
    (found,) = needed(f"{head} {function} return 0; }}").inductions
    assert (found.variable, found.value, found.after) == ("k", value, after)


def test_a_value_of_the_iteration_before_that_has_no_text_is_a_rewrite() -> None:
    body = "double k = 0; int i = 0; while (i < n) { a[i] = k; k = q[i++].x; }"
    found = needed(f"void f(int n, double *restrict a, struct s *restrict q) {{ {body} }}")
    assert {i.variable: i.value for i in found.inductions} == {"i": "it", "k": None}
    assert any("the iteration before gives to it" in r.text for r in found.rewrites)


@pytest.mark.parametrize(
    ("function", "trip"),
    [
        ("int i = 0; while (i < n) { a[i] = 1; i++; }", "n"),
        ("int i = 0; do { a[i] = 1; i++; } while (i < n);", "(n > 1 ? n : 1)"),
        ("for (int i = 0, k = n; i < n; i++, k--) a[k] = b[i];", "n"),
        ("for (int i = 0; i + 1 < n; i++) a[i] = 1;", "n - 1"),
        ("for (int i = 0; n > 2 * i; i++) a[i] = 1;", "(n + 1)/2"),
        ("for (int i = 0; i < n; i++) { int *p = &i; a[i] = 1; (*p)++; }", "(n + 1)/2"),
        ("double *e = a + n; while (a < e) *a++ = 1;", "((e - a) > 0 ? (e - a) : 0)"),
        ("for (unsigned char i = 0; i < n; i++) a[i] = 1;", "n"),  # 255 iterations of OpenMP's, where n is -1
        ("if (n >= 0) for (unsigned char i = 0; i < n; i++) a[i] = 1;", None),
        ("for (gi = 0; gi < n; gi++) a[gi] = of_g(gi) + gi;", None),
        ("for (int i = n; i > 0; i -= 2) a[i] = 1;", None),
        ("for (int i = 0; i != n; i++) a[i] = 1;", None),
        ("for (int i = 0; n > i; i = 1 + i) a[i] = 1;", None),
    ],
)
def test_loops_that_openmp_does_not_take(function: str, trip: str | None) -> None:
    found = needed(f"void f(int n, double *restrict a, const double *restrict b) {{ {function} }}")
    assert [r.trip for r in found.rewrites if r.kind == "canonical-loop"] == ([] if trip is None else [trip])


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        ("double w[8]; for (int i = 0; i < n; i++) { fill(w, i); a[i] = last(w); }", "private(w)"),
        ("double w[8], *p = w; for (int i = 0; i < n; i++) { fill(p, i); a[i] = last(w); }", "thread-copy(w)"),
        ("double w[8], *p; for (int i = 0; i < n; i++) { p = w; fill(p, i); a[i] = last(w); }", "private(w)"),
        ("for (int i = 0; i < n; i++) { fill(g, i); a[i] = last(g); }", "first(g) last(g)"),
        ("for (int i = 0; i < n; i++) { fill(g, i); a[i] = of_g(i); }", "threadprivate(g)"),
        ("struct s t; for (int i = 0; i < n; i++) { t.x = i; a[i] = t.x; }", "private(t)"),
        ("for (int i = 0; i < n; i++) { q->x = i; a[i] = q->x; }", "scalar-temporary(q->x)"),
        ("for (int i = 0; i < n; i++) q->x += b[i];", "scalar-temporary(q->x)"),
        ("for (int i = 0; i < n; i++) *at(a, n) = b[i];", "atomic(gi) other(*at(a, n))"),
        ("for (int i = 0; i < n; i++) a[(n + 1) * 2] = b[i];", "scalar-temporary(a[(n + 1) * 2])"),
        ("for (int i = 0; i < n; i++) { struct s *r = q; r->x += b[i]; }", "atomic(r->x)"),
        ("for (int i = 0; i < n; i++) q->v[(int)b[i] & 3] += 1;", "atomic(q->v[((int) b[i]) & 3])"),
        ("for (int i = 0; i < n; i++) for (int k = 0; k < 4; k++) a[k] += b[i];", "reduction(a[0:4])"),
        ("for (int i = 0; i < n; i++) total += b[i];", "reduction(total)"),
        ("int j; for (int i = 0; i < n; i++) for (j = 0; j < 4; j++) a[4 * i + j] = 1;", "private(j)"),
        ("double t = 1; for (int i = 0; i < n; i++) { double t = b[i]; a[i] = t; } a[0] = t;", ""),
    ],
)
def test_names_in_clauses(function: str, wanted: str) -> None:
    arguments = "int n, double *restrict a, const double *restrict b, struct s *restrict q"
    found = needed(f"void f({arguments}) {{ {function} }}")
    said = [f"private({name})" for name in found.private if name != "p"]
    said += [f"first({name})" for name in found.first_private] + [f"last({name})" for name in found.last_private]
    said += [f"reduction({r.variable})" for r in found.reductions] + [f"{r.kind}({r.object})" for r in found.rewrites]
    assert " ".join(said) == wanted


@pytest.mark.parametrize(
    ("moved", "extent"),
    [("", "3*(long long)n"), ("t += 5;", None), ("t = t + n;", None), ("if (b[0] > 3) t = a;", None)],
)
def test_memory_that_the_function_allocates_has_the_length_that_it_asked_for(moved: str, extent: str | None) -> None:
    """Data select what an iteration uses of it."""
    walk = "for (int k = 0; k < n; k++)"
    body = f"{walk} t[3 * at[k]] = b[i]; {walk} a[i] += t[3 * at[k]];"
    head = "void *malloc(unsigned long); void free(void *);"
    function = f"double *t = malloc(sizeof(double) * n * 3); {moved} for (int i = 0; i < n; i++) {{ {body} }} t = 0;"
    arguments = "int n, double *restrict a, const double *restrict b, const int *restrict at"
    text = f"{head} void f({arguments}) {{ {function} }}"
    loop = analyze_file(Path("a.c"), SourceOptions(), AnalysisOptions(), text=text).functions[-1].loops[0]
    assert loop.parallelism.is_parallel or not extent
    assert {r.extent for r in loop.clauses.rewrites if r.kind == "thread-copy"} <= {extent}


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        ("for (int i = 0; i < n; i++) q->x += b[i];", "scalar-temporary"),
        ("for (int i = 0; i < n; i++) if (b[i] > 0) q->x += b[i];", "atomic"),
        ("for (int i = 0; i < n; i++) if (q) q->x += b[i];", "atomic"),
        ("for (int i = 0; i < n; i++) { if (!q) continue; q->x += b[i]; }", "atomic"),
        ("for (int i = 0; i < n; i++) q ? (q->x += b[i]) : 0;", "other"),
        ("for (int i = 0; i < n; i++) if (b[i] > q->y) q->x += b[i];", "scalar-temporary"),
        ("for (int i = 0; i < q->n; i++) if (b[i] > 0) q->x += b[i];", "scalar-temporary"),
        ("q->y = 0; for (int i = 0; i < n; i++) if (b[i] > 0) q->x += b[i];", "scalar-temporary"),
        ("for (int i = 0; i < n; i++) if (b[i] > 0) q->x += b[i]; a[0] = q->x;", "scalar-temporary"),
        ("for (int i = 0; i < n; i++) if (b[i] > 0) q->x += b[i]; if (!q) return; a[0] = q->x;", "atomic"),
        ("if (n > 9) q->y = 0; for (int i = 0; i < n; i++) if (b[i] > 0) q->x += b[i];", "atomic"),
        ("if (q) { q->y = 0; for (int i = 0; i < n; i++) if (b[i] > 0) q->x += b[i]; }", "scalar-temporary"),
        ("for (int i = 0; i < n; i++) if (b[i] > 0) a[3] += b[i];", "atomic"),
        ("a[4] = 0; for (int i = 0; i < n; i++) if (b[i] > 0) a[3] += b[i];", "atomic"),
        ("a[3] = 0; for (int i = 0; i < n; i++) if (b[i] > 0) a[3] += b[i];", "scalar-temporary"),
        ("for (int i = 0; i < n; i++) if (b[i] > 0) g[3] += b[i];", "scalar-temporary"),
        ("for (int i = 0; i < n; i++) if (n < 8) g[n] += b[i];", "atomic"),
    ],
)
def test_a_place_that_may_not_be_there_is_not_read_for_all(function: str, wanted: str) -> None:
    arguments = "int n, double *restrict a, const double *restrict b, struct s *restrict q"
    (found,) = needed(f"void f({arguments}) {{ {function} }}").rewrites
    assert found.kind == wanted


@pytest.mark.parametrize(
    ("before", "statement", "plain"),
    [
        ("int f = 0;", "f = f || b[i] > 3;", True),
        ("int f = a[0] > 3;", "f = f && b[i] > 3;", True),
        ("_Bool f = t;", "f = f || b[i] > 3;", True),
        ("int f; f = 1;", "if (a[0] > i) f = f && b[i] > 3;", True),
        ("char f = 0; f |= a[0] > 3;", "f = f || b[i] > 3;", True),
        ("t = 0;", "t = t || b[i] > 3;", True),
        ("int f = 5;", "f = f || b[i] > 3;", False),
        ("int f = t;", "f = f || b[i] > 3;", False),
        ("int f = 0; f += t;", "f = f || b[i] > 3;", False),
        ("int f = 0; if (t) f = 5;", "f = f || b[i] > 3;", False),
        ("int f = 0; set(&f);", "f = f || b[i] > 3;", False),
        ("", "t = t || b[i] > 3;", False),
        ("t = 0; if (n > 3) t = 5;", "t = t || b[i] > 3;", False),
        ("gi = 0; of_g(n);", "gi = gi || b[i] > 3;", False),
    ],
)
def test_truth_values_begin_as_such(before: str, statement: str, plain: bool) -> None:
    arguments = "int n, int t, double *restrict a, const double *restrict b"
    loop = f"for (int i = 0; i < n; i++) {{ {statement} }}"
    found = needed(f"void set(int *); int last_of; int f({arguments}) {{ {before} {loop} return t; }}")
    assert bool(found.reductions) is plain
    assert [(r.kind, r.clause) for r in found.rewrites] == ([] if plain else [("other", "reduction")])


@pytest.mark.parametrize(
    ("loop", "plain"),
    [
        ("for (int i = 0; i < 9; i++) t = t || b[i] > 3;", True),
        ("for (int i = 0; i < 9; i++) for (int j = 0; j < 2; j++) t = t || b[i + j] > 3;", True),
        ("for (int i = 0; i < 9; i++) for (int j = 0; j < n; j++) t = t || b[i + j] > 3;", False),
        ("for (int i = 0; i < 9; i++) if (a[i] > 3) t = t || b[i] > 3;", False),
        ("for (int i = 0; i < n; i++) t = t || b[i] > 3;", False),
    ],
)
def test_truth_values_are_made_where_an_iteration_surely_does(loop: str, plain: bool) -> None:
    found = needed(f"int f(int n, int t, double *restrict a, const double *restrict b) {{ {loop} return t; }}")
    assert bool(found.reductions) is plain


def test_a_last_value_begins_with_the_old_one_unless_there_is_an_iteration() -> None:
    body = "t = a[i]; a[i] = t * t; } return t; }"
    open_ = needed("double f(int n, double *a) { double t = 0; for (int i = 0; i < n; i++) { " + body)
    known = needed("double f(int n, double *a) { double t = 0; for (int i = 0; i < 9; i++) { " + body)
    assert (open_.first_private, open_.last_private) == (("t",), ("t",))
    assert (known.first_private, known.last_private) == ((), ("t",))


def test_a_place_is_not_named_as_a_function_of_another_file_names_it(tmp_path: Path) -> None:
    """`s->u[k]` of the callee is `s->u[k - 3]` here, where `s->u[k]` is another one."""
    structure = "struct field { double *u; };\n"
    (tmp_path / "b.c").write_text(f"{structure}void step(struct field *s, int k) {{ s->u[k] += 1; }}\n")
    here = tmp_path / "a.c"
    here.write_text(
        f"{structure}void step(struct field *s, int k);\ndouble last;\n"
        "void f(int n, int k, struct field *s)\n"
        "{ for (int e = 0; e < n; e++) { last = s->u[k]; step(s, k - 3); } }\n"
    )
    together = tuple(str(tmp_path / name) for name in ("a.c", "b.c"))
    facts = analyze_file(here, SourceOptions(together=together), AnalysisOptions())
    rewrites = facts.functions[0].loops[0].clauses.rewrites
    assert rewrites
    assert "scalar-temporary" not in {r.kind for r in rewrites if r.object == "s->u[k]"}
