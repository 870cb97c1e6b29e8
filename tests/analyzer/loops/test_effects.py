"""Summaries of functions that are not followed: which parts of memory a call may read and write, or none at all."""

import pytest

from analyzer.dependence import parallelism
from analyzer.loops import effects, inlining, lower_function
from analyzer.settings.options import AnalysisOptions

from .picture import unit_of

DECLARED = """
double g[100]; int count; int scale = 2; volatile int seen; static double *kept; _Atomic int turns;
struct pair { double x, y; int *link; };
void *malloc(unsigned long); int printf(const char *, ...); void exit(int); void hook(void);
"""


CALLED = "void of_loops(int n) { for (int i = 0; i < n; i++) f(); }"


def summarised(c: str) -> str:
    """The summary of function f in words: `r 0[1..2]` for a read of elements 1 and 2 behind the first parameter; `w`
    for what may be written, `W` for what is."""
    unit = unit_of(f"{DECLARED}{c} {CALLED}")
    definition = next(d for d in unit.functions if d.name == "f")
    assert definition.node is not None
    found = effects.summary(unit, definition)
    if found is None:
        return "none"
    touches = [_said(t) for t in found.touches]
    return ", ".join([*touches, *(f"r {name}" for name in found.variables)])


def _said(t: effects.Touch) -> str:
    spans = "".join("[?]" if s is None else f"[{s[0]}]" if s[0] == s[1] else f"[{s[0]}..{s[1]}]" for s in t.spans)
    return f"{'W' if t.sure else 'w' if t.write else 'r'} {t.root}{spans}{t.access.field}"


@pytest.mark.parametrize(
    ("said", "c"),
    [
        ("r 0[1], W 0[0]", "void f(double *a) { a[0] = a[1]; }"),
        ("w 0[?]", "void f(double *a, int n) { for (int k = 0; k < n; k++) a[k] = k; }"),
        ("w 0[0..4]", "void f(double *a) { for (int k = 0; k < 5; k++) a[k] = k; }"),
        ("w 0[1..5]", "void f(double *a) { int k = 0; while (k++ < 5) a[k] = k; }"),
        (
            "w 0[0..1][0..2]",
            "void f(int m[2][3]) { for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) m[i][j] = j; }",
        ),
        ("W 0[0..2]", "void f(double *a) { a[0] = 1; a[2] = 2; a[1] = 3; }"),
        ("w 0[0..2]", "void f(double *a) { a[0] = 1; a[2] = 2; }"),
        ("W 0[0]", "void f(double *a) { a[0] = 1; a[0] = a[0] + 1; }"),
        ("W 0[0], r 0[0]", "void f(double *a, int c) { if (c) a[0] = 1; a[0] = a[0] + 1; }"),
        ("w 1[0]", "void f(int c, double *a) { if (c) return; a[0] = 1; }"),
        ("W 1[0]", "void f(int c, double *a) { a[0] = 1; if (c) return; }"),
        ("r g[3], r scale", "double f(double x) { return x * scale + g[3]; }"),
        ("w g[?]", "void f(int k) { g[k] = 1; }"),
        ("r 0[0].y, W 0[0].x", "void f(struct pair *p) { p->x = p->y; }"),
        ("W 0[2]", "void f(double *a) { double *q = a + 1; q[1] = 2; q++; *q = 3; }"),
        ("W 0[3]", "void f(double *a) { ((int *)a)[3] = 1; }"),
        ("r 0[0], W 0[0]", "static void h(double *b) { b[0]++; } void f(double *a) { h(a); }"),
        ("", "int f(int n) { int t[4] = {0}; t[n & 3] = n; return t[1]; }"),
    ],
)
def test_what_a_call_may_touch(said: str, c: str) -> None:
    assert summarised(c) == said


@pytest.mark.parametrize(
    "c",
    [
        pytest.param("void f(void) { count++; }", id="a variable of the program"),
        pytest.param("int f(void) { static int n; return n++; }", id="a static variable"),
        pytest.param("void f(double *a) { static double t[4]; t[0] = a[0]; }", id="a static array"),
        pytest.param("void f(double *a) { kept = a; }", id="an address is kept"),
        pytest.param("void f(double *a, double **to) { *to = a; }", id="an address is stored"),
        pytest.param("void f(double *a, long *to) { *to = (long)a; }", id="an address is stored as a number"),
        pytest.param("long f(double *a) { return (long)a; }", id="an address is returned as a number"),
        pytest.param("double *f(double *a) { return a; }", id="an address is returned"),
        pytest.param("void f(struct pair *p) { *p->link = 3; }", id="a pointer in memory"),
        pytest.param("void f(double **rows) { rows[0][0] = 3; }", id="rows"),
        pytest.param("void f(void) { kept[0] = 3; }", id="a pointer of the file"),
        pytest.param("void f(struct pair *p, struct pair *q) { *p = *q; }", id="a structure with a pointer"),
        pytest.param("int f(void) { return seen; }", id="volatile"),
        pytest.param("void f(volatile int *p) { *p = 1; }", id="volatile memory"),
        pytest.param("void f(_Atomic int *p) { *p = 1; }", id="atomic memory"),
        pytest.param("_Thread_local int own; int f(void) { return own; }", id="of each thread"),
        pytest.param("void f(int n) { printf(\"%d\", n); }", id="output"),
        pytest.param("void f(int n) { if (n) exit(n); }", id="exit"),
        pytest.param("void f(int n) { if (n) hook(); }", id="an unseen call"),
        pytest.param("void f(double *a, void (*g)(double *)) { g(a); }", id="a pointer to a function"),
        pytest.param("void f(double *a) { a[0]++; f(a); }", id="itself"),
        pytest.param(
            "void e(double *a, int n); void f(double *a) { e(a, 3); } "
            "void e(double *a, int n) { a[0]++; if (n) f(a); }",
            id="itself by way of another",
        ),
        pytest.param("void f(double *a) { double *t = malloc(8); t[0] = a[0]; }", id="allocation"),
        pytest.param("void f(int n, ...) { count = n; }", id="any number of arguments"),
        pytest.param("void f(int n, double a[][n]) { a[1][1] = 0; }", id="rows of a length"),
        pytest.param("void f(double *a) { double **q = &a; *q = g; a[0] = 1; }", id="a parameter set by its address"),
        pytest.param("void f(int *a) { __asm__ volatile(\"\" : \"+m\"(*a)); }", id="assembly"),
    ],
)
def test_what_no_summary_says(c: str) -> None:
    assert summarised(c) == "none"


@pytest.mark.parametrize(
    ("said", "c"),
    [
        ("W 1[0], error path 9", "void f(int n, double *a) { *a = n; if (n < 0) exit(n); }"),
        ("W 1[0], error path 9", 'void f(int n, double *a) { *a = n; if (n) warned(2, "%d", n); }'),
        ("r 1[0], W 1[1], error path 9", "void f(int n, double *a) { if (a[0] > n) { a[2] = 1; exit(2); } a[1] = 1; }"),
        (
            "r 0[0], W 0[0], error path 9",
            "static void h(double *b) { if (*b > 3) exit(1); *b = 1; } void f(double *a) { h(a); }",
        ),
        ("none", 'void f(int n, double *a) { *a = n; warned(2, "%d", n); }'),
        ("none", "void f(int n, double *a) { *a = n; if (n) hook(); }"),
        ("none", "double f(double x) { return pure_by_its_type(x); }"),
        ("none", "void f(int n, double *a) { if (n < 0) exit(n); kept = a; }"),
        ("none", "int f(int n) { static int calls; if (n < 0) exit(n); return calls++; }"),
    ],
)
def test_what_a_call_may_touch_when_it_takes_no_error_path(said: str, c: str) -> None:
    """Nothing is supposed where a summary says all of the function."""
    others = "void warned(int, const char *, ...); double pure_by_its_type(double);"
    unit = unit_of(f"{DECLARED}{others}\n\n\n\n{c} {CALLED}")
    definition = next(d for d in unit.functions if d.name == "f")
    found, plain = (effects.summary(unit, definition, supposing) for supposing in (True, False))
    assert plain is None
    paths = [f"error path {place.line}" for place, _ in found.error_paths] if found is not None else []
    assert (", ".join([*map(_said, found.touches), *paths]) if found is not None else "none") == said


CALLEES = """
static void two(double *a) { a[0] = a[1]; }
static void square(double m[2][2]) { for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) m[i][j] *= 2; }
static void maybe(double *a, int c) { if (c > 100) a[0] = c; }
static void sets(int *n, int v) { *n = v; }
static void part(void *p) { ((char *)p)[1] = 0; }
static void low(void *p) { ((char *)p)[0] = 0; }
static void both(double x, double *s, double *c) { *s = x * 2; *c = x * 3 + *s; }
static void swap(double *p) { double t = p[0]; p[0] = p[1]; p[1] = t; }
static void from(double *a, double *b) { a[0] = b[1]; }
"""


@pytest.mark.parametrize(
    ("verdicts", "body"),
    [
        ("yes", "two(a + 2 * i);"),
        ("unknown", "two(a + i);"),
        ("yes", "square((double (*)[2])(a + 4 * i));"),
        ("unknown", "square((double (*)[2])(a + 3 * i));"),
        ("unknown", "maybe(a, k[i]);"),
        ("yes", "double t[2] = {i, 1}; swap(t); a[i] = t[0];"),
        ("unknown", "swap(w); a[i] = w[0];"),
        ("yes", "both(i, &s, &c); a[i] = s + c;"),
        ("yes", "both(i, w, w + 1); a[i] = w[0] + w[1];"),
        ("no", "a[i] = c; both(i, &s, &c);"),
        ("unknown", "both(i, a + i, a + i + 1);"),
        ("unknown", "maybe(&s, k[i]); a[i] = s;"),
        ("unknown", "if (k[i]) sets(&last, i); a[i] = 0;"),
        ("unknown", "int at = i; sets(&at, k[i]); a[at] = i;"),
        ("unknown", "int at = i; part(&at); a[at] = i;"),
        ("unknown", "low(&last); a[i] = last;"),
        ("unknown", "from(a + i, a);"),
        ("unknown", "from(a + i, a + i);"),
        ("yes", "from(a + 2 * i, a + 2 * i);"),
        ("yes", "two(0); a[i] = 1;"),
    ],
)
def test_loops_with_calls_that_are_not_followed(verdicts: str, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is shown by what a call may do."""
    monkeypatch.setattr(inlining, "LARGEST_INLINED", 0)
    head = "double f(double *restrict a, const int *restrict k, int n) { double s = 1, c = 0, w[2] = {1, 2};"
    loop = f"int last = 7; for (int i = 0; i < n; i++) {{ {body} }} return last;"
    unit = unit_of(f"{CALLEES}{head} {loop} }}")
    function = lower_function(unit, unit.functions[-1])
    answer = next(iter(parallelism(function, AnalysisOptions()).values()))
    assert answer.verdict.value == verdicts
